//! What is fuzzed, and what must hold for every program.

use std::path::Path;

use clap::ValueEnum;
use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use mcl_driver::Payload;
use mcl_format::FormatError;
use mcl_lexer::{lex, lex_diagnostics};
use mcl_modules::{Input, Options, load};
use mcl_parser::{check_ast, interpolate, parse};

/// A part of the front end. Each target includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// The lexer: every byte is part of a token, a comment or whitespace.
    Lexer,
    /// The parser and the checks of the tree, and the formatter: what has no syntax errors is formatted to the same program.
    Parser,
    /// The interpolate stage, mostly with mutated strings.
    Interpolation,
    /// Every stage up to the function graph; the artifact of an accepted program is read again.
    Check,
}

impl Target {
    /// Runs the target on a program; returns whether the program is accepted.
    ///
    /// # Panics
    /// If something does not hold.
    pub(crate) fn run(self, text: &str, directory: &Path) -> bool {
        let file = FileId::MAIN;
        let tokens = lex(text);
        assert!(tokens.fits(text));
        let mut diagnostics = lex_diagnostics(file, text, &tokens);
        if self != Target::Lexer {
            let parsed = parse(file, text, &tokens);
            diagnostics.extend(check_ast(&parsed.ast));
            diagnostics.extend(parsed.diagnostics);
            assert_eq!(parsed.ast.validate(text), Ok(()), "the tree is valid");
            if self == Target::Parser {
                let formatted = mcl_format::format(file, text);
                assert!(!matches!(formatted, Err(FormatError::Differs(_))), "{formatted:?}");
            }
            if self != Target::Parser {
                let (tree, more) = interpolate(parsed.ast);
                assert_eq!(tree.validate(text), Ok(()), "the interpolated tree is valid");
                diagnostics.extend(more);
            }
        }
        let mut files = Files::default();
        files.add("main.mcl", text);
        assert_spans(&files, &diagnostics);
        if self == Target::Check {
            return check(text, directory);
        }
        diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

fn check(text: &str, directory: &Path) -> bool {
    let input = Input::Text { path: directory.join("main.mcl"), text: text.as_bytes().to_vec() };
    let loaded = load(&input, &Options::default()).expect("a program that is given as text can be read");
    let files = loaded.files.clone();
    let compiled = mcl_driver::compile(loaded, &[ArtifactStage::Fgraph], || ());
    assert_spans(&files, &compiled.diagnostics);
    let accepted = compiled.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    assert_eq!(
        accepted,
        !compiled.artifacts.is_empty(),
        "an accepted program has an artifact, a rejected one has none"
    );
    for (_, bytes) in &compiled.artifacts {
        let again = Payload::read(bytes).expect("an artifact that was written can be read").write();
        assert!(again == *bytes, "reading and writing an artifact keeps its bytes");
    }
    accepted
}

/// Asserts that every diagnostic has a span inside its file.
fn assert_spans(files: &Files, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let span = diagnostic.span.unwrap_or_else(|| panic!("no span: {diagnostic:?}"));
        let text = &files.get(span.file).expect("the file exists").text;
        assert!(
            text.get(span.start as usize..span.end as usize).is_some(),
            "the span is outside the file: {diagnostic:?}"
        );
    }
}
