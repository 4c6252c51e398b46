//! Package `strconv`: conversion of numbers, and quoting.

mod float;
mod number;
mod quote;
mod unquote;

pub use float::{format_float, format_float_short};
pub use number::{NumberError, format_int, parse_float, parse_int};
pub use quote::{Quoting, is_print, quote, quote_with};
pub use unquote::{can_backquote, quoted_prefix, unquote};

/// Parses `1 t T TRUE true True` or `0 f F FALSE false False`, as `ParseBool` does.
#[must_use]
pub fn parse_bool(text: &[u8]) -> Option<bool> {
    match text {
        b"1" | b"t" | b"T" | b"TRUE" | b"true" | b"True" => Some(true),
        b"0" | b"f" | b"F" | b"FALSE" | b"false" | b"False" => Some(false),
        _ => None,
    }
}
