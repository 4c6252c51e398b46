//! Predefined variables of the global scope and of system modules (spec 03 §7). The constants `$const.res.…` are
//! declared with the resource kinds.

use mcl_value::{Type, Value};

/// A predefined variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The module that must be imported; "" for variables of the global scope.
    pub module: &'static str,
    /// The name, without the module.
    pub name: &'static str,
    /// The description that `mclc doc` prints: one sentence.
    pub doc: &'static str,
    /// The value.
    pub value: VariableValue,
}

/// The value of a [`Variable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// The same string everywhere.
    Text(&'static str),
    /// The configured host name of the instance.
    Hostname,
}

impl Variable {
    /// Returns the type.
    #[must_use]
    pub fn ty(&self) -> Type {
        Type::Str
    }

    /// Returns the value for a host name.
    #[must_use]
    pub fn value(&self, hostname: &str) -> Value {
        match self.value {
            VariableValue::Text(text) => text.into(),
            VariableValue::Hostname => hostname.into(),
        }
    }
}

/// All predefined variables except the constants of resource kinds.
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
