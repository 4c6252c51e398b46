//! Go's standard library where mcl's results depend on it (spec 03 §5.24), byte for byte, error texts included.
//!
//! A module has the name of its Go package and follows that package's conventions: strings are bytes, an invalid byte is
//! the rune U+FFFD, and an error is its text. Nothing here knows mcl.

mod error;
pub mod html;
pub mod json;
pub mod math;
pub mod os;
pub mod path;
pub mod regexp;
pub mod strconv;
pub mod strings;
pub mod time;
pub mod unicode;

pub use error::Error;
