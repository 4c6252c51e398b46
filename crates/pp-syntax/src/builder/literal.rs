//! Literals, names, variables, strings.

use pp_ast::{Expr, ExprId, Radix};

use crate::builder::Builder;
use crate::error::SyntaxErrorKind;
use crate::tokens::TokenIdx;

impl Builder<'_> {
    fn leaf(&mut self, expr: Expr, token: TokenIdx) -> ExprId {
        let range = self.tokens.range(token);
        self.add(expr, range)
    }

    pub fn variable(&mut self, token: TokenIdx) -> ExprId {
        let name = self.intern(self.token_content(token));
        self.leaf(Expr::Variable(name), token)
    }

    /// Adds a number.
    pub fn number(&mut self, token: TokenIdx) -> ExprId {
        let text = self.token_text(token);
        let (digits, radix) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&text[2..], Radix::Hexadecimal),
            [b'0', b'0'..=b'9', ..] => (&text[1..], Radix::Octal),
            _ => (text, Radix::Decimal),
        };
        let is_float = radix == Radix::Decimal && text.contains(['.', 'e', 'E']);
        if is_float {
            let value = text.parse().unwrap_or(f64::INFINITY);
            if value.is_infinite() {
                let range = self.tokens.range(token);
                self.error(SyntaxErrorKind::FloatOutOfRange(text.to_owned()), range);
                return self.leaf(Expr::Error, token);
            }
            return self.leaf(Expr::Float(value), token);
        }
        let base = match radix {
            Radix::Hexadecimal => 16,
            Radix::Octal => 8,
            Radix::Decimal => 10,
        };
        match i64::from_str_radix(digits, base) {
            Ok(value) => self.leaf(Expr::Integer(value, radix), token),
            Err(_) => {
                let range = self.tokens.range(token);
                self.error(SyntaxErrorKind::IntegerOutOfRange { digits: digits.to_owned(), radix }, range);
                self.leaf(Expr::Error, token)
            }
        }
    }

    pub fn string(&mut self, token: TokenIdx) -> ExprId {
        let text = self.intern(self.token_content(token));
        self.leaf(Expr::String(text), token)
    }

    pub fn regexp(&mut self, token: TokenIdx) -> ExprId {
        let source = self.intern(self.token_content(token));
        self.leaf(Expr::Regexp(source), token)
    }

    pub fn name(&mut self, token: TokenIdx) -> ExprId {
        let name = self.intern(self.token_text(token));
        self.leaf(Expr::Name(name), token)
    }

    /// Adds a keyword in the position of a function's name.
    pub fn word_as_name(&mut self, token: TokenIdx) -> ExprId {
        self.name(token)
    }

    /// Adds a keyword in the position of a hash's key.
    pub fn word_as_string(&mut self, token: TokenIdx) -> ExprId {
        let text = self.intern(self.token_text(token));
        self.leaf(Expr::String(text), token)
    }

    /// Adds a word with dashes, which is a string.
    pub fn bare_word(&mut self, token: TokenIdx) -> ExprId {
        self.word_as_string(token)
    }

    /// Adds a type name. A leading `::` makes no difference.
    pub fn type_name(&mut self, token: TokenIdx) -> ExprId {
        let name = self.intern(self.token_text(token));
        self.leaf(Expr::TypeName(name), token)
    }

    pub fn boolean(&mut self, token: TokenIdx, value: bool) -> ExprId {
        self.leaf(Expr::Boolean(value), token)
    }

    pub fn undef(&mut self, token: TokenIdx) -> ExprId {
        self.leaf(Expr::Undef, token)
    }

    pub fn default_word(&mut self, token: TokenIdx) -> ExprId {
        self.leaf(Expr::Default, token)
    }

    pub fn reserved(&mut self, token: TokenIdx) -> ExprId {
        let word = self.intern(self.token_text(token));
        self.leaf(Expr::Reserved(word), token)
    }

    pub fn error_value(&mut self, token: TokenIdx) -> ExprId {
        self.leaf(Expr::Error, token)
    }

    pub fn interpolation(&mut self, from: TokenIdx, segments: Vec<ExprId>, to: TokenIdx) -> ExprId {
        let range = self.range(from, to);
        let segments = self.list(&segments);
        self.add(Expr::Interpolation(segments), range)
    }

    /// Adds a literal part of a string.
    pub fn text(&mut self, token: TokenIdx) -> ExprId {
        self.string(token)
    }

    /// Adds `$name` in a string.
    pub fn text_variable(&mut self, token: TokenIdx) -> ExprId {
        let variable = self.variable(token);
        self.leaf(Expr::Text(variable), token)
    }

    /// Adds `${…}` in a string.
    pub fn text_expression(&mut self, from: TokenIdx, expr: ExprId, to: TokenIdx) -> ExprId {
        let range = self.range(from, to);
        self.add(Expr::Text(expr), range)
    }

    pub fn heredoc(&mut self, token: TokenIdx, text: ExprId) -> ExprId {
        let syntax = self.tokens.get(token).and_then(|token| token.content);
        let syntax = syntax.map(|syntax| self.intern(self.tokens.content(syntax)));
        self.leaf(Expr::Heredoc { syntax, text }, token)
    }

    /// Adds a host name without quotes: names and numbers with dots between them.
    pub fn host_words(&mut self, from: TokenIdx, to: TokenIdx) -> ExprId {
        let range = self.range(from, to);
        let name: String =
            (from.as_u32()..to.as_u32()).map(|token| self.token_text(TokenIdx::from_u32(token))).collect();
        let name = self.intern(&name);
        self.add(Expr::String(name), range)
    }
}
