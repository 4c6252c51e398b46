//! Go's `text/template` (spec 03 §9): the same output and the same error messages, byte for byte.
//!
//! `lexer` and `parser` turn a text into the tree of a [`Template`], which `execute` evaluates with [`Data`]. The data
//! have Go's types, because templates can distinguish them: `Int` and `Native` print alike, but only one of them is an
//! `int`. The caller provides the functions that are not built in, see [`Functions`].

mod builtins;
mod call_error;
mod data;
mod error;
mod evaluate;
mod execute;
mod executor;
mod format;
mod functions;
mod lexer;
mod parser;
mod template;
mod tree;

pub use data::{Data, GoType, ListData, MapData};
pub use error::{ExecuteError, ParseError};
pub use functions::{Functions, Limits};
pub use template::Template;
