//! Values of entries that are written as in YAML.

use mcl_diagnostics::Span;
use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitError, HabitKind};
use crate::failure::Failure;
use crate::lookahead::{first_on_line, indentation};
use crate::recovery::replacement::Replacement;
use crate::recovery::state::RecoveringParser;
use crate::terminals::{Edit, Terminal};

impl RecoveringParser<'_> {
    /// `=>`, and then `- a` on each line.
    pub(super) fn yaml_list(&self, f: &Failure<'_>) -> Option<Replacement> {
        // The statement may seem to end with the line.
        if self.kind(f.at)? != TokenKind::Minus
            || f.before(1)? != TokenKind::Rocket
            || f.context? != BracketContext::Entries
            || !self.tokens.newline_before(f.at)
        {
            return None;
        }
        let end = self.yaml_value(f.at)?;
        let items: Vec<String> =
            f.at.until(end)
                .filter(|token| self.kind(*token) == Some(TokenKind::Minus) && self.tokens.newline_before(*token))
                .map(|dash| {
                    let item = self.span_between(dash + 1, self.line_end(dash).min(end));
                    let text = self.text.get(item.start as usize..item.end as usize).unwrap_or_default();
                    format!("\"{}\"", text.trim_matches(['"', '\'', ',']))
                })
                .collect();
        let error = f.error_at(HabitKind::YamlList { suggestion: items.join(", ") }, f.at);
        let mut edits = vec![(f.at, Edit { terminals: vec![Terminal::ErrorValue], resume: end })];
        if self.kind(end) != Some(TokenKind::Comma) {
            edits[0].1.terminals.push(Terminal::Kind(TokenKind::Comma));
        }
        Some(Replacement { error, edits })
    }

    /// Returns the end of a value of an entry that is written as in YAML: a word or path without quotes, a block of text, or
    /// a list of lines that start with `-`.
    pub(super) fn yaml_value(&self, start: TokenIdx) -> Option<TokenIdx> {
        let on_new_line = self.tokens.newline_before(start);
        if let Some(end) = self.yaml_block_end(start).filter(|_| !on_new_line) {
            return Some(end);
        }
        let is_yaml = match self.kind(start)? {
            TokenKind::Minus => on_new_line,
            TokenKind::Divide => !on_new_line,
            TokenKind::Identifier => {
                let ends_line = self.tokens.newline_before(start + 1)
                    || matches!(self.kind(start + 1), None | Some(TokenKind::Comma | TokenKind::CloseCurly));
                !on_new_line && ends_line
            }
            _ => false,
        };
        if !is_yaml {
            return None;
        }
        let mut token = start + 1;
        while let Some(kind) = self.kind(token) {
            let starts_line = self.tokens.newline_before(token);
            let is_item = kind == TokenKind::Minus;
            if kind.is_closer()
                || kind == TokenKind::Comma
                || starts_line && !is_item
                || !self.brackets.virtually_closed(token).is_empty()
            {
                break;
            }
            token = self.after(token);
        }
        Some(token)
    }

    /// `content => |`, and the lines of the string.
    pub(super) fn yaml_block(&self, f: &Failure<'_>) -> Option<Replacement> {
        if f.context? != BracketContext::Entries || f.before(1)? != TokenKind::Rocket {
            return None;
        }
        let end = self.yaml_block_end(f.at).filter(|_| !self.tokens.newline_before(f.at))?;
        let covers = Some(self.builder.span(f.at, end));
        let error = f.error_at(HabitError { kind: HabitKind::YamlBlock { has_colon: false }, covers }, f.at);
        let mut terminals = vec![Terminal::ErrorValue];
        if self.kind(end) != Some(TokenKind::Comma) {
            terminals.push(Terminal::Kind(TokenKind::Comma));
        }
        Some(Replacement { error, edits: vec![(f.at, Edit { terminals, resume: end })] })
    }

    /// Returns the span of the blocks of text after the separators of some entries, from the first to the last.
    pub(super) fn yaml_blocks(&self, separators: &[TokenIdx]) -> Option<Span> {
        let blocks = separators.iter().filter_map(|separator| {
            let start = *separator + 1;
            Some(self.builder.span(start, self.yaml_block_end(start)?))
        });
        blocks.reduce(Span::to)
    }

    /// Returns the end of the block of text that `|`, `>`, `|-` or the like starts: its lines are indented further than the
    /// line of the sign.
    fn yaml_block_end(&self, sign: TokenIdx) -> Option<TokenIdx> {
        let is_sign = match self.kind(sign)? {
            TokenKind::Gt => true,
            TokenKind::Unrecognized => self.tokens.text(self.text, sign) == "|",
            _ => false,
        };
        let mut end = sign + 1;
        if matches!(self.kind(end), Some(TokenKind::Minus | TokenKind::Plus)) && !self.tokens.newline_before(end) {
            end = end + 1;
        }
        if !is_sign || self.kind(end).is_none() || !self.tokens.newline_before(end) {
            return None;
        }
        let base = indentation(self.text, self.tokens, first_on_line(self.tokens, sign));
        while self.kind(end).is_some()
            && !(self.tokens.newline_before(end) && indentation(self.text, self.tokens, end) <= base)
        {
            end = end + 1;
        }
        Some(end)
    }
}
