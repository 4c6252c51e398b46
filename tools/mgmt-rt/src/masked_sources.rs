//! Sensitive literals of a program in the sources that excerpts are taken from.

use mcl_artifact::program::{Constant, Program};
use mcl_artifact::sensitive_constants;
use mcl_diagnostics::{Files, SourceFile};
use resource_graph::kind;

/// Shorter pieces of literals occur everywhere by chance.
const MIN_PIECE: usize = 3;

/// Replaces the literals in the sources of a program that it marks as sensitive, byte by byte, so that spans stay right.
pub fn mask_sources(program: &mut Program) {
    let is_sensitive = |of: &str, parameter: &str| {
        kind(of).and_then(|kind| kind.field(parameter)).is_some_and(|field| field.sensitive)
    };
    let mut pieces: Vec<String> = Vec::new();
    for constant in sensitive_constants(program, is_sensitive) {
        match &program.constants[constant] {
            Constant::Str(text) => pieces.extend(pieces_of(&text.to_text())),
            Constant::Int(number) => pieces.extend(Some(number.to_string()).filter(|text| text.len() > MIN_PIECE)),
            Constant::Bool(_)
            | Constant::Float(_)
            | Constant::List(_)
            | Constant::Map(_)
            | Constant::Struct(..)
            | Constant::Hostname => {}
        }
    }
    if pieces.is_empty() {
        return;
    }
    // A piece may be part of another one.
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces.dedup();
    let mut masked = Files::default();
    for file in std::mem::take(&mut program.files).files {
        let text = masked_text(&file, &pieces);
        masked.add(file.name, text);
    }
    program.files = masked;
}

/// Returns the parts of a string that look the same in its literal: what is between escapes.
fn pieces_of(text: &str) -> impl Iterator<Item = String> {
    let is_escaped = |c: char| c.is_control() || matches!(c, '"' | '\\' | '$' | '{' | '}' | '\u{fffd}');
    text.split(is_escaped).filter(|piece| piece.len() >= MIN_PIECE).map(str::to_owned)
}

fn masked_text(file: &SourceFile, pieces: &[String]) -> String {
    let mut text = file.text.to_string();
    for piece in pieces.iter().filter(|piece| file.text.contains(piece.as_str())) {
        text = text.replace(piece.as_str(), &"*".repeat(piece.len()));
    }
    text
}
