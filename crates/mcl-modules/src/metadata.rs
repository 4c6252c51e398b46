//! `metadata.yaml` (spec 01 §6.7).

use std::fmt;

use mcl_diagnostics::{LintLevel, LintNameError, LintSelector, nearest};
use serde_norway::Value;

use crate::clean::clean;

/// The metadata of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The main file of the module, relative to the metadata.
    pub main: String,
    /// The module directory for its remote imports; empty, or ends in a slash.
    pub path: String,
    /// The directory of its data files; empty, or ends in a slash.
    pub files: String,
    /// For information only.
    pub license: String,
    /// Whether the search for remote modules stops here.
    pub parent_path_block: bool,
    /// The levels of lints in the program whose metadata it is (spec 11 §5).
    pub lints: Vec<(LintSelector, LintLevel)>,
}

impl Default for Metadata {
    fn default() -> Metadata {
        Metadata {
            main: "main.mcl".to_owned(),
            path: String::new(),
            files: "files/".to_owned(),
            license: String::new(),
            parent_path_block: false,
            lints: Vec::new(),
        }
    }
}

/// The keys that a `metadata.yaml` may have.
const KEYS: &[&str] = &["main", "path", "files", "license", "parentpathblock", "lints"];

/// A key that has no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// The key.
    pub key: String,
    /// The key that was probably meant.
    pub similar: Option<&'static str>,
    /// Byte range of its line.
    pub range: (u32, u32),
}

/// An error in a `metadata.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataError {
    /// The violation.
    pub message: String,
    /// Byte range in the file.
    pub range: (u32, u32),
}

impl Metadata {
    /// Parses a `metadata.yaml`. An empty file means all defaults, and so do keys without a value. Also returns the keys that
    /// have no meaning.
    ///
    /// # Errors
    /// Invalid YAML, values of the wrong type, and paths that violate spec 01 §6.7 or escape the module.
    pub fn parse(text: &str) -> Result<(Metadata, Vec<UnknownKey>), MetadataError> {
        let entries = match read_yaml(text)? {
            Value::Null => return Ok((Metadata::default(), Vec::new())),
            Value::Mapping(entries) => entries,
            other => {
                let message = format!("expected a map (`main: main.mcl`), found {}", describe(&other));
                return Err(MetadataError { message, range: (0, text.trim_end().len() as u32) });
            }
        };
        let mut metadata = Metadata::default();
        let mut unknown = Vec::new();
        for (key, value) in &entries {
            let Some(key) = key.as_str() else { continue };
            if !KEYS.contains(&key) {
                let similar = nearest(key, KEYS.iter().copied());
                unknown.push(UnknownKey { key: key.to_owned(), similar, range: key_range(text, key) });
                continue;
            }
            if value.is_null() {
                continue;
            }
            if let Err(violation) = metadata.set(text, key, value) {
                return Err(MetadataError { message: violation.to_string(), range: key_range(text, key) });
            }
        }
        Ok((metadata, unknown))
    }

    /// Sets what a known key says.
    fn set(&mut self, text: &str, key: &str, value: &Value) -> Result<(), Violation> {
        let expected = |expected| Violation::Type { key: key.to_owned(), expected, found: describe(value) };
        match key {
            "parentpathblock" => {
                self.parent_path_block = boolean(text, key, value).ok_or_else(|| expected("true or false"))?;
            }
            "lints" => self.lints = lints(value).map_err(Violation::Lints)?,
            // For information only, so a number is as good as a string.
            "license" if value.is_number() || value.is_bool() => {}
            _ => {
                let path = value.as_str().ok_or_else(|| expected("a string"))?;
                if let Some(rule) = violated_rule(key, path) {
                    return Err(Violation::Path { key: key.to_owned(), path: path.to_owned(), rule });
                }
                match key {
                    "main" if path.is_empty() => {}
                    "main" => self.main = path.to_owned(),
                    "path" => self.path = path.to_owned(),
                    "files" => self.files = path.to_owned(),
                    _ => self.license = path.to_owned(),
                }
            }
        }
        Ok(())
    }
}

/// Why the value of a key is invalid.
enum Violation {
    Type { key: String, expected: &'static str, found: &'static str },
    Lints(LintsError),
    Path { key: String, path: String, rule: &'static str },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Type { key, expected, found } => {
                write!(f, "invalid `{key}`: expected {expected}, found {found}")
            }
            Violation::Lints(error) => write!(f, "invalid `lints`: {error}"),
            Violation::Path { key, path, rule } => write!(f, "invalid `{key}` `{path}`: {rule}"),
        }
    }
}

/// Parses YAML. The parser reports an empty document as a missing one.
fn read_yaml(text: &str) -> Result<Value, MetadataError> {
    let is_empty = |line: &str| matches!(line.trim(), "" | "---" | "...") || line.trim().starts_with('#');
    match serde_norway::from_str(text) {
        Ok(value) => Ok(value),
        Err(_) if text.lines().all(is_empty) => Ok(Value::Null),
        Err(error) => {
            let at = error.location().map_or(0, |location| location.index().min(text.len())) as u32;
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            Err(MetadataError { message: format!("invalid YAML: {message}"), range: (at, at) })
        }
    }
}

/// Returns the rule about paths that the value of a key violates.
fn violated_rule(key: &str, path: &str) -> Option<&'static str> {
    match key {
        "main" if path.starts_with('/') || path.ends_with('/') => {
            Some("expected a path that neither starts nor ends with a slash")
        }
        "path" | "files" if !path.is_empty() && (path.starts_with('/') || !path.ends_with('/')) => {
            Some("expected an empty string or a relative path that ends in a slash")
        }
        "main" | "path" | "files" if clean(path).split('/').next() == Some("..") => Some("the path escapes the module"),
        _ => None,
    }
}

/// Returns the value of a boolean, as YAML 1.1 writes it: `yes`, `on` and so on are booleans unless they are quoted.
fn boolean(text: &str, key: &str, value: &Value) -> Option<bool> {
    let word = match value {
        Value::Bool(value) => return Some(*value),
        Value::String(word) => word,
        _ => return None,
    };
    let (start, end) = key_range(text, key);
    let line = text.get(start as usize..end as usize).unwrap_or("");
    if line.contains(['"', '\'']) {
        return None;
    }
    match word.as_str() {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Why the levels of lints are invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LintsError {
    /// The value is not a map.
    NotAMap(&'static str),
    /// A key is not a string.
    Key(&'static str),
    Name(LintNameError),
    Level {
        lint: String,
        found: String,
    },
}

impl fmt::Display for LintsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LintsError::NotAMap(found) => write!(f, "expected a map such as `W0101: allow`, found {found}"),
            LintsError::Key(found) => write!(f, "expected the code of a lint, found {found}"),
            LintsError::Name(error) => error.fmt(f),
            LintsError::Level { lint, found } => {
                write!(f, "expected `allow`, `warn` or `deny` for `{lint}`, found {found}")
            }
        }
    }
}

/// Reads the levels of lints.
fn lints(value: &Value) -> Result<Vec<(LintSelector, LintLevel)>, LintsError> {
    let Some(entries) = value.as_mapping() else { return Err(LintsError::NotAMap(describe(value))) };
    let level = |(key, value): (&Value, &Value)| {
        let Some(lint) = key.as_str() else { return Err(LintsError::Key(describe(key))) };
        let level = match value.as_str() {
            Some("allow") => LintLevel::Allow,
            Some("warn") => LintLevel::Warn,
            Some("deny") => LintLevel::Deny,
            other => {
                let found = other.map_or(describe(value).to_owned(), |text| format!("`{text}`"));
                return Err(LintsError::Level { lint: lint.to_owned(), found });
            }
        };
        Ok((lint.parse().map_err(LintsError::Name)?, level))
    };
    entries.iter().map(level).collect()
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Sequence(_) => "a list",
        Value::Mapping(_) => "a map",
        Value::Tagged(_) => "a tagged value",
    }
}

/// Returns the line of a top-level key.
pub(crate) fn key_range(text: &str, key: &str) -> (u32, u32) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(['"', '\'', '{', ' ']);
        if bare.starts_with(key) {
            let start = at + (line.len() - bare.len());
            return (start as u32, (at + line.trim_end().len()) as u32);
        }
        at += line.len();
    }
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, message: &str) {
        let error = Metadata::parse(text).expect_err(text);
        assert!(error.message.contains(message), "{text:?}: {}", error.message);
        assert!(error.range.0 <= error.range.1 && error.range.1 as usize <= text.len(), "{text:?}: {:?}", error.range);
    }

    #[test]
    fn nothing_means_all_defaults() {
        for text in [
            "",
            "# nothing\n",
            "---\n",
            "{}",
            "---\n# x\n...\n",
            "main:\n",
            "main: \"\"\n",
            "files: ~\nlicense: null\n",
        ] {
            assert_eq!(Metadata::parse(text), Ok((Metadata::default(), Vec::new())), "{text:?}");
        }
    }

    #[test]
    fn booleans_are_those_of_yaml_1_1() {
        for (text, block) in [("yes", true), ("On", true), ("Y", true), ("true", true), ("no", false), ("OFF", false)] {
            let (metadata, _) = Metadata::parse(&format!("parentpathblock: {text}\n")).expect(text);
            assert_eq!(metadata.parent_path_block, block, "{text}");
        }
        for text in ["'yes'", "\"on\"", "ja", "1", "yEs", "[]"] {
            fails(&format!("parentpathblock: {text}\n"), "expected true or false");
        }
    }

    #[test]
    fn unknown_keys_are_returned() {
        let text = "mian: a.mcl\nfile: x/\nwhatever: 1\n";
        let (metadata, unknown) = Metadata::parse(text).expect("unknown keys are allowed");
        assert_eq!(metadata, Metadata::default());
        let found: Vec<_> = unknown.iter().map(|key| (key.key.as_str(), key.similar)).collect();
        assert_eq!(found, [("mian", Some("main")), ("file", Some("files")), ("whatever", None)]);
        let (start, end) = unknown[1].range;
        assert_eq!(&text[start as usize..end as usize], "file: x/");
    }

    #[test]
    fn every_key_is_read() {
        let text = "main: src/start.mcl\npath: vendor/\nfiles: \"\"\nlicense: MIT\nparentpathblock: true\nlints:\n  W01: deny\n  all: allow\n";
        let want = Metadata {
            main: "src/start.mcl".to_owned(),
            path: "vendor/".to_owned(),
            files: String::new(),
            license: "MIT".to_owned(),
            parent_path_block: true,
            lints: vec![
                (LintSelector::Prefix("W01".to_owned()), LintLevel::Deny),
                (LintSelector::All, LintLevel::Allow),
            ],
        };
        assert_eq!(Metadata::parse(text), Ok((want, Vec::new())));
    }

    #[test]
    fn paths_follow_their_rules() {
        fails(
            "main: /main.mcl\n",
            "invalid `main` `/main.mcl`: expected a path that neither starts nor ends with a slash",
        );
        fails("main: sub/\n", "expected a path that neither starts nor ends with a slash");
        fails("path: vendor\n", "relative path that ends in a slash");
        fails("files: /srv/\n", "relative path that ends in a slash");
        fails("main: ../x.mcl\n", "the path escapes the module");
        fails("files: a/../../etc/\n", "the path escapes the module");
    }

    #[test]
    fn lints_have_levels() {
        fails("lints: [W0101]\n", "invalid `lints`: expected a map such as `W0101: allow`, found a list");
        fails("lints: {1: allow}\n", "expected the code of a lint, found a number");
        fails("lints:\n  W0101: off\n", "expected `allow`, `warn` or `deny` for `W0101`, found");
        fails("lints:\n  W0199: allow\n", "unknown lint `W0199`");
        fails("lints:\n  E0601: allow\n", "`E0601` is not a lint");
    }

    #[test]
    fn types_are_checked() {
        fails("main: 5\n", "invalid `main`: expected a string, found a number");
        fails("parentpathblock: \"yes\"\n", "invalid `parentpathblock`: expected true or false, found a string");
        fails("- a\n", "found a list");
        fails("main: [\n", "invalid YAML");
        fails("\tmain: x", "invalid YAML");
        fails("a: *b\n", "invalid YAML");
    }

    #[test]
    fn a_wrong_key_is_pointed_at() {
        let text = "# head\nlicense: MIT\nmain: sub/\n";
        let (start, end) = Metadata::parse(text).expect_err("main is wrong").range;
        assert_eq!(&text[start as usize..end as usize], "main: sub/");
    }
}
