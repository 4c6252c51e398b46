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
pub static VARIABLES: &[Variable] = &[
    Variable {
        module: "",
        name: "hostname",
        doc: "The configured host name of this instance.",
        value: VariableValue::Hostname,
    },
    text("", "purpleidea", "A greeting.", "hello world!"),
    text("os", "family_archlinux", "The value of `os.family` on Arch Linux.", "archlinux"),
    text("os", "family_debian", "The value of `os.family` on Debian and its derivatives.", "debian"),
    text("os", "family_redhat", "The value of `os.family` on Red Hat and its derivatives.", "redhat"),
];

const fn text(module: &'static str, name: &'static str, doc: &'static str, value: &'static str) -> Variable {
    Variable { module, name, doc, value: VariableValue::Text(value) }
}
