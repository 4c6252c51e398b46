//! The resources by type, title and alias (spec 07 §2.2).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::id::ResourceId;
use crate::index::Indexes;

/// The resources of all types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    types: FxHashMap<Arc<str>, TypeTable>,
}

/// The resources of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeTable {
    /// By titles, aliases, and the value of a single name attribute.
    titles: FxHashMap<Arc<str>, ResourceId>,
    /// By the values of several name attributes.
    keys: FxHashMap<Box<[Option<Arc<str>>]>, ResourceId>,
    /// All resources that collectors see, in catalog order.
    pub(crate) resources: Vec<ResourceId>,
    /// Those, and each again whenever it changes.
    pub(crate) changes: Vec<ResourceId>,
    /// For collectors.
    pub(crate) indexes: Indexes,
    /// By titles in lower case, once a collector asks for a title.
    by_folded_title: Option<FxHashMap<String, Vec<ResourceId>>>,
}

impl Table {
    pub(crate) fn get(&self, type_name: &str) -> Option<&TypeTable> {
        self.types.get(type_name)
    }

    pub(crate) fn get_mut(&mut self, type_name: &str) -> Option<&mut TypeTable> {
        self.types.get_mut(type_name)
    }

    pub(crate) fn get_or_insert(&mut self, type_name: &Arc<str>) -> &mut TypeTable {
        if !self.types.contains_key(type_name) {
            self.types.insert(Arc::clone(type_name), TypeTable::default());
        }
        self.types.get_mut(type_name).expect("inserted above")
    }
}

#[cfg(test)]
impl Table {
    /// Removes the indexes for collectors.
    pub(crate) fn forget_indexes(&mut self) {
        self.types.values_mut().for_each(|table| table.indexes = Indexes::default());
    }
}

impl TypeTable {
    pub(crate) fn by_title(&self, title: &str) -> Option<ResourceId> {
        self.titles.get(title).copied()
    }

    pub(crate) fn by_key(&self, key: &[Option<Arc<str>>]) -> Option<ResourceId> {
        match key {
            [Some(single)] => self.by_title(single),
            _ => self.keys.get(key).copied(),
        }
    }

    /// Adds a title or alias unless there is one already.
    pub(crate) fn insert_title(&mut self, title: &Arc<str>, id: ResourceId) {
        self.titles.entry(Arc::clone(title)).or_insert(id);
    }

    /// Adds a resource to those that collectors see.
    pub(crate) fn add_collectable(&mut self, title: &str, id: ResourceId) {
        self.resources.push(id);
        self.changes.push(id);
        if let Some(folded) = &mut self.by_folded_title {
            folded.entry(title.to_lowercase()).or_default().push(id);
        }
    }

    /// Prepares [`TypeTable::titled`]. `title` returns the title of a resource.
    pub(crate) fn fold_titles<'a>(&mut self, title: impl Fn(ResourceId) -> &'a str) {
        if self.by_folded_title.is_none() {
            let mut folded: FxHashMap<String, Vec<ResourceId>> = FxHashMap::default();
            for id in &self.resources {
                folded.entry(title(*id).to_lowercase()).or_default().push(*id);
            }
            self.by_folded_title = Some(folded);
        }
    }

    /// Returns the resources whose titles differ from a text in nothing but case, in catalog order.
    pub(crate) fn titled(&self, text: &str) -> &[ResourceId] {
        let folded = self.by_folded_title.as_ref();
        folded.and_then(|folded| folded.get(&text.to_lowercase())).map_or(&[], Vec::as_slice)
    }

    /// Adds the values of name attributes unless there are such already.
    pub(crate) fn insert_key(&mut self, key: Vec<Option<Arc<str>>>, id: ResourceId) {
        if let [Some(single)] = key.as_slice() {
            self.insert_title(single, id);
        } else {
            self.keys.entry(key.into_boxed_slice()).or_insert(id);
        }
    }
}
