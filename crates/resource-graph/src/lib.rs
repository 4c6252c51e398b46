//! Resource kinds as data, and the graph of resources: validation, comparison, automatic edges and groups, output.
//!
//! A resource kind's parameters are declared here once ([`Kind`]); the compiler's checks, the runtime's conversions,
//! `mclc doc` and completion all read that. The crate knows nothing of mcl's syntax or functions, does no I/O, and
//! applies nothing: implementations of kinds live in `runtime`.

mod constants;
mod graph;
mod kinds;
mod meta;
mod schema;
mod syntax;
mod validate;

pub use constants::{ConstantValue, RESOURCE_CONSTANTS, ResourceConstant};
pub use graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, SendRecv, VertexId};
pub use kinds::{all_kinds, kind};
pub use meta::{META_FIELDS, META_STRUCT_TYPE, Meta, MetaField};
pub use schema::{Check, Field, Kind, Repr, SendField, Traits};
pub use validate::{Params, ValidationError, validate};
