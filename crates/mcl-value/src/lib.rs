//! Types and values of mcl as data (spec 03 §1): printing, comparing, hashing, ordering, type text, JSON.
//!
//! The lowest crate that all later ones share: the function library computes on [`Value`], resources carry them as
//! parameters, artifacts store them. It knows nothing of syntax, functions or resources.
//!
//! Values are immutable and cheap to clone. Their depth is bounded by the depth of their type, and type text deeper than
//! [`MAX_TYPE_DEPTH`] is refused, so the recursive walks here cannot exhaust the stack whatever data a program reads.

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
