//! Global variables, and variables of system modules (spec 03 §7). The constants of resources, `$const.res.…`, are
//! declared with their kinds.

use mcl_value::{Type, Value};

/// A predefined variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The module that must be imported, or "" for those that every scope has.
    pub module: &'static str,
    /// The name, without the module.
    pub name: &'static str,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
    /// The value.
    pub value: VariableValue,
}

/// What a [`Variable`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// The same text everywhere.
    Text(&'static str),
    /// The host name that the instance is configured with, known when it starts.
    Hostname,
}

impl Variable {
    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        Type::Str
    }

    /// Its value, given the host name.
    #[must_use]
    pub fn value(&self, hostname: &str) -> Value {
        match self.value {
            VariableValue::Text(text) => text.into(),
            VariableValue::Hostname => hostname.into(),
        }
    }
}

/// All predefined variables but the constants of resources.
pub static VARIABLES: [Variable; 5] = [
    Variable {
        module: "",
        name: "hostname",
        doc: "The host name that this instance is configured with.",
        value: VariableValue::Hostname,
    },
    Variable { module: "", name: "purpleidea", doc: "A greeting.", value: VariableValue::Text("hello world!") },
    Variable {
        module: "os",
        name: "family_archlinux",
        doc: "What `os.family` is on Arch Linux.",
        value: VariableValue::Text("archlinux"),
    },
    Variable {
        module: "os",
        name: "family_debian",
        doc: "What `os.family` is on Debian and its like.",
        value: VariableValue::Text("debian"),
    },
    Variable {
        module: "os",
        name: "family_redhat",
        doc: "What `os.family` is on Red Hat and its like.",
        value: VariableValue::Text("redhat"),
    },
];
