//! Whether two resources are the same (spec 05 §4.2), and what differs if not.
//!
//! Used for duplicates in one program, and to keep what did not change when a new graph arrives. A parameter that is not
//! set equals its default, unless the kind tells "not set" from the zero value.

use std::borrow::Cow;

use mcl_value::Value;

use crate::kinds::file_path;
use crate::{Field, Params, Repr, Resource, syntax};

/// The first thing in which two resources differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The parameter, or `Meta:NAME`.
    pub what: String,
    /// The first resource's value, for people: shortened, and masked if it is secret.
    pub first: String,
    /// The second resource's.
    pub second: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is {} in one and {} in the other", self.what, self.first, self.second)
    }
}

impl Difference {
    fn new(what: impl Into<String>, first: impl Into<String>, second: impl Into<String>) -> Option<Difference> {
        Some(Difference { what: what.into(), first: first.into(), second: second.into() })
    }
}

/// What stands for a value that must not be shown.
pub const MASK: &str = "********";

/// A value for people, in at most about 60 characters.
#[must_use]
pub fn shown(resource: &Resource, param: &str, value: Option<&Value>) -> String {
    let Some(value) = value else { return String::from("not set") };
    if is_sensitive(resource, param) {
        return MASK.to_owned();
    }
    let mut text = value.to_json().to_string();
    if let Some((end, _)) = text.char_indices().nth(60) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Whether the value of a parameter must not be shown: its resource or its kind says so.
#[must_use]
pub fn is_sensitive(resource: &Resource, param: &str) -> bool {
    resource.sensitive.iter().any(|name| **name == *param)
        || crate::kind(&resource.id.kind).and_then(|k| k.field(param)).is_some_and(|f| f.sensitive)
}

/// The first difference of two resources; none if they are the same. Flows and origins are not compared.
#[must_use]
pub fn difference(a: &Resource, b: &Resource) -> Option<Difference> {
    if a.id.kind != b.id.kind {
        return Difference::new("kind", &*a.id.kind, &*b.id.kind);
    }
    if a.id.name != b.id.name {
        return Difference::new("name", &*a.id.name, &*b.id.name);
    }
    // Mostly nothing changed at all, and the maps are equal as they stand.
    if a.meta == b.meta && a.relay == b.relay && a.params == b.params && &*a.id.kind != "test" {
        return None;
    }
    param_difference(a, b).or_else(|| meta_difference(a, b)).or_else(|| {
        (a.relay != b.relay).then(|| Difference {
            what: String::from("relay"),
            first: a.relay.to_string(),
            second: b.relay.to_string(),
        })
    })
}

fn param_difference(a: &Resource, b: &Resource) -> Option<Difference> {
    let (Some(first), Some(second)) = (Params::of(a), Params::of(b)) else {
        // Nothing is known of the kind: compare what is there.
        let name = a.params.keys().chain(b.params.keys()).find(|name| a.params.get(name) != b.params.get(name))?;
        return Difference::new(&**name, shown(a, name, a.params.get(name)), shown(b, name, b.params.get(name)));
    };
    if &*a.id.kind == "file" {
        let (p, q) = (file_path(&first), file_path(&second));
        if p != q {
            return Difference::new("path", p, q);
        }
    }
    for field in first.kind().fields {
        if !same_field(&first, &second, field) {
            return Difference::new(
                field.name,
                shown(a, field.name, a.params.get(field.name)),
                shown(b, field.name, b.params.get(field.name)),
            );
        }
    }
    None
}

fn same_field(a: &Params<'_>, b: &Params<'_>, field: &Field) -> bool {
    let name = field.name;
    match (a.kind().name, name) {
        ("file", "path" | "dirname" | "basename") => return true,
        ("file", "mode") => return octal(&a.text(name)) == octal(&b.text(name)),
        ("test", "comparefail") => return !a.bool(name) && !b.bool(name),
        ("test", "func1") => return true,
        ("dhcp:server", "leasetime") => return syntax::duration(&a.text(name)) == syntax::duration(&b.text(name)),
        _ => {}
    }
    match (a.value(name), b.value(name)) {
        (None, None) => true,
        (Some(x), Some(y)) => x == y || (is_set_like(a.kind().name, name) && same_elements(x, y)),
        (Some(given), None) => is_default(a, field, given),
        (None, Some(given)) => is_default(b, field, given),
    }
}

/// Octal modes are compared by what they mean, symbolic ones as they are written.
fn octal(mode: &str) -> Result<u32, Cow<'_, str>> {
    u32::from_str_radix(mode, 8).map_err(|_| Cow::Borrowed(mode))
}

/// Lists whose order means nothing.
fn is_set_like(kind: &str, param: &str) -> bool {
    matches!((kind, param), ("user", "groups") | ("net", "addrs") | ("docker:container", "env"))
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

/// Whether a value that was given is what the kind would have taken anyway.
fn is_default(params: &Params<'_>, field: &Field, given: &Value) -> bool {
    if field.optional {
        return false;
    }
    match given {
        Value::Bool(b) => *b == (field.default == "true"),
        Value::Int(i) => *i == field.default.parse().unwrap_or(0),
        Value::Float(x) => *x == 0.0,
        Value::Str(s) => {
            let text = s.to_text();
            let default = field.default_text().unwrap_or("");
            text == default || (field.defaults_to_name() && text == params.name())
        }
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty() && field.default.is_empty(),
        Value::Struct(st) => st.fields.iter().all(|(_, v)| v.type_of().is_some_and(|ty| *v == Value::zero(&ty))),
        Value::Func(_) | Value::Nil => false,
    }
}

fn meta_difference(a: &Resource, b: &Resource) -> Option<Difference> {
    let (a, b) = (&a.meta, &b.meta);
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        format!("{list:?}")
    };
    let pairs = [
        ("noop", a.noop.to_string(), b.noop.to_string()),
        ("retry", a.retry.to_string(), b.retry.to_string()),
        ("retryreset", a.retryreset.to_string(), b.retryreset.to_string()),
        ("delay", a.delay.to_string(), b.delay.to_string()),
        ("timeout", a.timeout.to_string(), b.timeout.to_string()),
        ("poll", a.poll.to_string(), b.poll.to_string()),
        ("limit", a.limit.to_string(), b.limit.to_string()),
        ("burst", a.burst.to_string(), b.burst.to_string()),
        ("reset", a.reset.to_string(), b.reset.to_string()),
        ("sema", sorted(&a.sema), sorted(&b.sema)),
        ("rewatch", a.rewatch.to_string(), b.rewatch.to_string()),
        ("realize", a.realize.to_string(), b.realize.to_string()),
        ("dollar", a.dollar.to_string(), b.dollar.to_string()),
        ("hidden", a.hidden.to_string(), b.hidden.to_string()),
        ("export", sorted(&a.export), sorted(&b.export)),
        ("reverse", a.reverse.to_string(), b.reverse.to_string()),
        ("autoedge", a.autoedge.to_string(), b.autoedge.to_string()),
        ("autogroup", a.autogroup.to_string(), b.autogroup.to_string()),
    ];
    let (name, first, second) = pairs.into_iter().find(|(_, first, second)| first != second)?;
    Difference::new(format!("Meta:{name}"), first, second)
}

impl Field {
    /// The default, where it is a text.
    pub(crate) fn default_text(&self) -> Option<&'static str> {
        self.default.strip_prefix('"')?.strip_suffix('"')
    }

    /// The smallest and the greatest integer that the host can store.
    #[must_use]
    pub fn int_range(&self) -> std::ops::RangeInclusive<i64> {
        match self.repr {
            Repr::Plain | Repr::Int64 | Repr::Float32 => i64::MIN..=i64::MAX,
            Repr::Int8 => i8::MIN.into()..=i8::MAX.into(),
            Repr::Int16 => i16::MIN.into()..=i16::MAX.into(),
            Repr::Int32 => i32::MIN.into()..=i32::MAX.into(),
            Repr::Uint | Repr::Uint64 => 0..=i64::MAX,
            Repr::Uint8 => 0..=u8::MAX.into(),
            Repr::Uint16 => 0..=u16::MAX.into(),
            Repr::Uint32 => 0..=u32::MAX.into(),
        }
    }
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
    fn what_is_not_set_equals_its_default() {
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
