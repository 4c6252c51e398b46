//! Types from their text form.

use crate::error::{Error, ErrorKind};
use crate::named::named;
use crate::parametrize::parametrize;
use crate::regexp::Regexp;
use crate::stack::with_stack;
use crate::types::Type;
use crate::value::{Hash, Value};

/// Parses a type as it is written, e.g. `Array[Integer[1, 5]]`. Names that are not built in go to `resolve`; a name that it does
/// not know is a reference to an unknown type, which has no instances.
///
/// # Errors
/// A text that is not a type.
pub fn parse_type(text: &str, resolve: &dyn Fn(&str) -> Option<Type>) -> Result<Type, Error> {
    let mut parser = Parser { text, at: 0, resolve };
    let value = parser.value()?;
    parser.expect_end()?;
    match value {
        Value::Type(ty) => Ok(ty),
        _ => Err(Error::new(
            ErrorKind::Conversion,
            format!("The expression <{text}> is not a valid type specification."),
        )),
    }
}

/// A parser of types and of the literals that are their parameters.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    resolve: &'a dyn Fn(&str) -> Option<Type>,
}

impl<'a> Parser<'a> {
    /// Creates a parser at the start of a text.
    pub fn new(text: &'a str, resolve: &'a dyn Fn(&str) -> Option<Type>) -> Parser<'a> {
        Parser { text, at: 0, resolve }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a token if it comes next.
    pub fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Fails unless the text is at its end.
    pub fn expect_end(&mut self) -> Result<(), Error> {
        self.skip_space();
        if self.rest().is_empty() { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.take(token) { Ok(()) } else { Err(self.syntax_error()) }
    }

    /// The error at the next character.
    pub fn syntax_error(&self) -> Error {
        let message = match self.rest().trim_start().chars().next() {
            Some(c) => format!("Syntax error at '{c}'"),
            None => "Syntax error at end of input".to_owned(),
        };
        Error::new(ErrorKind::Syntax, message)
    }

    /// Takes a word: letters, digits, underscores and double colons.
    pub fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let mut end = 0;
        while let Some(c) = rest[end..].chars().next() {
            if c.is_alphanumeric() || c == '_' {
                end += c.len_utf8();
            } else if rest[end..].starts_with("::") {
                end += 2;
            } else {
                break;
            }
        }
        self.at += end;
        &rest[..end]
    }

    /// Parses a type or a literal.
    pub fn value(&mut self) -> Result<Value, Error> {
        with_stack(|| self.step())
    }

    fn step(&mut self) -> Result<Value, Error> {
        self.skip_space();
        match self.rest().chars().next() {
            Some('[') => {
                self.at += 1;
                Ok(Value::array(self.list("]")?))
            }
            Some('{') => self.hash(),
            Some('\'') => self.single_quoted(),
            Some('"') => self.double_quoted(),
            Some('/') => self.regexp(),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            Some(c) if c.is_ascii_uppercase() => self.type_name(),
            Some(c) if c.is_ascii_lowercase() || c == '_' => Ok(match self.word() {
                "true" => Value::Boolean(true),
                "false" => Value::Boolean(false),
                "undef" => Value::Undef,
                "default" => Value::Default,
                word => word.into(),
            }),
            _ => Err(self.syntax_error()),
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Value>, Error> {
        let mut values = Vec::new();
        while !self.take(end) {
            values.push(self.value()?);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(values)
    }

    fn hash(&mut self) -> Result<Value, Error> {
        self.expect("{")?;
        let mut entries = Hash::default();
        while !self.take("}") {
            let key = self.value()?;
            self.expect("=>")?;
            let value = self.value()?;
            entries.insert(key, value);
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Value::hash(entries))
    }

    fn type_name(&mut self) -> Result<Value, Error> {
        let name = self.word();
        let ty = named(name).or_else(|| (self.resolve)(name)).unwrap_or_else(|| Type::Reference(name.into()));
        let mut value = Value::Type(ty);
        while self.rest().starts_with('[') {
            self.at += 1;
            let arguments = self.list("]")?;
            if arguments.is_empty() {
                return Err(Error::new(ErrorKind::Syntax, "Syntax error at ']'"));
            }
            if let Value::Type(ty) = &value {
                value = Value::Type(match ty {
                    Type::Reference(_) => ty.clone(),
                    ty => parametrize(ty, &arguments)?,
                });
            }
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Error> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(sign);
        if whole == 0 {
            return Err(self.syntax_error());
        }
        let mut end = sign + whole;
        let mut is_float = false;
        if rest[end..].starts_with('.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
            is_float = true;
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['-', '+']));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
                is_float = true;
            }
        }
        let text = &rest[..end];
        let value = if is_float {
            text.parse::<f64>().ok().filter(|f| f.is_finite()).map(Value::from)
        } else {
            text.parse::<i64>().ok().map(Value::Integer)
        };
        let value = value.ok_or_else(|| self.syntax_error())?;
        self.at += end;
        Ok(value)
    }

    fn single_quoted(&mut self) -> Result<Value, Error> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += at + 1;
                    return Ok(out.into());
                }
                '\\' if matches!(chars.peek(), Some((_, '\'' | '\\'))) => {
                    out.extend(chars.next().map(|(_, c)| c));
                }
                c => out.push(c),
            }
        }
        Err(Error::new(ErrorKind::Conversion, "Unclosed quote"))
    }

    fn double_quoted(&mut self) -> Result<Value, Error> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(out.into());
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('s') => out.push(' '),
                    Some('u') => {
                        let digits: String = chars
                            .by_ref()
                            .skip_while(|(_, c)| *c == '{')
                            .map(|(_, c)| c)
                            .take_while(|c| *c != '}')
                            .collect();
                        out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                    }
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err(Error::new(ErrorKind::Conversion, "Unclosed quote"))
    }

    fn regexp(&mut self) -> Result<Value, Error> {
        let mut source = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '/' => {
                    self.at += at + 1;
                    return Ok(Value::Regexp(Regexp::new(source)));
                }
                '\\' => match chars.next() {
                    Some((_, '/')) => source.push('/'),
                    Some((_, c)) => source.extend(['\\', c]),
                    None => break,
                },
                c => source.push(c),
            }
        }
        Err(Error::new(ErrorKind::Conversion, "Unclosed regular expression"))
    }
}
