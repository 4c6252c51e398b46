//! The files of a Puppet environment and the facts of a node: everything that a compilation reads from disk.
//!
//! [`find`] lists the main manifests and the modules that a path stands for, [`load`] reads and parses the manifests in parallel
//! (`load_all` those of the modules, too; else they are read when they are needed), [`Facts`] are
//! the facts of a node, from a file or from the machine itself, and [`node_options`] turns them into the options of the
//! evaluator. [`DiskServices`] answers the evaluator while it runs.
//!
//! Reading is bounded: a file has at most [`MAX_FILE_BYTES`], a directory at most [`MAX_FILES`] manifests. Nothing but regular
//! files is opened for reading, and symbolic links to directories are not followed.
//!
//! [`compile`] does all of it.
//!
//! This crate prints nothing.

mod autoload;
mod code_paths;
mod compile;
mod data;
mod dependencies;
mod error;
mod fact_changes;
mod facts;
mod find;
mod host_facts;
mod limits;
mod load;
mod look_up;
mod machine_files;
mod metadata;
mod module_scope;
mod node;
mod read;
mod ruby_facts;
mod ruby_functions;
mod ruby_types;
mod services;
mod settings;
mod stored;

pub use autoload::autoload_name;
pub use code_paths::CodePaths;
pub use compile::{Compiled, compile, compile_path, is_environment_path, load_path, resource_types, with_location};
pub use dependencies::{absent_modules, check_dependencies_in};
pub use error::EnvironmentError;
pub use fact_changes::{
    Measurements, fact_directories, fact_files, facts_differ, is_read, reads_kernel_state, reads_measurements,
};
pub use facts::Facts;
pub use find::{Input, Layout, Module, files_beside, find, is_puppet_path, is_standard_input, puppet_files};
pub use host_facts::{FactModules, HostFacts};
pub use limits::{MAX_FILE_BYTES, MAX_FILES};
pub use load::{Loaded, load, parse_files, parse_standard_input, parse_text, read_code};
pub use look_up::{LookedUp, look_up};
pub use machine_files::MachineFiles;
pub use module_scope::{EnvironmentModules, ModuleScope, ModuleScopes, names_of_manifests};
pub use node::node_options;
pub use pp_facts::{Change, Executables, Printed, Reader};

pub use ruby_types::RubyTypes;
pub use services::DiskServices;
pub use stored::StoredEnvironment;
