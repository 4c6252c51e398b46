//! `golang/path`; `golang/path/filepath` shares it.

use mcl_value::Value;

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure};
use crate::unicode::decode_rune;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/path.base", "func(path str) str", "The last element.", |_, args| ok(base(args.bytes(0)?))),
    pure("golang/path.clean", "func(path str) str", "The shortest equivalent path, by its text alone.", |_, args| {
        ok(clean(args.bytes(0)?))
    }),
    pure("golang/path.dir", "func(path str) str", "All but the last element.", |_, args| ok(dir(args.bytes(0)?))),
    pure("golang/path.ext", "func(path str) str", "From the last dot of the last element on.", |_, args| {
        ok(ext(args.bytes(0)?))
    }),
    pure("golang/path.is_abs", "func(path str) bool", "Whether it starts with `/`.", |_, args| {
        ok(args.bytes(0)?.starts_with(b"/"))
    }),
    pure("golang/path.join", "func(elem []str) str", "The elements as one clean path.", |_, args| {
        ok(join(&args.strings(0)?))
    }),
    pure(
        "golang/path.match",
        "func(pattern str, name str) bool",
        "Whether the whole name matches the shell pattern.",
        |_, args| matches(args),
    ),
];

pub(super) fn matches(args: &[Value]) -> Outcome {
    match glob(args.bytes(0)?, args.bytes(1)?) {
        Some(matched) => ok(matched),
        None => fatal("syntax error in pattern"),
    }
}

pub(crate) fn base(path: &[u8]) -> &[u8] {
    if path.is_empty() {
        return b".";
    }
    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |last| last + 1);
    let path = &path[..end];
    let name = &path[path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)..];
    if name.is_empty() { b"/" } else { name }
}

pub(super) fn dir(path: &[u8]) -> Vec<u8> {
    clean(&path[..path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)])
}

pub(super) fn ext(path: &[u8]) -> &[u8] {
    let name = &path[path.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)..];
    &name[name.iter().rposition(|&b| b == b'.').unwrap_or(name.len())..]
}

pub(super) fn join(parts: &[&[u8]]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Vec::new() } else { clean(&parts.join(&b'/')) }
}

pub(crate) fn clean(path: &[u8]) -> Vec<u8> {
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

/// Go's `path.Match`; `None` for a malformed pattern. A malformed part that the match never reaches is malformed too.
fn glob(pattern: &[u8], name: &[u8]) -> Option<bool> {
    let pieces = parse_glob(pattern)?;
    // Backtracking to the last star is enough, so the time is quadratic at worst.
    let (mut piece, mut at, mut star) = (0, 0, None);
    loop {
        let step = match pieces.get(piece) {
            Some(Piece::Star) => {
                star = Some((piece + 1, at));
                piece += 1;
                continue;
            }
            None if at == name.len() => return Some(true),
            None => None,
            Some(other) => decode_rune(&name[at..]).filter(|(rune, _)| other.matches(*rune)).map(|(_, length)| length),
        };
        if let Some(length) = step {
            (piece, at) = (piece + 1, at + length);
            continue;
        }
        let Some((after, from)) = star else { return Some(false) };
        match decode_rune(&name[from..]) {
            Some((rune, length)) if rune != '/' => {
                star = Some((after, from + length));
                (piece, at) = (after, from + length);
            }
            _ => return Some(false),
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
    // Something must follow: at least the closing bracket.
    *rest = &rest[length..];
    if rest.is_empty() || (rune == char::REPLACEMENT_CHARACTER && length == 1) { None } else { Some(rune) }
}
