//! Searching, splitting and substituting with regular expressions as Ruby does.

use fancy_regex::Captures;
use pp_types::{Error, ErrorKind, Regexp, Value};

/// Finds the first match at or after a byte offset.
///
/// # Errors
/// An invalid regular expression, or one that takes too long.
pub fn find<'t>(regexp: &Regexp, text: &'t str, from: usize) -> Result<Option<Captures<'t>>, Error> {
    regexp.compiled()?.captures_from_pos(text, from).map_err(|error| too_complex(regexp, &error))
}

fn too_complex(regexp: &Regexp, error: &fancy_regex::Error) -> Error {
    Error::new(ErrorKind::Regexp, format!("cannot match /{}/: {error}", regexp.source()))
}

/// Returns the text of the match and of its groups, `undef` for groups that did not take part.
pub(crate) fn groups(captures: &Captures<'_>) -> Vec<Value> {
    captures.iter().map(|group| group.map_or(Value::Undef, |group| Value::from(group.as_str()))).collect()
}

/// The matches from left to right. A match ends where the next search starts; after an empty one the search goes on with the
/// next character.
struct Matches<'r, 't> {
    regexp: &'r Regexp,
    text: &'t str,
    from: Option<usize>,
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let captures = match find(self.regexp, self.text, self.from?) {
            Ok(found) => found?,
            Err(error) => {
                self.from = None;
                return Some(Err(error));
            }
        };
        let whole = captures.get(0)?;
        let (start, end) = (whole.start(), whole.end());
        let next = if start == end { next_character(self.text, end) } else { Some(end) };
        self.from = next;
        Some(Ok(captures))
    }
}

/// Returns the offset after the character at an offset; `None` at the end of the text.
fn next_character(text: &str, at: usize) -> Option<usize> {
    text[at..].chars().next().map(|character| at + character.len_utf8())
}

/// Splits a text at matches, as `String#split` does: groups are part of the result, empty strings at its end are not.
///
/// # Errors
/// Those of [`find`].
pub(crate) fn split(regexp: &Regexp, text: &str) -> Result<Vec<Value>, Error> {
    let mut parts: Vec<Value> = Vec::new();
    let mut begin = 0;
    for captures in (Matches { regexp, text, from: Some(0) }) {
        let captures = captures?;
        let Some(whole) = captures.get(0) else { break };
        if whole.start() == whole.end() {
            // An empty match separates characters: neither at the start of a part nor at the end of the text.
            if whole.start() == text.len() {
                break;
            }
            if whole.start() == begin {
                continue;
            }
        }
        parts.push(Value::from(&text[begin..whole.start()]));
        parts.extend(captures.iter().skip(1).flatten().map(|group| Value::from(group.as_str())));
        begin = whole.end();
    }
    parts.push(Value::from(&text[begin..]));
    while parts.last().is_some_and(|part| *part == Value::from("")) {
        parts.pop();
    }
    Ok(parts)
}

/// What replaces a match.
pub(crate) enum Replacement<'a> {
    /// A text with `\1`, `\k<name>` and so on.
    Template(&'a str),
    /// The values of the matched texts; others are replaced by nothing.
    Table(&'a pp_types::Hash),
}

/// Replaces the first match, or all of them.
///
/// # Errors
/// Those of [`find`], and a malformed reference to a group.
pub(crate) fn substitute(
    regexp: &Regexp,
    text: &str,
    replacement: &Replacement<'_>,
    all: bool,
) -> Result<String, Error> {
    let mut result = String::with_capacity(text.len());
    let names: Vec<&str> = regexp.compiled()?.capture_names().flatten().collect();
    let mut copied = 0;
    for captures in (Matches { regexp, text, from: Some(0) }) {
        let captures = captures?;
        let Some(whole) = captures.get(0) else { break };
        result.push_str(&text[copied..whole.start()]);
        match replacement {
            Replacement::Template(template) => {
                let groups = Groups {
                    names: &names,
                    before: &text[..whole.start()],
                    after: &text[whole.end()..],
                    count: captures.len(),
                    group: &|number| captures.get(number).map(|group| group.as_str()),
                    named: &|name| captures.name(name).map(|group| group.as_str()),
                };
                expand(template, &groups, &mut result)?;
            }
            Replacement::Table(table) => {
                if let Some(value) = table.get(&Value::from(whole.as_str())) {
                    result.push_str(&pp_types::interpolate(value));
                }
            }
        }
        copied = whole.end();
        if !all {
            break;
        }
    }
    result.push_str(&text[copied..]);
    Ok(result)
}

/// What the references in a template of a substitution stand for.
pub struct Groups<'a> {
    /// The names of the groups.
    pub names: &'a [&'a str],
    /// The text before the match.
    pub before: &'a str,
    /// The text after the match.
    pub after: &'a str,
    /// The number of groups, the whole match included.
    pub count: usize,
    /// Returns the text of a group.
    pub group: &'a dyn Fn(usize) -> Option<&'a str>,
    /// Returns the text of the group with a name.
    pub named: &'a dyn Fn(&str) -> Option<&'a str>,
}

/// Appends a template with its references to groups replaced: `\1`, `\0`, `\k<name>`.
///
/// # Errors
/// A malformed or unknown name.
pub fn expand(template: &str, groups: &Groups<'_>, result: &mut String) -> Result<(), Error> {
    let group = |number: usize| (groups.group)(number).unwrap_or("");
    // Groups cannot be referred to by number if some have names.
    let numbered = |number: usize| if number > 0 && !groups.names.is_empty() { "" } else { group(number) };
    let mut rest = template;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(character) = rest.chars().next() else {
            result.push('\\');
            break;
        };
        rest = &rest[character.len_utf8()..];
        match character {
            '0'..='9' => result.push_str(numbered(character as usize - '0' as usize)),
            '&' => result.push_str(group(0)),
            '`' => result.push_str(groups.before),
            '\'' => result.push_str(groups.after),
            '+' => {
                let last = (1..groups.count).rev().find_map(|number| (groups.group)(number));
                result.push_str(last.unwrap_or(""));
            }
            '\\' => result.push('\\'),
            'k' if rest.starts_with('<') => {
                let Some(close) = rest.find('>') else {
                    return Err(Error::new(ErrorKind::Regexp, "invalid group name reference format"));
                };
                let name = &rest[1..close];
                rest = &rest[close + 1..];
                if !groups.names.contains(&name) {
                    let message = format!("undefined group name reference: {name}");
                    return Err(Error::new(ErrorKind::Regexp, message));
                }
                result.push_str((groups.named)(name).unwrap_or(""));
            }
            other => {
                result.push('\\');
                result.push(other);
            }
        }
    }
    result.push_str(rest);
    Ok(())
}
