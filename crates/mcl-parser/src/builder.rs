//! The actions of the grammar: they build nodes into the arenas, track the open blocks, and make the checks of
//! spec 01 §4.5, which do not stop the parse.
//!
//! Positions that come from the grammar are token indices: `l` is the first token of a node, `r` the token after its last
//! one; `o` is an opening bracket or operator.

mod expression;
mod repaired;
mod statement;
mod types;

pub use repaired::{Repaired, module_alias};

use std::collections::BTreeMap;
use std::ops::Range;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::ast::{
    Ast, Block, ClassStmt, Definition, DefinitionKind, EntryKind, Expr, ExprId, IfStmt, LoopStmt, MAX_DEPTH, Name,
    Param, Stmt, StmtId, TypeExpr, TypeId,
};
use crate::automaton::Stack;
use crate::bracket::BracketContext;
use crate::error::{Nested, SyntaxError};
use crate::string_index::StringIndex;

/// Few programs have an expression for less than this many tokens.
const TOKENS_PER_EXPR: usize = 2;

/// Few programs have a statement for less than this many tokens.
const TOKENS_PER_STMT: usize = 6;

/// An entry of a resource body before its comma; `None` for an error node.
pub type EntryBody = Option<(Span, Option<ExprId>, EntryKind)>;

/// The head of a block that is not closed yet.
#[derive(Debug)]
pub enum Head {
    /// The file itself.
    File,
    If {
        condition: ExprId,
    },
    Else {
        condition: ExprId,
        then: Block,
    },
    For {
        index: Param,
        value: Param,
        iterable: ExprId,
    },
    ForKv {
        key: Param,
        value: Param,
        iterable: ExprId,
    },
    Class {
        name: Name,
        name_span: Span,
        params: Option<Vec<Param>>,
    },
}

/// A block that is not closed yet, with the statements that are complete in it.
#[derive(Debug)]
pub struct OpenBlock {
    pub head: Head,
    /// The first token of the statement that the block is part of.
    pub start: TokenIdx,
    /// The token `{`; `None` for the file.
    pub brace: Option<TokenIdx>,
    /// The complete statements.
    pub body: Block,
    /// The token after the last complete statement (or after the `{`), where the next statement starts.
    pub next: TokenIdx,
    /// The lengths of the arenas after the last complete statement.
    pub checkpoint: Checkpoint,
    /// Where the last complete statement starts, and the lengths of the arenas before it.
    last: Option<(TokenIdx, Checkpoint)>,
}

/// The lengths to truncate to when the nodes built since are discarded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checkpoint {
    exprs: usize,
    strings: usize,
    list_items: usize,
    stmts: usize,
    types: usize,
    errors: usize,
    brackets: usize,
    bar_bars: usize,
}

/// An operator `||` in place of `<|>`.
#[derive(Clone, Copy, Debug)]
pub struct BarBar {
    pub token: TokenIdx,
    /// Whether the right side is more than one operand.
    pub compound: bool,
}

/// Builds the tree of one file.
pub struct Builder<'t> {
    pub text: &'t str,
    pub tokens: &'t Tokens,
    pub file: FileId,
    pub ast: Ast,
    /// The open blocks, the file first.
    pub open: Vec<OpenBlock>,
    /// The errors of checks that do not stop the parse.
    pub errors: Vec<SyntaxError>,
    /// The opener and context of every pair of brackets.
    pub brackets: Vec<(TokenIdx, BracketContext)>,
    /// The operators `||` in place of `<|>`.
    pub bar_bars: Vec<BarBar>,
    /// What recovery has changed, by token. The statements around it are parsed for what they define and where they end.
    pub repaired: BTreeMap<TokenIdx, Repaired>,
    /// What runs of the parser use again.
    pub stack: Stack,
    names: StringIndex<Name>,
    expr_depths: PrimaryMap<ExprId, u16>,
    type_depths: PrimaryMap<TypeId, u16>,
    too_deep: bool,
}

impl<'t> Builder<'t> {
    pub fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> Builder<'t> {
        let root = OpenBlock {
            head: Head::File,
            start: TokenIdx::FIRST,
            brace: None,
            body: Vec::new(),
            next: TokenIdx::FIRST,
            checkpoint: Checkpoint::default(),
            last: None,
        };
        Builder {
            text,
            tokens,
            file,
            ast: Ast::empty(file),
            open: vec![root],
            errors: Vec::new(),
            brackets: Vec::new(),
            bar_bars: Vec::new(),
            repaired: BTreeMap::new(),
            stack: Stack::default(),
            names: StringIndex::default(),
            expr_depths: PrimaryMap::new(),
            type_depths: PrimaryMap::new(),
            too_deep: false,
        }
    }

    /// Reserves memory for the nodes of a number of tokens. What is not used of it is never touched, so it is not resident,
    /// while tables that grow step by step leave copies behind.
    pub fn reserve(&mut self, tokens: usize) {
        let (exprs, stmts) = (tokens / TOKENS_PER_EXPR, tokens / TOKENS_PER_STMT);
        self.ast.exprs.reserve(exprs);
        self.ast.expr_ranges.reserve(exprs);
        self.expr_depths.reserve(exprs);
        self.ast.stmts.reserve(stmts);
        self.ast.stmt_ranges.reserve(stmts);
    }

    /// Returns the tree, whose blocks are all closed, and the index of its names.
    pub fn into_tree(mut self) -> (Ast, StringIndex<Name>) {
        self.ast.body = std::mem::take(&mut self.top().body);
        (self.ast, self.names)
    }

    /// Returns the span of the tokens `l..r`.
    pub fn span(&self, l: TokenIdx, r: TokenIdx) -> Span {
        let start = self.tokens.start(l);
        let end = r.previous().filter(|last| *last >= l).map_or(start, |last| self.tokens.end(last));
        Span::new(self.file, start, end.max(start))
    }

    fn token_text(&self, l: TokenIdx) -> &'t str {
        self.tokens.text(self.text, l)
    }

    pub fn intern(&mut self, text: &str) -> Name {
        self.names.intern(&mut self.ast.names, text)
    }

    /// Returns the name that one token spells.
    pub fn word(&mut self, l: TokenIdx) -> Name {
        self.intern(self.token_text(l))
    }

    /// Returns the name that the tokens `l..r` spell, without the whitespace between them.
    pub fn joined_name(&mut self, l: TokenIdx, r: TokenIdx) -> Name {
        let span = self.span(l, r);
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        if text.bytes().all(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'#')) {
            return self.intern(text);
        }
        let joined: String = l.until(r).map(|i| self.token_text(i)).collect();
        self.intern(&joined)
    }

    /// Returns the name that the tokens `l..r` spell, in lower case (`Http:Server`).
    pub fn lower_name(&mut self, l: TokenIdx, r: TokenIdx) -> Name {
        let joined: String = l.until(r).map(|i| self.token_text(i)).collect();
        self.intern(&joined.to_ascii_lowercase())
    }

    /// Records the context of a pair of brackets.
    pub fn bracket(&mut self, opener: TokenIdx, context: BracketContext) {
        self.brackets.push((opener, context));
    }

    fn push_expr(&mut self, expr: Expr, depth: usize, l: TokenIdx, r: TokenIdx) -> ExprId {
        let span = self.span(l, r);
        let (expr, depth) = if depth > MAX_DEPTH {
            self.report_depth(Nested::Expression, span);
            (Expr::Error, 1)
        } else {
            (expr, depth)
        };
        self.ast.expr_ranges.push(span.into());
        self.expr_depths.push(depth as u16);
        self.ast.exprs.push(expr)
    }

    /// Reports nesting that is too deep, once per file.
    fn report_depth(&mut self, nested: Nested, span: Span) {
        if !std::mem::replace(&mut self.too_deep, true) {
            self.errors.push(SyntaxError::too_deep(nested, span));
        }
    }

    fn depth(&self, id: ExprId) -> usize {
        self.expr_depths.get(id).copied().unwrap_or(1) as usize
    }

    fn depth_over(&self, ids: &[ExprId]) -> usize {
        1 + ids.iter().map(|id| self.depth(*id)).max().unwrap_or(0)
    }

    fn push_type(&mut self, ty: TypeExpr, children: impl Iterator<Item = TypeId>, l: TokenIdx, r: TokenIdx) -> TypeId {
        let span = self.span(l, r);
        let depths = children.map(|t| self.type_depths.get(t).copied().unwrap_or(1) as usize);
        let depth = 1 + depths.max().unwrap_or(0);
        let (ty, depth) = if depth > MAX_DEPTH {
            self.report_depth(Nested::Type, span);
            (TypeExpr::Error, 1)
        } else {
            (ty, depth)
        };
        self.ast.type_ranges.push(span.into());
        self.type_depths.push(depth as u16);
        self.ast.types.push(ty)
    }

    pub fn push_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        self.ast.stmt_ranges.push(span.into());
        self.ast.stmts.push(stmt)
    }

    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            exprs: self.ast.exprs.len(),
            strings: self.ast.strings.len(),
            list_items: self.ast.list_items.len(),
            stmts: self.ast.stmts.len(),
            types: self.ast.types.len(),
            errors: self.errors.len(),
            brackets: self.brackets.len(),
            bar_bars: self.bar_bars.len(),
        }
    }

    /// Discards what was built since the last complete statement of the innermost open block.
    pub fn roll_back(&mut self) {
        let checkpoint = self.top().checkpoint;
        truncate(&mut self.ast.exprs, checkpoint.exprs);
        truncate(&mut self.ast.expr_ranges, checkpoint.exprs);
        truncate(&mut self.expr_depths, checkpoint.exprs);
        self.ast.strings.truncate(checkpoint.strings);
        self.ast.list_items.truncate(checkpoint.list_items);
        truncate(&mut self.ast.stmts, checkpoint.stmts);
        truncate(&mut self.ast.stmt_ranges, checkpoint.stmts);
        truncate(&mut self.ast.types, checkpoint.types);
        truncate(&mut self.ast.type_ranges, checkpoint.types);
        truncate(&mut self.type_depths, checkpoint.types);
        self.errors.truncate(checkpoint.errors);
        self.brackets.truncate(checkpoint.brackets);
        self.bar_bars.truncate(checkpoint.bar_bars);
    }

    /// Returns the innermost open block.
    pub fn top(&mut self) -> &mut OpenBlock {
        self.open.last_mut().expect("the block of the file is never closed")
    }

    /// Adds a complete statement to the innermost open block; the next statement starts at `next`.
    pub fn complete(&mut self, id: StmtId, next: TokenIdx) {
        let checkpoint = self.checkpoint();
        let top = self.top();
        top.body.push(id);
        top.last = Some((top.next, top.checkpoint));
        top.next = next;
        top.checkpoint = checkpoint;
    }

    /// Returns the start of the last complete statement of the innermost open block.
    pub fn last_statement(&self) -> Option<TokenIdx> {
        self.open.last()?.last.map(|(start, _)| start)
    }

    /// Discards the last complete statement of the innermost open block, which will be parsed again.
    pub fn discard_last_statement(&mut self) {
        let top = self.top();
        if let Some((start, checkpoint)) = top.last.take() {
            top.body.pop();
            top.next = start;
            top.checkpoint = checkpoint;
            self.roll_back();
        }
    }

    pub fn statement(&mut self, l: TokenIdx, stmt: Stmt, r: TokenIdx) {
        let stmt = if self.repaired.is_empty() { stmt } else { self.without_changed_parts(l, stmt, r) };
        let span = self.span(l, r);
        let id = self.push_stmt(stmt, span);
        self.complete(id, r);
    }

    /// Returns the first `{` from a token on, and the token after it.
    fn brace_from(&self, from: TokenIdx) -> (TokenIdx, TokenIdx) {
        for token in from.until(self.tokens.end_idx()) {
            match self.repaired.get(&token) {
                Some(Repaired { new: Some(TokenKind::OpenCurly), stays, .. }) => {
                    return (token, if *stays { token } else { token + 1 });
                }
                Some(Repaired { stays: false, .. }) => {}
                _ if self.tokens[token] == TokenKind::OpenCurly => return (token, token + 1),
                _ => {}
            }
        }
        (from, from + 1)
    }

    /// Returns where the innermost open block starts with its head, if nothing is in the block yet.
    pub fn head_of_empty_block(&self) -> Option<TokenIdx> {
        let block = self.open.last().filter(|block| block.brace.is_some() && block.body.is_empty())?;
        match block.head {
            Head::File | Head::Else { .. } => None,
            Head::If { .. } | Head::For { .. } | Head::ForKv { .. } | Head::Class { .. } => Some(block.start),
        }
    }

    /// Discards the innermost open block with its head, which will be parsed again.
    pub fn discard_open_block(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
            self.roll_back();
        }
    }

    /// Opens a block whose head is complete; `r` is its `{`, or a token before it.
    pub fn open_block(&mut self, start: TokenIdx, head: Head, r: TokenIdx) {
        let (brace, next) = self.brace_from(r);
        self.bracket(brace, BracketContext::Block);
        let checkpoint = self.checkpoint();
        self.open.push(OpenBlock { head, start, brace: Some(brace), body: Vec::new(), next, checkpoint, last: None });
    }

    pub fn open_if(&mut self, l: TokenIdx, condition: ExprId, r: TokenIdx) {
        if let Some(changed) = self.change_in(l, r) {
            return self.open_changed(changed, l, None, Vec::new(), r);
        }
        self.open_block(l, Head::If { condition }, r);
    }

    /// Closes the `then` block and opens the `else` block.
    pub fn open_else(&mut self, r: TokenIdx) {
        let Some(block) = self.open.pop() else { return };
        let Head::If { condition } = block.head else {
            self.open.push(block);
            return;
        };
        self.open_block(block.start, Head::Else { condition, then: block.body }, r);
    }

    pub fn open_for(&mut self, l: TokenIdx, index: Param, value: Param, iterable: ExprId, r: TokenIdx) {
        if let Some(changed) = self.change_in(l, r) {
            return self.open_changed(changed, l, None, vec![index, value], r);
        }
        self.open_block(l, Head::For { index, value, iterable }, r);
    }

    pub fn open_forkv(&mut self, l: TokenIdx, key: Param, value: Param, iterable: ExprId, r: TokenIdx) {
        if let Some(changed) = self.change_in(l, r) {
            return self.open_changed(changed, l, None, vec![key, value], r);
        }
        self.open_block(l, Head::ForKv { key, value, iterable }, r);
    }

    pub fn open_class(
        &mut self,
        l: TokenIdx,
        name: Name,
        at: Range<TokenIdx>,
        params: Option<Vec<Option<Param>>>,
        r: TokenIdx,
    ) {
        let name_span = self.span(at.start, at.end);
        if let Some(changed) = self.change_in(l, r) {
            let class = Definition { kind: DefinitionKind::Class, name, span: name_span };
            let params = params.into_iter().flatten().flatten().collect();
            return self.open_changed(changed, l, Some(class), params, r);
        }
        match params {
            Some(params) if params.contains(&None) => {
                // The parameters are unknown, so every `include` fits; the known ones shadow outer names in the body.
                let class = Definition { kind: DefinitionKind::Class, name, span: name_span };
                let broken = self.push_stmt(Stmt::Error { defines: [class].into() }, name_span);
                self.complete(broken, l);
                let mut variables = self.variables_between(at.end, r);
                variables.push((self.intern(""), name_span));
                self.open_with_error(l, variables, r);
            }
            params => {
                let params = params.map(|params| params.into_iter().flatten().collect());
                self.open_block(l, Head::Class { name, name_span, params }, r);
            }
        }
    }

    /// Returns every `$name` in the tokens `l..r`.
    pub fn variables_between(&mut self, l: TokenIdx, r: TokenIdx) -> Vec<(Name, Span)> {
        let mut variables = Vec::new();
        for token in l.until(r) {
            // Without its dollar sign, a variable is declared.
            let before = token.previous().and_then(|previous| self.tokens.kind(previous));
            let is_declared = matches!(
                before,
                Some(TokenKind::Dollar | TokenKind::For | TokenKind::ForKv | TokenKind::Comma | TokenKind::OpenParen)
            );
            if is_declared && self.tokens.kind(token) == Some(TokenKind::Identifier) {
                variables.push((self.word(token), self.span(token, token + 1)));
            }
        }
        variables
    }

    /// Opens a block whose head is an error; the variables are defined in it.
    pub fn open_with_error(&mut self, start: TokenIdx, variables: Vec<(Name, Span)>, r: TokenIdx) {
        let condition = self.push_expr(Expr::Error, 1, start, r);
        self.open_block(start, Head::If { condition }, r);
        let kind = DefinitionKind::Variable;
        let defines: Vec<_> = variables.into_iter().map(|(name, span)| Definition { kind, name, span }).collect();
        if !defines.is_empty() {
            let span = self.span(start, r);
            let prelude = self.push_stmt(Stmt::Error { defines: defines.into() }, span);
            let next = self.top().next;
            self.complete(prelude, next);
        }
    }

    /// Closes the innermost block; `r` is the token after its `}`.
    pub fn close_block(&mut self, r: TokenIdx) {
        if self.open.len() < 2 {
            return;
        }
        let Some(block) = self.open.pop() else { return };
        let body = block.body;
        let stmt = match block.head {
            Head::File => return,
            Head::If { condition } => Stmt::If(Box::new(IfStmt { condition, then: body, otherwise: None })),
            Head::Else { condition, then } => Stmt::If(Box::new(IfStmt { condition, then, otherwise: Some(body) })),
            Head::For { index, value, iterable } => Stmt::For(Box::new(LoopStmt { index, value, iterable, body })),
            Head::ForKv { key, value, iterable } => {
                Stmt::ForKv(Box::new(LoopStmt { index: key, value, iterable, body }))
            }
            Head::Class { name, name_span, params } => {
                Stmt::Class(Box::new(ClassStmt { name, name_span, params, body }))
            }
        };
        self.statement(block.start, stmt, r);
    }
}

/// Keeps the first `length` entries.
fn truncate<K: EntityRef, V>(table: &mut PrimaryMap<K, V>, length: usize) {
    let mut values = Vec::from(std::mem::take(table));
    values.truncate(length);
    *table = PrimaryMap::from(values);
}
