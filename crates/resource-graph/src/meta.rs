//! Meta parameters (spec 05 §2, spec 06 §1.5).

/// A meta parameter as the language sees it.
#[derive(Clone, Copy, Debug)]
pub struct MetaField {
    /// The name, as in `Meta:retry`.
    pub name: &'static str,
    /// Its mcl type as type text.
    pub ty: &'static str,
    /// The default in mcl syntax, or in words.
    pub default: &'static str,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
}

const fn meta(name: &'static str, ty: &'static str, default: &'static str, doc: &'static str) -> MetaField {
    MetaField { name, ty, default, doc }
}

/// Every meta parameter, in the order of the struct that `Meta => struct{…}` needs.
pub static META_FIELDS: [MetaField; 18] = [
    meta("noop", "bool", "false", "Only say what is not as it should be; change nothing."),
    meta("retry", "int", "0", "How often a failed run is repeated; -1 for ever."),
    meta("retryreset", "bool", "false", "A successful run gives all retries back."),
    meta("delay", "int", "0", "Milliseconds to wait before a retry."),
    meta("timeout", "int", "0", "Milliseconds that one run may take; 0 for no limit."),
    meta("poll", "int", "0", "Seconds between checks instead of watching; 0 watches, a negative number checks once."),
    meta("limit", "float", "infinite", "How many events a second may start a run."),
    meta("burst", "int", "0", "How many events may start a run at once, when there is a limit."),
    meta("reset", "bool", "false", "Count retries anew when a new graph replaces the resource."),
    meta("sema", "[]str", "[]", "Semaphores to hold while running: `name` for one at a time, `name:N` for N."),
    meta("rewatch", "bool", "false", "Start again at the next graph if the resource has failed for good."),
    meta("realize", "bool", "false", "Accepted, and without effect."),
    meta("dollar", "bool", "false", "Allow a name that starts with `$`."),
    meta("hidden", "bool", "false", "Keep it in the graph for ordering and export, but do not run it."),
    meta("export", "[]str", "[]", "Hosts that may collect this resource; `*` for all."),
    meta("reverse", "bool", "false", "Undo the resource when it leaves the program."),
    meta("autoedge", "bool", "true", "Order it automatically with resources that it needs, or that need it."),
    meta("autogroup", "bool", "true", "Let it run together with resources like it."),
];

/// The type that the value of `Meta => …` must have, as type text.
pub const META_STRUCT_TYPE: &str = "struct{noop bool; retry int; retryreset bool; delay int; timeout int; poll int; \
     limit float; burst int; reset bool; sema []str; rewatch bool; realize bool; dollar bool; hidden bool; export []str; \
     reverse bool; autoedge bool; autogroup bool}";

/// The meta parameters of a resource, with their defaults.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub struct Meta {
    pub noop: bool,
    /// How often a failed run is repeated; -1 for ever.
    pub retry: i16,
    pub retryreset: bool,
    /// Milliseconds between retries.
    pub delay: u64,
    /// Milliseconds; 0 for none.
    pub timeout: u64,
    /// Seconds between checks instead of watching; 0 watches, -1 checks once.
    pub poll: i32,
    /// Events a second; infinite by default.
    pub limit: f64,
    pub burst: i64,
    pub reset: bool,
    pub sema: Vec<String>,
    pub rewatch: bool,
    pub realize: bool,
    pub dollar: bool,
    pub hidden: bool,
    pub export: Vec<String>,
    pub reverse: bool,
    pub autoedge: bool,
    pub autogroup: bool,
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            noop: false,
            retry: 0,
            retryreset: false,
            delay: 0,
            timeout: 0,
            poll: 0,
            limit: f64::INFINITY,
            burst: 0,
            reset: false,
            sema: Vec::new(),
            rewatch: false,
            realize: false,
            dollar: false,
            hidden: false,
            export: Vec::new(),
            reverse: false,
            autoedge: true,
            autogroup: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn struct_type_lists_every_field_in_order() {
        let fields: Vec<String> = META_FIELDS.iter().map(|f| format!("{} {}", f.name, f.ty)).collect();
        assert_eq!(META_STRUCT_TYPE, format!("struct{{{}}}", fields.join("; ")));
    }
}
