//! The symbolic links that a watcher follows.

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::watcher::subscription::Subscription;

/// The subscriptions of targets.
#[derive(Default)]
pub(super) struct Links {
    /// By the serial number of the subscription of the link.
    pub(super) targets: FxHashMap<u64, LinkTarget>,
    /// The number of links that lead to a target, by the serial number of its subscription.
    pub(super) depths: FxHashMap<u64, u8>,
}

/// What a link leads to.
pub(super) struct LinkTarget {
    pub(super) subscription: Subscription,
    pub(super) path: PathBuf,
}
