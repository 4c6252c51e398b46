//! `Type[title]`: how catalogs name resources (spec 07 §1.5, §2.2).

use std::fmt;
use std::sync::Arc;

/// A normalised reference: the type capitalised per segment; class titles too, without leading `::`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// `File`, `Ssh_authorized_key`, `Outer::Box`.
    pub type_name: Arc<str>,
    /// Verbatim, except for classes.
    pub title: Arc<str>,
}

impl Reference {
    /// A reference from its parts.
    #[must_use]
    pub fn new(type_name: &str, title: &str) -> Reference {
        let type_name = capitalize(type_name);
        let title = if type_name == "Class" { capitalize(title) } else { title.to_owned() };
        Reference { type_name: type_name.into(), title: title.into() }
    }

    /// `Type[title]` as text; `None` when it is not of that form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Reference> {
        let (type_name, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        if type_name.is_empty() || title.is_empty() {
            return None;
        }
        Some(Reference::new(type_name, title))
    }

    /// The same title with another one.
    #[must_use]
    pub(crate) fn with_title(&self, title: &str) -> Reference {
        Reference { type_name: self.type_name.clone(), title: title.into() }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

/// Upper-cases the first letter of each `::` segment, and drops leading `::`.
#[must_use]
pub(crate) fn capitalize(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, segment) in name.trim_start_matches("::").split("::").enumerate() {
        if i > 0 {
            out.push_str("::");
        }
        let mut chars = segment.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(chars.as_str());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(Reference::parse(text).expect("a reference").to_string(), expected);
    }

    #[test]
    fn class_references_are_normalised() {
        check("class[::foo::bar]", "Class[Foo::Bar]");
        check("Class[main]", "Class[Main]");
    }

    #[test]
    fn other_titles_are_verbatim() {
        check("file[/a]b]", "File[/a]b]");
        check("ssh_authorized_key[me]", "Ssh_authorized_key[me]");
    }

    #[test]
    fn what_is_not_a_reference_is_refused() {
        assert_eq!(Reference::parse("File"), None);
        assert_eq!(Reference::parse("File[]"), None);
        assert_eq!(Reference::parse("[x]"), None);
    }
}
