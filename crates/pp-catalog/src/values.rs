//! Values that the type of a resource does not accept (spec 07 §6.6 row 84).

use std::sync::Arc;

use pp_resource_types::{Given, Scalar};
use pp_types::{Value, rich_json};
use serde_json::Value as Json;

use crate::catalog::Catalog;
use crate::error::{CatalogError, CatalogWarning, ErrorKind};
use crate::parameter::Parameter;
use crate::resource::{Resource, ResourceKind};

impl Catalog {
    /// Returns what an agent would refuse about the values of native resources.
    pub(crate) fn check_values(&self) -> Vec<CatalogWarning> {
        let natives = self.resources.values().filter(|r| r.kind == ResourceKind::Native && !r.is_virtual);
        natives.flat_map(|resource| self.check_values_of(resource)).collect()
    }

    /// Returns the errors of values that a catalog cannot hold: floats that are not finite, as `0 / 0.0`, and type sets.
    pub(crate) fn check_rendering(&self) -> Vec<CatalogError> {
        let resources = self.resources.values().filter(|resource| !resource.is_virtual);
        let parameters = resources.flat_map(|resource| resource.parameters.iter().map(move |found| (resource, found)));
        let wrong =
            parameters.filter_map(|(resource, parameter)| Some((resource, parameter, obstacle(&parameter.value)?)));
        let error = |(resource, parameter, obstacle): (&Resource, &Parameter, Obstacle)| {
            let (reference, name) = (resource.reference.clone(), Arc::clone(&parameter.name));
            let kind = match obstacle {
                Obstacle::NotANumber => ErrorKind::NotANumber { reference, parameter: name },
                Obstacle::TypeSet => ErrorKind::TypeSetValue { reference, parameter: name },
            };
            CatalogError { kind, location: parameter.location.clone() }
        };
        wrong.map(error).collect()
    }

    fn check_values_of(&self, resource: &Resource) -> Vec<CatalogWarning> {
        let Some(native) = self.options.types.find(&resource.reference.type_name) else { return Vec::new() };
        let named = native.namevar();
        let parameters = &resource.parameters;
        let given =
            |name: &str| if name == named { parameters.name_value(name) } else { parameters.value(name) }.map(given);
        let problems = native.check(&resource.reference.title, &given);
        let warning = |problem: pp_resource_types::Problem| {
            let parameter = problem.attribute.as_ref().and_then(|name| resource.parameters.get(name));
            let location = parameter.map(|p| &p.location).filter(|l| l.line > 0).unwrap_or(&resource.location).clone();
            CatalogWarning::InvalidValue { reference: resource.reference.clone(), problem, location }
        };
        problems.into_iter().map(warning).collect()
    }
}

/// Why a catalog cannot hold a value.
enum Obstacle {
    NotANumber,
    TypeSet,
}

/// Returns the first part of a value that a catalog cannot hold.
fn obstacle(value: &Value) -> Option<Obstacle> {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Float(float) if !float.0.is_finite() => return Some(Obstacle::NotANumber),
            Value::Array(elements) => rest.extend(elements.iter()),
            Value::Hash(entries) => rest.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            Value::Sensitive(inner) => rest.push(inner),
            Value::Type(_) | Value::Deferred(_) | Value::Object(_) if has_type_set(&rich_json(value)) => {
                return Some(Obstacle::TypeSet);
            }
            _ => {}
        }
    }
    None
}

/// Returns whether a type set is in a value that was written as JSON.
fn has_type_set(json: &Json) -> bool {
    let mut rest = vec![json];
    while let Some(json) = rest.pop() {
        match json {
            Json::Array(elements) => rest.extend(elements),
            Json::Object(entries) => {
                if entries.get("__ptype").and_then(Json::as_str) == Some("Pcore::TypeSetType") {
                    return true;
                }
                rest.extend(entries.values());
            }
            _ => {}
        }
    }
    false
}

fn given(value: &Value) -> Given<'_> {
    match value {
        Value::Array(items) => Given::many(items.iter().filter_map(scalar).collect()),
        other => scalar(other).map_or_else(|| Given::many(Vec::new()), Given::one),
    }
}

/// Returns a value that can be checked; others are known only on the agent, or have a text of their own.
fn scalar(value: &Value) -> Option<Scalar<'_>> {
    match value {
        Value::Boolean(value) => Some(Scalar::Boolean(*value)),
        Value::Integer(value) => Some(Scalar::Integer(*value)),
        Value::Float(value) => Some(Scalar::Float(value.0)),
        Value::String(text) => Some(Scalar::Text(text)),
        Value::Hash(_) => Some(Scalar::Hash),
        _ => None,
    }
}
