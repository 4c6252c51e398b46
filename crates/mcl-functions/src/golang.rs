//! The functions of Go's standard library (spec 03 §5.24): one file per Go package.
//!
//! Their errors are fatal and have Go's messages; for a Go panic, the message says so.

pub(crate) mod exec;
pub(crate) mod html;
pub(crate) mod math;
pub(crate) mod os;
pub(crate) mod path;
pub(crate) mod path_filepath;
pub(crate) mod rand;
pub(crate) mod runtime;
pub(crate) mod strconv;
pub(crate) mod strings;

use crate::table::{Outcome, fatal};

/// Returns the error for a Go panic.
fn panicked(message: impl std::fmt::Display) -> Outcome {
    fatal(format!("panic in process: {message}"))
}
