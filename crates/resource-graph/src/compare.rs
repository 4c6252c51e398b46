//! Comparison of two resources (spec 05 §4.2): whether they are equal, and the first difference if not.
//!
//! Used for duplicates in one program, and to keep unchanged resources when a new graph arrives. A parameter that is not
//! set equals its default, unless the kind distinguishes "not set" from the zero value.

use std::sync::LazyLock;

use mcl_value::Value;

use crate::{Comparison, Field, MASK, META_FIELDS, Params, Resource, all_kinds, has_sensitive_parameter, is_sensitive};

/// The first difference between two resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The parameter, or `Meta:NAME`.
    pub what: String,
    /// The first resource's value for people: shortened, and masked if it is secret.
    pub first: String,
    /// The second resource's value, likewise.
    pub second: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is {} in one and {} in the other", self.what, self.first, self.second)
    }
}

impl Difference {
    fn new(what: impl Into<String>, first: impl Into<String>, second: impl Into<String>) -> Difference {
        Difference { what: what.into(), first: first.into(), second: second.into() }
    }
}

/// The length to which [`shown`] shortens a value, in characters.
const SHOWN_CHARACTERS: usize = 60;

/// Formats a value for people: shortened to 60 characters, and masked if it is secret.
#[must_use]
pub fn shown(resource: &Resource, param: &str, value: Option<&Value>) -> String {
    let Some(value) = value else { return String::from("not set") };
    if is_sensitive(resource, param) {
        return MASK.to_owned();
    }
    let mut shown = value.to_json().to_string();
    if let Some((end, _)) = shown.char_indices().nth(SHOWN_CHARACTERS) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// Returns the first difference between two resources; `None` if they are equal. Flows and origins are not compared.
#[must_use]
pub fn difference(a: &Resource, b: &Resource) -> Option<Difference> {
    if a.id.kind != b.id.kind {
        return Some(Difference::new("kind", &*a.id.kind, &*b.id.kind));
    }
    if a.id.name != b.id.name {
        return Some(Difference::new("name", &*a.id.name, &*b.id.name));
    }
    if let Some(parameter) = never_equal(a).or_else(|| never_equal(b)) {
        return Some(param_difference(a, b, parameter));
    }
    // Usually nothing changed, and the maps are equal without regard to defaults.
    if a.meta == b.meta && a.propagates_refresh == b.propagates_refresh && a.params == b.params {
        return None;
    }
    first_param_difference(a, b).or_else(|| meta_difference(a, b)).or_else(|| {
        let (first, second) = (a.propagates_refresh, b.propagates_refresh);
        (first != second).then(|| Difference::new("propagates_refresh", first.to_string(), second.to_string()))
    })
}

/// Returns the parameter that makes a resource differ from every other one.
fn never_equal(resource: &Resource) -> Option<&'static str> {
    // Kinds with such a parameter are rare, and most resources that are compared are equal: do not look up each kind.
    static PARAMETERS: LazyLock<Vec<(&str, &str)>> =
        LazyLock::new(|| all_kinds().iter().filter_map(|k| Some((k.name, k.never_equal_parameter?))).collect());
    let (_, parameter) = PARAMETERS.iter().find(|(kind, _)| *kind == &*resource.id.kind)?;
    Params::of(resource)?.bool(parameter).then_some(*parameter)
}

fn param_difference(a: &Resource, b: &Resource, name: &str) -> Difference {
    if is_sensitive(a, name) || is_sensitive(b, name) {
        return Difference::new(name, MASK, MASK);
    }
    Difference::new(name, shown(a, name, a.params.get(name)), shown(b, name, b.params.get(name)))
}

fn first_param_difference(a: &Resource, b: &Resource) -> Option<Difference> {
    let (Some(first), Some(second)) = (Params::of(a), Params::of(b)) else {
        // The kind is unknown: compare what is set.
        let name = a.params.keys().chain(b.params.keys()).find(|name| a.params.get(name) != b.params.get(name))?;
        return Some(param_difference(a, b, name));
    };
    first.kind().fields.iter().find_map(|field| {
        let equal = match field.comparison {
            Comparison::Value => same_value(&first, &second, field, |_, _| false),
            Comparison::Unordered => same_value(&first, &second, field, same_elements),
            Comparison::Ignored => true,
            Comparison::Custom(equal) => equal(&first, &second),
            Comparison::Derived(derive) => {
                let (x, y) = (derive(&first), derive(&second));
                if x == y {
                    return None;
                }
                if has_sensitive_parameter(a) || has_sensitive_parameter(b) {
                    return Some(Difference::new(field.name, MASK, MASK));
                }
                return Some(Difference::new(field.name, x, y));
            }
        };
        (!equal).then(|| param_difference(a, b, field.name))
    })
}

fn same_value(a: &Params<'_>, b: &Params<'_>, field: &Field, similar: fn(&Value, &Value) -> bool) -> bool {
    match (a.value(field.name), b.value(field.name)) {
        (None, None) => true,
        (Some(x), Some(y)) => x == y || similar(x, y),
        (Some(given), None) => is_default(a, field, given),
        (None, Some(given)) => is_default(b, field, given),
    }
}

fn same_elements(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_list(), b.as_list()) else { return false };
    let sorted = |items: &[Value]| {
        let mut items: Vec<Value> = items.to_vec();
        items.sort_by(Value::display_order);
        items
    };
    a.len() == b.len() && sorted(a) == sorted(b)
}

/// Returns whether a value that is set equals the one that the kind uses otherwise.
fn is_default(params: &Params<'_>, field: &Field, given: &Value) -> bool {
    if field.optional {
        return false;
    }
    match given {
        Value::Bool(b) => *b == (field.default == "true"),
        Value::Int(i) => *i == field.default.parse().unwrap_or(0),
        Value::Float(x) => *x == 0.0,
        Value::Str(s) => {
            let string = s.to_text();
            let default = field.default_string().unwrap_or("");
            string == default || (field.defaults_to_name() && string == params.name())
        }
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty() && field.default.is_empty(),
        Value::Struct(st) => st.fields.iter().all(|(_, v)| v.type_of().is_some_and(|ty| *v == Value::zero(&ty))),
        Value::Func(_) | Value::Nil => false,
    }
}

fn meta_difference(a: &Resource, b: &Resource) -> Option<Difference> {
    META_FIELDS.iter().find_map(|field| {
        let (first, second) = (field.shown(&a.meta), field.shown(&b.meta));
        (first != second).then(|| Difference::new(format!("Meta:{}", field.name), first, second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceId;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[track_caller]
    fn check(a: Resource, b: Resource, expected: &str) {
        let shown = |d: Option<Difference>| d.map_or("same".to_owned(), |d| d.to_string());
        assert_eq!(shown(difference(&a, &b)), expected);
        assert_eq!(difference(&b, &a).is_none(), expected == "same");
    }

    #[test]
    fn unset_parameters_equal_their_default() {
        let plain = || resource("file", "/a");
        check(plain(), plain().with("state", ""), "same");
        check(plain(), plain().with("recurse", false).with("fragments", Value::list([""; 0])), "same");
        check(plain(), plain().with("path", "/a"), "same");
        check(resource("pkg", "x"), resource("pkg", "x").with("state", "installed"), "same");
        check(resource("sysctl", "x").with("runtime", true), resource("sysctl", "x"), "same");
        check(resource("exec", "ls"), resource("exec", "ls").with("cmd", "ls"), "same");
    }

    #[test]
    fn an_optional_parameter_set_to_nothing_is_set() {
        check(
            resource("file", "/a"),
            resource("file", "/a").with("content", ""),
            "`content` is not set in one and \"\" in the other",
        );
    }

    #[test]
    fn modes_are_compared_by_meaning() {
        check(resource("file", "/a").with("mode", "644"), resource("file", "/a").with("mode", "0644"), "same");
        check(
            resource("file", "/a").with("mode", "644"),
            resource("file", "/a").with("mode", "600"),
            "`mode` is \"644\" in one and \"600\" in the other",
        );
    }

    #[test]
    fn order_of_groups_does_not_matter() {
        let user = |groups: [&str; 2]| resource("user", "u").with("groups", Value::list(groups));
        check(user(["a", "b"]), user(["b", "a"]), "same");
        check(user(["a", "b"]), user(["b", "b"]), r#"`groups` is ["a","b"] in one and ["b","b"] in the other"#);
    }

    #[test]
    fn secrets_are_not_shown() {
        let secret = |content: &str| {
            let mut r = resource("file", "/a").with("content", content);
            r.sensitive.push("content".into());
            r
        };
        check(secret("x"), secret("y"), "`content` is ******** in one and ******** in the other");
    }

    #[test]
    fn meta_parameters_count() {
        let mut other = resource("noop", "a");
        other.meta.retryreset = true;
        check(resource("noop", "a"), other, "`Meta:retryreset` is false in one and true in the other");
        let sema = |ids: [&str; 2]| {
            let mut r = resource("noop", "a");
            r.meta.sema = ids.map(String::from).to_vec();
            r
        };
        check(sema(["x", "y"]), sema(["y", "x"]), "same");
    }

    #[test]
    fn a_test_can_refuse_to_equal_anything() {
        let never = resource("test", "t").with("comparefail", true);
        assert!(difference(&never, &never.clone()).is_some());
    }
}
