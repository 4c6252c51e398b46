//! How one line of a file with sections is read and written (spec 08 §18).

use crate::Params;

/// How lines are read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IniStyle {
    /// What a new line has between name and value. Other lines are split at it, with any whitespace around it.
    pub separator: String,
    /// The start of a section's header.
    pub section_prefix: String,
    /// The end of a section's header.
    pub section_suffix: String,
    /// What new lines are indented with.
    pub indent_char: String,
    /// How often it is repeated; by default as often as other lines of the section are indented.
    pub indent_width: Option<usize>,
}

/// A line that has a setting.
#[derive(Debug, PartialEq, Eq)]
pub struct IniParts<'t> {
    /// The number of bytes before the name.
    pub indentation: usize,
    /// The name, without whitespace around it.
    pub name: &'t [u8],
    /// The value without whitespace around it.
    pub value: &'t [u8],
    /// The position of the value in the line.
    pub value_start: usize,
}

impl IniStyle {
    /// Returns the style of an `ini:setting`.
    #[must_use]
    pub fn of(p: &Params<'_>) -> IniStyle {
        let or = |field: &str, default: &str| {
            let given = p.given_string(field).filter(|text| !text.is_empty());
            given.map_or_else(|| default.to_owned(), |text| text.into_owned())
        };
        IniStyle {
            separator: or("separator", " = "),
            section_prefix: or("section_prefix", "["),
            section_suffix: or("section_suffix", "]"),
            indent_char: or("indent_char", " "),
            indent_width: p.is_set("indent_width").then(|| usize::try_from(p.int("indent_width")).unwrap_or(0)),
        }
    }

    /// Returns the line of a setting that is indented this often.
    #[must_use]
    pub fn line(&self, indentation: usize, name: &[u8], value: &[u8]) -> Vec<u8> {
        [self.indent_char.repeat(indentation).as_bytes(), name, self.separator.as_bytes(), value].concat()
    }

    /// Returns the name of the section that a line opens. A comment may follow the header.
    #[must_use]
    pub fn section_name<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
        let rest = line.trim_ascii().strip_prefix(self.section_prefix.as_bytes())?;
        let suffix = self.section_suffix.as_bytes();
        let is_end = |at: &usize| {
            let after = &rest[at + suffix.len()..];
            after.first().is_some_and(u8::is_ascii_whitespace)
                && after.trim_ascii_start().first().is_some_and(|byte| b"#;".contains(byte))
        };
        let before_comment = positions(rest, suffix).find(is_end).map(|at| &rest[..at]);
        before_comment.or_else(|| rest.strip_suffix(suffix))
    }

    /// Returns the header of a section; an empty one for the start of the file.
    #[must_use]
    pub fn header(&self, section: &str) -> Vec<u8> {
        if section.is_empty() {
            return Vec::new();
        }
        [&self.section_prefix, section, &self.section_suffix].concat().into_bytes()
    }

    /// Splits a line that has a setting.
    #[must_use]
    pub fn parts<'t>(&self, line: &'t [u8]) -> Option<IniParts<'t>> {
        let text = line.trim_ascii_start();
        let indentation = line.len() - text.len();
        if text.first().is_none_or(|byte| b"#;".contains(byte)) {
            return None;
        }
        let separator = self.separator.trim().as_bytes();
        let (name, rest) = match separator {
            [] => {
                let at = text.iter().position(u8::is_ascii_whitespace)?;
                (&text[..at], &text[at..])
            }
            _ => {
                let at = positions(text, separator).next()?;
                (text[..at].trim_ascii_end(), &text[at + separator.len()..])
            }
        };
        let start = rest.trim_ascii_start();
        let value = start.trim_ascii_end();
        (!name.is_empty()).then_some(IniParts { indentation, name, value, value_start: line.len() - start.len() })
    }

    /// Returns the name of the setting that a line comments out.
    #[must_use]
    pub fn commented_name<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
        let text = line.trim_ascii_start();
        let marks = text.iter().take_while(|byte| b"#;".contains(byte)).count();
        (marks > 0).then(|| self.parts(&text[marks..]).map(|parts| parts.name)).flatten()
    }
}

/// Returns where a text occurs in another one.
fn positions<'t>(text: &'t [u8], part: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let last = (text.len() + 1).saturating_sub(part.len());
    (0..last).filter(move |at| text[*at..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(separator: &str) -> IniStyle {
        IniStyle {
            separator: separator.to_owned(),
            section_prefix: "[".to_owned(),
            section_suffix: "]".to_owned(),
            indent_char: " ".to_owned(),
            indent_width: None,
        }
    }

    #[track_caller]
    fn check(separator: &str, line: &str, expected: Option<(&str, &str)>) {
        let style = style(separator);
        let parts = style.parts(line.as_bytes());
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        assert_eq!(parts.map(|parts| (text(parts.name), text(parts.value))), expected, "{line:?}");
    }

    #[test]
    fn lines_are_split_at_the_first_separator() {
        check(" = ", "a=b = c ", Some(("a", "b = c")));
        check("=", "  a b \t=", Some(("a b", "")));
        check(" => ", "a=>b", Some(("a", "b")));
        check(" ", "a  b c", Some(("a", "b c")));
        for line in ["", "  ", "#a=b", " ; a=b", "=b", "a", "a: b"] {
            check("=", line, None);
        }
        check(" ", "a", None);
    }

    #[test]
    fn headers_are_read_with_comments_and_brackets() {
        let name = |line: &str| {
            style("=").section_name(line.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned())
        };
        for (line, expected) in [
            ("[a]", "a"),
            ("  [a b]\t", "a b"),
            ("[ a ]", " a "),
            ("[a]b]", "a]b"),
            ("[a] # see [b]", "a"),
            ("[a]\t; b", "a"),
            ("[a #b]", "a #b"),
            ("[]", ""),
        ] {
            assert_eq!(name(line).as_deref(), Some(expected), "{line}");
        }
        for line in ["[a", "a]", "[a] b", "#[a]", ""] {
            assert_eq!(name(line), None, "{line}");
        }
    }

    #[test]
    fn commented_settings_are_found() {
        let name = |line: &str| style(" = ").commented_name(line.as_bytes()).map(<[u8]>::to_vec);
        for line in ["#a=b", " ; a = b", "## a ="] {
            assert_eq!(name(line).as_deref(), Some(&b"a"[..]), "{line}");
        }
        for line in ["a=b", "# a", "#", ""] {
            assert_eq!(name(line), None, "{line}");
        }
    }
}
