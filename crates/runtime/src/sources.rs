//! Graph sources: an mcl program and a Puppet catalog as one stream of resource graphs (spec 07 §4.3).
//!
//! A machine runs an mcl program, a Puppet catalog, or both. Each source delivers a new graph when something changed there;
//! [`GraphMerger`] merges the two streams into one. A graph travels with its event. There is no flag that could be reset
//! between a check and a use, so whatever the interleaving, no event is lost or handled twice.

mod dedup;
mod environment;
mod fact_events;
mod fact_watch;
mod manifests;
mod merger;
mod program_graph;
mod puppet;
mod settle;
mod state;
mod thread;

pub use manifests::PuppetNode;
pub use merger::{GraphMerger, MergeOutcome, Source, SourceEvent};
pub use pp_environment::MachineFiles;
pub use puppet::{PuppetLoad, PuppetSource};
pub use thread::{GraphSource, ProgramLoader, SourceThread, spawn};
