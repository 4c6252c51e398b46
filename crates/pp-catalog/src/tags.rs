//! Tags (spec 07 §1.6).

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};

/// The index of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TagId(u32);
entity_impl!(TagId);

/// Returns whether a text can be a tag: letters, digits, `_`, and after the first character also `:`, `.` and `-`.
#[must_use]
pub fn is_valid_tag(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphanumeric() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-'))
}

/// All tags of a catalog, in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagTable {
    names: PrimaryMap<TagId, Arc<str>>,
    ids: FxHashMap<Arc<str>, TagId>,
}

impl TagTable {
    pub(crate) fn intern(&mut self, name: &str) -> TagId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let lower: Arc<str> = name.to_lowercase().into();
        if let Some(id) = self.ids.get(&lower) {
            return *id;
        }
        let id = self.names.push(Arc::clone(&lower));
        self.ids.insert(lower, id);
        id
    }

    /// Returns the tag if any resource has it.
    pub(crate) fn find(&self, name: &str) -> Option<TagId> {
        match self.ids.get(name) {
            Some(id) => Some(*id),
            None => self.ids.get(name.to_lowercase().as_str()).copied(),
        }
    }

    pub(crate) fn name(&self, id: TagId) -> &Arc<str> {
        &self.names[id]
    }

    /// Adds a tag and, if it has segments, each of them. Returns whether the set changed.
    pub(crate) fn add(&mut self, set: &mut TagSet, name: &str) -> bool {
        let mut changed = set.insert(self.intern(name));
        if name.contains("::") {
            for segment in name.split("::").filter(|s| !s.is_empty()) {
                changed |= set.insert(self.intern(segment));
            }
        }
        changed
    }
}

/// The number of tags from which on an index helps.
const INDEXED_FROM: usize = 32;

/// The tags of a resource in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagSet {
    list: Vec<TagId>,
    index: Option<FxHashSet<TagId>>,
}

impl TagSet {
    pub(crate) fn contains(&self, tag: TagId) -> bool {
        match &self.index {
            Some(index) => index.contains(&tag),
            None => self.list.contains(&tag),
        }
    }

    pub(crate) fn insert(&mut self, tag: TagId) -> bool {
        if self.contains(tag) {
            return false;
        }
        self.list.push(tag);
        if let Some(index) = &mut self.index {
            index.insert(tag);
        } else if self.list.len() > INDEXED_FROM {
            self.index = Some(self.list.iter().copied().collect());
        }
        true
    }

    pub(crate) fn merge(&mut self, other: &TagSet) {
        for tag in &other.list {
            self.insert(*tag);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = TagId> + '_ {
        self.list.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words() {
        for valid in ["a", "_x", "5", "a::b", "a.b-c", "é"] {
            assert!(is_valid_tag(valid), "{valid}");
        }
        for invalid in ["", "a b", "/etc", ":a", "-a", "a,b"] {
            assert!(!is_valid_tag(invalid), "{invalid}");
        }
    }

    #[test]
    fn segments_are_tags_and_case_is_ignored() {
        let (mut table, mut set) = (TagTable::default(), TagSet::default());
        assert!(table.add(&mut set, "Web::Front"));
        assert!(!table.add(&mut set, "front"));
        let names: Vec<&str> = set.iter().map(|t| &**table.name(t)).collect();
        assert_eq!(names, ["web::front", "web", "front"]);
        assert!(table.find("WEB").is_some_and(|t| set.contains(t)));
    }

    #[test]
    fn many_tags_are_found() {
        let (mut table, mut set) = (TagTable::default(), TagSet::default());
        for i in 0..1000 {
            assert!(table.add(&mut set, &format!("t{i}")));
            assert!(!table.add(&mut set, &format!("t{i}")));
        }
        assert_eq!(set.iter().count(), 1000);
    }
}
