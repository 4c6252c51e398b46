//! Resolving references: by title, alias and uniqueness key (spec 07 §2.2).

use std::borrow::Cow;
use std::sync::Arc;

use pp_resource_types::{KnownType, KnownTypes};
use rustc_hash::FxHashMap;

use crate::catalog::{Catalog, ResourceIndex};
use crate::reference::Reference;

/// A type, and the values of the attributes that name a resource, in the order of their names.
type Key = (Arc<str>, Vec<Option<Arc<str>>>);

/// All names of the resources of a catalog.
pub(crate) struct Names<'a> {
    catalog: &'a Catalog,
    types: &'a KnownTypes,
    aliases: FxHashMap<Reference, ResourceIndex>,
    /// The resources whose types take several names from titles, by these names.
    keys: FxHashMap<Key, ResourceIndex>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(catalog: &'a Catalog, types: &'a KnownTypes) -> Names<'a> {
        let mut aliases = FxHashMap::default();
        let mut keys = FxHashMap::default();
        for (index, resource) in catalog.resources.iter().enumerate() {
            if let Some(parameter) = resource.parameter("alias") {
                for alias in parameter.flat_strings() {
                    aliases.entry(resource.reference.with_title(alias)).or_insert(index);
                }
            }
            let native = known_type(types, &resource.reference.type_name);
            if resource.is_container() || native.is_some_and(|native| !native.is_isomorphic()) {
                continue;
            }
            let title = &*resource.reference.title;
            let name = resource.text(native.map_or("name", |native| native.namevar())).unwrap_or(title);
            let key = native.map_or(Cow::Borrowed(name), |native| native.name_key(name));
            if let Some(native) = native
                && !native.parts_of_title(&resource.reference.title).is_empty()
            {
                let given = |name: &str| resource.text(name).map(Arc::from);
                if let Some(key) = native.uniqueness_key(&resource.reference.title, given) {
                    keys.entry((Arc::clone(&resource.reference.type_name), key)).or_insert(index);
                }
                continue;
            }
            if key != title {
                aliases.entry(resource.reference.with_title(&key)).or_insert(index);
            }
        }
        Names { catalog, types, aliases, keys }
    }

    /// Returns the resource that a reference denotes.
    pub(crate) fn find(&self, reference: &Reference) -> Option<ResourceIndex> {
        let exact = |r: &Reference| self.catalog.find(r).or_else(|| self.aliases.get(r).copied());
        exact(reference).or_else(|| {
            let native = known_type(self.types, &reference.type_name)?;
            match native.name_key(&reference.title) {
                Cow::Borrowed(_) if self.keys.is_empty() => None,
                Cow::Borrowed(_) => {
                    let key = native.uniqueness_key(&reference.title, |_| None)?;
                    self.keys.get(&(Arc::clone(&reference.type_name), key)).copied()
                }
                Cow::Owned(key) => exact(&reference.with_title(&key)),
            }
        })
    }

    /// Returns the resource with a type and title, both as written in the rules of automatic edges.
    pub(crate) fn find_titled(&self, type_name: &str, title: &str) -> Option<ResourceIndex> {
        self.find(&Reference { type_name: type_name.into(), title: title.into() })
    }
}

/// Returns what is known about a type: of a module that is installed, else of the release that this project declares.
pub(crate) fn known_type<'a>(types: &'a KnownTypes, name: &str) -> Option<KnownType<'a>> {
    types.find(name).or_else(|| pp_resource_types::find(name).map(KnownType::of))
}
