//! The catalog and its tables.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use pp_resource_types::KnownTypes;
use pp_types::{Value, interpolate};
use rustc_hash::FxHashSet;

use crate::collector::CollectorState;
use crate::defaults::Defaults;
use crate::error::{CatalogError, ErrorKind};
use crate::id::{CollectorId, RelationshipId, ResourceId, SourceId};
use crate::location::Location;
use crate::overrides::Override;
use crate::parameter::{Parameter, Parameters};
use crate::reference::Reference;
use crate::relationship::Relationship;
use crate::resource::{ClassForm, Resource, ResourceKind};
use crate::source::{Source, SourceKind, Sources};
use crate::table::Table;
use crate::tags::{TagId, TagSet, TagTable, is_valid_tag};

/// What a catalog is made for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The certificate name of the node.
    pub node: Arc<str>,
    /// The name of the environment.
    pub environment: Arc<str>,
    /// The native types.
    pub types: KnownTypes,
}

/// A catalog while it is compiled.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub(crate) options: Options,
    pub(crate) resources: PrimaryMap<ResourceId, Resource>,
    pub(crate) table: Table,
    pub(crate) tags: TagTable,
    /// The tags that classes and nodes had when they were declared.
    pub(crate) class_tags: TagSet,
    pub(crate) sources: Sources,
    pub(crate) defaults: Defaults,
    /// Containment: container and content.
    pub(crate) edge_set: FxHashSet<(ResourceId, ResourceId)>,
    /// The names of classes and nodes.
    pub(crate) classes: Vec<Arc<str>>,
    /// Defines and classes to evaluate.
    pub(crate) pending: Vec<ResourceId>,
    pub(crate) overrides: Vec<Override>,
    pub(crate) relationships: PrimaryMap<RelationshipId, Relationship>,
    pub(crate) collectors: PrimaryMap<CollectorId, CollectorState>,
    pub(crate) to_realize: Vec<(Reference, Location)>,
    /// Counts how often resources that have others in their scope got tags.
    pub(crate) tag_changes: u64,
}

impl Catalog {
    /// The stage `main`, which each catalog has.
    pub const MAIN_STAGE: ResourceId = ResourceId(0);
    /// The class `settings`, which each catalog has.
    pub const SETTINGS: ResourceId = ResourceId(1);
    /// The main class: code outside classes, defines and nodes.
    pub const MAIN_CLASS: ResourceId = ResourceId(2);
    /// What sets the parameters in the main class.
    pub const MAIN_SOURCE: SourceId = SourceId(0);
    /// What sets the parameters in the class `settings`, and declares what each catalog has.
    pub const SETTINGS_SOURCE: SourceId = SourceId(1);

    /// Creates a catalog with the resources that each one has (spec 07 §1.3).
    #[must_use]
    pub fn new(options: Options) -> Catalog {
        let mut sources = Sources::default();
        for name in ["", "settings"] {
            sources.add(Source { kind: SourceKind::Class, name: name.into(), parent: None });
        }
        let mut catalog = Catalog {
            options,
            resources: PrimaryMap::new(),
            table: Table::default(),
            tags: TagTable::default(),
            class_tags: TagSet::default(),
            sources,
            defaults: Defaults::default(),
            edge_set: FxHashSet::default(),
            classes: vec!["settings".into()],
            pending: Vec::new(),
            overrides: Vec::new(),
            relationships: PrimaryMap::new(),
            collectors: PrimaryMap::new(),
            to_realize: Vec::new(),
            tag_changes: 0,
        };
        catalog.add_head();
        catalog
    }

    /// Returns a resource.
    #[must_use]
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id]
    }

    /// Returns all resources, virtual ones included, in catalog order.
    pub fn resources(&self) -> impl Iterator<Item = (ResourceId, &Resource)> {
        self.resources.iter()
    }

    /// Returns the number of resources, virtual ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Returns `false`: each catalog has the resources of [`Catalog::new`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// Finds a resource by its title, an alias, or the value of its name attribute (spec 07 §2.2).
    #[must_use]
    pub fn find(&self, reference: &Reference) -> Option<ResourceId> {
        let table = self.table.get(&reference.type_name)?;
        table.by_title(&reference.title).or_else(|| {
            let native = self.options.types.find(&reference.type_name)?;
            if !native.is_isomorphic() {
                return None;
            }
            table.by_key(&native.uniqueness_key(&reference.title, |_| None)?)
        })
    }

    /// Finds a class that was declared, by its name in any case.
    #[must_use]
    pub fn find_class(&self, name: &str) -> Option<ResourceId> {
        self.find(&Reference::class(name))
    }

    /// Adds a class, define or node whose body sets parameters.
    pub fn add_source(&mut self, source: Source) -> SourceId {
        self.sources.add(source)
    }

    /// Says in which scope the defaults are found that a scope does not have: that of the inherited class, or else that of the
    /// declaration. Scopes are named by their resources.
    pub fn set_scope_around(&mut self, scope: ResourceId, around: ResourceId) {
        self.defaults.set_around(scope, around);
    }

    /// Sets a default in a scope.
    ///
    /// # Errors
    /// A default that is set already.
    pub fn add_default(
        &mut self,
        scope: ResourceId,
        type_name: &Arc<str>,
        default: Parameter,
    ) -> Result<(), CatalogError> {
        self.defaults.add(scope, type_name, default)
    }

    /// Returns the defaults that hold for a type in a scope, those of outer scopes first.
    #[must_use]
    pub fn defaults_in(&self, scope: ResourceId, type_name: &str) -> Parameters {
        self.defaults.in_scope(scope, type_name)
    }

    /// Records an arrow, which becomes parameters when the catalog is finished.
    pub fn add_relationship(&mut self, relationship: Relationship) -> RelationshipId {
        self.relationships.push(relationship)
    }

    /// Adds the name of a class or node whose body is evaluated to the list of classes.
    pub fn add_class_name(&mut self, name: &str) {
        self.classes.push(name.into());
    }

    /// Puts the names of the classes of an external classifier before all others.
    pub fn add_first_class_names(&mut self, names: Vec<Arc<str>>) {
        self.classes.splice(0..0, names);
    }

    /// Returns the names of the classes and nodes that were evaluated, in order.
    #[must_use]
    pub fn class_names(&self) -> &[Arc<str>] {
        &self.classes
    }

    /// Sets a parameter without a check of permission, such as the default value of a parameter of a define.
    pub fn set_parameter(&mut self, id: ResourceId, parameter: Parameter) {
        self.resources[id].parameters.set(parameter);
        self.record_change(id);
    }

    /// Says that the body of a define or class is being evaluated.
    pub fn mark_evaluated(&mut self, id: ResourceId) {
        self.resources[id].evaluated = true;
    }

    /// Returns the instances of defines, and classes, that are to be evaluated, in catalog order, and forgets them. Virtual ones
    /// come when they are realised.
    pub fn take_pending(&mut self) -> Vec<ResourceId> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable();
        pending.dedup();
        pending.retain(|id| !self.resources[*id].evaluated);
        pending
    }

    /// Returns the instances of defines whose parameters were not checked by the evaluation of the body: those that are
    /// virtual, and those that were overridden later.
    #[must_use]
    pub fn unchecked_defines(&self) -> Vec<ResourceId> {
        let unchecked = |resource: &Resource| resource.kind == ResourceKind::Define && !resource.is_checked();
        self.resources.iter().filter(|(_, resource)| unchecked(resource)).map(|(id, _)| id).collect()
    }

    /// Makes a virtual resource a real one.
    pub(crate) fn realize_resource(&mut self, id: ResourceId) {
        let resource = &mut self.resources[id];
        if resource.is_virtual {
            resource.is_virtual = false;
            if !resource.evaluated && resource.kind == ResourceKind::Define {
                self.pending.push(id);
            }
        }
    }

    /// Records that a class is part of another resource: `contain`.
    pub fn contain(&mut self, container: ResourceId, content: ResourceId) {
        if self.edge_set.insert((container, content)) {
            self.resources[content].containers.push(container);
        }
    }

    /// Adds tags to a resource: the function `tag`.
    ///
    /// # Errors
    /// Texts that are not tags.
    pub fn add_tags(&mut self, id: ResourceId, names: &[&str], location: &Location) -> Result<(), CatalogError> {
        for name in names {
            if !is_valid_tag(name) {
                let kind = ErrorKind::InvalidTag((*name).to_owned());
                return Err(CatalogError { kind, location: location.clone() });
            }
        }
        let mut changed = false;
        for name in names {
            changed |= self.tags.add(&mut self.resources[id].tags, name);
        }
        if changed {
            self.record_change(id);
            self.tag_changes += u64::from(self.resources[id].kind != ResourceKind::Native);
        }
        Ok(())
    }

    /// Returns whether a resource has a tag, or a class or node had it when it was declared: the function `tagged`.
    #[must_use]
    pub fn is_tagged_in(&self, scope: ResourceId, name: &str) -> bool {
        let is_tag_of_class = |tag| self.class_tags.contains(tag);
        self.tags.find(name).is_some_and(is_tag_of_class) || self.is_tagged(scope, name)
    }

    /// Returns whether a resource, or one of the scopes around it, has a tag: queries.
    #[must_use]
    pub fn is_tagged(&self, id: ResourceId, name: &str) -> bool {
        self.tags.find(name).is_some_and(|tag| self.has_tag(id, tag))
    }

    fn has_tag(&self, id: ResourceId, tag: TagId) -> bool {
        let resources = std::iter::successors(Some(&self.resources[id]), |r| Some(&self.resources[r.scope?]));
        resources.into_iter().any(|resource| resource.tags.contains(tag))
    }

    /// Returns the tags that a resource has by now, those of its scope not included before [`Catalog::finish`].
    pub fn tags(&self, id: ResourceId) -> impl Iterator<Item = &Arc<str>> {
        self.resources[id].tags.iter().map(|tag| self.tags.name(tag))
    }

    pub(crate) fn record_change(&mut self, id: ResourceId) {
        if id > Catalog::MAIN_CLASS {
            let type_name = Arc::clone(&self.resources[id].reference.type_name);
            self.table.get_or_insert(&type_name).changes.push(id);
        }
    }

    fn add_head(&mut self) {
        let unknown = Location::default();
        let included = ResourceKind::Class(ClassForm::Included);
        for (type_name, title, kind, tags) in [
            ("Stage", "main", ResourceKind::Native, &["stage"][..]),
            ("Class", "Settings", included, &["class", "settings"][..]),
            ("Class", "main", included, &["class"][..]),
        ] {
            let reference = Reference { type_name: type_name.into(), title: title.into() };
            let mut resource = Resource::new(reference, kind, unknown.clone(), Catalog::SETTINGS_SOURCE);
            for tag in tags {
                self.tags.add(&mut resource.tags, tag);
            }
            if title == "main" {
                let value = Value::String("main".into());
                let name = "name".into();
                resource.parameters.set(Parameter {
                    name,
                    value,
                    source: Catalog::SETTINGS_SOURCE,
                    location: unknown.clone(),
                    append: false,
                });
            }
            resource.evaluated = true;
            if title == "Settings" {
                self.tags.add(&mut self.class_tags, "settings");
            }
            let reference = resource.reference.clone();
            let id = self.resources.push(resource);
            self.table.get_or_insert(&reference.type_name).insert_title(&reference.title, id);
        }
        self.contain(Catalog::MAIN_STAGE, Catalog::SETTINGS);
        self.contain(Catalog::MAIN_STAGE, Catalog::MAIN_CLASS);
    }
}

/// Returns the strings in a value, which may be a nested array.
pub(crate) fn flat_texts(value: &Value) -> Vec<Arc<str>> {
    let mut texts = Vec::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Undef => {}
            Value::Sensitive(inner) => stack.push(inner),
            other => texts.push(text_of(other)),
        }
    }
    texts
}

/// Returns a value as interpolation shows it.
pub(crate) fn text_of(value: &Value) -> Arc<str> {
    match value {
        Value::String(text) => Arc::clone(text),
        other => interpolate(other).into(),
    }
}
