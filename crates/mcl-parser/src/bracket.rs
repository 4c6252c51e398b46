//! What a pair of brackets contains.

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::token_set::{OPERAND_END, SIMPLE_TYPE};

/// The construct that a pair of brackets belongs to.
///
/// The builder records the context of every pair that it parsed, for the lints. Recovery needs the context of brackets
/// that are still open at a syntax error; [`BracketContext::of_open`] infers it from the tokens before the bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BracketContext {
    /// The arguments of a call, `include` or `panic`.
    Arguments,
    /// The parameters of a function, class or function type.
    Parameters,
    /// One expression in parentheses.
    Parentheses,
    /// The elements of a list.
    List,
    /// The key of `e[k]`.
    Index,
    /// The name in `File["x"]`.
    EdgeName,
    /// The pairs of a map.
    Map,
    /// The fields of a struct.
    Struct,
    /// The entries of a resource.
    Entries,
    /// One expression in braces: a function body or a branch.
    Body,
    /// Part of a list, map or struct type.
    Type,
    /// Statements.
    Block,
}

impl BracketContext {
    /// Infers the context of a bracket that is open at a syntax error. `start` is the first token of the statement, and
    /// `depth` the number of brackets of the statement that are open around this one.
    pub fn of_open(tokens: &Tokens, opener: TokenIdx, start: TokenIdx, depth: usize) -> BracketContext {
        let kind_before = |count: u32| {
            let token = opener.checked_sub(count).filter(|token| *token >= start)?;
            tokens.kind(token)
        };
        let before = kind_before(1);
        let second = kind_before(2);
        match tokens.kind(opener) {
            Some(TokenKind::OpenParen) => {
                let class_params = tokens.kind(start) == Some(TokenKind::Class) && depth == 0;
                match before {
                    Some(TokenKind::Func) => BracketContext::Parameters,
                    Some(_) if second == Some(TokenKind::Func) || class_params => BracketContext::Parameters,
                    Some(
                        TokenKind::Identifier
                        | TokenKind::Map
                        | TokenKind::Collect
                        | TokenKind::CloseCurly
                        | TokenKind::Panic,
                    ) => BracketContext::Arguments,
                    _ => BracketContext::Parentheses,
                }
            }
            Some(TokenKind::OpenBracket) => {
                let resource_kind = before == Some(TokenKind::Identifier)
                    && !matches!(second, Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow));
                match before {
                    Some(TokenKind::Capitalized) => BracketContext::EdgeName,
                    Some(kind) if OPERAND_END.contains(kind) && !resource_kind => BracketContext::Index,
                    _ => BracketContext::List,
                }
            }
            _ => match before {
                Some(TokenKind::Struct) if tokens.kind(opener + 2) == Some(TokenKind::Rocket) => BracketContext::Struct,
                Some(TokenKind::Struct | TokenKind::Map) => BracketContext::Type,
                Some(TokenKind::Else) => BracketContext::Body,
                Some(kind) if OPERAND_END.union(SIMPLE_TYPE).contains(kind) => {
                    let resource = matches!(tokens.kind(start), Some(TokenKind::Identifier | TokenKind::Collect));
                    let mut head = start.until(opener).map(|token| tokens[token]);
                    let branch = head.any(|kind| matches!(kind, TokenKind::If | TokenKind::Func));
                    if depth == 0 && resource && !branch { BracketContext::Entries } else { BracketContext::Body }
                }
                _ => BracketContext::Map,
            },
        }
    }

    /// Whether the brackets contain elements that are separated or terminated by commas.
    pub fn has_elements(self) -> bool {
        match self {
            BracketContext::Arguments
            | BracketContext::Parameters
            | BracketContext::List
            | BracketContext::Map
            | BracketContext::Struct
            | BracketContext::Entries => true,
            BracketContext::Parentheses
            | BracketContext::Index
            | BracketContext::EdgeName
            | BracketContext::Body
            | BracketContext::Type
            | BracketContext::Block => false,
        }
    }

    /// Whether every element is a single expression.
    pub fn has_value_elements(self) -> bool {
        matches!(self, BracketContext::Arguments | BracketContext::List)
    }
}
