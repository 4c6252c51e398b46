//! Programs without their sensitive literals, for people to read.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcl_diagnostics::Files;

use crate::program::{ConstId, Constant, Program};
use crate::sensitive::sensitive_constants;

/// Replaces a constant that must not be shown.
const MASK: &str = "********";

/// Shorter pieces of literals occur everywhere by chance.
const MIN_PIECE: usize = 3;

/// Replaces the sensitive constants of a program, in its sources and deployed files, too: what it passes to `secret.sensitive`,
/// and the values of parameters for which `is_sensitive(kind, parameter)` holds. The result is to be shown, not to be run:
/// constants change their types.
pub fn mask_constants(program: &mut Program, is_sensitive: impl Fn(&str, &str) -> bool) {
    let constants = sensitive_constants(program, is_sensitive);
    let pieces = pieces(program, &constants);
    mask_files(program, &pieces);
    for (_, content) in Arc::make_mut(&mut program.deploy) {
        if let Ok(text) = str::from_utf8(content.as_bytes()) {
            *content = masked_text(text, &pieces).into();
        }
    }
    for constant in constants {
        let constant = &mut program.constants[constant];
        match constant {
            Constant::Str(_) | Constant::Int(_) | Constant::Float(_) => *constant = Constant::Str(MASK.into()),
            Constant::Bool(_) | Constant::List(_) | Constant::Map(_) | Constant::Struct(..) | Constant::Hostname => {}
        }
    }
}

/// Replaces the sensitive constants, as [`mask_constants`] does, in the sources of a program only, byte by byte, so that spans
/// stay right.
pub fn mask_sources(program: &mut Program, is_sensitive: impl Fn(&str, &str) -> bool) {
    let pieces = pieces(program, &sensitive_constants(program, is_sensitive));
    mask_files(program, &pieces);
}

/// Returns the parts of the literals of these constants, the longest first.
fn pieces(program: &Program, constants: &BTreeSet<ConstId>) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for constant in constants {
        match &program.constants[*constant] {
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
    // A piece may be part of another one.
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces.dedup();
    pieces
}

fn mask_files(program: &mut Program, pieces: &[String]) {
    if pieces.is_empty() {
        return;
    }
    let mut masked = Files::default();
    for (_, file) in std::mem::take(&mut program.files).files {
        let text = masked_text(&file.text, pieces);
        masked.add(file.name, text);
    }
    program.files = masked;
}

/// Returns the parts of a string that look the same in its literal: what is between escapes.
fn pieces_of(text: &str) -> impl Iterator<Item = String> {
    let is_escaped = |c: char| c.is_control() || matches!(c, '"' | '\\' | '$' | '{' | '}' | '\u{fffd}');
    text.split(is_escaped).filter(|piece| piece.len() >= MIN_PIECE).map(str::to_owned)
}

fn masked_text(text: &str, pieces: &[String]) -> String {
    let mut masked = text.to_owned();
    for piece in pieces.iter().filter(|piece| text.contains(piece.as_str())) {
        masked = masked.replace(piece.as_str(), &"*".repeat(piece.len()));
    }
    masked
}
