//! Package `strings`, which `strings.*`, `golang/strings.*` and templates share.

use memchr::memmem;

use crate::unicode::{decode_last_rune, decode_rune, fold, rune_count, runes};

/// Returns the byte offset of the first occurrence.
#[must_use]
pub fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memmem::find(text, part)
}

/// Returns the byte offset of the last occurrence.
#[must_use]
pub fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    memmem::rfind(text, part)
}

/// Splits at each separator; an empty separator splits into runes.
#[must_use]
pub fn split<'a>(text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    if separator.is_empty() {
        return rune_pieces(text).collect();
    }
    let (mut pieces, mut start) = (Vec::new(), 0);
    for at in memmem::find_iter(text, separator) {
        pieces.push(&text[start..at]);
        start = at + separator.len();
    }
    pieces.push(&text[start..]);
    pieces
}

fn rune_pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, length) = decode_rune(rest)?;
        let (piece, tail) = rest.split_at(length);
        rest = tail;
        Some(piece)
    })
}

/// Replaces the first `limit` occurrences; an empty `old` matches before each rune and at the end.
#[must_use]
pub fn replace(text: &[u8], old: &[u8], new: &[u8], limit: Option<usize>) -> Vec<u8> {
    let limit = limit.unwrap_or(usize::MAX);
    let mut out = Vec::with_capacity(text.len());
    if old.is_empty() {
        for (i, piece) in rune_pieces(text).enumerate() {
            if i < limit {
                out.extend_from_slice(new);
            }
            out.extend_from_slice(piece);
        }
        if rune_count(text) < limit {
            out.extend_from_slice(new);
        }
        return out;
    }
    let mut start = 0;
    for at in memmem::find_iter(text, old).take(limit) {
        out.extend_from_slice(&text[start..at]);
        out.extend_from_slice(new);
        start = at + old.len();
    }
    out.extend_from_slice(&text[start..]);
    out
}

/// Counts non-overlapping occurrences; an empty part occurs once more than there are runes.
#[must_use]
pub fn count(text: &[u8], part: &[u8]) -> usize {
    if part.is_empty() { rune_count(text) + 1 } else { memmem::find_iter(text, part).count() }
}

/// Removes the leading runes that satisfy the condition.
#[must_use]
pub fn trim_start(mut text: &[u8], mut cut: impl FnMut(char) -> bool) -> &[u8] {
    while let Some((_, length)) = decode_rune(text).filter(|(rune, _)| cut(*rune)) {
        text = &text[length..];
    }
    text
}

/// Removes the trailing runes that satisfy the condition.
#[must_use]
pub fn trim_end(mut text: &[u8], mut cut: impl FnMut(char) -> bool) -> &[u8] {
    while let Some((_, length)) = decode_last_rune(text).filter(|(rune, _)| cut(*rune)) {
        text = &text[..text.len() - length];
    }
    text
}

/// Removes leading and trailing Unicode whitespace.
#[must_use]
pub fn trim_space(text: &[u8]) -> &[u8] {
    trim_end(trim_start(text, char::is_whitespace), char::is_whitespace)
}

/// Joins the parts with a separator.
#[must_use]
pub fn join(parts: &[&[u8]], separator: &[u8]) -> Vec<u8> {
    parts.join(separator)
}

/// Returns a predicate for the runes of a cutset.
pub fn one_of(cutset: &[u8]) -> impl Fn(char) -> bool {
    let set: rustc_hash::FxHashSet<char> = runes(cutset).map(|(_, rune)| rune).collect();
    move |rune| set.contains(&rune)
}

/// Returns whether two strings are equal under simple case folding, as `EqualFold` does.
#[must_use]
pub fn equal_fold(a: &[u8], b: &[u8]) -> bool {
    runes(a).map(|(_, rune)| fold(rune)).eq(runes(b).map(|(_, rune)| fold(rune)))
}

/// Replaces each run of invalid UTF-8, as `ToValidUTF8` does.
#[must_use]
pub fn to_valid_utf8(text: &[u8], replacement: &[u8]) -> Vec<u8> {
    let (mut out, mut rest, mut in_run) = (Vec::with_capacity(text.len()), text, false);
    while let Some((rune, length)) = decode_rune(rest) {
        let invalid = length == 1 && rune == char::REPLACEMENT_CHARACTER;
        if !invalid {
            out.extend_from_slice(&rest[..length]);
        } else if !in_run {
            out.extend_from_slice(replacement);
        }
        in_run = invalid;
        rest = &rest[length..];
    }
    out
}
