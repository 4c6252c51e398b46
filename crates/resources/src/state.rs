//! The state directory of the agent (spec 06 §8): locked, versioned, written atomically, and private.
//!
//! ```text
//! PREFIX/engine/            0700
//!     lock                  held by the running agent
//!     version               the layout's version
//!     refresh               pending notifications ([`RefreshJournal`])
//!     state/KIND-BASE64+NAME/   the private directory of one resource
//!     unused                which of them belong to no resource of the program, and since when
//! PREFIX/local/             the state of functions; `world/` in it is the store that hosts share
//! ```

mod dir;
mod journal;
mod unused;

pub use dir::{StateDir, StateError, default_prefix, functions_dir, hostname, overlay_files};
pub use journal::RefreshJournal;
