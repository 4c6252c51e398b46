//! Edits of single elements of lists and entries of resources.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::lookahead::starts_entry;
use crate::recovery::search::{Change, TokenEdit};
use crate::recovery::state::{FailedStatement, RecoveringParser};
use crate::terminals::{Edit, Terminal};
use crate::token_set::{ARGUMENT_START, OPERAND_END};

const COMMA: Terminal = Terminal::Kind(TokenKind::Comma);
const COMMA_INSTEAD: Change = Change::Replace(COMMA);

/// An edit of one element.
pub struct Repair {
    /// The token before which the edit applies.
    pub at: TokenIdx,
    pub edit: Edit,
    /// The first token of the element that the edit replaces or completes.
    pub element: TokenIdx,
    /// Whether the edit inserts a comma after the element.
    pub missing_comma: bool,
}

/// The tokens of an element, without its comma.
struct Element {
    start: TokenIdx,
    end: TokenIdx,
}

impl RecoveringParser<'_> {
    /// Returns an edit of the element at the failure, which keeps the rest of the statement. `likely` is the change of one
    /// token that makes the statement right; the element that it is in is replaced, if it is in one.
    pub(super) fn repair_element(
        &self,
        start: TokenIdx,
        failed: &FailedStatement,
        likely: Option<TokenEdit>,
    ) -> Option<Repair> {
        let at = failed.at;
        let mut open = self.open_brackets(start, at).into_iter().rev();
        let bracket = open.find(|bracket| bracket.context.has_elements())?;
        let after = self.brackets.after_closer(bracket.opener)?;
        let closer = after.previous()?;
        let is_virtual = !self.kind(closer).is_some_and(TokenKind::is_closer);
        let content_end = if is_virtual { after } else { closer };
        if failed.next.is_some_and(|next| next < content_end) || likely.is_some_and(|edit| edit.at <= bracket.opener) {
            return None;
        }
        if let Some(edit) = likely.filter(|edit| edit.change == COMMA_INSTEAD) {
            // The number of arguments and parameters depends on which token is wrong.
            let is_certain = !matches!(bracket.context, BracketContext::Arguments | BracketContext::Parameters);
            return is_certain.then(|| Repair {
                at: edit.at,
                edit: edit.edit(),
                element: edit.at,
                missing_comma: false,
            });
        }
        let element = self.element_at(bracket.opener + 1, content_end, at, bracket.context, likely);
        let accepts_comma = failed.cause.expected().contains(TokenKind::Comma);
        let after_element = element.start < at && OPERAND_END.has(at.previous().and_then(|last| self.kind(last)));
        let is_likely = likely.is_none_or(|edit| {
            edit.change == Change::Insert(COMMA) || edit.at == at && matches!(edit.change, Change::Delete)
        });
        let missing_comma =
            accepts_comma && after_element && is_likely && self.starts_next_element(bracket.context, at, content_end);
        // The number of arguments is then unknown.
        let (position, mut edit) = if missing_comma && bracket.context != BracketContext::Arguments {
            (at, Edit { terminals: vec![Terminal::Kind(TokenKind::Comma)], resume: at })
        } else {
            let node = if bracket.context.has_value_elements() { Terminal::ErrorValue } else { Terminal::ErrorItem };
            let lacks_comma = bracket.context == BracketContext::Entries
                && self.kind(element.end) != Some(TokenKind::Comma)
                && !self.edits.get(&element.end).is_some_and(|edit| edit.terminals.first() == Some(&COMMA));
            let comma = lacks_comma.then_some(Terminal::Kind(TokenKind::Comma));
            (element.start, Edit { terminals: [node].into_iter().chain(comma).collect(), resume: element.end })
        };
        if let Some(existing) = self.edits.get(&position) {
            let only_commas = existing.terminals.iter().all(|t| *t == Terminal::Kind(TokenKind::Comma));
            if existing.resume != position || !only_commas || missing_comma {
                return None;
            }
            edit.terminals.splice(0..0, existing.terminals.iter().copied());
        }
        Some(Repair { at: position, edit, element: element.start, missing_comma })
    }

    /// Returns the element around the token `at` or the likely change, among those from `first` up to `end`.
    fn element_at(
        &self,
        first: TokenIdx,
        end: TokenIdx,
        at: TokenIdx,
        context: BracketContext,
        likely: Option<TokenEdit>,
    ) -> Element {
        let at = likely.map_or(at, |edit| edit.at.max(first).min(at));
        let mut element = Element { start: first, end };
        let mut token = first;
        while token < end {
            let kind = self.kind(token);
            let is_comma = match likely.filter(|edit| edit.at == token) {
                Some(TokenEdit { change: Change::Delete, .. }) => false,
                Some(edit @ TokenEdit { change: Change::Replace(_), .. }) => edit.new_kind() == Some(TokenKind::Comma),
                _ => kind == Some(TokenKind::Comma),
            };
            if is_comma {
                if token >= at {
                    element.end = token;
                    break;
                }
                element.start = token + 1;
            } else if token > at
                && context == BracketContext::Entries
                && starts_entry(self.tokens, token)
                && !matches!(
                    token.previous().and_then(|previous| self.kind(previous)),
                    Some(TokenKind::Colon | TokenKind::Minus)
                )
                && (self.tokens.newline_before(token) || self.has_rocket(element.start, token))
            {
                element.end = token;
                break;
            } else if kind.is_some_and(TokenKind::is_opener)
                && let Some(after) = self.brackets.after_closer(token)
            {
                token = after;
                continue;
            }
            token = token + 1;
        }
        element
    }

    fn has_rocket(&self, start: TokenIdx, end: TokenIdx) -> bool {
        start.until(end).any(|token| self.kind(token) == Some(TokenKind::Rocket))
    }

    /// Whether the token at the failure is likely to start the next element.
    fn starts_next_element(&self, context: BracketContext, at: TokenIdx, content_end: TokenIdx) -> bool {
        match context {
            BracketContext::Entries => at == content_end || starts_entry(self.tokens, at),
            // Calls keep the number of their arguments, which is checked later; `-2` is more likely a subtraction.
            BracketContext::Arguments | BracketContext::Parameters => {
                at < content_end
                    && ARGUMENT_START.has(self.kind(at))
                    && !self.tokens.text(self.text, at).starts_with('-')
            }
            _ => at < content_end && self.tokens.newline_before(at),
        }
    }
}
