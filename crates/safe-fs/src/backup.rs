//! Backups: what a change replaces or removes is kept.
//!
//! [`Files::backed_up`](crate::Files::backed_up) makes every change of a path wait until what was there is stored. A change
//! that cannot be backed up is not made. If another program replaces the object between its backup and the change, what was
//! displaced is backed up, too, before it is removed.

mod age;
mod draft;
mod record;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use draft::Extent;
pub use draft::Saved;
pub use record::{Action, Digest, Entry, Object, Record, StoredPath};
pub use store::{Backups, Limits};
