//! A type that a program can use: declared in this crate, read from a module, or both.

use std::borrow::Cow;
use std::sync::Arc;

use crate::metaparameter::METAPARAMETERS;
use crate::read_type::ReadType;
use crate::resource_type::ResourceType;
use crate::rule::{Given, Problem};

/// A type that a program can use. What the source of a module says about attributes is preferred to what this crate declares,
/// which is about one release of the module.
#[derive(Clone, Copy, Debug)]
pub struct KnownType<'a> {
    declared: Option<&'static ResourceType>,
    read: Option<&'a ReadType>,
}

impl<'a> KnownType<'a> {
    pub(crate) fn new(declared: Option<&'static ResourceType>, read: Option<&'a ReadType>) -> KnownType<'a> {
        KnownType { declared, read }
    }

    /// Returns the declaration of this crate.
    #[must_use]
    pub fn declared(&self) -> Option<&'static ResourceType> {
        self.declared
    }

    /// Returns what was read.
    #[must_use]
    pub fn read(&self) -> Option<&'a ReadType> {
        self.read
    }

    /// Returns the module; `None` for types of Puppet itself.
    #[must_use]
    pub fn module(&self) -> Option<&'a str> {
        self.read.map(|read| read.module.as_str()).or_else(|| self.declared?.module)
    }

    /// Returns whether two resources with the same name are the same resource.
    #[must_use]
    pub fn is_isomorphic(&self) -> bool {
        match (self.declared, self.read) {
            (Some(declared), _) => declared.is_isomorphic(),
            (None, Some(read)) => !read.is_not_isomorphic,
            (None, None) => true,
        }
    }

    /// Returns whether there may be attributes that are not known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match (self.declared, self.read) {
            (_, Some(read)) => read.is_open,
            (Some(declared), None) => declared.is_open(),
            (None, None) => true,
        }
    }

    /// Returns whether resources of the type have a parameter: an attribute, or a metaparameter.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        match (self.declared, self.read) {
            (_, Some(read)) => read.has_parameter(name),
            (Some(declared), None) => declared.has_parameter(name),
            (None, None) => true,
        }
    }

    /// Returns the names of all parameters: attributes and metaparameters.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = match (self.declared, self.read) {
            (_, Some(read)) => read.attributes.iter().map(|a| a.name.as_str()).collect(),
            (Some(declared), None) => declared.attributes.iter().map(|a| a.name).collect(),
            (None, None) => Vec::new(),
        };
        names.extend(METAPARAMETERS.iter().map(|m| m.name));
        names
    }

    /// Returns what an agent would not accept; see [`ResourceType::check`].
    pub fn check<'v>(&self, title: &'v str, given: &dyn Fn(&str) -> Option<Given<'v>>) -> Vec<Problem> {
        match (self.declared, self.read) {
            (Some(declared), _) => declared.check(title, given),
            (None, Some(read)) => read.check(given),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the attribute that the title stands for, such as `path` for files.
    #[must_use]
    pub fn namevar(&self) -> &'a str {
        match (self.declared, self.read) {
            (Some(declared), _) => declared.namevar(),
            (None, Some(read)) => read.namevar(),
            (None, None) => "name",
        }
    }

    /// Returns what makes a resource of the type unique; see [`ResourceType::uniqueness_key`]. `None` if the source of the type
    /// does not show it.
    #[must_use]
    pub fn uniqueness_key(
        &self,
        title: &Arc<str>,
        value: impl Fn(&str) -> Option<Arc<str>>,
    ) -> Option<Vec<Option<Arc<str>>>> {
        match (self.declared, self.read) {
            (Some(declared), _) => Some(declared.uniqueness_key(title, value)),
            (None, Some(read)) => read.uniqueness_key(title, value),
            (None, None) => None,
        }
    }

    /// Returns whether no pattern of titles matches a title, for which Puppet has no resource.
    #[must_use]
    pub fn refuses_title(&self, title: &str) -> bool {
        self.declared.is_none() && self.read.is_some_and(|read| read.refuses_title(title))
    }

    /// Returns the value of the name attribute as Puppet compares it; see [`ResourceType::name_key`].
    #[must_use]
    pub fn name_key<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.declared.map_or(Cow::Borrowed(name), |declared| declared.name_key(name))
    }

    /// Returns the name that a title stands for, if it is not the title itself; see [`ResourceType::name_in_title`].
    #[must_use]
    pub fn name_in_title<'n>(&self, title: &'n str) -> Option<&'n str> {
        self.declared?.name_in_title(title)
    }
}
