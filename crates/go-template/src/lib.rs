//! Go's `text/template` (spec 03 §9): the output and the errors are Go's, byte for byte.
//!
//! A [`Template`] is read by `lexer` and `parser` to a `tree`, over which `execute` walks with the [`Data`]. Data have Go's
//! types, because templates can tell them apart: `Int` prints like `Native`, but only one of them is an `int`. What a
//! template can call besides the built-in functions comes from outside, see [`Functions`].

mod builtins;
mod data;
mod execute;
mod format;
mod lexer;
mod parser;
mod template;
mod tree;

pub use data::{Data, GoType, ListData, MapData};
pub use template::{ExecuteError, Functions, Limits, ParseError, Template};
