//! Finding and reading every file of a program, so that all later stages are pure.
//!
//! [`Input`] says what a path on the command line is, [`load`] reads it with everything it imports, directly or not. The
//! imports are found among the tokens, before anything is parsed, so files with syntax errors are loaded like others and
//! one run reports the errors of all of them. [`Loaded`] holds the sources, a [`Unit`] for each of them, and where each
//! import leads; an import that leads nowhere is a value ([`ImportTarget::Failed`]), which the scope stage turns into a
//! diagnostic where it meets the statement.
//!
//! The rules are those of spec 01 §6, with three differences. Nothing is downloaded here: remote modules lie in module
//! directories ([`load_remote`] tells `mclc get` where it has to put them). Every module directory on the way is searched, also behind a file without metadata. And an import may not
//! leave the tree it belongs to: that of a program is its directory, or the nearest one above it with a `metadata.yaml`,
//! that of a remote module is its own directory, also by way of symbolic links. (The program's own links may lead anywhere.)
//!
//! Some system modules have a part that is written in mcl. It is embedded in this crate ([`EMBEDDED_MODULES`]) and loaded
//! like a file, under the name `embeddedfs:///MODULE/main.mcl`, by the programs that import the module and no others.
//!
//! This crate knows nothing of syntax beyond tokens, of names beyond imports, or of what is native.

mod clean;
mod deploy;
mod embedded;
mod input;
mod load;
mod loaded;
mod metadata;
mod name;
mod remote;
mod scan;
#[cfg(test)]
mod tests;

pub use embedded::{EMBEDDED_MODULES, EmbeddedModule};
pub use input::{Input, InputError};
pub use load::{LoadError, Options, load, load_remote};
pub use loaded::{DeployFiles, Import, ImportFailure, ImportTarget, Loaded, Unit, UnitId};
pub use metadata::{Metadata, MetadataError};
pub use name::{ImportKind, ImportName, NameError};
pub use remote::{RemoteImport, RemotePlace, lies_below};
