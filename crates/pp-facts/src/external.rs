//! External facts: files in the directories `facts.d`, and variables of the environment (spec 07 §5.15).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pp_types::Value;

use crate::document::parse_document;
use crate::fact::FactSet;
use crate::machine::{ProcessState, read_regular_file};

/// Where external facts of the machine are.
const MACHINE_DIRECTORIES: [&str; 3] =
    ["/etc/facter/facts.d", "/etc/puppetlabs/facter/facts.d", "/opt/puppetlabs/facter/facts.d"];
/// Where those of a user are, in place of the ones of the machine, below the home directory.
const USER_DIRECTORIES: [&str; 2] = [".facter/facts.d", ".puppetlabs/opt/facter/facts.d"];
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

/// How external facts are read.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// What is done with executable files.
    pub executables: Executables<'a>,
    /// Returns why a file must not be used, to follow a colon.
    pub refuse: &'a dyn Fn(&Path) -> Option<String>,
}

impl Reader<'static> {
    /// Reads every file, and starts none.
    pub const DATA: Reader<'static> = Reader { executables: Executables::Skip, refuse: &|_| None };
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
    /// What is wrong with files, one sentence each.
    pub warnings: Vec<String>,
    /// The facts by the files that they are from. The later of two facts of a name wins.
    sources: Vec<Source>,
}

/// A file with facts.
#[derive(Clone, Debug)]
struct Source {
    file: PathBuf,
    facts: FactSet,
    is_program: bool,
}

/// Returns the directories of external facts that `facter` reads as this user. A fact of an earlier one wins.
#[must_use]
pub fn external_directories(process: &ProcessState) -> Vec<PathBuf> {
    match &process.home {
        Some(home) if process.uid != 0 => USER_DIRECTORIES.iter().map(|directory| home.join(directory)).collect(),
        _ => MACHINE_DIRECTORIES.map(PathBuf::from).to_vec(),
    }
}

/// Reads the external facts of directories. A fact of an earlier directory wins, and of the files in one that of the later. A
/// directory that does not exist has none. A file that cannot be read, and a program that fails, have the facts that they had in
/// `previous`: it may just be being written.
#[must_use]
pub fn external(directories: &[PathBuf], reader: Reader<'_>, previous: &External) -> External {
    let mut external = External::default();
    for directory in directories.iter().rev() {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(MAX_FILES).collect();
        files.sort_unstable();
        for file in files {
            let hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !hidden && file.is_file() {
                external.add(file, reader, previous);
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
    /// Returns the facts.
    #[must_use]
    pub fn facts(&self) -> FactSet {
        let mut facts = FactSet::default();
        self.sources.iter().for_each(|source| facts.extend(source.facts.clone()));
        facts
    }

    /// Adds the facts of files that are not on this machine, given by their paths. Those of the machine win, and of the files
    /// those of the later.
    #[must_use]
    pub fn with_documents<'a>(mut self, documents: impl Iterator<Item = (&'a str, &'a [u8])>) -> External {
        let mut sources = Vec::new();
        for (path, bytes) in documents {
            let file = PathBuf::from(path);
            match text(bytes.to_vec()).and_then(|text| parse(extension(&file), &text)) {
                Ok(facts) => sources.push(Source { file, facts, is_program: false }),
                Err(reason) => self.warnings.push(format!("external facts of {path}: {reason}")),
            }
        }
        self.sources.splice(..0, sources);
        self
    }

    /// Whether a program printed a fact with this name.
    #[must_use]
    pub fn is_printed(&self, name: &str) -> bool {
        self.sources.iter().any(|source| source.is_program && source.facts.get(name).is_some())
    }

    /// Adds the facts of a file.
    fn add(&mut self, file: PathBuf, reader: Reader<'_>, previous: &External) {
        let is_data = is_fact_data(&file);
        let is_executable = || file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
        if !is_data && !is_executable() {
            return;
        }
        if let Some(reason) = (reader.refuse)(&file) {
            self.warnings.push(format!("external facts of {}: it is not used: {reason}", file.display()));
            return;
        }
        let (found, problem) = reader.find(&file, is_data);
        let mut facts = FactSet::default();
        if let Some(reason) = problem {
            let before = previous.sources.iter().find(|source| source.file == file);
            let kept = before.filter(|source| source.facts.iter().next().is_some());
            let consequence = kept.map_or("", |_| "; the facts that it had stay");
            self.warnings.push(format!("external facts of {}: {reason}{consequence}", file.display()));
            facts.extend(kept.map(|source| source.facts.clone()).unwrap_or_default());
        }
        facts.extend(found);
        self.sources.push(Source { file, facts, is_program: !is_data });
    }
}

impl Reader<'_> {
    /// Returns the facts of a file, and what went wrong.
    fn find(self, file: &Path, is_data: bool) -> (FactSet, Option<Reason>) {
        if is_data {
            return match read(file).and_then(|text| parse(extension(file), &text)) {
                Ok(facts) => (facts, None),
                Err(reason) => (FactSet::default(), Some(reason)),
            };
        }
        match self.executables {
            Executables::Skip => (FactSet::default(), Some("only the agent starts programs".to_owned())),
            Executables::Run(run) => {
                let printed = run(file);
                (parse_output(&printed.text), printed.problem)
            }
        }
    }
}

fn read(file: &Path) -> Result<String, Reason> {
    let bytes = read_regular_file(file, MAX_FILE_BYTES + 1).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("the file has more than {MAX_FILE_BYTES} bytes"));
    }
    text(bytes)
}

fn text(bytes: Vec<u8>) -> Result<String, Reason> {
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())
}

/// Whether a file of external facts is data, not a program.
#[must_use]
pub fn is_fact_data(file: &Path) -> bool {
    matches!(extension(file), "txt" | "json" | "yaml" | "yml")
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Why a file has no facts, to follow a colon.
type Reason = String;

fn parse(extension: &str, text: &str) -> Result<FactSet, Reason> {
    let is_yaml = extension.starts_with('y');
    if extension == "txt" {
        return Ok(parse_lines(text));
    }
    if is_yaml && text.lines().all(|line| matches!(line.trim_start().as_bytes(), [] | [b'#', ..] | b"---")) {
        return Ok(FactSet::default());
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
        let external = external(&[directory.path().to_owned()], Reader::DATA, &External::default());
        assert_eq!(external.warnings, [""; 0]);
        let external = external.facts();
        let names: Vec<&str> = external.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c", "upper"]);
        assert_eq!(external.find("a"), Some(Value::from("later")));
        assert_eq!(external.find("upper"), Some(Value::from("x=y")));
        assert_eq!(external.find("b.k.1"), Some(Value::from(2.5)));
    }

    #[test]
    fn files_that_are_broken_are_named() {
        let bomb =
            (0..40).map(|n| format!("a{n}: &a{n} [*a{m}, *a{m}, *a{m}]\n", m = n.max(1) - 1)).collect::<String>();
        let deep = "[".repeat(100_000);
        let files =
            [("a.json", "{bad", 0o644), ("b.yaml", "- 1\n", 0o644), ("c.yaml", &bomb, 0o644), ("d.json", &deep, 0o644)];
        let directory = directory(&files);
        let external = external(&[directory.path().to_owned()], Reader::DATA, &External::default());
        assert_eq!(external.warnings.len(), 4, "{:#?}", external.warnings);
        assert!(external.facts().iter().next().is_none());
    }

    #[test]
    fn programs_print_facts() {
        let directory =
            directory(&[("lines", "", 0o755), ("json", "", 0o755), ("yaml", "", 0o755), ("failing", "", 0o755)]);
        let directories = [directory.path().to_owned()];
        assert_eq!(external(&directories, Reader::DATA, &External::default()).warnings.len(), 4);
        let run = |path: &Path| match path.file_name().and_then(|name| name.to_str()) {
            Some("lines") => Printed { text: "x=1\nnoise\n".to_owned(), problem: None },
            Some("json") => Printed { text: r#"{"j": {"a": 1}}"#.to_owned(), problem: None },
            Some("yaml") => Printed { text: "y: [1]\n".to_owned(), problem: None },
            _ => Printed { text: "f=1\n".to_owned(), problem: Some("it failed".to_owned()) },
        };
        let found = external(
            &directories,
            Reader { executables: Executables::Run(&run), ..Reader::DATA },
            &External::default(),
        );
        let facts = found.facts();
        let names: Vec<&str> = facts.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["f", "j", "x", "y"]);
        assert_eq!(found.warnings.len(), 1, "{:#?}", found.warnings);
        assert!(found.is_printed("j") && !found.is_printed("z"));
        // Another time, all fail.
        let fail = |_: &Path| Printed { text: "x=2\n".to_owned(), problem: Some("it failed".to_owned()) };
        let again = external(&directories, Reader { executables: Executables::Run(&fail), ..Reader::DATA }, &found);
        assert_eq!(again.facts().find("j.a"), Some(Value::Integer(1)));
        assert_eq!(again.facts().find("x"), Some(Value::from("2")));
    }

    #[test]
    fn a_file_that_is_half_written_has_the_facts_that_it_had() {
        let directory = directory(&[("a.json", r#"{"role": "web"}"#, 0o644), ("b.yaml", "zone: a\n", 0o644)]);
        let read = |previous: &External| external(&[directory.path().to_owned()], Reader::DATA, previous);
        let whole = read(&External::default());
        std::fs::write(directory.path().join("a.json"), r#"{"role": "#).expect("writable");
        let half = read(&whole);
        assert_eq!(half.facts(), whole.facts());
        assert!(half.warnings[0].ends_with("; the facts that it had stay"), "{:?}", half.warnings);
        assert_eq!(read(&half).facts(), whole.facts(), "however often it is read");
        assert!(read(&External::default()).facts().get("role").is_none());
        std::fs::remove_file(directory.path().join("a.json")).expect("it exists");
        std::fs::write(directory.path().join("b.yaml"), "# nothing\n").expect("writable");
        let gone = read(&whole);
        assert_eq!((gone.facts(), gone.warnings), (FactSet::default(), Vec::new()));
    }

    #[test]
    fn a_fact_of_an_earlier_directory_wins() {
        let (first, second) = (directory(&[("a.txt", "n=1\n", 0o644)]), directory(&[("b.txt", "n=2\nm=2\n", 0o644)]));
        let directories = [first.path().to_owned(), second.path().to_owned()];
        let facts = external(&directories, Reader::DATA, &External::default()).facts();
        assert_eq!((facts.find("n"), facts.find("m")), (Some(Value::from("1")), Some(Value::from("2"))));
    }

    #[test]
    fn a_file_that_is_refused_has_no_facts() {
        let directory = directory(&[("a.txt", "a=1\n", 0o666), ("b.txt", "b=1\n", 0o644)]);
        let directories = [directory.path().to_owned()];
        let refuse = |file: &Path| file.ends_with("a.txt").then(|| "others can change it".to_owned());
        let before = external(&directories, Reader::DATA, &External::default());
        let found = external(&directories, Reader { refuse: &refuse, ..Reader::DATA }, &before);
        assert_eq!((found.facts().find("a"), found.facts().find("b")), (None, Some(Value::from("1"))));
        assert!(found.warnings[0].ends_with("it is not used: others can change it"), "{:?}", found.warnings);
    }

    #[test]
    fn users_have_directories_of_their_own() {
        let of = |uid, home: Option<&str>| {
            external_directories(&ProcessState { uid, home: home.map(PathBuf::from), ..ProcessState::default() })
        };
        assert_eq!(of(0, Some("/root"))[0], Path::new("/etc/facter/facts.d"));
        assert_eq!(of(1, Some("/home/u"))[0], Path::new("/home/u/.facter/facts.d"));
        assert_eq!(of(1, None)[0], Path::new("/etc/facter/facts.d"));
    }

    #[test]
    fn what_is_not_a_regular_file_is_not_waited_for() {
        let directory = directory(&[]);
        let pipe = directory.path().join("pipe.txt");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        let found = external(&[directory.path().to_owned()], Reader::DATA, &External::default());
        assert_eq!(found.facts(), FactSet::default());
        assert!(read(&pipe).is_err());
    }
}
