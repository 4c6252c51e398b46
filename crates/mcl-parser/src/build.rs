//! What the grammar's actions do: build nodes into the arenas, keep track of the open blocks, and make the checks of
//! spec 01 §4.5, which do not stop the parse.
//!
//! All positions that come from the grammar are token indexes: `l` is a node's first token, `r` the one behind its last.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, Span, Stage};
use mcl_lexer::{TokenKind, Tokens};
use rustc_hash::FxHashMap;

use crate::MAX_DEPTH;
use crate::ast::{
    Ast, BinaryOp, Block, Definition, DefinitionKind, EdgeHalf, Entry, EntryKind, Expr, ExprId, Lambda, Name, Param,
    Resource, Stmt, StmtId, StructEntry, TypeExpr, TypeId, UnaryOp,
};

/// An entry of a resource body before its comma is seen; `None` for one that recovery took out.
pub type EntryBody = Option<(Span, Option<ExprId>, EntryKind)>;

/// What a pair of brackets holds; the lints want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Elements with commas between them.
    List,
    /// The entries of a resource.
    Entries,
    /// One expression in braces: a function body, a branch.
    Body,
    /// One expression in parentheses or square brackets.
    Single,
    /// Statements.
    Block,
    /// Part of a type.
    Type,
}

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
    pub start: u32,
    /// The token `{`; for a file 0.
    pub brace: u32,
    /// The complete statements.
    pub body: Block,
    /// The token behind the last complete statement (or behind the `{`): here the next one starts.
    pub next: u32,
    /// The state of the arenas at that moment.
    pub mark: Mark,
}

/// Lengths to go back to when what was built since is thrown away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    exprs: usize,
    stmts: usize,
    types: usize,
    errors: usize,
    groups: usize,
    bars: usize,
}

/// Builds the tree of one file.
pub struct Builder<'t> {
    pub text: &'t str,
    pub tokens: &'t Tokens,
    pub file: FileId,
    pub ast: Ast,
    /// The open blocks, the file first.
    pub open: Vec<OpenBlock>,
    /// Messages of checks that do not stop the parse.
    pub errors: Vec<Diagnostic>,
    /// Every pair of brackets: the token that opens it, and what it holds.
    pub groups: Vec<(u32, Group)>,
    /// Tokens `||` that stand for `<|>`, and whether their right side is more than one operand.
    pub bars: Vec<(u32, bool)>,
    names: FxHashMap<Arc<str>, Name>,
    expr_depths: Vec<u16>,
    type_depths: Vec<u16>,
    too_deep: bool,
}

impl<'t> Builder<'t> {
    pub fn new(file: FileId, text: &'t str, tokens: &'t Tokens) -> Builder<'t> {
        let root = OpenBlock { head: Head::File, start: 0, brace: 0, body: Vec::new(), next: 0, mark: Mark::default() };
        Builder {
            text,
            tokens,
            file,
            ast: Ast::empty(file),
            open: vec![root],
            errors: Vec::new(),
            groups: Vec::new(),
            bars: Vec::new(),
            names: FxHashMap::default(),
            expr_depths: Vec::new(),
            type_depths: Vec::new(),
            too_deep: false,
        }
    }

    // Places and text.

    /// The bytes of the tokens `l..r`.
    pub fn span(&self, l: u32, r: u32) -> Span {
        let start = self.tokens.start(l as usize);
        let end = if r > l { self.tokens.end(r as usize - 1) } else { start };
        Span::new(self.file, start, end.max(start))
    }

    fn token_text(&self, l: u32) -> &'t str {
        self.tokens.text(self.text, l as usize)
    }

    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let shared: Arc<str> = text.into();
        let name = Name(self.ast.names.len() as u32);
        self.ast.names.push(shared.clone());
        self.names.insert(shared, name);
        name
    }

    /// The name that one token spells.
    pub fn word(&mut self, l: u32) -> Name {
        self.intern(self.token_text(l))
    }

    /// The name that several tokens spell, without the blanks between them.
    pub fn joined_name(&mut self, l: u32, r: u32) -> Name {
        let span = self.span(l, r);
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        if text.bytes().all(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'#')) {
            return self.intern(text);
        }
        let joined: String = (l..r).map(|i| self.token_text(i)).collect();
        self.intern(&joined)
    }

    /// The lower case of what several tokens spell (`Http:Server`).
    pub fn lower_name(&mut self, l: u32, r: u32) -> Name {
        let joined: String = (l..r).map(|i| self.token_text(i)).collect();
        self.intern(&joined.to_ascii_lowercase())
    }

    pub fn group(&mut self, opener: u32, group: Group) {
        self.groups.push((opener, group));
    }

    // Nodes.

    fn push_expr(&mut self, expr: Expr, depth: usize, l: u32, r: u32) -> ExprId {
        let span = self.span(l, r);
        let (expr, depth) = if depth > MAX_DEPTH {
            self.report_depth(span, "expression");
            (Expr::Error, 1)
        } else {
            (expr, depth)
        };
        let id = ExprId(self.ast.exprs.len() as u32);
        self.ast.exprs.push(expr);
        self.ast.expr_spans.push(span);
        self.expr_depths.push(depth as u16);
        id
    }

    /// A file is told once that it nests too deeply.
    pub fn report_depth(&mut self, span: Span, what: &str) {
        if !std::mem::replace(&mut self.too_deep, true) {
            self.errors.push(crate::explain::too_deep(span, what));
        }
    }

    fn depth(&self, id: ExprId) -> usize {
        self.expr_depths.get(id.0 as usize).copied().unwrap_or(1) as usize
    }

    fn depth_over(&self, ids: &[ExprId]) -> usize {
        1 + ids.iter().map(|id| self.depth(*id)).max().unwrap_or(0)
    }

    fn push_type(&mut self, ty: TypeExpr, children: impl Iterator<Item = TypeId>, l: u32, r: u32) -> TypeId {
        let span = self.span(l, r);
        let depths = children.map(|t| self.type_depths.get(t.0 as usize).copied().unwrap_or(1) as usize);
        let depth = 1 + depths.max().unwrap_or(0);
        let (ty, depth) = if depth > MAX_DEPTH {
            self.report_depth(span, "type");
            (TypeExpr::Error, 1)
        } else {
            (ty, depth)
        };
        let id = TypeId(self.ast.types.len() as u32);
        self.ast.types.push(ty);
        self.ast.type_spans.push(span);
        self.type_depths.push(depth as u16);
        id
    }

    pub fn push_stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        let id = StmtId(self.ast.stmts.len() as u32);
        self.ast.stmts.push(stmt);
        self.ast.stmt_spans.push(span);
        id
    }

    // State of the parse.

    pub fn mark(&self) -> Mark {
        Mark {
            exprs: self.ast.exprs.len(),
            stmts: self.ast.stmts.len(),
            types: self.ast.types.len(),
            errors: self.errors.len(),
            groups: self.groups.len(),
            bars: self.bars.len(),
        }
    }

    /// Throws away what was built since the last complete statement of the innermost open block.
    pub fn roll_back(&mut self) {
        let mark = self.top().mark;
        self.ast.exprs.truncate(mark.exprs);
        self.ast.expr_spans.truncate(mark.exprs);
        self.expr_depths.truncate(mark.exprs);
        self.ast.stmts.truncate(mark.stmts);
        self.ast.stmt_spans.truncate(mark.stmts);
        self.ast.types.truncate(mark.types);
        self.ast.type_spans.truncate(mark.types);
        self.type_depths.truncate(mark.types);
        self.errors.truncate(mark.errors);
        self.groups.truncate(mark.groups);
        self.bars.truncate(mark.bars);
    }

    /// The innermost open block.
    pub fn top(&mut self) -> &mut OpenBlock {
        self.open.last_mut().expect("the file itself is never closed")
    }

    /// Adds a complete statement to the innermost open block; the next one starts at token `next`.
    pub fn complete(&mut self, id: StmtId, next: u32) {
        let mark = self.mark();
        let top = self.top();
        top.body.push(id);
        top.next = next;
        top.mark = mark;
    }

    pub fn statement(&mut self, l: u32, stmt: Stmt, r: u32) {
        let span = self.span(l, r);
        let id = self.push_stmt(stmt, span);
        self.complete(id, r);
    }

    /// Opens a block whose head is complete; `r` is at or before its `{`.
    pub fn open_block(&mut self, start: u32, head: Head, r: u32) {
        let is_brace = |i: &u32| self.tokens.kind(*i as usize) == Some(TokenKind::OpenCurly);
        let brace = (r..self.tokens.len() as u32).find(is_brace).unwrap_or(r);
        self.group(brace, Group::Block);
        let mark = self.mark();
        self.open.push(OpenBlock { head, start, brace, body: Vec::new(), next: brace + 1, mark });
    }

    pub fn open_if(&mut self, l: u32, condition: ExprId, r: u32) {
        self.open_block(l, Head::If { condition }, r);
    }

    /// The `then` block is over, the `else` block starts.
    pub fn open_else(&mut self, r: u32) {
        let Some(block) = self.open.pop() else { return };
        let Head::If { condition } = block.head else {
            self.open.push(block);
            return;
        };
        self.open_block(block.start, Head::Else { condition, then: block.body }, r);
    }

    pub fn open_for(&mut self, l: u32, index: Param, value: Param, iterable: ExprId, r: u32) {
        self.open_block(l, Head::For { index, value, iterable }, r);
    }

    pub fn open_forkv(&mut self, l: u32, key: Param, value: Param, iterable: ExprId, r: u32) {
        self.open_block(l, Head::ForKv { key, value, iterable }, r);
    }

    pub fn open_class(&mut self, l: u32, name: Name, at: (u32, u32), params: Option<Vec<Option<Param>>>, r: u32) {
        let name_span = self.span(at.0, at.1);
        match params {
            Some(params) if params.contains(&None) => {
                // The parameters are unknown, so every `include` fits; those that are known hide outer names in the body.
                let class = Definition { kind: DefinitionKind::Class, name, span: name_span };
                let broken = self.push_stmt(Stmt::Error { defines: vec![class] }, name_span);
                self.complete(broken, l);
                let variables = self.variables_between(at.1, r);
                self.open_broken(l, variables, r);
            }
            params => {
                let params = params.map(|params| params.into_iter().flatten().collect());
                self.open_block(l, Head::Class { name, name_span, params }, r);
            }
        }
    }

    /// Every `$name` among the tokens `l..r`.
    fn variables_between(&mut self, l: u32, r: u32) -> Vec<(Name, Span)> {
        let kind = |i: u32| self.tokens.kind(i as usize);
        let names =
            (l + 1..r).filter(|i| kind(i - 1) == Some(TokenKind::Dollar) && kind(*i) == Some(TokenKind::Identifier));
        let names: Vec<u32> = names.collect();
        names.into_iter().map(|i| (self.word(i), self.span(i, i + 1))).collect()
    }

    /// Opens a block with a broken head, which defines the given variables in it.
    pub fn open_broken(&mut self, start: u32, variables: Vec<(Name, Span)>, r: u32) {
        let condition = self.push_expr(Expr::Error, 1, start, r);
        self.open_block(start, Head::If { condition }, r);
        let kind = DefinitionKind::Variable;
        let defines: Vec<_> = variables.into_iter().map(|(name, span)| Definition { kind, name, span }).collect();
        if !defines.is_empty() {
            let span = self.span(start, r);
            let prelude = self.push_stmt(Stmt::Error { defines }, span);
            let next = self.top().next;
            self.complete(prelude, next);
        }
    }

    /// The innermost block is over; `r` is the token behind its `}`.
    pub fn close_block(&mut self, r: u32) {
        if self.open.len() < 2 {
            return;
        }
        let Some(block) = self.open.pop() else { return };
        let body = block.body;
        let stmt = match block.head {
            Head::File => return,
            Head::If { condition } => Stmt::If { condition, then: body, otherwise: None },
            Head::Else { condition, then } => Stmt::If { condition, then, otherwise: Some(body) },
            Head::For { index, value, iterable } => Stmt::For { index, value, iterable, body },
            Head::ForKv { key, value, iterable } => Stmt::ForKv { key, value, iterable, body },
            Head::Class { name, name_span, params } => Stmt::Class { name, name_span, params, body },
        };
        self.statement(block.start, stmt, r);
    }

    // Statements.

    pub fn bind(&mut self, name: (Name, u32, u32), ty: Option<TypeId>, vl: u32, value: ExprId) -> Stmt {
        let (name, l, r) = name;
        let name_span = self.span(l, r);
        let _ = vl;
        Stmt::Bind { name, name_span, ty, value }
    }

    pub fn include(&mut self, class: Name, at: (u32, u32), args: Option<Vec<ExprId>>, alias: Option<u32>) -> Stmt {
        let class_span = self.span(at.0, at.1);
        let alias = alias.map(|l| (self.word(l), self.span(l, l + 1)));
        Stmt::Include { class, class_span, args, alias }
    }

    pub fn import(&mut self, l: u32, alias: Option<u32>) -> Stmt {
        let alias = alias.map(|l| (self.word(l), self.span(l, l + 1)));
        Stmt::Import { module: self.raw_string(l).into(), module_span: self.span(l, l + 1), alias }
    }

    /// The text between the quotes of a string token.
    fn raw_string(&self, l: u32) -> &'t str {
        let text = self.token_text(l);
        text.get(1..text.len().saturating_sub(1)).unwrap_or("")
    }

    pub fn func_statement(&mut self, l: u32, n: u32, lambda: Option<Lambda>, r: u32) {
        let name = self.word(n);
        let name_span = self.span(n, n + 1);
        let func = lambda.map(|lambda| {
            let depth = 1 + self.depth(lambda.body);
            self.push_expr(Expr::Func(Box::new(lambda)), depth, l, r)
        });
        // A function that is nested too deep is no function any more.
        let stmt = match func.filter(|func| matches!(self.ast.expr(*func), Expr::Func(_))) {
            Some(func) => Stmt::Func { name, name_span, func },
            None => {
                let kind = DefinitionKind::Function;
                Stmt::Error { defines: vec![Definition { kind, name, span: name_span }] }
            }
        };
        self.statement(l, stmt, r);
    }

    /// `None` when a parameter is broken.
    pub fn lambda(&mut self, params: Vec<Option<Param>>, result: Option<TypeId>, body: ExprId) -> Option<Lambda> {
        Some(Lambda { params: params.into_iter().collect::<Option<Vec<Param>>>()?, result, body })
    }

    pub fn param(&mut self, l: u32, name: Name, ty: Option<TypeId>, r: u32) -> Param {
        Param { name, ty, span: self.span(l, r) }
    }

    pub fn resource(
        &mut self,
        kind_at: (u32, u32),
        kind: Name,
        name: ExprId,
        o: u32,
        entries: Vec<Entry>,
        collect: bool,
    ) -> Stmt {
        self.group(o, Group::Entries);
        let kind_span = self.span(kind_at.0, kind_at.1);
        Stmt::Resource(Box::new(Resource { kind, kind_span, name, entries, collect }))
    }

    pub fn entry(&mut self, l: u32, body: EntryBody, r: u32) -> Option<Entry> {
        let (name_span, condition, kind) = body?;
        Some(Entry { span: self.span(l, r), name_span, condition, kind })
    }

    pub fn entry_field(&mut self, l: u32, condition: Option<ExprId>, value: ExprId) -> EntryBody {
        let name = self.word(l);
        Some((self.span(l, l + 1), condition, EntryKind::Field { name, value }))
    }

    pub fn entry_edge(&mut self, l: u32, condition: Option<ExprId>, half: EdgeHalf) -> EntryBody {
        let property = self.lower_name(l, l + 1);
        Some((self.span(l, l + 1), condition, EntryKind::Edge { property, half }))
    }

    /// `Meta:p => v` and `Meta => v`; any other word is an error.
    pub fn entry_meta(&mut self, l: u32, p: Option<u32>, condition: Option<ExprId>, value: ExprId) -> EntryBody {
        let word = self.token_text(l);
        let span = self.span(l, p.map_or(l + 1, |p| p + 1));
        if word != "Meta" {
            self.errors.push(crate::explain::unknown_capitalized_entry(self.span(l, l + 1), word, p.is_some()));
            return None;
        }
        let property = match p {
            Some(p) => self.word(p),
            None => self.intern("meta"),
        };
        Some((span, condition, EntryKind::Meta { property, value }))
    }

    pub fn edge_half(&mut self, l: u32, kind: Name, o: u32, name: ExprId, key: Option<u32>, r: u32) -> EdgeHalf {
        self.group(o, Group::Single);
        EdgeHalf { kind, name, key: key.map(|f| self.word(f)), span: self.span(l, r) }
    }

    // Expressions.

    pub fn boolean(&mut self, l: u32, value: bool) -> ExprId {
        self.push_expr(Expr::Bool(value), 1, l, l + 1)
    }

    pub fn integer(&mut self, l: u32) -> ExprId {
        // The lexer made an error token of what does not fit.
        let expr = self.token_text(l).parse().map_or(Expr::Error, Expr::Int);
        self.push_expr(expr, 1, l, l + 1)
    }

    pub fn float(&mut self, l: u32) -> ExprId {
        let expr = self.token_text(l).parse().map_or(Expr::Error, Expr::Float);
        self.push_expr(expr, 1, l, l + 1)
    }

    pub fn string(&mut self, l: u32) -> ExprId {
        let raw: Arc<str> = self.raw_string(l).into();
        self.push_expr(Expr::Str(raw), 1, l, l + 1)
    }

    pub fn error_value(&mut self, l: u32, r: u32) -> ExprId {
        self.push_expr(Expr::Error, 1, l, r)
    }

    /// Whether the bracket that ends in front of `r` is there. One that is missing was put in by the recovery: how many
    /// elements, fields or arguments there should be is not known then.
    fn is_closed(&self, closer: TokenKind, r: u32) -> bool {
        r.checked_sub(1).and_then(|last| self.tokens.kind(last as usize)) == Some(closer)
    }

    pub fn list(&mut self, l: u32, elements: Vec<ExprId>, r: u32) -> ExprId {
        self.group(l, Group::List);
        let depth = self.depth_over(&elements);
        self.push_expr(Expr::List(elements), depth, l, r)
    }

    pub fn map(&mut self, l: u32, pairs: Vec<Option<(ExprId, ExprId)>>, r: u32) -> ExprId {
        self.group(l, Group::List);
        let broken = pairs.iter().any(Option::is_none);
        let pairs: Vec<_> = pairs.into_iter().flatten().collect();
        if broken && pairs.is_empty() || !self.is_closed(TokenKind::CloseCurly, r) {
            return self.error_value(l, r);
        }
        let depth = 1 + pairs.iter().map(|(k, v)| self.depth(*k).max(self.depth(*v))).max().unwrap_or(0);
        self.push_expr(Expr::Map(pairs), depth, l, r)
    }

    pub fn struct_entry(&mut self, l: u32, value: ExprId) -> StructEntry {
        StructEntry { name: self.word(l), name_span: self.span(l, l + 1), value }
    }

    pub fn structure(&mut self, l: u32, o: u32, fields: Vec<Option<StructEntry>>, r: u32) -> ExprId {
        self.group(o, Group::List);
        match fields.into_iter().collect::<Option<Vec<_>>>() {
            Some(_) if !self.is_closed(TokenKind::CloseCurly, r) => self.error_value(l, r),
            Some(fields) => {
                let depth = 1 + fields.iter().map(|f| self.depth(f.value)).max().unwrap_or(0);
                self.push_expr(Expr::Struct(fields), depth, l, r)
            }
            // A field is unknown, so the type is.
            None => self.error_value(l, r),
        }
    }

    pub fn if_expr(&mut self, l: u32, condition: ExprId, then: (u32, ExprId), other: (u32, ExprId), r: u32) -> ExprId {
        self.group(then.0, Group::Body);
        self.group(other.0, Group::Body);
        let depth = self.depth_over(&[condition, then.1, other.1]);
        self.push_expr(Expr::If { condition, then: then.1, otherwise: other.1 }, depth, l, r)
    }

    pub fn paren(&mut self, l: u32, inner: ExprId, r: u32) -> ExprId {
        self.group(l, Group::Single);
        let depth = self.depth_over(&[inner]);
        self.push_expr(Expr::Paren(inner), depth, l, r)
    }

    pub fn var(&mut self, l: u32, name: Name, r: u32) -> ExprId {
        self.push_expr(Expr::Var(name), 1, l, r)
    }

    pub fn call(&mut self, l: u32, name: Name, o: u32, args: Vec<ExprId>, r: u32) -> ExprId {
        self.group(o, Group::List);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args);
        self.push_expr(Expr::Call { name, args }, depth, l, r)
    }

    pub fn call_var(&mut self, l: u32, name: Name, o: u32, args: Vec<ExprId>, r: u32) -> ExprId {
        self.group(o, Group::List);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args);
        self.push_expr(Expr::CallVar { name, args }, depth, l, r)
    }

    pub fn call_lambda(&mut self, l: u32, lambda: ExprId, o: u32, args: Vec<ExprId>, r: u32) -> ExprId {
        self.group(o, Group::List);
        if !self.is_closed(TokenKind::CloseParen, r) {
            return self.error_value(l, r);
        }
        let depth = self.depth_over(&args).max(1 + self.depth(lambda));
        self.push_expr(Expr::CallLambda { lambda, args }, depth, l, r)
    }

    pub fn func_expr(&mut self, l: u32, lambda: Option<Lambda>, r: u32) -> ExprId {
        match lambda {
            Some(lambda) => {
                let depth = 1 + self.depth(lambda.body);
                self.push_expr(Expr::Func(Box::new(lambda)), depth, l, r)
            }
            None => self.push_expr(Expr::Error, 1, l, r),
        }
    }

    pub fn not(&mut self, l: u32, operand: ExprId, r: u32) -> ExprId {
        let depth = self.depth_over(&[operand]);
        self.push_expr(Expr::Unary { op: UnaryOp::Not, operand }, depth, l, r)
    }

    pub fn binary(&mut self, l: u32, op: BinaryOp, left: ExprId, right: ExprId, r: u32) -> ExprId {
        // A chain of operators is no nesting, however long: no stage recurses into the left side.
        let depth = self.depth(left).max(1 + self.depth(right));
        self.push_expr(Expr::Binary { op, left, right }, depth, l, r)
    }

    pub fn index(&mut self, l: u32, base: ExprId, o: u32, index: ExprId, r: u32) -> ExprId {
        self.group(o, Group::Single);
        let depth = self.depth_over(&[base, index]);
        self.push_expr(Expr::Index { base, index }, depth, l, r)
    }

    pub fn field(&mut self, l: u32, base: ExprId, f: u32, r: u32) -> ExprId {
        let field = self.word(f);
        let depth = self.depth_over(&[base]);
        self.push_expr(Expr::Field { base, field }, depth, l, r)
    }

    pub fn field_or(&mut self, l: u32, base: ExprId, f: u32, o: u32, default: ExprId, r: u32) -> ExprId {
        let field = self.word(f);
        self.bar(o, default);
        let depth = self.depth_over(&[base, default]);
        self.push_expr(Expr::FieldOr { base, field, default }, depth, l, r)
    }

    pub fn except(&mut self, l: u32, value: ExprId, o: u32, fallback: ExprId, r: u32) -> ExprId {
        if self.tokens.kind(o as usize) == Some(TokenKind::BarBar) {
            if matches!(self.ast.expr(value), Expr::Index { .. }) {
                self.bar(o, fallback);
            } else {
                let error = Diagnostic::error(Code::E0209, Stage::Parse, "`||` is no logical or")
                    .at(self.span(o, o + 1))
                    .help("write `or` for the logical or, and `<|>` for a fallback when the left side fails");
                self.errors.push(error);
                return self.push_expr(Expr::Error, 1, l, r);
            }
        }
        let depth = self.depth_over(&[value, fallback]);
        self.push_expr(Expr::Except { value, fallback }, depth, l, r)
    }

    /// Notes an operator `||` (and not `<|>`) for the lints.
    fn bar(&mut self, o: u32, right: ExprId) {
        if self.tokens.kind(o as usize) == Some(TokenKind::BarBar) {
            let compound = matches!(self.ast.expr(right), Expr::Binary { .. } | Expr::Unary { .. });
            self.bars.push((o, compound));
        }
    }

    // Types.

    pub fn simple_type(&mut self, l: u32) -> TypeId {
        let ty = match self.tokens.kind(l as usize) {
            Some(TokenKind::TypeBool) => TypeExpr::Bool,
            Some(TokenKind::TypeStr) => TypeExpr::Str,
            Some(TokenKind::TypeInt) => TypeExpr::Int,
            Some(TokenKind::TypeFloat) => TypeExpr::Float,
            _ => TypeExpr::Variant,
        };
        self.push_type(ty, [].into_iter(), l, l + 1)
    }

    pub fn error_type(&mut self, l: u32, r: u32) -> TypeId {
        self.push_type(TypeExpr::Error, [].into_iter(), l, r)
    }

    pub fn list_type(&mut self, l: u32, element: TypeId, r: u32) -> TypeId {
        self.group(l, Group::Type);
        self.push_type(TypeExpr::List(element), [element].into_iter(), l, r)
    }

    pub fn map_type(&mut self, l: u32, o: u32, key: TypeId, value: TypeId, r: u32) -> TypeId {
        self.group(o, Group::Type);
        self.push_type(TypeExpr::Map(key, value), [key, value].into_iter(), l, r)
    }

    pub fn struct_type(&mut self, l: u32, o: u32, fields: Vec<(u32, TypeId)>, r: u32) -> TypeId {
        self.group(o, Group::Type);
        let mut named: Vec<(Name, TypeId)> = Vec::with_capacity(fields.len());
        let mut first: FxHashMap<Name, u32> = FxHashMap::default();
        for (at, ty) in fields {
            let name = self.word(at);
            if let Some(before) = first.insert(name, at) {
                let error = Diagnostic::error(
                    Code::E0207,
                    Stage::Parse,
                    format!("the struct type has two fields `{}`", self.token_text(at)),
                );
                self.errors.push(
                    error
                        .at_with(self.span(at, at + 1), "given again here")
                        .label(self.span(before, before + 1), "first given here"),
                );
            }
            named.push((name, ty));
        }
        let children: Vec<_> = named.iter().map(|f| f.1).collect();
        self.push_type(TypeExpr::Struct(named), children.into_iter(), l, r)
    }

    pub fn func_type(
        &mut self,
        l: u32,
        o: u32,
        args: Vec<(Option<Name>, TypeId)>,
        rl: u32,
        result: TypeId,
        r: u32,
    ) -> TypeId {
        self.group(o, Group::List);
        for (i, (name, ty)) in args.iter().enumerate() {
            if let Some(name) = name
                && args[..i].iter().any(|(other, _)| *other == Some(*name))
            {
                let error = Diagnostic::error(
                    Code::E0208,
                    Stage::Parse,
                    format!("the func type has two arguments `${}`", self.ast.name(*name)),
                );
                self.errors.push(error.at(self.ast.ty_span(*ty)).help("give each argument a name of its own, or none"));
            }
        }
        let _ = rl;
        let children: Vec<_> = args.iter().map(|a| a.1).chain([result]).collect();
        self.push_type(TypeExpr::Func(args, result), children.into_iter(), l, r)
    }
}
