//! The tokens of a text after an edit, from those before it.

use crate::scan::lex_lines;
use crate::tokens::{MAX_TEXT_LEN, TokenIdx, Tokens};

/// A replacement of bytes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// The first byte that is replaced.
    pub start: u32,
    /// One past the last byte that is replaced, in the text before.
    pub old_end: u32,
    /// One past the last byte of the replacement, in the text after.
    pub new_end: u32,
}

impl TextChange {
    /// Returns where something after the change is in the new text.
    #[must_use]
    pub fn shift(self, offset: u32) -> u32 {
        offset - self.old_end + self.new_end
    }
}

/// The tokens of an edited text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relexed {
    /// The tokens.
    pub tokens: Tokens,
    /// The first token that is new. Those before it are the same in both texts.
    pub first_new: TokenIdx,
    /// The first token after those that are new.
    pub end_new: TokenIdx,
    /// The token in the text before that is the one at `end_new`, as are all after it.
    pub end_old: TokenIdx,
}

/// Splits an edited text into tokens. Only the lines around the change are read: as in [`crate::lex`], only strings go on
/// after the end of a line, so that lines without errors, between lines without errors, have the tokens that they have alone.
/// Returns `None` if there are errors before or after the change; then the whole text must be read.
#[must_use]
pub fn relex(before: &Tokens, text: &str, change: TextChange) -> Option<Relexed> {
    if text.len() > MAX_TEXT_LEN || before.has_errors() {
        return None;
    }
    let from = start_of_lines(before, text, change);
    let (old_to, to) = end_of_lines(before, text, change);
    let mut lines = Tokens::for_text_len(text.len() as u32);
    lex_lines(text, from, to, &mut lines);
    if lines.has_errors() {
        return None;
    }
    let (first_new, end_old) = (before.first_from(from), before.first_from(old_to));
    let end_new = first_new + lines.len() as u32;
    let mut tokens = Tokens::for_text_len(text.len() as u32);
    tokens.reserve(before.len() - (end_old - first_new) as usize + lines.len());
    tokens.append_range(before, TokenIdx::FIRST..first_new, 0..from, 0);
    tokens.append(lines);
    let delta = i64::from(change.new_end) - i64::from(change.old_end);
    tokens.append_range(before, end_old..before.end_idx(), old_to..u32::MAX, delta);
    Some(Relexed { tokens, first_new, end_new, end_old })
}

/// Returns the start of the line of the change, or of the string around it.
fn start_of_lines(before: &Tokens, text: &str, change: TextChange) -> u32 {
    let mut at = change.start;
    loop {
        let line = text[..at as usize].rfind('\n').map_or(0, |newline| newline as u32 + 1);
        let around = before.first_ending_after(line);
        if before.start(around) >= line {
            return line;
        }
        at = before.start(around);
    }
}

/// Returns the end of the line of the change, or of the string around it, in the texts before and after.
fn end_of_lines(before: &Tokens, text: &str, change: TextChange) -> (u32, u32) {
    let mut at = change.new_end;
    loop {
        let line = text[at as usize..].find('\n').map_or(text.len() as u32, |newline| at + newline as u32 + 1);
        let old = line - change.new_end + change.old_end;
        let around = before.first_ending_after(old);
        if before.start(around) >= old {
            return (old, line);
        }
        at = change.shift(before.end(around));
    }
}

#[cfg(test)]
mod tests {
    use super::{TextChange, relex};
    use crate::lex;

    /// Pieces of programs, strings over several lines among them.
    const PIECES: &[&str] = &[
        "$x = ",
        "[1, 2.5]",
        " # comment \"\n",
        "\n",
        "file \"/a/${x}\" {",
        "}",
        " \"two\nlines \\\" \"",
        "\"\"",
        "\t",
        "\r\n",
        "func f($a str) str { $a }\n",
        "-",
        "1",
        ">",
        "ä",
        "\"",
        "#",
        "\\",
        " ",
        ".",
        "_",
        "<|>",
        "a\n",
    ];

    /// A generator of numbers, so that this crate needs none.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    fn boundary(text: &str, mut at: usize) -> usize {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    #[test]
    fn edits_give_the_tokens_of_the_whole() {
        let mut numbers = Numbers(1);
        let mut reused = 0;
        for _ in 0..300 {
            let mut text = String::new();
            let mut tokens = lex(&text);
            for _ in 0..60 {
                let start = boundary(&text, numbers.below(text.len() + 1));
                let end = boundary(&text, (start + numbers.below(4)).min(text.len())).max(start);
                let piece = if numbers.below(4) == 0 { "" } else { PIECES[numbers.below(PIECES.len())] };
                let before = text.clone();
                text.replace_range(start..end, piece);
                let new_end = (start + piece.len()) as u32;
                let change = TextChange { start: start as u32, old_end: end as u32, new_end };
                let whole = lex(&text);
                if let Some(relexed) = relex(&tokens, &text, change) {
                    reused += 1;
                    assert_eq!(relexed.tokens, whole, "{text:?} {change:?}");
                    assert_eq!(whole.end_idx() - relexed.end_new, tokens.end_idx() - relexed.end_old);
                }
                // Nothing is kept of a string with errors.
                if whole.has_errors() {
                    text = before;
                } else {
                    tokens = whole;
                }
            }
        }
        assert!(reused > 500, "{reused}");
    }

    #[test]
    fn only_the_lines_around_a_change_are_read() {
        let before = "$a = 1\n$b = \"x\ny\"\n$c = 3\n";
        let tokens = lex(before);
        let text = "$a = 1\n$b = \"x\nyz\"\n$c = 3\n";
        let change = TextChange { start: 16, old_end: 16, new_end: 17 };
        let relexed = relex(&tokens, text, change).expect("there are no errors");
        assert_eq!(relexed.tokens, lex(text));
        let kinds = |relexed: &super::Relexed| (relexed.first_new, relexed.end_new, relexed.end_old);
        let at = |index: u32| crate::TokenIdx::FIRST + index;
        assert_eq!(kinds(&relexed), (at(4), at(8), at(8)));
        assert!(
            relex(&tokens, "$a = 1\n$b = \"x\n\"y\"\n$c = 3\n", TextChange { start: 15, old_end: 15, new_end: 16 })
                .is_none()
        );
    }
}
