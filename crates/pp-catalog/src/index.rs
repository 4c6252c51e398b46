//! Which changed resources could match a collector that asks for one value or tag.
//!
//! With many collectors, looking at each changed resource for each collector is too slow. A collector that needs `attribute ==
//! 'text'` or `tag == 'text'` looks only at the resources that had this value or tag when they changed. These are candidates: the
//! whole query decides.

use std::hash::Hash;

use pp_types::Value;
use rustc_hash::FxHashMap;

use crate::id::ResourceId;
use crate::resource::Resource;
use crate::tags::TagId;

/// From this number of collectors that ask for one attribute of a type an index pays off.
const INDEXED_FROM: usize = 4;

/// Changed resources by a key, each time that they changed.
#[derive(Clone, Debug)]
struct ByKey<K> {
    /// The number of collectors that ask for the attribute.
    collectors: usize,
    /// The number of changes of the type that were entered.
    entered: usize,
    changed: FxHashMap<K, Vec<ResourceId>>,
}

impl<K: Eq + Hash> ByKey<K> {
    fn new() -> ByKey<K> {
        ByKey { collectors: 0, entered: 0, changed: FxHashMap::default() }
    }

    /// Enters further changes; `keys` calls its argument with each key of a resource.
    fn update(&mut self, changes: &[ResourceId], mut keys: impl FnMut(ResourceId, &mut dyn FnMut(K))) {
        for id in &changes[self.entered..] {
            keys(*id, &mut |key| self.changed.entry(key).or_default().push(*id));
        }
        self.entered = changes.len();
    }

    /// Returns the resources of a key from the `seen`th on, in catalog order.
    fn since(&self, key: &K, seen: &mut usize) -> Vec<ResourceId> {
        let Some(changed) = self.changed.get(key) else { return Vec::new() };
        let mut new = changed[*seen..].to_vec();
        *seen = changed.len();
        new.sort_unstable();
        new.dedup();
        new
    }
}

/// The indexes of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexes {
    /// By the texts of an attribute, in lower case.
    attributes: FxHashMap<Box<str>, ByKey<String>>,
    tags: Option<ByKey<TagId>>,
}

impl Indexes {
    /// Counts a collector that asks for a value of an attribute.
    pub(crate) fn count_attribute(&mut self, attribute: &str) {
        match self.attributes.get_mut(attribute) {
            Some(index) => index.collectors += 1,
            None => {
                self.attributes.insert(attribute.into(), ByKey { collectors: 1, ..ByKey::new() });
            }
        }
    }

    /// Counts a collector that asks for a tag.
    pub(crate) fn count_tag(&mut self) {
        self.tags.get_or_insert_with(ByKey::new).collectors += 1;
    }

    /// Returns the resources that had a text as the value of an attribute, or in it, when they changed, from the `seen`th on;
    /// `None` if there are too few collectors for an index.
    pub(crate) fn with_text<'r>(
        &mut self,
        (attribute, text): (&str, &str),
        changes: &[ResourceId],
        seen: &mut usize,
        resource: impl Fn(ResourceId) -> &'r Resource,
    ) -> Option<Vec<ResourceId>> {
        let index = self.attributes.get_mut(attribute).filter(|index| index.collectors >= INDEXED_FROM)?;
        index.update(changes, |id, enter| match resource(id).parameters.value(attribute) {
            Some(Value::String(text)) => enter(text.to_lowercase()),
            Some(Value::Array(elements)) => elements.iter().for_each(|element| {
                if let Value::String(text) = element {
                    enter(text.to_lowercase());
                }
            }),
            _ => {}
        });
        Some(index.since(&text.to_lowercase(), seen))
    }

    /// Returns the resources that had a tag when they changed, from the `seen`th on; `None` if there are too few collectors for an
    /// index. `tags` calls its argument with each tag of a resource and of those around it.
    pub(crate) fn with_tag(
        &mut self,
        tag: TagId,
        changes: &[ResourceId],
        seen: &mut usize,
        tags: impl FnMut(ResourceId, &mut dyn FnMut(TagId)),
    ) -> Option<Vec<ResourceId>> {
        let index = self.tags.as_mut().filter(|index| index.collectors >= INDEXED_FROM)?;
        index.update(changes, tags);
        Some(index.since(&tag, seen))
    }
}
