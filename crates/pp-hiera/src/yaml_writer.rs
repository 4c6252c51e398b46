//! Values to YAML, as Ruby's Psych writes it over libyaml: block style, two spaces of indentation, lines folded at 80 columns,
//! and quotes only where a string would be read as something else.
//!
//! The style of a string is chosen twice. Psych looks at what the string means (a number, `yes`, punctuation at its start);
//! libyaml then looks at which styles can hold its characters.

use std::sync::Arc;

use pp_types::{Value, interpolate, with_stack};
use rustc_hash::FxHashMap;

use crate::yaml_scalar::{Scalar, resolve};

/// The longest key that needs no question mark before it, in bytes.
const MAX_SIMPLE_KEY: usize = 128;

/// How YAML is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlLayout {
    /// The spaces of one level.
    pub indentation: usize,
    /// The width of lines; `None` if lines are not folded.
    pub width: Option<usize>,
    /// Whether strings longer than a line are written as folded blocks.
    pub folds: bool,
}

impl Default for YamlLayout {
    fn default() -> YamlLayout {
        YamlLayout { indentation: 2, width: Some(80), folds: false }
    }
}

/// Returns a value as a document of YAML. An array or hash that occurs more than once is written once, with an anchor.
#[must_use]
pub fn to_yaml(value: &Value, layout: YamlLayout) -> String {
    let mut counts = FxHashMap::default();
    count_containers(value, &mut counts);
    let mut writer = Writer { text: "---".to_owned(), line_start: 0, layout, counts, anchors: FxHashMap::default() };
    let is_open = writer.node(value, None, Context::Root);
    if !writer.text.ends_with('\n') {
        writer.text.push('\n');
    }
    if is_open {
        writer.text.push_str("...\n");
    }
    writer.text
}

/// The identity of an array or a hash.
fn identity(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) => Some(Arc::as_ptr(values).cast::<u8>() as usize),
        Value::Hash(entries) => Some(Arc::as_ptr(entries).cast::<u8>() as usize),
        _ => None,
    }
}

/// Counts how often each array and hash occurs; what is inside is counted once.
fn count_containers(value: &Value, counts: &mut FxHashMap<usize, usize>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        let Some(identity) = identity(value) else { continue };
        let count = counts.entry(identity).or_default();
        *count += 1;
        if *count > 1 {
            continue;
        }
        match value {
            Value::Array(values) => pending.extend(values.iter()),
            Value::Hash(entries) => entries.iter().for_each(|(key, value)| pending.extend([key, value])),
            _ => {}
        }
    }
}

/// Where a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    /// After a dash, or after the question mark or colon of an explicit key: what follows starts on the same line.
    Compact,
    /// After a simple key.
    Entry,
}

struct Writer {
    text: String,
    /// Where the current line starts.
    line_start: usize,
    layout: YamlLayout,
    counts: FxHashMap<usize, usize>,
    anchors: FxHashMap<usize, usize>,
}

impl Writer {
    /// Writes a node after what it belongs to. `indent` is that of the containing collection. Returns whether the document
    /// needs an end.
    fn node(&mut self, value: &Value, indent: Option<usize>, context: Context) -> bool {
        let mut is_anchored = false;
        if let Some(identity) = identity(value) {
            if let Some(anchor) = self.anchors.get(&identity) {
                self.text.push_str(&format!(" *{anchor}"));
                return false;
            }
            if self.counts.get(&identity).is_some_and(|count| *count > 1) {
                let anchor = self.anchors.len() + 1;
                self.anchors.insert(identity, anchor);
                self.text.push_str(&format!(" &{anchor}"));
                is_anchored = true;
            }
        }
        match value {
            Value::Array(values) if values.is_empty() => self.text.push_str(" []"),
            Value::Hash(entries) if entries.is_empty() => self.text.push_str(" {}"),
            Value::Array(values) => {
                // The items of a key are not indented further than the key.
                let level = match (indent, context) {
                    (None, _) => 0,
                    (Some(indent), Context::Entry) => indent,
                    (Some(indent), _) => indent + self.layout.indentation,
                };
                let is_inline = context == Context::Compact && !is_anchored;
                for (at, value) in values.iter().enumerate() {
                    self.start(level, is_inline && at == 0);
                    self.text.push('-');
                    with_stack(|| self.node(value, Some(level), Context::Compact));
                }
            }
            Value::Hash(entries) => {
                let level = indent.map_or(0, |indent| indent + self.layout.indentation);
                let is_inline = context == Context::Compact && !is_anchored;
                for (at, (key, value)) in entries.iter().enumerate() {
                    self.start(level, is_inline && at == 0);
                    with_stack(|| self.entry(key, value, level));
                }
            }
            scalar => {
                return self.scalar(scalar, indent.map_or(self.layout.indentation, |i| i + self.layout.indentation));
            }
        }
        false
    }

    /// Starts an item: on the same line after its parent's dash, or on a new line.
    fn start(&mut self, level: usize, is_inline: bool) {
        if is_inline {
            // A wider indentation makes the dash wider, too.
            self.text.push(' ');
        } else {
            self.new_line(level);
        }
    }

    fn new_line(&mut self, indent: usize) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.line_start = self.text.len();
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn column(&self) -> usize {
        self.text[self.line_start..].chars().count()
    }

    fn is_too_wide(&self) -> bool {
        self.layout.width.is_some_and(|width| self.column() > width)
    }

    fn entry(&mut self, key: &Value, value: &Value, level: usize) {
        if let Some(simple) = self.simple_key(key) {
            self.text.push_str(&simple);
            self.text.push(':');
            self.node(value, Some(level), Context::Entry);
            return;
        }
        self.text.push('?');
        self.node(key, Some(level), Context::Compact);
        self.new_line(level);
        self.text.push(':');
        self.node(value, Some(level), Context::Compact);
    }

    /// Returns the text of a key that fits before a colon.
    fn simple_key(&self, key: &Value) -> Option<String> {
        match key {
            Value::Array(values) => values.is_empty().then(|| "[]".to_owned()),
            Value::Hash(entries) => entries.is_empty().then(|| "{}".to_owned()),
            Value::Undef => Some("! ''".to_owned()),
            key => {
                let (text, style, tag) = styled(key, &self.layout);
                let analysis = Analysis::of(&text);
                if analysis.has_breaks || text.len() > MAX_SIMPLE_KEY {
                    return None;
                }
                let mut flat = Writer {
                    text: String::new(),
                    line_start: 0,
                    layout: YamlLayout { width: None, ..self.layout },
                    counts: FxHashMap::default(),
                    anchors: FxHashMap::default(),
                };
                let style = if matches!(style, Style::Literal | Style::Folded) { Style::Double } else { style };
                let style = if tag.is_some() { Style::Single } else { style };
                flat.write(&text, style, &analysis, 0);
                let text = flat.text.trim_start().to_owned();
                Some(tag.map_or_else(|| text.clone(), |tag| format!("{tag} {text}")))
            }
        }
    }

    fn scalar(&mut self, value: &Value, indent: usize) -> bool {
        let (text, style, tag) = styled(value, &self.layout);
        if matches!(value, Value::Undef) {
            return false;
        }
        if let Some(tag) = tag {
            self.text.push(' ');
            self.text.push_str(tag);
        }
        self.write(&text, style, &Analysis::of(&text), indent)
    }

    /// Writes a string in a style, or in the next one that can hold it.
    fn write(&mut self, text: &str, style: Style, analysis: &Analysis, indent: usize) -> bool {
        let style = match style {
            Style::Plain if !analysis.plain => Style::Single,
            style => style,
        };
        let style = match style {
            Style::Single if !analysis.single => Style::Double,
            Style::Literal | Style::Folded if !analysis.block => Style::Double,
            style => style,
        };
        match style {
            Style::Plain => self.flowing(text, indent, None),
            Style::Single => self.flowing(text, indent, Some('\'')),
            Style::Double => self.double_quoted(text, indent),
            Style::Literal => return self.block(text, indent, '|'),
            Style::Folded => return self.block(text, indent, '>'),
        }
        false
    }

    /// Writes a plain or single-quoted string.
    fn flowing(&mut self, text: &str, indent: usize, quote: Option<char>) {
        self.text.push(' ');
        self.text.extend(quote);
        let (mut spaces, mut breaks) = (false, false);
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            if character == ' ' {
                let is_inside = quote.is_none() || (at > 0 && next.is_some());
                if !spaces && self.is_too_wide() && is_inside && next != Some(' ') {
                    self.new_line(indent);
                } else {
                    self.text.push(' ');
                }
                spaces = true;
            } else if is_break(character) {
                if !breaks && character == '\n' {
                    self.text.push('\n');
                }
                self.text.push(character);
                self.line_start = self.text.len();
                breaks = true;
            } else {
                if breaks {
                    self.indent(indent);
                }
                if character == '\'' && quote.is_some() {
                    self.text.push('\'');
                }
                self.text.push(character);
                (spaces, breaks) = (false, false);
            }
        }
        if breaks && quote.is_some() {
            self.indent(indent);
        }
        self.text.extend(quote);
    }

    fn indent(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn double_quoted(&mut self, text: &str, indent: usize) {
        self.text.push_str(" \"");
        let mut spaces = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            if character == ' ' {
                if !spaces && self.is_too_wide() && at > 0 && next.is_some() {
                    self.new_line(indent);
                    if next == Some(' ') {
                        self.text.push('\\');
                    }
                } else {
                    self.text.push(' ');
                }
                spaces = true;
                continue;
            }
            spaces = false;
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\0' => self.text.push_str("\\0"),
                '\u{7}' => self.text.push_str("\\a"),
                '\u{8}' => self.text.push_str("\\b"),
                '\t' => self.text.push_str("\\t"),
                '\n' => self.text.push_str("\\n"),
                '\u{b}' => self.text.push_str("\\v"),
                '\u{c}' => self.text.push_str("\\f"),
                '\r' => self.text.push_str("\\r"),
                '\u{1b}' => self.text.push_str("\\e"),
                '\u{85}' => self.text.push_str("\\N"),
                '\u{2028}' => self.text.push_str("\\L"),
                '\u{2029}' => self.text.push_str("\\P"),
                printable if is_printable(printable) => self.text.push(printable),
                other => {
                    let code = u32::from(other);
                    self.text.push_str(&match code {
                        0..=0xff => format!("\\x{code:02X}"),
                        0x100..=0xffff => format!("\\u{code:04X}"),
                        _ => format!("\\U{code:08X}"),
                    });
                }
            }
        }
        self.text.push('"');
    }

    /// Writes a literal or folded block. Returns whether blank lines at its end belong to it.
    fn block(&mut self, text: &str, indent: usize, indicator: char) -> bool {
        self.text.push(' ');
        self.text.push(indicator);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.text.push_str(&self.layout.indentation.to_string());
        }
        let mut from_end = text.chars().rev();
        let (last, before) = (from_end.next(), from_end.next());
        let is_open = last.is_some_and(is_break) && before.is_none_or(is_break);
        if !last.is_some_and(is_break) {
            self.text.push('-');
        } else if is_open {
            self.text.push('+');
        }
        self.text.push('\n');
        self.line_start = self.text.len();
        let (mut breaks, mut leading_spaces) = (true, true);
        let folds = indicator == '>';
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            if is_break(character) {
                let rest = characters.clone().find(|c| !is_break(*c));
                if folds
                    && !breaks
                    && !leading_spaces
                    && character == '\n'
                    && rest.is_some_and(|c| c != ' ' && c != '\t')
                {
                    self.text.push('\n');
                }
                self.text.push(character);
                self.line_start = self.text.len();
                breaks = true;
                continue;
            }
            if breaks {
                self.indent(indent);
                leading_spaces = character == ' ' || character == '\t';
            }
            let is_single_space = character == ' ' && characters.peek() != Some(&' ');
            if folds && !breaks && is_single_space && self.is_too_wide() {
                self.new_line(indent);
            } else {
                self.text.push(character);
            }
            breaks = false;
        }
        is_open
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// Returns the text of a scalar, the style that its meaning asks for, and its tag.
fn styled(value: &Value, layout: &YamlLayout) -> (String, Style, Option<&'static str>) {
    let text = match value {
        Value::String(text) => text.to_string(),
        Value::Undef => return (String::new(), Style::Plain, None),
        Value::Default => return (":default".to_owned(), Style::Plain, None),
        Value::Boolean(_) | Value::Integer(_) => return (interpolate(value), Style::Plain, None),
        Value::Float(float) => return (float_text(float.0), Style::Plain, None),
        Value::Regexp(regexp) => return (format!("/{}/", regexp.source()), Style::Plain, Some("!ruby/regexp")),
        other => interpolate(other),
    };
    let style = match &*text {
        "<<" => return (text, Style::Single, Some("!!str")),
        _ if text.match_indices('\n').any(|(at, _)| !matches!(&text[at + 1..], "" | "\n")) => Style::Literal,
        "y" | "n" => Style::Double,
        _ if layout.folds && layout.width.is_some_and(|width| text.chars().count() > width) => Style::Folded,
        _ if starts_with_punctuation(&text) => Style::Double,
        _ if !matches!(resolve(&text), Scalar::Value(Value::String(_))) || looks_octal(&text) => Style::Single,
        _ => Style::Plain,
    };
    (text, style, None)
}

/// The text of a float, which reads back as one.
fn float_text(float: f64) -> String {
    if float.is_nan() {
        ".nan".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { ".inf".to_owned() } else { "-.inf".to_owned() }
    } else {
        pp_types::float_text(float)
    }
}

/// Whether a line starts with what is not part of a word, and has no double quote after that.
fn starts_with_punctuation(text: &str) -> bool {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.into_iter().any(|start| {
        let mut characters = text[start..].chars();
        let Some(first) = characters.next() else { return false };
        let rest = characters.as_str().split('\n').next().unwrap_or_default();
        !(first.is_alphanumeric() || first == '_' || rest.contains('"'))
    })
}

/// Whether a text begins like `00.5` or `08`.
fn looks_octal(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('0') else { return false };
    let rest = rest.trim_start_matches(|c| matches!(c, '0'..='7'));
    match rest.strip_prefix('.') {
        Some(fraction) => fraction.starts_with(|c: char| c.is_ascii_digit()),
        None => rest.starts_with(['8', '9']),
    }
}

fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// Which styles can hold a string.
struct Analysis {
    plain: bool,
    single: bool,
    block: bool,
    has_breaks: bool,
}

impl Analysis {
    fn of(text: &str) -> Analysis {
        if text.is_empty() {
            return Analysis { plain: true, single: true, block: false, has_breaks: false };
        }
        let is_blank_or_end = |c: Option<char>| c.is_none_or(|c| c == ' ' || c == '\t' || is_break(c));
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut has_breaks, mut break_space, mut space_break) = (false, false, false, false);
        let mut previous: Option<char> = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied();
            indicators |= match (previous, character) {
                (
                    None,
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`',
                ) => true,
                (None, '?' | ':' | '-') | (Some(_), ':') => is_blank_or_end(next),
                (Some(before), '#') => is_blank_or_end(Some(before)),
                _ => false,
            };
            special |= !is_printable(character) && !is_break(character) || matches!(character, '\r' | '\u{85}');
            if is_break(character) {
                has_breaks = true;
                space_break |= previous == Some(' ');
            } else if character == ' ' {
                break_space |= previous.is_some_and(is_break);
            }
            previous = Some(character);
        }
        let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || is_break(c));
        let has_edges = edge(text.chars().next()) || edge(text.chars().next_back());
        let is_broken = space_break || special;
        Analysis {
            plain: !(has_edges || break_space || is_broken || has_breaks || indicators),
            single: !(break_space || is_broken),
            block: !(is_broken || text.ends_with(' ')),
            has_breaks,
        }
    }
}
