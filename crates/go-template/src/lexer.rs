//! Splits a template into tokens. Spaces inside actions are tokens, because `.A .B` and `.A.B` differ.

use std::fmt;

use go_compat::strconv::{is_print, quote};
use go_compat::unicode::decode_rune;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Eof,
    /// The last token; its text is the message.
    Error,
    Text,
    Open,
    Close,
    Space,
    Assign,
    Declare,
    Pipe,
    OpenParen,
    CloseParen,
    /// Any other printable character.
    Other,
    Bool,
    CharConstant,
    Number,
    String,
    RawString,
    Field,
    Variable,
    Identifier,
    Dot,
    Nil,
    Keyword,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
    pub(crate) line: usize,
    pub(crate) text: Vec<u8>,
}

impl Token {
    pub(crate) fn as_text(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        self.kind == Kind::Keyword && self.text == word.as_bytes()
    }
}

const KEYWORDS: [&str; 10] = ["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"];

/// Returns all tokens. The last one is `Eof` or `Error`.
pub(crate) fn tokens(text: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, line: 1, parens: 0, tokens: Vec::new() };
    if let Err(error) = lexer.run() {
        let (at, line) = (lexer.at, lexer.line);
        lexer.tokens.push(Token { kind: Kind::Error, at, line, text: error.to_string().into_bytes() });
    }
    lexer.tokens
}

/// Why a template cannot be split into tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LexError {
    UnclosedComment,
    CommentBeforeDelimiter,
    UnclosedAction,
    ExpectedDeclare,
    UnterminatedString,
    UnterminatedCharacter,
    UnterminatedRawString,
    UnexpectedParen,
    UnclosedParen,
    UnrecognizedCharacter(char),
    BadCharacter(char),
    BadNumber(Vec<u8>),
}

impl fmt::Display for LexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LexError::UnclosedComment => "unclosed comment",
            LexError::CommentBeforeDelimiter => "comment ends before closing delimiter",
            LexError::UnclosedAction => "unclosed action",
            LexError::ExpectedDeclare => "expected :=",
            LexError::UnterminatedString => "unterminated quoted string",
            LexError::UnterminatedCharacter => "unterminated character constant",
            LexError::UnterminatedRawString => "unterminated raw quoted string",
            LexError::UnexpectedParen => "unexpected right paren",
            LexError::UnclosedParen => "unclosed left paren",
            LexError::UnrecognizedCharacter(c) => {
                return write!(f, "unrecognized character in action: {}", unicode_form(*c));
            }
            LexError::BadCharacter(c) => return write!(f, "bad character {}", unicode_form(*c)),
            LexError::BadNumber(text) => return write!(f, "bad number syntax: {}", quote(text)),
        })
    }
}

impl std::error::Error for LexError {}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    parens: usize,
    tokens: Vec<Token>,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn emit(&mut self, kind: Kind, length: usize) {
        let text = &self.text[self.at..self.at + length];
        self.tokens.push(Token { kind, at: self.at, line: self.line, text: text.to_vec() });
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        self.line += memchr::memchr_iter(b'\n', &self.text[self.at..end]).count();
        self.at = end;
    }

    fn run(&mut self) -> Result<(), LexError> {
        loop {
            let open = memchr::memmem::find(self.rest(), b"{{");
            let trims = open.is_some_and(|open| {
                let after = &self.rest()[open + 2..];
                after.first() == Some(&b'-') && after.get(1).copied().is_some_and(is_space)
            });
            let text = &self.rest()[..open.unwrap_or(self.rest().len())];
            let kept = if trims { trim_end(text).len() } else { text.len() };
            let length = text.len();
            if kept > 0 {
                self.emit(Kind::Text, kept);
            }
            self.skip(length - kept);
            if open.is_none() {
                self.emit(Kind::Eof, 0);
                return Ok(());
            }
            let marker = if trims { 2 } else { 0 };
            if self.rest()[2 + marker..].starts_with(b"/*") {
                self.comment(2 + marker)?;
            } else {
                self.emit(Kind::Open, 2);
                self.skip(marker);
                self.parens = 0;
                self.action()?;
            }
        }
    }

    fn comment(&mut self, start: usize) -> Result<(), LexError> {
        let Some(length) = memchr::memmem::find(&self.rest()[start..], b"*/") else {
            return Err(LexError::UnclosedComment);
        };
        let end = start + length + 2;
        let Some((close, trims)) = self.close_at(end) else {
            return Err(LexError::CommentBeforeDelimiter);
        };
        self.skip(end + close);
        if trims {
            self.trim_space();
        }
        Ok(())
    }

    fn trim_space(&mut self) {
        let blanks = self.rest().iter().take_while(|b| is_space(**b)).count();
        self.skip(blanks);
    }

    /// Returns the length of the closing delimiter at an offset, and whether it trims the following whitespace.
    fn close_at(&self, offset: usize) -> Option<(usize, bool)> {
        let rest = &self.rest()[offset..];
        match rest {
            [blank, b'-', b'}', b'}', ..] if is_space(*blank) => Some((4, true)),
            [b'}', b'}', ..] => Some((2, false)),
            _ => None,
        }
    }

    fn action(&mut self) -> Result<(), LexError> {
        loop {
            // A space and `-}}` close the action, even after more spaces.
            let blanks = self.rest().iter().take_while(|b| is_space(**b)).count();
            if blanks > 0 && self.rest()[blanks..].starts_with(b"-}}") {
                if blanks > 1 {
                    self.emit(Kind::Space, blanks - 1);
                }
                return self.close(4, true);
            }
            if self.rest().starts_with(b"}}") {
                return self.close(2, false);
            }
            let Some((c, length)) = decode_rune(self.rest()) else { return Err(LexError::UnclosedAction) };
            match c {
                _ if blanks > 0 => self.emit(Kind::Space, blanks),
                '=' => self.emit(Kind::Assign, 1),
                ':' if self.rest().starts_with(b":=") => self.emit(Kind::Declare, 2),
                ':' => return Err(LexError::ExpectedDeclare),
                '|' => self.emit(Kind::Pipe, 1),
                '"' => self.quoted(b'"', Kind::String, LexError::UnterminatedString)?,
                '\'' => self.quoted(b'\'', Kind::CharConstant, LexError::UnterminatedCharacter)?,
                '`' => {
                    let Some(end) = memchr::memchr(b'`', &self.rest()[1..]) else {
                        return Err(LexError::UnterminatedRawString);
                    };
                    self.emit(Kind::RawString, end + 2);
                }
                '$' => self.word(Kind::Variable)?,
                '.' if !self.rest().get(1).is_some_and(u8::is_ascii_digit) => self.word(Kind::Field)?,
                '.' | '+' | '-' | '0'..='9' => self.number()?,
                '(' => {
                    self.emit(Kind::OpenParen, 1);
                    self.parens += 1;
                }
                ')' => {
                    self.parens = self.parens.checked_sub(1).ok_or(LexError::UnexpectedParen)?;
                    self.emit(Kind::CloseParen, 1);
                }
                c if is_word(c) => self.word(Kind::Identifier)?,
                c if c.is_ascii_graphic() => self.emit(Kind::Other, length),
                c => return Err(LexError::UnrecognizedCharacter(c)),
            }
        }
    }

    fn close(&mut self, length: usize, trims: bool) -> Result<(), LexError> {
        if self.parens > 0 {
            return Err(LexError::UnclosedParen);
        }
        self.emit(Kind::Close, length);
        if trims {
            self.trim_space();
        }
        Ok(())
    }

    fn quoted(&mut self, quote: u8, kind: Kind, unterminated: LexError) -> Result<(), LexError> {
        let mut length = 1;
        loop {
            match self.rest().get(length) {
                Some(b'\\') if !matches!(self.rest().get(length + 1), None | Some(b'\n')) => length += 2,
                None | Some(b'\n' | b'\\') => return Err(unterminated),
                Some(b) if *b == quote => break,
                Some(_) => length += 1,
            }
        }
        self.emit(kind, length + 1);
        Ok(())
    }

    /// Reads an identifier, or a field or variable with its first character.
    fn word(&mut self, kind: Kind) -> Result<(), LexError> {
        let mut length = usize::from(kind != Kind::Identifier);
        let next = loop {
            match decode_rune(&self.rest()[length..]) {
                Some((c, width)) if is_word(c) => length += width,
                next => break next.map(|(c, _)| c),
            }
        };
        let ends = match next {
            None => true,
            Some(c) => matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '('),
        };
        if !ends && self.close_at(length).is_none() {
            return Err(LexError::BadCharacter(next.unwrap_or('\0')));
        }
        let word = &self.rest()[..length];
        let kind = match (kind, word) {
            (Kind::Field, b".") => Kind::Dot,
            (Kind::Identifier, b"true" | b"false") => Kind::Bool,
            (Kind::Identifier, b"nil") => Kind::Nil,
            (Kind::Identifier, word) if KEYWORDS.iter().any(|k| k.as_bytes() == word) => Kind::Keyword,
            (kind, _) => kind,
        };
        self.emit(kind, length);
        Ok(())
    }

    fn number(&mut self) -> Result<(), LexError> {
        let rest = self.rest();
        let mut length = usize::from(matches!(rest[0], b'+' | b'-'));
        let (radix, prefix) = match &rest[length..] {
            [b'0', b'x' | b'X', ..] => (16, 2),
            [b'0', b'o' | b'O', ..] => (8, 2),
            [b'0', b'b' | b'B', ..] => (2, 2),
            _ => (10, 0),
        };
        length += prefix;
        let digits = |from: usize, radix: u32| {
            rest[from..].iter().take_while(|&&b| b == b'_' || char::from(b).is_digit(radix)).count()
        };
        length += digits(length, radix);
        if rest.get(length) == Some(&b'.') {
            length += 1;
            length += digits(length, radix);
        }
        let exponent = matches!((radix, rest.get(length)), (10, Some(b'e' | b'E')) | (16, Some(b'p' | b'P')));
        if exponent {
            length += 1 + usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            length += digits(length, 10);
        }
        if decode_rune(&rest[length..]).is_some_and(|(c, _)| is_word(c)) {
            let (_, width) = decode_rune(&rest[length..]).unwrap_or((' ', 0));
            return Err(LexError::BadNumber(rest[..length + width].to_vec()));
        }
        self.emit(Kind::Number, length);
        Ok(())
    }
}

/// `U+002D '-'`.
fn unicode_form(c: char) -> String {
    let shown = if is_print(c) { format!(" '{c}'") } else { String::new() };
    format!("U+{:04X}{shown}", u32::from(c))
}

/// Removes trailing whitespace.
fn trim_end(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|b| !is_space(*b)).map_or(0, |last| last + 1)]
}
