//! The state of recovery, and what its decisions look at.

use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};
use rustc_hash::FxHashSet;

use crate::bracket::BracketContext;
use crate::bracket_recovery::{BalancedBrackets, balance_brackets, match_brackets};
use crate::builder::Builder;
use crate::error::SyntaxError;
use crate::failure::Cause;
use crate::lookahead::first_on_line;
use crate::recovery::search::{Search, TokenEdit};
use crate::terminals::Edits;
use crate::token_set::TokenSet;

/// The number of times that a statement was tried.
#[derive(Default)]
pub struct Attempts {
    pub statement: Option<TokenIdx>,
    pub count: u32,
}

/// A failed statement.
pub struct FailedStatement {
    /// Where the parser failed, and what the grammar accepts there.
    pub first: (TokenIdx, TokenSet),
    /// The token that does not fit.
    pub at: TokenIdx,
    pub cause: Cause,
    /// Whether the statement ends at the failure.
    pub incomplete: bool,
    /// The start of the next statement.
    pub next: Option<TokenIdx>,
}

/// What is known of the brackets of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// They match, as they are or after the edits so far.
    Matched,
    /// They do not match, and the edits that make them match are searched one after the other.
    Unmatched,
    /// They do not match, and no such edits were found: they were balanced by guesses.
    Guessed,
}

/// A brace of a block that an edit inserts or deletes, wherever it is in the file.
#[derive(Clone)]
pub struct BlockRepair {
    pub edit: TokenEdit,
    pub error: SyntaxError,
}

/// A file that is being parsed with recovery.
pub struct RecoveringParser<'t> {
    pub tokens: &'t Tokens,
    pub text: &'t str,
    pub builder: Builder<'t>,
    pub state: Brackets,
    pub brackets: BalancedBrackets,
    pub edits: Edits,
    pub errors: Vec<SyntaxError>,
    pub search: Search<'t>,
    /// The braces that were edited before this parse began.
    pub block_repairs: Vec<BlockRepair>,
    /// The attempts at the current statement.
    pub attempts: Attempts,
    /// The end of the last statement that was skipped.
    pub skipped_to: Option<TokenIdx>,
    /// The token that the search changed last; what is wrong on the rest of its line follows from that.
    pub edited: Option<TokenIdx>,
    /// The statements of other languages.
    pub covers: Vec<Span>,
    /// Whether an error that is reported once per file was reported.
    pub has_reported_once: bool,
    /// The variables that are bound without a dollar sign, which was reported; their uses lack it, too.
    pub bare_names: FxHashSet<String>,
    /// The invalid names that were reported: with capitals, dashes, or two colons.
    pub invalid_names: FxHashSet<String>,
}

impl<'t> RecoveringParser<'t> {
    /// Prepares to parse a file whose brackets match except for what `block_repairs` changes and what will be searched.
    pub fn searching(
        file: FileId,
        text: &'t str,
        tokens: &'t Tokens,
        block_repairs: Vec<BlockRepair>,
    ) -> RecoveringParser<'t> {
        let edits: Edits = block_repairs.iter().map(|repair| (repair.edit.at, repair.edit.edit())).collect();
        let errors = block_repairs.iter().map(|repair| repair.error.clone()).collect();
        let (state, brackets) = match match_brackets(tokens, &edits) {
            Some(brackets) => (Brackets::Matched, brackets),
            None => (Brackets::Unmatched, BalancedBrackets::default()),
        };
        RecoveringParser { state, brackets, edits, errors, block_repairs, ..RecoveringParser::new(file, text, tokens) }
    }

    /// Balances the brackets of a file by guesses, and prepares to parse it.
    pub fn guessing(file: FileId, text: &'t str, tokens: &'t Tokens) -> RecoveringParser<'t> {
        let mut brackets = balance_brackets(file, text, tokens);
        // A string that lacks its quote may contain the partner of a bracket.
        let unterminated = tokens.indices().find(|token| tokens[*token] == TokenKind::UnterminatedString);
        if let Some(string) = unterminated {
            let limit = tokens.start(first_on_line(tokens, string));
            brackets.errors.retain(|error| error.span.end <= limit);
        }
        let edits = std::mem::take(&mut brackets.edits);
        let errors = std::mem::take(&mut brackets.errors);
        RecoveringParser {
            state: Brackets::Guessed,
            brackets,
            edits,
            errors,
            ..RecoveringParser::new(file, text, tokens)
        }
    }

    /// Prepares to parse a file whose brackets match.
    fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> RecoveringParser<'t> {
        RecoveringParser {
            tokens,
            text,
            builder: Builder::new(file, text, tokens),
            state: Brackets::Matched,
            brackets: BalancedBrackets::default(),
            edits: Edits::default(),
            errors: Vec::new(),
            search: Search::new(tokens),
            block_repairs: Vec::new(),
            attempts: Attempts::default(),
            skipped_to: None,
            edited: None,
            covers: Vec::new(),
            has_reported_once: false,
            bare_names: FxHashSet::default(),
            invalid_names: FxHashSet::default(),
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
