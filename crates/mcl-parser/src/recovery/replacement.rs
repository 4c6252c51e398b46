//! Tokens that other languages write in place of another one: the statement is parsed as if they were right.
//!
//! All tokens of the statement with the same mistake are replaced at once, so a resource with `=` after each field gives
//! one error.

mod allocation;
mod comment;
mod interpolated;
mod keyword;
mod separator;
mod yaml;

use mcl_diagnostics::Span;
use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::diagnosis::spread_in_map;
use crate::error::{BareWordError, Found, FunctionError, HabitKind, StatementError, SyntaxError, TypeError};
use crate::failure::Failure;
use crate::foreign_kinds::kind_in_edge;
use crate::lookahead::starts_entry;
use crate::recovery::state::{FailedStatement, RecoveringParser};
use crate::terminals::{Edit, Terminal};
use crate::token_set::{OPERAND_END, SIMPLE_TYPE, STRING_LIKE, TokenSet, WORD};

/// Edits that make sense of a failed statement.
pub struct Replacement {
    pub error: SyntaxError,
    pub edits: Vec<(TokenIdx, Edit)>,
}

/// The tokens that a type starts with.
const TYPE_START: TokenSet =
    SIMPLE_TYPE.union(TokenSet::new(&[TokenKind::Map, TokenKind::Struct, TokenKind::Func, TokenKind::OpenBracket]));

fn deletion(at: TokenIdx, end: TokenIdx) -> (TokenIdx, Edit) {
    (at, Edit { terminals: Vec::new(), resume: end })
}

fn by(at: TokenIdx, kind: TokenKind) -> (TokenIdx, Edit) {
    (at, Edit { terminals: vec![Terminal::Kind(kind)], resume: at + 1 })
}

impl RecoveringParser<'_> {
    /// Returns the edits for a failed statement, if one of its tokens is what another language writes there.
    pub(super) fn replacement(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        let replacement = self
            .comment(f)
            .or_else(|| self.keyword_as_name(f))
            .or_else(|| self.misspelled_keyword(f))
            .or_else(|| self.separator(f))
            .or_else(|| self.allocation(f, failed))
            .or_else(|| self.map_without_keys(f, failed))
            .or_else(|| self.rocket(f))
            .or_else(|| self.yaml_list(f))
            .or_else(|| self.yaml_block(f))
            .or_else(|| self.expression_in_string(f))
            .or_else(|| self.quotes_in_string(f))
            .or_else(|| self.unquoted_path(f))
            .or_else(|| self.types_before_parameters(f))
            .or_else(|| self.superfluous(f))
            .or_else(|| self.unquoted_name(f, failed))?;
        // A token is edited once.
        let is_new = replacement.edits.iter().all(|(at, _)| !self.edits.contains_key(at) && !self.is_replaced(*at));
        is_new.then_some(replacement)
    }

    fn span_between(&self, start: TokenIdx, end: TokenIdx) -> Span {
        self.builder.span(start, end)
    }

    /// Returns the tokens, from the failure to the end of the brackets around it, that meet a condition.
    fn in_same_brackets(&self, f: &Failure<'_>, condition: impl Fn(TokenIdx) -> bool) -> Vec<TokenIdx> {
        let mut found = Vec::new();
        let mut token = f.at;
        while let Some(kind) = self.kind(token) {
            if kind.is_closer() || !self.brackets.virtually_closed(token).is_empty() {
                break;
            }
            if condition(token) && !self.edits.contains_key(&token) {
                found.push(token);
            }
            token = self.after(token);
        }
        found
    }

    /// `{1, 2}`, `{a: 1}`, `{...$a, "b" => 1}`, `{for k, v in $map : k => v}`: braces whose content is not a map.
    fn map_without_keys(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        if let Some(replacement) = self.inherited(f, failed) {
            return Some(replacement);
        }
        if f.context? != BracketContext::Map {
            return None;
        }
        let found = f.found_kind()?;
        let is_bare_key = f.before(1) == Some(TokenKind::Identifier)
            && matches!(f.before(2), Some(TokenKind::OpenCurly | TokenKind::Comma))
            && matches!(found, TokenKind::Rocket | TokenKind::Colon | TokenKind::Equals);
        let is_meta = f.before(4) == Some(TokenKind::Capitalized);
        let error = if is_bare_key && !is_meta {
            f.error_at(BareWordError::MapKey { word: f.owned_text(f.last()) }, f.last())
        } else if found == TokenKind::Comma && f.expects(TokenKind::Rocket) {
            f.error_at(HabitKind::ListInBraces, f.at)
        } else if found == TokenKind::For {
            f.error_at(HabitKind::Comprehension, f.at)
        } else {
            spread_in_map(f)?
        };
        let opener = self.open_brackets(f.start, failed.at).pop()?.opener;
        let closer = self.brackets.after_closer(opener)?.previous()?;
        if self.kind(closer) != Some(TokenKind::CloseCurly) {
            return None;
        }
        let edit = Edit { terminals: vec![Terminal::ErrorItem], resume: closer };
        Some(Replacement { error, edits: vec![(opener + 1, edit)] })
    }

    /// `shell => /bin/sh`: a path in the position of a value.
    fn unquoted_path(&self, f: &Failure<'_>) -> Option<Replacement> {
        let is_joined = |token: TokenIdx| self.tokens.is_adjacent_to_previous(token);
        let is_word = |token: TokenIdx| is_joined(token) && WORD.has(self.kind(token));
        let starts_path = match f.found_kind()? {
            TokenKind::Divide => is_word(f.at + 1),
            TokenKind::Dot => {
                let slash = f.at + if self.kind(f.at + 1) == Some(TokenKind::Dot) { 2 } else { 1 };
                self.kind(slash) == Some(TokenKind::Divide) && is_joined(slash) && is_word(slash + 1)
            }
            _ => false,
        };
        if !starts_path || !f.expects(TokenKind::String) || OPERAND_END.has(f.before(1)) {
            return None;
        }
        let ends = |token: TokenIdx| {
            self.kind(token).is_none_or(|kind| kind == TokenKind::Comma || kind.is_opener() || kind.is_closer())
                || !self.tokens.is_adjacent_to_previous(token)
        };
        let mut end = f.at + 1;
        while !ends(end) {
            end = end + 1;
        }
        let span = self.span_between(f.at, end);
        let path = self.text.get(span.start as usize..span.end as usize)?.to_owned();
        let error = SyntaxError::new(HabitKind::UnquotedPath { path }, span);
        Some(Replacement { error, edits: vec![(f.at, Edit { terminals: vec![Terminal::ErrorValue], resume: end })] })
    }

    /// `func f(int $a, str $b)`, `class c(String $x, Optional[Integer] $y)`.
    fn types_before_parameters(&self, f: &Failure<'_>) -> Option<Replacement> {
        let end_of_type = |token: TokenIdx| {
            let end = match self.kind(token)? {
                TokenKind::Capitalized if self.kind(token + 1) == Some(TokenKind::OpenBracket) => self.after(token + 1),
                kind if kind == TokenKind::Capitalized || SIMPLE_TYPE.contains(kind) => token + 1,
                _ => return None,
            };
            (self.kind(end) == Some(TokenKind::Dollar)).then_some(end)
        };
        if f.context? != BracketContext::Parameters {
            return None;
        }
        let end = end_of_type(f.at)?;
        let span = self.span_between(f.at, end);
        let ty = self.text.get(span.start as usize..span.end as usize)?.to_owned();
        let name = f.owned_text(end + 1);
        let error = SyntaxError::new(FunctionError::TypeBeforeParameter { ty, name: Some(name) }, span);
        let all = self.in_same_brackets(f, |token| end_of_type(token).is_some()).into_iter();
        let edits = all.filter_map(|at| Some(deletion(at, end_of_type(at)?))).collect();
        Some(Replacement { error, edits })
    }

    /// `test not {`: a keyword in the place of the name of a resource.
    fn keyword_as_name(&self, f: &Failure<'_>) -> Option<Replacement> {
        let (name, brace) = (f.start + 1, f.start + 2);
        let is_entry = starts_entry(self.tokens, brace + 1) || self.kind(brace + 1) == Some(TokenKind::CloseCurly);
        let found = self.kind(name).filter(|kind| kind.is_keyword())?;
        if self.kind(f.start) != Some(TokenKind::Identifier)
            || self.kind(brace) != Some(TokenKind::OpenCurly)
            || self.tokens.newline_before(brace)
            || !is_entry
        {
            return None;
        }
        let found = Found::Token { kind: found, text: f.owned_text(name) };
        let kind = f.owned_text(f.start);
        let error = f.error_at(StatementError::ExpectedResourceName { kind, found, has_body: true }, name);
        Some(Replacement { error, edits: vec![(name, Edit { terminals: vec![Terminal::ErrorValue], resume: brace })] })
    }

    /// Tokens that are only to be left out.
    fn superfluous(&self, f: &Failure<'_>) -> Option<Replacement> {
        let found = f.found_kind()?;
        let before = f.before(1)?;
        let next = f.kind(f.at + 1);
        let is_binding = self.kind(f.start) == Some(TokenKind::Dollar) && f.context.is_none();
        let delete =
            |error: SyntaxError, token: TokenIdx| Some(Replacement { error, edits: vec![deletion(token, token + 1)] });
        match found {
            TokenKind::Colon if next == Some(TokenKind::Equals) && is_binding && before != TokenKind::Dollar => {
                let kind = HabitKind::Operator { operator: ":=", instead: "a binding is written `$name = …`" };
                let span = f.span_of(f.at).to(f.span_of(f.at + 1));
                delete(SyntaxError::new(kind, span), f.at)
            }
            TokenKind::Rocket
                if before == TokenKind::CloseBracket
                    && f.context.is_none()
                    && self.kind(f.start) == Some(TokenKind::Capitalized) =>
            {
                let error = f.error_at(HabitKind::RocketBetweenHalves, f.at);
                Some(Replacement { error, edits: vec![by(f.at, TokenKind::Arrow)] })
            }
            TokenKind::Colon
                if WORD.contains(before)
                    && f.before(2) == Some(TokenKind::Dollar)
                    && TYPE_START.has(next)
                    && (is_binding || f.context == Some(BracketContext::Parameters)) =>
            {
                let name = f.owned_text(f.last());
                let ty = f.owned_text(f.at + 1);
                delete(f.error_at(TypeError::ColonBeforeType { name, ty }, f.at), f.at)
            }
            TokenKind::Colon | TokenKind::Arrow if before == TokenKind::CloseParen && f.expects(TokenKind::Variant) => {
                let found = f.owned_text(f.at);
                delete(f.error_at(FunctionError::SignBeforeResult { found }, f.at), f.at)
            }
            TokenKind::Arrow
                if before == TokenKind::CloseCurly
                    && f.context.is_none()
                    && self.kind(f.start) == Some(TokenKind::Identifier)
                    && matches!(next, Some(TokenKind::Identifier | TokenKind::Capitalized | TokenKind::Class)) =>
            {
                delete(f.error_at(HabitKind::ArrowAfterResource, f.at), f.at)
            }
            TokenKind::Colon
                if STRING_LIKE.contains(before)
                    && next == Some(TokenKind::OpenCurly)
                    && self.kind(f.start) == Some(TokenKind::Identifier) =>
            {
                delete(f.error_at(HabitKind::ColonAfterName, f.at), f.at)
            }
            TokenKind::Dollar
                if before == TokenKind::As
                    && next.is_some_and(|next| WORD.contains(next))
                    && !self.tokens.newline_before(f.at + 1) =>
            {
                let name = f.owned_text(f.at + 1);
                delete(f.error_at(HabitKind::DollarBeforeAlias { name }, f.at), f.at)
            }
            TokenKind::OpenCurly if before == TokenKind::Map && !TYPE_START.has(next) && f.last() > f.start + 1 => {
                delete(f.error_at(HabitKind::MapKeyword, f.last()), f.last())
            }
            TokenKind::String if before == TokenKind::Identifier && f.last() > f.start => {
                let prefix = f.owned_text(f.last());
                let is_prefix = matches!(prefix.as_str(), "f" | "r" | "b" | "u" | "rb" | "br" | "fr" | "rf")
                    && self.tokens.is_adjacent_to_previous(f.at)
                    && !matches!(f.before(2), Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow));
                if !is_prefix {
                    return None;
                }
                delete(f.error_at(HabitKind::StringPrefix { prefix }, f.last()), f.last())
            }
            TokenKind::Gt if before == TokenKind::Lt && self.tokens.is_adjacent_to_previous(f.at) => {
                let kind = HabitKind::Operator { operator: "<>", instead: "inequality is written `!=`" };
                let error = SyntaxError::new(kind, f.span_of(f.last()).to(f.span_of(f.at)));
                let edit = Edit { terminals: vec![Terminal::Kind(TokenKind::Ne)], resume: f.at + 1 };
                Some(Replacement { error, edits: vec![(f.last(), edit)] })
            }
            _ => None,
        }
    }

    /// `svc nginx {`, `file /tmp/a {`, `File[/tmp/a]`, `require => [File["a"]]`.
    fn unquoted_name(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        let value =
            |first: TokenIdx, end: TokenIdx| (first, Edit { terminals: vec![Terminal::ErrorValue], resume: end });
        let is_plain = |first: TokenIdx, end: TokenIdx| {
            first < end
                && first.until(end).all(|token| {
                    let kind = self.kind(token);
                    kind.is_some_and(|kind| !kind.is_opener() && !kind.is_closer() && !STRING_LIKE.contains(kind))
                        && kind != Some(TokenKind::Dollar)
                        && (token == first || !self.tokens.newline_before(token))
                })
        };
        if f.context == Some(BracketContext::EdgeName) {
            let open = self.open_brackets(f.start, failed.at).pop()?.opener;
            let closer = self.brackets.after_closer(open)?.previous()?;
            if !is_plain(open + 1, closer) || self.kind(closer) != Some(TokenKind::CloseBracket) {
                return None;
            }
            let span = self.span_between(open + 1, closer);
            let name = self.text.get(span.start as usize..span.end as usize)?.to_owned();
            let error = SyntaxError::new(HabitKind::UnquotedEdgeName { name }, span);
            return Some(Replacement { error, edits: vec![value(open + 1, closer)] });
        }
        let is_half = match f.found_kind() {
            Some(TokenKind::Capitalized) => true,
            Some(TokenKind::OpenBracket) => f.before(1) == Some(TokenKind::Identifier),
            _ => false,
        };
        if f.context == Some(BracketContext::List) && is_half {
            return self.list_of_edges(f, failed);
        }
        if self.kind(f.start) != Some(TokenKind::Identifier) || f.context.is_some() {
            return None;
        }
        let mut first = f.start + 1;
        while self.kind(first) == Some(TokenKind::Colon) && self.tokens.is_adjacent_to_previous(first) {
            first = first + 2;
        }
        let mut brace = first;
        while self.kind(brace).is_some_and(|kind| kind != TokenKind::OpenCurly) && !self.tokens.newline_before(brace) {
            brace = brace + 1;
        }
        let starts_name = matches!(self.kind(first)?, TokenKind::Identifier | TokenKind::Divide | TokenKind::Dot);
        // Entries, not statements, follow.
        let is_resource = crate::lookahead::starts_entry(self.tokens, brace + 1)
            || self.kind(brace + 1) == Some(TokenKind::CloseCurly);
        if self.kind(brace) != Some(TokenKind::OpenCurly) || !starts_name || !is_plain(first, brace) || !is_resource {
            return None;
        }
        let span = self.span_between(first, brace);
        let name = self.text.get(span.start as usize..span.end as usize)?.to_owned();
        let kind = self.span_between(f.start, first);
        let kind = self.text.get(kind.start as usize..kind.end as usize)?.to_owned();
        let error = SyntaxError::new(HabitKind::UnquotedResourceName { kind, name }, span);
        Some(Replacement { error, edits: vec![value(first, brace)] })
    }

    /// `require => [File["a"], file["b"]]`.
    fn list_of_edges(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        let open = self.open_brackets(f.start, failed.at);
        let [.., entries, list] = &open[..] else { return None };
        if entries.context != BracketContext::Entries {
            return None;
        }
        let (rocket, field) = (list.opener.previous()?, list.opener.checked_sub(2)?);
        if self.kind(rocket) != Some(TokenKind::Rocket) {
            return None;
        }
        let after = self.brackets.after_closer(list.opener)?;
        let property = match self.tokens.text(self.text, field) {
            "require" | "depend" | "depends_on" | "Depend" => "Depend",
            "notify" | "Notify" => "Notify",
            "subscribe" | "listen" | "Listen" => "Listen",
            "before" | "Before" => "Before",
            _ if f.found_kind() == Some(TokenKind::Capitalized) => "Before",
            _ => return None,
        };
        let mut halves = Vec::new();
        let mut token = list.opener + 1;
        while matches!(self.kind(token), Some(TokenKind::Capitalized | TokenKind::Identifier)) {
            let end = self.brackets.after_closer(token + 1)?;
            let span = self.span_between(token, end);
            let half = self.text.get(span.start as usize..span.end as usize)?.replace('\'', "\"");
            let (kind, names) = half.split_once('[')?;
            halves.push(format!("{}[{names}", kind_in_edge(kind.trim_end())));
            token = if self.kind(end) == Some(TokenKind::Comma) { end + 1 } else { end };
        }
        let error = SyntaxError::new(HabitKind::EdgeList { property, halves }, self.span_between(field, after));
        let edit = Edit { terminals: vec![Terminal::ErrorItem], resume: after };
        Some(Replacement { error, edits: vec![(field, edit)] })
    }
}
