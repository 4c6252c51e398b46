//! `sprintf` as Ruby's `format` (spec 07 §5.11).

use std::iter::Peekable;
use std::str::CharIndices;

use crate::directive::Directive;
use crate::error::{Error, ErrorKind};
use crate::number::split_radix;
use crate::stack::with_stack;
use crate::text::{ruby_inspect, ruby_text};
use crate::value::Value;

/// The longest string that formatting gives: a directive of a few characters can stand for many.
const MAX_LENGTH: usize = 32 << 20;

/// An argument of `format`.
#[derive(Clone, Debug)]
pub enum FormatArgument {
    /// A value of Puppet.
    Value(Value),
    /// An object of a class that Puppet has no values of.
    Foreign(Foreign),
    /// A hash with such objects.
    Hash(Vec<(String, FormatArgument)>, Foreign),
}

/// What `format` shows of an object of Ruby.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The name of its class.
    pub class: &'static str,
    /// The text of `%s`.
    pub text: String,
    /// The text of `%p`.
    pub inspected: String,
}

/// Formats as Ruby's `format` does: `%d`, `%-5s`, `%<key>s`, `%{key}`.
///
/// # Errors
/// A malformed format, a result that is too long, or an argument that is missing or of the wrong kind.
pub fn sprintf(format: &str, arguments: &[Value]) -> Result<String, Error> {
    let arguments: Vec<FormatArgument> = arguments.iter().map(|value| FormatArgument::Value(as_data(value))).collect();
    sprintf_arguments(format, &arguments)
}

/// Formats as [`sprintf`] does, with arguments that may be objects of Ruby. Values have nothing in them that Ruby has no
/// literal for.
///
/// # Errors
/// Those of [`sprintf`].
pub fn sprintf_arguments(format: &str, arguments: &[FormatArgument]) -> Result<String, Error> {
    let mut formatter = Formatter { format, chars: format.char_indices().peekable(), arguments, next: 0 };
    let mut out = String::with_capacity(format.len());
    while let Some((_, c)) = formatter.chars.next() {
        if c == '%' {
            formatter.directive(&mut out)?
        } else {
            out.push(c)
        }
        if out.len() > MAX_LENGTH {
            return Err(Error::new(ErrorKind::Limit, "the formatted string is too long"));
        }
    }
    Ok(out)
}

/// Returns a value as the function gets it: what Ruby has no literal for is a string, also within arrays and hashes.
fn as_data(value: &Value) -> Value {
    match value {
        Value::Array(elements) => Value::array(with_stack(|| elements.iter().map(as_data).collect())),
        Value::Hash(entries) => {
            Value::hash(with_stack(|| entries.iter().map(|(key, value)| (as_data(key), as_data(value))).collect()))
        }
        Value::Regexp(_)
        | Value::Timestamp(_)
        | Value::Timespan(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_) => Value::string(ruby_text(value)),
        other => other.clone(),
    }
}

fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Conversion, message)
}

struct Formatter<'a> {
    format: &'a str,
    chars: Peekable<CharIndices<'a>>,
    arguments: &'a [FormatArgument],
    /// The index of the next argument.
    next: usize,
}

impl<'a> Formatter<'a> {
    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn argument(&mut self) -> Result<Shown<'a>, Error> {
        let argument = self.arguments.get(self.next).ok_or_else(|| error("too few arguments"))?;
        self.next += 1;
        Ok(Shown::of(argument))
    }

    fn number(&mut self) -> Result<usize, Error> {
        let mut number: usize = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit as usize);
            self.chars.next();
        }
        if self.peek().is_none() {
            return Err(error("malformed format string - %*[0-9]"));
        }
        if number > i32::MAX as usize { Err(error("width too big")) } else { Ok(number) }
    }

    /// Reads a name up to `end`, and returns its value.
    fn named(&mut self, end: char) -> Result<Shown<'a>, Error> {
        let start = self.chars.peek().map_or(self.format.len(), |(at, _)| *at);
        let stop = loop {
            match self.chars.next() {
                Some((at, c)) if c == end => break at,
                Some(_) => {}
                None => return Err(error("malformed name - unmatched parenthesis")),
            }
        };
        let name = &self.format[start..stop];
        let found = match self.arguments {
            [FormatArgument::Value(Value::Hash(entries))] => entries.get(&Value::from(name)).map(Shown::Value),
            [FormatArgument::Hash(entries, _)] => {
                entries.iter().find(|(key, _)| key == name).map(|(_, argument)| Shown::of(argument))
            }
            _ => return Err(error("one hash required")),
        };
        let (open, close) = if end == '>' { ('<', '>') } else { ('{', '}') };
        found.ok_or_else(|| error(format!("key{open}{name}{close} not found")))
    }

    fn width_argument(&mut self) -> Result<i64, Error> {
        match self.argument()?.value("Integer")? {
            Value::Integer(width) if width.unsigned_abs() <= i32::MAX.unsigned_abs().into() => Ok(*width),
            Value::Integer(_) => Err(error("width too big")),
            other => integer_of(other).map(|width| i64::try_from(width).unwrap_or(i64::MAX)),
        }
    }

    fn directive(&mut self, out: &mut String) -> Result<(), Error> {
        let mut directive = Directive::default();
        let mut value: Option<Shown<'a>> = None;
        loop {
            let Some(c) = self.peek() else {
                return Err(error("incomplete format specifier; use %% (double %) instead"));
            };
            match c {
                '-' => directive.left = true,
                '+' => directive.plus = true,
                ' ' => directive.space = true,
                '0' => directive.zero = true,
                '#' => directive.alternate = true,
                '1'..='9' => {
                    let number = self.number()?;
                    if self.peek() == Some('$') {
                        self.chars.next();
                        let argument = self.arguments.get(number - 1).ok_or_else(|| error("too few arguments"))?;
                        value = Some(Shown::of(argument));
                    } else {
                        directive.width = Some(number);
                    }
                    continue;
                }
                '*' => {
                    self.chars.next();
                    let width = self.width_argument()?;
                    directive.left |= width < 0;
                    directive.width = usize::try_from(width.unsigned_abs()).ok();
                    continue;
                }
                '.' => {
                    self.chars.next();
                    if self.peek() == Some('*') {
                        self.chars.next();
                        let precision = self.width_argument()?;
                        directive.precision = usize::try_from(precision).ok();
                    } else {
                        directive.precision = Some(self.number()?);
                    }
                    continue;
                }
                '<' => {
                    self.chars.next();
                    value = Some(self.named('>')?);
                    continue;
                }
                '{' => {
                    self.chars.next();
                    directive.check()?;
                    let text = self.named('}')?.text();
                    out.push_str(&directive.text(&text));
                    return Ok(());
                }
                _ => break,
            }
            self.chars.next();
        }
        directive.check()?;
        let Some((_, conversion)) = self.chars.next() else { return Ok(()) };
        if matches!(conversion, '%' | '\n' | '\0') {
            if directive != Directive::default() {
                return Err(error(format!("invalid format character - {conversion}")));
            }
            out.push('%');
            if conversion != '%' {
                out.push(conversion);
            }
            return Ok(());
        }
        if !"diuxXobBfeEgGaAspc".contains(conversion) {
            return Err(error(format!("malformed format string - %{conversion}")));
        }
        let value = match value {
            Some(value) => value,
            None => self.argument()?,
        };
        out.push_str(&convert(&directive, conversion, value)?);
        Ok(())
    }
}

/// An argument that a directive means.
#[derive(Clone, Copy)]
enum Shown<'a> {
    Value(&'a Value),
    Foreign(&'a Foreign),
}

impl<'a> Shown<'a> {
    fn of(argument: &'a FormatArgument) -> Shown<'a> {
        match argument {
            FormatArgument::Value(value) => Shown::Value(value),
            FormatArgument::Foreign(foreign) | FormatArgument::Hash(_, foreign) => Shown::Foreign(foreign),
        }
    }

    fn text(self) -> String {
        match self {
            Shown::Value(value) => ruby_text(value),
            Shown::Foreign(foreign) => foreign.text.clone(),
        }
    }

    /// Returns the value, for a directive that shows a number.
    fn value(self, class: &str) -> Result<&'a Value, Error> {
        match self {
            Shown::Value(value) => Ok(value),
            Shown::Foreign(foreign) => Err(error(format!("can't convert {} into {class}", foreign.class))),
        }
    }
}

/// Returns the character with a code. Ruby makes strings that are not Unicode of surrogates, -1 and -2.
fn character(code: i128) -> Result<char, Error> {
    let is_no_text = matches!(code, -2 | -1 | 0xd800..=0xdfff);
    let found = u32::try_from(code).ok().and_then(char::from_u32);
    found.ok_or_else(|| {
        if is_no_text {
            Error::new(ErrorKind::Unavailable, format!("%c of {code} is not a character of Unicode"))
        } else {
            error("invalid character")
        }
    })
}

fn convert(directive: &Directive, conversion: char, shown: Shown<'_>) -> Result<String, Error> {
    Ok(match conversion {
        's' => directive.text(&shown.text()),
        'p' => directive.text(&match shown {
            Shown::Value(value) => ruby_inspect(value),
            Shown::Foreign(foreign) => foreign.inspected.clone(),
        }),
        'c' => {
            let value = match shown {
                Shown::Value(value) => value,
                Shown::Foreign(Foreign { class, .. }) => {
                    return Err(error(format!("no implicit conversion of {class} into Integer")));
                }
            };
            let c = match value {
                Value::String(text) => {
                    let mut chars = text.chars();
                    chars.next().filter(|_| chars.next().is_none()).ok_or_else(|| error("%c requires a character"))?
                }
                other => character(code_of(other)?)?,
            };
            directive.fill(&c.to_string())
        }
        'd' | 'i' | 'u' => directive.integer(integer_of(shown.value("Integer")?)?, 'd'),
        'x' | 'X' | 'o' | 'b' | 'B' => directive.integer(integer_of(shown.value("Integer")?)?, conversion),
        _ => directive.float(float_of(shown.value("Float")?)?, conversion),
    })
}

/// Returns how messages about conversions name a value.
fn conversion_name(value: &Value) -> &str {
    match value {
        Value::Undef => "nil",
        Value::Boolean(true) => "true",
        Value::Boolean(false) => "false",
        other => crate::describe::class_name(other),
    }
}

fn cannot_convert(value: &Value, kind: &str) -> Error {
    error(format!("can't convert {} into {kind}", conversion_name(value)))
}

/// Returns the code of a character.
fn code_of(value: &Value) -> Result<i128, Error> {
    match value {
        Value::Undef => Err(error("no implicit conversion from nil to integer")),
        Value::Float(float) if !(-9.3e18..9.3e18).contains(&float.0) => {
            Err(error(format!("float {} out of range of integer", short_float(float.0))))
        }
        Value::Integer(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) => integer_of(value),
        other => Err(error(format!("no implicit conversion of {} into Integer", conversion_name(other)))),
    }
}

/// Writes a float as C's `%g` does, with which Ruby makes some messages.
fn short_float(float: f64) -> String {
    if float.is_nan() { "NaN".to_owned() } else { Directive::default().float(float, 'g') }
}

/// Converts an argument to an integer as Ruby's `Integer()` does.
fn integer_of(value: &Value) -> Result<i128, Error> {
    match value {
        Value::Integer(integer) => Ok(i128::from(*integer)),
        Value::Float(float) if float.0.is_nan() => Err(error("NaN")),
        Value::Float(float) if float.0.is_infinite() => Err(error(crate::text::float_text(float.0))),
        Value::Float(float) => Ok(float.0.trunc() as i128),
        Value::String(text) => {
            ruby_integer(text).ok_or_else(|| error(format!("invalid value for Integer(): {}", ruby_inspect(value))))
        }
        Value::Timestamp(time) => Ok(time.0.div_euclid(crate::time::NANOSECONDS)),
        Value::Timespan(span) => Ok(span.0.div_euclid(crate::time::NANOSECONDS)),
        other => Err(cannot_convert(other, "Integer")),
    }
}

/// Reads an integer as Ruby does: underscores between digits, and the prefixes of radixes.
fn ruby_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lone_underscore = unsigned.starts_with('_') || unsigned.ends_with('_') || unsigned.contains("__");
    let plain = unsigned.replace('_', "");
    let (radix, digits) = match plain.strip_prefix("0o").or(plain.strip_prefix("0O")) {
        Some(digits) => (8, digits),
        None => split_radix(&plain).unwrap_or((10, plain.as_str())),
    };
    if lone_underscore || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}

/// Shows a string by its bytes, as Ruby does where it reads it by them.
fn bytes_text(text: &str) -> String {
    let mut shown = ruby_inspect(&text.into());
    if !text.is_ascii() {
        let byte = |c: char| {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().map(|byte| format!("\\x{byte:02X}")).collect::<String>()
        };
        shown = shown.chars().map(|c| if c.is_ascii() { c.to_string() } else { byte(c) }).collect();
    }
    shown
}

fn float_of(value: &Value) -> Result<f64, Error> {
    match value {
        Value::Integer(integer) => Ok(*integer as f64),
        Value::Float(float) => Ok(float.0),
        Value::String(text) => {
            let plain = text.trim().replace('_', "");
            let starts_with_digit = plain.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
            let parsed = if starts_with_digit && !plain.ends_with('.') { plain.parse::<f64>().ok() } else { None };
            let hexadecimal =
                || ruby_integer(text).filter(|_| plain.contains(['x', 'X'])).map(|integer| integer as f64);
            parsed.or_else(hexadecimal).ok_or_else(|| error(format!("invalid value for Float(): {}", bytes_text(text))))
        }
        Value::Timestamp(time) => Ok(time.seconds()),
        Value::Timespan(span) => Ok(span.seconds()),
        other => Err(cannot_convert(other, "Float")),
    }
}
