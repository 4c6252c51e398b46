//! Brackets: what they open, and whether an expression continues after they are closed (spec 07 §5.2).

use crate::lexer::{Brace, Lexer, Open};
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Adds a bracket of code: a brace, a parenthesis, a square bracket or a bar.
    pub fn bracket(&mut self, kind: TokenKind, start: usize, end: usize) {
        let kind = match kind {
            TokenKind::CloseBrace => return self.close_brace(start, end),
            TokenKind::OpenBrace => {
                let (kind, brace) = self.brace();
                self.open.push(Open::Brace(brace));
                kind
            }
            TokenKind::OpenParen => {
                self.open.push(Open::Parenthesis);
                if self.operand && !self.newline { TokenKind::OpenCall } else { kind }
            }
            TokenKind::OpenList => {
                self.open.push(Open::Bracket);
                if self.operand && !self.blank { TokenKind::OpenIndex } else { kind }
            }
            TokenKind::BarOpen if self.close_bars() => TokenKind::BarClose,
            TokenKind::BarOpen => {
                self.open.push(Open::Bars);
                kind
            }
            TokenKind::CloseParen => {
                self.close_bars();
                self.open.pop_if(|open| matches!(open, Open::Parenthesis));
                kind
            }
            _ => {
                self.close_bars();
                self.open.pop_if(|open| matches!(open, Open::Bracket));
                kind
            }
        };
        self.push(kind, start, end);
    }

    /// Ends parameters between bars. Returns whether there were any.
    fn close_bars(&mut self) -> bool {
        self.open.pop_if(|open| matches!(open, Open::Bars)).is_some()
    }

    /// Returns which kind of `{` follows the last token, and what it opens.
    fn brace(&mut self) -> (TokenKind, Brace) {
        let level = self.open.len();
        self.heads.resize(level + 1, false);
        let has_head = self.heads[level];
        match self.last_kind() {
            Some(TokenKind::Question) => (TokenKind::OpenSelector, Brace::Operand),
            Some(TokenKind::CollectClose | TokenKind::ExportedClose) => (TokenKind::OpenOverride, Brace::Operand),
            Some(TokenKind::Colon) => (TokenKind::OpenBrace, Brace::Option),
            Some(TokenKind::BarClose | TokenKind::Else) => (TokenKind::OpenBrace, Brace::Operand),
            Some(TokenKind::CloseBrace) if self.closed == Brace::Resource => (TokenKind::OpenBrace, Brace::Resource),
            Some(TokenKind::Class) => {
                self.heads[level] = false;
                (TokenKind::OpenBrace, Brace::Resource)
            }
            _ if self.operand => {
                self.heads[level] = false;
                (TokenKind::OpenBrace, if has_head { Brace::Operand } else { Brace::Resource })
            }
            _ => (TokenKind::OpenHash, Brace::Operand),
        }
    }

    /// Remembers a keyword that a block follows.
    pub fn expect_block(&mut self) {
        let level = self.open.len();
        self.heads.resize(level + 1, false);
        self.heads[level] = true;
    }

    fn close_brace(&mut self, start: usize, end: usize) {
        // Brackets inside braces that are not closed end with the braces.
        let outer = self.open.iter().rposition(|open| matches!(open, Open::Brace(_) | Open::Interpolation(_)));
        self.open.truncate(outer.map_or(0, |outer| outer + 1));
        match self.open.pop() {
            Some(Open::Interpolation(context)) => {
                self.interpolations -= 1;
                self.push(TokenKind::ExpressionClose, start, end);
                self.string_segments(context);
            }
            Some(Open::Brace(brace)) => {
                self.push(TokenKind::CloseBrace, start, end);
                self.closed = brace;
                self.operand = brace == Brace::Operand;
            }
            _ => {
                self.push(TokenKind::CloseBrace, start, end);
                self.closed = Brace::Operand;
                self.operand = true;
            }
        }
    }
}
