//! Text -> tokens.
//!
//! The automaton of [`TokenKind`] reads code. A stack of brackets remembers where a `}` ends an interpolation, so that the rest
//! of the string follows, and which `}` may end an operand. The texts of heredocs are read when their tags are; at the end of
//! the line of the tags the lexer continues after the last of them.
//!
//! Lexing never fails: an invalid literal becomes an [`TokenKind::ErrorValue`] and an error.

mod bracket;
mod context;
mod escape;
mod heredoc;
mod interpolation;
mod number;
mod string;
mod template;
mod word;

use logos::{Lexer as Automaton, Logos};
use pp_ast::TextRange;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::context::StringContext;
use crate::lexer::word::{bare_word, kind_of_name, type_name, variable};
use crate::mode::Mode;
use crate::token::TokenKind;
use crate::tokens::{ContentIdx, Token, Tokens};

/// The greatest length of a text in bytes: every offset fits 32 bits.
pub const MAX_LENGTH: usize = u32::MAX as usize - 1;

/// Splits a text, which has at most [`MAX_LENGTH`] bytes, into tokens.
pub fn lex(text: &str, mode: Mode) -> Tokens {
    let mut lexer = Lexer::new(text);
    lexer.byte_order_mark();
    lexer.push_made(TokenKind::first_of(mode), lexer.at, lexer.at, None);
    lexer.operand = false;
    if mode == Mode::Template {
        lexer.template_text();
    }
    lexer.code();
    lexer.tokens
}

impl TokenKind {
    fn first_of(mode: Mode) -> TokenKind {
        match mode {
            Mode::Manifest => TokenKind::ManifestStart,
            Mode::Template => TokenKind::TemplateStart,
        }
    }
}

/// A bracket that is open.
enum Open<'t> {
    Parenthesis,
    Bracket,
    /// `|` before parameters.
    Bars,
    /// A `{`.
    Brace(Brace),
    /// `${` in a string.
    Interpolation(StringContext<'t>),
}

/// What a `{` opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brace {
    /// A hash, a block of `if`, a definition and the like: an operator after its `}` continues an expression.
    Operand,
    /// The body of a resource, which is not an operand. A `{` after it would be the body of another one.
    Resource,
    /// The block of an option of a `case`; the next option follows.
    Option,
}

struct Lexer<'t> {
    text: &'t str,
    /// The next byte.
    at: usize,
    /// Where the text ends, or the heredoc around an interpolation.
    end: usize,
    tokens: Tokens,
    open: Vec<Open<'t>>,
    /// For each level of brackets, whether a keyword was read whose block is still to come.
    heads: Vec<bool>,
    /// What the last `}` closed.
    closed: Brace,
    /// Whether the last token may end an operand.
    operand: bool,
    /// Whether a newline was seen since the last token.
    newline: bool,
    /// Whether a blank, a newline or a comment was seen since the last token.
    blank: bool,
    /// Where the texts of the heredocs end whose tags are on this line.
    heredocs_end: Option<usize>,
    /// The number of interpolations that are open.
    interpolations: usize,
    /// Whether the code is in a heredoc.
    in_heredoc: bool,
    /// Whether the code is in a tag of a template.
    in_tag: bool,
    /// Whether that tag is `<%=`.
    in_render: bool,
    /// The end of a line, if it is not before [`at`](Lexer::at).
    line_end: usize,
    /// Whether an interpolation without its end was reported; those around it have the same cause.
    has_unclosed_interpolation: bool,
    /// A range in which no regexp ends, so that it is searched only once.
    no_regexp: std::ops::Range<usize>,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str) -> Lexer<'t> {
        let tokens = Tokens { list: Vec::with_capacity(text.len() / 3 + 1), ..Tokens::default() };
        Lexer {
            text,
            at: 0,
            end: text.len(),
            tokens,
            open: Vec::new(),
            heads: Vec::new(),
            closed: Brace::Operand,
            operand: false,
            newline: true,
            blank: true,
            heredocs_end: None,
            interpolations: 0,
            in_heredoc: false,
            in_tag: false,
            in_render: false,
            line_end: 0,
            has_unclosed_interpolation: false,
            no_regexp: 0..0,
        }
    }

    /// Skips and reports a byte order mark.
    fn byte_order_mark(&mut self) {
        const MARK: &str = "\u{feff}";
        if self.text.starts_with(MARK) {
            self.error(SyntaxErrorKind::ByteOrderMark, 0, MARK.len());
            self.at = MARK.len();
        }
    }

    /// Reads code up to the end of the text.
    fn code(&mut self) {
        loop {
            let mut automaton: Automaton<'t, TokenKind> = TokenKind::lexer(&self.text[..self.end]);
            automaton.bump(self.at);
            while let Some(kind) = automaton.next() {
                let span = automaton.span();
                let before = self.end;
                self.at = span.end;
                self.token(kind.unwrap_or(TokenKind::Unknown), span.start, span.end);
                if self.end != before {
                    break;
                }
                let advanced = self.at.saturating_sub(span.end);
                if self.at < span.end {
                    // Only a part of the token was taken.
                    break;
                }
                automaton.bump(advanced);
            }
            if self.at >= self.end && !self.end_of_code() {
                return;
            }
        }
    }

    /// Handles a token of the automaton. `self.at` is after it, and may be moved.
    fn token(&mut self, kind: TokenKind, start: usize, end: usize) {
        match kind {
            TokenKind::Blank => self.blank = true,
            TokenKind::Comment => {
                self.blank = true;
                let rest = &self.text.as_bytes()[end..self.end];
                self.at = end + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            TokenKind::Name => self.word(start),
            TokenKind::TypeName => self.type_name(start),
            TokenKind::Variable => {
                self.at = variable(&self.text.as_bytes()[..self.end], end);
                self.push(kind, start, self.at);
            }
            TokenKind::Newline => {
                self.newline = true;
                self.blank = true;
                if let Some(end) = self.heredocs_end.take() {
                    self.at = end.max(self.at);
                }
            }
            TokenKind::CommentStart => self.block_comment(start),
            TokenKind::SingleQuote => self.single_quoted(start),
            TokenKind::DoubleQuote => self.double_quoted(start),
            TokenKind::HeredocStart => self.heredoc(start),
            TokenKind::Number => self.number(start, end),
            TokenKind::Divide if !self.divides() => self.regexp(start),
            TokenKind::TagClose | TokenKind::TagCloseTrim => self.tag_close(kind, start, end),
            TokenKind::DoubleColon => {
                self.error(SyntaxErrorKind::InvalidQualifiedName, end, end);
                // It belongs to the name before it.
                if !self.operand {
                    self.push(TokenKind::ErrorValue, start, end);
                }
            }
            TokenKind::OpenBrace
            | TokenKind::CloseBrace
            | TokenKind::OpenParen
            | TokenKind::CloseParen
            | TokenKind::OpenList
            | TokenKind::CloseBracket
            | TokenKind::BarOpen => self.bracket(kind, start, end),
            TokenKind::Minus => self.push(self.prefix_or(TokenKind::Negate, kind), start, end),
            TokenKind::Multiply => self.push(self.prefix_or(TokenKind::Unfold, kind), start, end),
            TokenKind::Unknown => {
                // A byte that starts no token: take the whole character.
                let length = self.text[start..].chars().next().map_or(1, char::len_utf8);
                self.at = self.at.max(start + length);
                self.push(kind, start, self.at);
            }
            _ => self.push(kind, start, end),
        }
    }

    /// Ends what is open at the end of the text, or of a heredoc. Returns whether there is more code to read.
    fn end_of_code(&mut self) -> bool {
        while let Some(open) = self.open.pop() {
            if let Open::Interpolation(context) = open {
                self.interpolations -= 1;
                self.unclosed_interpolation(context);
                return true;
            }
        }
        if self.in_tag {
            self.error(SyntaxErrorKind::UnclosedTag, self.end, self.end);
        }
        false
    }

    fn word(&mut self, start: usize) {
        let (end, is_name) = bare_word(&self.text.as_bytes()[..self.end], start);
        let kind = if is_name { kind_of_name(&self.text[start..end]) } else { TokenKind::Word };
        self.at = end;
        if kind.starts_block() {
            self.expect_block();
        }
        self.push(kind, start, end);
    }

    fn type_name(&mut self, start: usize) {
        let bytes = &self.text.as_bytes()[..self.end];
        let end = type_name(bytes, start);
        self.at = end;
        if bytes[end..].starts_with(b"::") {
            self.error(SyntaxErrorKind::InvalidClassReference, end + 1, end + 2);
            self.push(TokenKind::ErrorValue, start, end);
            self.skip_name();
        } else {
            self.push(TokenKind::TypeName, start, end);
        }
    }

    fn block_comment(&mut self, start: usize) {
        self.blank = true;
        let body = start + 2;
        match memchr::memmem::find(&self.text.as_bytes()[body..self.end], b"*/") {
            Some(length) => {
                self.at = body + length + 2;
                self.newline |= memchr::memchr(b'\n', &self.text.as_bytes()[start..self.at]).is_some();
            }
            None => {
                self.error(SyntaxErrorKind::UnclosedComment, start, body);
                self.at = self.end;
            }
        }
    }

    /// Skips the rest of a qualified name after a part of it that was reported.
    fn skip_name(&mut self) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        self.at += self.text.as_bytes()[self.at..self.end].iter().take_while(|byte| is_part(byte)).count();
    }

    /// Returns whether a `/` after the last token is a division. After a `}` a regexp may start.
    fn divides(&self) -> bool {
        self.last_kind().is_some_and(TokenKind::divides_next)
    }

    fn regexp(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        if self.no_regexp.start <= at && self.end <= self.no_regexp.end {
            return self.push(TokenKind::Divide, start, at);
        }
        while let Some(length) = memchr::memchr2(b'/', b'\\', &bytes[at..self.end]) {
            at += length;
            if bytes[at] == b'/' {
                let source = &self.text[start + 1..at];
                self.at = at + 1;
                let content = source.contains("\\/").then(|| self.tokens.add_content(source.replace("\\/", "/")));
                return self.push_made(TokenKind::Regexp, start, at + 1, content);
            }
            at = (at + 2).min(self.end);
        }
        // Without an end it is an operator, and the grammar reports it.
        self.no_regexp = start..self.end;
        self.push(TokenKind::Divide, start, start + 1);
    }

    fn prefix_or(&self, prefix: TokenKind, binary: TokenKind) -> TokenKind {
        if self.operand { binary } else { prefix }
    }

    fn last_kind(&self) -> Option<TokenKind> {
        self.tokens.list.last().map(|token| token.kind)
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.push_made(kind, start, end, None);
    }

    fn push_made(&mut self, kind: TokenKind, start: usize, end: usize, content: Option<ContentIdx>) {
        let range = range(start, end);
        self.tokens.list.push(Token { kind, first_on_line: self.newline, range, content });
        self.operand = kind.ends_operand();
        self.newline = false;
        self.blank = false;
    }

    fn error(&mut self, kind: SyntaxErrorKind, start: usize, end: usize) {
        self.tokens.errors.push(SyntaxError::new(kind, range(start, end)));
    }

    fn related_error(&mut self, kind: SyntaxErrorKind, at: (usize, usize), related: (usize, usize)) {
        let related = Some(range(related.0, related.1));
        self.tokens.errors.push(SyntaxError { kind, range: range(at.0, at.1), related });
    }
}

/// Offsets fit, because a text has at most [`MAX_LENGTH`] bytes.
fn range(start: usize, end: usize) -> TextRange {
    TextRange { start: start as u32, end: end as u32 }
}
