//! Locations inside an expression that the tree does not record, found in the source.

use mcl_diagnostics::Span;
use pp_ast::ExprId;

use crate::evaluator::Evaluator;

impl Evaluator<'_> {
    /// Returns the location of the operator between two operands.
    pub(crate) fn operator_span(&self, left: ExprId, right: ExprId) -> Span {
        let (before, after) = (self.span(left), self.span(right));
        let gap = self.gap(before.end, after.start);
        gap.unwrap_or(before)
    }

    /// Returns the location that Puppet gives for a call `receiver.name(…)`: the parenthesis, or without one the dot.
    pub(crate) fn method_span(&self, receiver: ExprId, name_end: u32, call_end: u32) -> Span {
        let after_name = self.gap(name_end, call_end).filter(|span| self.text(*span).starts_with('('));
        let dot = || self.gap(self.span(receiver).end, name_end);
        after_name.or_else(dot).unwrap_or(self.span(receiver))
    }

    fn text(&self, span: Span) -> &str {
        let text = self.source(span).map_or("", |file| &file.text);
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Returns what is between two offsets without the whitespace and comments around it.
    fn gap(&self, start: u32, end: u32) -> Option<Span> {
        let file = self.frame.tree.file;
        let text = self.text(Span::new(file, start, end));
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{a0}', ')']);
            let comment = if rest.starts_with('#') {
                rest.find('\n').map_or(rest.len(), |at| at + 1)
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            } else {
                break;
            };
            rest = &rest[comment..];
        }
        let skipped = (text.len() - rest.len()) as u32;
        let word = rest.find(|c: char| c.is_whitespace() || c == '#').unwrap_or(rest.len()).min(2);
        let word = (0..=word).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0);
        (word > 0).then(|| Span::new(file, start + skipped, start + skipped + word as u32))
    }
}
