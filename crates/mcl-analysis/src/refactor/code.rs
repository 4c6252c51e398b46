//! A file, and what is selected in it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use mcl_diagnostics::{FileId, Severity, Span};
use mcl_format::layout_edits;
use mcl_lexer::{TokenIdx, TokenKind, Tokens, lex};
use mcl_parser::ast::{Ast, Block, Stmt, StmtId};

use crate::analysis::Analysis;
use crate::edits::{TextEdit, apply_edits};
use crate::index::Occurrence;
use crate::program::Program;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};

/// A file without errors of syntax, and what is selected in it.
pub(super) struct Code<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) path: &'a Path,
    pub(super) program: &'a Program,
    pub(super) file: FileId,
    pub(super) text: Arc<str>,
    pub(super) tokens: Tokens,
    /// The tree as it is written: with strings that are not divided, and classes where they stand.
    pub(super) tree: Ast,
    /// The bytes that are selected, without the spaces around them; empty at a cursor.
    pub(super) selection: Range<u32>,
}

impl<'a> Code<'a> {
    pub(super) fn read(analysis: &'a Analysis, path: &'a Path, range: &Range<u32>) -> Option<Code<'a>> {
        let (program, file) = analysis.program_of(path)?;
        let text = analysis.source(path)?.text;
        // What is known of names is about this text only.
        if program.file(file)?.text != text {
            return None;
        }
        let tokens = lex(&text);
        if tokens.has_errors() {
            return None;
        }
        let parsed = mcl_parser::parse(file, &text, &tokens);
        if parsed.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            return None;
        }
        let selected = text.get(range.start as usize..range.end as usize)?;
        let before = (selected.len() - selected.trim_start().len()) as u32;
        let length = selected.trim().len() as u32;
        let start = if length == 0 { range.start } else { range.start + before };
        let selection = start..start + length;
        Some(Code { analysis, path, program, file, text, tokens, tree: parsed.ast, selection })
    }

    /// Returns the text of a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Whether the selection is a cursor, or a part of a span.
    pub(super) fn is_inside(&self, span: Span) -> bool {
        span.start <= self.selection.start && self.selection.end <= span.end
    }

    /// Returns the names in a span, as the program understands them.
    pub(super) fn names_in(&self, span: Span) -> impl Iterator<Item = &Occurrence> {
        let names = self.program.index().of_file(self.file);
        let first = names.partition_point(|name| name.range.start < span.start);
        names[first..].iter().take_while(move |name| name.range.start < span.end)
    }

    /// Returns the tokens of a span.
    pub(super) fn tokens_in(&self, span: Span) -> impl Iterator<Item = TokenIdx> + use<'_> {
        self.tokens.first_from(span.start).until(self.tokens.first_from(span.end))
    }

    /// Whether there are comments, or strings of several lines, which a new layout would lose or change.
    pub(super) fn is_bound_to_layout(&self, span: Span) -> bool {
        let is_comment =
            self.tokens.comments.iter().any(|comment| span.start < comment.end && comment.start < span.end);
        let is_long = |token: TokenIdx| {
            self.tokens[token] == TokenKind::String && self.tokens.text(&self.text, token).contains('\n')
        };
        is_comment || self.tokens_in(span).any(is_long)
    }

    /// Returns the blocks of the file: its top level, and those of statements.
    pub(super) fn blocks(&self) -> Vec<&Block> {
        let mut blocks = vec![&self.tree.body];
        for stmt in self.tree.stmts.values() {
            match stmt {
                Stmt::If(branches) => {
                    blocks.push(&branches.then);
                    blocks.extend(&branches.otherwise);
                }
                Stmt::For(of) | Stmt::ForKv(of) => blocks.push(&of.body),
                Stmt::Class(class) => blocks.push(&class.body),
                _ => {}
            }
        }
        blocks
    }

    /// Returns the statements of one block that make up the selection, in their order.
    pub(super) fn selected_statements(&self) -> Option<Vec<StmtId>> {
        if self.selection.is_empty() {
            return None;
        }
        self.blocks().into_iter().find_map(|block| {
            let inside = |stmt: &StmtId| {
                let span = self.tree.stmt_span(*stmt);
                self.selection.start <= span.start && span.end <= self.selection.end
            };
            let selected: Vec<StmtId> = block.iter().copied().filter(inside).collect();
            let (first, last) = (selected.first()?, selected.last()?);
            let is_all = self.tree.stmt_span(*first).start == self.selection.start
                && self.tree.stmt_span(*last).end == self.selection.end;
            is_all.then_some(selected)
        })
    }

    /// Returns the statement of the top level that contains a byte.
    pub(super) fn top_level_statement(&self, offset: u32) -> Option<Span> {
        let mut spans = self.tree.body.iter().map(|stmt| self.tree.stmt_span(*stmt));
        spans.find(|span| span.start <= offset && offset <= span.end)
    }

    /// Applies edits, gives the lines that they change their one layout, and returns all of it as one edit. `None` if the result
    /// has an error of syntax.
    pub(super) fn laid_out(&self, mut edits: Vec<TextEdit>) -> Option<Vec<TextEdit>> {
        edits.sort();
        let new = apply_edits(&self.text, &edits);
        let mut ranges = Vec::new();
        let mut shift = 0_i64;
        let line = |at: usize| new[..at.min(new.len())].matches('\n').count() as u32 + 1;
        for edit in &edits {
            let start = (i64::from(edit.start) + shift) as usize;
            ranges.push(line(start)..=line(start + edit.text.trim_end().len()));
            shift += edit.text.len() as i64 - i64::from(edit.end - edit.start);
        }
        let mut layouts: Vec<TextEdit> = layout_edits(self.file, &new, &ranges)
            .ok()?
            .into_iter()
            .flatten()
            .map(|found| TextEdit { start: found.bytes.start as u32, end: found.bytes.end as u32, text: found.text })
            .collect();
        layouts.sort();
        let mut end = 0;
        layouts.retain(|layout| {
            let is_next = layout.start >= end;
            end = end.max(layout.end);
            is_next
        });
        let new = apply_edits(&new, &layouts);
        Some(vec![difference(&self.text, &new)])
    }

    /// Returns a change of this file.
    pub(super) fn change(&self, title: String, kind: RefactoringKind, edits: Vec<TextEdit>) -> Refactoring {
        Refactoring { title, kind, edits: BTreeMap::from([(self.path.to_owned(), edits)]), new_file: None }
    }
}

/// Returns the one edit between two texts.
fn difference(old: &str, new: &str) -> TextEdit {
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    TextEdit { start: start as u32, end: (old.len() - end) as u32, text: new_rest[..new_rest.len() - end].to_owned() }
}
