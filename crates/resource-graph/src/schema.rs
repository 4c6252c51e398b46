//! What a resource kind is, as data (specs 05 and 08).

/// A resource kind. `file`, `http:server:file`.
#[derive(Debug)]
pub struct Kind {
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
}

/// A parameter of a kind.
#[derive(Debug)]
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
    /// The default in mcl syntax, for the documentation; empty for none.
    pub default: &'static str,
    /// One sentence for `mclc doc`.
    pub doc: &'static str,
}

/// The host's representation of a field; containers apply it to their innermost scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Repr {
    Plain,
    Int8,
    Int16,
    Int32,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float32,
}

/// A key that a kind sends.
#[derive(Debug)]
pub struct SendField {
    /// The key.
    pub name: &'static str,
    /// Its mcl type as type text, or `any`.
    pub ty: &'static str,
    /// Stored as a pointer on the host: accepted without a further check by send/recv (spec 02 §5.8).
    pub optional: bool,
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
