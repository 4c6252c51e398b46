//! Resource kinds as data, and the graph of resources: validation, comparison, automatic edges and groups, output.
//!
//! A resource kind's parameters are declared here once ([`ResourceKind`]); the compiler's checks, the runtime's conversions,
//! `mclc doc` and completion all read that. The crate knows nothing of mcl's syntax or functions, does no I/O, and
//! applies nothing: implementations of kinds live in `resources`.

mod authorized_key;
mod autoedge;
mod autogroup;
mod compare;
mod constants;
mod exported;
mod graph;
mod insert;
mod json_edit;
mod kinds;
mod meta;
mod meta_values;
mod mode;
mod order;
mod output;
mod param_map;
#[cfg(test)]
mod properties;
mod schema;
mod stored;
mod sync;
mod syntax;
mod validate;

pub use authorized_key::AuthorizedKey;
pub use autoedge::{AutoEdgeError, AutoEdgeHost, PackageFiles, add_autoedges};
pub use autogroup::{Groups, autogroup};
pub use compare::{Difference, MASK, difference, is_sensitive, shown};
pub use constants::{ConstantValue, RESOURCE_CONSTANTS, ResourceConstant};
pub use exported::{decode_exported, encode_exported};
pub use graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, SendRecv, VertexId};
pub use insert::{DuplicateError, FlowError, check_flow};
pub use json_edit::{JsonEdit, JsonStore};
pub use kinds::{SIGNALS, all_kinds, file_path, kind};
pub use meta::{META_FIELDS, META_STRUCT_TYPE, Meta, MetaField};
pub use meta_values::MetaError;
pub use mode::SymbolicMode;
pub use order::{Cycle, topological_order};
pub use output::{dot, json, json_text, text};
pub use param_map::ParamMap;
pub use schema::{Check, Field, Repr, ResourceKind, SendField, Traits};
pub use stored::{StoredError, StoredGraph, StoredResource, StoredValue};
pub use sync::{GraphSync, sync, sync_by};
pub use validate::{Params, ValidationError, validate};
