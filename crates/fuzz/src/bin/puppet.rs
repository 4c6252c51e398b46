//! A fuzzer of the Puppet compiler: it parses, lints and evaluates mutated programs for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz --bin puppet -- --seconds 60 --seed 7`
//!
//! The programs are those of `tests/puppet/lang`, cut into words that are deleted, doubled, exchanged, or replaced by words of
//! other programs. A panic, a program that needs more than two seconds of processor time, a tree that breaks its own invariants, and a diagnostic
//! outside of its file end the run with status 1. The program is written to `fuzz-crash.pp`; `--trace` writes each before it is
//! compiled, to find one that ends the whole process.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use fastrand::Rng;
use fuzz::manifest::{Judged, judge, options, recorded};
use fuzz::session::{Fuzzer, Session};
use fuzz::words::mutated;
use mcl_diagnostics::{Diagnostic, Severity, SourceFile};
use pp_evaluator::Options;

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
    type Program = String;

    const CRASH_FILE: &'static str = "fuzz-crash.pp";
    const MIN_ACCEPTED_PERCENT: usize = 5;

    fn program(&self, rng: &mut Rng, _count: usize) -> String {
        mutated(&self.corpus, rng)
    }

    fn run(&self, program: &String, _count: usize) -> bool {
        run(program, &self.options)
    }

    fn target(&self, _count: usize) -> Option<String> {
        None
    }
}

/// The definitions of a program itself, and an empty module for all other names.
struct Own(BTreeMap<String, Arc<pp_lint::Interface>>);

impl pp_lint::Definitions for Own {
    fn find(&self, name: &str) -> pp_lint::Found {
        match self.0.get(name) {
            Some(interface) => pp_lint::Found::Known(Arc::clone(interface)),
            None => pp_lint::Found::Absent(self.0.keys().cloned().collect()),
        }
    }
}

/// Compiles a program; returns whether it was accepted.
fn run(text: &str, options: &Options) -> bool {
    let Judged { file, diagnostics, compilation } = judge(text, options, |tree, file| {
        let definitions = Own(pp_lint::interfaces(tree, text).into_iter().collect());
        let subject = pp_lint::Subject { file, tree, autoload_name: None, definitions: &definitions };
        check(&pp_lint::check(subject, &|_| true), file);
        let _ = pp_syntax::pn(tree);
    });
    check(&diagnostics, &file);
    let Some(compilation) = compilation else { return false };
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
    let corpus = recorded().into_iter().map(|(_, code)| code).collect();
    let fuzzer = PuppetCompiler { corpus, options: options() };
    println!("{} programs in the corpus, {:?}", fuzzer.corpus.len(), session.duration());
    session.run(&fuzzer)
}
