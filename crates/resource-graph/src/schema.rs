//! What a resource kind is, as data (specs 05 and 08).

use crate::validate::{Params, ValidationError};

/// A resource kind. `file`, `http:server:file`.
#[derive(Debug)]
pub struct ResourceKind {
    /// The name as written in mcl.
    pub name: &'static str,
    /// One paragraph for `mclc doc`.
    pub doc: &'static str,
    /// The parameters in declaration order.
    pub fields: &'static [Field],
    /// What other resources may receive from it; empty for kinds that do not send.
    pub sends: &'static [SendField],
    /// What the kind can do.
    pub traits: Traits,
    /// The kind's own conditions on its parameters, beyond what [`Field::check`] says. Pure: it never looks at the host.
    pub validate: fn(&Params<'_>) -> Result<(), ValidationError>,
}

impl ResourceKind {
    /// The parameter of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// The send key of that name.
    #[must_use]
    pub fn send(&self, name: &str) -> Option<&'static SendField> {
        self.sends.iter().find(|f| f.name == name)
    }

    /// Whether programs may write resources of this kind; `_panic` exists only for `panic(…)`.
    #[must_use]
    pub fn is_public(&self) -> bool {
        !self.name.starts_with('_')
    }
}

const THE_NAME: &str = "the name";

/// A parameter of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in mcl.
    pub name: &'static str,
    /// Its mcl type as type text (`str`, `[]str`, `map{str: int}`, `struct{a int; b str}`, `func(int) str`); `any` for an
    /// untyped field (spec 02 §5.8).
    pub ty: &'static str,
    /// How the host stores it: decides range checks (spec 05 §3.3).
    pub repr: Repr,
    /// Whether "not given" differs from the zero value (spec 05 §0: `str?`).
    pub optional: bool,
    /// Whether the kind cannot do without it.
    pub required: bool,
    /// The default in mcl syntax, for the documentation; empty for none.
    pub default: &'static str,
    /// Whether its value is a secret, and masked wherever it is shown to people.
    pub sensitive: bool,
    /// What its value must satisfy, when it is given.
    pub check: Check,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
}

impl Field {
    /// A parameter with no default, range or condition.
    #[must_use]
    pub const fn new(name: &'static str, ty: &'static str, doc: &'static str) -> Field {
        Field {
            name,
            ty,
            repr: Repr::Plain,
            optional: false,
            required: false,
            sensitive: false,
            default: "",
            check: Check::Any,
            doc,
        }
    }

    /// Makes "not given" differ from the zero value.
    #[must_use]
    pub const fn optional(mut self) -> Field {
        self.optional = true;
        self
    }

    /// Makes it required.
    #[must_use]
    pub const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    /// Makes its value a secret.
    #[must_use]
    pub const fn sensitive(mut self) -> Field {
        self.sensitive = true;
        self
    }

    /// Makes the resource's name the default.
    #[must_use]
    pub const fn default_name(self) -> Field {
        self.default(THE_NAME)
    }

    /// Whether the resource's name stands in when it is not set, or empty.
    #[must_use]
    pub fn defaults_to_name(&self) -> bool {
        self.default == THE_NAME
    }

    /// Sets the documented default, in mcl syntax.
    #[must_use]
    pub const fn default(mut self, default: &'static str) -> Field {
        self.default = default;
        self
    }

    /// Sets the host's representation.
    #[must_use]
    pub const fn repr(mut self, repr: Repr) -> Field {
        self.repr = repr;
        self
    }

    /// Sets the condition.
    #[must_use]
    pub const fn check(mut self, check: Check) -> Field {
        self.check = check;
        self
    }

    /// Allows only these texts.
    #[must_use]
    pub const fn one_of(self, values: &'static [&'static str]) -> Field {
        self.check(Check::OneOf(values))
    }
}

/// A condition on the value of one parameter that was given. Lists are checked element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// No condition.
    Any,
    /// One of these texts; `""` in the list stands for "unmanaged".
    OneOf(&'static [&'static str]),
    /// A text that is not empty.
    NotEmpty,
    /// A path that starts with `/`, or an empty text.
    AbsolutePath,
    /// A path that starts with `/` and does not end with it, or an empty text.
    AbsoluteFile,
    /// A path that starts and ends with `/`, or an empty text.
    AbsoluteDirectory,
}

/// The host's representation of a field; containers apply it to their innermost scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Repr {
    Plain,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float32,
}

/// A key that a kind sends.
#[derive(Clone, Copy, Debug)]
pub struct SendField {
    /// The key.
    pub name: &'static str,
    /// Its mcl type as type text, or `any`.
    pub ty: &'static str,
    /// Stored as a pointer on the host: accepted without a further check by send/recv (spec 02 §5.8).
    pub optional: bool,
}

impl SendField {
    /// A key that may be unset.
    #[must_use]
    pub const fn optional(name: &'static str, ty: &'static str) -> SendField {
        SendField { name, ty, optional: true }
    }
}

/// What a kind can do (spec 05 §1.7, spec 08 §0.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Traits {
    pub autoedge: bool,
    pub autogroup: bool,
    pub refresh: bool,
    pub receive: bool,
    pub reverse: bool,
    pub compatible: bool,
}

impl Traits {
    /// Nothing.
    pub const NONE: Traits =
        Traits { autoedge: false, autogroup: false, refresh: false, receive: false, reverse: false, compatible: false };
}
