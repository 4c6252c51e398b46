//! The `metadata.json` of a module: its name, its version, and what it depends on (spec 07 §5.14).

use pp_types::SemVer;
use serde_json::Value;

/// The file in the directory of a module.
pub(crate) const METADATA: &str = "metadata.json";

/// What a module says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    /// Its full name.
    pub(crate) name: Option<ForgeName>,
    /// Its version, if it is a semantic one.
    pub(crate) version: Option<SemVer>,
    /// The modules that it depends on, in the order of the file.
    pub(crate) dependencies: Vec<Requirement>,
    /// Puppet, and other products that it needs.
    pub(crate) requirements: Vec<Requirement>,
}

/// The name of a module with its author, written `author/name` or `author-name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForgeName {
    /// The author.
    pub(crate) author: String,
    /// The name of the directory.
    pub(crate) module: String,
}

/// Something that a module needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// The name, as it is written.
    pub(crate) name: String,
    /// The versions, as they are written; `None` for any.
    pub(crate) versions: Option<String>,
}

/// Why the metadata of a module is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MetadataError {
    /// Not JSON.
    Json { reason: String, line: usize, column: usize },
    /// Not a hash.
    NotAHash,
}

impl Metadata {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// A text that is not a hash in JSON.
    pub(crate) fn parse(text: &str) -> Result<Metadata, MetadataError> {
        let json: Value = serde_json::from_str(text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            MetadataError::Json { reason, line: error.line(), column: error.column() }
        })?;
        if !json.is_object() {
            return Err(MetadataError::NotAHash);
        }
        Ok(Metadata {
            name: json["name"].as_str().and_then(ForgeName::parse),
            version: json["version"].as_str().and_then(SemVer::parse),
            dependencies: requirements(&json["dependencies"]),
            requirements: requirements(&json["requirements"]),
        })
    }
}

fn requirements(list: &Value) -> Vec<Requirement> {
    let requirement = |entry: &Value| {
        let name = entry["name"].as_str()?.to_owned();
        Some(Requirement { name, versions: entry["version_requirement"].as_str().map(str::to_owned) })
    };
    list.as_array().into_iter().flatten().filter_map(requirement).collect()
}

impl ForgeName {
    /// Reads a name; `None` if it is not one of the Forge.
    pub(crate) fn parse(text: &str) -> Option<ForgeName> {
        let (author, module) = text.split_once(['/', '-'])?;
        let is_author = !author.is_empty() && author.chars().all(|c| c.is_ascii_alphanumeric());
        let is_module = module.starts_with(|first: char| first.is_ascii_lowercase())
            && module.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        (is_author && is_module).then(|| ForgeName { author: author.to_owned(), module: module.to_owned() })
    }

    /// Whether both names are of the same module; the Forge does not tell upper from lower case in names of authors.
    pub(crate) fn is_same(&self, other: &ForgeName) -> bool {
        self.module == other.module && self.author.eq_ignore_ascii_case(&other.author)
    }
}

impl std::fmt::Display for ForgeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.author, self.module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_two_forms() {
        let name = |text| ForgeName::parse(text).map(|name| name.to_string());
        assert_eq!(name("puppetlabs/stdlib").as_deref(), Some("puppetlabs/stdlib"));
        assert_eq!(name("puppet-mysql_java").as_deref(), Some("puppet/mysql_java"));
        for wrong in ["stdlib", "/stdlib", "a/", "a/B", "a/b/c", "a-b-c", ""] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        let metadata =
            Metadata::parse(r#"{"name": 1, "version": "x", "dependencies": [{"name": "a/b"}, 3, {"q": 1}]}"#);
        let expected = Metadata {
            dependencies: vec![Requirement { name: "a/b".to_owned(), versions: None }],
            ..Metadata::default()
        };
        assert_eq!(metadata, Ok(expected));
        assert_eq!(Metadata::parse("[]"), Err(MetadataError::NotAHash));
        assert!(matches!(Metadata::parse("{\n \"a\" 1}"), Err(MetadataError::Json { line: 2, .. })));
        let deep = "[".repeat(100_000);
        assert!(matches!(Metadata::parse(&deep), Err(MetadataError::Json { .. })));
    }
}
