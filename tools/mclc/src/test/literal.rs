//! The parser of what a comment of a test says: words, and constants as in programs.

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};
use mcl_lexer::{TokenIdx, TokenKind, Tokens, lex};
use mcl_parser::string_value;
use serde_json::{Map, Number, Value as Json};

/// Maximum depth of nested lists, maps and structs.
const MAX_DEPTH: usize = 100;

/// A position in the tokens of a comment.
pub struct Cursor<'a> {
    text: &'a str,
    tokens: Tokens,
    next: usize,
    file: FileId,
    /// The offset of the text in the file.
    offset: u32,
}

/// What a comment says, or what is wrong with it.
pub type Parsed<T> = Result<T, Diagnostic>;

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, file: FileId, offset: u32) -> Cursor<'a> {
        Cursor { text, tokens: lex(text), next: 0, file, offset }
    }

    fn token(&self) -> Option<(TokenIdx, TokenKind)> {
        let index = self.tokens.indices().nth(self.next)?;
        Some((index, self.tokens.kind(index)?))
    }

    fn kind(&self) -> Option<TokenKind> {
        self.token().map(|(_, kind)| kind)
    }

    fn token_text(&self) -> &'a str {
        self.token().map_or("", |(index, _)| self.tokens.text(self.text, index))
    }

    /// Returns the span of the next token; after the last one, the end of the comment.
    pub fn span(&self) -> Span {
        let end = self.offset + u32::try_from(self.text.trim_end().len()).unwrap_or(0);
        match self.token() {
            Some((index, _)) => {
                Span::new(self.file, self.offset + self.tokens.start(index), self.offset + self.tokens.end(index))
            }
            None => Span::new(self.file, end, end),
        }
    }

    /// Returns the error that something else was expected.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.token_text() {
            "" => "the end of the comment".to_owned(),
            text => format!("`{text}`"),
        };
        invalid(self.span(), format!("expected {what}, found {found}"))
    }

    pub fn skip(&mut self) {
        self.next += 1;
    }

    fn take(&mut self, kind: TokenKind) -> bool {
        let is_next = self.kind() == Some(kind);
        self.next += usize::from(is_next);
        is_next
    }

    /// Takes a token that has to be next.
    pub fn require(&mut self, kind: TokenKind, what: &str) -> Parsed<()> {
        if self.take(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Returns the next token if it is a word, and does not take it.
    pub fn word(&self) -> Option<&'a str> {
        let is_word = matches!(self.kind()?, TokenKind::Identifier) || self.kind()?.is_keyword();
        is_word.then(|| self.token_text())
    }

    /// Takes a string.
    pub fn string(&mut self) -> Parsed<String> {
        if self.kind() != Some(TokenKind::String) {
            return Err(self.expected("a string"));
        }
        let raw = self.token_text();
        let value = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).and_then(string_value);
        let value = value.ok_or_else(|| {
            invalid(self.span(), "invalid string".to_owned())
                .help("strings of tests have no `${…}`, and the escapes of programs")
        })?;
        self.skip();
        Ok(value)
    }

    /// Takes the name of a function, up to its parenthesis.
    pub fn function_name(&mut self) -> Parsed<(String, Span)> {
        let mut span = self.span();
        let mut name = String::new();
        while self.kind().is_some_and(|kind| kind != TokenKind::OpenParen) {
            name.push_str(self.token_text());
            span = span.to(self.span());
            self.skip();
        }
        if name.is_empty() { Err(self.expected("the name of a function")) } else { Ok((name, span)) }
    }

    /// Takes the arguments of a call, with their parentheses.
    pub fn arguments(&mut self) -> Parsed<Vec<Json>> {
        self.require(TokenKind::OpenParen, "`(`")?;
        self.elements(TokenKind::CloseParen, "`,` or `)`", |cursor| cursor.value(0))
    }

    /// Takes a constant.
    pub fn constant(&mut self) -> Parsed<Json> {
        self.value(0)
    }

    /// Checks that nothing follows.
    pub fn end(&self) -> Parsed<()> {
        if self.token().is_some() { Err(self.expected("the end of the comment")) } else { Ok(()) }
    }

    fn value(&mut self, depth: usize) -> Parsed<Json> {
        if depth > MAX_DEPTH {
            return Err(invalid(self.span(), format!("nested more than {MAX_DEPTH} levels deep")));
        }
        match self.kind() {
            Some(TokenKind::String) => self.string().map(Json::String),
            Some(TokenKind::True | TokenKind::False) => {
                let value = self.kind() == Some(TokenKind::True);
                self.skip();
                Ok(Json::Bool(value))
            }
            Some(TokenKind::Integer | TokenKind::Float | TokenKind::Minus) => self.number(),
            Some(TokenKind::OpenBracket) => {
                self.skip();
                let items = self.elements(TokenKind::CloseBracket, "`,` or `]`", |cursor| cursor.value(depth + 1))?;
                Ok(Json::Array(items))
            }
            Some(TokenKind::OpenCurly) => {
                self.skip();
                let key = |cursor: &mut Cursor<'_>| match cursor.value(depth + 1)? {
                    Json::String(key) => Ok(key),
                    other => Ok(other.to_string()),
                };
                self.entries(depth, key)
            }
            Some(TokenKind::Struct) => {
                self.skip();
                self.require(TokenKind::OpenCurly, "`{`")?;
                let key = |cursor: &mut Cursor<'_>| {
                    let word =
                        cursor.word().map(str::to_owned).ok_or_else(|| cursor.expected("the name of a field"))?;
                    cursor.skip();
                    Ok(word)
                };
                self.entries(depth, key)
            }
            _ => Err(self.expected("a constant")),
        }
    }

    fn number(&mut self) -> Parsed<Json> {
        let sign = if self.take(TokenKind::Minus) { "-" } else { "" };
        let text = format!("{sign}{}", self.token_text());
        let number = match self.kind() {
            Some(TokenKind::Integer) => text.parse::<i64>().ok().map(Number::from),
            Some(TokenKind::Float) => text.parse::<f64>().ok().and_then(Number::from_f64),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected("a number"))?;
        self.skip();
        Ok(Json::Number(number))
    }

    fn entries(&mut self, depth: usize, mut key: impl FnMut(&mut Self) -> Parsed<String>) -> Parsed<Json> {
        let pairs = self.elements(TokenKind::CloseCurly, "`,` or `}`", |cursor| {
            let key = key(cursor)?;
            cursor.require(TokenKind::Rocket, "`=>`")?;
            Ok((key, cursor.value(depth + 1)?))
        })?;
        Ok(Json::Object(Map::from_iter(pairs)))
    }

    /// Takes elements up to and with a closing token.
    fn elements<T>(
        &mut self,
        close: TokenKind,
        separator: &str,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        while !self.take(close) {
            elements.push(element(self)?);
            if !self.take(TokenKind::Comma) {
                self.require(close, separator)?;
                break;
            }
        }
        Ok(elements)
    }
}

/// Returns an error about a comment of a test.
pub fn invalid(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(Code::E0901, Stage::Parse, message).at(span)
}
