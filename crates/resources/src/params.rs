//! Reading the parameters of a resource into a kind's own types.

use std::path::PathBuf;
use std::sync::Arc;

use mcl_value::{Str, Value};
use resource_graph::Resource;

use crate::Failure;

/// A resource's parameters, read by name; one that was not set reads as the zero value (spec 05 §0).
#[derive(Clone, Copy)]
pub struct Params<'a> {
    resource: &'a Resource,
}

impl<'a> Params<'a> {
    /// The parameters of a resource.
    #[must_use]
    pub fn new(resource: &'a Resource) -> Params<'a> {
        Params { resource }
    }

    /// The resource's name.
    #[must_use]
    pub fn name(self) -> &'a Arc<str> {
        &self.resource.id.name
    }

    /// The raw value, if set.
    #[must_use]
    pub fn value(self, key: &str) -> Option<&'a Value> {
        self.resource.params.get(key)
    }

    fn mismatch(self, key: &str, expected: &str) -> Failure {
        Failure::Invalid(format!("parameter `{key}` of {} must be {expected}", self.resource.id))
    }

    /// The bytes of a string, if set.
    ///
    /// # Errors
    /// It is no string; so for the methods below.
    pub fn opt_bytes(self, key: &str) -> Result<Option<&'a Str>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Str(s)) => Ok(Some(s)),
            Some(_) => Err(self.mismatch(key, "a string")),
        }
    }

    /// A text, if set; it must be UTF-8.
    #[allow(clippy::missing_errors_doc)]
    pub fn opt_str(self, key: &str) -> Result<Option<&'a str>, Failure> {
        match self.opt_bytes(key)? {
            None => Ok(None),
            Some(s) => match std::str::from_utf8(s.as_bytes()) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.mismatch(key, "valid UTF-8")),
            },
        }
    }

    /// A text, empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn str(self, key: &str) -> Result<&'a str, Failure> {
        Ok(self.opt_str(key)?.unwrap_or(""))
    }

    /// A flag, if set.
    #[allow(clippy::missing_errors_doc)]
    pub fn opt_bool(self, key: &str) -> Result<Option<bool>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Bool(b)) => Ok(Some(*b)),
            Some(_) => Err(self.mismatch(key, "a bool")),
        }
    }

    /// A flag, false if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn bool(self, key: &str) -> Result<bool, Failure> {
        Ok(self.opt_bool(key)?.unwrap_or(false))
    }

    /// A number, if set.
    #[allow(clippy::missing_errors_doc)]
    pub fn opt_int(self, key: &str) -> Result<Option<i64>, Failure> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Int(n)) => Ok(Some(*n)),
            Some(_) => Err(self.mismatch(key, "an int")),
        }
    }

    /// A number, 0 if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn int(self, key: &str) -> Result<i64, Failure> {
        Ok(self.opt_int(key)?.unwrap_or(0))
    }

    /// A list of texts, if set.
    #[allow(clippy::missing_errors_doc)]
    pub fn opt_list(self, key: &str) -> Result<Option<Vec<String>>, Failure> {
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

    /// A list of texts, empty if not set.
    #[allow(clippy::missing_errors_doc)]
    pub fn list(self, key: &str) -> Result<Vec<String>, Failure> {
        Ok(self.opt_list(key)?.unwrap_or_default())
    }

    /// A map of texts sorted by key, empty if not set.
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

    /// Absolute paths.
    #[allow(clippy::missing_errors_doc)]
    pub fn absolute_paths(self, key: &str) -> Result<Vec<PathBuf>, Failure> {
        let paths = self.list(key)?;
        if let Some(bad) = paths.iter().find(|p| !p.starts_with('/')) {
            return Err(Failure::Invalid(format!("the path `{bad}` in `{key}` must be absolute")));
        }
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}
