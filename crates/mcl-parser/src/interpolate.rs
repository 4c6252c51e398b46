//! The interpolate stage (spec 01 §5): strings become values and references, parentheses are removed, and classes with
//! colons in their names move into their parents.
//!
//! The result is a new tree with the same kinds of node. Expressions are copied in arena order, in which children come
//! first, so no recursion is needed. Statements are first rearranged from the outside in (a class that moves keeps the
//! rest of its name, which may move it further), then copied from the inside out. Where no node is added, removed or moved
//! (there are neither references nor parentheses), nothing is copied, and the tree is changed in place.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Ast, Block, ByteRange, ClassStmt, EdgeHalf, Entry, EntryKind, Expr, ExprId, MAX_DEPTH, Name, Resource, Stmt,
    StmtId, StringId,
};
use crate::string_index::StringIndex;
use crate::string_literal::{StringError, StringPart, parse_string};
use crate::string_table::StringTable;

/// Expands a tree of the parse stage. A string that cannot be expanded becomes [`Expr::Error`].
#[must_use]
pub fn interpolate(mut ast: Ast) -> (Ast, Vec<Diagnostic>) {
    if keeps_expressions(&ast) && keeps_statements(&ast) {
        let errors = interpolate_in_place(&mut ast);
        return (ast, errors.into_iter().map(Diagnostic::from).collect());
    }
    let capacity = ast.exprs.len() + ast.exprs.values().map(|expr| max_parts(&ast, expr)).sum::<usize>();
    let mut stage = Interpolator {
        index: None,
        out: Ast {
            names: ast.names,
            list_items: ast.list_items,
            types: ast.types,
            type_ranges: ast.type_ranges,
            exprs: PrimaryMap::with_capacity(capacity),
            expr_ranges: PrimaryMap::with_capacity(capacity),
            stmts: PrimaryMap::with_capacity(ast.stmts.len()),
            stmt_ranges: PrimaryMap::with_capacity(ast.stmts.len()),
            invalid_names: ast.invalid_names,
            ..Ast::empty(ast.file)
        },
        raw_strings: ast.strings,
        errors: Vec::new(),
        map: PrimaryMap::with_capacity(ast.exprs.len()),
    };
    let old_items = stage.out.list_items.len();
    for (old, expr) in ast.exprs {
        let id = stage.expr(expr, ast.expr_ranges[old].in_file(ast.file));
        stage.map.push(id);
    }
    stage.map_items(old_items);
    let mut statements = ast.stmts;
    let body = stage.nest_classes(ast.body, &mut statements, &ast.stmt_ranges);
    stage.copy_statements(body, statements, &ast.stmt_ranges);
    stage.errors.sort_by_key(|error| error.span.start);
    (stage.out, stage.errors.into_iter().map(Diagnostic::from).collect())
}

/// An error of the interpolate stage.
struct InterpolateError {
    kind: InterpolateErrorKind,
    span: Span,
}

impl InterpolateError {
    /// Returns the errors of a string, except references to names whose definition was reported; `string` includes its
    /// quotes.
    fn in_string(
        errors: Vec<StringError>,
        string: Span,
        invalid_names: &[String],
    ) -> impl Iterator<Item = InterpolateError> {
        errors.into_iter().filter(|error| !error.refers_to(invalid_names)).map(move |error| {
            let span = inside(string, error.start, error.end);
            InterpolateError { kind: InterpolateErrorKind::String(error), span }
        })
    }
}

enum InterpolateErrorKind {
    /// An invalid escape or reference.
    String(StringError),
    /// A reference to a variable with two consecutive underscores in its name.
    DoubleUnderscore {
        name: String,
    },
    DuplicateClass {
        name: String,
        first: Span,
    },
    /// Moving classes into their parents exceeded [`MAX_DEPTH`].
    TooDeep,
}

impl From<InterpolateError> for Diagnostic {
    fn from(error: InterpolateError) -> Diagnostic {
        let span = error.span;
        match error.kind {
            InterpolateErrorKind::String(error) => error.diagnostic(span),
            InterpolateErrorKind::DoubleUnderscore { name } => double_underscore(&name, Stage::Interpolate, span),
            InterpolateErrorKind::DuplicateClass { name, first } => {
                let message = format!("duplicate class `{name}` in this scope");
                Diagnostic::error(Code::E0403, Stage::Interpolate, message)
                    .at_with(span, "duplicate definition")
                    .label(first, "first defined here")
            }
            InterpolateErrorKind::TooDeep => {
                let message = format!("classes nested more than {MAX_DEPTH} levels deep");
                Diagnostic::error(Code::E0404, Stage::Interpolate, message).at(span)
            }
        }
    }
}

/// Renders the error for a reference to a variable whose name contains `__` (spec 01 §4.6).
pub fn double_underscore(name: &str, stage: Stage, span: Span) -> Diagnostic {
    let message = format!("cannot reference `${name}`: its name contains two consecutive underscores");
    Diagnostic::error(Code::E0310, stage, message)
        .at(span)
        .help("such a variable can be defined, but not referenced; rename it")
}

/// Returns the maximum number of nodes that a string becomes besides one: text and references alternate.
fn max_parts(ast: &Ast, expr: &Expr) -> usize {
    match expr {
        Expr::Str(raw) => match ast.string(*raw).bytes().filter(|b| *b == b'$').count() {
            0 => 0,
            references => 2 * references + 1,
        },
        _ => 0,
    }
}

/// Whether each expression becomes one expression.
fn keeps_expressions(ast: &Ast) -> bool {
    ast.exprs.values().all(|expr| match expr {
        Expr::Paren(_) => false,
        Expr::Str(raw) => !ast.string(*raw).contains('$'),
        _ => true,
    })
}

/// Whether each statement stays where it is, and is in the order in which statements are copied.
fn keeps_statements(ast: &Ast) -> bool {
    let mut classes: FxHashSet<Name> = FxHashSet::default();
    for stmt in ast.stmts.values() {
        if let Stmt::Class(class) = stmt
            && (ast.name(class.name).contains(':') || !classes.insert(class.name))
        {
            return false;
        }
    }
    let mut next = ast.stmts.keys();
    let mut stack: Vec<(StmtId, bool)> = Vec::new();
    for id in &ast.body {
        stack.push((*id, false));
        while let Some((id, is_ready)) = stack.pop() {
            let mut blocks = ast.stmt(id).blocks().rev().peekable();
            if is_ready || blocks.peek().is_none() {
                if next.next() != Some(id) {
                    return false;
                }
                continue;
            }
            stack.push((id, true));
            let inner = blocks.flat_map(|block| block.iter().rev());
            stack.extend(inner.map(|id| (*id, false)));
        }
    }
    next.next().is_none()
}

/// Expands the strings of a tree that keeps its nodes.
fn interpolate_in_place(ast: &mut Ast) -> Vec<InterpolateError> {
    let mut errors = Vec::new();
    if ast.strings.iter().any(|raw| raw.contains('\\')) {
        let raw_strings = std::mem::take(&mut ast.strings);
        ast.strings.reserve(raw_strings.len(), raw_strings.byte_len());
        for (id, expr) in ast.exprs.iter_mut() {
            let Expr::Str(raw) = expr else { continue };
            let raw = &raw_strings[*raw];
            if !raw.contains('\\') {
                *expr = Expr::Str(ast.strings.push(raw));
                continue;
            }
            let span = ast.expr_ranges[id].in_file(ast.file);
            *expr = match parse_string(raw) {
                Ok(parts) => {
                    let value = parts.into_iter().find_map(StringPart::into_text).unwrap_or_default();
                    Expr::Str(ast.strings.push(&value))
                }
                Err(found) => {
                    errors.extend(InterpolateError::in_string(found, span, &ast.invalid_names));
                    Expr::Error
                }
            };
        }
    }
    for stmt in ast.stmts.values_mut() {
        complete(stmt);
    }
    // The tree lives as long as the program is compiled.
    ast.exprs.shrink_to_fit();
    ast.expr_ranges.shrink_to_fit();
    ast.stmts.shrink_to_fit();
    ast.stmt_ranges.shrink_to_fit();
    ast.names.shrink_to_fit();
    ast.strings.shrink_to_fit();
    ast.list_items.shrink_to_fit();
    errors.sort_by_key(|error| error.span.start);
    errors
}

/// Adds the empty lists that `class c {` and `include c` leave out.
fn complete(stmt: &mut Stmt) {
    match stmt {
        Stmt::Class(class) => {
            class.params.get_or_insert_default();
        }
        Stmt::Include(include) => {
            include.args.get_or_insert_default();
        }
        _ => {}
    }
}

/// Returns the span of a part of a string; `span` includes the quotes, and the positions count from after the first one.
fn inside(span: Span, start: usize, end: usize) -> Span {
    Span { start: span.start + 1 + start as u32, end: span.start + 1 + end as u32, ..span }
}

struct Interpolator {
    out: Ast,
    /// The index of the names of `out`, built on the first lookup.
    index: Option<StringIndex<Name>>,
    /// The contents of the strings of the old tree.
    raw_strings: StringTable<StringId>,
    errors: Vec<InterpolateError>,
    /// The new expression for each old one.
    map: PrimaryMap<ExprId, ExprId>,
}

impl Interpolator {
    fn find(&mut self, text: &str) -> Option<Name> {
        let names = &self.out.names;
        self.index.get_or_insert_with(|| StringIndex::of(names)).find(names, text)
    }

    fn intern(&mut self, text: &str) -> Name {
        let names = &mut self.out.names;
        self.index.get_or_insert_with(|| StringIndex::of(names)).intern(names, text)
    }

    /// Replaces the expressions of the lists of the old tree, which come before those of new nodes.
    fn map_items(&mut self, old_items: usize) {
        for item in &mut self.out.list_items[..old_items] {
            *item = self.map[*item];
        }
    }

    fn push_string(&mut self, text: &str, span: Span) -> ExprId {
        let id = self.out.strings.push(text);
        self.push(Expr::Str(id), span)
    }

    fn push(&mut self, expr: Expr, span: Span) -> ExprId {
        self.out.expr_ranges.push(span.into());
        self.out.exprs.push(expr)
    }

    fn at(&self, id: ExprId) -> ExprId {
        self.map[id]
    }

    fn all(&self, ids: &mut [ExprId]) {
        ids.iter_mut().for_each(|id| *id = self.at(*id));
    }

    fn expr(&mut self, mut expr: Expr, span: Span) -> ExprId {
        match &mut expr {
            Expr::Paren(inner) => return self.at(*inner),
            Expr::Str(raw) => return self.string(*raw, span),
            Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Var(_) => {}
            // The items of all lists are replaced at the end.
            Expr::Concat(_) | Expr::List(_) | Expr::Map(_) | Expr::Call { .. } | Expr::CallVar { .. } => {}
            Expr::CallLambda { lambda, .. } => *lambda = self.at(*lambda),
            Expr::Struct(literal) => literal.fields.iter_mut().for_each(|field| field.value = self.at(field.value)),
            Expr::Func(lambda) => lambda.body = self.at(lambda.body),
            Expr::If { condition, then, otherwise } => {
                (*condition, *then, *otherwise) = (self.at(*condition), self.at(*then), self.at(*otherwise));
            }
            Expr::Interpolated(inner) | Expr::Unary { operand: inner, .. } | Expr::Field { base: inner, .. } => {
                *inner = self.at(*inner);
            }
            Expr::Binary { left: a, right: b, .. }
            | Expr::Index { base: a, index: b }
            | Expr::FieldOr { base: a, default: b, .. }
            | Expr::Except { value: a, fallback: b } => (*a, *b) = (self.at(*a), self.at(*b)),
        }
        self.push(expr, span)
    }

    /// Expands a string literal; `span` includes its quotes.
    fn string(&mut self, raw: StringId, span: Span) -> ExprId {
        let raw = &self.raw_strings[raw];
        if !raw.bytes().any(|b| matches!(b, b'\\' | b'$')) {
            let id = self.out.strings.push(raw);
            return self.push(Expr::Str(id), span);
        }
        let inner = |start: usize, end: usize| inside(span, start, end);
        let parts = match parse_string(raw) {
            Ok(parts) => parts,
            Err(errors) => {
                self.errors.extend(InterpolateError::in_string(errors, span, &self.out.invalid_names));
                return self.push(Expr::Error, span);
            }
        };
        let mut ids = Vec::with_capacity(parts.len());
        for part in parts {
            let id = match part {
                StringPart::Text { text, start, end } => self.push_string(&text, inner(start, end)),
                StringPart::Reference { name, start, end } => {
                    if name.contains("__") {
                        let kind = InterpolateErrorKind::DoubleUnderscore { name };
                        self.errors.push(InterpolateError { kind, span: inner(start, end) });
                        return self.push(Expr::Error, span);
                    }
                    let name = self.intern(&name);
                    self.push(Expr::Var(name), inner(start, end))
                }
            };
            ids.push(id);
        }
        match ids.as_slice() {
            [] => self.push_string("", span),
            [one] => match self.out.expr(*one) {
                Expr::Var(_) => self.push(Expr::Interpolated(*one), span),
                _ => {
                    self.out.expr_ranges[*one] = span.into();
                    *one
                }
            },
            _ => {
                let ids = self.out.add_list(ids);
                self.push(Expr::Concat(ids), span)
            }
        }
    }

    /// Moves classes with colons into their parents, block by block, from the outside in (spec 01 §5.7). Returns the new top
    /// level.
    fn nest_classes(
        &mut self,
        body: Block,
        statements: &mut PrimaryMap<StmtId, Stmt>,
        ranges: &PrimaryMap<StmtId, ByteRange>,
    ) -> Block {
        let top = self.nest_block(body, statements);
        let mut open: Vec<(StmtId, usize)> = top.iter().map(|id| (*id, 1)).collect();
        while let Some((id, depth)) = open.pop() {
            let blocks: Vec<Block> = statements[id].blocks_mut().map(std::mem::take).collect();
            if blocks.is_empty() {
                continue;
            }
            if depth > MAX_DEPTH {
                self.errors.push(InterpolateError {
                    kind: InterpolateErrorKind::TooDeep,
                    span: ranges[id].in_file(self.out.file),
                });
                continue;
            }
            let nested: Vec<Block> = blocks.into_iter().map(|block| self.nest_block(block, statements)).collect();
            open.extend(nested.iter().flatten().map(|id| (*id, depth + 1)));
            for (old, block) in statements[id].blocks_mut().zip(nested) {
                *old = block;
            }
        }
        top
    }

    fn nest_block(&mut self, block: Block, statements: &mut PrimaryMap<StmtId, Stmt>) -> Block {
        let mut classes: FxHashMap<Name, (StmtId, Span)> = FxHashMap::default();
        let mut removed: FxHashSet<StmtId> = FxHashSet::default();
        let mut has_colons = false;
        for id in &block {
            let Stmt::Class(class) = &statements[*id] else { continue };
            let ClassStmt { name, name_span, .. } = &**class;
            has_colons |= self.out.name(*name).contains(':');
            if let Some((_, first)) = classes.get(name) {
                let kind =
                    InterpolateErrorKind::DuplicateClass { name: self.out.name(*name).to_string(), first: *first };
                self.errors.push(InterpolateError { kind, span: *name_span });
                removed.insert(*id);
            } else {
                classes.insert(*name, (*id, *name_span));
            }
        }
        if has_colons {
            for id in block.iter().rev() {
                let Stmt::Class(class) = &statements[*id] else { continue };
                let text = self.out.name(class.name).to_owned();
                let Some((prefix, rest)) = text.split_once(':') else { continue };
                let parent = self.find(prefix).and_then(|name| classes.get(&name)).map(|(parent, _)| *parent);
                let Some(parent) = parent.filter(|_| !removed.contains(id)) else { continue };
                let rest = self.intern(rest);
                if let Stmt::Class(class) = &mut statements[*id] {
                    class.name = rest;
                }
                if let Stmt::Class(class) = &mut statements[parent] {
                    class.body.push(*id);
                }
                removed.insert(*id);
            }
        }
        if removed.is_empty() { block } else { block.into_iter().filter(|id| !removed.contains(id)).collect() }
    }

    /// Copies the statements that are reachable from the top level, those of a block before the block.
    fn copy_statements(
        &mut self,
        top: Block,
        mut statements: PrimaryMap<StmtId, Stmt>,
        ranges: &PrimaryMap<StmtId, ByteRange>,
    ) {
        let mut map: SecondaryMap<StmtId, PackedOption<StmtId>> = SecondaryMap::with_capacity(statements.len());
        // A statement is visited twice: first its blocks are pushed, then it is copied.
        let mut stack: Vec<(StmtId, bool)> = top.iter().rev().map(|id| (*id, false)).collect();
        while let Some((id, ready)) = stack.pop() {
            if !ready {
                stack.push((id, true));
                let children: Vec<StmtId> = statements[id].blocks_mut().flat_map(|b| b.iter().copied()).collect();
                stack.extend(children.into_iter().rev().map(|child| (child, false)));
                continue;
            }
            let mut stmt = std::mem::replace(&mut statements[id], Stmt::Error { defines: Box::default() });
            for block in stmt.blocks_mut() {
                for child in block.iter_mut() {
                    *child = map[*child].expand().unwrap_or(*child);
                }
            }
            self.stmt(&mut stmt);
            self.out.stmt_ranges.push(ranges[id]);
            map[id] = self.out.stmts.push(stmt).into();
        }
        self.out.body = top.into_iter().filter_map(|id| map[id].expand()).collect();
    }

    /// Replaces the expressions of a statement with the new ones.
    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Error { .. } | Stmt::Import(_) => {}
            Stmt::Bind { value, .. } => *value = self.at(*value),
            Stmt::Panic { args } => self.all(args),
            Stmt::Resource(resource) => self.resource(resource),
            Stmt::Edge(halves) => halves.iter_mut().for_each(|half| self.half(half)),
            Stmt::If(branches) => branches.condition = self.at(branches.condition),
            Stmt::For(iteration) | Stmt::ForKv(iteration) => iteration.iterable = self.at(iteration.iterable),
            Stmt::Func { func, .. } => *func = self.at(*func),
            Stmt::Class(_) => complete(stmt),
            Stmt::Include(include) => {
                include.args.iter_mut().for_each(|args| self.all(args));
                complete(stmt);
            }
        }
    }

    fn resource(&self, resource: &mut Resource) {
        resource.name = self.at(resource.name);
        for Entry { condition, kind, .. } in &mut resource.entries {
            *condition = condition.expand().map(|c| self.at(c)).into();
            match kind {
                EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value = self.at(*value),
                EntryKind::Edge { half, .. } => self.half(half),
            }
        }
    }

    fn half(&self, half: &mut EdgeHalf) {
        half.name = self.at(half.name);
    }
}
