//! What must hold between the attributes of a resource, and what is wrong where it does not.

use std::borrow::Cow;
use std::fmt;

use crate::values::{Scalar, Values};

/// The values of an attribute: one, or those of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<'a>(Repr<'a>);

#[derive(Clone, Debug, PartialEq)]
enum Repr<'a> {
    One(Scalar<'a>),
    Many(Vec<Scalar<'a>>),
}

impl<'a> Given<'a> {
    /// Creates a single value.
    #[must_use]
    pub fn one(value: Scalar<'a>) -> Given<'a> {
        Given(Repr::One(value))
    }

    /// Creates the values of an array.
    #[must_use]
    pub fn many(values: Vec<Scalar<'a>>) -> Given<'a> {
        Given(Repr::Many(values))
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Scalar<'a>> {
        match &self.0 {
            Repr::One(value) => std::slice::from_ref(value).iter(),
            Repr::Many(values) => values.iter(),
        }
    }

    fn is_word(&self, words: &[&str]) -> bool {
        match self.iter().as_slice() {
            [Scalar::Text(text)] => words.contains(text),
            [Scalar::Boolean(value)] => words.contains(if *value { &"true" } else { &"false" }),
            _ => false,
        }
    }
}

/// Something that an agent would not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The attribute whose value is wrong; `None` if several attributes do not fit together.
    pub attribute: Option<Cow<'static, str>>,
    /// What is wrong.
    pub text: String,
}

impl Problem {
    pub(crate) fn value(attribute: &'static str, wrong: Scalar<'_>, values: &Values) -> Problem {
        let text = match values {
            Values::Words(words) => format!("Invalid value {wrong}. Valid values are {}.", words.join(", ")),
            Values::ReadOnly => format!("{attribute} is read-only"),
            Values::Any | Values::WordsOr(..) | Values::Matching(_) => {
                format!("Invalid value {wrong}: expected {values}")
            }
        };
        Problem { attribute: Some(attribute.into()), text }
    }

    pub(crate) fn read_only(attribute: &str) -> Problem {
        Problem { attribute: Some(attribute.to_owned().into()), text: format!("{attribute} is read-only") }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What must hold between attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// At most one is set.
    AtMostOne(&'static [&'static str], &'static str),
    /// At least one is set.
    AtLeastOne(&'static [&'static str], &'static str),
    /// All are set, or none.
    AllOrNone(&'static [&'static str], &'static str),
    /// If the first has one of the words, the last must not be set.
    Excludes(&'static str, &'static [&'static str], &'static str, &'static str),
    /// If the first has one of the words, or is set if there are none, one of the last must be set.
    Needs(&'static str, &'static [&'static str], &'static [&'static str], &'static str),
    /// The commands are absolute paths, or there is a search path.
    QualifiedCommands,
}

impl Rule {
    /// Whether a resource that breaks the rule still does with further attributes.
    pub(crate) fn is_prohibition(&self) -> bool {
        matches!(self, Rule::AtMostOne(..) | Rule::Excludes(..))
    }

    pub(crate) fn check<'a>(&self, title: &'a str, given: &dyn Fn(&str) -> Option<Given<'a>>) -> Option<Problem> {
        let is_set = |name: &&str| given(name).is_some();
        let (holds, text) = match *self {
            Rule::AtMostOne(names, text) => (names.iter().filter(|n| is_set(n)).count() <= 1, text),
            Rule::AtLeastOne(names, text) => (names.iter().any(&is_set), text),
            Rule::AllOrNone(names, text) => {
                let set = names.iter().filter(|n| is_set(n)).count();
                (set == 0 || set == names.len(), text)
            }
            Rule::Excludes(first, words, other, text) => {
                (!(given(first).is_some_and(|value| value.is_word(words)) && is_set(&other)), text)
            }
            Rule::Needs(first, words, others, text) => {
                let applies = given(first).is_some_and(|value| words.is_empty() || value.is_word(words));
                (!applies || others.iter().any(is_set), text)
            }
            Rule::QualifiedCommands => return unqualified(title, given),
        };
        (!holds).then(|| Problem { attribute: None, text: text.to_owned() })
    }
}

/// `exec` runs no shell, so it needs to know where its commands are.
fn unqualified<'a>(title: &'a str, given: &dyn Fn(&str) -> Option<Given<'a>>) -> Option<Problem> {
    // The provider `shell` searches by itself, and that of Windows knows other paths.
    if given("path").is_some() || given("provider").is_some_and(|p| !p.is_word(&["posix"])) {
        return None;
    }
    let command = given("command").unwrap_or_else(|| Given::one(Scalar::Text(title)));
    let command = command.iter().take(1).map(|c| (None, *c)).collect::<Vec<_>>();
    let others = ["refresh", "onlyif", "unless"].map(|name| (name, given(name)));
    let others =
        others.iter().flat_map(|(name, values)| values.iter().flat_map(|v| v.iter()).map(|c| (Some(*name), *c)));
    command.into_iter().chain(others).find_map(|(attribute, command)| {
        let Scalar::Text(command) = command else { return None };
        let program = match command.strip_prefix('"').or_else(|| command.strip_prefix('\'')) {
            Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default(),
            None => command.split_whitespace().next().unwrap_or_default(),
        };
        if Values::Matching(crate::values::Pattern::AbsolutePath).accepts(Scalar::Text(program)) {
            return None;
        }
        let text = format!(
            "'{program}' is not qualified and no path was specified. Please qualify the command or specify a path."
        );
        Some(Problem { attribute: attribute.map(Cow::Borrowed), text })
    })
}
