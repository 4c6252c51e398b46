//! The hand-over between an mcl graph and a Puppet graph (spec 07 §4).
//!
//! A team leaves Puppet one module at a time. Where the two worlds meet, mcl declares `noop "puppet_NAME" {}` and Puppet
//! an empty `class mgmt_NAME {}`; [`merge`] makes both one vertex `noop[NAME]` that carries all edges of either side, so
//! order and refreshes flow across. Everything else of both graphs is kept as it is.
//!
//! The merge is a pure function of two immutable graphs: it keeps nothing, so a new event of either side merges anew. It
//! knows nothing of where a graph came from; for messages each resource carries its span or origin.

mod handover;
mod merge;

pub use merge::{Merged, Options, Unmatched, merge};
