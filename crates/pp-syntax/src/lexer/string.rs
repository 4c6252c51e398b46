//! Strings in quotes, and the literal parts of interpolated ones.

use logos::Logos;
use memchr::memchr2;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::context::StringContext;
use crate::lexer::escape::{Escapes, unescape, unescape_single_quoted};
use crate::lexer::word::variable;
use crate::lexer::{Lexer, Open, range};
use crate::token::TokenKind;
use crate::tokens::{ContentIdx, Token};

/// The automaton for the inside of an interpolated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(utf8 = false)]
enum Piece {
    #[regex(r#"(?-u)[^"\\$]+"#)]
    Plain,
    #[regex(r"(?s-u)\\.?")]
    Escape,
    #[token("${")]
    Expression,
    /// A variable, if a name follows.
    #[token("$")]
    Dollar,
    #[token("\"")]
    Quote,
}

impl<'t> Lexer<'t> {
    /// Reads a string in single quotes from its quote on.
    pub fn single_quoted(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        let mut has_escape = false;
        while let Some(length) = memchr2(b'\'', b'\\', &bytes[at..self.end]) {
            at += length;
            if bytes[at] == b'\'' {
                let text = &self.text[start + 1..at];
                self.at = at + 1;
                let content = has_escape.then(|| self.tokens.add_content(unescape_single_quoted(text)));
                return self.push_made(TokenKind::String, start, at + 1, content);
            }
            has_escape = true;
            at = (at + 2).min(self.end);
        }
        self.unclosed_quote("'", start);
        self.at = self.end;
        self.push(TokenKind::ErrorValue, start, self.end);
    }

    /// Reads a string in double quotes from its quote on, up to its end or to an interpolation.
    pub fn double_quoted(&mut self, start: usize) {
        self.at = start + 1;
        self.string_segments(StringContext { start, opened: false, heredoc: None });
    }

    /// Reads the text of a string from `self.at` on, up to its end or to an interpolation.
    pub fn string_segments(&mut self, mut context: StringContext<'t>) {
        let in_heredoc = context.heredoc.is_some();
        let mut automaton = Piece::lexer(&self.text.as_bytes()[..self.end]);
        automaton.bump(self.at);
        let mut from = self.at;
        while let Some(piece) = automaton.next() {
            let span = automaton.span();
            match piece {
                Ok(Piece::Quote) if !in_heredoc => {
                    self.at = span.end;
                    return self.close_string(&context, from, span.start, span.end);
                }
                Ok(Piece::Dollar) => {
                    let end = variable(&self.text.as_bytes()[..self.end], span.end);
                    if end > span.end {
                        self.open_string(&mut context);
                        self.add_text(&context, from, span.start);
                        self.push(TokenKind::TextVariable, span.start, end);
                        from = end;
                        automaton.bump(end - span.end);
                    }
                }
                Ok(Piece::Expression) => {
                    self.open_string(&mut context);
                    self.add_text(&context, from, span.start);
                    self.push(TokenKind::ExpressionOpen, span.start, span.end);
                    self.at = span.end;
                    self.open.push(Open::Interpolation(context));
                    self.interpolations += 1;
                    return self.start_of_interpolation();
                }
                // In a heredoc without escape sequences a backslash has no meaning: `\${x}` is one and an interpolation.
                Ok(Piece::Escape) if !context.escapes().any() && span.end > span.start + 1 => {
                    let after = span.start + 1;
                    automaton = Piece::lexer(&self.text.as_bytes()[..self.end]);
                    automaton.bump(after);
                }
                _ => {}
            }
        }
        self.at = self.end;
        if in_heredoc {
            self.close_heredoc(&mut context, from);
        } else {
            self.unclosed_quote("\"", context.start);
            if !context.opened {
                self.push(TokenKind::ErrorValue, context.start, self.end);
            } else {
                self.push(TokenKind::InterpolationClose, self.end, self.end);
            }
        }
    }

    /// Adds the last text of a string and its end.
    fn close_string(&mut self, context: &StringContext<'t>, from: usize, to: usize, end: usize) {
        if context.opened {
            self.add_text(context, from, to);
            self.push(TokenKind::InterpolationClose, to, end);
        } else {
            let content = self.content(context, from, to);
            self.push_made(TokenKind::String, context.start, end, content);
        }
    }

    /// Adds the start of a string before its first interpolation.
    fn open_string(&mut self, context: &mut StringContext<'t>) {
        if !std::mem::replace(&mut context.opened, true) {
            let end = if context.heredoc.is_some() { context.start } else { context.start + 1 };
            self.push(TokenKind::InterpolationOpen, context.start, end);
        }
    }

    /// Adds a literal part of an interpolated string. Empty ones are left out.
    pub fn add_text(&mut self, context: &StringContext<'t>, from: usize, to: usize) {
        if from == to {
            return;
        }
        let content = self.content(context, from, to);
        if content.is_none_or(|content| !self.tokens.content(content).is_empty()) {
            let token = Token { kind: TokenKind::Text, first_on_line: false, range: range(from, to), content };
            self.tokens.list.push(token);
        }
    }

    /// Resolves the escape sequences and the margin of a part of a string. Returns `None` if it has neither.
    pub fn content(&mut self, context: &StringContext<'t>, from: usize, to: usize) -> Option<ContentIdx> {
        let text = &self.text[from..to];
        let escapes = context.escapes();
        let has_margin = context.heredoc.as_ref().is_some_and(|heredoc| !heredoc.margin.is_empty());
        let has_escape = escapes.any() && text.contains('\\');
        if !has_margin && !has_escape {
            return None;
        }
        let without_margin = match &context.heredoc {
            Some(heredoc) => heredoc.without_margin(text, from),
            None => text.into(),
        };
        if !has_escape {
            return Some(self.tokens.add_content(without_margin));
        }
        let mut out = String::with_capacity(without_margin.len());
        let errors = &mut self.tokens.errors;
        let is_exact = without_margin.len() == text.len();
        unescape(&without_margin, escapes, &mut out, |(kind, at)| {
            let place = if is_exact { range(from + at.start, from + at.end) } else { range(from, to) };
            errors.push(SyntaxError::new(kind, place));
        });
        Some(self.tokens.add_content(out))
    }

    /// Reports a quote that is not closed: at the character after it, as Puppet does.
    fn unclosed_quote(&mut self, quote: &str, start: usize) {
        let after = start + 1;
        let kind = SyntaxErrorKind::UnclosedQuote {
            after: quote.to_owned(),
            followed_by: preview(&self.text[after..self.end]),
            in_interpolation: false,
        };
        self.related_error(kind, (after, after), (start, after));
    }

    /// Rewords the error about an unclosed quote inside an interpolation that is not closed, either: the quote was meant to end
    /// the string around the interpolation. Returns whether there is such an error.
    fn attribute_to_interpolation(&mut self, context: &StringContext<'t>) -> bool {
        let Some(error) = self.tokens.errors.last_mut() else { return false };
        let SyntaxErrorKind::UnclosedQuote { in_interpolation, .. } = &mut error.kind else { return false };
        if context.heredoc.is_some() || (error.range.start as usize) <= context.start {
            return false;
        }
        let mut closed = 0_usize;
        let open = self.tokens.list.iter().rev().find(|token| match token.kind {
            TokenKind::ExpressionClose => {
                closed += 1;
                false
            }
            TokenKind::ExpressionOpen if closed > 0 => {
                closed -= 1;
                false
            }
            kind => kind == TokenKind::ExpressionOpen,
        });
        *in_interpolation = true;
        error.related = open.map(|open| open.range).or(error.related);
        true
    }

    /// Ends the string around an interpolation that ends with the file or the heredoc.
    pub fn unclosed_interpolation(&mut self, mut context: StringContext<'t>) {
        let is_reported = std::mem::replace(&mut self.has_unclosed_interpolation, true);
        if !is_reported && !self.attribute_to_interpolation(&context) {
            let last =
                self.tokens.list.last().map_or(0..0, |token| token.range.start as usize..token.range.end as usize);
            let after = self.text[last].to_owned();
            let kind =
                SyntaxErrorKind::UnclosedQuote { after, followed_by: "<eof>".to_owned(), in_interpolation: false };
            self.related_error(kind, (self.end, self.end), (context.start, context.start + 1));
        }
        self.at = self.end;
        self.push(TokenKind::ExpressionClose, self.end, self.end);
        if context.heredoc.is_some() {
            self.close_heredoc(&mut context, self.end);
        } else {
            self.push(TokenKind::InterpolationClose, self.end, self.end);
        }
    }
}

impl StringContext<'_> {
    fn escapes(&self) -> Escapes {
        self.heredoc.as_ref().map_or(Escapes::STRING, |heredoc| heredoc.escapes)
    }
}

/// Returns the first characters of a text, as messages quote them.
pub fn preview(text: &str) -> String {
    if text.is_empty() {
        return "<eof>".to_owned();
    }
    let end = text.char_indices().nth(5).map_or(text.len(), |(at, _)| at);
    format!("{}...", &text[..end])
}
