//! Resolving references: by title, alias and uniqueness key (spec 07 §2.2).

use rustc_hash::FxHashMap;

use crate::catalog::{Catalog, ResourceIndex};
use crate::reference::Reference;
use crate::types::{clean_path, is_isomorphic, namevar};

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
            let type_name = &*resource.reference.type_name;
            if resource.is_container() || !is_isomorphic(type_name) {
                continue;
            }
            let key = unique_key(type_name, resource.text(namevar(type_name)).unwrap_or(&resource.reference.title));
            if key != *resource.reference.title {
                aliases.entry(resource.reference.with_title(&key)).or_insert(index);
            }
        }
        Names { catalog, aliases }
    }

    /// Returns the resource that a reference denotes.
    pub(crate) fn find(&self, reference: &Reference) -> Option<ResourceIndex> {
        let exact = |r: &Reference| self.catalog.find(r).or_else(|| self.aliases.get(r).copied());
        exact(reference).or_else(|| {
            let key = unique_key(&reference.type_name, &reference.title);
            if key == *reference.title { None } else { exact(&reference.with_title(&key)) }
        })
    }

    /// Returns the resource with a type and title, both as written in the rules of automatic edges.
    pub(crate) fn find_titled(&self, type_name: &str, title: &str) -> Option<ResourceIndex> {
        self.find(&Reference { type_name: type_name.into(), title: title.into() })
    }
}

/// Returns the value of the name attribute as Puppet compares it: paths without repeated and trailing slashes.
fn unique_key(type_name: &str, name: &str) -> String {
    if type_name == "File" { clean_path(name) } else { name.to_owned() }
}
