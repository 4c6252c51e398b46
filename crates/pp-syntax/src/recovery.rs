//! Finds further syntax errors after the first one.
//!
//! The statement that failed is given up. Parsing goes on with the next line that looks like the start of a statement, in the
//! block around the failure, and then in the blocks around that one. A block that belongs to the failed statement, such as an
//! `else` after the failure, is parsed on its own. Each token is parsed at most once more, so recovery is linear.

mod brackets;
mod diagnosis;

use mcl_diagnostics::FileId;
use pp_ast::{TextRange, Tree};

use crate::builder::Builder;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::parse_tokens::parse_tokens;
use crate::recovery::brackets::{Brackets, starts_statement};
use crate::recovery::diagnosis::diagnose;
use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// What recovery finds.
pub struct Recovered {
    /// The syntax errors.
    pub errors: Vec<SyntaxError>,
    /// The statements after the first error that could be parsed, in no order.
    pub tree: Tree,
    /// The statements that were given up, each up to where parsing went on.
    pub given_up: Vec<TextRange>,
}

/// Returns the syntax errors of a file whose first one is at `failed`; `lexical` are those of its tokens.
pub fn recover(file: FileId, text: &str, tokens: &Tokens, lexical: &[SyntaxError], failed: TokenIdx) -> Recovered {
    let brackets = Brackets::new(tokens);
    let mut recovery = Recovery { file, text, tokens, lexical, brackets, errors: Vec::new(), given_up: Vec::new() };
    let mut builder = Builder::new(file, text, tokens);
    recovery.report(failed);
    let mut next = recovery.statement_after(failed);
    recovery.give_up(failed, next.as_ref());
    while let Some(Segment { start, end }) = next {
        next = match parse_tokens(&mut builder, tokens, start, end) {
            Ok(()) => recovery.statement_from(end.next()),
            Err(failed) => {
                recovery.report(failed);
                let next =
                    if failed < end { recovery.statement_after(failed) } else { recovery.statement_from(end.next()) };
                recovery.give_up(failed, next.as_ref());
                next
            }
        };
    }
    recovery.errors.extend(builder.errors);
    Recovered { errors: recovery.errors, tree: builder.tree, given_up: recovery.given_up }
}

/// The number of tokens of a statement that is parsed again to find what is wrong with it, so that recovery stays linear.
const MAX_STATEMENT: u32 = 10_000;

/// Statements that are parsed together: up to the end of their block.
struct Segment {
    start: TokenIdx,
    end: TokenIdx,
}

struct Recovery<'t> {
    file: FileId,
    text: &'t str,
    tokens: &'t Tokens,
    lexical: &'t [SyntaxError],
    brackets: Brackets,
    errors: Vec<SyntaxError>,
    given_up: Vec<TextRange>,
}

impl Recovery<'_> {
    /// Notes that the statement around a token is given up, and where parsing goes on.
    fn give_up(&mut self, failed: TokenIdx, next: Option<&Segment>) {
        let start = self.brackets.statement_around(failed);
        let end = next.map_or(u32::MAX, |next| self.tokens.range(next.start).start);
        self.given_up.push(TextRange { start: self.tokens.range(start).start, end });
    }

    /// Returns the error of a statement that ends before the token that does not fit, with attributes in braces, and is wrong
    /// itself. A hash at the start of a line is one: its braces belong to the expression on the line before.
    fn error_of_attributes(&self, failed: TokenIdx) -> Option<SyntaxError> {
        let opener = self.brackets.opener(failed.previous())?;
        let start = self.brackets.statement_around(opener);
        if failed.as_u32() - start.as_u32() > MAX_STATEMENT {
            return None;
        }
        let mut builder = Builder::new(self.file, self.text, self.tokens);
        parse_tokens(&mut builder, self.tokens, start, failed).ok()?;
        builder.errors.into_iter().find(|error| matches!(error.kind, SyntaxErrorKind::NotAResource))
    }

    /// Reports that a token does not fit.
    fn report(&mut self, failed: TokenIdx) {
        let range = self.tokens.range(failed);
        if self.tokens.get(failed).is_none() {
            // Puppet names no place. The bracket that is not closed says most.
            let opener = self.brackets.unclosed(self.tokens, self.text);
            let range = opener.map_or(range, |opener| self.tokens.range(opener));
            let last = self.tokens.list.last();
            let after_semicolon = last.is_some_and(|token| token.kind == TokenKind::Semicolon);
            let unclosed = opener.map(|opener| self.quoted(opener));
            self.errors.push(SyntaxError::new(SyntaxErrorKind::UnexpectedEnd { unclosed, after_semicolon }, range));
            return;
        }
        if let Some(error) = self.error_of_attributes(failed) {
            return self.errors.push(error);
        }
        let found = self.quoted(failed);
        if let Some((string, is_long)) = self.string_before(failed) {
            let kind = SyntaxErrorKind::AfterString { found, is_long };
            return self.errors.push(SyntaxError { kind, range, related: Some(string) });
        }
        let diagnosis = diagnose(self.text, self.tokens, &self.brackets, failed);
        let related = diagnosis.as_ref().and_then(|diagnosis| diagnosis.related).map(|token| self.tokens.range(token));
        let kind = SyntaxErrorKind::UnexpectedToken { found, hint: diagnosis.map(|diagnosis| diagnosis.hint) };
        self.errors.push(SyntaxError { kind, range, related });
    }

    /// Returns the quote of a string that probably ends at the wrong one, and whether the string has several lines: it ends
    /// directly before the token, and a later quote is not closed. A string of several lines lacks its closing quote, so its
    /// first quote is returned. Another one ends at a quote that belongs to its text, if the unclosed quote is on the same
    /// line; that last quote is returned.
    fn string_before(&self, failed: TokenIdx) -> Option<(TextRange, bool)> {
        let before = self.tokens.get(failed.previous())?;
        let found = self.tokens.get(failed)?;
        let start = match before.kind {
            TokenKind::String => before.range.start,
            TokenKind::InterpolationClose => self.tokens.range(self.brackets.opener(failed.previous())?).start,
            _ => return None,
        };
        let end = before.range.end;
        let text = self.text.get(start as usize..end as usize)?;
        let unclosed = self
            .lexical
            .iter()
            .find(|error| matches!(error.kind, SyntaxErrorKind::UnclosedQuote { .. }) && error.range.start > end)?;
        if found.range.start != end {
            return None;
        }
        if text.contains('\n') {
            return Some((TextRange { start, end: start + 1 }, true));
        }
        let quote = unclosed.related.map_or(unclosed.range.start, |quote| quote.start);
        let is_same_line = self.text.get(end as usize..quote as usize).is_some_and(|between| !between.contains('\n'));
        is_same_line.then_some((TextRange { start: end - 1, end }, false))
    }

    /// Returns the statements to continue with after a statement failed at a token.
    fn statement_after(&self, failed: TokenIdx) -> Option<Segment> {
        // The braces of a resource that end nowhere: the resource in them starts the next statement.
        let name = failed.previous();
        if self.tokens.kind(failed) == Some(TokenKind::OpenBrace)
            && self.tokens.get(name).is_some_and(|name| name.kind == TokenKind::Name && name.first_on_line)
            && self
                .brackets
                .around(failed)
                .is_some_and(|open| !self.brackets.is_block(open) && self.brackets.closer(open).is_none())
        {
            return Some(Segment { start: name, end: self.end_of_block(name) });
        }
        // Leave the brackets that contain no statements.
        let outermost = self.brackets.outermost_around(failed);
        let mut resume = outermost.and_then(|opener| self.brackets.closer(opener)).map_or(failed, TokenIdx::next);
        // A failing `}` ends its block.
        let opener = self.brackets.opener(resume);
        if opener.is_some() && opener == self.brackets.block_around(failed) {
            resume = resume.next();
        }
        self.statement_from(resume)
    }

    /// Returns the next statements at or after a token: at the start of a line, or in a block of the failed statement.
    fn statement_from(&self, from: TokenIdx) -> Option<Segment> {
        let mut at = from;
        loop {
            let token = self.tokens.get(at)?;
            if token.first_on_line && starts_statement(token.kind) {
                return Some(Segment { start: at, end: self.end_of_block(at) });
            }
            if self.brackets.is_block(at) {
                let start = at.next();
                return Some(Segment { start, end: self.brackets.closer(at).unwrap_or(self.tokens.end()) });
            }
            at = match self.brackets.closer(at) {
                // The braces of a `case` have blocks in them.
                Some(closer) if token.kind != TokenKind::OpenBrace => closer.next(),
                _ => at.next(),
            };
        }
    }

    /// Returns the end of the innermost block around a token.
    fn end_of_block(&self, at: TokenIdx) -> TokenIdx {
        let block = self.brackets.closed_block_around(at);
        block.and_then(|opener| self.brackets.closer(opener)).unwrap_or(self.tokens.end())
    }

    /// Returns a token as messages quote it: a variable without the dollar sign, and a string without quotes.
    fn quoted(&self, index: TokenIdx) -> String {
        let Some(token) = self.tokens.get(index) else { return String::new() };
        if let Some(content) = token.content {
            return self.tokens.content(content).to_owned();
        }
        let text = &self.text[token.range.start as usize..token.range.end as usize];
        match token.kind {
            TokenKind::Variable => text.trim_start_matches('$'),
            TokenKind::String => text.get(1..text.len().saturating_sub(1)).unwrap_or(text),
            _ => text,
        }
        .to_owned()
    }
}
