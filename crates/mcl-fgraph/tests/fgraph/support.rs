//! Compiling and running samples.

use std::sync::Arc;
use std::time::Duration;

use expect_test::Expect;
use mcl_artifact::{ArtifactStage, program::Program, write};
use mcl_diagnostics::{Diagnostic, Severity};
use mcl_driver::{Checked, Payload};
use mcl_fgraph::Options;
use resource_graph::ResourceGraph;

pub const FOLDED: Options = Options { fold: true };
pub const PLAIN: Options = Options { fold: false };

/// Returns the typed program of a source without errors.
#[track_caller]
pub fn checked(source: &str) -> Checked {
    let input = mcl_modules::Input::Text { path: "main.mcl".into(), text: source.into() };
    let loaded = mcl_modules::load(&input, &mcl_modules::Options::default())
        .expect("a program that is given as text can be read");
    let mut payload = Payload::Tokens(loaded);
    loop {
        if let Payload::Typed(checked) = payload {
            return checked;
        }
        let (next, diagnostics) = payload.next();
        let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{source}\n{errors:#?}");
        payload = next.expect("every stage leads to the next one");
    }
}

#[track_caller]
pub fn lower(checked: &Checked, options: Options) -> Result<Program, Vec<Diagnostic>> {
    mcl_fgraph::lower(checked.typed.clone(), &checked.loaded, options).map(|lowered| lowered.program)
}

#[track_caller]
pub fn build(source: &str, options: Options) -> Program {
    build_checked(&checked(source), options)
}

#[track_caller]
pub fn build_checked(checked: &Checked, options: Options) -> Program {
    let program = lower(checked, options).expect("the program is correct");
    mcl_artifact::validate(&program).expect("lowering keeps the invariants");
    program
}

pub fn artifact(source: &str) -> Vec<u8> {
    write(ArtifactStage::Fgraph, &build(source, FOLDED))
}

/// Returns the first resource graph of a program on a host called `box`.
pub fn run(program: Program) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let wait = runtime::WaitLimit { limit: Duration::ZERO, report: &mut |_| {} };
    runtime::first_graph(&Arc::new(program), "box", None, wait)
}

/// Checks the listing of the lowered program, without the line of counts and without spans.
#[track_caller]
pub fn check_listing(source: &str, expected: Expect) {
    let listing = mcl_artifact::inspect::text(&build(source, FOLDED));
    let lines = listing.lines().skip(2).map(|line| line.split(" # ").next().unwrap_or(line).trim_end());
    let listing = lines.collect::<Vec<_>>().join("\n");
    expected.assert_eq(&format!("{}\n", listing.trim()));
}
