//! Merging an mcl graph and a Puppet graph (spec 07 §4).
//!
//! A team migrates from Puppet one module at a time. The two graphs are connected at *merge points*: mcl declares
//! `noop "puppet_NAME" {}` and Puppet an empty `class mgmt_NAME {}`. [`merge`] makes both one vertex `noop[NAME]` with all
//! edges of either side, so that order and refreshes cross between the sides. Everything else is kept unchanged.
//!
//! The merge is a pure function of two immutable graphs. It keeps no state, and it does not know where a graph came from:
//! messages use the span or origin of each resource.

mod merge;
mod merge_point;
mod options;

pub use merge::{Merged, merge};
pub use merge_point::is_merge_point;
pub use options::{MergeOptions, UnmatchedPolicy};
