//! Automatic edges by the rules of types that were read from modules (spec 09 §7).

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_resource_types::{CatalogView, Datum, Evaluation, KnownTypes, ReadType, Related, RelationKind, Unreadable};
use rustc_hash::FxHashMap;

use crate::automatic::Automatic;
use crate::catalog::{Catalog, ResourceIndex};
use crate::known_rules::known_rules;
use crate::lookup::Names;
use crate::reference::capitalize;
use crate::value::PuppetValue;

/// Why there is an edge by a rule of a type.
const WHY: &str = "has a type with a rule about the other";

/// The catalog as the rules of types see it.
pub(crate) struct TypeRules<'a> {
    catalog: &'a Catalog,
    names: &'a Names<'a>,
    types: &'a KnownTypes,
    by_type: FxHashMap<&'a str, Vec<ResourceIndex>>,
}

impl<'a> TypeRules<'a> {
    pub(crate) fn new(catalog: &'a Catalog, names: &'a Names<'a>, types: &'a KnownTypes) -> TypeRules<'a> {
        let mut by_type: FxHashMap<&str, Vec<ResourceIndex>> = FxHashMap::default();
        for (index, resource) in catalog.resources.iter().enumerate() {
            by_type.entry(&resource.reference.type_name).or_default().push(index);
        }
        TypeRules { catalog, names, types, by_type }
    }

    /// Calls `add` for the edges of a resource.
    pub(crate) fn edges(&self, index: ResourceIndex, add: &mut dyn FnMut(Automatic)) {
        let resource = &self.catalog.resources[index];
        if resource.is_container() {
            return;
        }
        let read = self.types.find(&resource.reference.type_name).and_then(|known| known.read());
        let relations = read.map(|read| read.relations.as_slice()).unwrap_or_default();
        let is_read = |other: &str| relations.iter().any(|r| r.type_name == other && r.titles.is_some());
        let type_name = resource.reference.type_name.to_ascii_lowercase();
        known_rules(&type_name, index, self, is_read, |source| {
            if source != index {
                add(Automatic { source, target: index, resource: index, why: WHY, refreshes: false });
            }
        });
        for relation in relations {
            let Some(titles) = &relation.titles else { continue };
            // A rule that fails fails on the agent, too: it says so when it applies the catalog.
            for related in Evaluation::run(titles, self, index).unwrap_or_default() {
                let other = match related {
                    Related::Resource(other) => Some(other),
                    Related::Title(title) => self.find(&relation.type_name, &title),
                };
                let Some(other) = other.filter(|other| *other != index) else { continue };
                let (source, target) = match relation.kind {
                    RelationKind::Require | RelationKind::Subscribe => (other, index),
                    RelationKind::Before | RelationKind::Notify => (index, other),
                };
                let refreshes = matches!(relation.kind, RelationKind::Subscribe | RelationKind::Notify);
                add(Automatic { source, target, resource: index, why: WHY, refreshes });
            }
        }
    }

    /// Returns what an attribute is by the title or by default.
    fn implied(&self, index: ResourceIndex, name: &str) -> Option<String> {
        let reference = &self.catalog.resources[index].reference;
        let Some(known) = self.types.find(&reference.type_name) else {
            return (name == "name").then(|| reference.title.to_string());
        };
        if let Some(read) = known.read()
            && let Some((_, part)) =
                read.title_parts(&reference.title).unwrap_or_default().into_iter().find(|(part, _)| *part == name)
        {
            return Some(part.to_string());
        }
        let is_name = name == "name" || name == known.namevar();
        let default = || known.read()?.attribute(name)?.default.clone();
        if is_name { Some(reference.title.to_string()) } else { default() }
    }
}

impl CatalogView for TypeRules<'_> {
    fn attribute(&self, resource: usize, name: &str) -> Datum {
        match self.catalog.resources[resource].parameter(name) {
            Some(value) => datum(value),
            None if name == "title" => Datum::Text(self.title(resource)),
            None => self.implied(resource, name).map_or(Datum::Nil, |text| match text.as_str() {
                "true" => Datum::Boolean(true),
                "false" => Datum::Boolean(false),
                _ => Datum::Text(text),
            }),
        }
    }

    fn title(&self, resource: usize) -> String {
        self.catalog.resources[resource].reference.title.to_string()
    }

    fn resources(&self, type_name: &str) -> Vec<usize> {
        self.by_type.get(capitalize(type_name).as_str()).cloned().unwrap_or_default()
    }

    fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        // Titles are taken as they are: a class is found by its capitalized name only.
        self.names.find_titled(&capitalize(type_name), title)
    }
}

fn datum(value: &PuppetValue) -> Datum {
    match value {
        PuppetValue::Undef => Datum::Nil,
        PuppetValue::Boolean(value) => Datum::Boolean(*value),
        PuppetValue::Integer(value) => Datum::Integer(*value),
        PuppetValue::Array(items) => Datum::List(items.iter().map(datum).collect()),
        other => other.scalar_text().map_or(Datum::Other, Datum::Text),
    }
}

/// Returns a warning about a type with rules that could not be read.
pub(crate) fn unread(read: &ReadType) -> Option<Diagnostic> {
    let line = read.unread.iter().find(|unread| unread.what == Unreadable::Relations)?.line;
    let (name, module) = (&read.name, &read.module);
    let message = format!(
        "not all automatic relations of the type `{name}` of the module `{module}` are known: one is computed (line {line} of its source)"
    );
    Some(
        Diagnostic::warning(Code::P0204, Stage::Puppet, message)
            .help("state the order that matters, with `require`, `before` or an arrow"),
    )
}
