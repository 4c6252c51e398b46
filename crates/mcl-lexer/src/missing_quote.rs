//! The string that lacks its closing quote.
//!
//! A missing quote turns the rest of the file inside out: what should be strings is read as code, and code as strings, up
//! to the last quote, which opens a string that nothing closes. The mistake is most likely where a string runs over the end
//! of its line. Each such string is tried: it is closed at the end of its line, and the rest is read again. Where quotes
//! are turned inside out, many strings contain line breaks, touch words, or leave characters that are not tokens, so the
//! reading with the fewest such oddities is the right one.

use crate::kind::TokenKind;
use crate::scan::lex_from;
use crate::tokens::{TokenIdx, Tokens};

/// At most this many strings are tried.
const MAX_CANDIDATES: usize = 24;

/// How odd the end of the file inside a string is.
const UNTERMINATED: usize = 1000;

/// Returns the tokens of a text with the missing quote, which as it is ends inside a string.
pub(crate) fn with_missing_quote(text: &str, tokens: Tokens) -> Tokens {
    let runs_over_lines = |token: &TokenIdx| {
        matches!(tokens[*token], TokenKind::String | TokenKind::UnterminatedString)
            && tokens.text(text, *token).contains('\n')
    };
    let last = tokens.end_idx().previous();
    if last.is_some_and(|last| is_prose(&text[tokens.start(last) as usize..])) {
        return tokens;
    }
    let candidates = tokens.indices().filter(runs_over_lines).take(MAX_CANDIDATES).chain(last);
    let closed = candidates.map(|token| closed_in_its_line(text, &tokens, token));
    let best = closed.map(|closed| (oddities(text, &closed), closed)).min_by_key(|(oddities, _)| *oddities);
    best.map_or(tokens, |(_, closed)| closed)
}

/// Whether the lines after the first one of an open string are text rather than code.
fn is_prose(string: &str) -> bool {
    let rest = string.split_once('\n').map_or("", |(_, rest)| rest);
    !rest.is_empty() && !rest.contains(['{', '}', '(', ')', '[', ']', '=', '$', '"'])
}

/// Returns the tokens of the text if a string ends in the line in which it starts.
fn closed_in_its_line(text: &str, tokens: &Tokens, string: TokenIdx) -> Tokens {
    let start = tokens.start(string);
    let rest = &text[start as usize + 1..];
    let line = rest.split('\n').next().unwrap_or(rest);
    let end = start + 1 + content_len(line) as u32;
    let mut closed = tokens.before(string);
    closed.push(TokenKind::UnterminatedString, start, end, tokens.newline_before(string));
    lex_from(text, end, &mut closed);
    closed
}

/// Returns the length of the part of a line that belongs to its last string, which lacks its quote: all but the punctuation
/// at the end.
fn content_len(line: &str) -> usize {
    let mut content = line;
    loop {
        content = content.trim_end();
        let closes_outside = |opener: char, closer: char| {
            content.ends_with(closer) && content.matches(closer).count() > content.matches(opener).count()
        };
        let is_empty_body = content.ends_with("{}") && content.len() > 2;
        if is_empty_body {
            content = &content[..content.len() - 2];
        } else if content.ends_with(['{', ','])
            || [('(', ')'), ('[', ']'), ('{', '}')].into_iter().any(|(opener, closer)| closes_outside(opener, closer))
        {
            content = &content[..content.len() - 1];
        } else {
            return content.len();
        }
    }
}

/// Counts the signs that strings are read as code.
fn oddities(text: &str, tokens: &Tokens) -> usize {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let mut count = 0;
    for token in tokens.indices() {
        let (start, end) = (tokens.start(token) as usize, tokens.end(token) as usize);
        count += match tokens[token] {
            TokenKind::UnterminatedString if text[start..end].contains('\n') => UNTERMINATED,
            TokenKind::UnterminatedString => usize::from(start > 0 && is_word(bytes.get(start - 1))),
            TokenKind::String => {
                let touches =
                    usize::from(start > 0 && is_word(bytes.get(start - 1))) + usize::from(is_word(bytes.get(end)));
                let content = &text[start + 1..end];
                touches + usize::from(content.contains('\n')) + 2 * usize::from(content.starts_with('\n'))
            }
            kind => usize::from(kind.is_error()),
        };
    }
    count
}
