//! The edits of `json:edit` (spec 05 §6.26): `PATH = JSON` or `del(PATH)`, with `PATH` like `.a["b c"].d`.

/// Where the document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonStore {
    /// A file: an absolute path.
    File(String),
    /// A key of the cluster's string store.
    Key(String),
}

impl JsonStore {
    /// Parses `/path`, `file:///path` or `etcd:///key`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<JsonStore, &'static str> {
        if text.starts_with('/') {
            return Ok(JsonStore::File(text.to_owned()));
        }
        let (scheme, rest) = text.split_once("://").ok_or("it is neither an absolute path nor a URL")?;
        if rest.contains(['?', '#']) {
            return Err("it must not have a query or a fragment");
        }
        let path = if rest.starts_with('/') { rest } else { return Err("it must not have a host") };
        match scheme {
            "file" => Ok(JsonStore::File(path.to_owned())),
            "etcd" if path.len() > 1 => Ok(JsonStore::Key(path[1..].to_owned())),
            "etcd" => Err("it has no key"),
            _ => Err("its scheme must be `file` or `etcd`"),
        }
    }
}

/// One operation on a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonEdit {
    /// Sets what is at the path; missing objects on the way are made.
    Assign {
        /// The keys from the root.
        path: Vec<String>,
        /// The JSON text of the value.
        value: String,
    },
    /// Removes what is at the path, if it is there.
    Delete {
        /// The keys from the root.
        path: Vec<String>,
    },
}

impl JsonEdit {
    /// Parses one operation.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<JsonEdit, String> {
        let text = text.trim_matches(SPACE);
        if let Some(rest) = text.strip_prefix("del") {
            let rest = rest.trim_start_matches(SPACE);
            let rest = rest.strip_prefix('(').ok_or("`(` is missing behind `del`")?;
            let (path, rest) = parse_path(rest.trim_start_matches(SPACE))?;
            let rest = rest.trim_start_matches(SPACE).strip_prefix(')').ok_or("`)` is missing behind the path")?;
            return if rest.is_empty() {
                Ok(JsonEdit::Delete { path })
            } else {
                Err("there is something behind `)`".into())
            };
        }
        let (path, rest) = parse_path(text)?;
        let value = rest.trim_start_matches(SPACE).strip_prefix('=').ok_or("`=` is missing behind the path")?;
        let value = value.trim_matches(SPACE);
        // Only checks: the value is kept as text, so that its numbers stay as they are.
        serde_json::from_str::<serde::de::IgnoredAny>(value).map_err(|e| format!("the value is not JSON: {e}"))?;
        Ok(JsonEdit::Assign { path, value: value.to_owned() })
    }
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn parse_path(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut rest = text.strip_prefix('.').ok_or("a path starts with a dot")?;
    let mut keys = Vec::new();
    // Behind a dot there is a key; behind a key a dot, a bracket, or the end.
    let mut key_expected = true;
    loop {
        rest = rest.trim_start_matches(SPACE);
        if let Some(inner) = rest.strip_prefix('[') {
            let inner = inner.trim_start_matches(SPACE);
            let mut strings = serde_json::Deserializer::from_str(inner).into_iter::<String>();
            let key = strings.next().and_then(Result::ok).ok_or("between brackets there must be a JSON string")?;
            if key.is_empty() {
                return Err("a key is empty".to_owned());
            }
            let after = inner[strings.byte_offset()..].trim_start_matches(SPACE);
            rest = after.strip_prefix(']').ok_or("`]` is missing behind a key")?;
            keys.push(key);
        } else if key_expected {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let key = &rest[..end];
            if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) {
                return Err("a key is missing behind a dot".to_owned());
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
    fn others_are_refused() {
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
    fn very_deep_values_are_refused_without_harm() {
        assert!(JsonEdit::parse(&format!(".a = {}", "[".repeat(200_000))).is_err());
    }

    #[test]
    fn places() {
        assert_eq!(JsonStore::parse("/a"), Ok(JsonStore::File("/a".into())));
        assert_eq!(JsonStore::parse("file:///a"), Ok(JsonStore::File("/a".into())));
        assert_eq!(JsonStore::parse("etcd:///k/v"), Ok(JsonStore::Key("k/v".into())));
        for bad in ["a", "file://host/a", "http:///a", "etcd:///", "file:///a?x", ""] {
            assert!(JsonStore::parse(bad).is_err(), "{bad}");
        }
    }
}
