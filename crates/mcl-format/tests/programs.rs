//! Every program in the tree without syntax errors, as it is, with comments between its tokens, and with other white space.

use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, FileId};
use mcl_format::{FormatError, format, format_lines};
use mcl_lexer::{Tokens, lex};
use mcl_parser::parse;
use test_support::{Rng, for_each_seed};

/// Number of random layouts in a test run. `RUNS_FACTOR` multiplies it.
const LAYOUTS: u64 = 300;
/// What random layouts put between tokens.
const GAPS: [&str; 9] = ["", " ", "  ", "\t", "\n", "\n\n\n", " # one\n", "\n# two\n", "\n\n\t# three\n\n"];

fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut programs = Vec::new();
    let mut directories = vec![root.join("tests/ui"), root.join("examples"), root.join("tests/e2e")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                directories.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "mcl")
                && let Ok(text) = std::fs::read_to_string(&entry)
            {
                programs.push((entry, text));
            }
        }
    }
    programs.sort();
    assert!(programs.len() > 500, "{} programs", programs.len());
    programs
}

/// Formats a program. Returns `None` if it has syntax errors. What is returned has no lint about layout.
#[track_caller]
fn formatted(text: &str) -> Option<String> {
    let formatted = match format(FileId::MAIN, text) {
        Ok(formatted) => formatted,
        Err(FormatError::Syntax(_)) => return None,
        Err(error) => panic!("{error}\n{text}"),
    };
    let lints = parse(FileId::MAIN, &formatted, &lex(&formatted)).diagnostics;
    let left: Vec<_> = lints.iter().filter(|lint| lint.code != Code::W0113).collect();
    assert!(left.is_empty(), "{left:?}\n{text}\n{formatted}");
    Some(formatted)
}

#[test]
fn every_program_has_one_layout() {
    let count = programs().iter().filter(|(_, text)| formatted(text).is_some()).count();
    assert!(count > 300, "{count} programs without syntax errors");
}

/// Returns the text with something between a token and the one before it.
fn with_gap(text: &str, tokens: &Tokens, gap: impl Fn(usize) -> Option<String>) -> String {
    let mut result = String::new();
    let mut copied = 0;
    for (i, token) in tokens.indices().enumerate() {
        if let Some(gap) = gap(i) {
            result.push_str(&text[copied..tokens.start(token) as usize]);
            result.push_str(&gap);
            copied = tokens.start(token) as usize;
        }
    }
    result + &text[copied..]
}

#[test]
fn a_comment_may_be_before_each_token() {
    let mut count = 0;
    for (_, text) in programs().iter().filter(|(_, text)| text.len() < 600 && formatted(text).is_some()) {
        let tokens = lex(text);
        for at in 0..tokens.len() {
            for comment in [" # c\n", "\n# c\n"] {
                let commented = with_gap(text, &tokens, |i| (i == at).then(|| comment.to_owned()));
                count += usize::from(formatted(&commented).is_some());
            }
        }
    }
    assert!(count > 5_000, "{count} programs");
}

/// Returns the tokens of a program with random gaps between them.
fn with_random_gaps(text: &str, random: &mut Rng) -> String {
    let tokens = lex(text);
    let mut result = String::new();
    for token in tokens.indices() {
        let needs_gap = token.previous().is_some_and(|previous| {
            let [before, after] = [previous, token].map(|token| tokens.text(text, token));
            before.ends_with(|c: char| c.is_ascii_alphanumeric())
                && after.starts_with(|c: char| c.is_ascii_alphanumeric())
        });
        let gap = if random.usize(..3) == 0 { GAPS[random.usize(..GAPS.len())] } else { " " };
        result.push_str(if gap.is_empty() && (needs_gap || !tokens.is_adjacent_to_previous(token)) {
            " "
        } else {
            gap
        });
        result.push_str(tokens.text(text, token));
    }
    result
}

#[test]
fn random_layouts_become_one_layout() {
    let programs: Vec<String> = programs().into_iter().map(|(_, text)| text).collect();
    let programs: Vec<&String> = programs.iter().filter(|text| formatted(text).is_some()).collect();
    for_each_seed(LAYOUTS, |random| {
        let text = with_random_gaps(programs[random.usize(..programs.len())], random);
        formatted(&text);
        let lines = text.lines().count() as u32;
        let first = random.u32(1..=lines.max(1));
        let last = random.u32(first..=lines.max(first));
        match format_lines(FileId::MAIN, &text, first..=last) {
            Ok(_) | Err(FormatError::Syntax(_)) => {}
            Err(error) => panic!("{error}: lines {first} to {last}\n{text}"),
        }
    });
}

#[test]
fn broken_programs_are_refused() {
    for (path, text) in programs() {
        let tokens = lex(&text);
        let has_errors = tokens.kinds().iter().any(|kind| kind.is_error());
        if has_errors {
            assert!(formatted(&text).is_none(), "{}", path.display());
        }
    }
}
