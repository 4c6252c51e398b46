//! The text forms of values and types.

use std::fmt;

use crate::types::Type;
use crate::value::Value;

impl fmt::Display for Type {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

/// Returns a value as interpolation shows it: strings as they are, `[1, two]`, `{k => v}`, undef as nothing.
#[must_use]
pub fn interpolate(_value: &Value) -> String {
    todo!()
}

/// Returns a value as it is written in a program, strings quoted: `['a', 1]`. Messages use it.
#[must_use]
pub fn source_form(_value: &Value) -> String {
    todo!()
}
