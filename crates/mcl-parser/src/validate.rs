//! Validation of trees that were read from artifacts, which may be corrupt or hostile.

use std::fmt;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_diagnostics::Span;

use crate::ast::{
    Ast, EdgeHalf, EntryKind, Expr, ExprId, ExprList, MAX_DEPTH, Name, Param, Stmt, StmtId, StringId, TypeExpr, TypeId,
};

/// The depth that interpolation may add to [`MAX_DEPTH`].
const INTERPOLATION_DEPTH: usize = 8;

/// The invariant of [`crate::ast`] that a tree violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidAst {
    /// An arena and its table of spans differ in length.
    SpanCount,
    /// A path from the root is longer than the limit.
    TooDeep,
    /// A node is not after its children.
    ChildAfterParent,
    /// A node has two parents.
    SharedNode,
    /// An id is out of range of its arena.
    UnknownNode,
    /// A name is out of range of the table of names.
    UnknownName,
    /// A string is out of range of the table of strings.
    UnknownString,
    /// A list is out of range of the items of all lists, or has a key without a value.
    UnknownList,
    /// A span is not in the file.
    SpanOutsideFile,
    /// The function of a `func` statement is another expression.
    NotAFunction,
}

impl fmt::Display for InvalidAst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidAst::SpanCount => "a tree has not exactly one span per node",
            InvalidAst::TooDeep => "a tree is too deep",
            InvalidAst::ChildAfterParent => "a node of a tree comes before one of its children",
            InvalidAst::SharedNode => "a node of a tree has two parents",
            InvalidAst::UnknownNode => "a tree refers to a node that does not exist",
            InvalidAst::UnknownName => "a tree refers to a name that does not exist",
            InvalidAst::UnknownString => "a tree refers to a string that does not exist",
            InvalidAst::UnknownList => "a tree refers to a list that does not exist",
            InvalidAst::SpanOutsideFile => "a span of a tree is outside its file",
            InvalidAst::NotAFunction => "a `func` statement of a tree has no function",
        })
    }
}

impl std::error::Error for InvalidAst {}

impl Ast {
    /// Checks the invariants of [`crate::ast`], and that every span is within `text`, the source of the file.
    ///
    /// # Errors
    /// An invariant that the tree violates.
    pub fn validate(&self, text: &str) -> Result<(), InvalidAst> {
        let lengths = [
            (self.exprs.len(), self.expr_ranges.len()),
            (self.stmts.len(), self.stmt_ranges.len()),
            (self.types.len(), self.type_ranges.len()),
        ];
        if lengths.iter().any(|(nodes, spans)| nodes != spans) {
            return Err(InvalidAst::SpanCount);
        }
        // Also those that no list has.
        if !self.list_items.iter().all(|item| self.exprs.is_valid(*item)) {
            return Err(InvalidAst::UnknownNode);
        }
        let mut validator = Validator {
            ast: self,
            text,
            problem: None,
            deepest: 0,
            unlisted: self.exprs.len(),
            types: Nodes::new(self.types.len()),
            exprs: Nodes::new(self.exprs.len()),
            stmts: Nodes::new(self.stmts.len()),
        };
        let ranges = self.type_ranges.values().chain(self.expr_ranges.values()).chain(self.stmt_ranges.values());
        ranges.for_each(|range| validator.span(range.in_file(self.file)));
        for ty in self.types.values() {
            let depth = validator.depth_over(|validator| validator.type_parts(ty));
            validator.types.depths.push(depth);
        }
        for expr in self.exprs.values() {
            let depth = validator.depth_over(|validator| validator.expr_parts(expr));
            validator.exprs.depths.push(depth);
        }
        for stmt in self.stmts.values() {
            let depth = validator.depth_over(|validator| validator.stmt_parts(stmt));
            validator.stmts.depths.push(depth);
        }
        self.body.iter().for_each(|stmt| validator.stmt(*stmt));
        validator.problem.map_or(Ok(()), Err)
    }
}

/// What is known of the nodes of one arena.
struct Nodes<K: EntityRef> {
    /// The depth of each node so far.
    depths: PrimaryMap<K, u32>,
    /// Whether each node of the arena has a parent already.
    has_parent: PrimaryMap<K, bool>,
}

impl<K: EntityRef> Nodes<K> {
    fn new(count: usize) -> Nodes<K> {
        Nodes { depths: PrimaryMap::with_capacity(count), has_parent: vec![false; count].into() }
    }

    /// Visits a child of the current node of this arena, which must come before the node. Returns the child's depth.
    fn child(&mut self, id: K) -> Result<u32, InvalidAst> {
        let depth = *self.depths.get(id).ok_or(InvalidAst::ChildAfterParent)?;
        self.adopt(id)?;
        Ok(depth)
    }

    /// Visits a child of a node of any arena, which must exist and have no other parent.
    fn adopt(&mut self, id: K) -> Result<(), InvalidAst> {
        let has_parent = self.has_parent.get_mut(id).ok_or(InvalidAst::UnknownNode)?;
        if std::mem::replace(has_parent, true) { Err(InvalidAst::SharedNode) } else { Ok(()) }
    }
}

struct Validator<'a> {
    ast: &'a Ast,
    text: &'a str,
    problem: Option<InvalidAst>,
    /// The depth of the deepest child of the current node in its own arena.
    deepest: u32,
    /// The number of expressions that are in no list so far.
    unlisted: usize,
    types: Nodes<TypeId>,
    exprs: Nodes<ExprId>,
    stmts: Nodes<StmtId>,
}

impl<'a> Validator<'a> {
    /// Returns the depth of a node with these parts.
    fn depth_over(&mut self, visit_parts: impl FnOnce(&mut Self)) -> u32 {
        self.deepest = 0;
        visit_parts(self);
        let depth = self.deepest + 1;
        if depth as usize > MAX_DEPTH + INTERPOLATION_DEPTH {
            self.problem = Some(InvalidAst::TooDeep);
        }
        depth
    }

    /// Takes account of a child in the arena of the current node.
    fn child(&mut self, depth: Result<u32, InvalidAst>) {
        match depth {
            Ok(depth) => self.deepest = self.deepest.max(depth),
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Takes account of a child in another arena.
    fn adopted(&mut self, result: Result<(), InvalidAst>) {
        if let Err(problem) = result {
            self.problem = Some(problem);
        }
    }

    fn child_type(&mut self, id: TypeId) {
        let depth = self.types.child(id);
        self.child(depth);
    }

    fn child_expr(&mut self, id: ExprId) {
        let depth = self.exprs.child(id);
        self.child(depth);
    }

    fn name(&mut self, name: Name) {
        if !self.ast.names.is_valid(name) {
            self.problem = Some(InvalidAst::UnknownName);
        }
    }

    fn string(&mut self, id: StringId) {
        if !self.ast.strings.is_valid(id) {
            self.problem = Some(InvalidAst::UnknownString);
        }
    }

    /// Returns the items of a list, which must exist. The lists of a tree whose nodes have one parent each are together no
    /// longer than its arena; those of another tree may be, so the rest of them is not read.
    fn list(&mut self, list: ExprList) -> &'a [ExprId] {
        let Some(items) = self.ast.list_items.get(list.range()) else {
            self.problem = Some(InvalidAst::UnknownList);
            return &[];
        };
        match self.unlisted.checked_sub(items.len()) {
            Some(unlisted) => self.unlisted = unlisted,
            None => {
                self.problem = Some(InvalidAst::SharedNode);
                return &[];
            }
        }
        items
    }

    fn span(&mut self, span: Span) {
        let range = span.start as usize..span.end as usize;
        if span.file != self.ast.file || self.text.get(range).is_none() {
            self.problem = Some(InvalidAst::SpanOutsideFile);
        }
    }

    fn ty(&mut self, ty: Option<TypeId>) {
        let adopted = ty.map_or(Ok(()), |ty| self.types.adopt(ty));
        self.adopted(adopted);
    }

    fn expr(&mut self, expr: ExprId) {
        let adopted = self.exprs.adopt(expr);
        self.adopted(adopted);
    }

    fn function(&mut self, expr: ExprId) {
        if !matches!(self.ast.exprs.get(expr), Some(Expr::Func(_))) {
            self.problem = Some(InvalidAst::NotAFunction);
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        let depth = self.stmts.child(stmt);
        self.child(depth);
    }

    fn param(&mut self, param: &Param) {
        self.name(param.name);
        self.ty(param.ty);
        self.span(param.span);
    }

    fn type_parts(&mut self, ty: &TypeExpr) {
        match ty {
            TypeExpr::Error | TypeExpr::Bool | TypeExpr::Str | TypeExpr::Int | TypeExpr::Float | TypeExpr::Variant => {}
            TypeExpr::List(element) => self.child_type(*element),
            TypeExpr::Map(key, value) => [key, value].into_iter().for_each(|part| self.child_type(*part)),
            TypeExpr::Struct(fields) => {
                for (name, part) in fields {
                    self.name(*name);
                    self.child_type(*part);
                }
            }
            TypeExpr::Func(args, result) => {
                for (name, part) in args {
                    name.iter().for_each(|name| self.name(*name));
                    self.child_type(*part);
                }
                self.child_type(*result);
            }
        }
    }

    fn expr_parts(&mut self, expr: &Expr) {
        let mut parts: Vec<ExprId> = Vec::new();
        match expr {
            Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) => {}
            Expr::Str(id) => self.string(*id),
            Expr::Concat(items) | Expr::List(items) => parts.extend(self.list(*items)),
            Expr::Interpolated(inner) | Expr::Paren(inner) | Expr::Unary { operand: inner, .. } => parts.push(*inner),
            Expr::Map(pairs) => {
                if pairs.len() % 2 != 0 {
                    self.problem = Some(InvalidAst::UnknownList);
                }
                parts.extend(self.list(*pairs));
            }
            Expr::Struct(literal) => {
                for field in &literal.fields {
                    self.name(field.name);
                    self.span(field.name_span);
                    parts.push(field.value);
                }
            }
            Expr::Func(lambda) => {
                lambda.params.iter().for_each(|param| self.param(param));
                self.ty(lambda.result.expand());
                parts.push(lambda.body);
            }
            Expr::Call { name, args } | Expr::CallVar { name, args } => {
                self.name(*name);
                parts.extend(self.list(*args));
            }
            Expr::CallLambda { lambda, args } => {
                parts.extend(self.list(*args));
                parts.push(*lambda);
            }
            Expr::Var(name) => self.name(*name),
            Expr::If { condition, then, otherwise } => parts.extend([*condition, *then, *otherwise]),
            // The left side of an operator is not deeper than the operator.
            Expr::Binary { left, right, .. } => {
                self.child_expr(*left);
                let left = std::mem::take(&mut self.deepest).saturating_sub(1);
                self.child_expr(*right);
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
        parts.into_iter().for_each(|part| self.child_expr(part));
    }

    fn stmt_parts(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Error { defines } => {
                for definition in defines {
                    self.name(definition.name);
                    self.span(definition.span);
                }
            }
            Stmt::Bind { name, name_range, ty, value } => {
                self.name(*name);
                self.span(name_range.in_file(self.ast.file));
                self.ty(ty.expand());
                self.expr(*value);
            }
            Stmt::Panic { args } => args.iter().for_each(|arg| self.expr(*arg)),
            Stmt::Resource(resource) => {
                self.name(resource.kind);
                self.span(resource.kind_span(self.ast));
                self.expr(resource.name);
                for entry in &resource.entries {
                    self.span(entry.span(self.ast));
                    self.span(entry.name_span(self.ast));
                    entry.condition.expand().iter().for_each(|condition| self.expr(*condition));
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
            Stmt::If(branches) => {
                self.expr(branches.condition);
                branches.then.iter().chain(branches.otherwise.iter().flatten()).for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::For(iteration) | Stmt::ForKv(iteration) => {
                self.param(&iteration.index);
                self.param(&iteration.value);
                self.expr(iteration.iterable);
                iteration.body.iter().for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::Func { name, name_range, func } => {
                self.name(*name);
                self.span(name_range.in_file(self.ast.file));
                self.function(*func);
            }
            Stmt::Class(class) => {
                self.name(class.name);
                self.span(class.name_span);
                class.params.iter().flatten().for_each(|param| self.param(param));
                class.body.iter().for_each(|stmt| self.stmt(*stmt));
            }
            Stmt::Include(include) => {
                self.name(include.class);
                self.span(include.class_span);
                include.args.iter().flatten().for_each(|arg| self.expr(*arg));
                include.alias.iter().for_each(|alias| self.alias(*alias));
            }
            Stmt::Import(import) => {
                self.span(import.module_span);
                import.alias.iter().for_each(|alias| self.alias(*alias));
            }
        }
    }

    fn alias(&mut self, (name, span): (Name, Span)) {
        self.name(name);
        self.span(span);
    }

    fn half(&mut self, half: &EdgeHalf) {
        self.name(half.kind);
        self.expr(half.name);
        half.key.iter().for_each(|key| self.name(*key));
        self.span(half.span);
    }
}
