//! The predefined constants of resource kinds (spec 05 §3.5, spec 08 §0.2).

/// A constant that every program has without an import: `$const.res.KIND.PARAM.NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceConstant {
    /// The kind.
    pub kind: &'static str,
    /// The parameter it is for.
    pub param: &'static str,
    /// The last part of its name.
    pub name: &'static str,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a [`ResourceConstant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ConstantValue {
    Str(&'static str),
    Int(i64),
}

impl ResourceConstant {
    /// The variable's name without the `$`: `const.res.file.state.exists`.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("const.res.{}.{}.{}", self.kind, self.param, self.name)
    }

    const fn text(kind: &'static str, param: &'static str, name: &'static str, value: &'static str) -> Self {
        ResourceConstant { kind, param, name, value: ConstantValue::Str(value) }
    }

    const fn int(kind: &'static str, param: &'static str, name: &'static str, value: i64) -> Self {
        ResourceConstant { kind, param, name, value: ConstantValue::Int(value) }
    }
}

/// All of them, by kind and parameter.
pub static RESOURCE_CONSTANTS: [ResourceConstant; 18] = [
    ResourceConstant::text("file", "state", "exists", "exists"),
    ResourceConstant::text("file", "state", "absent", "absent"),
    ResourceConstant::text("file", "state", "undefined", ""),
    ResourceConstant::text("firewalld", "state", "exists", "exists"),
    ResourceConstant::text("firewalld", "state", "absent", "absent"),
    ResourceConstant::text("firewalld", "state", "undefined", ""),
    ResourceConstant::text("net", "state", "up", "up"),
    ResourceConstant::text("net", "state", "down", "down"),
    ResourceConstant::text("net", "state", "undefined", ""),
    ResourceConstant::int("tar", "format", "unknown", 0),
    ResourceConstant::int("tar", "format", "ustar", 2),
    ResourceConstant::int("tar", "format", "pax", 4),
    ResourceConstant::int("tar", "format", "gnu", 8),
    ResourceConstant::int("gzip", "level", "no_compression", 0),
    ResourceConstant::int("gzip", "level", "best_speed", 1),
    ResourceConstant::int("gzip", "level", "best_compression", 9),
    ResourceConstant::int("gzip", "level", "default_compression", -1),
    ResourceConstant::int("gzip", "level", "huffman_only", -2),
];
