//! Mutations of programs. Pieces of one program are put into another, so that the result is often still a program, and
//! reaches the later stages.

use std::fmt::Write;

use fastrand::Rng;

use crate::corpus::{Corpus, Program};
use crate::target::Target;

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ";",
    ".",
    "$",
    "=",
    "=>",
    "->",
    "?:",
    "<|>",
    "||",
    "-",
    "\"",
    "\\",
    "${",
    "#",
    "\n",
    "\r",
    "'",
    "%",
    "if ",
    "else ",
    "for ",
    "func ",
    "class ",
    "import ",
    "include ",
    " as ",
    "in ",
    "not ",
    "struct{",
    "map{",
    "Meta",
    "é",
    "_",
    "collect ",
    "panic",
    "9223372036854775807",
    "1e308",
    "[]str",
    "str",
];

/// Contents of strings: escapes and references, valid and invalid.
const STRING_PIECES: &[&str] = &[
    "${", "}", "${x}", "${a.b}", "$", "\\", "\\n", "\\$", "\\x41", "\\u{e9}", "\\\"", "%d", "é", "{", "}", "${x__y}",
    ":",
];

/// Returns a mutated program of the corpus.
pub(crate) fn mutated(corpus: &Corpus, rng: &mut Rng, target: Target) -> String {
    let program = pick(rng, &corpus.programs);
    match target {
        Target::Check | Target::Parser if rng.usize(..4) > 0 => mutate_structure(corpus, rng, program),
        Target::Interpolation if rng.usize(..4) > 0 => mutate_strings(rng, program),
        _ => mutate_text(rng, program),
    }
}

fn pick<'i, T>(rng: &mut Rng, items: &'i [T]) -> &'i T {
    &items[rng.usize(..items.len())]
}

/// Removes, inserts and swaps lines or tokens.
fn mutate_structure(corpus: &Corpus, rng: &mut Rng, program: &Program) -> String {
    if rng.usize(..3) == 0 {
        let mut lines = program.lines.clone();
        for _ in 0..=rng.usize(..4) {
            let at = rng.usize(..lines.len());
            let from = pick(rng, &corpus.programs);
            match rng.usize(..4) {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => lines.insert(at, pick(rng, &from.lines).clone()),
                2 => lines.splice(at..at, from.lines.iter().cloned()).for_each(drop),
                _ => {
                    let other = rng.usize(..lines.len());
                    lines.swap(at, other);
                }
            }
        }
        return lines.concat();
    }
    let mut tokens = program.tokens.clone();
    for _ in 0..=rng.usize(..3) {
        let at = rng.usize(..tokens.len());
        let other = rng.usize(..tokens.len());
        match rng.usize(..6) {
            0 => tokens[at].clear(),
            1 => {
                let from = pick(rng, &corpus.programs);
                tokens[at] = pick(rng, &from.tokens).clone();
            }
            2 => tokens[at] = format!(" {}", pick(rng, PIECES)),
            3 => tokens.swap(at, other),
            _ => tokens[at] = tokens[other].clone(),
        }
    }
    tokens.concat()
}

/// Removes, inserts and repeats characters.
fn mutate_text(rng: &mut Rng, program: &Program) -> String {
    let mut text: Vec<char> = program.text.chars().collect();
    for _ in 0..=rng.usize(..8) {
        // The text may be empty by now.
        let length = text.len().max(1);
        let from = rng.usize(..length).min(text.len());
        let end = (from + rng.usize(..50)).min(text.len());
        let to = rng.usize(..length).min(text.len());
        match rng.usize(..5) {
            0 => drop(text.drain(from..end)),
            1 => {
                let copy = text[from..end].to_vec();
                text.splice(to..to, copy);
            }
            2 | 3 => drop(text.splice(to..to, pick(rng, PIECES).chars())),
            _ => {
                let piece = pick(rng, PIECES).repeat(rng.usize(..3000));
                text.splice(to..to, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// Changes the contents of strings.
fn mutate_strings(rng: &mut Rng, program: &Program) -> String {
    let mut text = String::new();
    for token in &program.tokens {
        match token.strip_suffix('"').and_then(|token| token.split_once('"')) {
            Some((whitespace, content)) if rng.usize(..3) == 0 => {
                let cut = content.floor_char_boundary(rng.usize(..=content.len()));
                let _ = write!(text, "{whitespace}\"{}", &content[..cut]);
                (0..=rng.usize(..3)).for_each(|_| text.push_str(pick::<&str>(rng, STRING_PIECES)));
                let _ = write!(text, "{}\"", &content[cut..]);
            }
            _ => text.push_str(token),
        }
    }
    text
}
