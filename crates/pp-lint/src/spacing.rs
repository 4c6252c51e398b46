//! Lints about single spaces and empty lines, those of the plugin `manifest_whitespace`.
//!
//! They look at the brackets and arrows of the code, outside of literals and comments, and at the bytes beside them.

use mcl_diagnostics::Code;
use pp_ast::{Definition, Expr, TextRange};
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};
use crate::source_map::range;

const LINTS: [Code; 15] = [
    Code::W0355,
    Code::W0356,
    Code::W0357,
    Code::W0358,
    Code::W0359,
    Code::W0360,
    Code::W0361,
    Code::W0362,
    Code::W0363,
    Code::W0364,
    Code::W0365,
    Code::W0366,
    Code::W0367,
    Code::W0368,
    Code::W0369,
];

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if !LINTS.iter().any(|code| findings.is_on(*code)) {
        return;
    }
    check_brackets(context, findings);
    check_names(context, findings);
    check_empty_lines(context, findings);
}

/// What is on one side of a bracket or arrow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Nothing: the start or end of the line or file.
    LineEnd,
    /// A single space.
    Space,
    /// Several spaces, or a tab.
    Spaces,
    /// Something else.
    Byte(u8),
}

fn side_before(bytes: &[u8], at: usize) -> Side {
    match bytes[..at] {
        [] | [.., b'\n'] => Side::LineEnd,
        [.., byte] if byte != b' ' && byte != b'\t' => Side::Byte(byte),
        _ => {
            let text = bytes[..at].trim_ascii_end();
            let spaces = &bytes[text.len()..at];
            if text.is_empty() || spaces.contains(&b'\n') {
                Side::LineEnd
            } else if spaces == b" " {
                Side::Space
            } else {
                Side::Spaces
            }
        }
    }
}

fn side_after(bytes: &[u8], at: usize) -> Side {
    let rest = &bytes[at..];
    match rest {
        [] | [b'\n' | b'\r', ..] => Side::LineEnd,
        [b' ' | b'\t', ..] => {
            let spaces = rest.len() - rest.trim_ascii_start().len();
            match &rest[..spaces] {
                // A comment may have a column of its own.
                spaces if spaces.contains(&b'\n') || rest.get(spaces.len()) == Some(&b'#') => Side::LineEnd,
                b" " => Side::Space,
                _ => Side::Spaces,
            }
        }
        [byte, ..] => Side::Byte(*byte),
    }
}

/// Whether an arrow follows, which may be aligned with others, or the name of a parameter after its type.
fn is_aligned(bytes: &[u8], at: usize) -> bool {
    let rest = bytes[at..].trim_ascii_start();
    rest.starts_with(b"=>")
        || bytes[at..].starts_with(b" ") && [&b"$"[..], b"*$"].iter().any(|name| rest.starts_with(name))
}

fn check_brackets(context: &Context<'_>, findings: &mut Findings<'_>) {
    let bytes = context.text.as_bytes();
    let lists: FxHashSet<u32> = context
        .tree
        .exprs
        .iter()
        .filter(|(_, expr)| matches!(expr, Expr::Array(_)))
        .map(|(id, _)| context.range(id).start)
        .collect();
    for (at, byte) in bytes.iter().copied().enumerate() {
        if !matches!(byte, b'{' | b'}' | b'[' | b']' | b'=') {
            continue;
        }
        let offset = range(at, at).start;
        if context.map.is_literal(offset) || context.map.is_comment(offset) {
            continue;
        }
        let (before, after) = (side_before(bytes, at), side_after(bytes, at + 1));
        let mut add = |code, is_wrong: bool, message: &str, help: &str| {
            if is_wrong {
                findings.add(code, range(at, at + 1), message, help);
            }
        };
        match byte {
            b'{' => {
                let is_inner = matches!(before, Side::Byte(b'(' | b'[' | b'{' | b'@' | b'*' | b'!'));
                let is_spaced = is_inner || matches!(before, Side::Space | Side::LineEnd);
                add(Code::W0355, !is_spaced, "no single space before `{`", "write one space before `{`");
                let is_spaced = matches!(after, Side::Space | Side::LineEnd | Side::Byte(b'}'));
                add(Code::W0356, !is_spaced, "no single space after `{`", "write one space after `{`, or a newline");
            }
            b'}' => {
                let is_spaced = matches!(before, Side::Space | Side::LineEnd | Side::Byte(b'{'));
                add(Code::W0357, !is_spaced, "no single space before `}`", "write one space before `}`, or a newline");
                let is_closed = matches!(after, Side::Byte(b',' | b';' | b':' | b')' | b']' | b'}' | b'.' | b'['));
                let is_spaced = is_closed || matches!(after, Side::Space | Side::LineEnd) || is_aligned(bytes, at + 1);
                add(Code::W0358, !is_spaced, "no single space after `}`", "write one space after `}`, or a newline");
            }
            b'[' => {
                let is_inner = matches!(before, Side::Byte(b'(' | b'[' | b'{' | b'*' | b'!' | b'-'));
                let is_spaced = is_inner || matches!(before, Side::Space | Side::LineEnd);
                let is_list = lists.contains(&offset);
                add(Code::W0359, is_list && !is_spaced, "no single space before `[`", "write one space before `[`");
                let is_spaced = matches!(after, Side::Space | Side::Spaces);
                add(Code::W0360, is_spaced, "space after `[`", "write what is in brackets directly after `[`");
            }
            b']' => {
                let is_spaced = matches!(before, Side::Space | Side::Spaces);
                add(Code::W0361, is_spaced, "space before `]`", "write `]` directly after what is in brackets");
                let is_closed =
                    matches!(after, Side::Byte(b',' | b';' | b':' | b')' | b']' | b'}' | b'.' | b'[' | b'{'));
                let is_spaced = is_closed || matches!(after, Side::Space | Side::LineEnd) || is_aligned(bytes, at + 1);
                add(Code::W0362, !is_spaced, "no single space after `]`", "write one space after `]`, or a newline");
            }
            _ if bytes.get(at + 1) == Some(&b'>') => {
                let is_spaced = matches!(side_after(bytes, at + 2), Side::Space | Side::LineEnd);
                add(Code::W0363, !is_spaced, "no single space after `=>`", "write one space after `=>`");
            }
            _ => {}
        }
    }
}

/// The spaces around the names of classes and defines.
fn check_names(context: &Context<'_>, findings: &mut Findings<'_>) {
    let bytes = context.text.as_bytes();
    for definition in context.tree.definitions.values() {
        let name: TextRange = match definition {
            Definition::Class(class) => class.name_range,
            Definition::Define(define) => define.name_range,
            Definition::Node(_) | Definition::Function(_) | Definition::TypeAlias(_) => continue,
        };
        if side_before(bytes, name.start as usize) != Side::Space {
            findings.add(Code::W0364, name, "no single space before the name", "write one space before the name");
        }
        if side_after(bytes, name.end as usize) != Side::Space {
            findings.add(Code::W0365, name, "no single space after the name", "write one space after the name");
        }
    }
}

fn check_empty_lines(context: &Context<'_>, findings: &mut Findings<'_>) {
    let text = context.text;
    if text.starts_with('\n') || text.starts_with("\r\n") {
        let help = "remove the empty lines at the start of the file";
        findings.add(Code::W0367, range(0, 1), "empty line at the start of the file", help);
    }
    let end = text.trim_end().len();
    let newlines = text[end..].bytes().filter(|byte| *byte == b'\n').count();
    let last = context.last_character();
    let is_literal = context.map.is_literal(last.start);
    if end > 0 && newlines > 1 && !is_literal {
        let help = "end the last line with one newline";
        findings.add(Code::W0368, last, "empty line at the end of the file", help);
    }
    if end > 0 && newlines == 0 && !is_literal {
        let help = "end the last line with a newline";
        findings.add(Code::W0369, last, "no newline at the end of the file", help);
    }
    let (mut start, mut empty) = (0, 0);
    for line in text[..end].split_inclusive('\n') {
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty == 2 && start > 1 && !context.map.is_literal(range(start, start).start) {
            let help = "one empty line separates parts of a file";
            findings.add(Code::W0366, range(start, start + line.len()), "two empty lines", help);
        }
        start += line.len();
    }
}
