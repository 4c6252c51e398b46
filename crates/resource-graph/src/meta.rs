//! Meta parameters (spec 05 §2, spec 06 §1.5). Each is one row of the table below: the type checker, the runtime's
//! conversions, comparison, output and `mclc doc meta` all read it, and the driver passes the names to the parser.

use std::sync::LazyLock;

use mcl_diagnostics::nearest;
use mcl_value::Value;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::ResourceKind;

/// A meta parameter as the language sees it.
#[derive(Clone, Copy)]
pub struct MetaField {
    /// The name, as in `Meta:retry`.
    pub name: &'static str,
    /// The mcl type in type syntax.
    pub ty: &'static str,
    /// The default in mcl syntax, or in words.
    pub default: &'static str,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
    get: fn(&Meta) -> &dyn MetaValue,
    set: fn(&mut Meta, &Value) -> Result<(), Mismatch>,
}

/// Defines [`Meta`], its defaults and [`META_FIELDS`]: `name: type = default, "default for people", "documentation"`.
macro_rules! meta_parameters {
    ($($name:ident: $ty:ty = $default:expr, $shown_default:literal, $doc:literal;)*) => {
        /// The meta parameters of a resource.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct Meta {
            $(#[doc = $doc] pub $name: $ty,)*
        }

        impl Default for Meta {
            fn default() -> Meta {
                Meta { $($name: $default,)* }
            }
        }

        /// Every meta parameter, in the order of the struct that `Meta => struct{…}` expects.
        pub static META_FIELDS: &[MetaField] = &[$(MetaField {
            name: stringify!($name),
            ty: <$ty as FromValue>::TYPE,
            default: $shown_default,
            doc: $doc,
            get: |meta| &meta.$name,
            set: |meta, value| {
                meta.$name = <$ty as FromValue>::from_value(value)?;
                Ok(())
            },
        },)*];

        /// The names of the meta parameters, in the order of [`META_FIELDS`].
        pub static META_NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

meta_parameters! {
    noop: bool = false, "false", "Report differences without changing anything.";
    retry: i16 = 0, "0", "The number of times a failed run is repeated; -1 repeats it forever.";
    retryreset: bool = false, "false", "Restore the full number of retries after a successful run.";
    delay: u64 = 0, "0", "Milliseconds to wait before a retry.";
    timeout: u64 = 0, "0", "Milliseconds after which a run is cancelled; 0 for no limit.";
    poll: i32 = 0, "0", "Seconds between checks in place of watching; 0 watches, a negative number checks once.";
    limit: f64 = f64::INFINITY, "infinite", "The number of events per second that may start a run.";
    burst: i64 = 0, "0", "The number of events that may start a run at once if there is a limit.";
    reset: bool = false, "false", "Restore the full number of retries when a new graph replaces the resource.";
    sema: Vec<String> = Vec::new(), "[]", "Semaphores to hold during a run: `name` admits one resource at a time, `name:N` admits N.";
    rewatch: bool = false, "false", "Start again with the next graph after a permanent failure.";
    realize: bool = false, "false", "Accepted for compatibility, without effect.";
    dollar: bool = false, "false", "Allow a name that starts with `$`.";
    hidden: bool = false, "false", "Keep the resource in the graph for ordering and export, but do not run it.";
    export: Vec<String> = Vec::new(), "[]", "Hosts that may collect the resource; `*` for all.";
    reverse: bool = false, "false", "Undo the resource when it is removed from the program.";
    autoedge: bool = true, "true", "Order the resource automatically with those that it needs and those that need it.";
    autogroup: bool = true, "true", "Allow the resource to run together with similar ones.";
}

/// Returns the type that the value of `Meta => …` must have, in type syntax.
#[must_use]
pub fn meta_struct_type() -> &'static str {
    static TYPE: LazyLock<String> = LazyLock::new(|| {
        let fields: Vec<String> = META_FIELDS.iter().map(|f| format!("{} {}", f.name, f.ty)).collect();
        format!("struct{{{}}}", fields.join("; "))
    });
    &TYPE
}

impl MetaField {
    /// Returns the value in `meta`; `None` if it is outside the range of mcl's integers.
    #[must_use]
    pub fn value(&self, meta: &Meta) -> Option<Value> {
        (self.get)(meta).value()
    }

    /// Returns the value in `meta` as JSON.
    pub(crate) fn json(&self, meta: &Meta) -> Json {
        (self.get)(meta).json()
    }

    /// Formats the value in `meta`; values with the same meaning are formatted alike.
    pub(crate) fn shown(&self, meta: &Meta) -> String {
        (self.get)(meta).shown()
    }
}

impl Meta {
    /// Sets a meta parameter of a resource, or all of them with a struct if the name is empty or `meta`. Case is ignored
    /// in names. Parameters for abilities that the kind lacks keep their default (spec 05 §2).
    ///
    /// # Errors
    /// The name is unknown, or the value has the wrong type or is out of range.
    pub fn set(&mut self, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), MetaError> {
        let name = name.to_ascii_lowercase();
        match value {
            Value::Struct(all) if name.is_empty() || name == "meta" => {
                all.fields.iter().try_for_each(|(name, value)| self.set_field(kind, name, value))
            }
            _ => self.set_field(kind, &name, value),
        }
    }

    fn set_field(&mut self, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), MetaError> {
        let field = META_FIELDS.iter().find(|f| f.name == name);
        let field = field.ok_or_else(|| MetaError::Unknown {
            name: name.to_owned(),
            similar: nearest(name, META_FIELDS.iter().map(|f| f.name)),
        })?;
        (field.set)(self, value).map_err(|mismatch| match mismatch {
            Mismatch::Type => MetaError::WrongType { name: field.name, expected: field.ty, found: value.kind() },
            Mismatch::Range { value, accepts } => MetaError::OutOfRange { name: field.name, value, accepts },
        })?;
        self.reverse &= kind.reversal.is_some();
        self.autoedge |= !kind.traits.autoedge;
        self.autogroup |= !kind.traits.autogroup;
        Ok(())
    }
}

/// Why a meta parameter cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetaError {
    /// No meta parameter has this name.
    Unknown {
        /// The name, in lowercase.
        name: String,
        /// The meta parameter with the most similar name.
        similar: Option<&'static str>,
    },
    /// The value has another type than the meta parameter.
    WrongType {
        /// The meta parameter.
        name: &'static str,
        /// Its type, in mcl's notation.
        expected: &'static str,
        /// The kind of the value's type.
        found: &'static str,
    },
    /// The value is outside the range of the meta parameter.
    OutOfRange {
        /// The meta parameter.
        name: &'static str,
        /// The value.
        value: i64,
        /// What the meta parameter accepts, as a noun phrase.
        accepts: &'static str,
    },
}

impl std::fmt::Display for MetaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MetaError::Unknown { name, similar } => {
                write!(f, "unknown meta parameter `Meta:{name}`")?;
                similar.map_or(Ok(()), |similar| write!(f, "; did you mean `Meta:{similar}`?"))
            }
            MetaError::WrongType { name, expected, found } => {
                write!(f, "expected a value of type {expected} for `Meta:{name}`, found one of kind {found}")
            }
            MetaError::OutOfRange { name, value, accepts } => {
                write!(f, "invalid value {value} for `Meta:{name}`: expected {accepts}")
            }
        }
    }
}

impl std::error::Error for MetaError {}

/// A value that a meta parameter does not accept.
enum Mismatch {
    Type,
    Range { value: i64, accepts: &'static str },
}

/// A value of a meta parameter.
trait MetaValue {
    fn value(&self) -> Option<Value>;
    fn json(&self) -> Json;
    fn shown(&self) -> String;
}

trait FromValue: MetaValue + Sized {
    /// The mcl type in type syntax.
    const TYPE: &'static str;

    fn from_value(value: &Value) -> Result<Self, Mismatch>;
}

impl MetaValue for bool {
    fn value(&self) -> Option<Value> {
        Some(Value::Bool(*self))
    }

    fn json(&self) -> Json {
        Json::from(*self)
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl FromValue for bool {
    const TYPE: &'static str = "bool";

    fn from_value(value: &Value) -> Result<bool, Mismatch> {
        value.as_bool().ok_or(Mismatch::Type)
    }
}

macro_rules! integers {
    ($($ty:ty: $accepts:expr;)*) => {
        $(impl MetaValue for $ty {
            fn value(&self) -> Option<Value> {
                i64::try_from(*self).ok().map(Value::Int)
            }

            fn json(&self) -> Json {
                Json::from(*self)
            }

            fn shown(&self) -> String {
                self.to_string()
            }
        }

        impl FromValue for $ty {
            const TYPE: &'static str = "int";

            fn from_value(value: &Value) -> Result<$ty, Mismatch> {
                let Value::Int(value) = *value else { return Err(Mismatch::Type) };
                <$ty>::try_from(value).map_err(|_| Mismatch::Range { value, accepts: $accepts })
            }
        })*
    };
}

integers! {
    i16: "-1 (retry forever) or a number of retries up to 32767";
    i32: "a number of seconds up to 2147483647";
    i64: "an integer";
    u64: "a non-negative number of milliseconds";
}

impl MetaValue for f64 {
    fn value(&self) -> Option<Value> {
        Some(Value::Float(*self))
    }

    fn json(&self) -> Json {
        Json::from(*self)
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl FromValue for f64 {
    const TYPE: &'static str = "float";

    fn from_value(value: &Value) -> Result<f64, Mismatch> {
        match value {
            Value::Float(value) => Ok(*value),
            _ => Err(Mismatch::Type),
        }
    }
}

/// A set of strings: their order has no meaning.
impl MetaValue for Vec<String> {
    fn value(&self) -> Option<Value> {
        Some(Value::list(self.iter().map(String::as_str)))
    }

    fn json(&self) -> Json {
        Json::from(self.clone())
    }

    fn shown(&self) -> String {
        let mut sorted: Vec<&String> = self.iter().collect();
        sorted.sort_unstable();
        format!("{sorted:?}")
    }
}

impl FromValue for Vec<String> {
    const TYPE: &'static str = "[]str";

    fn from_value(value: &Value) -> Result<Vec<String>, Mismatch> {
        let items = value.as_list().ok_or(Mismatch::Type)?;
        items
            .iter()
            .map(|item| match item {
                Value::Str(string) => Ok(string.to_text().into_owned()),
                _ => Err(Mismatch::Type),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::kind;

    #[test]
    fn struct_type_has_every_field_in_order() {
        expect![[r#"
            struct{noop bool
            retry int
            retryreset bool
            delay int
            timeout int
            poll int
            limit float
            burst int
            reset bool
            sema []str
            rewatch bool
            realize bool
            dollar bool
            hidden bool
            export []str
            reverse bool
            autoedge bool
            autogroup bool}"#]]
        .assert_eq(&meta_struct_type().replace("; ", "\n"));
    }

    #[track_caller]
    fn check_error(name: &str, value: impl Into<Value>, expected: Expect) {
        let error = Meta::default().set(kind("test").unwrap(), name, &value.into()).unwrap_err();
        expected.assert_eq(&error.to_string());
    }

    #[test]
    fn types_and_ranges_are_checked() {
        check_error(
            "retry",
            40_000,
            expect![
                "invalid value 40000 for `Meta:retry`: expected -1 (retry forever) or a number of retries up to 32767"
            ],
        );
        check_error(
            "delay",
            -1,
            expect!["invalid value -1 for `Meta:delay`: expected a non-negative number of milliseconds"],
        );
        check_error(
            "timeout",
            -1,
            expect!["invalid value -1 for `Meta:timeout`: expected a non-negative number of milliseconds"],
        );
        check_error(
            "poll",
            1_i64 << 40,
            expect!["invalid value 1099511627776 for `Meta:poll`: expected a number of seconds up to 2147483647"],
        );
        check_error("retyr", 1, expect!["unknown meta parameter `Meta:retyr`; did you mean `Meta:retry`?"]);
        check_error("noop", 1, expect!["expected a value of type bool for `Meta:noop`, found one of kind int"]);
        check_error(
            "sema",
            Value::list([1]),
            expect!["expected a value of type []str for `Meta:sema`, found one of kind list"],
        );
    }

    #[test]
    fn names_ignore_case_and_a_struct_sets_all() {
        let mut meta = Meta::default();
        let test = kind("test").unwrap();
        meta.set(test, "NoOp", &true.into()).unwrap();
        meta.set(test, "", &Value::strukt([("retry", 3.into()), ("sema", Value::list(["x"]))])).unwrap();
        assert!(meta.noop);
        assert_eq!((meta.retry, meta.sema), (3, vec!["x".to_owned()]));
    }

    #[test]
    fn abilities_that_a_kind_lacks_are_not_enabled() {
        let mut meta = Meta::default();
        meta.set(kind("test").unwrap(), "reverse", &true.into()).unwrap();
        meta.set(kind("test").unwrap(), "autoedge", &false.into()).unwrap();
        assert_eq!(meta, Meta::default());
        meta.set(kind("file").unwrap(), "reverse", &true.into()).unwrap();
        assert!(meta.reverse);
    }

    #[test]
    fn every_value_survives_a_round_trip() {
        let default = Meta::default();
        for field in META_FIELDS {
            let mut meta = Meta::default();
            meta.set(kind("file").unwrap(), field.name, &field.value(&default).unwrap()).unwrap();
            assert_eq!(field.shown(&meta), field.shown(&default), "{}", field.name);
        }
    }
}
