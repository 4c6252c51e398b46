//! Types and values of mcl as data (spec 03 §1): printing, comparing, hashing, ordering, type text, JSON.
//!
//! The lowest crate that all later ones share: the function library computes on [`Value`], resources carry them as
//! parameters, artifacts store them. It knows nothing of syntax, functions or resources.

mod types;
mod value;

pub use types::{Field, FuncType, Type};
pub use value::{FuncValue, MapValue, Str, StructValue, Value};
