//! Statements of other languages: one error says what mcl has instead, and all of the statement is covered by it.
//!
//! A statement is only looked at when it failed, so a word like `node` or `define` that happens to be valid here costs
//! nothing. What follows the first word decides whether the word is meant as a keyword.

mod block;
mod expression;
mod resource;

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind};
use crate::error::{HabitError, HabitKind, SyntaxError};
use crate::lookahead::{first_on_line, indentation, starts_statement};
use crate::recovery::block::BrokenHead;
use crate::recovery::state::RecoveringParser;
use crate::token_set::WORD;

/// A statement of another language.
pub struct ForeignStatement {
    pub error: SyntaxError,
    pub rest: Rest,
}

/// What becomes of the tokens of a foreign statement.
pub enum Rest {
    /// They are skipped up to this one; the names are known from there on.
    Skip { end: TokenIdx, defines: Vec<Definition> },
    /// The statements of its block are parsed.
    Enter(BrokenHead),
}

impl RecoveringParser<'_> {
    /// Recognises a statement of another language.
    pub(super) fn foreign_statement(&mut self, start: TokenIdx, at: TokenIdx) -> Option<ForeignStatement> {
        self.foreign_expression_statement(start)
            .or_else(|| self.foreign_keyword(start))
            .or_else(|| self.foreign_resource(start))
            .or_else(|| self.foreign_block(start, at))
            .or_else(|| self.list_of_halves(start))
            .or_else(|| self.foreign_document(start))
    }

    /// Makes a foreign statement that is skipped; the first of its tokens up to `marked` are marked.
    fn skipped(&self, start: TokenIdx, marked: TokenIdx, kind: HabitKind) -> ForeignStatement {
        self.skipped_to(start, marked, self.end_of_foreign(start), kind, Vec::new())
    }

    fn skipped_to(
        &self,
        start: TokenIdx,
        marked: TokenIdx,
        end: TokenIdx,
        kind: HabitKind,
        defines: Vec<Definition>,
    ) -> ForeignStatement {
        let covers = Some(self.builder.span(start, end));
        let error = SyntaxError::new(HabitError { kind, covers }, self.builder.span(start, marked));
        ForeignStatement { error, rest: Rest::Skip { end, defines } }
    }

    /// Makes a foreign statement whose block `{ … }` is parsed.
    fn entered(&self, start: TokenIdx, marked: TokenIdx, kind: HabitKind, head: BrokenHead) -> ForeignStatement {
        let covers = Some(self.builder.span(start, head.brace()));
        let error = SyntaxError::new(HabitError { kind, covers }, self.builder.span(start, marked));
        ForeignStatement { error, rest: Rest::Enter(head) }
    }

    /// Returns the text of a token; empty past the end.
    fn word_at(&self, token: TokenIdx) -> &str {
        if token < self.tokens.end_idx() { self.tokens.text(self.text, token) } else { "" }
    }

    /// Returns the text from one token to the end of the one before `end`.
    fn text_between(&self, start: TokenIdx, end: TokenIdx) -> &str {
        let span = self.builder.span(start, end);
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Returns the kind of a token, if it is on the same line as the token before it.
    fn kind_on_line(&self, token: TokenIdx) -> Option<TokenKind> {
        self.kind(token).filter(|_| !self.tokens.newline_before(token))
    }

    /// Returns the first `{` of the statement outside of other brackets, if the line has one.
    fn brace_on_line(&self, start: TokenIdx) -> Option<TokenIdx> {
        let mut token = start + 1;
        while let Some(kind) = self.kind_on_line(token) {
            if kind == TokenKind::OpenCurly {
                return Some(token);
            }
            token = self.after(token);
        }
        None
    }

    /// Returns the end of a statement whose grammar is not known: the end of its line, with the brackets that start on it,
    /// and after a colon all lines that are indented further.
    fn end_of_foreign(&self, start: TokenIdx) -> TokenIdx {
        let base = indentation(self.text, self.tokens, first_on_line(self.tokens, start));
        let mut is_indented = false;
        let mut token = start;
        while let Some(kind) = self.kind(token) {
            if token > start {
                if let Some(edit) = self.edits.get(&token)
                    && edit.is_deletion(token)
                {
                    token = edit.resume;
                    continue;
                }
                let closes_block = kind == TokenKind::CloseCurly
                    || self.brackets.virtually_closed(token).iter().any(|opener| *opener < start);
                if closes_block {
                    return token;
                }
                if self.tokens.newline_before(token) {
                    let after_colon = token.previous().and_then(|last| self.kind(last)) == Some(TokenKind::Colon);
                    is_indented |= after_colon;
                    let is_deeper = is_indented && indentation(self.text, self.tokens, token) > base;
                    let is_next_branch = is_indented && self.is_branch_with_colon(token);
                    if !(is_deeper || is_next_branch || matches!(kind, TokenKind::OpenCurly | TokenKind::Else)) {
                        return token;
                    }
                }
            }
            token = self.after(token);
        }
        self.tokens.end_idx()
    }

    /// Whether `else:`, `elif c:` or the like starts at a token.
    fn is_branch_with_colon(&self, token: TokenIdx) -> bool {
        matches!(self.word_at(token), "else" | "elif" | "except" | "finally")
    }

    fn variable(&mut self, token: TokenIdx) -> Vec<Definition> {
        self.defined(DefinitionKind::Variable, token)
    }

    fn defined(&mut self, kind: DefinitionKind, token: TokenIdx) -> Vec<Definition> {
        if !WORD.has(self.kind(token)) {
            return Vec::new();
        }
        let (name, span) = (self.builder.word(token), self.builder.span(token, token + 1));
        vec![Definition { kind, name, span }]
    }

    /// `[File["a"], File["b"]] -> Svc["c"]`.
    fn list_of_halves(&self, start: TokenIdx) -> Option<ForeignStatement> {
        let is_list = self.kind(start) == Some(TokenKind::OpenBracket)
            && matches!(self.kind(start + 1), Some(TokenKind::Capitalized | TokenKind::Identifier))
            && self.kind(start + 2) == Some(TokenKind::OpenBracket);
        let end = self.after(start);
        let has_arrow = matches!(self.kind_on_line(end), Some(TokenKind::Arrow | TokenKind::Rocket));
        (is_list && has_arrow).then(|| self.skipped(start, end, HabitKind::ListOfHalves))
    }

    /// A whole file, or a part of it, in YAML or JSON.
    fn foreign_document(&mut self, start: TokenIdx) -> Option<ForeignStatement> {
        let first = self.kind(start)?;
        let second = self.kind_on_line(start + 1);
        let after_colon = |colon: TokenIdx| !self.tokens.is_adjacent_to_previous(colon + 1);
        let is_yaml = match first {
            TokenKind::Minus => match second {
                Some(TokenKind::Minus) => self.kind_on_line(start + 2) == Some(TokenKind::Minus),
                Some(TokenKind::Identifier) => self.kind_on_line(start + 2) == Some(TokenKind::Colon),
                _ => false,
            },
            TokenKind::Identifier => {
                second == Some(TokenKind::Colon)
                    && self.tokens.is_adjacent_to_previous(start + 1)
                    && after_colon(start + 1)
            }
            _ => false,
        };
        if is_yaml {
            let mut end = self.end_of_foreign(start);
            while self.kind(end).is_some_and(|kind| kind != TokenKind::CloseCurly)
                && !starts_statement(self.tokens, end)
            {
                end = self.end_of_foreign(end).max(end + 1);
            }
            return Some(self.skipped_to(start, start + 1, end, HabitKind::Yaml, Vec::new()));
        }
        let is_json = first == TokenKind::OpenCurly
            && self.kind(start + 1) == Some(TokenKind::String)
            && self.kind(start + 2) == Some(TokenKind::Colon);
        is_json.then(|| self.skipped(start, start + 1, HabitKind::Json))
    }
}
