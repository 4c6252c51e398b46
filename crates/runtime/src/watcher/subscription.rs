//! Subscriptions to paths.

/// A subscription; passed to [`Watcher::unsubscribe`](crate::watcher::Watcher::unsubscribe) to end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subscription {
    pub(super) node: usize,
    pub(super) serial: u64,
}
