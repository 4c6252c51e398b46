//! The programs in the explanations of diagnostic codes do what the explanations say.

use mcl_diagnostics::explanation::{Block, CodeBlock, Expectation, blocks};
use mcl_diagnostics::{Code, all_codes};
use rayon::prelude::*;

use crate::tests::program::check;

/// Describes how the result of a program differs from what the explanation of the code says, if it does.
fn difference(code: Code, program: &CodeBlock<'_>) -> Option<String> {
    // An error of the runtime does not show before the program runs: tests/e2e runs these.
    let from_compiler = code.name().starts_with(['E', 'W']);
    let fails = program.expectation()? == Expectation::Fails && from_compiler;
    if program.ignore_reason().is_some() {
        return None;
    }
    let mut found = check(&program.files()).diagnostics;
    found.retain(|d| d.code == code || !d.code.is_pedantic());
    // What the runtime refuses in a program of constants is known before.
    if !from_compiler && program.expectation()? == Expectation::Fails {
        let known = [Code::W0205, Code::W0216, Code::W0219];
        found.retain(|d| !known.contains(&d.code));
    }
    let expected = if fails { !found.is_empty() && found.iter().all(|d| d.code == code) } else { found.is_empty() };
    let found: Vec<String> = found.iter().map(|d| format!("    {} {}", d.code.name(), d.message)).collect();
    let wanted = if fails { code.name() } else { "no diagnostics" };
    (!expected).then(|| format!("{}: expected {wanted} from\n{}found\n{}", code.name(), program.text, found.join("\n")))
}

#[test]
fn every_example_gives_what_its_explanation_says() {
    let codes: Vec<Code> = all_codes().collect();
    let differences: Vec<String> = codes
        .par_iter()
        .flat_map_iter(|code| {
            let programs = blocks(code.info().explanation).into_iter().filter_map(|block| match block {
                Block::Code(program) => Some(program),
                _ => None,
            });
            programs.filter_map(|program| difference(*code, &program))
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
