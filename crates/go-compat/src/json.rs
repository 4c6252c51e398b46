//! Package `encoding/json`: scans text into a flat list of tokens, with Go's errors. Does not recurse, whatever the
//! nesting.

use crate::Error;
use crate::strconv::{Quoting, quote_with};

/// The tokens of the first value of a JSON text.
pub struct Document {
    tokens: Vec<Token>,
}

impl Document {
    /// Returns the tokens of the value; never empty.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }
}

/// A scalar value, a key, or the start of an array or object, whose parts are the tokens up to `end`.
pub enum Token {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(String),
    /// A string, or the key of a member of an object.
    String(String),
    /// The start of an array.
    Array {
        /// The index of the token after the array.
        end: usize,
    },
    /// The start of an object: its members follow, each a [`Token::String`] and a value.
    Object {
        /// The index of the token after the object.
        end: usize,
    },
}

/// Maximum nesting, as in Go.
const MAX_DEPTH: usize = 10_000;

/// Scans the first value of a text. Anything after it is ignored.
///
/// # Errors
/// The text does not start with a JSON value.
pub fn parse(text: &[u8]) -> Result<Document, Error> {
    let mut scanner = Scanner { text, at: 0, tokens: Vec::new(), open: Vec::new() };
    scanner.skip_space();
    if scanner.at == text.len() {
        return Err(Error::new("EOF"));
    }
    scanner.run()?;
    Ok(Document { tokens: scanner.tokens })
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// The indexes of the tokens of open arrays and objects.
    open: Vec<usize>,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Error> {
        loop {
            self.skip_space();
            // An empty array or object was closed at once.
            if !self.value()? {
                continue;
            }
            if !self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Scans a scalar value or the start of a container. Returns whether a value has ended.
    fn value(&mut self) -> Result<bool, Error> {
        let token = match self.peek("looking for beginning of value")? {
            b'"' => Token::String(self.string()?),
            b'-' | b'0'..=b'9' => Token::Number(self.number()?),
            b't' => self.word("true", Token::Bool(true))?,
            b'f' => self.word("false", Token::Bool(false))?,
            b'n' => self.word("null", Token::Null)?,
            open @ (b'[' | b'{') => {
                self.at += 1;
                return self.container(open);
            }
            b']' if self.just_opened(b'[') => return self.close(),
            _ => return Err(self.unexpected("looking for beginning of value")),
        };
        self.tokens.push(token);
        Ok(true)
    }

    fn container(&mut self, open: u8) -> Result<bool, Error> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Error::new("exceeded max depth"));
        }
        self.open.push(self.tokens.len());
        self.tokens.push(if open == b'[' { Token::Array { end: 0 } } else { Token::Object { end: 0 } });
        if open == b'[' {
            return Ok(false);
        }
        self.skip_space();
        if self.peek("looking for beginning of object key string")? == b'}' {
            return self.close();
        }
        self.key()?;
        Ok(false)
    }

    fn just_opened(&self, bracket: u8) -> bool {
        let is_array = matches!(self.tokens.last(), Some(Token::Array { .. }));
        bracket == b'[' && is_array && self.open.last() == Some(&(self.tokens.len() - 1))
    }

    fn close(&mut self) -> Result<bool, Error> {
        self.at += 1;
        let count = self.tokens.len();
        if let Some(Token::Array { end } | Token::Object { end }) = self.open.pop().and_then(|i| self.tokens.get_mut(i))
        {
            *end = count;
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<(), Error> {
        self.skip_space();
        if self.peek("looking for beginning of object key string")? != b'"' {
            return Err(self.unexpected("looking for beginning of object key string"));
        }
        let key = self.string()?;
        self.tokens.push(Token::String(key));
        self.skip_space();
        if self.peek("after object key")? != b':' {
            return Err(self.unexpected("after object key"));
        }
        self.at += 1;
        Ok(())
    }

    /// Closes the containers that end after a value. Returns whether another value must follow.
    fn after_value(&mut self) -> Result<bool, Error> {
        loop {
            let Some(&container) = self.open.last() else { return Ok(false) };
            let in_array = matches!(self.tokens.get(container), Some(Token::Array { .. }));
            let place = if in_array { "after array element" } else { "after object key:value pair" };
            self.skip_space();
            match (self.peek(place)?, in_array) {
                (b',', true) => {
                    self.at += 1;
                    return Ok(true);
                }
                (b',', false) => {
                    self.at += 1;
                    self.key()?;
                    return Ok(true);
                }
                (b']', true) | (b'}', false) => self.close()?,
                _ => return Err(self.unexpected(place)),
            };
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn peek(&self, _place: &str) -> Result<u8, Error> {
        self.text.get(self.at).copied().ok_or_else(|| Error::new("unexpected EOF"))
    }

    fn unexpected(&self, place: &str) -> Error {
        let c = String::from_utf8_lossy(&self.text[self.at..(self.at + 4).min(self.text.len())]).chars().next();
        let shown = match c {
            Some('\'') => r"'\''".to_owned(),
            Some('"') => "'\"'".to_owned(),
            Some(c) => quote_with(c.to_string().as_bytes(), '\'', Quoting::Print),
            None => return Error::new("unexpected EOF"),
        };
        Error::new(format!("invalid character {shown} {place}"))
    }

    fn word(&mut self, word: &str, token: Token) -> Result<Token, Error> {
        for (i, expected) in word.bytes().enumerate() {
            match self.text.get(self.at) {
                None => return Err(Error::new("unexpected EOF")),
                Some(found) if *found != expected => {
                    let rest = char::from(word.as_bytes()[i]);
                    return Err(self.unexpected(&format!("in literal {word} (expecting '{rest}')")));
                }
                Some(_) => self.at += 1,
            }
        }
        Ok(token)
    }

    fn number(&mut self) -> Result<String, Error> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        match self.text.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            None => return Err(Error::new("unexpected EOF")),
            Some(_) => return Err(self.unexpected("in numeric literal")),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.need_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.need_digits("in exponent of numeric literal")?;
        }
        Ok(String::from_utf8_lossy(&self.text[start..self.at]).into_owned())
    }

    fn need_digits(&mut self, place: &str) -> Result<(), Error> {
        match self.text.get(self.at) {
            None => Err(Error::new("unexpected EOF")),
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            Some(_) => Err(self.unexpected(place)),
        }
    }

    fn digits(&mut self) {
        while matches!(self.text.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    /// Scans a string. Invalid UTF-8 and lone surrogates become U+FFFD.
    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let (mut out, mut start) = (String::new(), self.at);
        loop {
            match self.text.get(self.at) {
                None => return Err(Error::new("unexpected EOF")),
                Some(b'"') => {
                    out.push_str(&String::from_utf8_lossy(&self.text[start..self.at]));
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&String::from_utf8_lossy(&self.text[start..self.at]));
                    self.at += 1;
                    out.push(self.escape()?);
                    start = self.at;
                }
                Some(0..=0x1f) => return Err(self.unexpected("in string literal")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let c = match self.peek("in string escape code")? {
            c @ (b'"' | b'\\' | b'/') => char::from(c),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, Error> {
        let high = self.four_digits()?;
        if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.four_digits()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xd800) << 10 | (low - 0xdc00));
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, Error> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.peek("in \\u hexadecimal character escape")?).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.unexpected("in \\u hexadecimal character escape"))?;
            self.at += 1;
        }
        Ok(code)
    }
}
