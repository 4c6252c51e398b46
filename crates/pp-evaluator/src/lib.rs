//! Evaluates Puppet manifests to a catalog.
//!
//! [`compile`] takes an [`Environment`] (the trees of the main manifests), the [`Options`] of one node, and [`Services`] for
//! everything that is outside the manifests, and returns a [`Compilation`]. The same input gives the same output.
//!
//! This crate knows nothing of tokens, directories, or where facts come from.

mod abandoned;
mod autoload;
mod call;
mod class;
mod collector;
mod compilation;
mod data;
mod defaults;
mod define;
mod definitions;
mod environment;
mod epp;
mod erb;
mod erb_template;
mod evaluator;
mod expression;
mod fact_reads;
mod frame;
mod generators;
mod host;
mod lambda;
mod log;
mod lookup;
mod lookup_command;
mod node;
mod options;
mod overrides;
mod parameters;
mod position;
mod problem;
mod recovery;
mod relationship;
mod resource;
mod ruby;
mod ruby_call;
mod scope;
mod secrets;
mod services;
mod set_scope;
mod stack;
mod stop;
mod template_state;
mod trees;
mod type_name;
mod type_set;
mod variable;
mod weight;
mod write_back;

pub use autoload::name_of_manifest;
pub use compilation::{Compilation, compile};
pub use environment::{Environment, Origin, Source};
pub use fact_reads::FactReads;
pub use log::LogEntry;
pub use lookup_command::{Explained, Lookup, LookupError, LookupRequest, lookup};
pub use options::{Budget, Classification, Options};
pub use ruby::{Ruby, RubyFailure, RubyHost, RubySource};
pub use services::{Manifest, NoServices, RubyFact, RubyFunction, Services};
