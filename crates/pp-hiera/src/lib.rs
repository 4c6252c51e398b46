//! Hiera 5: values of keys from a hierarchy of files.
//!
//! [`Hiera`] holds what a compilation has read, and answers [`Hiera::lookup`], with an [`Explanation`] on request. The layers are
//! the global one, the environment and the module of the key; each has a `hiera.yaml`, whose levels name files, after
//! interpolation of variables. Values of several levels are merged by a [`Merge`]. Two traits connect it with the world: files
//! come from [`DataFiles`]; variables, functions and types from a [`Host`].
//!
//! A lookup resolves the paths of all levels anew, because they may depend on variables of the calling scope, but each file is
//! read and parsed once.
//!
//! This crate opens no file, and knows nothing of trees, scopes or catalogs.

mod backend;
mod config;
mod config_file;
mod config_v4;
mod containment;
mod data;
mod data_locations;
mod deep_merge;
mod explain;
mod explain_data;
mod eyaml;
mod files;
mod glob;
mod hierarchy;
mod hocon;
mod host;
mod interpolate;
mod json;
mod key;
mod lookup;
mod lookup_options;
mod merge;
mod options;
mod parse;
mod problem;
mod read_data;
mod schema;
mod session;
mod template;
mod yaml;
mod yaml_scalar;
mod yaml_writer;

pub use data_locations::data_locations;
pub use explain::Explanation;
pub use files::{ConfigFile, DataFiles, Entry, KeySource, Layer, NoData};
pub use host::{BackendCall, Host};
pub use merge::Merge;
pub use parse::{parse_hocon, parse_plain_yaml, parse_yaml};
pub use session::Hiera;
pub use yaml_writer::{YamlLayout, to_yaml};
