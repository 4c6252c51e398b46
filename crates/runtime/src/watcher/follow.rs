//! Watches what a path that is a symbolic link leads to, also if the link is made later.
//!
//! Links above the last component need nothing: the kernel follows them when a directory is watched, and the directory that
//! has such a link is watched for its replacement.

use std::path::{Path, PathBuf};

use resources::Scope;

use crate::watcher::Watcher;
use crate::watcher::links::LinkTarget;
use crate::watcher::subscription::Subscription;

/// Maximum number of links in a chain that are followed, as in the kernel.
const MAX_LINKS: u8 = 40;

impl Watcher {
    /// Subscribes to the target of a path that is a link now, and ends the subscription of the one that it had before.
    pub(super) fn follow(&mut self, link: Subscription, path: &Path, token: u64) {
        let depth = self.links.depths.get(&link.serial).copied().unwrap_or(0);
        let target = if depth < MAX_LINKS { target_of(path) } else { None };
        let old = self.links.targets.get(&link.serial).map(|old| &old.path);
        if old == target.as_ref() {
            return;
        }
        let old = self.links.targets.remove(&link.serial);
        if let Some(path) = target {
            let subscription = self.subscribe_one(&path, Scope::Entry, token);
            self.links.depths.insert(subscription.serial, depth + 1);
            self.follow(subscription, &path, token);
            self.links.targets.insert(link.serial, LinkTarget { subscription, path });
        }
        if let Some(old) = old {
            self.unsubscribe(old.subscription);
        }
    }

    /// Follows the links of a node again after it was created, removed or replaced.
    pub(super) fn follow_again(&mut self, node: usize) {
        if self.nodes[node].subscribers.is_empty() {
            return;
        }
        let path = self.nodes.path(node);
        let followed = self.nodes[node].subscribers.iter().filter(|s| s.scope != Scope::Name);
        let followed: Vec<(u64, u64)> = followed.map(|s| (s.serial, s.token)).collect();
        for (serial, token) in followed {
            self.follow(Subscription { node, serial }, &path, token);
        }
    }

    /// Ends the subscription of a target.
    pub(super) fn unfollow(&mut self, link: Subscription) {
        self.links.depths.remove(&link.serial);
        if let Some(target) = self.links.targets.remove(&link.serial) {
            self.unsubscribe(target.subscription);
        }
    }
}

/// Returns what a link leads to, or `None` if it is not a link.
fn target_of(path: &Path) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    let directory = path.parent().and_then(|directory| std::fs::canonicalize(directory).ok());
    Some(directory.unwrap_or_default().join(target))
}
