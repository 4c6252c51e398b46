//! Puppet: catalog JSON -> relationship graph -> resource graph (spec 07).
//!
//! A catalog contains the resources of a node and their containment in classes. [`read_catalog`] reads it,
//! [`build_relationships`] builds the graph that Puppet's own agent would traverse, and [`translate`] turns each Puppet
//! resource into one of our kinds. The crate knows nothing about mcl, merging, or how a resource is applied.

mod automatic;
mod autorequire;
mod catalog;
mod catalog_json;
mod cycles;
mod json_object;
mod known_rules;
mod load;
mod lookup;
mod output;
mod reference;
mod relationships;
mod titles;
mod translate;
mod type_rules;
mod value;

pub use catalog::{Catalog, CatalogResource, ResourceIndex, ResourceRole, read_catalog};
pub use cycles::{find_cycles, shortest_path};
pub use load::load_catalog;
pub use output::{graph_yaml, relationships_dot, relationships_json, relationships_text};
pub use reference::Reference;
pub use relationships::{Edge, Label, Reason, Relationships, Vertex, VertexIndex, build_relationships};
pub use translate::{FallbackPolicy, Fidelity, Summary, TranslateOptions, Translation, translate};
pub use value::{Parameters, PuppetValue};
