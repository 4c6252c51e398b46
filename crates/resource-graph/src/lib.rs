//! Resource kinds as data, and the graph of resources: validation, comparison, automatic edges and groups, output.
//!
//! A resource kind's parameters are declared here once ([`Kind`]); the compiler's checks, the runtime's conversions,
//! `mclc doc` and completion all read that. The crate knows nothing of mcl's syntax or functions, does no I/O, and
//! applies nothing: implementations of kinds live in `runtime`.

mod graph;
mod kinds;
mod meta;
mod schema;

pub use graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, SendRecv, VertexId};
pub use kinds::{all_kinds, kind};
pub use meta::Meta;
pub use schema::{Field, Kind, Repr, SendField, Traits};
