//! A fuzzer of the Puppet compiler: it parses, lints and evaluates mutated programs for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz --bin puppet -- --seconds 60 --seed 7`
//!
//! The programs are those of `tests/puppet/lang`, cut into words that are deleted, doubled, exchanged, or replaced by words of
//! other programs. A panic, a program that needs more than two seconds of processor time, a tree that breaks its own invariants, and a diagnostic
//! outside of its file end the run with status 1. The program is written to `fuzz-crash.pp`; `--trace` writes each before it is
//! compiled, to find one that ends the whole process.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use fastrand::Rng;
use fuzz::session::{Fuzzer, Session};
use fuzz::words::mutated;
use mcl_diagnostics::{Diagnostic, FileId, Severity, SourceFile};
use pp_environment::{DiskServices, Facts, node_options, parse_text};
use pp_evaluator::{Budget, Environment, Options, Origin, Source};
use pp_syntax::{Mode, ValidationOptions};

/// The limits of an evaluation, small enough for a program in an endless loop.
const BUDGET: Budget = Budget { steps: 2_000_000, bytes: 256 << 20, depth: 2_000 };

/// Fuzzes the Puppet compiler.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    session: Session,
}

struct PuppetCompiler {
    corpus: Vec<String>,
    options: Options,
}

impl Fuzzer for PuppetCompiler {
    const CRASH_FILE: &'static str = "fuzz-crash.pp";
    const MIN_ACCEPTED_PERCENT: usize = 5;

    fn program(&self, rng: &mut Rng, _count: usize) -> String {
        mutated(&self.corpus, rng)
    }

    fn run(&self, program: &str, _count: usize) -> bool {
        run(program, &self.options)
    }

    fn target(&self, _count: usize) -> Option<String> {
        None
    }
}

/// Reads the recorded programs.
fn corpus() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/lang");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).expect("recorded programs").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut programs = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).expect("UTF-8");
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
            programs.push(record["code"].as_str().expect("a program").to_owned());
        }
    }
    programs
}

/// Compiles a program; returns whether it was accepted.
fn run(text: &str, options: &Options) -> bool {
    let (tree, diagnostics) = parse_text(FileId::MAIN, text, Mode::Manifest, ValidationOptions::default());
    let file = SourceFile::new("site.pp", text);
    check(&diagnostics, &file);
    tree.validate(text).expect("a tree of the parser is valid");
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return false;
    }
    let subject = pp_lint::Subject { file: &file, tree: &tree, autoload_name: None };
    check(&pp_lint::check(subject, &|_| true), &file);
    let _ = pp_syntax::pn(&tree);
    let mut environment = Environment::default();
    environment.files.files.push(file.clone());
    environment.sources.push(Source { origin: Origin::Main, tree });
    let compilation = pp_evaluator::compile(&environment, options, &DiskServices::default());
    if compilation.loaded.is_empty() {
        check(&compilation.diagnostics, &file);
    }
    let has_errors = compilation.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(compilation.catalog.is_none(), has_errors, "an error or a catalog");
    compilation.catalog.is_some_and(|catalog| catalog.write_json(std::io::sink(), 0, "").is_ok())
}

fn check(diagnostics: &[Diagnostic], file: &SourceFile) {
    for diagnostic in diagnostics {
        let spans = diagnostic.span.into_iter().chain(diagnostic.labels.iter().map(|label| label.span));
        for span in spans {
            let range = span.start as usize..span.end as usize;
            assert!(file.text.get(range).is_some(), "{}: a span outside of the file", diagnostic.message);
        }
    }
}

fn main() -> ExitCode {
    let session = Args::parse().session;
    let mut options = node_options(Some("agent.example.com"), Facts::default());
    options.budget = BUDGET;
    let fuzzer = PuppetCompiler { corpus: corpus(), options };
    println!("{} programs in the corpus, {:?}", fuzzer.corpus.len(), session.duration());
    session.run(&fuzzer)
}
