//! How one line of a file with sections is read and written.

/// How lines are read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// What a new line has between name and value. Other lines are split at it, with any whitespace around it.
    pub(super) separator: String,
    /// The start of a section's header.
    pub(super) section_prefix: String,
    /// The end of a section's header.
    pub(super) section_suffix: String,
    /// What new lines are indented with.
    pub(super) indent_char: String,
    /// How often it is repeated; by default as often as other lines of the section are indented.
    pub(super) indent_width: Option<usize>,
}

/// A line that has a setting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    /// The number of bytes before the name.
    pub(super) indentation: usize,
    pub(super) name: &'t [u8],
    /// The value without whitespace around it.
    pub(super) value: &'t [u8],
    /// The position of the value in the line.
    pub(super) value_start: usize,
}

impl Style {
    /// Returns the name of the section that a line opens. A comment may follow the header.
    pub(super) fn section_name<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
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
    pub(super) fn header(&self, section: &str) -> Vec<u8> {
        if section.is_empty() {
            return Vec::new();
        }
        [&self.section_prefix, section, &self.section_suffix].concat().into_bytes()
    }

    /// Splits a line that has a setting.
    pub(super) fn parts<'t>(&self, line: &'t [u8]) -> Option<Parts<'t>> {
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
        (!name.is_empty()).then_some(Parts { indentation, name, value, value_start: line.len() - start.len() })
    }

    /// Returns the name of the setting that a line comments out.
    pub(super) fn commented_name<'t>(&self, line: &'t [u8]) -> Option<&'t [u8]> {
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

    fn style(separator: &str) -> Style {
        Style {
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
