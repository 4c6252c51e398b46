//! How a dotted name is written.

/// Returns how many bytes a dotted name takes at the start of a text, where spaces, line breaks and comments may be around its dots.
/// `None` if the text does not start with it.
#[must_use]
pub fn written_length(text: &str, name: &str) -> Option<usize> {
    let mut rest = text;
    for (i, part) in name.split('.').enumerate() {
        if i > 0 {
            rest = after_spaces(after_spaces(rest).strip_prefix('.')?);
        }
        rest = rest.strip_prefix(part)?;
    }
    Some(text.len() - rest.len())
}

/// Returns what follows white space and comments.
fn after_spaces(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches([' ', '\t', '\n']);
        match text.strip_prefix('#') {
            Some(comment) => text = comment.split_once('\n').map_or("", |(_, next)| next),
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::written_length;

    #[test]
    fn there_may_be_spaces_and_comments_around_dots() {
        assert_eq!(written_length("strings.to_upper(1)", "strings.to_upper"), Some(16));
        assert_eq!(written_length("a . b.c", "a.b"), Some(5));
        assert_eq!(written_length("a. # é\n\t.b", "a.b"), None);
        assert_eq!(written_length("a # é\n\t.b(", "a.b"), Some("a # é\n\t.b".len()));
        assert_eq!(written_length("a.", "a.b"), None);
        assert_eq!(written_length("", "a"), None);
    }
}
