//! External facts: files in the directories `facts.d`, and variables of the environment (spec 07 §5.15).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pp_types::Value;

use crate::document::parse_document;
use crate::fact::FactSet;

/// Where external facts are by default.
pub const EXTERNAL_DIRECTORIES: [&str; 3] =
    ["/etc/facter/facts.d", "/etc/puppetlabs/facter/facts.d", "/opt/puppetlabs/facter/facts.d"];
/// Maximum number of files of a directory.
const MAX_FILES: usize = 1_000;
/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Whether executable files are started to print facts.
#[derive(Clone, Copy)]
pub enum Executables<'a> {
    /// Start them in this way.
    Run(&'a dyn Fn(&Path) -> Printed),
    /// Leave them out, with a warning.
    Skip,
}

/// What a program printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Its standard output.
    pub text: String,
    /// What went wrong, to follow a colon. What it printed before counts.
    pub problem: Option<String>,
}

/// External facts, and what kept some from being read.
#[derive(Clone, Debug, Default)]
pub struct External {
    /// The facts.
    pub facts: FactSet,
    /// What is wrong with files, one sentence each.
    pub warnings: Vec<String>,
    /// The files that were read, and the directories.
    pub files: Vec<PathBuf>,
}

/// Reads the external facts of directories, the later of two of a name wins. A directory that does not exist has none.
#[must_use]
pub fn external(directories: &[PathBuf], executables: Executables<'_>) -> External {
    let mut external = External::default();
    for directory in directories {
        external.files.push(directory.clone());
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(MAX_FILES).collect();
        files.sort_unstable();
        for file in files {
            let hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !hidden && file.is_file() {
                external.add(&file, executables);
            }
        }
    }
    external
}

/// Returns the facts that variables of the environment set: `FACTER_role=web`.
#[must_use]
pub fn environment_facts() -> FactSet {
    let mut facts = FactSet::default();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix("FACTER_")) else { continue };
        if !name.is_empty() {
            facts.set(&name.to_lowercase(), Value::from(value.to_string_lossy().into_owned()));
        }
    }
    facts
}

impl External {
    /// Adds the facts of a file.
    fn add(&mut self, file: &Path, executables: Executables<'_>) {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_executable = file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
        let parsed = match extension {
            "txt" | "json" | "yaml" | "yml" => read(file).and_then(|text| parse(extension, &text)),
            _ if !is_executable => return,
            _ => match executables {
                Executables::Skip => Err("only the agent starts programs".to_owned()),
                Executables::Run(run) => {
                    let printed = run(file);
                    self.warn(file, printed.problem);
                    Ok(parse_output(&printed.text))
                }
            },
        };
        self.files.push(file.to_owned());
        match parsed {
            Ok(facts) => self.facts.extend(facts),
            Err(reason) => self.warn(file, Some(reason)),
        }
    }

    fn warn(&mut self, file: &Path, reason: Option<String>) {
        self.warnings.extend(reason.map(|reason| format!("external facts of {}: {reason}", file.display())));
    }
}

fn read(file: &Path) -> Result<String, Reason> {
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(format!("the file has more than {MAX_FILE_BYTES} bytes"));
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())
}

/// Why a file has no facts, to follow a colon.
type Reason = String;

fn parse(extension: &str, text: &str) -> Result<FactSet, Reason> {
    if extension == "txt" {
        return Ok(parse_lines(text));
    }
    facts_of(text).map_err(|error| error.to_string())
}

/// Reads what a program printed: JSON or YAML with a hash of facts, or lines.
fn parse_output(text: &str) -> FactSet {
    facts_of(text).unwrap_or_else(|_| parse_lines(text))
}

/// Reads lines of the form `name=value`.
fn parse_lines(text: &str) -> FactSet {
    let mut facts = FactSet::default();
    for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
        if !name.is_empty() && !value.is_empty() && !name.starts_with('#') {
            facts.set(&name.to_lowercase(), Value::from(value));
        }
    }
    facts
}

fn facts_of(text: &str) -> Result<FactSet, crate::document::DocumentError> {
    let mut facts = FactSet::default();
    for (name, value) in parse_document(text)?.values {
        if let Value::String(name) = name {
            facts.set(&name.to_lowercase(), value);
        }
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(files: &[(&str, &str, u32)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (name, text, mode) in files {
            let path = directory.path().join(name);
            std::fs::write(&path, text).expect("writable");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode)).expect("writable");
        }
        directory
    }

    #[test]
    fn files_hold_lines_json_or_yaml() {
        let directory = directory(&[
            ("a.txt", "a=1\n#c=2\nUpper=x=y\nnone=\nnoise\n", 0o644),
            ("b.json", r#"{"b": {"k": [1, 2.5, null, true]}, "a": "later"}"#, 0o644),
            ("c.yaml", "c: {z: 1}\n", 0o644),
            (".hidden.txt", "hidden=1\n", 0o644),
            ("plain", "plain=1\n", 0o644),
        ]);
        let external = external(&[directory.path().to_owned()], Executables::Skip);
        assert_eq!(external.warnings, [""; 0]);
        let names: Vec<&str> = external.facts.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c", "upper"]);
        assert_eq!(external.facts.find("a"), Some(Value::from("later")));
        assert_eq!(external.facts.find("upper"), Some(Value::from("x=y")));
        assert_eq!(external.facts.find("b.k.1"), Some(Value::from(2.5)));
    }

    #[test]
    fn files_that_are_broken_are_named() {
        let bomb =
            (0..40).map(|n| format!("a{n}: &a{n} [*a{m}, *a{m}, *a{m}]\n", m = n.max(1) - 1)).collect::<String>();
        let deep = "[".repeat(100_000);
        let files =
            [("a.json", "{bad", 0o644), ("b.yaml", "- 1\n", 0o644), ("c.yaml", &bomb, 0o644), ("d.json", &deep, 0o644)];
        let directory = directory(&files);
        let external = external(&[directory.path().to_owned()], Executables::Skip);
        assert_eq!(external.warnings.len(), 4, "{:#?}", external.warnings);
        assert!(external.facts.iter().next().is_none());
    }

    #[test]
    fn programs_print_facts() {
        let directory =
            directory(&[("lines", "", 0o755), ("json", "", 0o755), ("yaml", "", 0o755), ("failing", "", 0o755)]);
        let directories = [directory.path().to_owned()];
        assert_eq!(external(&directories, Executables::Skip).warnings.len(), 4);
        let run = |path: &Path| match path.file_name().and_then(|name| name.to_str()) {
            Some("lines") => Printed { text: "x=1\nnoise\n".to_owned(), problem: None },
            Some("json") => Printed { text: r#"{"j": {"a": 1}}"#.to_owned(), problem: None },
            Some("yaml") => Printed { text: "y: [1]\n".to_owned(), problem: None },
            _ => Printed { text: "f=1\n".to_owned(), problem: Some("it failed".to_owned()) },
        };
        let found = external(&directories, Executables::Run(&run));
        let names: Vec<&str> = found.facts.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["f", "j", "x", "y"]);
        assert_eq!(found.warnings.len(), 1, "{:#?}", found.warnings);
    }
}
