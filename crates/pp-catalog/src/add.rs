//! Adding resources (spec 07 §1.5, §2.2, §2.6, §5.7).

use std::sync::Arc;

use pp_types::{Value, interpolate};

use crate::catalog::{Catalog, flat_texts, text_of};
use crate::error::{AliasKey, CatalogError, ErrorKind};
use crate::id::{ResourceId, SourceId};
use crate::location::Location;
use crate::parameter::{Parameter, Parameters};
use crate::reference::Reference;
use crate::resource::{Resource, ResourceKind};
use crate::tags::{TagSet, is_valid_tag};

/// A resource to add.
#[derive(Clone, Debug)]
pub struct NewResource {
    /// The type and title.
    pub reference: Reference,
    /// What it is.
    pub kind: ResourceKind,
    /// The parameters, defaults of the scope included.
    pub parameters: Parameters,
    /// Where it is declared; unknown for classes that are included.
    pub location: Location,
    /// The resource of the scope that declares it: a class, define or node.
    pub scope: ResourceId,
    /// The class, define or node whose body declares it.
    pub source: SourceId,
    /// Declared with `@` or `@@`.
    pub is_virtual: bool,
    /// Declared with `@@`.
    pub exported: bool,
    /// The title is a number, which functions may declare: it is not a tag, and the parameter `name` has it as a string.
    pub is_number: bool,
}

impl Catalog {
    /// Adds a resource.
    ///
    /// # Errors
    /// A duplicate, an alias that is taken, an unknown stage, an invalid tag.
    pub fn add(&mut self, new: NewResource) -> Result<ResourceId, CatalogError> {
        let NewResource { reference, kind, parameters, location, scope, source, is_virtual, exported, is_number } = new;
        let mut resource = Resource::new(reference, kind, location, source);
        (resource.parameters, resource.scope) = (parameters, Some(scope));
        (resource.is_virtual, resource.exported) = (is_virtual, exported);
        if is_number {
            let (location, value) = (resource.location.clone(), Value::String(resource.reference.title.clone()));
            resource.parameters.set(Parameter { name: "name".into(), value, source, location, append: false });
        }
        let error = |resource: &Resource, kind| CatalogError { kind, location: resource.location.clone() };

        let reference = resource.reference.clone();
        let table = self.table.get(&reference.type_name);
        if let Some(earlier) = table.and_then(|t| t.by_title(&reference.title)) {
            let earlier = self.resources[earlier].location.clone();
            return Err(error(&resource, ErrorKind::Duplicate { reference, earlier }));
        }
        let stage = self.stage_of(&mut resource).map_err(|kind| error(&resource, kind))?;
        resource.tags = self.initial_tags(&resource, is_number).map_err(|kind| error(&resource, kind))?;
        let aliases = self.aliases(&resource).map_err(|kind| error(&resource, kind))?;

        if matches!(kind, ResourceKind::Class(_) | ResourceKind::Node) {
            self.class_tags.merge(&resource.tags);
            self.take_tags_around(&mut resource);
        }
        let id = self.resources.push(resource);
        let table = self.table.get_or_insert(&reference.type_name);
        table.insert_title(&reference.title, id);
        for alias in aliases {
            match alias {
                AliasKey::Alias(alias) => table.insert_title(&alias, id),
                AliasKey::Names(names) => table.insert_key(names, id),
            }
        }
        table.add_collectable(&reference.title, id);
        match kind {
            ResourceKind::Class(_) => {
                self.contain(stage.unwrap_or(Catalog::MAIN_STAGE), id);
                self.pending.push(id);
            }
            ResourceKind::Define => {
                self.contain(scope, id);
                if !is_virtual {
                    self.pending.push(id);
                }
            }
            ResourceKind::Native if &*reference.type_name == "Stage" => {}
            ResourceKind::Native | ResourceKind::Node => self.contain(scope, id),
        }
        Ok(id)
    }

    /// Returns the stage of a class: its own, else that of the resource of its scope, which becomes a parameter.
    fn stage_of(&self, resource: &mut Resource) -> Result<Option<ResourceId>, ErrorKind> {
        let own = resource.parameters.value("stage").cloned();
        if !resource.is_class() {
            return match own {
                Some(_) => Err(ErrorKind::StageOfResource(resource.reference.clone())),
                None => Ok(None),
            };
        }
        let inherited = || {
            let scope = &self.resources[resource.scope?];
            scope.parameters.get("stage").filter(|p| p.value != Value::Undef).cloned()
        };
        let name = match own {
            Some(value) => value,
            None => match inherited() {
                Some(parameter) => {
                    let value = parameter.value.clone();
                    resource.parameters.set(parameter);
                    value
                }
                None => return Ok(None),
            },
        };
        let named = match &name {
            Value::String(title) => self.find(&Reference { type_name: "Stage".into(), title: Arc::clone(title) }),
            _ => None,
        };
        let unknown = || ErrorKind::UnknownStage { class: resource.reference.clone(), stage: interpolate(&name) };
        named.map(Some).ok_or_else(unknown)
    }

    /// Returns the tags of a new resource: those of the parameter `tag`, the type and the title.
    fn initial_tags(&mut self, resource: &Resource, is_number: bool) -> Result<TagSet, ErrorKind> {
        let mut tags = TagSet::default();
        if let Some(value) = resource.parameters.value("tag") {
            self.add_parameter_tags(&mut tags, value)?;
        }
        let Reference { type_name, title } = &resource.reference;
        self.tags.add(&mut tags, type_name);
        if is_valid_tag(title) && !is_number {
            self.tags.add(&mut tags, title);
        }
        Ok(tags)
    }

    /// Adds to a class the tags that the resource of its scope has by now; others get them when the catalog is finished.
    fn take_tags_around(&self, resource: &mut Resource) {
        if !resource.is_class() {
            return;
        }
        // A class has those of its scope already.
        let mut scope = resource.scope.map(|scope| &self.resources[scope]);
        while let Some(around) = scope {
            resource.tags.merge(&around.tags);
            scope = around.scope.filter(|_| !around.is_class()).map(|scope| &self.resources[scope]);
        }
    }

    /// Adds the tags of a value of `tag`.
    pub(crate) fn add_parameter_tags(&mut self, tags: &mut TagSet, value: &Value) -> Result<(), ErrorKind> {
        for text in flat_texts(value) {
            if !is_valid_tag(&text) {
                return Err(ErrorKind::InvalidTag(text.as_ref().to_owned()));
            }
            self.tags.add(tags, &text);
        }
        Ok(())
    }

    /// Returns what the resource is called beside its title, all of it still free.
    fn aliases(&self, resource: &Resource) -> Result<Vec<AliasKey>, ErrorKind> {
        let mut aliases = Vec::new();
        if resource.kind == ResourceKind::Native
            && let Some(native) = self.options.types.find(&resource.reference.type_name)
        {
            if let Some(problem) = native.title_problem(&resource.reference.title) {
                return Err(ErrorKind::NoName { reference: resource.reference.clone(), problem });
            }
            let value = |name: &str| resource.parameters.value(name).map(text_of);
            let is_unique = native.is_isomorphic();
            let key = native.uniqueness_key(&resource.reference.title, value).filter(|_| is_unique);
            aliases.extend(key.filter(|key| !is_title(key, &resource.reference.title)).map(AliasKey::Names));
        }
        if let Some(value) = resource.parameters.value("alias") {
            aliases.extend(flat_texts(value).into_iter().map(AliasKey::Alias));
        }
        let table = self.table.get(&resource.reference.type_name);
        for alias in &aliases {
            let taken = table.and_then(|table| match alias {
                AliasKey::Alias(title) => table.by_title(title),
                AliasKey::Names(names) => table.by_key(names),
            });
            if let Some(other) = taken {
                let earlier = self.resources[other].location.clone();
                let (reference, alias) = (resource.reference.clone(), alias.clone());
                return Err(ErrorKind::AliasTaken { reference, alias, earlier });
            }
        }
        Ok(aliases)
    }

    /// Gives a resource further aliases.
    pub(crate) fn add_aliases(&mut self, id: ResourceId, parameter: &Parameter) -> Result<(), CatalogError> {
        let reference = self.resources[id].reference.clone();
        for alias in flat_texts(&parameter.value) {
            let table = self.table.get_or_insert(&reference.type_name);
            match table.by_title(&alias) {
                Some(same) if same == id => {}
                Some(other) => {
                    let earlier = self.resources[other].location.clone();
                    let kind = ErrorKind::AliasTaken { reference, alias: AliasKey::Alias(alias), earlier };
                    return Err(CatalogError { kind, location: self.resources[id].location.clone() });
                }
                None => table.insert_title(&alias, id),
            }
        }
        Ok(())
    }
}

/// Returns whether a key says only what the title says.
fn is_title(key: &[Option<Arc<str>>], title: &Arc<str>) -> bool {
    matches!(key, [Some(single)] if single == title)
}
