//! Finishing a catalog (spec 07 §5.17, steps 8 to 11; spec 07 §9.2, "order of checks").

use std::sync::Arc;

use pp_types::Value;
use rustc_hash::FxHashMap;

use crate::catalog::Catalog;
use crate::error::{CatalogError, CatalogWarning, ErrorKind};
use crate::id::ResourceId;
use crate::location::Location;
use crate::overrides::Override;
use crate::resource::ResourceKind;

impl Catalog {
    /// Applies what was recorded, and checks the result. Each step reports all its errors, and later steps do not run after one
    /// that has any: arrows become parameters; pending overrides, tags of scopes, `Sensitive` values, names of parameters;
    /// metaparameters of containers; leftovers; targets of relationships.
    ///
    /// `problems` says what is wrong with the parameters of the [`Catalog::unchecked_defines`], in their order.
    ///
    /// # Errors
    /// Those of the first step that has any, in the order in which Puppet meets them.
    pub fn finish(&mut self, problems: Vec<(ResourceId, String)>) -> Result<Vec<CatalogWarning>, Vec<CatalogError>> {
        let mut warnings = Vec::new();
        check(self.apply_relationships())?;
        check(self.finish_resources(problems, &mut warnings))?;
        check(self.inherit_metaparameters())?;
        check(self.leftovers())?;
        check(self.check_references())?;
        check(self.check_rendering())?;
        warnings.extend(self.check_values());
        Ok(warnings)
    }

    fn finish_resources(
        &mut self,
        problems: Vec<(ResourceId, String)>,
        warnings: &mut Vec<CatalogWarning>,
    ) -> Vec<CatalogError> {
        let mut problems = problems.into_iter().peekable();
        let mut overrides: FxHashMap<ResourceId, Vec<Override>> = FxHashMap::default();
        for change in std::mem::take(&mut self.overrides) {
            match self.find(&change.reference) {
                Some(id) => overrides.entry(id).or_default().push(change),
                None => self.overrides.push(change),
            }
        }
        let mut errors = Vec::new();
        for id in self.resources.keys().skip_while(|id| *id <= Catalog::MAIN_CLASS) {
            for change in overrides.remove(&id).unwrap_or_default() {
                match self.apply_override(id, &change) {
                    Ok(warning) => warnings.extend(warning),
                    Err(error) => errors.push(error),
                }
            }
            self.take_tags_of_scope(id);
            self.reveal_sensitive(id);
            self.check_parameters(id, &mut errors);
            if let Some((_, text)) = problems.next_if(|(wrong, _)| *wrong == id) {
                let location = self.resources[id].location.clone();
                errors.push(CatalogError { kind: ErrorKind::InvalidParameters(text), location });
            }
        }
        errors
    }

    /// Classes took the tags of their scope when they were declared.
    fn take_tags_of_scope(&mut self, id: ResourceId) {
        let resource = &self.resources[id];
        if !resource.is_class()
            && let Some(scope) = resource.scope
        {
            self.merge_tags(id, scope);
        }
    }

    /// Replaces `Sensitive` values of parameters by what they hold, and remembers the names.
    fn reveal_sensitive(&mut self, id: ResourceId) {
        let resource = &mut self.resources[id];
        let mut sensitive = Vec::new();
        for (name, value) in resource.parameters.values_mut() {
            if let Value::Sensitive(inner) = value {
                *value = Value::clone(inner);
                sensitive.push(Arc::from(name));
            }
        }
        resource.sensitive = sensitive;
    }

    /// Marks the parameters as sensitive whose values are.
    pub fn mark_sensitive(&mut self, is_sensitive: impl Fn(&Value) -> bool) {
        for resource in self.resources.values_mut() {
            let found = resource.parameters.iter().filter(|parameter| is_sensitive(&parameter.value));
            let found = found.map(|parameter| Arc::clone(&parameter.name));
            let found: Vec<Arc<str>> = found.filter(|name| !resource.sensitive.contains(name)).collect();
            resource.sensitive.extend(found);
        }
    }

    /// Returns the errors in the parameters of single resources, which are errors whatever else is missing from the catalog.
    #[must_use]
    pub fn parameter_errors(&self, problems: Vec<(ResourceId, String)>) -> Vec<CatalogError> {
        let mut errors = Vec::new();
        for id in self.resources.keys() {
            self.check_parameters(id, &mut errors);
        }
        errors.extend(problems.into_iter().map(|(id, text)| CatalogError {
            kind: ErrorKind::InvalidParameters(text),
            location: self.resources[id].location.clone(),
        }));
        errors
    }

    /// Names of parameters of native types; those of defines and classes are checked when they are evaluated.
    fn check_parameters(&self, id: ResourceId, errors: &mut Vec<CatalogError>) {
        let resource = &self.resources[id];
        if resource.kind != ResourceKind::Native {
            return;
        }
        let Some(native) = self.options.types.find(&resource.reference.type_name) else { return };
        for parameter in &resource.parameters {
            if !native.has_parameter(&parameter.name) {
                errors.push(CatalogError {
                    kind: ErrorKind::UnknownParameter {
                        reference: resource.reference.clone(),
                        parameter: Arc::clone(&parameter.name),
                        set: parameter.location.clone(),
                    },
                    location: resource.location.clone(),
                });
            }
        }
    }

    fn leftovers(&self) -> Vec<CatalogError> {
        if let Some(first) = self.overrides.first() {
            let all = self.overrides.iter().map(|o| o.reference.clone()).collect();
            return vec![CatalogError { kind: ErrorKind::UnresolvedOverrides(all), location: first.location.clone() }];
        }
        if let Some((_, location)) = self.to_realize.first() {
            let all = self.to_realize.iter().map(|(reference, _)| reference.clone()).collect();
            return vec![CatalogError {
                kind: ErrorKind::UnrealizedReferences(all),
                location: Location::clone(location),
            }];
        }
        Vec::new()
    }
}

fn check(errors: Vec<CatalogError>) -> Result<(), Vec<CatalogError>> {
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
