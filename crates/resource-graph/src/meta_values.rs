//! Meta parameters as mcl values: assigning them by name and reading them back (spec 04 §3.5, spec 05 §2.2).

use std::fmt;

use mcl_diagnostics::nearest;
use mcl_value::Value;

use crate::{META_FIELDS, Meta, ResourceKind};

/// Why a value cannot be assigned to a meta parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetaError {
    /// No meta parameter has this name.
    Unknown {
        /// The name, in lower case.
        name: String,
        /// The meta parameter with the most similar name.
        similar: Option<&'static str>,
    },
    /// The value has another type than the meta parameter.
    WrongType {
        /// The meta parameter.
        name: &'static str,
        /// Its type, in mcl's notation.
        expected: &'static str,
        /// The kind of the value's type.
        found: &'static str,
    },
    /// The value is outside the range of the meta parameter.
    OutOfRange {
        /// The meta parameter.
        name: &'static str,
        /// The value.
        value: i64,
        /// What the meta parameter accepts, as the predicate of a sentence.
        accepts: &'static str,
    },
}

impl fmt::Display for MetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetaError::Unknown { name, similar } => {
                write!(f, "unknown meta parameter `Meta:{name}`")?;
                similar.map_or(Ok(()), |similar| write!(f, "; did you mean `Meta:{similar}`?"))
            }
            MetaError::WrongType { name, expected, found } => {
                write!(f, "expected a value of type {expected} for `Meta:{name}`, found one of kind {found}")
            }
            MetaError::OutOfRange { name, value, accepts } => {
                write!(f, "invalid value {value} for `Meta:{name}`: expected {accepts}")
            }
        }
    }
}

impl std::error::Error for MetaError {}

impl Meta {
    /// Sets one meta parameter, or all fields of a struct if the name is empty or `meta` (`Meta => struct{…}`). Case does
    /// not matter in names. Parameters that need a trait the kind lacks keep their default.
    ///
    /// # Errors
    /// The name is unknown, or the value has the wrong type or is out of range. Fields of a struct before the one that
    /// fails have been set.
    pub fn set(&mut self, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), MetaError> {
        let name = name.to_ascii_lowercase();
        if let Value::Struct(all) = value
            && (name.is_empty() || name == "meta")
        {
            return all.fields.iter().try_for_each(|(name, value)| self.set_one(kind, name, value));
        }
        self.set_one(kind, &name, value)
    }

    fn set_one(&mut self, kind: &ResourceKind, name: &str, value: &Value) -> Result<(), MetaError> {
        let traits = kind.traits;
        match (name, value) {
            ("noop", Value::Bool(v)) => self.noop = *v,
            ("retryreset", Value::Bool(v)) => self.retryreset = *v,
            ("reset", Value::Bool(v)) => self.reset = *v,
            ("rewatch", Value::Bool(v)) => self.rewatch = *v,
            ("realize", Value::Bool(v)) => self.realize = *v,
            ("dollar", Value::Bool(v)) => self.dollar = *v,
            ("hidden", Value::Bool(v)) => self.hidden = *v,
            ("reverse", Value::Bool(v)) => self.reverse = *v && traits.reverse,
            ("autoedge", Value::Bool(v)) => self.autoedge = *v || !traits.autoedge,
            ("autogroup", Value::Bool(v)) => self.autogroup = *v || !traits.autogroup,
            ("retry", Value::Int(n)) => {
                self.retry = in_range("retry", *n, "-1 (retry forever) or a number of retries up to 32767")?;
            }
            ("delay", Value::Int(n)) => self.delay = in_range("delay", *n, "a non-negative number of milliseconds")?,
            ("timeout", Value::Int(n)) => {
                self.timeout = in_range("timeout", *n, "a non-negative number of milliseconds")?;
            }
            ("poll", Value::Int(n)) => {
                self.poll = in_range("poll", *n, "a number of seconds up to 2147483647")?;
            }
            ("burst", Value::Int(n)) => self.burst = *n,
            ("limit", Value::Float(x)) => self.limit = *x,
            ("sema", Value::List(items)) => self.sema = strings("sema", items)?,
            ("export", Value::List(items)) => self.export = strings("export", items)?,
            _ => return Err(mismatch(name, value)),
        }
        Ok(())
    }

    /// Returns the value of a meta parameter; `None` if the name is unknown or mcl cannot express the value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        Some(match name {
            "noop" => self.noop.into(),
            "retry" => i64::from(self.retry).into(),
            "retryreset" => self.retryreset.into(),
            "delay" => i64::try_from(self.delay).ok()?.into(),
            "timeout" => i64::try_from(self.timeout).ok()?.into(),
            "poll" => i64::from(self.poll).into(),
            "limit" => self.limit.into(),
            "burst" => self.burst.into(),
            "reset" => self.reset.into(),
            "sema" => Value::list(self.sema.iter().map(String::as_str)),
            "rewatch" => self.rewatch.into(),
            "realize" => self.realize.into(),
            "dollar" => self.dollar.into(),
            "hidden" => self.hidden.into(),
            "export" => Value::list(self.export.iter().map(String::as_str)),
            "reverse" => self.reverse.into(),
            "autoedge" => self.autoedge.into(),
            "autogroup" => self.autogroup.into(),
            _ => return None,
        })
    }
}

fn in_range<T: TryFrom<i64>>(name: &'static str, value: i64, accepts: &'static str) -> Result<T, MetaError> {
    T::try_from(value).map_err(|_| MetaError::OutOfRange { name, value, accepts })
}

fn strings(name: &str, items: &[Value]) -> Result<Vec<String>, MetaError> {
    items
        .iter()
        .map(|item| match item {
            Value::Str(s) => Ok(s.to_text().into_owned()),
            other => Err(mismatch(name, other)),
        })
        .collect()
}

/// The error for a value that no match arm accepts: the name is unknown, or the type is wrong.
fn mismatch(name: &str, value: &Value) -> MetaError {
    match META_FIELDS.iter().find(|field| field.name == name) {
        Some(field) => MetaError::WrongType { name: field.name, expected: field.ty, found: value.kind() },
        None => {
            MetaError::Unknown { name: name.to_owned(), similar: nearest(name, META_FIELDS.iter().map(|f| f.name)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[track_caller]
    fn refused_with(name: &str, value: impl Into<Value>, expected: &str) {
        let mut meta = Meta::default();
        let error = meta.set(kind("test").unwrap(), name, &value.into()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn ranges_are_checked() {
        refused_with("retry", 40_000, "40000 for `Meta:retry`");
        refused_with("delay", -1, "non-negative");
        refused_with("timeout", -1, "non-negative");
        refused_with("poll", 1_i64 << 40, "`Meta:poll`");
        refused_with("retyr", 1, "did you mean `Meta:retry`?");
        refused_with("noop", 1, "of type bool");
    }

    #[test]
    fn names_ignore_case_and_a_struct_sets_all() {
        let mut meta = Meta::default();
        let test = kind("test").unwrap();
        meta.set(test, "NoOp", &true.into()).unwrap();
        meta.set(test, "", &Value::strukt([("retry", 3.into()), ("sema", Value::list(["x"]))])).unwrap();
        assert!(meta.noop);
        assert_eq!((meta.retry, meta.sema), (3, vec!["x".to_owned()]));
    }

    #[test]
    fn traits_that_a_kind_lacks_are_ignored() {
        let mut meta = Meta::default();
        meta.set(kind("test").unwrap(), "reverse", &true.into()).unwrap();
        assert!(!meta.reverse);
        meta.set(kind("file").unwrap(), "reverse", &true.into()).unwrap();
        assert!(meta.reverse);
    }
}
