//! Evaluates Puppet manifests to a catalog.
//!
//! [`compile`] takes an [`Environment`] (the trees of all manifests), the [`Options`] of one node, and [`Services`] for
//! everything that is outside the manifests, and returns a [`Compilation`]. The same input gives the same output.
//!
//! This crate knows nothing of tokens, directories, or where facts come from.

mod compilation;
mod environment;
mod options;
mod services;

pub use compilation::{Compilation, LogEntry, compile};
pub use environment::{Environment, Origin, Source};
pub use options::{Budget, Options};
pub use services::{LookupRequest, NoServices, Services};
