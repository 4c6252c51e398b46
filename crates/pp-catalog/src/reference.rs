//! References to resources.

use std::fmt;
use std::sync::Arc;

use pp_types::{Type, Value, interpolate};

/// The type and title of a resource: `File[/etc/motd]`, `Class[Apache::Params]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The name of the type, each segment capitalized.
    pub type_name: Arc<str>,
    /// The title; that of a class has each segment capitalized.
    pub title: Arc<str>,
}

/// A value that does not name a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidReference {
    /// The value as the message shows it.
    pub text: String,
}

impl Reference {
    /// Creates a reference. The type may be in any case, as may the name of a class, which may start with `::`.
    #[must_use]
    pub fn new(type_name: &str, title: &str) -> Reference {
        let type_name = capitalize(type_name);
        let title = if &*type_name == "Class" { capitalize(title.trim_start_matches("::")) } else { title.into() };
        Reference { type_name, title }
    }

    /// Creates the reference to a class by its name.
    #[must_use]
    pub fn class(name: &str) -> Reference {
        Reference::new("Class", name)
    }

    /// Reads `Type[title]`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Reference> {
        let (type_name, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        (!type_name.is_empty() && !title.is_empty()).then(|| Reference::new(type_name, title))
    }

    /// Reads a value: a reference, or a string that holds one.
    ///
    /// # Errors
    /// Any other value.
    pub fn from_value(value: &Value) -> Result<Reference, InvalidReference> {
        match value {
            Value::Type(Type::Resource(Some(type_name), Some(title))) => {
                Ok(Reference { type_name: Arc::clone(type_name), title: Arc::clone(title) })
            }
            Value::Type(Type::Class(Some(name))) => Ok(Reference::class(name)),
            Value::Type(Type::Resource(Some(type_name), None)) => {
                Err(InvalidReference { text: format!("{type_name}[]") })
            }
            Value::String(text) => {
                Reference::parse(text).ok_or_else(|| InvalidReference { text: text.as_ref().to_owned() })
            }
            Value::Sensitive(inner) => Reference::from_value(inner),
            other => Err(InvalidReference { text: interpolate(other) }),
        }
    }

    /// Returns the reference as a value of the language.
    #[must_use]
    pub fn to_value(&self) -> Value {
        if &*self.type_name == "Class" {
            Value::Type(Type::Class(Some(self.title.to_lowercase().into())))
        } else {
            Value::Type(Type::Resource(Some(Arc::clone(&self.type_name)), Some(Arc::clone(&self.title))))
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

/// `No title provided and "x" is not a valid resource reference`.
impl fmt::Display for InvalidReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "No title provided and {:?} is not a valid resource reference", self.text)
    }
}

/// Returns the name with each `::` segment capitalized and the rest in lower case: `Apache::Vhost`.
#[must_use]
pub fn capitalize(name: &str) -> Arc<str> {
    let mut out = String::with_capacity(name.len());
    for (index, segment) in name.split("::").enumerate() {
        if index > 0 {
            out.push_str("::");
        }
        let mut chars = segment.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.extend(chars.flat_map(char::to_lowercase));
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_capitalized_by_segment() {
        assert_eq!(&*capitalize("apache::vHost"), "Apache::Vhost");
        assert_eq!(Reference::new("class", "::a::b").to_string(), "Class[A::B]");
    }

    #[test]
    fn titles_may_hold_brackets_and_lines() {
        let reference = Reference::parse("notify[it's [x]\ny]").expect("a reference");
        assert_eq!((&*reference.type_name, &*reference.title), ("Notify", "it's [x]\ny"));
        assert_eq!(Reference::parse("notify"), None);
        assert_eq!(Reference::parse("[x]"), None);
        assert_eq!(Reference::parse("a[]"), None);
    }
}
