//! The lint about indentation: what is in brackets is indented by two spaces more than the line that opens them.
//!
//! Only lines that begin with a statement, an attribute, an element, or a closing bracket are checked: how an expression is
//! continued on the next line is free. Each line is compared with the one that opens its brackets, not with a depth, so that
//! one wrong line is one warning.

use mcl_diagnostics::Code;
use pp_ast::Expr;
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};
use crate::source_map::range;

/// The spaces of a level.
const LEVEL: usize = 2;

/// A bracket that is open.
struct Open {
    /// The indentation of its line.
    line: usize,
    /// The indentation of the line that its own continues.
    item: usize,
    /// The indentation of what is in it, from that of its line.
    inner: usize,
}

impl Open {
    /// Returns the indentations of what is in it.
    fn inner(&self) -> [usize; 2] {
        [self.item + self.inner, self.line + self.inner]
    }
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if !findings.is_on(Code::W0354) {
        return;
    }
    let starts = statement_starts(context);
    let bytes = context.text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    // The last byte of code before the line.
    let mut previous = b';';
    // The indentation of the last line that starts with a statement, an element or a closing bracket.
    let mut item = 0;
    let mut start = 0;
    for line in context.text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let first = bytes.get(start + indent).copied().unwrap_or(b'\n');
        let offset = range(start + indent, start + indent).start;
        let is_in_literal = context.map.is_literal(offset) && context.map.is_literal(range(start, start).start);
        let is_empty = matches!(first, b'\n' | b'\r' | b'\t' | b'#');
        if !is_empty && !is_in_literal && !context.map.is_comment(offset) {
            let expected = match first {
                b'}' | b')' | b']' => open.last().map(|open| [open.item, open.line]),
                _ if starts.contains(&offset) || matches!(previous, b'{' | b'(' | b'[' | b',' | b';' | b':') => {
                    Some(open.last().map_or([0, 0], Open::inner))
                }
                _ => None,
            };
            if expected.is_some() {
                item = indent;
            }
            if let Some([expected, _]) = expected.filter(|expected| !expected.contains(&indent)) {
                let message = format!("indentation by {indent} spaces, expected {expected}");
                let help = "indent what is in brackets by two spaces more than the line that opens them";
                findings.add(Code::W0354, range(start, start + indent.max(1)), message, help);
            }
        }
        for (at, byte) in line.bytes().enumerate().map(|(at, byte)| (start + at, byte)) {
            let offset = range(at, at).start;
            if byte.is_ascii_whitespace() || context.map.is_comment(offset) {
                continue;
            }
            previous = byte;
            if context.map.is_literal(offset) {
                // A colon in a string is not code.
                previous = b'\'';
                continue;
            }
            match byte {
                b'{' | b'(' | b'[' => open.push(Open { line: indent, item, inner: LEVEL }),
                b'}' | b')' | b']' => {
                    open.pop();
                }
                // The attributes of the next body start at the level of its title.
                b';' => {
                    if let Some(open) = open.last_mut() {
                        open.inner = LEVEL;
                    }
                }
                _ => {}
            }
        }
        if previous == b':'
            && let Some(open) = open.last_mut()
        {
            open.inner = item.saturating_sub(open.item) + LEVEL;
        }
        start += line.len();
    }
}

/// Returns where statements and the options of `case` start.
fn statement_starts(context: &Context<'_>) -> FxHashSet<u32> {
    let tree = context.tree;
    let mut starts = FxHashSet::default();
    for expr in tree.exprs.values() {
        match expr {
            Expr::Block(statements) => {
                starts.extend(tree.list(*statements).iter().map(|statement| context.range(*statement).start));
            }
            Expr::Case(_, options) => {
                let values = options.iter().filter_map(|option| tree.list(option.values).first());
                starts.extend(values.map(|value| context.range(*value).start));
            }
            _ => {}
        }
    }
    starts
}
