//! The layout of each construct (spec 01 §8.2, §8.3).

use mcl_lexer::{TokenIdx, TokenKind};

use crate::printer::{Printer, Space};

/// Free stack below which a deep expression gets another stack, in bytes.
const MIN_STACK: usize = 128 * 1024;
/// The size of another stack, in bytes.
const MORE_STACK: usize = 1024 * 1024;

/// How the elements between brackets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    One,
    Several,
}

impl Printer<'_, '_> {
    /// Writes a file.
    pub(crate) fn file(mut self) -> String {
        self.statements();
        self.into_text()
    }

    /// Writes statements up to the end of their block, or of the tokens.
    pub(crate) fn statements(&mut self) {
        while !self.leading().is_closed() {
            if let Some(end) = self.program.end_of_statement(self.next)
                && self.is_skipped(end)
            {
                self.verbatim_tokens(end);
            } else {
                self.statement();
            }
            self.end_line();
        }
    }

    fn statement(&mut self) {
        match self.peek() {
            Some(TokenKind::Dollar) => {
                self.variable(Space::None);
                if self.peek() != Some(TokenKind::Equals) {
                    self.type_(Space::One);
                }
                self.token(Space::One);
                self.expression(Space::One);
            }
            Some(TokenKind::Panic) => {
                self.token(Space::None);
                self.arguments();
            }
            Some(TokenKind::Collect) => {
                self.token(Space::None);
                self.resource(Space::One);
            }
            Some(TokenKind::Capitalized) => {
                self.edge_half(Space::None);
                while self.peek() == Some(TokenKind::Arrow) {
                    self.token(Space::One);
                    self.edge_half(Space::One);
                }
            }
            Some(TokenKind::Include) => {
                self.token(Space::None);
                self.name(Space::One);
                if self.peek() == Some(TokenKind::OpenParen) {
                    self.arguments();
                }
                self.alias();
            }
            Some(TokenKind::Import) => {
                self.token(Space::None);
                self.token(Space::One);
                self.alias();
            }
            Some(TokenKind::Func) => {
                self.token(Space::None);
                self.token(Space::One);
                self.function();
            }
            Some(TokenKind::If) => {
                self.token(Space::None);
                self.expression(Space::One);
                self.block();
                if self.peek() == Some(TokenKind::Else) {
                    self.token(Space::One);
                    self.block();
                }
            }
            Some(TokenKind::For | TokenKind::ForKv) => {
                self.token(Space::None);
                self.variable(Space::One);
                self.token(Space::None);
                self.variable(Space::One);
                self.token(Space::One);
                self.expression(Space::One);
                self.block();
            }
            Some(TokenKind::Class) => {
                self.token(Space::None);
                self.name(Space::One);
                if self.peek() == Some(TokenKind::OpenParen) {
                    self.parameters();
                }
                self.block();
            }
            _ => self.resource(Space::None),
        }
    }

    fn alias(&mut self) {
        if self.peek() == Some(TokenKind::As) {
            self.token(Space::One);
            self.token(Space::One);
        }
    }

    fn resource(&mut self, space: Space) {
        self.name(space);
        self.expression(Space::One);
        self.braces(Self::entries);
    }

    fn block(&mut self) {
        self.braces(Self::statements);
    }

    /// Writes a block or the body of a resource: on several lines, unless it is empty.
    fn braces(&mut self, content: fn(&mut Self)) {
        let opener = self.next;
        self.token(Space::One);
        if self.peek() != Some(TokenKind::CloseCurly) || !self.program.comments_within(opener).is_empty() {
            self.end_line();
            self.indented(content);
        }
        self.token(Space::None);
    }

    /// Writes the entries of a resource up to the closing brace.
    pub(crate) fn entries(&mut self) {
        while !self.leading().is_closed() {
            let end = self.program.end_of_entry(self.next);
            if self.is_skipped(end) {
                self.verbatim_tokens(end);
            } else {
                self.entry();
                self.token(Space::None);
            }
            self.end_line();
        }
    }

    fn entry(&mut self) {
        self.token(Space::None);
        while self.peek() == Some(TokenKind::Colon) {
            self.token(Space::None);
            self.token(Space::None);
        }
        self.token(Space::One);
        self.entry_value();
        if self.peek() == Some(TokenKind::Elvis) {
            self.token(Space::One);
            self.entry_value();
        }
    }

    fn entry_value(&mut self) {
        if self.peek() == Some(TokenKind::Capitalized) {
            self.edge_half(Space::One);
        } else {
            self.expression(Space::One);
        }
    }

    /// Writes `Kind["name"]` or `Kind["name"].field`.
    fn edge_half(&mut self, space: Space) {
        self.name(space);
        self.token(Space::None);
        self.expression(Space::None);
        self.token(Space::None);
        if self.peek() == Some(TokenKind::Dot) {
            self.token(Space::None);
            self.token(Space::None);
        }
    }

    /// Writes words with dots or colons between them.
    fn name(&mut self, space: Space) {
        self.token(space);
        while matches!(self.peek(), Some(TokenKind::Dot | TokenKind::Colon)) {
            self.token(Space::None);
            self.token(Space::None);
        }
    }

    fn variable(&mut self, space: Space) {
        self.token(space);
        self.name(Space::None);
    }

    pub(crate) fn expression(&mut self, space: Space) {
        stacker::maybe_grow(MIN_STACK, MORE_STACK, || {
            self.operand(space);
            while self.peek().is_some_and(TokenKind::is_binary_operator) {
                self.token(Space::One);
                self.operand(Space::One);
            }
        });
    }

    fn operand(&mut self, mut space: Space) {
        while self.peek() == Some(TokenKind::Not) {
            self.token(space);
            space = Space::One;
        }
        match self.peek() {
            Some(TokenKind::OpenBracket) => self.collection(space, |printer, space| printer.expression(space)),
            Some(TokenKind::OpenCurly) => self.collection(space, Self::pair),
            Some(TokenKind::Struct) => {
                self.token(space);
                self.collection(Space::None, Self::pair);
            }
            Some(TokenKind::If) => self.if_expression(space),
            Some(TokenKind::OpenParen) => {
                self.token(space);
                self.expression(Space::None);
                self.token(Space::None);
            }
            Some(TokenKind::Dollar) => self.variable(space),
            Some(TokenKind::Func) => {
                self.token(space);
                self.function();
            }
            Some(TokenKind::Identifier | TokenKind::Map | TokenKind::Collect) => self.name(space),
            _ => self.token(space),
        }
        loop {
            match self.peek() {
                Some(TokenKind::OpenParen) => self.arguments(),
                Some(TokenKind::OpenBracket) => {
                    self.token(Space::None);
                    self.expression(Space::None);
                    self.token(Space::None);
                }
                Some(TokenKind::Arrow) => {
                    self.token(Space::None);
                    self.token(Space::None);
                }
                _ => return,
            }
        }
    }

    /// Writes `key => value`.
    fn pair(&mut self, space: Space) {
        self.expression(space);
        self.token(Space::One);
        self.expression(Space::One);
    }

    fn if_expression(&mut self, space: Space) {
        self.token(space);
        self.expression(Space::One);
        let lines = self.lines_of_body(self.next);
        self.body(lines);
        self.token(Space::One);
        self.body(lines);
    }

    /// Writes the parameters, the type, and the body of a function.
    fn function(&mut self) {
        self.parameters();
        if self.peek() != Some(TokenKind::OpenCurly) {
            self.type_(Space::One);
        }
        self.body(self.lines_of_body(self.next));
    }

    fn lines_of_body(&self, opener: TokenIdx) -> Lines {
        let is_open = self.program.starts_on_later_line(opener) || !self.comments_of_body(opener).is_empty();
        if is_open { Lines::Several } else { Lines::One }
    }

    /// Returns the comments in a body, and in the body behind an `else`.
    fn comments_of_body(&self, opener: TokenIdx) -> &[mcl_lexer::Comment] {
        let after = self.program.closer(opener) + 1;
        let comments = self.program.comments_within(opener);
        if self.program.tokens.kind(after) == Some(TokenKind::Else) && comments.is_empty() {
            return self.program.comments_within(after + 1);
        }
        comments
    }

    /// Writes an expression in braces.
    fn body(&mut self, lines: Lines) {
        self.token(Space::One);
        if lines == Lines::One {
            self.expression(Space::One);
            self.token(Space::One);
            return;
        }
        self.end_line();
        self.indented(|printer| {
            printer.lines_above();
            printer.expression(Space::None);
            printer.end_line();
            printer.lines_above();
        });
        self.token(Space::None);
    }

    /// Writes the comments before the next token on lines of their own.
    fn lines_above(&mut self) {
        self.leading_comments(|_, _| false);
    }

    fn parameters(&mut self) {
        let is_open = !self.program.comments_within(self.next).is_empty();
        self.list(Space::None, is_open, |printer, space| {
            printer.variable(space);
            if !matches!(printer.peek(), Some(TokenKind::Comma | TokenKind::CloseParen)) {
                printer.type_(Space::One);
            }
        });
    }

    fn arguments(&mut self) {
        let opener = self.next;
        let comments = self.program.comments_within(opener);
        let is_open = opener + 1 != self.program.closer(opener)
            && comments.iter().any(|comment| self.program.around_comment(comment) == Some(opener));
        self.list(Space::None, is_open, |printer, space| printer.expression(space));
    }

    fn collection(&mut self, space: Space, element: impl Fn(&mut Self, Space)) {
        let is_open = !self.program.comments_within(self.next).is_empty();
        self.list(space, is_open, element);
    }

    /// Writes elements between brackets: on several lines if it `is_open`, or if the first element is on a later line than the
    /// bracket.
    fn list(&mut self, space: Space, is_open: bool, element: impl Fn(&mut Self, Space)) {
        let opener = self.next;
        let closer = self.program.closer(opener);
        self.token(space);
        let is_empty = self.next == closer;
        if is_open || (!is_empty && self.program.starts_on_later_line(opener)) {
            self.end_line();
            self.indented(|printer| {
                printer.lines_above();
                while printer.next < closer {
                    element(printer, Space::None);
                    if printer.peek() == Some(TokenKind::Comma) {
                        printer.token(Space::None);
                    } else {
                        printer.write(Space::None, ",");
                    }
                    printer.end_line();
                    printer.lines_above();
                }
            });
        } else {
            let mut space = Space::None;
            while self.next < closer {
                element(self, space);
                if self.next + 1 < closer && self.peek() == Some(TokenKind::Comma) {
                    self.token(Space::None);
                    space = Space::One;
                } else if self.peek() == Some(TokenKind::Comma) {
                    self.skip_token();
                }
            }
        }
        self.token(Space::None);
    }

    fn type_(&mut self, space: Space) {
        stacker::maybe_grow(MIN_STACK, MORE_STACK, || match self.peek() {
            Some(TokenKind::OpenBracket) => {
                self.token(space);
                self.token(Space::None);
                self.type_(Space::None);
            }
            Some(TokenKind::Map) => {
                self.token(space);
                self.token(Space::None);
                self.type_(Space::None);
                self.token(Space::None);
                self.type_(Space::One);
                self.token(Space::None);
            }
            Some(TokenKind::Struct) => self.struct_type(space),
            Some(TokenKind::Func) => self.function_type(space),
            _ => self.token(space),
        });
    }

    fn struct_type(&mut self, space: Space) {
        self.token(space);
        self.token(Space::None);
        let mut space = Space::None;
        while !matches!(self.peek(), Some(TokenKind::CloseCurly) | None) {
            if self.peek() == Some(TokenKind::Semicolon) {
                self.token(Space::None);
            }
            self.token(space);
            self.type_(Space::One);
            space = Space::One;
        }
        self.token(Space::None);
    }

    fn function_type(&mut self, space: Space) {
        self.token(space);
        let closer = self.program.closer(self.next);
        self.token(Space::None);
        let mut space = Space::None;
        while self.next < closer {
            if self.peek() == Some(TokenKind::Dollar) {
                self.variable(space);
                space = Space::One;
            }
            self.type_(space);
            if self.next + 1 < closer {
                self.token(Space::None);
            } else if self.peek() == Some(TokenKind::Comma) {
                self.skip_token();
            }
            space = Space::One;
        }
        self.token(Space::None);
        self.type_(Space::One);
    }
}
