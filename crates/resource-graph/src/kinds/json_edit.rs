//! The edits of `json:edit` (spec 05 §6.26): `PATH = JSON` or `del(PATH)`, with a `PATH` such as `.a["b c"].d`.

/// The location of a JSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonStore {
    /// The absolute path of a file.
    File(String),
    /// A key of the string store that all hosts share.
    Key(String),
}

impl JsonStore {
    /// Parses `/path`, `file:///path` or `etcd:///key`.
    ///
    /// # Errors
    /// The first violation of the syntax.
    pub fn parse(store: &str) -> Result<JsonStore, JsonStoreError> {
        if store.starts_with('/') {
            return Ok(JsonStore::File(store.to_owned()));
        }
        let (scheme, rest) = store.split_once("://").ok_or(JsonStoreError::NotAPathOrUrl)?;
        if rest.contains(['?', '#']) {
            return Err(JsonStoreError::QueryOrFragment);
        }
        let path = if rest.starts_with('/') { rest } else { return Err(JsonStoreError::Host) };
        match scheme {
            "file" => Ok(JsonStore::File(path.to_owned())),
            "etcd" if path.len() > 1 => Ok(JsonStore::Key(path[1..].to_owned())),
            "etcd" => Err(JsonStoreError::MissingKey),
            _ => Err(JsonStoreError::UnknownScheme),
        }
    }
}

/// Why a string is not the location of a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message of each variant explains it")]
pub enum JsonStoreError {
    NotAPathOrUrl,
    QueryOrFragment,
    Host,
    MissingKey,
    UnknownScheme,
}

impl std::fmt::Display for JsonStoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            JsonStoreError::NotAPathOrUrl => "expected an absolute path or a URL",
            JsonStoreError::QueryOrFragment => "unexpected query or fragment",
            JsonStoreError::Host => "unexpected host",
            JsonStoreError::MissingKey => "missing key",
            JsonStoreError::UnknownScheme => "expected the scheme `file` or `etcd`",
        })
    }
}

impl std::error::Error for JsonStoreError {}

/// Maximum number of keys of a path: the levels of a document.
const MAX_DEPTH: usize = 126;

/// One operation on a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonEdit {
    /// Sets the value at the path; missing objects are created.
    Assign {
        /// The keys from the root.
        path: Vec<String>,
        /// The value as JSON.
        value: String,
    },
    /// Removes the value at the path if it exists.
    Delete {
        /// The keys from the root.
        path: Vec<String>,
    },
}

impl JsonEdit {
    /// Parses one operation.
    ///
    /// # Errors
    /// The first violation of the syntax.
    pub fn parse(edit: &str) -> Result<JsonEdit, JsonEditError> {
        let edit = edit.trim_matches(SPACE);
        if let Some(rest) = edit.strip_prefix("del") {
            let rest = rest.trim_start_matches(SPACE);
            let rest = rest.strip_prefix('(').ok_or(JsonEditError::Missing("(", "`del`"))?;
            let (path, rest) = parse_path(rest.trim_start_matches(SPACE))?;
            let rest =
                rest.trim_start_matches(SPACE).strip_prefix(')').ok_or(JsonEditError::Missing(")", "the path"))?;
            return if rest.is_empty() {
                Ok(JsonEdit::Delete { path })
            } else {
                Err(JsonEditError::TrailingCharacters)
            };
        }
        let (path, rest) = parse_path(edit)?;
        let value = rest.trim_start_matches(SPACE).strip_prefix('=').ok_or(JsonEditError::Missing("=", "the path"))?;
        let value = value.trim_matches(SPACE);
        // The value stays a string, so that its numbers keep their format.
        serde_json::from_str::<serde::de::IgnoredAny>(value)
            .map_err(|error| JsonEditError::InvalidValue(error.to_string()))?;
        Ok(JsonEdit::Assign { path, value: value.to_owned() })
    }
}

/// Why a string is not an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonEditError {
    /// A token is missing: the token, and what it must follow.
    Missing(&'static str, &'static str),
    /// Characters after a complete `del(PATH)`.
    TrailingCharacters,
    /// The value is invalid JSON, as the JSON parser explains.
    InvalidValue(String),
    /// A path that does not start with a dot.
    MissingDot,
    /// Brackets that do not contain a JSON string.
    InvalidIndex,
    /// A dot without a key.
    MissingKey,
    /// An empty key.
    EmptyKey,
    /// More keys than a document may have levels.
    TooDeep,
}

impl std::fmt::Display for JsonEditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JsonEditError::Missing(token, after) => write!(f, "missing `{token}` after {after}"),
            JsonEditError::TrailingCharacters => f.write_str("unexpected characters after `)`"),
            JsonEditError::InvalidValue(error) => write!(f, "invalid JSON value: {error}"),
            JsonEditError::MissingDot => f.write_str("expected a path that starts with `.`"),
            JsonEditError::InvalidIndex => f.write_str("expected a JSON string between brackets"),
            JsonEditError::MissingKey => f.write_str("missing key after `.`"),
            JsonEditError::EmptyKey => f.write_str("empty key"),
            JsonEditError::TooDeep => write!(f, "more than {MAX_DEPTH} keys"),
        }
    }
}

impl std::error::Error for JsonEditError {}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn parse_path(edit: &str) -> Result<(Vec<String>, &str), JsonEditError> {
    let mut rest = edit.strip_prefix('.').ok_or(JsonEditError::MissingDot)?;
    let mut keys = Vec::new();
    // A dot is followed by a key, and a key by a dot, a bracket or the end.
    let mut key_expected = true;
    loop {
        rest = rest.trim_start_matches(SPACE);
        if let Some(inner) = rest.strip_prefix('[') {
            let inner = inner.trim_start_matches(SPACE);
            let mut strings = serde_json::Deserializer::from_str(inner).into_iter::<String>();
            let key = strings.next().and_then(Result::ok).ok_or(JsonEditError::InvalidIndex)?;
            if key.is_empty() {
                return Err(JsonEditError::EmptyKey);
            }
            let after = inner[strings.byte_offset()..].trim_start_matches(SPACE);
            rest = after.strip_prefix(']').ok_or(JsonEditError::Missing("]", "a key"))?;
            keys.push(key);
        } else if key_expected {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let key = &rest[..end];
            if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(JsonEditError::MissingKey);
            }
            keys.push(key.to_owned());
            rest = &rest[end..];
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
            key_expected = true;
            continue;
        } else {
            return Ok((keys, rest));
        }
        if keys.len() > MAX_DEPTH {
            return Err(JsonEditError::TooDeep);
        }
        key_expected = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_parsed() {
        let assign = |path: &[&str], value: &str| {
            Ok(JsonEdit::Assign { path: path.iter().map(|k| k.to_string()).collect(), value: value.to_owned() })
        };
        assert_eq!(JsonEdit::parse(".a = 1"), assign(&["a"], "1"));
        assert_eq!(JsonEdit::parse(".a.b=[1, 2]"), assign(&["a", "b"], "[1, 2]"));
        assert_eq!(JsonEdit::parse(" . a [ \"b c\" ] . d = 1.50 "), assign(&["a", "b c", "d"], "1.50"));
        assert_eq!(JsonEdit::parse(".[\"\\u0041]\"] = \"=\""), assign(&["A]"], "\"=\""));
        assert_eq!(JsonEdit::parse("del( .a )"), Ok(JsonEdit::Delete { path: vec!["a".to_owned()] }));
        assert_eq!(JsonEdit::parse(".del = 1"), assign(&["del"], "1"));
    }

    #[test]
    fn other_formats_are_rejected() {
        for text in [
            "",
            "a = 1",
            ". = 1",
            ".a",
            ".a =",
            ".a = x",
            ".a = 1 2",
            ".a..b = 1",
            ".a[b] = 1",
            ".a[\"b\" = 1",
            ".a[\"\"] = 1",
            ".1a = 1",
            "del()",
            "del(.a",
            "del(.a) x",
            "del .a",
            ".a. = 1",
        ] {
            assert!(JsonEdit::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deeply_nested_values_are_rejected() {
        assert!(JsonEdit::parse(&format!(".a = {}", "[".repeat(200_000))).is_err());
        assert_eq!(JsonEdit::parse(&format!("{} = 1", ".a".repeat(200_000))), Err(JsonEditError::TooDeep));
        assert!(JsonEdit::parse(&format!("{} = 1", ".a".repeat(100))).is_ok());
    }

    #[test]
    fn stores_are_parsed() {
        assert_eq!(JsonStore::parse("/a"), Ok(JsonStore::File("/a".into())));
        assert_eq!(JsonStore::parse("file:///a"), Ok(JsonStore::File("/a".into())));
        assert_eq!(JsonStore::parse("etcd:///k/v"), Ok(JsonStore::Key("k/v".into())));
        for bad in ["a", "file://host/a", "http:///a", "etcd:///", "file:///a?x", ""] {
            assert!(JsonStore::parse(bad).is_err(), "{bad}");
        }
    }
}
