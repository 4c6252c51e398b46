//! Access to files that users cannot mislead and crashes cannot corrupt.
//!
//! A process with the rights of root changes files in directories of users who are not friends, at the same time as other
//! threads and programs, and may be killed between any two system calls. Everything that must hold then is implemented here,
//! once:
//!
//! * [`Files`] resolves paths with descriptors and decides which symbolic links to follow (`resolve`, `trust`);
//! * one thread at a time changes a file ([`Target`], `locks`), and an edit is decided anew if another program was faster
//!   ([`Files::edit`]);
//! * content is replaced by renaming a temporary file, and what a killed process left is removed by the next one
//!   (`temporaries`, `recovery`);
//! * what a change replaces or removes is kept, on request ([`Backups`]), and [restored](Files::restore).
//!
//! [`FileSystem`] is the interface below: the [`Kernel`] of the machine, an overlay that keeps changes in memory, or
//! a simulated kernel.

mod append;
mod backup;
mod directories;
mod displace;
mod edit;
mod error;
mod files;
mod kernel;
mod locks;
mod open_file;
mod overlay;
mod overwrite;
mod recovery;
mod replace_error;
mod resolve;
mod restore;
#[cfg(any(test, feature = "simulated"))]
pub mod simulated;
mod system;
mod target;
mod temporaries;
#[cfg(test)]
mod tests;
mod tree;
mod trust;

pub use append::AppendFile;
pub use backup::{Action, Backups, Digest, Entry, Limits, Object, Record, Saved, StoredPath};
pub use edit::{Decision, EditError};
pub use error::Error;
pub use files::{Files, Found};
pub use kernel::Kernel;
pub use open_file::{MAX_CONTENT_BYTES, OpenFile};
pub use overlay::Overlay;
pub use resolve::LastLink;
pub use restore::Restored;
pub use system::{Access, FileKind, FileSystem, Handle, Rename, Stat, Timestamp};
pub use target::{Commit, Expected, NewAttributes, Target, Temporary};
pub use temporaries::is_temporary_name;
