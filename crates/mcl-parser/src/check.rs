//! The invariants of a tree, for trees that come from files.

use mcl_diagnostics::Span;

use crate::MAX_DEPTH;
use crate::ast::{Ast, EntryKind, Expr, ExprId, Name, Param, Stmt, StmtId, TypeExpr, TypeId};

/// What interpolation may add to the depth that the parser allows.
const SLACK: usize = 8;

impl Ast {
    /// Checks the invariants at the head of this module, and that every place lies in `text`, the file's source.
    ///
    /// # Errors
    /// The first that is broken, in a few words.
    pub fn check(&self, text: &str) -> Result<(), &'static str> {
        let lengths = [
            (self.exprs.len(), self.expr_spans.len()),
            (self.stmts.len(), self.stmt_spans.len()),
            (self.types.len(), self.type_spans.len()),
        ];
        if lengths.iter().any(|(nodes, spans)| nodes != spans) {
            return Err("a tree has more nodes than places, or fewer");
        }
        let mut check = Check {
            ast: self,
            text,
            problem: None,
            deepest: 0,
            at: 0,
            depths: Default::default(),
            used: Default::default(),
        };
        let counts = [self.types.len(), self.exprs.len(), self.stmts.len()];
        check.used = counts.map(|count| vec![false; count]);
        self.type_spans.iter().chain(&self.expr_spans).chain(&self.stmt_spans).for_each(|span| check.span(*span));
        for ty in &self.types {
            check.node(TYPES, |check| check.type_parts(ty));
        }
        for expr in &self.exprs {
            check.node(EXPRS, |check| check.expr_parts(expr));
        }
        for stmt in &self.stmts {
            check.node(STMTS, |check| check.stmt_parts(stmt));
        }
        check.at = self.stmts.len();
        self.body.iter().for_each(|stmt| check.stmt(*stmt));
        check.problem.map_or(Ok(()), Err)
    }
}

const TYPES: usize = 0;
const EXPRS: usize = 1;
const STMTS: usize = 2;

struct Check<'a> {
    ast: &'a Ast,
    text: &'a str,
    problem: Option<&'static str>,
    /// The deepest part of the current node, of its own sort.
    deepest: u32,
    /// Index of the current node.
    at: usize,
    /// Depth of each node so far, by sort.
    depths: [Vec<u32>; 3],
    /// Whether each node is already part of another, by sort.
    used: [Vec<bool>; 3],
}

impl Check<'_> {
    fn node(&mut self, sort: usize, parts: impl FnOnce(&mut Self)) {
        self.deepest = 0;
        self.at = self.depths[sort].len();
        parts(self);
        let depth = self.deepest + 1;
        if depth as usize > MAX_DEPTH + SLACK {
            self.problem = Some("a tree is too deep");
        }
        self.depths[sort].push(depth);
    }

    /// A part of the same sort as the current node comes before it.
    fn earlier(&mut self, sort: usize, index: u32) {
        match self.depths[sort].get(index as usize) {
            Some(depth) if (index as usize) < self.at => {
                self.deepest = self.deepest.max(*depth);
                self.part(sort, index);
            }
            _ => self.problem = Some("a node of a tree is part of something before it"),
        }
    }

    /// A part has to exist, and to be part of nothing else: a pass over the tree meets each node once.
    fn part(&mut self, sort: usize, index: u32) {
        match self.used[sort].get_mut(index as usize) {
            Some(used) if !*used => *used = true,
            Some(_) => self.problem = Some("a node of a tree is part of two others"),
            None => self.problem = Some("a tree speaks of a node that it does not have"),
        }
    }

    fn name(&mut self, name: Name) {
        if name.0 as usize >= self.ast.names.len() {
            self.problem = Some("a tree speaks of a name that it does not have");
        }
    }

    fn span(&mut self, span: Span) {
        let range = span.start as usize..span.end as usize;
        if span.file != self.ast.file || self.text.get(range).is_none() {
            self.problem = Some("a place in a tree is not in its file");
        }
    }

    fn ty(&mut self, ty: Option<TypeId>) {
        ty.into_iter().for_each(|ty| self.part(TYPES, ty.0));
    }

    fn expr(&mut self, expr: ExprId) {
        self.part(EXPRS, expr.0);
    }

    fn function(&mut self, expr: ExprId) {
        if !matches!(self.ast.exprs.get(expr.0 as usize), Some(Expr::Func(_))) {
            self.problem = Some("a function of a tree is something else");
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        self.earlier(STMTS, stmt.0);
    }

    fn param(&mut self, param: &Param) {
        self.name(param.name);
        self.ty(param.ty);
        self.span(param.span);
    }

    fn type_parts(&mut self, ty: &TypeExpr) {
        match ty {
            TypeExpr::Error | TypeExpr::Bool | TypeExpr::Str | TypeExpr::Int | TypeExpr::Float | TypeExpr::Variant => {}
            TypeExpr::List(element) => self.earlier(TYPES, element.0),
            TypeExpr::Map(key, value) => [key, value].into_iter().for_each(|part| self.earlier(TYPES, part.0)),
            TypeExpr::Struct(fields) => {
                for (name, part) in fields {
                    self.name(*name);
                    self.earlier(TYPES, part.0);
                }
            }
            TypeExpr::Func(args, result) => {
                for (name, part) in args {
                    name.iter().for_each(|name| self.name(*name));
                    self.earlier(TYPES, part.0);
                }
                self.earlier(TYPES, result.0);
            }
        }
    }

    fn expr_parts(&mut self, expr: &Expr) {
        let mut parts: Vec<ExprId> = Vec::new();
        match expr {
            Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) => {}
            Expr::Concat(inner) | Expr::List(inner) => parts.clone_from(inner),
            Expr::Interpolated(inner) | Expr::Paren(inner) | Expr::Unary { operand: inner, .. } => parts.push(*inner),
            Expr::Map(pairs) => parts.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
            Expr::Struct(fields) => {
                for field in fields {
                    self.name(field.name);
                    self.span(field.name_span);
                    parts.push(field.value);
                }
            }
            Expr::Func(lambda) => {
                lambda.params.iter().for_each(|param| self.param(param));
                self.ty(lambda.result);
                parts.push(lambda.body);
            }
            Expr::Call { name, args } | Expr::CallVar { name, args } => {
                self.name(*name);
                parts.clone_from(args);
            }
            Expr::CallLambda { lambda, args } => {
                parts.clone_from(args);
                parts.push(*lambda);
            }
            Expr::Var(name) => self.name(*name),
            Expr::If { condition, then, otherwise } => parts.extend([*condition, *then, *otherwise]),
            // A chain of operators is as deep as its right sides.
            Expr::Binary { left, right, .. } => {
                self.earlier(EXPRS, left.0);
                let left = std::mem::take(&mut self.deepest).saturating_sub(1);
                self.earlier(EXPRS, right.0);
                self.deepest = self.deepest.max(left);
            }
            Expr::Index { base: one, index: other } | Expr::Except { value: one, fallback: other } => {
                parts.extend([*one, *other])
            }
            Expr::Field { base, field } => {
                self.name(*field);
                parts.push(*base);
            }
            Expr::FieldOr { base, field, default } => {
                self.name(*field);
                parts.extend([*base, *default]);
            }
        }
        parts.into_iter().for_each(|part| self.earlier(EXPRS, part.0));
    }

    fn stmt_parts(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Broken { defines } => {
                for definition in defines {
                    self.name(definition.name);
                    self.span(definition.span);
                }
            }
            Stmt::Bind { name, name_span, ty, value } => {
                self.name(*name);
                self.span(*name_span);
                self.ty(*ty);
                self.expr(*value);
            }
            Stmt::Panic { args } => args.iter().for_each(|arg| self.expr(*arg)),
            Stmt::Resource(resource) => {
                self.name(resource.kind);
                self.span(resource.kind_span);
                self.expr(resource.name);
                for entry in &resource.entries {
                    self.span(entry.span);
                    self.span(entry.name_span);
                    entry.condition.iter().for_each(|condition| self.expr(*condition));
                    match &entry.kind {
                        EntryKind::Field { name, value } | EntryKind::Meta { property: name, value } => {
                            self.name(*name);
                            self.expr(*value);
                        }
                        EntryKind::Edge { property, half } => {
                            self.name(*property);
                            self.half(half);
                        }
                    }
                }
            }
            Stmt::Edge(halves) => halves.iter().for_each(|half| self.half(half)),
            Stmt::If { condition, then, otherwise } => {
                self.expr(*condition);
                then.iter().chain(otherwise.iter().flatten()).for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::For { index: first, value: second, iterable, body }
            | Stmt::ForKv { key: first, value: second, iterable, body } => {
                self.param(first);
                self.param(second);
                self.expr(*iterable);
                body.iter().for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::Func { name, name_span, func } => {
                self.name(*name);
                self.span(*name_span);
                self.function(*func);
            }
            Stmt::Class { name, name_span, params, body } => {
                self.name(*name);
                self.span(*name_span);
                params.iter().flatten().for_each(|param| self.param(param));
                body.iter().for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::Include { class, class_span, args, alias } => {
                self.name(*class);
                self.span(*class_span);
                args.iter().flatten().for_each(|arg| self.expr(*arg));
                alias.iter().for_each(|alias| self.alias(*alias));
            }
            Stmt::Import { module: _, module_span, alias } => {
                self.span(*module_span);
                alias.iter().for_each(|alias| self.alias(*alias));
            }
        }
    }

    fn alias(&mut self, (name, span): (Name, Span)) {
        self.name(name);
        self.span(span);
    }

    fn half(&mut self, half: &crate::ast::EdgeHalf) {
        self.name(half.kind);
        self.expr(half.name);
        half.key.iter().for_each(|key| self.name(*key));
        self.span(half.span);
    }
}
