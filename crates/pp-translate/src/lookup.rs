//! Resolving references: by title, alias and uniqueness key (spec 07 §2.2).

use std::borrow::Cow;

use pp_resource_types::ResourceType;
use rustc_hash::FxHashMap;

use crate::catalog::{Catalog, ResourceIndex};
use crate::reference::Reference;

/// All names of the resources of a catalog.
pub(crate) struct Names<'a> {
    catalog: &'a Catalog,
    aliases: FxHashMap<Reference, ResourceIndex>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(catalog: &'a Catalog) -> Names<'a> {
        let mut aliases = FxHashMap::default();
        for (index, resource) in catalog.resources.iter().enumerate() {
            if let Some(parameter) = resource.parameter("alias") {
                for alias in parameter.flat_strings() {
                    aliases.entry(resource.reference.with_title(alias)).or_insert(index);
                }
            }
            let native = pp_resource_types::find(&resource.reference.type_name);
            if resource.is_container() || native.is_some_and(|native| !native.is_isomorphic()) {
                continue;
            }
            let title = &*resource.reference.title;
            let name = resource.text(native.map_or("name", ResourceType::namevar)).unwrap_or(title);
            let key = native.map_or(Cow::Borrowed(name), |native| native.name_key(name));
            if key != title {
                aliases.entry(resource.reference.with_title(&key)).or_insert(index);
            }
        }
        Names { catalog, aliases }
    }

    /// Returns the resource that a reference denotes.
    pub(crate) fn find(&self, reference: &Reference) -> Option<ResourceIndex> {
        let exact = |r: &Reference| self.catalog.find(r).or_else(|| self.aliases.get(r).copied());
        exact(reference).or_else(|| match pp_resource_types::find(&reference.type_name)?.name_key(&reference.title) {
            Cow::Borrowed(_) => None,
            Cow::Owned(key) => exact(&reference.with_title(&key)),
        })
    }

    /// Returns the resource with a type and title, both as written in the rules of automatic edges.
    pub(crate) fn find_titled(&self, type_name: &str, title: &str) -> Option<ResourceIndex> {
        self.find(&Reference { type_name: type_name.into(), title: title.into() })
    }
}
