//! Comments that document a statement.

/// Returns the comment directly above the line of a byte offset, without its `#`, and where it starts.
pub(crate) fn above(text: &str, offset: u32) -> Option<(u32, String)> {
    let before = text.get(..offset as usize)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    if !before[line..].chars().all(char::is_whitespace) {
        return None;
    }
    let mut start = line;
    let mut lines = Vec::new();
    while start > 0 {
        let previous = text[..start - 1].rfind('\n').map_or(0, |at| at + 1);
        let Some(comment) = text[previous..start - 1].trim().strip_prefix('#') else { break };
        // Directives and the first line of a script are for programs.
        if !comment.starts_with('!') && !comment.trim_start().starts_with("mclc:") {
            lines.push(comment.strip_prefix(' ').unwrap_or(comment));
        }
        start = previous;
    }
    lines.reverse();
    (!lines.is_empty()).then(|| (start as u32, lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::above;

    fn check(text: &str, expected: Option<(u32, &str)>) {
        let offset = text.find('$').expect("a statement") as u32;
        assert_eq!(above(text, offset), expected.map(|(at, text)| (at, text.to_owned())), "{text:?}");
    }

    #[test]
    fn only_lines_directly_above_document() {
        check("# a\n# b\n$x = 1\n", Some((0, "a\nb")));
        check("# a\n\n# b\n$x = 1\n", Some((5, "b")));
        check("# a\n\n$x = 1\n", None);
        check("y() # a\n\t$x = 1", None);
        check("# mclc: allow(W0101)\n$x = 1", None);
        check("$x", None);
    }
}
