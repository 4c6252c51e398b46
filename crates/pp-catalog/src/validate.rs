//! The targets of relationships (spec 07 §5.17 step 10).

use std::sync::Arc;

use pp_resource_types::METAPARAMETERS;
use pp_types::Value;

use crate::catalog::Catalog;
use crate::error::{CatalogError, ErrorKind};
use crate::parameter::Parameter;
use crate::reference::Reference;
use crate::resource::Resource;

impl Catalog {
    /// Flattens the relationships of all resources that are not virtual, and checks that their targets exist.
    pub(crate) fn check_references(&mut self) -> Vec<CatalogError> {
        let mut errors = Vec::new();
        for id in self.resources.keys() {
            let resource = &self.resources[id];
            if resource.is_virtual {
                continue;
            }
            for parameter in &resource.parameters {
                if is_relationship(&parameter.name) {
                    self.check_targets(resource, parameter, &mut errors);
                }
            }
            for (name, value) in self.resources[id].parameters.values_mut() {
                if is_relationship(name) && needs_flattening(value) {
                    *value = flattened(value);
                }
            }
        }
        errors
    }

    fn check_targets(&self, resource: &Resource, parameter: &Parameter, errors: &mut Vec<CatalogError>) {
        let location = if parameter.location.line > 0 { &parameter.location } else { &resource.location };
        let mut stack = vec![&parameter.value];
        while let Some(value) = stack.pop() {
            let kind = match value {
                Value::Array(items) => {
                    stack.extend(items.iter().rev());
                    continue;
                }
                Value::Undef => continue,
                value => match Reference::from_value(value) {
                    Ok(target) if self.find(&target).is_some() => continue,
                    Ok(unknown) => {
                        let other = resource.reference.clone();
                        ErrorKind::UnknownTarget { unknown, other, parameter: Arc::clone(&parameter.name) }
                    }
                    Err(invalid) => ErrorKind::InvalidReference(invalid),
                },
            };
            errors.push(CatalogError { kind, location: location.clone() });
        }
    }
}

fn is_relationship(name: &str) -> bool {
    METAPARAMETERS.iter().any(|m| m.relationship && m.name == name)
}

fn needs_flattening(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| matches!(item, Value::Array(_) | Value::Undef)),
        _ => false,
    }
}

fn flattened(value: &Value) -> Value {
    let mut flat = Vec::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Undef => {}
            other => flat.push(other.clone()),
        }
    }
    Value::array(flat)
}
