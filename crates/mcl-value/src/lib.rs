//! Types and values of mcl as data (spec 03 §1): display, comparison, hashing, ordering, type syntax, JSON.
//!
//! The lowest crate of mcl: functions compute on [`Value`]s, resources carry them as parameters, and artifacts store
//! them. It does not know syntax, functions or resources.
//!
//! Values are immutable and cheap to clone. A value is at most as deep as its type, and types deeper than
//! [`MAX_TYPE_DEPTH`] cannot be parsed, so recursion over values cannot exhaust the stack whatever data a program
//! reads.

mod display;
mod json;
mod map;
mod order;
mod type_text;
mod types;
mod value;

pub use json::JsonError;
pub use map::MapValue;
pub use type_text::MAX_TYPE_DEPTH;
pub use types::{Field, FuncType, Type};
pub use value::{FuncValue, Str, StructValue, Value};
