//! Line endings of other systems.

use mcl_lexer::{TokenKind, lex};

use crate::edits::TextEdit;

/// Returns the edits that make LF of CR LF and of CR. Strings stay as they are, since there it is a part of the value; so does a
/// CR inside of a comment.
pub(crate) fn edits(text: &str) -> Vec<TextEdit> {
    let tokens = lex(text);
    let is_string = |kind: TokenKind| matches!(kind, TokenKind::String | TokenKind::UnterminatedString);
    let strings = tokens.indices().filter(|token| is_string(tokens[*token]));
    let strings: Vec<(u32, u32)> = strings.map(|token| (tokens.start(token), tokens.end(token))).collect();
    let comments: Vec<(u32, u32)> = tokens.comments.iter().map(|comment| (comment.start, comment.end)).collect();
    let returns = text.match_indices('\r').filter_map(|(at, _)| {
        let (start, is_line_end) = (at as u32, text[at + 1..].starts_with('\n'));
        if is_inside(&strings, start) || (!is_line_end && is_inside(&comments, start)) {
            return None;
        }
        let text = if is_line_end { String::new() } else { "\n".to_owned() };
        Some(TextEdit { start, end: start + 1, text })
    });
    returns.collect()
}

/// Whether an offset is inside of one of these ranges, which are sorted.
fn is_inside(ranges: &[(u32, u32)], offset: u32) -> bool {
    let before = ranges.partition_point(|(start, _)| *start <= offset);
    before.checked_sub(1).is_some_and(|last| offset < ranges[last].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::apply_edits;

    #[test]
    fn values_of_strings_stay() {
        let text = "# a\r\n$x = \"a\r\nb\"\r\n$y = 1\r$z = 2 # a\rb\r\n";
        let after = apply_edits(text, &edits(text));
        assert_eq!(after, "# a\n$x = \"a\r\nb\"\n$y = 1\n$z = 2 # a\rb\n");
    }
}
