//! Makes the tree: the actions of the grammar.

mod definition;
mod expression;
mod literal;
mod resource;
mod statement;

use std::sync::Arc;

use mcl_diagnostics::FileId;
use pp_ast::{Expr, ExprId, MAX_DEPTH, StrId, TextRange, Tree};
use rustc_hash::FxHashMap;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

pub use expression::{Entry, NamedAccess};
pub use statement::Statement;

/// The tree under construction.
pub struct Builder<'t> {
    pub text: &'t str,
    pub tokens: &'t Tokens,
    pub tree: Tree,
    pub errors: Vec<SyntaxError>,
    strings: FxHashMap<Arc<str>, StrId>,
    /// The length of the longest path from each expression to a leaf.
    depths: Vec<u16>,
    /// Whether an expression was too deep, which is reported once.
    too_deep: bool,
    /// The classes that are open around the next definition, by their full names.
    classes: Vec<OpenClass>,
}

/// The head of a class whose body is being parsed.
struct OpenClass {
    name: StrId,
    name_range: TextRange,
    parameters: pp_ast::ParameterList,
    parent: Option<StrId>,
}

impl<'t> Builder<'t> {
    pub fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> Builder<'t> {
        Builder {
            text,
            tokens,
            tree: Tree::new(file),
            errors: Vec::new(),
            strings: FxHashMap::default(),
            depths: Vec::new(),
            too_deep: false,
            classes: Vec::new(),
        }
    }

    /// Makes space for the tree of a whole text.
    pub fn reserve(&mut self) {
        let tokens = self.tokens.list.len();
        self.tree.reserve(tokens);
        self.depths.reserve(tokens * 3 / 4);
    }

    /// Adds an expression that errors point at as a whole.
    fn add(&mut self, expr: Expr, range: TextRange) -> ExprId {
        let id = self.tree.add(expr, range);
        self.limit_depth(id);
        id
    }

    /// Adds an expression that errors point at by a part of it.
    pub fn add_at(&mut self, expr: Expr, range: TextRange, operator: TextRange) -> ExprId {
        let id = self.tree.add_at_operator(expr, range, operator);
        self.limit_depth(id);
        id
    }

    /// Replaces an expression by an error if it is too deep.
    fn limit_depth(&mut self, id: ExprId) {
        let depths = &self.depths;
        let mut depth = 0;
        self.tree.for_each_child(id, |child| depth = depth.max(depths[child.as_u32() as usize]));
        depth += 1;
        if usize::from(depth) > MAX_DEPTH {
            if !std::mem::replace(&mut self.too_deep, true) {
                let span = self.tree.focus(id);
                let range = TextRange { start: span.start, end: span.end };
                self.errors.push(SyntaxError::new(SyntaxErrorKind::TooDeep, range));
            }
            self.tree.exprs[id] = Expr::Error;
            depth = 1;
        }
        self.depths.push(depth);
    }

    /// Adds a list of expressions to the tree.
    fn list(&mut self, list: &[ExprId]) -> pp_ast::ExprList {
        self.tree.add_list(list)
    }

    fn intern(&mut self, text: &str) -> StrId {
        self.tree.intern(&mut self.strings, text)
    }

    fn error(&mut self, kind: SyntaxErrorKind, range: TextRange) {
        self.errors.push(SyntaxError::new(kind, range));
    }

    /// Returns the text of a token.
    fn token_text(&self, token: TokenIdx) -> &'t str {
        let range = self.tokens.range(token);
        &self.text[range.start as usize..range.end as usize]
    }

    /// Returns the content of a literal: without quotes, and with escape sequences resolved.
    fn token_content(&self, token: TokenIdx) -> &'t str {
        let Some(found) = self.tokens.get(token) else { return "" };
        let tokens = self.tokens;
        if let Some(content) = found.content {
            return tokens.content(content);
        }
        let text = self.token_text(token);
        match found.kind {
            TokenKind::String | TokenKind::Regexp => text.get(1..text.len().saturating_sub(1)).unwrap_or(text),
            TokenKind::Variable | TokenKind::TextVariable => text.strip_prefix('$').unwrap_or(text),
            _ => text,
        }
    }

    /// Returns where the source from one token up to, but not including, another is.
    fn range(&self, from: TokenIdx, to: TokenIdx) -> TextRange {
        self.tokens.range_between(from, to)
    }

    /// Returns the smallest range with both.
    fn join(&self, left: TextRange, right: TextRange) -> TextRange {
        TextRange { start: left.start.min(right.start), end: left.end.max(right.end) }
    }
}
