//! Resource kinds as data, and the graph of resources: validation, comparison, automatic edges, groups, output.
//!
//! Everything about a kind is declared once, in its [`ResourceKind`]; the compiler's checks, the runtime's conversions,
//! `mclc doc` and the algorithms on graphs read it. The crate knows nothing about mcl's syntax or functions, does no I/O,
//! and applies nothing: the providers are in `resources`.

mod autoedge;
mod autogroup;
mod claim;
mod compare;
mod constants;
mod contradiction;
mod exported;
mod field;
mod graph;
mod incremental;
mod insert;
mod kinds;
mod meta;
mod order;
mod output;
mod param_map;
mod params;
#[cfg(test)]
mod properties;
mod schema;
mod sensitive;
mod shared_meta;
mod similar_value;
mod stored;
mod structure;
mod validate;

pub use autoedge::{
    AutoEdgeError, AutoEdgeErrorKind, AutoEdgeHost, AutoEdgeInput, EdgeFinder, HostFact, Identity, Offers,
    PackageFiles, PrimaryGroups, add_autoedges,
};
pub use autogroup::{Groups, autogroup};
pub use claim::{Claim, Demand, normalized_path};
pub use compare::{Difference, difference, shown};
pub use constants::{ConstantValue, resource_constant};
pub use contradiction::EdgeRanks;
pub use exported::{ExportedError, decode_exported, encode_exported};
pub use field::{Check, Comparison, Field, Repr, SendField};
pub use graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, SendRecv, VertexId};
pub use incremental::{DeclaredEdge, EdgeChanges, GraphEdit, IncrementalGraph};
pub use insert::{DuplicateError, FlowError};
pub use kinds::{
    AuthorizedKey, AuthorizedKeyError, CRON_COLUMNS, CRONTAB_DIRECTORIES, IniParts, IniStyle, JsonEdit, JsonEditError,
    JsonStore, JsonStoreError, ModeChange, ModeChangeError, SIGNALS, SymbolicMode, SymbolicModeError, all_kinds,
    file_path, is_assignment, kind,
};
pub use meta::{META_FIELDS, META_NAMES, Meta, MetaError, MetaField, meta_struct_type};
pub use order::{Cycle, topological_order};
pub use output::{dot, json, json_text, sorted_text, text};
pub use param_map::ParamMap;
pub use params::Params;
pub use schema::{
    AutoEdges, GroupKey, Grouping, KindConstant, MergeDeclarations, Parent, ResourceKind, Reversal, ReversalError,
    Traits,
};
pub use sensitive::{
    MASK, declares_sensitive, has_sensitive_parameter, hides_same, holds_sensitive, is_private_mode, is_sensitive,
    masked, sends_sensitive, sensitive_texts,
};
pub use shared_meta::SharedMeta;
pub use stored::{StoredEdge, StoredError, StoredGraph, StoredResource, StoredValue};
pub use structure::keeps_structure;
pub use validate::{ValidationError, validate, validate_some_values, validate_value, values_of};
