//! Go's standard library, as far as results of mcl depend on it (spec 03 §5.24): the same bytes, and the same error
//! messages.
//!
//! Modules have the names of Go's packages and follow their conventions: strings are bytes, an invalid byte is the rune
//! U+FFFD, and an error is a message. The crate does no I/O and does not know mcl.

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
