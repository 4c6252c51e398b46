//! Blocks whose heads are broken.

use std::ops::Range;

use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind, Stmt};
use crate::error::{StatementError, SyntaxError};
use crate::lookahead::starts_statement;
use crate::recovery::state::RecoveringParser;
use crate::terminals::Position;
use crate::token_set::{OPERAND_CONTINUATION, OPERAND_END};

/// A block whose head is an error.
pub struct BrokenHead {
    /// The `{` of the block.
    brace: TokenIdx,
    /// The tokens whose variables are defined in the block.
    variables: Range<TokenIdx>,
    /// The class that the head defines.
    class: Option<BrokenClass>,
}

impl BrokenHead {
    /// Creates the head of a block without names of its own but the variables from `first` on.
    pub fn of_block(brace: TokenIdx, first: TokenIdx) -> BrokenHead {
        BrokenHead { brace, variables: first..brace, class: None }
    }

    /// Creates the head of a class, whose name ends before `name_end`.
    pub fn of_class(brace: TokenIdx, name_end: TokenIdx, defines: Vec<Definition>) -> BrokenHead {
        BrokenHead { brace, variables: name_end..brace, class: Some(BrokenClass { defines, name_end }) }
    }

    /// Returns the `{` of the block.
    pub fn brace(&self) -> TokenIdx {
        self.brace
    }
}

/// A class whose head is an error.
struct BrokenClass {
    defines: Vec<Definition>,
    /// The token after the name.
    name_end: TokenIdx,
}

impl RecoveringParser<'_> {
    /// Recognises blocks that the grammar takes for something else: `if {` and `name($x) {`.
    pub(super) fn block_with_incomplete_head(&mut self, start: TokenIdx) -> Option<(SyntaxError, BrokenHead)> {
        self.if_without_condition(start).or_else(|| self.class_without_keyword(start))
    }

    /// Recognises `if {`, whose brace the grammar takes for the start of a map.
    fn if_without_condition(&self, start: TokenIdx) -> Option<(SyntaxError, BrokenHead)> {
        let brace = start + 1;
        if self.kind(start) != Some(TokenKind::If) || self.kind(brace) != Some(TokenKind::OpenCurly) {
            return None;
        }
        let after = self.brackets.after_closer(brace)?;
        // A map that is compared or indexed.
        if OPERAND_CONTINUATION.has(self.kind(after)) && !self.tokens.newline_before(after) {
            return None;
        }
        let span = self.builder.span(start, brace);
        let head = BrokenHead { brace, variables: brace..brace, class: None };
        Some((SyntaxError::new(StatementError::MissingCondition, span), head))
    }

    /// Recognises `name($x) {` with statements inside, which most likely lacks the keyword `class`.
    fn class_without_keyword(&mut self, start: TokenIdx) -> Option<(SyntaxError, BrokenHead)> {
        let paren = start + 1;
        if self.kind(start) != Some(TokenKind::Identifier)
            || self.kind(paren) != Some(TokenKind::OpenParen)
            || !self.tokens.is_adjacent_to_previous(paren)
        {
            return None;
        }
        let brace = self.brackets.after_closer(paren)?;
        if self.kind(brace) != Some(TokenKind::OpenCurly)
            || self.kind(brace + 1).is_none()
            || !self.tokens.newline_before(brace + 1)
            || !starts_statement(self.tokens, brace + 1)
        {
            return None;
        }
        let span = self.builder.span(start, paren);
        let error = StatementError::MissingClassKeyword { name: self.tokens.text(self.text, start).to_owned() };
        let name = self.builder.word(start);
        let defines = vec![Definition { kind: DefinitionKind::Class, name, span }];
        let class = Some(BrokenClass { defines, name_end: paren });
        Some((SyntaxError::new(error, span), BrokenHead { brace, variables: paren..brace, class }))
    }

    /// Returns the block of the statement at `start`, whose head is broken at `at`.
    pub(super) fn broken_block(&mut self, start: TokenIdx, at: TokenIdx) -> Option<BrokenHead> {
        let keyword = match self.kind(start)? {
            keyword @ (TokenKind::If | TokenKind::Else | TokenKind::For | TokenKind::ForKv | TokenKind::Class) => {
                keyword
            }
            _ => return None,
        };
        let brace = self.brace_of_block(keyword, start, at)?;
        let class = (keyword == TokenKind::Class).then(|| {
            let name_end = self.end_of_class_name(start, brace);
            BrokenClass { defines: self.definitions(start, name_end), name_end }
        });
        let mut head = (start + 1).until(brace);
        let variables = match keyword {
            TokenKind::If | TokenKind::Else => brace..brace,
            _ => start + 1..head.find(|token| self.kind(*token) == Some(TokenKind::In)).unwrap_or(brace),
        };
        Some(BrokenHead { brace, variables, class })
    }

    /// Opens a block whose head is an error. Returns the position of its first statement.
    pub(super) fn enter_block(&mut self, start: TokenIdx, head: BrokenHead) -> Position {
        if let Some(BrokenClass { defines, name_end }) = head.class {
            let span = self.builder.span(start, name_end);
            let id = self.builder.push_stmt(Stmt::Error { defines: defines.into() }, span);
            self.builder.complete(id, name_end);
        }
        let variables = self.builder.variables_between(head.variables.start, head.variables.end);
        self.builder.open_with_error(start, variables, head.brace);
        Position::before(head.brace + 1)
    }

    /// Returns the token after the name of the class whose keyword is at `start`.
    pub(super) fn end_of_class_name(&self, start: TokenIdx, end: TokenIdx) -> TokenIdx {
        let is_name = |token: &TokenIdx| matches!(self.kind(*token), Some(TokenKind::Identifier | TokenKind::Colon));
        (start + 1).until(end).find(|token| !is_name(token)).unwrap_or(end)
    }

    /// Returns the `{` of the block whose head starts at `start` and is broken at `at`.
    fn brace_of_block(&self, keyword: TokenKind, start: TokenIdx, at: TokenIdx) -> Option<TokenIdx> {
        let mut token = start + 1;
        while let Some(kind) = self.kind(token) {
            let new_line = token >= at && self.tokens.newline_before(token);
            if new_line && starts_statement(self.tokens, token)
                || kind == TokenKind::CloseCurly
                || self.edits.get(&token).is_some_and(|edit| edit.resume > token)
            {
                return None;
            }
            let after = self.brackets.after_closer(token).filter(|_| kind.is_opener());
            if kind == TokenKind::OpenCurly && after.is_some_and(|after| after > at) {
                let before = token.previous().and_then(|previous| self.kind(previous));
                let ends_line = self.tokens.newline_before(token + 1);
                let opens_block = matches!(keyword, TokenKind::Class | TokenKind::Else)
                    || OPERAND_END.has(before) && before != Some(TokenKind::Map)
                    || ends_line && before != Some(TokenKind::Struct);
                if opens_block {
                    return Some(token);
                }
            }
            token = after.unwrap_or(token + 1);
        }
        None
    }
}
