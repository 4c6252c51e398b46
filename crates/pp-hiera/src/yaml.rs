//! YAML to values, as Ruby's Psych reads it (spec 07 §10.4).
//!
//! The events of the parser are folded with a stack of open containers, so that depth costs no recursion. An alias shares the
//! value of its anchor; what it would hold if it were written out counts against [`MAX_NODES`], because everything that later
//! walks over the value sees it written out.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use indexmap::IndexMap;
use pp_types::{Hash, KeyState, Value};
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::problem::Problem;
use crate::yaml_scalar::{Scalar, resolve};

/// Maximum number of values in a file, with aliases written out.
const MAX_NODES: u64 = 10_000_000;
/// Maximum depth of nested containers.
const MAX_DEPTH: usize = 1_000;

/// A document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// Its value; undef for an empty one.
    pub value: Option<Value>,
    /// Notes on the values of its outermost hash, where there is something to note.
    pub notes: Notes,
    /// The lines of the values near the root, by their paths, e.g. `hierarchy/0/name`, if they were asked for.
    pub lines: Vec<(String, usize)>,
}

/// Notes on the values of a hash, by their keys. Large files have few.
pub(crate) type Notes = IndexMap<Value, Note, KeyState>;

/// Notes about a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Note {
    /// A string in it contains `%{`.
    pub interpolates: bool,
    /// It cannot be used.
    pub problem: Option<Problem>,
}

/// A text that is not YAML, or holds what data must not: the message says where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError(pub String);

/// A value with what is known of it.
#[derive(Clone)]
struct Node {
    value: Value,
    note: Note,
    /// How many values it is, itself included.
    size: u64,
}

/// A container that is not complete.
struct Open {
    kind: Kind,
    anchor: usize,
    note: Note,
    size: u64,
    path: Option<String>,
    line: usize,
}

enum Kind {
    Sequence(Vec<Value>),
    Mapping { entries: Hash, notes: Notes, key: Option<Value> },
}

struct Loader {
    open: Vec<Open>,
    anchors: FxHashMap<usize, Node>,
    nodes: u64,
    document: Document,
    dates: Dates,
    has_lines: bool,
}

/// What becomes of a date or time without quotes, which would be an object of Ruby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dates {
    /// It is an error, as in data.
    Refused,
    /// It is a string, as in facts.
    Strings,
}

/// Reads the first document of a text.
///
/// # Errors
/// Invalid syntax, unknown anchors, classes of Ruby, too many or too deeply nested values.
pub(crate) fn load(text: &str) -> Result<Document, YamlError> {
    load_with(text, Dates::Refused)
}

/// Does the same as [`load`], and records the lines of the values near the root.
///
/// # Errors
/// Those of [`load`].
pub(crate) fn load_with_lines(text: &str) -> Result<Document, YamlError> {
    load_checked(text, (Dates::Refused, true), &|_, _| Ok(()))
}

/// Does the same as [`load`] for a text that must not have aliases.
///
/// # Errors
/// Those of [`load`], and an alias.
pub(crate) fn load_without_aliases(text: &str) -> Result<Document, YamlError> {
    load_checked(text, (Dates::Refused, false), &|text, span| {
        let line = text.lines().nth(span.start.line() - 1).unwrap_or_default();
        let name = line.chars().skip(span.start.col() + 1).take_while(|c| !c.is_whitespace() && !",]}".contains(*c));
        Err(YamlError(format!("Unknown alias: {}", name.collect::<String>())))
    })
}

/// Does the same as [`load`], with a choice about dates.
///
/// # Errors
/// As above.
pub(crate) fn load_with(text: &str, dates: Dates) -> Result<Document, YamlError> {
    load_checked(text, (dates, false), &|_, _| Ok(()))
}

/// Reads the first document of a text, whose aliases `check` may refuse.
fn load_checked(
    text: &str,
    (dates, has_lines): (Dates, bool),
    check: &dyn Fn(&str, &Span) -> Result<(), YamlError>,
) -> Result<Document, YamlError> {
    let document = Document::default();
    let mut loader = Loader { open: Vec::new(), anchors: FxHashMap::default(), nodes: 0, document, dates, has_lines };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            YamlError(format!("{} at line {} column {}", error.info(), error.marker().line(), error.marker().col() + 1))
        })?;
        if let Event::Alias(_) = event {
            check(text, &span)?;
        }
        if !loader.event(event, span)? {
            break;
        }
    }
    Ok(loader.document)
}

impl Loader {
    /// Handles an event. Returns false after the first document.
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<bool, YamlError> {
        let line = span.start.line();
        match event {
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
            Event::StreamEnd | Event::DocumentEnd => return Ok(false),
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    return Err(YamlError(format!("an alias to a value that contains it at line {line}")));
                };
                self.attach(node, line)?;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let node = scalar(&text, style, tag.as_deref(), (line, self.dates))?;
                if anchor > 0 {
                    self.anchors.insert(anchor, node.clone());
                }
                self.attach(node, line)?;
            }
            Event::SequenceStart(anchor, tag) => self.open(Kind::Sequence(Vec::new()), anchor, tag.as_deref(), line)?,
            Event::MappingStart(anchor, tag) => {
                let kind = Kind::Mapping { entries: Hash::default(), notes: Notes::default(), key: None };
                self.open(kind, anchor, tag.as_deref(), line)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    self.close(open)?;
                }
            }
        }
        Ok(true)
    }

    fn open(&mut self, kind: Kind, anchor: usize, tag: Option<&Tag>, line: usize) -> Result<(), YamlError> {
        if let Some(class) = tag.and_then(ruby_class) {
            return Err(unspecified_class(&class, line));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError(format!("values are nested more than {MAX_DEPTH} deep at line {line}")));
        }
        let path = self.next_path();
        self.open.push(Open { kind, anchor, note: Note::default(), size: 1, path, line });
        Ok(())
    }

    /// Returns the path of the value that comes next, near the root.
    fn next_path(&self) -> Option<String> {
        if !self.has_lines {
            return None;
        }
        let Some(parent) = self.open.last() else { return Some(String::new()) };
        if self.open.len() > 3 {
            return None;
        }
        let step = match &parent.kind {
            Kind::Sequence(elements) => elements.len().to_string(),
            Kind::Mapping { key: Some(Value::String(key)), .. } => key.to_string(),
            Kind::Mapping { .. } => return None,
        };
        let path = parent.path.as_deref()?;
        Some(if path.is_empty() { step } else { format!("{path}/{step}") })
    }

    fn close(&mut self, open: Open) -> Result<(), YamlError> {
        let Open { kind, anchor, note, size, line, .. } = open;
        let value = match kind {
            Kind::Sequence(elements) => Value::array(elements),
            Kind::Mapping { entries, notes, .. } => {
                if self.open.is_empty() {
                    self.document.notes = notes;
                }
                Value::hash(entries)
            }
        };
        let node = Node { value, note, size };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.attach(node, line)
    }

    /// Puts a complete value where it belongs.
    fn attach(&mut self, node: Node, line: usize) -> Result<(), YamlError> {
        self.nodes += 1;
        let path = self.next_path();
        let is_outermost = self.open.len() == 1;
        let Some(parent) = self.open.last_mut() else {
            self.document.value = Some(node.value);
            return Ok(());
        };
        parent.size = parent.size.saturating_add(node.size);
        if parent.size > MAX_NODES {
            return Err(YamlError(format!(
                "aliases make more than {MAX_NODES} values of this file, written out, at line {line}"
            )));
        }
        match &mut parent.kind {
            Kind::Sequence(elements) => elements.push(node.value),
            Kind::Mapping { key: slot @ None, .. } => {
                let Node { value: key, note, .. } = node;
                parent.note.interpolates |= note.interpolates;
                // A symbol as a key is a string.
                let problem = match (note.problem, &key) {
                    (Some(Problem::Symbol { text, .. }), _) => {
                        *slot = Some(Value::from(text));
                        return Ok(());
                    }
                    (None, Value::String(_) | Value::Integer(_) | Value::Float(_)) => None,
                    (problem, _) => problem.or(Some(Problem::HashKey { line })),
                };
                // A key of the file itself that is not a string can never be asked for.
                if !is_outermost && parent.note.problem.is_none() {
                    parent.note.problem = problem;
                }
                *slot = Some(key);
                return Ok(());
            }
            Kind::Mapping { entries, notes, key } => {
                let key = key.take().unwrap_or(Value::Undef);
                if let Some(path) = path {
                    self.document.lines.push((path, line));
                }
                if matches!(&key, Value::String(key) if &**key == "<<") && merge(entries, &node.value) {
                    if is_outermost {
                        for key in merged_keys(&node.value) {
                            set_note(notes, key, &node.note);
                        }
                    }
                } else {
                    if is_outermost {
                        set_note(notes, &key, &node.note);
                    }
                    entries.insert(key, node.value);
                }
                parent.note.absorb(node.note);
                return Ok(());
            }
        }
        if let Some(path) = path {
            self.document.lines.push((path, line));
        }
        parent.note.absorb(node.note);
        Ok(())
    }
}

impl Note {
    fn absorb(&mut self, inner: Note) {
        self.interpolates |= inner.interpolates;
        if self.problem.is_none() {
            self.problem = inner.problem;
        }
    }
}

/// Sets the note of a value, which may replace one of the same key.
pub(crate) fn set_note(notes: &mut Notes, key: &Value, note: &Note) {
    if note.interpolates || note.problem.is_some() {
        notes.insert(key.clone(), note.clone());
    } else if !notes.is_empty() {
        notes.shift_remove(key);
    }
}

/// Returns the keys that [`merge`] adds.
fn merged_keys(value: &Value) -> Vec<&Value> {
    match value {
        Value::Hash(hash) => hash.keys().collect(),
        Value::Array(hashes) => hashes.iter().flat_map(merged_keys).collect(),
        _ => Vec::new(),
    }
}

/// `<<`: adds the entries of a hash, or of several of which the first wins. Returns false if the value is something else.
fn merge(entries: &mut Hash, value: &Value) -> bool {
    match value {
        Value::Hash(hash) => entries.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone()))),
        Value::Array(hashes) if hashes.iter().all(|hash| matches!(hash, Value::Hash(_))) => {
            for hash in hashes.iter().rev() {
                merge(entries, hash);
            }
        }
        _ => return false,
    }
    true
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, (line, dates): (usize, Dates)) -> Result<Node, YamlError> {
    let node = |value, note| Ok(Node { value, note, size: 1 });
    let string = |text: &str| Node {
        value: Value::from(text),
        note: Note { interpolates: text.contains("%{"), problem: None },
        size: 1,
    };
    let scalar = match tag.map(|tag| (tag, tag.suffix.as_str())) {
        None if style != ScalarStyle::Plain => return Ok(string(text)),
        Some((_, "str" | "ruby/string")) => return Ok(string(text)),
        Some((_, "binary")) => return Ok(string(&decode(text, line)?)),
        Some((_, "ruby/sym" | "ruby/symbol")) => Scalar::Symbol(text.to_owned()),
        Some((_, "float")) => match resolve(text) {
            Scalar::Value(Value::Integer(integer)) => Scalar::Value(Value::from(integer as f64)),
            other => other,
        },
        Some((tag, _)) if ruby_class(tag).is_some() => {
            return Err(unspecified_class(&ruby_class(tag).unwrap_or_default(), line));
        }
        // Any other tag hides the quotes.
        _ => resolve(text),
    };
    match scalar {
        Scalar::Value(Value::String(text)) => Ok(string(&text)),
        Scalar::Value(value) => node(value, Note::default()),
        Scalar::Forbidden(_) if dates == Dates::Strings => Ok(string(text)),
        Scalar::Forbidden(class) => Err(unspecified_class(class, line)),
        Scalar::Symbol(text) => {
            let problem = Some(Problem::Symbol { text: text.clone(), line });
            node(Value::from(text), Note { interpolates: false, problem })
        }
        Scalar::BigInteger(text) => {
            let problem = Some(Problem::Integer { text: text.clone(), line });
            node(Value::from(text), Note { interpolates: false, problem })
        }
    }
}

/// Returns the class of Ruby that a tag asks for, if it is one that safe loading refuses.
fn ruby_class(tag: &Tag) -> Option<String> {
    let suffix = tag.suffix.as_str();
    if suffix == "set" {
        return Some("Psych::Set".to_owned());
    }
    let name = suffix.strip_prefix("ruby/")?;
    match name.split_once(':') {
        Some((_, class)) => Some(class.to_owned()),
        None if matches!(name, "string" | "sym" | "symbol" | "array" | "hash") => None,
        None => {
            let mut letters = name.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect())
        }
    }
}

fn unspecified_class(class: &str, line: usize) -> YamlError {
    let hint = match class {
        "Date" | "Time" => "; put a date or time in quotes",
        _ => "",
    };
    YamlError(format!("Tried to load unspecified class: {class} at line {line}{hint}"))
}

/// Decodes `!!binary`. Bytes that are not UTF-8 become one character each.
fn decode(text: &str, line: usize) -> Result<Arc<str>, YamlError> {
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, lenient);
    let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = engine.decode(digits).map_err(|_| YamlError(format!("invalid base64 at line {line}")))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => error.as_bytes().iter().map(|byte| char::from(*byte)).collect::<String>().into(),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let found = match load(text) {
            Ok(document) => document.value.map_or("(empty)".to_owned(), |value| pp_types::source_form(&value)),
            Err(error) => error.0,
        };
        expected.assert_eq(&found);
    }

    #[test]
    fn hashes_keep_the_last_of_equal_keys() {
        check("{a: 1, a: 2, b: 3, a: 4}", expect!["{'a' => 4, 'b' => 3}"]);
    }

    #[test]
    fn merge_keys_add_what_follows_later_overrides() {
        check(
            "m: &m {a: 1, b: 2}\nn: {a: 0, <<: *m, b: 9}",
            expect!["{'m' => {'a' => 1, 'b' => 2}, 'n' => {'a' => 1, 'b' => 9}}"],
        );
        check("{<<: [{a: 1}, {a: 2, c: 3}], d: 4}", expect!["{'a' => 1, 'c' => 3, 'd' => 4}"]);
        check("{<<: 5}", expect!["{'<<' => 5}"]);
    }

    #[test]
    fn symbols_are_strings_as_keys_only() {
        check("a:\n  :s: 1", expect!["{'a' => {'s' => 1}}"]);
        let document = load("a: :s\nb: 1").expect("valid");
        assert!(document.notes[&Value::from("a")].problem.is_some());
        assert!(!document.notes.contains_key(&Value::from("b")));
    }

    #[test]
    fn tags_are_those_of_psych() {
        check(
            "[!!str yes, ! 5, !foo 5, !!int '5', !!float 5, !!bool 'yes', !!binary aGVsbG8=, !!binary /w==]",
            expect!["['yes', 5, 5, 5, 5.0, true, 'hello', 'ÿ']"],
        );
        check("a: !ruby/object:OpenStruct {x: 1}", expect!["Tried to load unspecified class: OpenStruct at line 1"]);
        check("a: !ruby/regexp /x/", expect!["Tried to load unspecified class: Regexp at line 1"]);
        check(
            "a: 2024-02-03",
            expect!["Tried to load unspecified class: Date at line 1; put a date or time in quotes"],
        );
    }

    #[test]
    fn only_the_first_document_counts() {
        check("a: 1\n---\na: 2\n", expect!["{'a' => 1}"]);
        check("# nothing\n", expect!["(empty)"]);
    }

    #[test]
    fn errors_have_a_line() {
        check("x: 1\ny: [1, 2\nz: 3\n", expect!["illegal placement of ':' indicator at line 3 column 2"]);
        check("a: *nope", expect!["while parsing node, found unknown anchor at line 1 column 4"]);
        check("&a [*a]", expect!["an alias to a value that contains it at line 1"]);
    }

    #[test]
    fn aliases_can_be_refused() {
        let refused = |text: &str| load_without_aliases(text).map(drop).expect_err("an alias").0;
        assert_eq!(refused("a: &x {b: 1}\nc:\n  <<: *x\n"), "Unknown alias: x");
        assert_eq!(refused("- &a1 1\n- [é, *a1]"), "Unknown alias: a1");
        assert!(load_without_aliases("a: &x 1").is_ok());
    }

    #[test]
    fn aliases_and_depth_are_bounded() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let below = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![below; 10].join(", ")));
        }
        check(&bomb, expect!["aliases make more than 10000000 values of this file, written out, at line 7"]);
        let deep = format!("{}{}", "- ".repeat(2_000), "x");
        assert!(load(&deep).is_err());
    }

    #[test]
    fn notes_are_those_of_the_last_of_equal_keys() {
        let document = load("b: &b {c: '%{x}', d: :s}\na: '%{x}'\na: 1\n<<: [*b]\nd: 2").expect("valid");
        let noted: Vec<String> = document.notes.keys().map(pp_types::source_form).collect();
        assert_eq!(noted, ["'b'", "'c'"]);
    }

    #[test]
    fn lines_of_values_near_the_root_are_known() {
        assert_eq!(load("a: 1").expect("valid").lines, []);
        let document = load_with_lines("version: 5\nhierarchy:\n- name: a\n- name: b\n  path: c\n").expect("valid");
        let line = |path: &str| document.lines.iter().find(|(known, _)| known == path).map(|(_, line)| *line);
        assert_eq!(line("hierarchy/1"), Some(4));
        assert_eq!(line("hierarchy/1/path"), Some(5));
    }
}
