//! The formats of `String.new(value, format)` (spec 07 §5.6).

use crate::assignable::is_assignable;
use crate::directive::Directive;
use crate::error::{Error, ErrorKind};
use crate::infer::infer;
use crate::instance::is_instance;
use crate::stack::with_stack;
use crate::text::{float_text, interpolate, quote, ruby_inspect, source_form};
use crate::types::Type;
use crate::value::{Hash, Value};

/// A format such as `%#8.3x`, and what else a container may have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Format {
    directive: Directive,
    /// The opening delimiter of a container: `[`, `{`, `(`, `<`, `|`.
    delimiter: Option<char>,
    conversion: char,
    text: String,
    separator: Option<String>,
    separator2: Option<String>,
    /// The formats of the elements.
    elements: Vec<(Type, Format)>,
}

/// The formats that a call gives, by the types of values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formats {
    by_type: Vec<(Type, Format)>,
}

impl Format {
    /// Reads a format.
    pub fn parse(text: &str) -> Result<Format, Error> {
        let invalid = || {
            let message =
                format!("The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'");
            Error::new(ErrorKind::Conversion, message)
        };
        let body = text.strip_prefix('%').ok_or_else(invalid)?;
        let flags_end = body.find(|c: char| !" [+#0{<(|-".contains(c)).ok_or_else(invalid)?;
        let (flags, rest) = body.split_at(flags_end);
        let mut format = Format { text: text.to_owned(), ..Format::default() };
        for (at, flag) in flags.char_indices() {
            if flags[..at].contains(flag) {
                let message = format!("The same flag can only be used once, got '{text}'");
                return Err(Error::new(ErrorKind::Conversion, message));
            }
            match flag {
                '-' => format.directive.left = true,
                '+' => format.directive.plus = true,
                ' ' => format.directive.space = true,
                '0' => format.directive.zero = true,
                '#' => format.directive.alternate = true,
                delimiter => {
                    if format.delimiter.is_some() {
                        let message = format!(
                            "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
                        );
                        return Err(Error::new(ErrorKind::Conversion, message));
                    }
                    format.delimiter = Some(delimiter);
                }
            }
        }
        let conversion = rest.chars().last().filter(char::is_ascii_alphabetic).ok_or_else(invalid)?;
        let numbers = &rest[..rest.len() - 1];
        let (width, precision) = match numbers.split_once('.') {
            Some((width, precision)) => (width, Some(precision)),
            None => (numbers, None),
        };
        let number = |digits: &str| -> Result<usize, Error> {
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                digits.parse().map_err(|_| invalid())
            } else {
                Err(invalid())
            }
        };
        format.conversion = conversion;
        format.directive.width = if width.is_empty() { None } else { Some(number(width)?) };
        format.directive.precision = precision.map(number).transpose()?;
        format.directive.check()?;
        Ok(format)
    }

    fn default_of(value: &Value) -> Format {
        let conversion = match value {
            Value::Float(_) => 'f',
            Value::Binary(_) => 'B',
            _ => 's',
        };
        Format { conversion, ..Format::default() }
    }

    fn in_container() -> Format {
        Format { conversion: 'p', ..Format::default() }
    }

    fn illegal(&self, kind: &str, characters: &str) -> Error {
        Error::new(
            ErrorKind::Conversion,
            format!(
                "Illegal format '{}' specified for value of {kind} type - expected one of the characters '{characters}'",
                self.conversion
            ),
        )
    }

    /// Quotes a text if the format has `#`.
    fn quoted(&self, text: &str) -> String {
        if self.directive.alternate { ruby_inspect(&text.into()) } else { text.to_owned() }
    }
}

impl Formats {
    /// Reads the argument of a constructor: `default`, a format for the value, or a hash by types.
    pub fn parse(argument: Option<&Value>, value: &Value) -> Result<Formats, Error> {
        match argument {
            Some(Value::String(text)) => {
                let ty = match value {
                    Value::Array(_) | Value::Iterator(_) => Type::array(Type::Any, None),
                    Value::Hash(_) => Type::hash(Type::Any, Type::Any, None),
                    other => crate::infer::generalize(&infer(other)),
                };
                Ok(Formats { by_type: vec![(ty, Format::parse(text)?)] })
            }
            Some(Value::Hash(entries)) => Ok(Formats { by_type: parse_map(entries)? }),
            _ => Ok(Formats::default()),
        }
    }
}

fn parse_map(entries: &Hash) -> Result<Vec<(Type, Format)>, Error> {
    let mut formats = Vec::new();
    for (ty, format) in entries {
        let Value::Type(ty) = ty else { continue };
        let format = match format {
            Value::String(text) => Format::parse(text)?,
            Value::Hash(options) => parse_options(options)?,
            _ => continue,
        };
        formats.push((ty.clone(), format));
    }
    Ok(formats)
}

fn parse_options(options: &Hash) -> Result<Format, Error> {
    let option = |name: &str| options.get(&Value::from(name));
    let mut format = match option("format") {
        Some(Value::String(text)) => Format::parse(text)?,
        _ => Format::in_container(),
    };
    let text = |name: &str| match option(name) {
        Some(Value::String(text)) => Some(text.to_string()),
        _ => None,
    };
    format.separator = text("separator");
    format.separator2 = text("separator2");
    if let Some(Value::Hash(elements)) = option("string_formats") {
        format.elements = parse_map(elements)?;
    }
    Ok(format)
}

/// Returns the format of the narrowest type that has the value.
fn find<'a>(formats: &'a [(Type, Format)], value: &Value) -> Option<&'a Format> {
    let mut best: Option<&(Type, Format)> = None;
    for entry in formats.iter().filter(|(candidate, _)| is_instance(candidate, value)) {
        if best.is_none_or(|best| is_assignable(&best.0, &entry.0)) {
            best = Some(entry);
        }
    }
    best.map(|(_, format)| format)
}

/// Formats a value.
///
/// # Errors
/// A format that the kind of value does not have.
pub(crate) fn format_value(value: &Value, formats: &Formats) -> Result<String, Error> {
    let default = Format::default_of(value);
    let format = find(&formats.by_type, value).unwrap_or(&default);
    let mut out = String::new();
    Formatter { formats }.push(&mut out, value, format, 0)?;
    Ok(out)
}

/// Containers nested more deeply cannot be indented: the spaces would be most of the text.
const MAX_INDENTED_LEVELS: usize = 1000;

struct Formatter<'a> {
    formats: &'a Formats,
}

impl Formatter<'_> {
    fn push(&self, out: &mut String, value: &Value, format: &Format, level: usize) -> Result<(), Error> {
        if format.directive.alternate && level > MAX_INDENTED_LEVELS {
            let message = format!("cannot indent more than {MAX_INDENTED_LEVELS} nested levels");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        match value {
            Value::Array(elements) => with_stack(|| self.array(out, elements, format, level)),
            Value::Iterator(iterator) => with_stack(|| self.array(out, iterator.all(), format, level)),
            Value::Hash(entries) => with_stack(|| self.hash(out, entries, format, level)),
            single => {
                out.push_str(&single_value(single, format)?);
                Ok(())
            }
        }
    }
    /// Formats an element: by a format of its container, or if it is a container by one that the call gives.
    fn element(&self, out: &mut String, value: &Value, container: &Format, level: usize) -> Result<(), Error> {
        let is_container = matches!(value, Value::Array(_) | Value::Hash(_));
        let found = if is_container { find(&self.formats.by_type, value) } else { None };
        let found = found.or_else(|| find(&container.elements, value));
        match found {
            Some(format) => self.push(out, value, format, level),
            None if is_container => {
                let format = Format { elements: container.elements.clone(), ..Format::in_container() };
                self.push(out, value, &format, level)
            }
            None => self.push(out, value, &Format::in_container(), level),
        }
    }

    fn array(&self, out: &mut String, elements: &[Value], format: &Format, level: usize) -> Result<(), Error> {
        if !"asp".contains(format.conversion) {
            return Err(format.illegal("Array", "asp"));
        }
        let separator = format.separator.as_deref().unwrap_or(",");
        let has_separator = format.separator.is_some();
        let (open, close) = delimiters(format, '[');
        out.push_str(open);
        for (at, element) in elements.iter().enumerate() {
            let is_container = matches!(element, Value::Array(_) | Value::Hash(_));
            if at > 0 {
                out.push_str(separator);
            }
            if format.directive.alternate && is_container {
                push_indentation(out, level + 1);
            } else if at > 0 && !has_separator {
                out.push(' ');
            }
            self.element(out, element, format, level + 1)?;
        }
        out.push_str(close);
        Ok(())
    }

    fn hash(&self, out: &mut String, entries: &Hash, format: &Format, level: usize) -> Result<(), Error> {
        match format.conversion {
            'h' | 's' | 'p' => {}
            'a' => {
                let pairs = entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect();
                let pairs = Value::array(pairs);
                let default = Format::in_container();
                let format = find(&self.formats.by_type, &pairs).unwrap_or(&default);
                return self.push(out, &pairs, format, level);
            }
            _ => return Err(format.illegal("Hash", "hasp")),
        }
        let alternate = format.directive.alternate;
        let separator = format.separator.clone().unwrap_or_else(|| if alternate { "," } else { ", " }.to_owned());
        let arrow = format.separator2.as_deref().unwrap_or(" => ");
        let (open, close) = delimiters(format, '{');
        out.push_str(open);
        for (at, (key, value)) in entries.iter().enumerate() {
            if at > 0 {
                out.push_str(&separator);
            }
            if alternate {
                push_indentation(out, level + 1);
            }
            self.element(out, key, format, level + 1)?;
            out.push_str(arrow);
            self.element(out, value, format, level + 1)?;
        }
        if alternate {
            if entries.is_empty() {
                out.push('\n');
            }
            push_indentation(out, level);
        }
        out.push_str(close);
        Ok(())
    }
}

/// Formats what is not a container.
fn single_value(value: &Value, format: &Format) -> Result<String, Error> {
    let directive = &format.directive;
    match value {
        Value::Array(_) | Value::Hash(_) | Value::Iterator(_) => Ok(source_form(value)),
        Value::Integer(integer) => integer_text(*integer, format),
        Value::Float(float) => float_format(float.0, format),
        Value::Boolean(value) => boolean(*value, format),
        Value::String(text) => string(text, format),
        Value::Undef => undef(format),
        Value::Default => match format.conversion {
            'd' | 's' | 'p' => Ok(directive.text(&format.quoted("default"))),
            'D' => Ok(directive.text(&format.quoted("Default"))),
            _ => Err(format.illegal("Default", "dDsp")),
        },
        Value::Regexp(regexp) => match format.conversion {
            's' if directive.alternate => Ok(directive.text(&quote(regexp.source()))),
            's' => Ok(directive.text(regexp.source())),
            'p' => Ok(directive.text(&regexp.literal())),
            _ => Err(format.illegal("Regexp", "sp")),
        },
        Value::Type(ty) => match format.conversion {
            's' => Ok(directive.text(&format.quoted(&ty.to_string()))),
            'p' => Ok(directive.text(&ty.to_string())),
            _ => Err(format.illegal("Type", "sp")),
        },
        Value::Uri(uri) => match format.conversion {
            's' if directive.alternate => Ok(directive.text(&quote(&uri.source))),
            's' => Ok(directive.text(&uri.source)),
            'p' => Ok(directive.text(&source_form(value))),
            _ => Err(format.illegal("URI", "sp")),
        },
        Value::Binary(bytes) => binary(bytes, value, format),
        Value::Deferred(_) | Value::Error(_) | Value::Object(_) => match format.conversion {
            'p' if directive.alternate => Ok(object_lines(value)),
            's' | 'p' | 'q' => Ok(interpolate(value)),
            _ => Err(format.illegal("Object", "spq")),
        },
        Value::SemVerRange(range) if format.conversion == 'p' => Ok(directive.text(&range.normal_form())),
        Value::Sensitive(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_) | Value::SemVerRange(_) => {
            match format.conversion {
                's' => Ok(directive.text(&interpolate(value))),
                'p' => Ok(directive.text(&source_form(value))),
                _ => crate::format::sprintf(&format.text, std::slice::from_ref(value)),
            }
        }
    }
}

/// Returns an object with a line for each of its attributes.
fn object_lines(value: &Value) -> String {
    let (name, attributes) = match value {
        Value::Deferred(deferred) => ("Deferred", deferred.attributes()),
        Value::Error(error) => ("Error", error.attributes()),
        Value::Object(object) => (object.ty.label(), object.given()),
        other => return interpolate(other),
    };
    let lines = attributes.iter().map(|(name, value)| format!("\n  {} => {}", source_form(name), source_form(value)));
    format!("{name}({{{}\n}})", lines.collect::<Vec<String>>().join(","))
}

fn push_indentation(out: &mut String, level: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(level));
}

fn delimiters(format: &Format, default: char) -> (&'static str, &'static str) {
    if format.directive.space && format.delimiter.is_none() {
        return ("", "");
    }
    match format.delimiter.unwrap_or(default) {
        '{' => ("{", "}"),
        '(' => ("(", ")"),
        '<' => ("<", ">"),
        '|' => ("|", "|"),
        _ => ("[", "]"),
    }
}

/// Formats a number by a conversion that Ruby's `format` has, too. A delimiter makes no sense there.
fn number(format: &Format, integer: Option<i64>, float: f64) -> Result<String, Error> {
    if let Some(delimiter) = format.delimiter {
        return Err(Error::new(ErrorKind::Conversion, format!("malformed format string - %{delimiter}")));
    }
    Ok(match format.conversion {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => {
            let integer = integer.map_or(float.trunc() as i128, i128::from);
            format.directive.integer(integer, format.conversion)
        }
        conversion => format.directive.float(float, conversion),
    })
}

fn integer_text(integer: i64, format: &Format) -> Result<String, Error> {
    let directive = &format.directive;
    match format.conversion {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            number(format, Some(integer), integer as f64)
        }
        's' => Ok(directive.text(&format.quoted(&integer.to_string()))),
        'p' => Ok(Directive { alternate: false, ..*directive }.integer(i128::from(integer), 'd')),
        'c' => {
            let c = u32::try_from(integer).ok().and_then(char::from_u32);
            let c = c.ok_or_else(|| Error::new(ErrorKind::Conversion, "pack(U): value out of range"))?;
            Ok(directive.fill(&format.quoted(&c.to_string())))
        }
        _ => Err(format.illegal("Integer", "dxXobBeEfgGaAspc")),
    }
}

fn float_format(float: f64, format: &Format) -> Result<String, Error> {
    match format.conversion {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => number(format, None, float),
        's' => Ok(format.directive.text(&format.quoted(&float_text(float)))),
        'p' => Ok(format.directive.fill(&float_text(float))),
        _ => Err(format.illegal("Float", "dxXobBeEfgGaAsp")),
    }
}

fn boolean(value: bool, format: &Format) -> Result<String, Error> {
    let word = |yes: &'static str, no: &'static str| {
        let word = if value { yes } else { no };
        let word = if format.directive.alternate { &word[..1] } else { word };
        Ok(format.directive.text(word))
    };
    match format.conversion {
        't' => word("true", "false"),
        'T' => word("True", "False"),
        'y' => word("yes", "no"),
        'Y' => word("Yes", "No"),
        's' | 'p' => Ok(format.directive.text(if value { "true" } else { "false" })),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            number(format, Some(i64::from(value)), f64::from(u8::from(value)))
        }
        _ => Err(format.illegal("Boolean", "tTyYdxXobBeEfgGaAsp")),
    }
}

fn undef(format: &Format) -> Result<String, Error> {
    let alternate = format.directive.alternate;
    let text = match format.conversion {
        'n' if alternate => "null",
        'n' => "nil",
        'u' if alternate => "undefined",
        'u' => "undef",
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => "NaN",
        'v' => "n/a",
        'V' => "N/A",
        's' if alternate => "\"\"",
        's' => "",
        'p' if alternate => "\"undef\"",
        'p' => "undef",
        _ => return Err(format.illegal("Undef", "nudxXobBeEfgGaAvVsp")),
    };
    Ok(format.directive.text(text))
}

fn string(text: &str, format: &Format) -> Result<String, Error> {
    let directive = &format.directive;
    let capitalized = |text: &str| {
        let mut chars = text.chars();
        let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        first + &chars.as_str().to_lowercase()
    };
    let changed = match format.conversion {
        's' => return Ok(directive.text(text)),
        'p' if directive.alternate => return Ok(directive.text(&ruby_inspect(&text.into()))),
        'p' => return Ok(directive.text(&quote(text))),
        'c' => capitalized(text),
        'C' => text.split("::").map(capitalized).collect::<Vec<String>>().join("::"),
        'u' => text.to_uppercase(),
        'd' => text.to_lowercase(),
        't' => text.trim().to_owned(),
        _ => return Err(format.illegal("String", "cCudspt")),
    };
    Ok(directive.text(&if directive.alternate { quote(&changed) } else { changed }))
}

fn binary(bytes: &[u8], value: &Value, format: &Format) -> Result<String, Error> {
    let text = match format.conversion {
        's' => match std::str::from_utf8(bytes) {
            Ok(text) => format.quoted(text),
            Err(_) => {
                let message = "the bytes are not valid UTF-8";
                return Err(Error::new(ErrorKind::Conversion, message).help("use the format '%B' for base64"));
            }
        },
        'p' => source_form(value),
        'b' => format.quoted(&crate::binary::encode_lines(bytes)),
        'B' => format.quoted(&crate::binary::encode_base64(bytes)),
        'u' => format.quoted(&crate::binary::encode_url(bytes)),
        't' => format.quoted("Binary"),
        'T' => format.quoted("BINARY"),
        _ => return Err(format.illegal("Binary", "bButTsp")),
    };
    Ok(format.directive.text(&text))
}
