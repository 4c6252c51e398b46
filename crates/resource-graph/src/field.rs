//! The parameters of a resource kind and the keys that it sends (spec 05 §3.3, §3.4).

use crate::Params;

/// The text that stands for the resource's name where `mclc doc` shows a default.
const NAME_DEFAULT: &str = "the name";

/// A parameter of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in mcl.
    pub name: &'static str,
    /// The mcl type in type syntax (`str`, `[]str`, `map{str: int}`, `struct{a int; b str}`, `func(int) str`); `any` for
    /// an untyped field (spec 02 §5.8).
    pub ty: &'static str,
    /// How the host stores the value; determines the range checks (spec 05 §3.3).
    pub repr: Repr,
    /// Whether "not set" differs from the zero value.
    pub optional: bool,
    /// Whether every resource of the kind must set it.
    pub required: bool,
    /// The default in mcl syntax, for the documentation; empty if there is none.
    pub default: &'static str,
    /// Whether the value is a secret, which is masked wherever it is shown to people.
    pub sensitive: bool,
    /// The condition on a value that is set.
    pub check: Check,
    /// How the values of two resources are compared.
    pub comparison: Comparison,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
}

impl Field {
    /// Creates a parameter without a default, range or condition.
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
            comparison: Comparison::Value,
            doc,
        }
    }

    /// Makes "not set" differ from the zero value.
    #[must_use]
    pub const fn optional(mut self) -> Field {
        self.optional = true;
        self
    }

    /// Makes the parameter required.
    #[must_use]
    pub const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    /// Makes the value a secret.
    #[must_use]
    pub const fn sensitive(mut self) -> Field {
        self.sensitive = true;
        self
    }

    /// Makes the resource's name the default.
    #[must_use]
    pub(crate) const fn default_name(self) -> Field {
        self.default(NAME_DEFAULT)
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

    /// Allows only these strings.
    #[must_use]
    pub const fn one_of(self, values: &'static [&'static str]) -> Field {
        self.check(Check::OneOf(values))
    }

    /// Sets how the values of two resources are compared.
    #[must_use]
    pub const fn compared(mut self, comparison: Comparison) -> Field {
        self.comparison = comparison;
        self
    }

    /// Returns whether the resource's name replaces a value that is not set or empty.
    #[must_use]
    pub(crate) fn defaults_to_name(&self) -> bool {
        self.default == NAME_DEFAULT
    }

    /// Returns the default if it is a string literal.
    pub(crate) fn default_string(&self) -> Option<&'static str> {
        self.default.strip_prefix('"')?.strip_suffix('"')
    }

    /// Returns the integers that the host can store.
    #[must_use]
    pub fn int_range(&self) -> std::ops::RangeInclusive<i64> {
        match self.repr {
            Repr::Plain | Repr::Int64 | Repr::Float32 => i64::MIN..=i64::MAX,
            Repr::Int8 => i8::MIN.into()..=i8::MAX.into(),
            Repr::Int16 => i16::MIN.into()..=i16::MAX.into(),
            Repr::Int32 => i32::MIN.into()..=i32::MAX.into(),
            Repr::Uint | Repr::Uint64 => 0..=i64::MAX,
            Repr::Uint8 => 0..=u8::MAX.into(),
            Repr::Uint16 => 0..=u16::MAX.into(),
            Repr::Uint32 => 0..=u32::MAX.into(),
        }
    }

    /// Returns the type as the host stores it, for messages.
    pub(crate) fn host_type(&self) -> String {
        match self.repr {
            Repr::Plain => self.ty.to_owned(),
            repr => format!("{repr:?}").to_ascii_lowercase(),
        }
    }
}

/// A condition on the value of one parameter. Lists are checked element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// No condition.
    Any,
    /// One of these strings; `""` in the list means "unmanaged".
    OneOf(&'static [&'static str]),
    /// A string that is not empty.
    NotEmpty,
    /// A path that starts with `/`, or an empty string.
    AbsolutePath,
    /// A path that starts with `/` and does not end with it, or an empty string.
    AbsoluteFile,
    /// A path that starts and ends with `/`, or an empty string.
    AbsoluteDirectory,
}

/// How the values of one parameter are compared when two resources are (spec 05 §4.2).
#[derive(Clone, Copy, Debug)]
pub enum Comparison {
    /// By value; a parameter that is not set equals its default unless it is optional.
    Value,
    /// As lists whose order has no meaning.
    Unordered,
    /// Not at all: another parameter determines the result.
    Ignored,
    /// By this relation of the two resources.
    Custom(fn(&Params<'_>, &Params<'_>) -> bool),
    /// By a string computed from the resource, which differences show in place of the parameter's value.
    Derived(for<'a> fn(&Params<'a>) -> std::borrow::Cow<'a, str>),
}

/// The host's representation of a field; containers apply it to their innermost scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the types of mgmt's implementation language")]
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
    /// The mcl type in type syntax, or `any`.
    pub ty: &'static str,
    /// Whether the host stores it as a pointer: send/recv then accepts it without a further check (spec 02 §5.8).
    pub optional: bool,
    /// Whether the value is a secret, which is masked wherever it is shown to people.
    pub sensitive: bool,
}

impl SendField {
    /// Creates a key that may be unset.
    #[must_use]
    pub const fn optional(name: &'static str, ty: &'static str) -> SendField {
        SendField { name, ty, optional: true, sensitive: false }
    }

    /// Makes the value a secret.
    #[must_use]
    pub const fn sensitive(mut self) -> SendField {
        self.sensitive = true;
        self
    }
}
