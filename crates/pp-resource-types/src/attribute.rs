//! The attributes of a type.

use serde::{Deserialize, Serialize};

use crate::values::{Pattern, Values};

/// An attribute of a native type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// What values it takes.
    pub values: Values,
    /// The feature that a provider must have for it.
    pub feature: Option<&'static str>,
    /// What it means, in a line.
    pub doc: &'static str,
}

/// What an attribute is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// It names the resource, or is part of the name.
    Name,
    /// It is part of the state of the resource, which is compared and changed.
    Property,
    /// It says how the resource is managed.
    Parameter,
}

/// Declares an attribute that names the resource.
pub(crate) const fn name(name: &'static str, doc: &'static str) -> Attribute {
    Attribute { name, role: Role::Name, values: Values::Any, feature: None, doc }
}

/// Declares a property.
pub(crate) const fn property(name: &'static str, doc: &'static str) -> Attribute {
    Attribute { name, role: Role::Property, values: Values::Any, feature: None, doc }
}

/// Declares a parameter.
pub(crate) const fn parameter(name: &'static str, doc: &'static str) -> Attribute {
    Attribute { name, role: Role::Parameter, values: Values::Any, feature: None, doc }
}

/// Declares the property `ensure` of a resource that is present or absent.
pub(crate) const fn ensure() -> Attribute {
    property("ensure", "Whether the resource exists.").words(&["present", "absent"])
}

/// Declares the parameter that chooses a provider.
pub(crate) const fn provider() -> Attribute {
    parameter("provider", "The backend that manages the resource; usually found by the facts of the node.")
}

impl Attribute {
    /// Limits the values to words; `true` and `false` are also words.
    pub(crate) const fn words(mut self, words: &'static [&'static str]) -> Attribute {
        self.values = Values::Words(words);
        self
    }

    /// Limits the values to words and texts of a form.
    pub(crate) const fn words_or(mut self, words: &'static [&'static str], pattern: Pattern) -> Attribute {
        self.values = Values::WordsOr(words, pattern);
        self
    }

    /// Limits the values to texts of a form.
    pub(crate) const fn matching(mut self, pattern: Pattern) -> Attribute {
        self.values = Values::Matching(pattern);
        self
    }

    /// Says that the attribute cannot be set.
    pub(crate) const fn read_only(mut self) -> Attribute {
        self.values = Values::ReadOnly;
        self
    }

    /// Limits the values to `true` and `false`.
    pub(crate) const fn boolean(self) -> Attribute {
        self.words(&["true", "false"])
    }

    /// Limits the values to `true`, `false`, `yes` and `no`.
    pub(crate) const fn yes_no(self) -> Attribute {
        self.words(&["true", "false", "yes", "no"])
    }

    /// Sets the feature that a provider must have.
    pub(crate) const fn needs(mut self, feature: &'static str) -> Attribute {
        self.feature = Some(feature);
        self
    }
}
