//! The queries of collectors (spec 07 §5.8, §9.1).

use std::sync::Arc;

use pp_types::{Value, equal, interpolate};

use crate::resource::Resource;

/// The query of a collector, with evaluated values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// `attribute == value` or `attribute != value`. Only `tag == value` asks for tags; `!=` compares the parameter.
    Compare {
        /// The name of a parameter, `title` or `tag`.
        attribute: Arc<str>,
        /// The operator.
        comparison: Comparison,
        /// The value.
        value: Value,
    },
    /// `left and right`
    And(Box<Query>, Box<Query>),
    /// `left or right`
    Or(Box<Query>, Box<Query>),
}

/// The operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
}

impl Query {
    /// Returns whether the query is about tags, which a resource also gets from the resource of its scope.
    pub(crate) fn asks_for_tags(&self) -> bool {
        match self {
            Query::Compare { attribute, comparison, .. } => &**attribute == "tag" && *comparison == Comparison::Equal,
            Query::And(left, right) | Query::Or(left, right) => left.asks_for_tags() || right.asks_for_tags(),
        }
    }

    /// Returns an attribute, `title` or `tag`, and the text that a resource must have there, in any case, to match: a title if
    /// the query asks for one.
    pub(crate) fn key(&self) -> Option<(&str, &str)> {
        match self {
            Query::Compare { attribute, comparison: Comparison::Equal, value: Value::String(text) } => {
                Some((attribute, text))
            }
            Query::Compare { .. } | Query::Or(..) => None,
            Query::And(left, right) => match (left.key(), right.key()) {
                (Some(key), _) if key.0 == "title" => Some(key),
                (_, Some(key)) if key.0 == "title" => Some(key),
                (left, right) => left.or(right),
            },
        }
    }

    /// Returns whether a resource matches. `is_tagged` says whether it has a tag.
    pub(crate) fn matches(&self, resource: &Resource, is_tagged: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Query::Compare { attribute, comparison, value } => {
                let title = || Value::String(Arc::clone(&resource.reference.title));
                let parameter = resource.parameters.value(attribute);
                match (comparison, &**attribute) {
                    (Comparison::Equal, "title") => equal(&title(), value),
                    (Comparison::NotEqual, "title") => !equal(&title(), value),
                    (Comparison::Equal, "tag") => has_tag(value, is_tagged),
                    (Comparison::Equal, _) => holds(parameter, value),
                    (Comparison::NotEqual, _) => !equal(parameter.unwrap_or(&Value::Undef), value),
                }
            }
            Query::And(left, right) => left.matches(resource, is_tagged) && right.matches(resource, is_tagged),
            Query::Or(left, right) => left.matches(resource, is_tagged) || right.matches(resource, is_tagged),
        }
    }
}

fn has_tag(value: &Value, is_tagged: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_tag(item, is_tagged)),
        Value::String(tag) => is_tagged(tag),
        other => is_tagged(&interpolate(other)),
    }
}

/// `==`: an array holds each of its elements, and nothing else. `!=` compares the array itself.
fn holds(parameter: Option<&Value>, value: &Value) -> bool {
    match parameter {
        Some(Value::Array(items)) => items.iter().any(|item| equal(item, value)),
        Some(other) => equal(other, value),
        None => *value == Value::Undef,
    }
}
