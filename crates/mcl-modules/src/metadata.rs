//! `metadata.yaml` (spec 01 §6.7).

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
}

impl Default for Metadata {
    fn default() -> Metadata {
        Metadata {
            main: "main.mcl".to_owned(),
            path: String::new(),
            files: "files/".to_owned(),
            license: String::new(),
            parent_path_block: false,
        }
    }
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
    /// Parses a `metadata.yaml`. Unknown keys are ignored; an empty file means all defaults.
    ///
    /// # Errors
    /// Invalid YAML, values of the wrong type, and paths that violate spec 01 §6.7 or escape the module.
    pub fn parse(text: &str) -> Result<Metadata, MetadataError> {
        let value: Value = match serde_norway::from_str(text) {
            Ok(value) => value,
            // The parser reports an empty document as a missing one.
            Err(_)
                if text
                    .lines()
                    .all(|line| matches!(line.trim(), "" | "---" | "...") || line.trim().starts_with('#')) =>
            {
                Value::Null
            }
            Err(error) => {
                let at = error.location().map_or(0, |location| location.index().min(text.len())) as u32;
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or(&message);
                return Err(MetadataError { message: format!("invalid YAML: {message}"), range: (at, at) });
            }
        };
        let entries = match value {
            Value::Null => return Ok(Metadata::default()),
            Value::Mapping(entries) => entries,
            other => {
                let message = format!("expected a map (`main: main.mcl`), found {}", describe(&other));
                return Err(MetadataError { message, range: (0, text.trim_end().len() as u32) });
            }
        };
        let mut metadata = Metadata::default();
        for (key, value) in &entries {
            let Some(key) = key.as_str() else { continue };
            let fail = |message: String| Err(MetadataError { message, range: key_range(text, key) });
            if key == "parentpathblock" {
                match value.as_bool() {
                    Some(block) => metadata.parent_path_block = block,
                    None => return fail(format!("invalid `{key}`: expected true or false, found {}", describe(value))),
                }
                continue;
            }
            if !["main", "path", "files", "license"].contains(&key) {
                continue;
            }
            let Some(text) = value.as_str() else {
                return fail(format!("invalid `{key}`: expected a string, found {}", describe(value)));
            };
            let violation = match key {
                "main" if text.is_empty() => Some("the path is empty"),
                "main" if text.starts_with('/') || text.ends_with('/') => {
                    Some("expected a path that neither starts nor ends with a slash")
                }
                "path" | "files" if !text.is_empty() && (text.starts_with('/') || !text.ends_with('/')) => {
                    Some("expected an empty string or a relative path that ends in a slash")
                }
                "main" | "path" | "files" if clean(text).split('/').next() == Some("..") => {
                    Some("the path escapes the module")
                }
                _ => None,
            };
            if let Some(violation) = violation {
                return fail(format!("invalid `{key}` `{text}`: {violation}"));
            }
            match key {
                "main" => metadata.main = text.to_owned(),
                "path" => metadata.path = text.to_owned(),
                "files" => metadata.files = text.to_owned(),
                _ => metadata.license = text.to_owned(),
            }
        }
        Ok(metadata)
    }
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
fn key_range(text: &str, key: &str) -> (u32, u32) {
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
        for text in ["", "# nothing\n", "---\n", "{}", "---\n# x\n...\n", "unknown: [1]\n"] {
            assert_eq!(Metadata::parse(text), Ok(Metadata::default()), "{text:?}");
        }
    }

    #[test]
    fn every_key_is_read() {
        let text = "main: src/start.mcl\npath: vendor/\nfiles: \"\"\nlicense: MIT\nparentpathblock: true\n";
        let want = Metadata {
            main: "src/start.mcl".to_owned(),
            path: "vendor/".to_owned(),
            files: String::new(),
            license: "MIT".to_owned(),
            parent_path_block: true,
        };
        assert_eq!(Metadata::parse(text), Ok(want));
    }

    #[test]
    fn paths_follow_their_rules() {
        fails(
            "main: /main.mcl\n",
            "invalid `main` `/main.mcl`: expected a path that neither starts nor ends with a slash",
        );
        fails("main: sub/\n", "expected a path that neither starts nor ends with a slash");
        fails("main: \"\"\n", "the path is empty");
        fails("path: vendor\n", "relative path that ends in a slash");
        fails("files: /srv/\n", "relative path that ends in a slash");
        fails("main: ../x.mcl\n", "the path escapes the module");
        fails("files: a/../../etc/\n", "the path escapes the module");
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
