//! References to resources, `Type[title]` (spec 07 §1.5, spec 07 §2.2).

use std::fmt;
use std::sync::Arc;

/// A normalized reference: each segment of the type is capitalized; so are class titles, without a leading `::`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The type, such as `File`, `Ssh_authorized_key` or `Outer::Box`.
    pub type_name: Arc<str>,
    /// The title, verbatim except for classes.
    pub title: Arc<str>,
}

impl Reference {
    /// Creates a reference from its parts.
    #[must_use]
    pub fn new(type_name: &str, title: &str) -> Reference {
        let type_name = capitalize(type_name);
        let title = if type_name == "Class" { capitalize(title) } else { title.to_owned() };
        Reference { type_name: type_name.into(), title: title.into() }
    }

    /// Parses `Type[title]`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Reference> {
        let (type_name, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        if type_name.is_empty() || title.is_empty() {
            return None;
        }
        Some(Reference::new(type_name, title))
    }

    /// Returns a reference with the same type and another title.
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

/// Capitalizes the first letter of each `::` segment, and removes a leading `::`.
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
    fn class_references_are_normalized() {
        check("class[::foo::bar]", "Class[Foo::Bar]");
        check("Class[main]", "Class[Main]");
    }

    #[test]
    fn other_titles_are_verbatim() {
        check("file[/a]b]", "File[/a]b]");
        check("ssh_authorized_key[me]", "Ssh_authorized_key[me]");
    }

    #[test]
    fn malformed_references_are_rejected() {
        assert_eq!(Reference::parse("File"), None);
        assert_eq!(Reference::parse("File[]"), None);
        assert_eq!(Reference::parse("[x]"), None);
    }
}
