//! Package `path`: lexical operations on slash-separated paths.

pub mod filepath;

use crate::Error;
use crate::unicode::decode_rune;

/// Returns the last element, as `Base` does.
#[must_use]
pub fn base(path: &[u8]) -> &[u8] {
    if path.is_empty() {
        return b".";
    }
    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |last| last + 1);
    let path = &path[..end];
    let name = &path[path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)..];
    if name.is_empty() { b"/" } else { name }
}

/// Returns all but the last element, cleaned, as `Dir` does.
#[must_use]
pub fn dir(path: &[u8]) -> Vec<u8> {
    clean(&path[..path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)])
}

/// Returns the file name extension with its dot, as `Ext` does.
#[must_use]
pub fn ext(path: &[u8]) -> &[u8] {
    let name = &path[path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)..];
    &name[name.iter().rposition(|&b| b == b'.').unwrap_or(name.len())..]
}

/// Joins the elements to a clean path, as `Join` does.
#[must_use]
pub fn join(parts: &[&[u8]]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Vec::new() } else { clean(&parts.join(&b'/')) }
}

/// Returns the shortest path that is lexically equivalent, as `Clean` does.
#[must_use]
pub fn clean(path: &[u8]) -> Vec<u8> {
    let rooted = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => drop(parts.pop()),
            b".." if rooted => {}
            part => parts.push(part),
        }
    }
    let body = parts.join(&b'/');
    match (rooted, body.is_empty()) {
        (true, _) => [b"/", &body[..]].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => body,
    }
}

/// Returns whether the whole name matches a shell pattern, as `Match` does.
///
/// # Errors
/// The pattern is malformed, even in a part that matching does not reach.
pub fn matches(pattern: &[u8], name: &[u8]) -> Result<bool, Error> {
    let pieces = parse_glob(pattern).ok_or_else(|| Error::new("syntax error in pattern"))?;
    Ok(matches_pieces(&pieces, name))
}

fn matches_pieces(pieces: &[Piece], name: &[u8]) -> bool {
    // Backtracking to the last star suffices, so the time is quadratic at worst.
    let (mut piece, mut at, mut star) = (0, 0, None);
    loop {
        let step = match pieces.get(piece) {
            Some(Piece::Star) => {
                star = Some((piece + 1, at));
                piece += 1;
                continue;
            }
            None if at == name.len() => return true,
            None => None,
            Some(other) => decode_rune(&name[at..]).filter(|(rune, _)| other.matches(*rune)).map(|(_, length)| length),
        };
        if let Some(length) = step {
            (piece, at) = (piece + 1, at + length);
            continue;
        }
        let Some((after, from)) = star else { return false };
        match decode_rune(&name[from..]) {
            Some((rune, length)) if rune != '/' => {
                star = Some((after, from + length));
                (piece, at) = (after, from + length);
            }
            _ => return false,
        }
    }
}

enum Piece {
    Star,
    Any,
    Rune(char),
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Piece {
    fn matches(&self, rune: char) -> bool {
        match self {
            Piece::Star => true,
            Piece::Any => rune != '/',
            Piece::Rune(wanted) => rune == *wanted,
            Piece::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&rune)) != *negated
            }
        }
    }
}

fn parse_glob(pattern: &[u8]) -> Option<Vec<Piece>> {
    let (mut pieces, mut rest) = (Vec::new(), pattern);
    while let Some((rune, length)) = decode_rune(rest) {
        rest = &rest[length..];
        pieces.push(match rune {
            '*' => Piece::Star,
            '?' => Piece::Any,
            '\\' => {
                let (escaped, length) = decode_rune(rest)?;
                rest = &rest[length..];
                Piece::Rune(escaped)
            }
            '[' => {
                let negated = rest.first() == Some(&b'^');
                rest = &rest[usize::from(negated)..];
                let mut ranges = Vec::new();
                while ranges.is_empty() || rest.first() != Some(&b']') {
                    let low = class_rune(&mut rest)?;
                    let mut high = low;
                    if rest.first() == Some(&b'-') {
                        rest = &rest[1..];
                        high = class_rune(&mut rest)?;
                    }
                    ranges.push((low, high));
                }
                rest = &rest[1..];
                Piece::Class { negated, ranges }
            }
            rune => Piece::Rune(rune),
        });
    }
    Some(pieces)
}

fn class_rune(rest: &mut &[u8]) -> Option<char> {
    if matches!(rest.first(), None | Some(b'-' | b']')) {
        return None;
    }
    if rest[0] == b'\\' {
        *rest = &rest[1..];
    }
    let (rune, length) = decode_rune(rest)?;
    // At least the closing bracket must follow.
    *rest = &rest[length..];
    if rest.is_empty() || (rune == char::REPLACEMENT_CHARACTER && length == 1) { None } else { Some(rune) }
}
