//! The state of recovery, and what its decisions look at.

use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::bracket::BracketContext;
use crate::bracket_recovery::{BalancedBrackets, balance_brackets};
use crate::builder::Builder;
use crate::error::{BracketError, SyntaxError, SyntaxErrorKind};
use crate::failure::Cause;
use crate::terminals::Edits;

/// The number of times that a statement was tried.
#[derive(Default)]
pub struct Attempts {
    pub statement: Option<TokenIdx>,
    pub count: u32,
}

/// A failed statement.
pub struct FailedStatement {
    /// The token that does not fit.
    pub at: TokenIdx,
    pub cause: Cause,
    /// Whether the statement ends at the failure.
    pub incomplete: bool,
    /// The start of the next statement.
    pub next: Option<TokenIdx>,
}

/// A file that is being parsed with recovery.
pub struct RecoveringParser<'t> {
    pub tokens: &'t Tokens,
    pub text: &'t str,
    pub builder: Builder<'t>,
    pub brackets: BalancedBrackets,
    pub edits: Edits,
    pub errors: Vec<SyntaxError>,
    /// The attempts at the current statement.
    pub attempts: Attempts,
    /// The end of the last statement that was skipped.
    pub skipped_to: Option<TokenIdx>,
    /// From this token on, syntax errors are consequences of an unterminated string.
    pub silent_from: Option<TokenIdx>,
    /// The statements of other languages, in source order.
    pub covers: Vec<Span>,
    /// Whether an error that is reported once per file was reported.
    pub has_reported_once: bool,
}

impl<'t> RecoveringParser<'t> {
    /// Balances the brackets of a file, and prepares to parse it.
    pub fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> RecoveringParser<'t> {
        let mut brackets = balance_brackets(file, text, tokens);
        let silent_from = first_unreliable_token(text, tokens);
        let mut errors = std::mem::take(&mut brackets.errors);
        if let Some(silent_from) = silent_from {
            // An opener before the unterminated string is only unclosed because the string contains its closer.
            let limit = tokens.start(silent_from);
            errors.retain(|error| {
                let other = match &error.kind {
                    SyntaxErrorKind::Bracket(
                        BracketError::Unclosed { closed_by: other, .. }
                        | BracketError::Mismatched { opener: other, .. },
                    ) => Some(*other),
                    _ => None,
                };
                error.span.start < limit && other.is_none_or(|other| other.end < limit)
            });
        }
        let edits = std::mem::take(&mut brackets.edits);
        RecoveringParser {
            tokens,
            text,
            builder: Builder::new(file, text, tokens),
            brackets,
            edits,
            errors,
            attempts: Attempts::default(),
            skipped_to: None,
            silent_from,
            covers: Vec::new(),
            has_reported_once: false,
        }
    }

    /// Returns the kind of a token, or `None` past the end.
    pub fn kind(&self, token: TokenIdx) -> Option<TokenKind> {
        self.tokens.kind(token)
    }

    /// Returns the token after a token, or after the brackets that it opens.
    pub fn after(&self, token: TokenIdx) -> TokenIdx {
        match self.brackets.after_closer(token) {
            Some(after) if self.kind(token).is_some_and(TokenKind::is_opener) => after.max(token + 1),
            _ => token + 1,
        }
    }

    /// Returns the brackets of the statement that are open at a token, outermost first.
    pub fn open_brackets(&self, start: TokenIdx, at: TokenIdx) -> Vec<OpenBracket> {
        let mut open = Vec::new();
        let mut token = start;
        while token < at {
            if self.kind(token).is_some_and(TokenKind::is_opener) {
                match self.brackets.after_closer(token) {
                    Some(after) if after > at => {
                        let context = BracketContext::of_open(self.tokens, token, start, open.len());
                        open.push(OpenBracket { opener: token, context });
                    }
                    Some(after) => {
                        token = after;
                        continue;
                    }
                    None => {}
                }
            }
            token = token + 1;
        }
        open
    }

    /// Whether an edit replaces the token.
    pub fn is_replaced(&self, token: TokenIdx) -> bool {
        self.edits.range(..=token).next_back().is_some_and(|(_, edit)| edit.resume > token)
    }
}

/// A bracket that is open at a failure.
pub struct OpenBracket {
    pub opener: TokenIdx,
    pub context: BracketContext,
}

/// Returns the token from which on syntax errors are consequences of an unterminated string, if there is one: an earlier
/// string lacks its closing quote, most likely the first one with a line break, because from there on code is taken for
/// strings and strings for code.
fn first_unreliable_token(text: &str, tokens: &Tokens) -> Option<TokenIdx> {
    let last = tokens.end_idx().previous().filter(|last| tokens[*last] == TokenKind::UnterminatedString)?;
    let multiline = |token: &TokenIdx| tokens[*token] == TokenKind::String && tokens.text(text, *token).contains('\n');
    tokens.indices().find(multiline).or(Some(last))
}
