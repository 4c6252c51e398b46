//! The registry of diagnostic codes: one file a range, one entry a code, with its title and its long explanation.
//!
//! Ranges: E01 lex, E02 parse, E03 init, E04 interpolate, E05 import, E06 scope, E07 unify, E08 graph, W lint, R
//! runtime (stream, interpret, engine, resources), P Puppet, M merge, A artifact.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A diagnostic code, e.g. `E0601`. Made only by the constants of this crate, so every code has an explanation.
#[derive(Clone, Copy, Debug)]
pub struct Code(&'static CodeInfo);

/// What is known of a code.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// `E0601`.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The text of `mclc explain`: what it means, a wrong program, the right one.
    pub explanation: &'static str,
}

impl Code {
    /// `E0601`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Everything known of the code.
    #[must_use]
    pub fn info(self) -> &'static CodeInfo {
        self.0
    }

    /// The code of that name (exact, upper case).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Code> {
        all_codes().find(|c| c.0.name == name)
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for Code {}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.0.name)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Code, D::Error> {
        let name = String::deserialize(d)?;
        Code::from_name(&name).ok_or_else(|| serde::de::Error::custom("unknown diagnostic code"))
    }
}

/// Declares the codes of one range. Each becomes an associated constant `Code::E0101` and an entry of `TABLE`.
macro_rules! codes {
    ($($name:ident: $title:literal, $explanation:literal;)*) => {
        #[allow(missing_docs)]
        impl $crate::Code {
            $(#[doc = $title] pub const $name: $crate::Code = $crate::Code::make(&$crate::CodeInfo {
                name: stringify!($name), title: $title, explanation: $explanation,
            });)*
        }
        pub(super) const TABLE: &[$crate::Code] = &[$($crate::Code::$name),*];
    };
}

impl Code {
    const fn make(info: &'static CodeInfo) -> Code {
        Code(info)
    }
}

mod artifact;
mod graph;
mod import;
mod init;
mod interpolate;
mod lex;
mod lint;
mod merge;
mod parse;
mod puppet;
mod runtime;
mod scope;
mod unify;

/// Every code, in the order of the ranges.
pub fn all_codes() -> impl Iterator<Item = Code> {
    [
        lex::TABLE,
        parse::TABLE,
        init::TABLE,
        interpolate::TABLE,
        import::TABLE,
        scope::TABLE,
        unify::TABLE,
        graph::TABLE,
        lint::TABLE,
        runtime::TABLE,
        puppet::TABLE,
        merge::TABLE,
        artifact::TABLE,
    ]
    .into_iter()
    .flatten()
    .copied()
}
