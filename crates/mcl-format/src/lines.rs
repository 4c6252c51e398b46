//! The statements or entries that cover some lines of a program.

use std::ops::{Range, RangeInclusive};

use mcl_lexer::{TokenIdx, TokenKind};

use crate::printer::Printer;
use crate::program::Program;

/// Whole statements of a block, or entries of a resource, on lines of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The bytes of the lines, with the comments above and behind.
    pub(crate) bytes: Range<usize>,
    tokens: Range<TokenIdx>,
    /// The number of blocks and bodies around.
    depth: usize,
    content: Content,
}

/// What is in braces, or in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Statements,
    Entries,
}

/// A statement or an entry.
struct Item {
    tokens: Range<TokenIdx>,
    lines: Range<u32>,
}

impl<'p, 't> Printer<'p, 't> {
    /// Returns a printer of some statements or entries.
    pub(crate) fn of_run(program: &'p Program<'t>, run: &Run) -> RunPrinter<'p, 't> {
        let start = run.bytes.start as u32;
        let comments_before =
            |offset: usize| program.tokens.comments.partition_point(|comment| (comment.start as usize) < offset);
        let comments = comments_before(run.bytes.start)..comments_before(run.bytes.end);
        let printer = Printer::new(program, run.tokens.clone(), comments, start, run.depth);
        RunPrinter { printer, content: run.content }
    }
}

/// Writes some statements or entries.
pub(crate) struct RunPrinter<'p, 't> {
    printer: Printer<'p, 't>,
    content: Content,
}

impl RunPrinter<'_, '_> {
    /// Returns the lines.
    pub(crate) fn run(mut self) -> String {
        match self.content {
            Content::Statements => self.printer.statements(),
            Content::Entries => self.printer.entries(),
        }
        self.printer.into_text()
    }
}

/// Returns the smallest run of whole statements or entries that covers lines, counted from 1; `None` if there is nothing in them.
pub(crate) fn covering(program: &Program<'_>, lines: RangeInclusive<u32>) -> Option<Run> {
    let wanted = line_offset(program, *lines.start())..line_offset(program, lines.end().saturating_add(1));
    let all = TokenIdx::FIRST..program.tokens.end_idx();
    let mut run = run_in(program, all, &wanted, 0, Content::Statements)?;
    while let [only] = &items(program, run.tokens.clone(), run.content)[..]
        && let Some(inner) = braces_around(program, only, &wanted).and_then(|(opener, content)| {
            let inside = opener + 1..program.closer(opener);
            let lines = lines_between(program, &inside);
            let inner = run_in(program, inside, &wanted, run.depth + 1, content)?;
            (lines.start <= inner.bytes.start && inner.bytes.end <= lines.end).then_some(inner)
        })
    {
        run = inner;
    }
    Some(run)
}

/// Returns the offset of the start of a line, counted from 1.
fn line_offset(program: &Program<'_>, line: u32) -> u32 {
    let mut starts = std::iter::once(0).chain(program.text.match_indices('\n').map(|(at, _)| at as u32 + 1));
    starts.nth(line.saturating_sub(1) as usize).unwrap_or(program.text.len() as u32)
}

/// Returns the run of those items in a range of tokens that touch the wanted lines.
fn run_in(
    program: &Program<'_>,
    tokens: Range<TokenIdx>,
    wanted: &Range<u32>,
    depth: usize,
    content: Content,
) -> Option<Run> {
    let items = items(program, tokens, content);
    let touches = |item: &Item| item.lines.start < wanted.end && wanted.start < item.lines.end;
    let mut first = items.iter().position(&touches)?;
    let mut last = items.iter().rposition(&touches)?;
    // Nothing else is on the lines of a run.
    while first > 0 && items[first].lines.start < items[first - 1].lines.end {
        first -= 1;
    }
    while last + 1 < items.len() && items[last + 1].lines.start < items[last].lines.end {
        last += 1;
    }
    let (first, last) = (&items[first], &items[last]);
    let start = comments_above(program, first.tokens.start);
    Some(Run {
        bytes: start as usize..last.lines.end as usize,
        tokens: first.tokens.start..last.tokens.end,
        depth,
        content,
    })
}

/// Returns the offset of the line of a token, or of the first of the comments directly above it.
fn comments_above(program: &Program<'_>, token: TokenIdx) -> u32 {
    let mut start = program.line_start(program.tokens.start(token));
    for comment in program.tokens.comments.iter().rev().skip_while(|comment| comment.next_token > token) {
        let is_above = comment.next_token == token && program.is_alone(comment);
        if !is_above || program.newlines(comment.end, start) != 1 {
            break;
        }
        start = program.line_start(comment.start);
    }
    start
}

fn items(program: &Program<'_>, tokens: Range<TokenIdx>, content: Content) -> Vec<Item> {
    let mut items = Vec::new();
    let mut next = tokens.start;
    while next < tokens.end {
        let end = match content {
            Content::Statements => program.end_of_statement(next).unwrap_or(tokens.end),
            Content::Entries => program.end_of_entry(next),
        };
        let start = program.line_start(program.tokens.start(next));
        let last = end.previous().map_or(start, |last| program.tokens.end(last));
        items.push(Item { tokens: next..end, lines: start..line_end(program, last) });
        next = end.max(next + 1);
    }
    items
}

/// Returns the braces of a statement whose content covers the wanted lines, if the braces are on other lines.
fn braces_around(program: &Program<'_>, item: &Item, wanted: &Range<u32>) -> Option<(TokenIdx, Content)> {
    let mut token = item.tokens.start;
    let is_resource = matches!(program.tokens.kind(token), Some(TokenKind::Identifier | TokenKind::Collect));
    let is_block = matches!(
        program.tokens.kind(token),
        Some(TokenKind::If | TokenKind::For | TokenKind::ForKv | TokenKind::Class)
    );
    while token < item.tokens.end {
        let closer = program.closer(token);
        let is_last = closer + 1 == item.tokens.end || program.tokens.kind(closer + 1) == Some(TokenKind::Else);
        if program.tokens[token] == TokenKind::OpenCurly && is_last && (is_resource || is_block) {
            let lines = lines_between(program, &(token + 1..closer));
            if lines.start <= wanted.start as usize && wanted.end as usize <= lines.end {
                return Some((token, if is_resource { Content::Entries } else { Content::Statements }));
            }
        }
        token = closer + 1;
    }
    None
}

/// Returns the bytes of the lines between the lines of two brackets, which are directly before and behind the tokens.
fn lines_between(program: &Program<'_>, tokens: &Range<TokenIdx>) -> Range<usize> {
    let opener = tokens.start.previous().map_or(0, |opener| program.tokens.end(opener));
    line_end(program, opener) as usize..program.line_start(program.tokens.start(tokens.end)) as usize
}

fn line_end(program: &Program<'_>, offset: u32) -> u32 {
    let rest = &program.text[offset as usize..];
    offset + rest.find('\n').map_or(rest.len(), |newline| newline + 1) as u32
}
