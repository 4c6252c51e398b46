//! Values that the types of Puppet do not accept: an agent refuses a catalog that has one (spec 07 §1.8, spec 09 §11).

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_resource_types::{Given, KnownTypes, Problem, Scalar};

use crate::catalog::{Catalog, CatalogResource};
use crate::lookup::known_type;
use crate::translate::sensitive::without_secrets;
use crate::value::PuppetValue;

/// Returns an error for each value of a native resource that its type does not accept.
pub(super) fn refused_values(catalog: &Catalog, types: &KnownTypes) -> Vec<Diagnostic> {
    let natives = catalog.resources.iter().filter(|resource| !resource.is_container());
    natives.flat_map(|resource| problems(resource, types).into_iter().map(|problem| error(resource, problem))).collect()
}

/// What is known of a type from its source alone is not enough to refuse a catalog.
fn problems(resource: &CatalogResource, types: &KnownTypes) -> Vec<Problem> {
    let Some(declared) = known_type(types, &resource.reference.type_name).and_then(|known| known.declared()) else {
        return Vec::new();
    };
    let given = |name: &str| resource.parameter(name).map(given);
    declared.check(&resource.reference.title, &given)
}

fn given(value: &PuppetValue) -> Given<'_> {
    match value {
        PuppetValue::Sensitive(inner) => given(inner),
        PuppetValue::Array(items) => Given::many(items.iter().filter_map(scalar).collect()),
        other => scalar(other).map_or_else(|| Given::many(Vec::new()), Given::one),
    }
}

/// Returns a value that can be checked.
fn scalar(value: &PuppetValue) -> Option<Scalar<'_>> {
    match value {
        PuppetValue::Boolean(value) => Some(Scalar::Boolean(*value)),
        PuppetValue::Integer(value) => Some(Scalar::Integer(*value)),
        PuppetValue::Float(value) => Some(Scalar::Float(*value)),
        PuppetValue::String(text) => Some(Scalar::Text(text)),
        PuppetValue::Hash(_) => Some(Scalar::Hash),
        _ => None,
    }
}

fn error(resource: &CatalogResource, problem: Problem) -> Diagnostic {
    let origin = resource.origin().map(|origin| format!(" ({origin})")).unwrap_or_default();
    let message = match &problem.attribute {
        Some(attribute) => format!("Parameter {attribute} failed on {}: {problem}{origin}", resource.reference),
        None => format!("Validation of {} failed: {problem}{origin}", resource.reference),
    };
    let message = without_secrets(vec![message], resource).concat();
    Diagnostic::error(Code::P0611, Stage::Puppet, message).help("an agent would refuse the whole catalog")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_catalog;

    #[track_caller]
    fn check(type_name: &str, parameters: &str, expected: &[&str]) {
        let catalog = format!(
            r#"{{"name": "n", "resources": [{{"type": "{type_name}", "title": "/t", "file": "site.pp", "line": 3,
                "kind": "compilable_type", "parameters": {parameters}, "sensitive_parameters": ["environment"]}}]}}"#
        );
        let (catalog, _) = read_catalog(catalog.as_bytes()).unwrap();
        let errors = refused_values(&catalog, &KnownTypes::all());
        assert_eq!(errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_that_an_agent_refuses_are_errors_with_its_words() {
        check(
            "Exec",
            r#"{"path": "/bin", "creates": "x"}"#,
            &["Parameter creates failed on Exec[/t]: Invalid value \"x\": expected a fully qualified path (site.pp:3)"],
        );
        check(
            "File",
            r#"{"ensure": "file", "content": "x", "source": "/x"}"#,
            &["Validation of File[/t] failed: You cannot specify more than one of content, source, target (site.pp:3)"],
        );
        check("File", r#"{"mode": "0644", "content": {"__ptype": "Deferred", "name": "f", "arguments": []}}"#, &[]);
        check("Unknown", r#"{"mode": "x"}"#, &[]);
    }

    #[test]
    fn sensitive_values_are_not_quoted() {
        let hidden = "Parameter environment failed on Exec[/t]: Invalid value \"********\": \
                      expected a setting such as 'NAME=value' (site.pp:3)";
        check("Exec", r#"{"environment": "s3cret"}"#, &[hidden]);
    }
}
