//! The catalog of the Puppet language while it is compiled, and as JSON (spec 07 §1, §5.7, §5.8, §5.17).
//!
//! The evaluator adds resources, overrides, relationships, collectors and references to realise while it runs;
//! [`Catalog::collect`] and [`Catalog::take_pending`] are the generators that it repeats until nothing changes;
//! [`Catalog::finish`] applies what was recorded and checks the result, which [`Catalog::to_json`] and
//! [`Catalog::write_json`] show.
//!
//! This crate knows nothing of syntax trees and scopes: where a value comes from is a [`Location`], and who may override it a
//! [`SourceId`].

mod add;
mod apply_overrides;
mod catalog;
mod collect;
mod collector;
mod defaults;
mod diagnostic;
mod error;
mod finish;
mod id;
mod index;
mod inherit;
mod json;
mod location;
mod overrides;
mod parameter;
mod query;
mod reference;
mod relate;
mod relationship;
mod resource;
mod source;
mod table;
mod tags;
mod validate;
mod values;

pub use add::NewResource;
pub use catalog::{Catalog, Options};
pub use collector::{Collected, Collector, CollectorForm};
pub use error::{CatalogError, CatalogWarning, ErrorKind};
pub use id::{CollectorId, RelationshipId, ResourceId, SourceId};
pub use location::Location;
pub use overrides::Override;
pub use parameter::{Parameter, Parameters};
pub use query::{Comparison, Query};
pub use reference::{InvalidReference, Reference, capitalize};
pub use relationship::{Operand, Relationship, RelationshipKind};
pub use resource::{ClassForm, Resource, ResourceKind};
pub use source::{Source, SourceKind};
pub use tags::TagId;

#[cfg(test)]
mod tests;
