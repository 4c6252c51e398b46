//! Reading JSON as values of a type (spec 03 §5.4).
//!
//! The text is first scanned into a flat list of tokens, which needs no recursion however deep it is nested; then it is
//! read along the type, whose depth is bounded.

mod decode;
mod scan;

pub(crate) use decode::decode;
pub(crate) use scan::parse;

/// The first value of a JSON text.
pub(crate) struct Document {
    tokens: Vec<Token>,
}

/// A value, or one of the parts of an array or object, which follow it.
enum Token {
    Null,
    Bool(bool),
    /// Its text.
    Number(String),
    String(String),
    /// An array or object, with the index of the token after its last one.
    Array {
        end: usize,
    },
    Object {
        end: usize,
    },
}
