//! The lexer: the tokens of a whole text.

use rayon::prelude::*;

use crate::kind::TokenKind;
use crate::missing_quote::with_missing_quote;
use crate::scan::{lex_from, lex_lines};
use crate::tokens::{MAX_TEXT_LEN, Tokens};

/// Few texts have a token for less than this many bytes. Memory that is reserved and not used is never touched, so it is not
/// resident, while tables that grow step by step leave copies behind.
const BYTES_PER_TOKEN: usize = 2;

/// A part of a text that is split in parts has at least this many bytes.
const MIN_PART_BYTES: usize = 64 << 10;

/// Splits a text into tokens. Never fails; see [`TokenKind::is_error`].
#[must_use]
pub fn lex(text: &str) -> Tokens {
    let text = if text.len() > MAX_TEXT_LEN { &text[..text.floor_char_boundary(MAX_TEXT_LEN)] } else { text };
    if let Some(tokens) = lex_in_parts(text, rayon::current_num_threads().min(text.len() / MIN_PART_BYTES)) {
        return tokens;
    }
    let mut tokens = Tokens::for_text_len(text.len() as u32);
    tokens.reserve(text.len() / BYTES_PER_TOKEN);
    lex_from(text, 0, &mut tokens);
    match tokens.kinds().last() {
        Some(TokenKind::UnterminatedString) => with_missing_quote(text, tokens),
        _ => tokens,
    }
}

/// Splits a large text in parts, at the same time. Only strings go on after the end of a line, and a part that ends in a
/// string has an error there; so if no part has an error, their tokens are those of the text. Returns `None` if one has,
/// and for a text that cannot be divided.
fn lex_in_parts(text: &str, count: usize) -> Option<Tokens> {
    let ends = (1..count).map(|part| text.len() / count * part);
    let mut ends: Vec<usize> =
        ends.filter_map(|end| Some(end + text.as_bytes()[end..].iter().position(is_newline)? + 1)).collect();
    ends.dedup();
    ends.retain(|end| *end < text.len());
    if ends.is_empty() {
        return None;
    }
    ends.push(text.len());
    let starts = [0].into_iter().chain(ends.iter().copied());
    let parts: Vec<(usize, usize)> = starts.zip(ends.iter().copied()).collect();
    let lex_part = |(start, end): &(usize, usize)| {
        let mut tokens = Tokens::for_text_len(text.len() as u32);
        // The tokens of the other parts are added to those of the first one.
        let end_of_table = if *start == 0 { text.len() } else { *end };
        tokens.reserve((end_of_table - start) / BYTES_PER_TOKEN);
        lex_lines(text, *start as u32, *end as u32, &mut tokens);
        (!tokens.kinds().iter().any(|kind| kind.is_error())).then_some(tokens)
    };
    let parts = parts.par_iter().map(lex_part).collect::<Option<Vec<_>>>()?;
    parts.into_iter().reduce(|mut tokens, part| {
        tokens.append(part);
        tokens
    })
}

fn is_newline(byte: &u8) -> bool {
    *byte == b'\n'
}

#[cfg(test)]
mod tests {
    use super::{lex, lex_in_parts};

    /// Lines of all kinds of tokens, comments and strings over several lines among them.
    fn large_text(lines: usize) -> String {
        let line = |i: usize| match i % 7 {
            0 => format!("$x{i} = [1, 2.5, {i}] # comment \"{i}\n"),
            1 => "\n".to_owned(),
            2 => format!("file \"/a/${{x{i}}}\" {{ state => $y->z <|> true }}"),
            3 => "\t# only a comment\n\n".to_owned(),
            4 => format!("$s{i} = \"two\nlines \\\" {i}\" + \"\"\n"),
            5 => "func f($a str) str { $a }\n".to_owned(),
            _ => format!("class c:d{i}() {{}}\n"),
        };
        (0..lines).map(line).collect()
    }

    #[test]
    fn parts_give_the_tokens_of_the_whole() {
        for lines in 0..80 {
            let text = large_text(lines);
            let whole = lex(&text);
            for count in [2, 3, 4, 7, 40] {
                if let Some(parts) = lex_in_parts(&text, count) {
                    assert_eq!(parts, whole, "{lines} lines in {count} parts");
                }
            }
        }
        let text = large_text(77);
        assert!((2..40).filter(|count| lex_in_parts(&text, *count).is_some()).count() > 3);
    }

    #[test]
    fn a_text_with_an_error_is_not_divided() {
        let divided = |text: &str| lex_in_parts(text, 2).is_some();
        assert!(divided("$x = 1\n$y = 2\n$z = 3\n"));
        assert!(!divided("$x = \"1\n$y = 2\n$z = 3\n"), "a string without its quote");
        assert!(!divided("$x = 1\n$y = \"2\n3\"\n"), "a string at the end of the first part");
        assert!(!divided("$x = <<EOT\n$y = 2\nEOT\n"), "a heredoc");
        assert!(!divided("$x = 1 $y = 2"), "one line");
    }

    #[test]
    fn a_large_text_is_divided() {
        let text = large_text(20_000);
        let in_pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| lex(&text))
        };
        let whole = in_pool(1);
        assert!([2, 3].into_iter().all(|threads| in_pool(threads) == whole));
    }
}
