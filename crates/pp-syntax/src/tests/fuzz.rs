//! Mutated programs: no panic, every span is in the text, and a tree that can be walked.

use mcl_diagnostics::FileId;
use test_support::{RandomChoice, Rng, for_each_case, shorter};

use crate::lexer::lex;
use crate::tests::support::lang;
use crate::{Mode, ValidationOptions, parse, pn, validate};

fn check(text: &str, mode: Mode) {
    let parsed = parse(FileId::MAIN, text, mode);
    for diagnostic in parsed.diagnostics.iter().chain(&validate(&parsed.tree, text, ValidationOptions::default())) {
        let span = diagnostic.span.expect("every diagnostic has a span");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?} is outside of {text:?}");
        assert!(!diagnostic.message.is_empty());
    }
    assert!(!pn(&parsed.tree).is_empty());
    for (id, range) in &parsed.tree.ranges {
        assert!(range.start <= range.end && range.end as usize <= text.len(), "{id:?} of {text:?}");
    }
}

fn mode(random: &mut Rng) -> Mode {
    if random.one_in(8) { Mode::Template } else { Mode::Manifest }
}

#[test]
fn every_truncation_of_every_program_is_parsed() {
    for record in lang() {
        let code = record["code"].as_str().expect("a program");
        // Long programs are cut at every token only.
        let tokens = lex(code, Mode::Manifest);
        let cuts: Vec<usize> = if code.len() < 120 {
            (0..code.len()).collect()
        } else {
            tokens.list.iter().map(|token| token.range.end as usize).collect()
        };
        for cut in cuts.into_iter().filter(|cut| code.is_char_boundary(*cut)) {
            check(&code[..cut], Mode::Manifest);
        }
    }
}

/// Pieces that change the mode of the lexer.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "${",
    "}",
    "{",
    "$",
    "@(A)",
    "@(\"A\")\n",
    "\nA\n",
    "| A",
    "<%",
    "%>",
    "<%=",
    "-%>",
    "<%#",
    "/",
    "*/",
    "/*",
    "#",
    "\\",
    "::",
    "(",
    ")",
    "[",
    "]",
    "|",
    "<|",
    "|>",
    "=>",
    "?",
    ":",
    ";",
    ",",
    ".",
    "@",
    "class ",
    "if ",
    "case ",
    "é",
    "\u{a0}",
    "\n",
    "0x",
    "1e",
    "\0",
    "\u{feff}",
    "notice ",
];

#[test]
fn mutated_programs_are_parsed() {
    let records = lang();
    let generate = |random: &mut Rng| {
        let code = random.pick(&records)["code"].as_str().expect("a program");
        let mut chars: Vec<char> = code.chars().collect();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..chars.len() + 1);
            let to = (at + random.usize(1..8)).min(chars.len());
            match random.usize(..4) {
                0 => drop(chars.drain(at..to)),
                1 => {
                    let copy: Vec<char> = chars[at..to].to_vec();
                    chars.splice(at..at, copy);
                }
                2 => drop(chars.splice(at..to, random.pick(PIECES).chars())),
                _ => drop(chars.splice(at..at, random.pick(PIECES).chars())),
            }
        }
        (chars, mode(random))
    };
    let smaller = |(chars, mode): &(Vec<char>, Mode)| shorter(chars).into_iter().map(|chars| (chars, *mode)).collect();
    for_each_case(3_000, generate, smaller, |(chars, mode)| check(&chars.iter().collect::<String>(), *mode));
}

#[test]
fn random_pieces_are_parsed() {
    let generate = |random: &mut Rng| {
        let pieces: Vec<&str> = (0..random.usize(1..40)).map(|_| *random.pick(PIECES)).collect();
        (pieces, mode(random))
    };
    let smaller = |(pieces, mode): &(Vec<&'static str>, Mode)| {
        shorter(pieces).into_iter().map(|pieces| (pieces, *mode)).collect()
    };
    for_each_case(3_000, generate, smaller, |(pieces, mode)| check(&pieces.concat(), *mode));
}

#[test]
fn hostile_texts_take_linear_time() {
    // Each would take minutes if anything were quadratic in it.
    for piece in [
        "\"${",
        "@(a)",
        "@(a) ",
        "/\\",
        "\\/",
        "<<|",
        "(/",
        "'\n",
        "a::",
        "${#",
        "\"$a",
        "{",
        "[1 2\n",
        "if a {\n(\n",
        "/*/",
        "|$a",
        "%",
        "<%",
        "@(\"a\")\n${",
        "notice( ]\n",
        "$a = 1 1\nclass {\n",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        check(&text, Mode::Manifest);
        check(&text, Mode::Template);
    }
    check(&format!("{}{}", "(".repeat(100_000), "}".repeat(100_000)), Mode::Manifest);
    check(&format!("{}{}", "if 1 {".repeat(50_000), ")".repeat(100_000)), Mode::Manifest);
}
