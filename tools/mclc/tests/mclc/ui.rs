//! Programs with exactly what a person sees: `tests/ui/**/NAME.mcl` (or a module directory `NAME/`) and `NAME.out` beside it,
//! and `tests/ui-puppet/**/NAME.pp`.
//!
//! `mclc check` runs in the folder that holds the program, and `mclc puppet` in that of a manifest. `NAME.out` is all it prints,
//! but for the catalog of a manifest, with the exit status if that is not 0; no file means that nothing is printed. A first line
//! `# arguments: ARGS` adds arguments. `BLESS=1 cargo test -p mclc` rewrites the expectations; read the difference before it is
//! committed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::command::{Ran, run};

/// Programs of one language.
struct Suite {
    /// The folder below `tests`.
    folder: &'static str,
    extension: &'static str,
    transcript: fn(&Path) -> String,
}

const PROGRAMS: Suite = Suite { folder: "ui", extension: "mcl", transcript };
const MANIFESTS: Suite = Suite { folder: "ui-puppet", extension: "pp", transcript: manifest_transcript };

impl Suite {
    fn root(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(self.folder)
    }

    /// The programs below a folder. A directory that is a module is one program.
    fn programs(&self, folder: &Path, found: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        let entries: BTreeSet<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        for path in entries {
            if path.is_dir() && !path.join("main.mcl").exists() && !path.join("metadata.yaml").exists() {
                self.programs(&path, found);
            } else if path.is_dir() || path.extension().is_some_and(|extension| extension == self.extension) {
                found.push(path);
            }
        }
    }

    /// Runs all programs, and compares what is printed.
    #[track_caller]
    fn check(&self) {
        let root = self.root();
        let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
        let mut found = Vec::new();
        self.programs(&root, &mut found);
        assert!(!found.is_empty(), "there are no programs in {}", root.display());
        let failures: Vec<String> = found
            .par_iter()
            .filter_map(|program| {
                let expectation = program.with_extension("out");
                let want = std::fs::read_to_string(&expectation).unwrap_or_default();
                let got = (self.transcript)(program);
                if got == want {
                    return None;
                }
                if bless {
                    let done = if got.is_empty() {
                        std::fs::remove_file(&expectation)
                    } else {
                        std::fs::write(&expectation, &got)
                    };
                    done.expect("the expectation can be written");
                    return None;
                }
                let name = program.strip_prefix(&root).unwrap_or(program).display();
                Some(format!("==== {name}\n---- expected\n{want}---- printed\n{got}"))
            })
            .collect();
        assert!(failures.is_empty(), "{}\n{} of {} programs differ", failures.join("\n"), failures.len(), found.len());
    }

    /// Returns the expectations without a program.
    fn orphans(&self, folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.orphans(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "out") {
                let directory = path.with_extension("");
                if !path.with_extension(self.extension).exists() && !directory.is_dir() {
                    found.push(path);
                }
            }
        }
    }
}

/// What a run on a program prints.
fn transcript(program: &Path) -> String {
    let main = if program.is_dir() { program.join("main.mcl") } else { program.to_owned() };
    let text = std::fs::read(main).unwrap_or_default();
    let first = String::from_utf8_lossy(text.split(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
    let extra = first.strip_prefix("# arguments: ").unwrap_or_default();
    let args: Vec<&str> = ["check"].into_iter().chain(extra.split_whitespace()).collect();
    let ran = run_in_folder(program, &args);
    format!("{}{}{}", ran.stdout, ran.stderr, status(ran.status))
}

/// What compiling a manifest prints besides the catalog.
fn manifest_transcript(program: &Path) -> String {
    let facts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/puppet/facts.yaml");
    let args = ["puppet", "--emit", "catalog", "--node", "agent.example.com", "--facts", facts];
    let ran = run_in_folder(program, &args);
    format!("{}{}", ran.stderr, status(ran.status))
}

fn run_in_folder(program: &Path, args: &[&str]) -> Ran {
    let folder = program.parent().expect("a program lies in a folder");
    let name = program.file_name().and_then(|name| name.to_str()).expect("names are UTF-8");
    let args: Vec<&str> = args.iter().copied().chain([name]).collect();
    run(folder, &args, b"")
}

fn status(status: i32) -> String {
    if status == 0 { String::new() } else { format!("exit status {status}\n") }
}

#[test]
fn programs_print_exactly_what_is_expected() {
    PROGRAMS.check();
}

#[test]
fn manifests_print_exactly_what_is_expected() {
    MANIFESTS.check();
}

#[test]
fn every_expectation_belongs_to_a_program() {
    let mut found = Vec::new();
    for suite in [PROGRAMS, MANIFESTS] {
        suite.orphans(&suite.root(), &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}
