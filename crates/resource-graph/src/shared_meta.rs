//! Meta parameters that resources share.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock};

use crate::Meta;

static DEFAULT: LazyLock<Arc<Meta>> = LazyLock::new(Arc::default);

/// The meta parameters of a resource. Almost all resources have the default ones, which exist once. A change makes a copy.
#[derive(Clone, Debug)]
pub struct SharedMeta(Arc<Meta>);

impl Default for SharedMeta {
    fn default() -> SharedMeta {
        SharedMeta(Arc::clone(&DEFAULT))
    }
}

impl From<Meta> for SharedMeta {
    fn from(meta: Meta) -> SharedMeta {
        if meta == **DEFAULT { SharedMeta::default() } else { SharedMeta(Arc::new(meta)) }
    }
}

impl PartialEq for SharedMeta {
    fn eq(&self, other: &SharedMeta) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Deref for SharedMeta {
    type Target = Meta;

    fn deref(&self) -> &Meta {
        &self.0
    }
}

impl DerefMut for SharedMeta {
    fn deref_mut(&mut self) -> &mut Meta {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_one_resource_does_not_reach_the_others() {
        let (mut first, second) = (SharedMeta::default(), SharedMeta::default());
        assert!(Arc::ptr_eq(&first.0, &second.0));
        first.retry = 3;
        assert_eq!((first.retry, second.retry), (3, 0));
        assert_ne!(first, second);
        first.retry = 0;
        assert_eq!(first, second);
        assert!(Arc::ptr_eq(&SharedMeta::from(Meta::default()).0, &second.0));
    }
}
