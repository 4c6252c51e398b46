//! What the agent keeps under its prefix (spec 06 §8): locked, versioned, atomic, unreadable for others.
//!
//! ```text
//! PREFIX/engine/            0700
//!     lock                  held by the running agent
//!     version               the layout's version
//!     refresh               notifications that are not delivered yet ([`RefreshJournal`])
//!     state/KIND-BASE64+NAME/   the private directory of one resource
//! PREFIX/local/             what functions keep; `world/` in it is what hosts share
//! ```

mod atomic;
mod dir;
mod journal;

pub(crate) use atomic::{make_temporary, temporary_beside, write_atomically};
pub use dir::{StateDir, StateError, default_prefix, functions_dir, hostname};
pub use journal::RefreshJournal;
