//! What overrides do to the catalog (spec 07 §5.8, §9.1).

use std::sync::Arc;

use pp_types::Value;

use crate::catalog::Catalog;
use crate::error::{CatalogError, CatalogWarning, ErrorKind};
use crate::id::{ResourceId, SourceId};
use crate::location::Location;
use crate::overrides::Override;
use crate::parameter::Parameter;
use crate::resource::ResourceKind;
use crate::source::SourceKind;

impl Catalog {
    /// Overrides parameters of a resource at once, or when the catalog is finished if the resource does not exist yet.
    ///
    /// # Errors
    /// An override that is not permitted.
    pub fn add_override(&mut self, change: Override) -> Result<Option<CatalogWarning>, CatalogError> {
        match self.find(&change.reference) {
            Some(id) => self.apply_override(id, &change),
            None => {
                self.overrides.push(change);
                Ok(None)
            }
        }
    }

    /// Overrides parameters as the class of the resource, or one that inherits from it, may.
    pub(crate) fn apply_override(
        &mut self,
        id: ResourceId,
        change: &Override,
    ) -> Result<Option<CatalogWarning>, CatalogError> {
        let resource = &self.resources[id];
        if change.source != resource.source && !self.sources.may_change(change.source, resource.source) {
            let kind = ErrorKind::NotSubclass(resource.reference.clone());
            return Err(CatalogError { kind, location: change.location.clone() });
        }
        self.override_parameters(id, change.parameters.iter(), &change.location)
    }

    /// Overrides parameters of a resource as far as their sources may.
    pub(crate) fn override_parameters<'p>(
        &mut self,
        id: ResourceId,
        parameters: impl Iterator<Item = &'p Parameter>,
        location: &Location,
    ) -> Result<Option<CatalogWarning>, CatalogError> {
        let resource = &self.resources[id];
        let late = resource.evaluated && resource.kind == ResourceKind::Define;
        let warning = late.then(|| CatalogWarning::LateOverride {
            reference: resource.reference.clone(),
            declared: resource.location.clone(),
            overridden: location.clone(),
        });
        for parameter in parameters {
            if self.is_override(id, parameter)? {
                self.override_parameter(id, parameter, location)?;
            }
        }
        self.resources[id].changed_late |= late;
        self.record_change(id);
        Ok(warning)
    }

    /// Returns whether a parameter is to be set. A value that is a default in the scope of the resource does not replace another
    /// one. The value of a parameter that is set is replaced by a class that inherits from the one that declares the resource, by
    /// the body of a collector, and by the one that set it if it is a default.
    fn is_override(&self, id: ResourceId, parameter: &Parameter) -> Result<bool, CatalogError> {
        let resource = &self.resources[id];
        let Some(existing) = resource.parameters.get(&parameter.name) else { return Ok(true) };
        let is_default = |value: &Value| {
            resource.scope.is_some_and(|scope| {
                self.defaults.is_default(scope, &resource.reference.type_name, &parameter.name, value)
            })
        };
        if is_default(&parameter.value) {
            return Ok(false);
        }
        let may_replace = self.sources.may_change(parameter.source, resource.source)
            || (parameter.source == existing.source && is_default(&existing.value));
        if may_replace {
            return Ok(true);
        }
        let kind = ErrorKind::AlreadySet {
            reference: resource.reference.clone(),
            parameter: Arc::clone(&parameter.name),
            by: self.source_text(existing.source),
            earlier: existing.location.clone(),
        };
        Err(CatalogError { kind, location: parameter.location.clone() })
    }

    fn override_parameter(
        &mut self,
        id: ResourceId,
        parameter: &Parameter,
        location: &Location,
    ) -> Result<(), CatalogError> {
        let mut parameter = parameter.clone();
        if parameter.append
            && let Some(existing) = self.resources[id].parameters.get(&parameter.name)
        {
            parameter.value = append(&existing.value, &parameter.value);
        }
        match &*parameter.name {
            "tag" => {
                let mut tags = std::mem::take(&mut self.resources[id].tags);
                let added = self.add_parameter_tags(&mut tags, &parameter.value);
                self.resources[id].tags = tags;
                added.map_err(|kind| CatalogError { kind, location: location.clone() })?;
                self.tag_changes += u64::from(self.resources[id].kind != ResourceKind::Native);
            }
            "alias" => self.add_aliases(id, &parameter)?,
            _ => {}
        }
        self.resources[id].parameters.set(parameter);
        Ok(())
    }

    fn source_text(&self, id: SourceId) -> String {
        let source = self.sources.get(id);
        match source.kind {
            SourceKind::Class if source.name.is_empty() => "the main manifest".to_owned(),
            SourceKind::Class => format!("class {}", source.name),
            SourceKind::Define => format!("define {}", source.name),
            SourceKind::Node => format!("node {}", source.name),
        }
    }
}

/// `+>`: an array of both, flat.
fn append(existing: &Value, added: &Value) -> Value {
    let mut all = Vec::new();
    let mut stack = vec![added, existing];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().rev()),
            other => all.push(other.clone()),
        }
    }
    Value::array(all)
}
