//! The parameters of a resource.

use std::sync::Arc;

use pp_types::Value;
use rustc_hash::FxHashMap;

use crate::id::SourceId;
use crate::location::Location;

/// A parameter of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: Arc<str>,
    /// The value; undef is a parameter that is set to have no value.
    pub value: Value,
    /// The class, define or node that set it.
    pub source: SourceId,
    /// Where it was set.
    pub location: Location,
    /// Set with `+>`: the value is appended to an existing one.
    pub append: bool,
}

/// The number of parameters from which on an index helps.
const INDEXED_FROM: usize = 16;

/// Parameters in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    list: Vec<Parameter>,
    /// The position of each name, if there are many.
    index: Option<FxHashMap<Arc<str>, usize>>,
}

impl Parameters {
    /// Creates an empty list with space for a number of parameters.
    #[must_use]
    pub fn with_capacity(parameters: usize) -> Parameters {
        Parameters { list: Vec::with_capacity(parameters), index: None }
    }

    /// Returns the parameters in the order in which they were set.
    #[must_use]
    pub fn into_list(self) -> Vec<Parameter> {
        self.list
    }

    /// Returns the number of parameters, those that are undef included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether there is no parameter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.position(name).map(|at| &self.list[at])
    }

    /// Returns the value of a parameter; `None` if it is not set or undef.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.get(name).map(|p| &p.value).filter(|v| **v != Value::Undef)
    }

    /// Returns the value of the attribute that names a resource of a native type, which every type takes as `name`, too.
    #[must_use]
    pub(crate) fn name_value(&self, attribute: &str) -> Option<&Value> {
        self.value("name").or_else(|| self.value(attribute))
    }

    /// Sets a parameter. One of the same name is replaced and keeps its place.
    pub fn set(&mut self, parameter: Parameter) {
        if let Some(at) = self.position(&parameter.name) {
            self.list[at] = parameter;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(Arc::clone(&parameter.name), self.list.len());
        }
        self.list.push(parameter);
        if self.index.is_none() && self.list.len() > INDEXED_FROM {
            self.index = Some(self.list.iter().enumerate().map(|(at, p)| (Arc::clone(&p.name), at)).collect());
        }
    }

    /// Returns the parameters in the order in which they were set.
    pub fn iter(&self) -> std::slice::Iter<'_, Parameter> {
        self.list.iter()
    }

    pub(crate) fn value_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.position(name).map(|at| &mut self.list[at].value)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.list.iter_mut().map(|p| (&*p.name, &mut p.value))
    }

    fn position(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.list.iter().position(|p| &*p.name == name),
        }
    }
}

impl FromIterator<Parameter> for Parameters {
    fn from_iter<I: IntoIterator<Item = Parameter>>(parameters: I) -> Parameters {
        let mut all = Parameters::default();
        for parameter in parameters {
            all.set(parameter);
        }
        all
    }
}

impl<'a> IntoIterator for &'a Parameters {
    type Item = &'a Parameter;
    type IntoIter = std::slice::Iter<'a, Parameter>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
