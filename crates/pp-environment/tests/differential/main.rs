//! Generated programs, compiled here and by a real Puppet: the same messages, catalog, or line of the error.

mod catalog;
mod catalogs;
mod corpus;
mod drivers;
mod generate;
mod graphs;
mod reference;
mod systems;
mod values;

use mcl_diagnostics::{Code, Diagnostic, FileId, Severity, SourceFile};
use pp_environment::{DiskServices, Facts, parse_text};
use pp_evaluator::{Environment, Origin, Source};
use pp_functions::LogLevel;
use pp_syntax::{Mode, ValidationOptions};
use test_support::{Rng, seeds, shorter};

use crate::generate::Program;
use crate::reference::{Answer, Reference};

const FACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/puppet/facts.yaml");

/// The node that programs are compiled for.
const NODE: &str = "agent.example.com";

/// Steps of an evaluation. Puppet would evaluate a longer one to its end, however long that takes.
const MAX_STEPS: u64 = 1_000_000;
/// Maximum number of differing programs that a run reports.
const MAX_DIFFERENCES: usize = 20;

/// Compiles a program in this process.
fn compile(code: &str) -> Answer {
    let (tree, diagnostics) = parse_text(FileId::MAIN, code, Mode::Manifest, ValidationOptions::default());
    let mut environment = Environment::default();
    environment.files.files.push(SourceFile::new("site.pp", code));
    let line = |diagnostics: &[Diagnostic]| {
        let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
        let span = error.span?;
        Some(environment_line(code, span.start))
    };
    let message = |diagnostics: &[Diagnostic]| {
        diagnostics.iter().find(|d| d.severity == Severity::Error).map(|error| error.message.clone())
    };
    if let Some(error) = message(&diagnostics) {
        return Answer { error: Some(error), lines: line(&diagnostics).into_iter().collect(), ..Answer::default() };
    }
    environment.sources.push(Source { origin: Origin::Main, tree });
    let facts = Facts::read(FACTS.as_ref()).expect("facts");
    let mut options = pp_environment::node_options(Some(NODE), facts);
    options.budget.steps = MAX_STEPS;
    let compilation = pp_evaluator::compile(&environment, &options, &DiskServices::default());
    let notices = compilation.log.iter().filter(|entry| entry.level == LogLevel::Notice);
    let log = notices
        .filter_map(|entry| entry.scope.as_ref().map(|scope| format!("Scope({scope}): {}", entry.message)))
        .collect();
    let catalog = compilation.catalog.map(|catalog| catalog.to_json(0, "").expect("JSON"));
    Answer {
        log,
        catalog: catalog.as_ref().map(catalog::essence),
        error: message(&compilation.diagnostics),
        lines: line(&compilation.diagnostics).into_iter().collect(),
        is_crash: false,
        is_limit: compilation.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::P0506),
    }
}

fn environment_line(code: &str, offset: u32) -> u64 {
    let file = SourceFile::new("site.pp", code);
    u64::from(file.line_col(offset).line)
}

/// Returns how two answers differ; `None` if they agree.
fn difference(ours: &Answer, theirs: &Answer) -> Option<String> {
    if theirs.is_crash {
        return None;
    }
    match (&ours.error, &theirs.error) {
        (Some(ours), None) => return Some(format!("rejected here: {ours}")),
        (None, Some(theirs)) => return Some(format!("rejected by Puppet: {theirs}")),
        (Some(our_text), Some(their_text))
            if !theirs.lines.is_empty() && !ours.lines.iter().any(|line| theirs.lines.contains(line)) =>
        {
            return Some(format!(
                "error in line {:?}: {our_text}\nPuppet: {:?}: {their_text}",
                ours.lines, theirs.lines
            ));
        }
        _ => {}
    }
    if ours.log != theirs.log {
        let at = ours.log.iter().zip(&theirs.log).take_while(|(ours, theirs)| ours == theirs).count();
        return Some(format!("message {at}: {:?}\nPuppet: {:?}", ours.log.get(at), theirs.log.get(at)));
    }
    catalog::difference(ours.catalog.as_ref()?, theirs.catalog.as_ref()?)
}

/// Compares one program.
fn compare(reference: &mut Reference, program: &Program) -> Option<String> {
    let code = program.text();
    let ours = compile(&code);
    if ours.is_limit { None } else { difference(&ours, &reference.compile(&code)) }
}

/// Compares generated programs.
#[track_caller]
fn compare_all(count: u64, generate: fn(&mut Rng) -> Program) {
    let Some(mut reference) = Reference::start(FACTS) else { return };
    let mut differences = Vec::new();
    for seed in seeds(count) {
        let mut program = generate(&mut Rng::with_seed(seed));
        let Some(mut why) = compare(&mut reference, &program) else { continue };
        // Statements that do not matter are left out.
        while let Some((smaller, reason)) = shorter(&program.statements).into_iter().find_map(|statements| {
            let smaller = Program { statements };
            compare(&mut reference, &smaller).map(|reason| (smaller, reason))
        }) {
            (program, why) = (smaller, reason);
        }
        differences.push(format!("SEED={seed}\n{}\n{why}", program.text()));
        if differences.len() == MAX_DIFFERENCES {
            break;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn generated_programs_mean_what_they_mean_to_puppet() {
    compare_all(150, generate::program);
}

#[test]
fn generated_catalogs_are_those_of_puppet() {
    compare_all(150, catalogs::program);
}
