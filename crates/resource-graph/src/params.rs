//! The parameters of one resource as its kind sees them.

use std::borrow::Cow;

use mcl_value::{MapValue, Value};

use crate::{Field, Meta, Resource, ResourceKind};

/// The parameters of a resource with the defaults of its kind, and zero values where there are none.
#[derive(Clone, Copy, Debug)]
pub struct Params<'a> {
    kind: &'static ResourceKind,
    resource: &'a Resource,
}

impl<'a> Params<'a> {
    /// Returns the parameters of a resource of a kind.
    pub(crate) fn new(kind: &'static ResourceKind, resource: &'a Resource) -> Params<'a> {
        Params { kind, resource }
    }

    /// Returns the resource's kind.
    #[must_use]
    pub fn kind(&self) -> &'static ResourceKind {
        self.kind
    }

    /// Returns the resource's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.resource.id.name
    }

    /// Returns the resource's meta parameters.
    #[must_use]
    pub fn meta(&self) -> &'a Meta {
        &self.resource.meta
    }

    /// Returns whether the program set a parameter.
    #[must_use]
    pub fn is_set(&self, param: &str) -> bool {
        self.resource.params.contains_key(param)
    }

    /// Returns the value that the program set.
    #[must_use]
    pub fn value(&self, param: &str) -> Option<&'a Value> {
        self.resource.params.get(param)
    }

    fn default(&self, param: &str) -> &'static str {
        self.kind.field(param).map_or("", |f| f.default)
    }

    /// Returns a boolean, `false` if there is neither a value nor a default.
    #[must_use]
    pub fn bool(&self, param: &str) -> bool {
        match self.value(param) {
            Some(Value::Bool(b)) => *b,
            _ => self.default(param) == "true",
        }
    }

    /// Returns an integer, 0 if there is neither a value nor a default.
    #[must_use]
    pub fn int(&self, param: &str) -> i64 {
        match self.value(param) {
            Some(Value::Int(i)) => *i,
            _ => self.default(param).parse().unwrap_or(0),
        }
    }

    /// Returns a string that the program set.
    #[must_use]
    pub(crate) fn given_string(&self, param: &str) -> Option<Cow<'a, str>> {
        match self.value(param) {
            Some(Value::Str(s)) => Some(s.to_text()),
            _ => None,
        }
    }

    /// Returns a string, empty if there is neither a value nor a default.
    #[must_use]
    pub fn string(&self, param: &str) -> Cow<'a, str> {
        self.given_string(param).unwrap_or_else(|| {
            let default = self.kind.field(param).and_then(Field::default_string);
            Cow::Borrowed(default.unwrap_or(""))
        })
    }

    /// Returns a string, or the resource's name if it is not set or empty.
    #[must_use]
    pub(crate) fn string_or_name(&self, param: &str) -> Cow<'a, str> {
        match self.given_string(param) {
            Some(string) if !string.is_empty() => string,
            _ => Cow::Borrowed(self.name()),
        }
    }

    /// Returns the elements of a list, which is empty if it is not set.
    #[must_use]
    pub fn list(&self, param: &str) -> &'a [Value] {
        match self.value(param) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// Returns the strings of a list.
    pub fn strings(&self, param: &str) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        self.list(param).iter().filter_map(|v| match v {
            Value::Str(s) => Some(s.to_text()),
            _ => None,
        })
    }

    /// Returns the entries of a map in the order of its keys; none if it is not set.
    pub fn entries(&self, param: &str) -> impl Iterator<Item = (&'a Value, &'a Value)> + use<'a> {
        self.value(param).and_then(Value::as_map).into_iter().flat_map(MapValue::iter)
    }
}
