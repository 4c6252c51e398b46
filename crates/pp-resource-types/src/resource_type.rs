//! Resource types.

use std::borrow::Cow;
use std::sync::Arc;

use crate::attribute::{Attribute, Role};
use crate::key_type::key_type;
use crate::metaparameter::{METAPARAMETERS, metaparameter};
use crate::path::clean_path;
use crate::rule::{Given, Problem, Rule};
use crate::values::{Scalar, Values};

/// A native type.
#[derive(Clone, Copy, Debug)]
pub struct ResourceType {
    /// The name in lower case.
    pub name: &'static str,
    /// The module that has the type; `None` for those of Puppet itself.
    pub module: Option<&'static str>,
    /// What it stands for, in a line.
    pub doc: &'static str,
    /// The attributes, without metaparameters.
    pub attributes: &'static [Attribute],
    /// What a title says about the attributes that name a resource.
    pub title: TitlePattern,
    /// Two resources with the same name are the same resource.
    isomorphic: bool,
    /// Only the name is known, so any attribute is accepted.
    open: bool,
    /// What must hold between attributes.
    rules: &'static [Rule],
}

/// What a title says about the attributes that name a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TitlePattern {
    /// It is the value of the name attribute.
    Verbatim,
    /// It is a path, which may end in slashes.
    Path,
    /// It is `name@type`, or only the name.
    NameAtType,
}

impl ResourceType {
    pub(crate) const fn new(name: &'static str, doc: &'static str, attributes: &'static [Attribute]) -> ResourceType {
        ResourceType {
            name,
            module: None,
            doc,
            attributes,
            title: TitlePattern::Verbatim,
            isomorphic: true,
            open: false,
            rules: &[],
        }
    }

    pub(crate) const fn of_module(mut self, module: &'static str) -> ResourceType {
        self.module = Some(module);
        self
    }

    pub(crate) const fn titled(mut self, title: TitlePattern) -> ResourceType {
        self.title = title;
        self
    }

    pub(crate) const fn not_isomorphic(mut self) -> ResourceType {
        self.isomorphic = false;
        self
    }

    pub(crate) const fn with_rules(mut self, rules: &'static [Rule]) -> ResourceType {
        self.rules = rules;
        self
    }

    pub(crate) const fn open(mut self) -> ResourceType {
        self.open = true;
        self
    }

    /// Returns whether two resources with the same name are the same resource, which is not so for `exec` and `tidy`.
    #[must_use]
    pub fn is_isomorphic(&self) -> bool {
        self.isomorphic
    }

    /// Returns whether only the name of the type is known, not its attributes.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&'static Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Returns whether resources of the type have a parameter: an attribute, or a metaparameter.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        self.open || self.attribute(name).is_some() || metaparameter(name).is_some()
    }

    /// Returns the names of all parameters: attributes and metaparameters.
    pub fn parameter_names(&self) -> impl Iterator<Item = &'static str> {
        self.attributes.iter().map(|a| a.name).chain(METAPARAMETERS.iter().map(|m| m.name))
    }

    /// Returns what an agent would not accept. `given` returns the values of an attribute that is set to values that are known:
    /// one, or those of an array.
    pub fn check<'a>(&self, title: &'a str, given: &dyn Fn(&str) -> Option<Given<'a>>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let named = self.namevar();
        let values = self.attributes.iter().map(|a| (a.name, &a.values));
        for (name, values) in values.chain(METAPARAMETERS.iter().map(|m| (m.name, &m.values))) {
            if matches!(values, Values::Any) {
                continue;
            }
            let title = || (name == named).then(|| Given::one(Scalar::Text(title)));
            let Some(given) = given(name).or_else(title) else { continue };
            if let Some(wrong) = given.iter().find(|value| !values.accepts(**value)) {
                problems.push(Problem::value(name, *wrong, values));
            }
        }
        problems.extend(self.rules.iter().filter_map(|rule| rule.check(title, given)));
        problems
    }

    /// Returns what is wrong between attributes that are set, whatever others are. For an attribute that is set to a value that is
    /// not known, `given` returns no values.
    pub fn contradiction<'a>(&self, given: &dyn Fn(&str) -> Option<Given<'a>>) -> Option<Problem> {
        self.rules.iter().filter(|rule| rule.is_prohibition()).find_map(|rule| rule.check("", given))
    }

    /// Returns the attribute that the title stands for, such as `path` for files.
    #[must_use]
    pub fn namevar(&self) -> &'static str {
        let mut names = self.names();
        let first = names.next().unwrap_or("name");
        if names.next().is_some() { "name" } else { first }
    }

    /// Returns what makes a resource of the type unique: the values of the attributes that name it, in the order of their names
    /// (spec 07 §2.2). `value` returns the text of an attribute that is set.
    #[must_use]
    pub fn uniqueness_key(&self, title: &Arc<str>, value: impl Fn(&str) -> Option<Arc<str>>) -> Vec<Option<Arc<str>>> {
        let from_title = |name: &str| match self.title {
            TitlePattern::Verbatim => (name == self.namevar()).then(|| Arc::clone(title)),
            TitlePattern::Path => (name == self.namevar()).then(|| self.shared_name_key(title)),
            TitlePattern::NameAtType => match (name, title.split_once('@')) {
                ("name", Some((name, _))) => Some(name.into()),
                ("type", Some((_, kind))) => Some(kind.into()),
                ("name", None) => Some(Arc::clone(title)),
                _ => None,
            },
        };
        let given = |name: &str| match self.title {
            TitlePattern::Path => value(name).map(|path| self.shared_name_key(&path)),
            TitlePattern::Verbatim | TitlePattern::NameAtType => value(name),
        };
        let mut names: Vec<&str> = self.names().collect();
        if names.is_empty() {
            names.push("name");
        }
        names.sort_unstable();
        names.into_iter().map(|name| given(name).or_else(|| from_title(name))).collect()
    }

    /// Returns the title that an agent gives to a resource whose title is a name and a type, if it is not the title of the
    /// catalog. `value` returns the text of an attribute that is set.
    #[must_use]
    pub fn complete_title(&self, title: &Arc<str>, value: impl Fn(&str) -> Option<Arc<str>>) -> Option<String> {
        match self.title {
            TitlePattern::Verbatim | TitlePattern::Path => None,
            TitlePattern::NameAtType => {
                let parts = self.uniqueness_key(title, value);
                let [Some(name), Some(kind)] = parts.as_slice() else { return None };
                let complete = format!("{name}@{}", key_type(kind));
                (*complete != **title).then_some(complete)
            }
        }
    }

    /// Returns the value of the name attribute as Puppet compares it: a path without repeated and trailing slashes.
    #[must_use]
    pub fn name_key<'a>(&self, name: &'a str) -> Cow<'a, str> {
        match self.title {
            TitlePattern::Path if (name.len() > 1 && name.ends_with('/')) || name.contains("//") => {
                Cow::Owned(clean_path(name))
            }
            TitlePattern::Path | TitlePattern::Verbatim | TitlePattern::NameAtType => Cow::Borrowed(name),
        }
    }

    /// Returns the name that a title stands for, if it is not the title itself: a path without trailing slashes.
    #[must_use]
    pub fn name_in_title<'a>(&self, title: &'a str) -> Option<&'a str> {
        match self.title {
            TitlePattern::Path if title.len() > 1 && title.ends_with('/') => {
                Some(title.trim_end_matches('/')).filter(|path| !path.is_empty())
            }
            TitlePattern::Path | TitlePattern::Verbatim | TitlePattern::NameAtType => None,
        }
    }

    /// The key of the compiler: only the agent removes repeated slashes, too.
    fn shared_name_key(&self, name: &Arc<str>) -> Arc<str> {
        match self.name_in_title(name) {
            None => Arc::clone(name),
            Some(key) => key.into(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.attributes.iter().filter(|a| a.role == Role::Name).map(|a| a.name)
    }
}
