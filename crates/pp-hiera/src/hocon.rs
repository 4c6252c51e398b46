//! HOCON to values: JSON with comments, keys with dots, and fewer quotes. Includes are refused.
//!
//! A substitution `${a.b}` stands for the value that the whole text has at a path. The text is read again with the values of
//! the pass before, until nothing changes.

use std::iter::Peekable;
use std::str::Chars;

use pp_types::{Hash, Value, interpolate, with_stack};

use crate::yaml::{Document, Note, Notes};

/// Maximum depth of nested containers.
const MAX_DEPTH: usize = 200;
/// Maximum number of substitutions that lead from one to the next.
const MAX_PASSES: usize = 32;
/// Maximum size of what substitutions put into a text, as [`Value::weight`].
const MAX_SUBSTITUTED: u64 = 1_000_000;

/// A text that is not HOCON; the message says where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HoconError(pub String);

/// Reads a text.
///
/// # Errors
/// Invalid syntax, substitutions of nothing or of themselves, includes.
pub(crate) fn load(text: &str) -> Result<Document, HoconError> {
    let mut value = Value::Undef;
    let mut passes = 0;
    loop {
        let mut parser =
            Parser { rest: text.chars().peekable(), line: 1, depth: 0, known: &value, substituted: 0, missing: None };
        let next = parser.document()?;
        let Parser { substituted, missing, .. } = parser;
        let is_stable = substituted == 0 || next == value;
        value = next;
        match missing {
            Some(error) if is_stable => return Err(error),
            _ if is_stable => break,
            _ => {}
        }
        passes += 1;
        if passes > MAX_PASSES {
            return Err(HoconError("substitutions lead back to themselves".to_owned()));
        }
    }
    let mut notes = Notes::default();
    if let Value::Hash(entries) = &value
        && text.contains("%{")
    {
        // Whether a string is to be interpolated is seen when it is looked up.
        let note = Note { interpolates: true, problem: None };
        notes.extend(entries.keys().map(|key| (key.clone(), note.clone())));
    }
    Ok(Document { value: Some(value), notes, lines: Vec::new() })
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    depth: usize,
    /// What the pass before made of the text.
    known: &'a Value,
    /// How much substitutions have put into the text; zero if there are none.
    substituted: u64,
    /// The first substitution without a value that needs one.
    missing: Option<HoconError>,
}

impl Parser<'_> {
    fn error(&self, message: &str) -> HoconError {
        HoconError(format!("{message} at line {}", self.line))
    }

    fn document(&mut self) -> Result<Value, HoconError> {
        self.skip_lines();
        let value = match self.rest.peek() {
            Some('[' | '{') => self.value()?.unwrap_or(Value::Undef),
            _ => Value::hash(self.entries(None)?),
        };
        self.skip_lines();
        match self.rest.next() {
            Some(extra) => Err(self.error(&format!("unexpected `{extra}`"))),
            None => Ok(value),
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next();
        if c == Some('\n') {
            self.line += 1;
        }
        c
    }

    fn is_comment(&self) -> bool {
        let mut ahead = self.rest.clone();
        match ahead.next() {
            Some('#') => true,
            Some('/') => ahead.next() == Some('/'),
            _ => false,
        }
    }

    /// Skips spaces and comments up to the end of the line.
    fn skip_blanks(&mut self) {
        while self.rest.peek().is_some_and(|c| c.is_whitespace() && *c != '\n') {
            self.next();
        }
        if self.is_comment() {
            while self.rest.peek().is_some_and(|c| *c != '\n') {
                self.next();
            }
        }
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.rest.peek() != Some(&'\n') {
                return;
            }
            self.next();
        }
    }

    /// Skips what separates elements: line ends, and at most one comma.
    fn skip_separator(&mut self) {
        self.skip_lines();
        if self.rest.peek() == Some(&',') {
            self.next();
            self.skip_lines();
        }
    }

    fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, HoconError>) -> Result<T, HoconError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(&format!("values are nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = with_stack(|| work(self));
        self.depth -= 1;
        result
    }

    /// Reads the entries of a hash up to its end: a brace, or that of the text.
    fn entries(&mut self, end: Option<char>) -> Result<Hash, HoconError> {
        let mut entries = Hash::default();
        self.skip_lines();
        while self.rest.peek().copied() != end {
            if self.rest.peek().is_none() {
                return Err(self.error("unclosed `{`"));
            }
            let path = self.key()?;
            self.skip_blanks();
            let mut appends = false;
            match self.rest.peek() {
                Some('=' | ':') => {
                    self.next();
                }
                Some('+') => {
                    self.next();
                    if self.next() != Some('=') {
                        return Err(self.error("expected `+=`"));
                    }
                    appends = true;
                }
                Some('{') => {}
                _ => return Err(self.error(&format!("expected `=` after the key `{}`", path.join(".")))),
            }
            self.skip_lines();
            if let Some(value) = self.nested(Parser::value)? {
                insert(&mut entries, &path, value, appends);
            }
            self.skip_separator();
        }
        Ok(entries)
    }

    /// Reads `a.b."c.d"`.
    fn key(&mut self) -> Result<Vec<String>, HoconError> {
        let mut path = Vec::new();
        let mut part = String::new();
        let mut is_quoted = false;
        loop {
            match self.rest.peek().copied() {
                Some('"') => {
                    part.push_str(&self.quoted()?);
                    is_quoted = true;
                }
                Some('.') => {
                    self.next();
                    path.push(std::mem::take(&mut part));
                    is_quoted = false;
                }
                Some(c) if is_unquoted(c) && !self.is_comment() => {
                    part.push(c);
                    self.next();
                }
                Some(c @ (' ' | '\t')) => {
                    // Blanks inside a key belong to it, those at its end do not.
                    part.push(c);
                    self.next();
                }
                _ => break,
            }
        }
        path.push(part.trim_end().to_owned());
        if path.len() == 1 && path[0].split(' ').next() == Some("include") {
            return Err(self.error("`include` is not supported"));
        }
        if path.iter().any(String::is_empty) && !is_quoted {
            return Err(self.error("expected a key"));
        }
        Ok(path)
    }

    /// Reads `${path}` or `${?path}`; `None` if the path has no value.
    fn substitution(&mut self) -> Result<Option<Value>, HoconError> {
        self.next();
        if self.next() != Some('{') {
            return Err(self.error("expected `{` after `$`"));
        }
        let is_optional = self.rest.peek() == Some(&'?');
        if is_optional {
            self.next();
        }
        let path = self.key()?;
        if self.next() != Some('}') {
            return Err(self.error("unclosed `${`"));
        }
        let found = path.iter().try_fold(self.known, |value, key| match value {
            Value::Hash(entries) => entries.get(&Value::from(key.as_str())),
            _ => None,
        });
        if found.is_none() && !is_optional && self.missing.is_none() {
            self.missing = Some(self.error(&format!("no value for the substitution `${{{}}}`", path.join("."))));
        }
        self.substituted += found.map_or(1, Value::weight);
        if self.substituted > MAX_SUBSTITUTED {
            return Err(self.error("substitutions make too much of the text"));
        }
        Ok(found.cloned())
    }

    /// Reads a value: one or several pieces up to the end of the line or element. `None` for nothing but substitutions without
    /// a value.
    fn value(&mut self) -> Result<Option<Value>, HoconError> {
        let mut pieces: Vec<Value> = Vec::new();
        let mut is_substituted = false;
        let mut text = String::new();
        let mut is_text = false;
        loop {
            let blanks = self.blanks();
            if self.is_comment() {
                break;
            }
            let piece = match self.rest.peek().copied() {
                Some('{') => {
                    self.next();
                    let entries = self.nested(|this| this.entries(Some('}')))?;
                    self.next();
                    Value::hash(entries)
                }
                Some('[') => {
                    self.next();
                    Value::array(self.nested(Parser::elements)?)
                }
                Some('"') => {
                    text.push_str(&blanks);
                    text.push_str(&self.quoted()?);
                    is_text = true;
                    pieces.push(Value::from(text.as_str()));
                    continue;
                }
                Some('$') => {
                    is_substituted = true;
                    match self.substitution()? {
                        None => continue,
                        Some(container @ (Value::Hash(_) | Value::Array(_))) => container,
                        Some(value) => {
                            text.push_str(if pieces.is_empty() { "" } else { &blanks });
                            text.push_str(&interpolate(&value));
                            is_text |= !pieces.is_empty();
                            pieces.push(value);
                            continue;
                        }
                    }
                }
                Some(c) if is_unquoted(c) || c == '.' => {
                    text.push_str(if pieces.is_empty() { "" } else { &blanks });
                    let word = self.word();
                    text.push_str(&word);
                    is_text |= !pieces.is_empty();
                    pieces.push(scalar(&word));
                    continue;
                }
                _ => break,
            };
            if is_text {
                return Err(self.error("a string and a container cannot be joined"));
            }
            pieces.push(piece);
        }
        let mut pieces = pieces.into_iter();
        let Some(first) = pieces.next() else {
            return if is_substituted { Ok(None) } else { Err(self.error("expected a value")) };
        };
        if is_text {
            return Ok(Some(Value::from(text)));
        }
        let joined = pieces.try_fold(first, |joined, piece| match (joined, piece) {
            (Value::Array(before), Value::Array(after)) => {
                Ok(Value::array(before.iter().chain(after.iter()).cloned().collect()))
            }
            (Value::Hash(before), Value::Hash(after)) => Ok(merged(&before, &after)),
            _ => Err(self.error("values of different kinds cannot be joined")),
        });
        joined.map(Some)
    }

    fn elements(&mut self) -> Result<Vec<Value>, HoconError> {
        let mut elements = Vec::new();
        self.skip_lines();
        loop {
            match self.rest.peek() {
                Some(']') => {
                    self.next();
                    return Ok(elements);
                }
                None => return Err(self.error("unclosed `[`")),
                _ => elements.extend(self.value()?),
            }
            self.skip_separator();
        }
    }

    fn blanks(&mut self) -> String {
        let mut blanks = String::new();
        while let Some(c) = self.rest.peek().copied().filter(|c| c.is_whitespace() && *c != '\n') {
            blanks.push(c);
            self.next();
        }
        blanks
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.peek().copied() {
            if !(is_unquoted(c) || c == '.') || self.is_comment() {
                break;
            }
            word.push(c);
            self.next();
        }
        word
    }

    /// Reads `"text"` or `"""text"""`.
    fn quoted(&mut self) -> Result<String, HoconError> {
        self.next();
        let mut text = String::new();
        if self.rest.peek() == Some(&'"') {
            self.next();
            if self.rest.peek() != Some(&'"') {
                return Ok(text);
            }
            self.next();
            // Of the quotes at the very end, all but three belong to the text.
            while let Some(c) = self.next() {
                text.push(c);
                if text.ends_with("\"\"\"") && self.rest.peek() != Some(&'"') {
                    text.truncate(text.len() - 3);
                    return Ok(text);
                }
            }
            return Err(self.error("unclosed `\"\"\"`"));
        }
        loop {
            match self.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some('\n') | None => return Err(self.error("unclosed string")),
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, HoconError> {
        Ok(match self.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('u') => {
                let digits: String = (0..4).filter_map(|_| self.next()).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| self.error("invalid escape"))?
            }
            _ => return Err(self.error("invalid escape")),
        })
    }
}

/// Whether a character may be in a word without quotes.
fn is_unquoted(c: char) -> bool {
    !c.is_whitespace() && !"$\"{}[]:=,+#`^?!@*&\\.".contains(c)
}

fn scalar(word: &str) -> Value {
    match word {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        "null" => Value::Undef,
        _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => match (word.parse(), word.parse::<f64>()) {
            (Ok(integer), _) => Value::Integer(integer),
            (_, Ok(float)) if float.is_finite() => Value::from(float),
            _ => Value::from(word),
        },
        _ => Value::from(word),
    }
}

/// Sets the value at a path. Hashes are merged.
fn insert(entries: &mut Hash, path: &[String], value: Value, appends: bool) {
    let Some((name, rest)) = path.split_first() else { return };
    let key = Value::from(name.as_str());
    let value = if rest.is_empty() {
        match entries.get(&key) {
            Some(Value::Array(before)) if appends => Value::array(before.iter().cloned().chain([value]).collect()),
            _ if appends => Value::array(vec![value]),
            Some(Value::Hash(before)) => match &value {
                Value::Hash(after) => merged(before, after),
                _ => value,
            },
            _ => value,
        }
    } else {
        let mut inner = match entries.get(&key) {
            Some(Value::Hash(inner)) => inner.0.clone(),
            _ => Hash::default(),
        };
        insert(&mut inner, rest, value, appends);
        Value::hash(inner)
    };
    entries.insert(key, value);
}

fn merged(before: &Hash, after: &Hash) -> Value {
    let mut all = before.clone();
    for (key, value) in after {
        let value = match (all.get(key), value) {
            (Some(Value::Hash(before)), Value::Hash(after)) => with_stack(|| merged(before, after)),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    Value::hash(all)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let found = match load(text) {
            Ok(document) => document.value.map_or(String::new(), |value| pp_types::source_form(&value)),
            Err(error) => error.0,
        };
        expected.assert_eq(&found);
    }

    #[test]
    fn quotes_and_commas_may_be_left_out() {
        check(
            "h = hocon\ntree { a = 1, b = [x, y] }\n",
            expect!["{'h' => 'hocon', 'tree' => {'a' => 1, 'b' => ['x', 'y']}}"],
        );
        check("{\"a\": \"b c\", d: [1\n2.5], // end\n}", expect!["{'a' => 'b c', 'd' => [1, 2.5]}"]);
        check("a = b c  # comment\nd : true\ne = null", expect!["{'a' => 'b c', 'd' => true, 'e' => undef}"]);
        check("a = \"\"\"x\"y\"\"\"", expect!["{'a' => 'x\"y'}"]);
    }

    #[test]
    fn keys_have_paths_and_hashes_are_merged() {
        check("a.b = 1\na.c = 2\na { b = 3 }\n\"x.y\" = 4", expect!["{'a' => {'b' => 3, 'c' => 2}, 'x.y' => 4}"]);
        check("a = [1]\na += 2", expect!["{'a' => [1, 2]}"]);
        check("a = {b: 1} {c: 2}", expect!["{'a' => {'b' => 1, 'c' => 2}}"]);
    }

    #[test]
    fn substitutions_stand_for_values_of_the_text() {
        check("a = ${?x}", expect!["{}"]);
        check("a = ${?x}foo\nc = [1, ${?y}, 2]", expect!["{'a' => 'foo', 'c' => [1, 2]}"]);
        check("b = ${x.y} c\nx = 1, a = ${?x}", expect!["no value for the substitution `${x.y}` at line 1"]);
        check("h = {a = 1, b = ${?q}}, i = ${h} {c = 2}", expect!["{'h' => {'a' => 1}, 'i' => {'a' => 1, 'c' => 2}}"]);
        check("d = ${c}d, c = ${b}c, b = ${a}, a = 1", expect!["{'d' => '1cd', 'c' => '1c', 'b' => 1, 'a' => 1}"]);
        check("a = 1\nb = ${x}", expect!["no value for the substitution `${x}` at line 2"]);
        check("a = ${b}, b = ${a}", expect!["no value for the substitution `${b}` at line 1"]);
        check("a = ${?a} [1]", expect!["substitutions lead back to themselves"]);
        check("a = ${x", expect!["unclosed `${` at line 1"]);
        let doubling: String = (0..40).map(|at| format!("a{} = ${{a{at}}}${{a{at}}}\n", at + 1)).collect();
        check(&format!("a0 = 0123456789\n{doubling}"), expect!["substitutions make too much of the text at line 23"]);
    }

    #[test]
    fn errors_have_a_line() {
        check("include \"x\"", expect!["`include` is not supported at line 1"]);
        check("a = [1", expect!["unclosed `[` at line 1"]);
        check("a = {", expect!["unclosed `{` at line 1"]);
        check("a", expect!["expected `=` after the key `a` at line 1"]);
        check(&"a={".repeat(500), expect!["values are nested more than 200 deep at line 1"]);
    }
}
