//! A type that a program can use: declared in this crate, read from a module, or both.

use std::borrow::Cow;
use std::sync::Arc;

use crate::metaparameter::METAPARAMETERS;
use crate::read_type::{ReadType, TitleProblem, Titles};
use crate::reading::Reading;
use crate::resource_type::ResourceType;
use crate::rule::{Given, Problem};

/// A type that a program can use. What the source of a module says about attributes is preferred to what this crate declares,
/// which is about one release of the module.
#[derive(Clone, Copy, Debug)]
pub struct KnownType<'a> {
    declared: Option<&'static ResourceType>,
    read: Option<&'a ReadType>,
    failure: Option<&'a str>,
}

impl<'a> KnownType<'a> {
    /// Returns a type as this crate declares it.
    #[must_use]
    pub fn of(declared: &'static ResourceType) -> KnownType<'a> {
        KnownType { declared: Some(declared), read: None, failure: None }
    }

    pub(crate) fn new(declared: Option<&'static ResourceType>, reading: Option<&'a Reading>) -> KnownType<'a> {
        let (read, failure) = match reading {
            Some(Reading::Type(read)) => (Some(&**read), None),
            Some(Reading::Broken(why)) => (None, Some(why.as_str())),
            Some(Reading::Name | Reading::Nothing) | None => (None, None),
        };
        KnownType { declared, read, failure }
    }

    /// Returns why Puppet cannot load the type.
    #[must_use]
    pub fn failure(&self) -> Option<&'a str> {
        self.failure
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

    /// Returns whether resources of the type have a parameter: an attribute, a metaparameter, or `name`, which every type takes
    /// for the attribute that names a resource.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        name == "name"
            || match (self.declared, self.read) {
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

    /// Returns why Puppet has no resource with a title.
    #[must_use]
    pub fn title_problem(&self, title: &str) -> Option<TitleProblem> {
        if self.declared.is_some() { None } else { self.read?.title_problem(title) }
    }

    /// Returns the attributes that a title with several parts says; none if it is the name alone.
    #[must_use]
    pub fn parts_of_title(&self, title: &Arc<str>) -> Vec<(&'a str, Arc<str>)> {
        match (self.declared, self.read) {
            (None, Some(read)) if matches!(read.titles, Titles::Patterns(_)) => {
                read.title_parts(title).unwrap_or_default()
            }
            _ => Vec::new(),
        }
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
