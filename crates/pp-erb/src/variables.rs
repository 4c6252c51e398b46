//! A scope without a compilation.

use std::sync::Arc;

use indexmap::IndexMap;
use pp_types::{Error, ErrorKind, Value};

use crate::objects::{Change, Found};
use crate::scope::{Mutability, Scope};

/// A function that templates can call: its name and its arguments.
pub type CallFunction = fn(&str, &[Value]) -> Result<Value, Error>;

/// A scope that consists of variables, for rendering a template outside of a manifest.
///
/// A template may set further variables. Nobody sees what it changes in a value.
#[derive(Clone, Debug)]
pub struct Variables {
    values: IndexMap<Arc<str>, Value>,
    /// What changing a string does; arrays and hashes can be changed.
    pub strings: Mutability,
    /// The functions, which have both interfaces; `None` if there are none.
    pub functions: Option<CallFunction>,
}

impl Variables {
    /// Makes a scope of variables, without functions, whose strings cannot be changed.
    pub fn new(values: impl IntoIterator<Item = (Arc<str>, Value)>) -> Variables {
        Variables { values: values.into_iter().collect(), strings: Mutability::Frozen, functions: None }
    }

    fn found(value: &Value) -> Found {
        Found { value: value.clone(), parameter: None }
    }
}

fn unknown_function(name: &str) -> Error {
    Error::new(ErrorKind::Unknown, format!("Unknown function '{name}'"))
}

impl Scope for Variables {
    fn variable(&mut self, name: &str) -> Option<Found> {
        self.values.get(name).map(Variables::found)
    }

    fn lookup(&mut self, name: &str) -> Result<Found, Error> {
        Ok(self.variable(name).unwrap_or(Found { value: Value::Undef, parameter: None }))
    }

    fn variables(&mut self) -> Vec<(Arc<str>, Found)> {
        self.values.iter().map(|(name, value)| (Arc::clone(name), Variables::found(value))).collect()
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error> {
        if self.values.contains_key(name) {
            return Err(Error::new(ErrorKind::Unknown, format!("Cannot reassign variable '${name}'")));
        }
        self.values.insert(name.into(), value);
        Ok(())
    }

    fn mutability(&mut self, value: &Value) -> Mutability {
        match value {
            Value::String(_) => self.strings,
            _ => Mutability::Shared,
        }
    }

    fn change(&mut self, _: &[Change]) -> Result<(), Error> {
        Ok(())
    }

    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        match self.functions {
            Some(call) => call(name, arguments),
            None => Err(unknown_function(name)),
        }
    }

    fn convert(&mut self, function: &str, _: &Value) -> Result<Value, Error> {
        Err(unknown_function(function))
    }

    fn has_legacy_function(&mut self, _: &str) -> bool {
        self.functions.is_some()
    }

    fn resource(&mut self) -> String {
        "Class[main]".to_owned()
    }

    fn charge(&mut self, _: u64, _: u64) -> Result<(), Error> {
        Ok(())
    }
}
