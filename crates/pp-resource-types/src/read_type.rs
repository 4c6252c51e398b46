//! Types that were read from the source of a module, as far as their source shows them (spec 09 §7).

use std::fmt;
use std::sync::Arc;

use pp_types::Regexp;
use serde::{Deserialize, Serialize};

use crate::attribute::Role;
use crate::ini_type::IniType;
use crate::metaparameter::metaparameter;
use crate::relation::Relation;
use crate::rule::{Given, Problem};
use crate::values::Scalar;

/// A type of a module, as its source shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadType {
    /// The name in lower case.
    pub name: String,
    /// The module.
    pub module: String,
    /// The attributes, without metaparameters, in the order of the source.
    pub attributes: Vec<ReadAttribute>,
    /// What a title says about the attributes that name a resource.
    pub titles: Titles,
    /// Two resources with the same name may be different resources.
    pub is_not_isomorphic: bool,
    /// There may be attributes that could not be read.
    pub is_open: bool,
    /// The automatic relations.
    pub relations: Vec<Relation>,
    /// The file of settings that resources of the type are lines of.
    pub ini: Option<IniType>,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

/// An attribute of a type that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAttribute {
    /// The name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// The words that it takes; with no words and patterns, it takes anything.
    pub words: Vec<String>,
    /// The patterns that its other values match.
    pub patterns: Vec<RubyRegex>,
    /// The value that it has if it is not set, if that is a constant.
    pub default: Option<String>,
    /// It cannot be set.
    pub is_read_only: bool,
}

/// What a title says about the attributes that name a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Titles {
    /// It is the value of the only name attribute.
    #[default]
    Verbatim,
    /// The first pattern that matches says it.
    Patterns(Vec<ReadTitlePattern>),
    /// Code says it.
    Unknown,
    /// Several attributes name a resource, and nothing says how: no resource can be declared.
    Missing,
}

/// Why there is no resource with a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleProblem {
    /// No pattern of the type matches it.
    NoMatch,
    /// The type has several name attributes, and no patterns.
    NoPatterns,
}

/// The message of Puppet.
impl fmt::Display for TitleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TitleProblem::NoMatch => "No set of title patterns matched the title",
            TitleProblem::NoPatterns => "you must specify title patterns when there are two or more key attributes",
        })
    }
}

/// A pattern of titles: a regular expression of Ruby, and the attributes that its groups are the values of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTitlePattern {
    /// The regular expression.
    pub regex: RubyRegex,
    /// An attribute for each group; `None` where code changes the value.
    pub attributes: Vec<Option<String>>,
}

/// Something in the source of a type that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// What it is.
    pub what: Unreadable,
    /// Where it starts in the file, in lines from 1.
    pub line: u32,
}

/// What may be unreadable about a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unreadable {
    /// Attributes whose names are computed.
    Attributes,
    /// How titles name resources.
    Titles,
    /// Which resources come before or after.
    Relations,
}

impl ReadType {
    /// Returns an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&ReadAttribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Returns whether resources of the type have a parameter: an attribute, or a metaparameter.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        self.is_open || self.attribute(name).is_some() || metaparameter(name).is_some()
    }

    /// Returns the attributes that name a resource, in the order of the source.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(|a| a.role == Role::Name).map(|a| a.name.as_str())
    }

    /// Returns the attribute that the title stands for.
    #[must_use]
    pub fn namevar(&self) -> &str {
        let mut names = self.names();
        match (names.next(), names.next()) {
            (Some(only), None) => only,
            _ => "name",
        }
    }

    /// Returns what an agent would not accept of the words that attributes take.
    pub(crate) fn check<'a>(&self, given: &dyn Fn(&str) -> Option<Given<'a>>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for attribute in &self.attributes {
            let Some(given) = given(&attribute.name) else { continue };
            // Only properties have a value for each item of an array.
            if attribute.role != Role::Property && given.iter().len() != 1 {
                continue;
            }
            if attribute.is_read_only {
                problems.push(Problem::read_only(&attribute.name));
            } else if let Some(wrong) = given.iter().find(|value| !attribute.accepts(**value)) {
                problems.push(attribute.problem(*wrong));
            }
        }
        problems
    }

    /// Returns what makes a resource of the type unique: the values of the attributes that name it, in the order of their names.
    /// `None` if the source does not show it.
    pub(crate) fn uniqueness_key(
        &self,
        title: &Arc<str>,
        value: impl Fn(&str) -> Option<Arc<str>>,
    ) -> Option<Vec<Option<Arc<str>>>> {
        let parts = self.title_parts(title)?;
        let from_title = |name: &str| parts.iter().find(|(n, _)| *n == name).map(|(_, v)| Arc::clone(v));
        let mut names: Vec<&str> = self.names().collect();
        if names.is_empty() {
            return None;
        }
        names.sort_unstable();
        Some(names.into_iter().map(|name| value(name).or_else(|| from_title(name))).collect())
    }

    /// Returns the values of attributes that a title says; `None` if the source does not show it, or no pattern matches.
    #[must_use]
    pub fn title_parts(&self, title: &Arc<str>) -> Option<Vec<(&str, Arc<str>)>> {
        match &self.titles {
            Titles::Unknown | Titles::Missing => None,
            Titles::Verbatim => Some(vec![(self.namevar(), Arc::clone(title))]),
            Titles::Patterns(patterns) => patterns.iter().find_map(|pattern| -> Option<Option<Vec<_>>> {
                let groups = pattern.regex.captures(title)?;
                let groups = groups.into_iter().skip(1);
                let named = pattern.attributes.iter().zip(groups);
                // A group that takes no part says nothing.
                let named = named.filter_map(|(name, text)| Some((name, text?)));
                Some(named.map(|(name, text)| Some((name.as_deref()?, text.into()))).collect())
            })?,
        }
    }

    /// Returns why Puppet has no resource with a title.
    #[must_use]
    pub fn title_problem(&self, title: &str) -> Option<TitleProblem> {
        let no_match = match &self.titles {
            Titles::Patterns(patterns) => patterns.iter().all(|pattern| pattern.regex.captures(title).is_none()),
            // A type without a name attribute has no patterns at all.
            Titles::Verbatim => !self.is_open && self.names().next().is_none(),
            Titles::Unknown => false,
            Titles::Missing => return Some(TitleProblem::NoPatterns),
        };
        no_match.then_some(TitleProblem::NoMatch)
    }
}

/// A regular expression of Ruby. One that is invalid or takes too long matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct RubyRegex(Regexp);

impl RubyRegex {
    /// Creates a regular expression from its source, without slashes.
    #[must_use]
    pub fn new(source: &str) -> RubyRegex {
        RubyRegex(Regexp::new(source))
    }

    /// Returns whether a text has a match.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }

    /// Returns the groups of the first match, of which the first is the whole match.
    #[must_use]
    pub fn captures(&self, text: &str) -> Option<Vec<Option<String>>> {
        self.0.captures(text).ok().flatten()
    }

    /// Returns the source, without slashes.
    #[must_use]
    pub fn source(&self) -> &str {
        self.0.source()
    }
}

impl From<String> for RubyRegex {
    fn from(source: String) -> RubyRegex {
        RubyRegex(Regexp::new(source))
    }
}

impl From<RubyRegex> for String {
    fn from(regex: RubyRegex) -> String {
        regex.source().to_owned()
    }
}

impl ReadAttribute {
    /// Creates an attribute that takes anything.
    #[must_use]
    pub fn new(name: &str, role: Role) -> ReadAttribute {
        ReadAttribute {
            name: name.to_owned(),
            role,
            words: Vec::new(),
            patterns: Vec::new(),
            default: None,
            is_read_only: false,
        }
    }

    fn accepts(&self, value: Scalar<'_>) -> bool {
        let text = value.text();
        (self.words.is_empty() && self.patterns.is_empty())
            || self.words.iter().any(|word| **word == *text)
            || self.patterns.iter().any(|pattern| pattern.is_match(&text))
    }

    fn problem(&self, wrong: Scalar<'_>) -> Problem {
        let mut text = format!("Invalid value {wrong}.");
        if !self.words.is_empty() {
            text += &format!(" Valid values are {}.", self.words.join(", "));
        }
        if !self.patterns.is_empty() {
            let patterns: Vec<String> = self.patterns.iter().map(|pattern| pattern.0.literal()).collect();
            text += &format!(" Valid values match {}.", patterns.join(", "));
        }
        Problem { attribute: Some(self.name.clone().into()), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_names() -> ReadType {
        let pattern = |regex: &str, names: &[&str]| ReadTitlePattern {
            regex: RubyRegex::new(regex),
            attributes: names.iter().map(|name| Some((*name).to_owned())).collect(),
        };
        ReadType {
            attributes: vec![ReadAttribute::new("name", Role::Name), ReadAttribute::new("domain", Role::Name)],
            titles: Titles::Patterns(vec![
                pattern("^(.*)::(.*)$", &["name", "domain"]),
                pattern("^([a-z]*)$", &["name"]),
            ]),
            ..ReadType::default()
        }
    }

    #[test]
    fn the_first_pattern_that_matches_names_a_resource() {
        let key = |title: &str, domain: Option<&str>| {
            let given = |name: &str| domain.filter(|_| name == "domain").map(Arc::from);
            let key = two_names().uniqueness_key(&title.into(), given)?;
            Some(key.iter().map(|part| part.as_deref().unwrap_or("-").to_owned()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(key("a::b", None).as_deref(), Some("b a"));
        assert_eq!(key("a", None).as_deref(), Some("- a"));
        assert_eq!(key("a", Some("d")).as_deref(), Some("d a"));
        assert_eq!(key("A", None), None);
        assert!(two_names().title_problem("A") == Some(TitleProblem::NoMatch));
    }

    #[test]
    fn values_are_words_or_match_a_pattern() {
        let size = ReadAttribute {
            words: vec!["small".to_owned()],
            patterns: vec![RubyRegex::new("^[0-9]+$")],
            ..ReadAttribute::new("size", Role::Property)
        };
        assert!(size.accepts(Scalar::Text("small")) && size.accepts(Scalar::Integer(7)));
        assert!(!size.accepts(Scalar::Text("large")));
        assert_eq!(
            size.problem(Scalar::Text("large")).text,
            "Invalid value \"large\". Valid values are small. Valid values match /^[0-9]+$/."
        );
    }

    #[test]
    fn a_type_with_several_names_has_no_single_one() {
        assert_eq!(two_names().namevar(), "name");
        let one = ReadType { attributes: vec![ReadAttribute::new("path", Role::Name)], ..ReadType::default() };
        assert_eq!(one.namevar(), "path");
    }
}
