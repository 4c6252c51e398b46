//! Reads the parameters of a resource into the types of its provider.

use std::path::PathBuf;
use std::sync::Arc;

use mcl_value::{Str, Value};
use resource_graph::Resource;

use crate::Failure;

/// The parameters of a resource, by name. A parameter that is not set has the zero value (spec 05 §0).
#[derive(Clone, Copy)]
pub struct Params<'a> {
    resource: &'a Resource,
}

impl<'a> Params<'a> {
    /// Wraps the parameters of a resource.
    #[must_use]
    pub fn new(resource: &'a Resource) -> Params<'a> {
        Params { resource }
    }

    /// Returns the name of the resource.
    #[must_use]
    pub fn name(self) -> &'a Arc<str> {
        &self.resource.id.name
    }

    /// Returns the raw value, if set.
    #[must_use]
    pub fn value(self, key: &str) -> Option<&'a Value> {
        self.resource.params.get(key)
    }

    fn mismatch(self, key: &str, expected: &str) -> Failure {
        Failure::Invalid(format!("parameter `{key}` of {} must be {expected}", self.resource.id))
    }

    /// Returns the bytes of a string, if set.
    ///
    /// # Errors
    /// The value has another type; the methods below fail likewise.
    pub(crate) fn opt_bytes(self, key: &str) -> Result<Option<&'a Str>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Str(s)) => Ok(Some(s)),
            Some(_) => Err(self.mismatch(key, "a string")),
        }
    }

    /// Returns a string, if set; it must be valid UTF-8.
    #[allow(clippy::missing_errors_doc)]
    pub(crate) fn opt_str(self, key: &str) -> Result<Option<&'a str>, Failure> {
        match self.opt_bytes(key)? {
            None => Ok(None),
            Some(s) => match std::str::from_utf8(s.as_bytes()) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.mismatch(key, "valid UTF-8")),
            },
        }
    }

    /// Returns a string; empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn str(self, key: &str) -> Result<&'a str, Failure> {
        Ok(self.opt_str(key)?.unwrap_or(""))
    }

    /// Returns a boolean, if set.
    #[allow(clippy::missing_errors_doc)]
    pub(crate) fn opt_bool(self, key: &str) -> Result<Option<bool>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Bool(b)) => Ok(Some(*b)),
            Some(_) => Err(self.mismatch(key, "a bool")),
        }
    }

    /// Returns a boolean; false if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn bool(self, key: &str) -> Result<bool, Failure> {
        Ok(self.opt_bool(key)?.unwrap_or(false))
    }

    /// Returns an integer, if set.
    #[allow(clippy::missing_errors_doc)]
    pub(crate) fn opt_int(self, key: &str) -> Result<Option<i64>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Int(n)) => Ok(Some(*n)),
            Some(_) => Err(self.mismatch(key, "an int")),
        }
    }

    /// Returns an integer; 0 if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn int(self, key: &str) -> Result<i64, Failure> {
        Ok(self.opt_int(key)?.unwrap_or(0))
    }

    /// Returns a list of strings, if set.
    #[allow(clippy::missing_errors_doc)]
    pub(crate) fn opt_list(self, key: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let Value::List(items) = value else { return Err(self.mismatch(key, "a list of strings")) };
        let texts = items.iter().map(|item| match item {
            Value::Str(s) => std::str::from_utf8(s.as_bytes())
                .map(str::to_owned)
                .map_err(|_| self.mismatch(key, "a list of valid UTF-8 strings")),
            _ => Err(self.mismatch(key, "a list of strings")),
        });
        texts.collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// Returns a list of strings; empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn list(self, key: &str) -> Result<Vec<String>, Failure> {
        Ok(self.opt_list(key)?.unwrap_or_default())
    }

    /// Returns a map of strings, sorted by key; empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn map(self, key: &str) -> Result<Vec<(String, String)>, Failure> {
        let Some(value) = self.value(key) else { return Ok(Vec::new()) };
        let Value::Map(map) = value else { return Err(self.mismatch(key, "a map of strings")) };
        let mut pairs = Vec::with_capacity(map.len());
        for (k, v) in map.iter() {
            let (Value::Str(k), Value::Str(v)) = (k, v) else { return Err(self.mismatch(key, "a map of strings")) };
            pairs.push((k.to_text().into_owned(), v.to_text().into_owned()));
        }
        pairs.sort();
        Ok(pairs)
    }

    /// Returns a list of absolute paths; empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub(crate) fn absolute_paths(self, key: &str) -> Result<Vec<PathBuf>, Failure> {
        let paths = self.list(key)?;
        if let Some(bad) = paths.iter().find(|p| !p.starts_with('/')) {
            return Err(Failure::Invalid(format!("the path `{bad}` in `{key}` must be absolute")));
        }
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}
