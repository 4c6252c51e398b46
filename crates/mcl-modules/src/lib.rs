//! Finds and reads every file of a program, so that all later stages are pure.
//!
//! [`Input`] describes a path on the command line; [`load`] reads it and everything it imports, directly or indirectly.
//! Imports are found among the tokens, before parsing, so files with syntax errors are loaded like others and one run
//! reports the errors of all of them. [`Loaded`] holds the sources, a [`Unit`] for each of them, and the target of each
//! import. An import that cannot be loaded is a value ([`ImportTarget::Failed`]), which the scope stage turns into a
//! diagnostic for the statement.
//!
//! The rules are those of spec 01 §6, with three differences. Nothing is downloaded here: remote modules are found in
//! module directories ([`load_remote`] tells `mclc get` where to put them). Every module directory is searched, even after
//! a file without metadata. An import must stay inside its tree: that of a program is its directory, or the nearest one
//! above it with a `metadata.yaml`; that of a remote module is the module's directory, also after symbolic links are
//! followed. (The symbolic links of the program itself may point anywhere.)
//!
//! Some system modules have a part that is written in mcl. It is embedded in this crate ([`EMBEDDED_MODULES`]) and loaded
//! like a file, under the name `embeddedfs:///MODULE/main.mcl`, only by programs that import the module.
//!
//! This crate knows no syntax but tokens, no names but those of imports, and no built-in functions.

mod clean;
mod deploy;
mod disk;
mod embedded;
mod input;
mod load;
mod loaded;
mod metadata;
mod name;
mod open;
mod programs;
mod remote;
mod scan;
#[cfg(test)]
mod tests;

pub use disk::{Buffer, Buffers};
pub use embedded::{EMBEDDED_MODULES, EmbeddedModule};
pub use input::{Input, InputError};
pub use load::{LoadError, Options, load, load_remote};
pub use loaded::{DeployFiles, Import, ImportFailure, ImportTarget, Loaded, SourcePaths, Unit, UnitId};
pub use metadata::{Metadata, MetadataError};
pub use name::{ImportKind, ImportName, NameError};
pub use programs::{FoundProgram, load_programs_of};
pub use remote::{RemoteImport, RemoteLocation, is_below};
