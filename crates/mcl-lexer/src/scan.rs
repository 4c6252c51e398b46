//! From characters to tokens, one after the other.

use logos::Logos;

use crate::heredoc::{Heredocs, TRIPLE_QUOTE};
use crate::kind::TokenKind;
use crate::tokens::{Comment, Tokens};

/// Appends the tokens of a text from an offset on.
pub(crate) fn lex_from(text: &str, from: u32, tokens: &mut Tokens) {
    lex_between(text, from, text.len() as u32, false, &mut Heredocs::default(), tokens);
}

/// Appends the tokens of some lines of a text.
pub(crate) fn lex_lines(text: &str, from: u32, to: u32, tokens: &mut Tokens) {
    lex_between(text, from, to, from > 0, &mut Heredocs::default(), tokens);
}

/// Returns the number of bytes after an opening quote up to and with the closing one, if that is on the same line.
fn quoted_len(quote: &str, rest: &str) -> Option<usize> {
    let end = rest.bytes().position(|byte| byte == b'\n' || byte == quote.as_bytes()[0])?;
    (rest.as_bytes()[end] != b'\n').then_some(end + 1)
}

/// Appends the tokens between two offsets; `newline` says whether there is one before the first of them.
fn lex_between(text: &str, from: u32, to: u32, mut newline: bool, heredocs: &mut Heredocs, tokens: &mut Tokens) {
    let mut lexer = TokenKind::lexer(&text[from as usize..to as usize]);
    while let Some(kind) = lexer.next() {
        let span = lexer.span();
        let (start, mut end) = (from + span.start as u32, from + span.end as u32);
        let kind = match kind {
            Ok(TokenKind::Newline) => {
                newline = true;
                continue;
            }
            Ok(TokenKind::Comment) => {
                tokens.comments.push(Comment { start, end, next_token: tokens.end_idx() });
                continue;
            }
            Ok(TokenKind::Integer) => integer_kind(lexer.slice()),
            Ok(TokenKind::Float) => float_kind(lexer.slice()),
            Ok(TokenKind::NonAscii) if lexer.slice().chars().all(is_invalid_whitespace) => TokenKind::InvalidWhitespace,
            Ok(TokenKind::WrongQuotes) => match quoted_len(lexer.slice(), lexer.remainder()) {
                Some(len) => {
                    lexer.bump(len);
                    end += len as u32;
                    TokenKind::WrongQuotes
                }
                None => TokenKind::Unrecognized,
            },
            Ok(TokenKind::Heredoc) if lexer.slice() == TRIPLE_QUOTE => {
                let len = heredocs.string_len(lexer.remainder()).unwrap_or(0);
                lexer.bump(len);
                end += len as u32;
                TokenKind::Heredoc
            }
            Ok(TokenKind::Heredoc) => {
                if let Some(content) = heredocs.content(lexer.slice(), lexer.remainder()) {
                    tokens.push(TokenKind::Heredoc, start, end, newline);
                    newline = false;
                    lexer.bump(content.end);
                    lex_between(text, end, end + content.start as u32, false, heredocs, tokens);
                    continue;
                }
                TokenKind::Heredoc
            }
            Ok(kind) => kind,
            // Only the callback of strings fails; every other character is matched by some pattern.
            Err(()) => TokenKind::UnterminatedString,
        };
        tokens.push(kind, start, end, newline);
        newline = false;
    }
}

fn is_invalid_whitespace(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

fn integer_kind(digits: &str) -> TokenKind {
    // Eighteen digits and a sign always fit.
    if digits.len() < 19 || digits.parse::<i64>().is_ok() { TokenKind::Integer } else { TokenKind::IntegerOverflow }
}

fn float_kind(digits: &str) -> TokenKind {
    if digits.len() < 300 || digits.parse::<f64>().is_ok_and(f64::is_finite) {
        TokenKind::Float
    } else {
        TokenKind::FloatOverflow
    }
}
