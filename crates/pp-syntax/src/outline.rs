//! Where the tokens of a manifest are, for tools that change programs.

use pp_ast::TextRange;

use crate::lexer::{MAX_LENGTH, lex};
use crate::mode::Mode;
use crate::token::TokenKind;

/// Returns where the tokens of a manifest are, in order. A string with interpolation is one token; the texts of heredocs are left
/// out.
#[must_use]
pub fn token_ranges(text: &str) -> Vec<TextRange> {
    if text.len() > MAX_LENGTH {
        return Vec::new();
    }
    let mut ranges: Vec<TextRange> = Vec::new();
    let mut strings = 0_u32;
    let mut heredocs = 0_u32;
    for token in lex(text, Mode::Manifest).list {
        match token.kind {
            TokenKind::InterpolationOpen => {
                if strings == 0 && heredocs == 0 {
                    ranges.push(token.range);
                }
                strings += 1;
            }
            TokenKind::InterpolationClose => {
                strings = strings.saturating_sub(1);
                if let Some(last) = ranges.last_mut().filter(|_| strings == 0 && heredocs == 0) {
                    last.end = token.range.end;
                }
            }
            TokenKind::HeredocEnd => heredocs = heredocs.saturating_sub(1),
            kind => {
                if strings == 0 && heredocs == 0 && token.range.start < token.range.end {
                    ranges.push(token.range);
                }
                heredocs += u32::from(kind == TokenKind::Heredoc);
            }
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_heredocs_are_one_token() {
        let text = "$a = \"x ${b + \"${c}\"}\"\nnotice(@(E), 1)\n  ${d}\n  | E\n";
        let tokens: Vec<&str> =
            token_ranges(text).iter().map(|range| &text[range.start as usize..range.end as usize]).collect();
        let expected = ["$a", "=", "\"x ${b + \"${c}\"}\"", "notice", "(", "@(E)", ",", "1", ")"];
        assert_eq!(tokens, expected);
    }
}
