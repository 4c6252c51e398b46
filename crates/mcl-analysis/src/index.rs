//! The names of a program: where each is written, and what it means.
//!
//! The scope stage keeps what each expression refers to, not where the name in it is written. The index adds the spans of
//! the names, and the names that are not expressions: kinds, parameters, imports, aliases, resources.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mcl_diagnostics::{FileId, Span};
use mcl_driver::Checked;
use mcl_parser::ast::{Ast, EdgeHalf, EntryKind, Expr, ExprId, ImportStmt, IncludeStmt, Resource, Stmt, StmtId};
use mcl_parser::written_length;
use mcl_types::{
    DefId, DefKind, InstanceKind, ModuleId, Reference, ScopeId, ScopeKind, StmtInfo, Target, expressions,
    subexpressions,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Symbol {
    /// What is defined by the name at this place: the file, and the first byte of the name.
    Defined(FileId, u32),
    /// A built-in function, by its registered name.
    Function(Arc<str>),
    /// A built-in variable, by its registered name.
    Variable(Arc<str>),
    /// The string of an import, by its text.
    Import(Arc<str>),
    /// A kind of resource.
    Kind(Arc<str>),
    /// A parameter of a kind.
    Parameter(Arc<str>, Arc<str>),
    /// A meta parameter; `meta` for all of them.
    Meta(Arc<str>),
    /// `Before`, `Depend`, `Listen` or `Notify`, in lower case.
    EdgeWord(Arc<str>),
    /// A field of a struct after `->`.
    StructField,
    /// Resources of this kind and constant name.
    Resource(Arc<str>, Arc<str>),
}

/// A name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Where it is written; for variables with the `$`, except in strings.
    pub(crate) range: Range<u32>,
    pub(crate) symbol: Symbol,
    pub(crate) is_definition: bool,
    /// The expression that it is part of.
    pub(crate) expr: Option<(ModuleId, ExprId)>,
}

/// What the program defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DefinedName {
    pub(crate) name: Arc<str>,
    /// Where the name is written.
    pub(crate) span: Span,
    pub(crate) kind: DefinedKind,
    /// The scope that the name belongs to.
    pub(crate) scope: ScopeId,
}

/// The kinds of what a program defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinedKind {
    Bind(DefId),
    Function(DefId),
    Class(DefId),
    Parameter(DefId),
    /// The alias of an import or include statement of this scope.
    Alias(StmtId),
}

/// The names of a program.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The names of each file, sorted by their place.
    files: BTreeMap<FileId, Vec<Occurrence>>,
    defined: FxHashMap<Symbol, DefinedName>,
    /// The aliases that each scope declares.
    aliases: FxHashMap<(ScopeId, Arc<str>), Symbol>,
}

impl Index {
    pub(crate) fn new(program: &Checked) -> Index {
        let mut builder = Builder { program, index: Index::default(), shared: FxHashSet::default() };
        builder.definitions();
        builder.uses();
        let mut index = builder.index;
        for names in index.files.values_mut() {
            names.sort_by(|a, b| (a.range.start, a.range.end, &a.symbol).cmp(&(b.range.start, b.range.end, &b.symbol)));
            // A file that is imported inside of several blocks is resolved for each.
            names.dedup_by(|a, b| a.range == b.range && a.symbol == b.symbol);
        }
        index
    }

    /// Returns the names of a file, sorted by their place.
    pub(crate) fn of_file(&self, file: FileId) -> &[Occurrence] {
        self.files.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the name at a byte offset, or that ends there. Of several, the shortest.
    pub(crate) fn at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let touching = self.of_file(file).iter().filter(|name| name.range.start <= offset && offset <= name.range.end);
        touching.min_by_key(|name| (name.range.end == offset, name.range.end - name.range.start))
    }

    /// Returns what defines a symbol of the program.
    pub(crate) fn defined(&self, symbol: &Symbol) -> Option<&DefinedName> {
        self.defined.get(symbol)
    }

    /// Returns all that the program defines, without order.
    pub(crate) fn all_defined(&self) -> impl Iterator<Item = (&Symbol, &DefinedName)> {
        self.defined.iter()
    }

    /// Returns the places of a symbol, sorted.
    pub(crate) fn occurrences<'a>(&'a self, symbol: &'a Symbol) -> impl Iterator<Item = (FileId, &'a Occurrence)> {
        let names = self.files.iter().flat_map(|(file, names)| names.iter().map(move |name| (*file, name)));
        names.filter(move |(_, name)| name.symbol == *symbol)
    }
}

struct Builder<'a> {
    program: &'a Checked,
    index: Index,
    /// The names that several symbols have.
    shared: FxHashSet<Arc<str>>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, span: Span, symbol: Symbol, is_definition: bool, expr: Option<(ModuleId, ExprId)>) {
        let occurrence = Occurrence { range: span.start..span.end, symbol, is_definition, expr };
        self.index.files.entry(span.file).or_default().push(occurrence);
    }

    fn text(&self, span: Span) -> &'a str {
        self.program.loaded.files.text(span)
    }

    /// Returns a name that other symbols may have as well.
    fn share(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.shared.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.shared.insert(Arc::clone(&new));
        new
    }

    fn define(&mut self, name: Arc<str>, span: Span, kind: DefinedKind, scope: ScopeId) -> Symbol {
        let symbol = Symbol::Defined(span.file, span.start);
        self.add(span, symbol.clone(), true, None);
        let defined = DefinedName { name, span, kind, scope };
        self.index.defined.entry(symbol.clone()).or_insert(defined);
        symbol
    }

    fn definitions(&mut self) {
        let scoped = &self.program.typed.scoped;
        for (id, def) in &scoped.defs {
            let kind = match def.kind {
                DefKind::Bind { .. } => DefinedKind::Bind(id),
                DefKind::Func { .. } => DefinedKind::Function(id),
                DefKind::Class { .. } => DefinedKind::Class(id),
                DefKind::Param { .. } => DefinedKind::Parameter(id),
                DefKind::Error => continue,
            };
            let name = scoped.def_name(id);
            let span = self.name_span(scoped.def_span(id), name);
            self.define(name.into(), span, kind, def.scope);
        }
        for (scope, of) in &scoped.scopes {
            let ast = scoped.ast_of(scope);
            for stmt in &of.body {
                let alias = match ast.stmt(*stmt) {
                    Stmt::Import(import) => self.import_alias(scope, ast, import),
                    Stmt::Include(include) => include.alias.map(|(name, span)| (ast.name(name).into(), span)),
                    _ => None,
                };
                let Some((name, span)) = alias else { continue };
                let symbol = self.define(Arc::clone(&name), span, DefinedKind::Alias(*stmt), scope);
                self.index.aliases.entry((scope, name)).or_insert(symbol);
            }
        }
    }

    /// Returns the name without the type that follows it.
    fn name_span(&self, span: Span, name: &str) -> Span {
        let length = self.text(span).find(name).map_or(span.end - span.start, |at| (at + name.len()) as u32);
        Span { end: (span.start + length).min(span.end), ..span }
    }

    fn import_alias(&self, scope: ScopeId, ast: &Ast, import: &ImportStmt) -> Option<(Arc<str>, Span)> {
        match import.alias {
            Some((name, _)) if ast.name(name) == "*" => None,
            Some((name, span)) => Some((ast.name(name).into(), span)),
            None => {
                let scoped = &self.program.typed.scoped;
                let unit = scoped.module(scoped.scope(scope).module).unit;
                let name = self.program.loaded.import(unit, &import.module)?.name.as_ref()?;
                Some((Arc::from(&*name.alias), import.module_span))
            }
        }
    }

    fn uses(&mut self) {
        let scoped = &self.program.typed.scoped;
        for (scope, of) in &scoped.scopes {
            if matches!(of.kind, ScopeKind::Function(_)) {
                continue; // Its expressions are those of the statement around it.
            }
            let ast = scoped.ast_of(scope);
            for stmt in &of.body {
                self.statement(scope, ast, *stmt);
                let mut work = Vec::new();
                expressions(ast.stmt(*stmt), |expr| work.push(expr));
                while let Some(expr) = work.pop() {
                    self.expression(scope, of.module, ast, expr);
                    subexpressions(ast, ast.expr(expr), |part| work.push(part));
                }
            }
        }
    }

    fn statement(&mut self, scope: ScopeId, ast: &Ast, stmt: StmtId) {
        match ast.stmt(stmt) {
            Stmt::Include(include) => self.include(scope, stmt, include),
            Stmt::Import(import) => {
                self.add(import.module_span, Symbol::Import(Arc::clone(&import.module)), false, None);
            }
            Stmt::Resource(resource) => self.resource(ast, resource),
            Stmt::Edge(halves) => halves.iter().for_each(|half| self.half(ast, half)),
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::If(_)
            | Stmt::For(_)
            | Stmt::ForKv(_)
            | Stmt::Func { .. }
            | Stmt::Class(_) => {}
        }
    }

    fn include(&mut self, scope: ScopeId, stmt: StmtId, include: &IncludeStmt) {
        let scoped = &self.program.typed.scoped;
        let StmtInfo::Instance(instance) = scoped.stmt_info(scope, stmt) else { return };
        let InstanceKind::Class(reference) = scoped.instance(instance).kind else { return };
        self.name(scope, include.class_span, scoped.reference(reference), None);
    }

    fn resource(&mut self, ast: &Ast, resource: &Resource) {
        let kind = self.share(ast.name(resource.kind));
        self.add(resource.kind_span(ast), Symbol::Kind(Arc::clone(&kind)), false, None);
        if let Expr::Str(name) = ast.expr(resource.name) {
            let symbol = Symbol::Resource(Arc::clone(&kind), ast.string(*name).into());
            self.add(ast.expr_span(resource.name), symbol, !resource.collect, None);
        }
        for entry in &resource.entries {
            let symbol = match &entry.kind {
                EntryKind::Field { name, .. } => Symbol::Parameter(Arc::clone(&kind), self.share(ast.name(*name))),
                EntryKind::Meta { property, .. } => Symbol::Meta(self.share(ast.name(*property))),
                EntryKind::Edge { property, half } => {
                    self.half(ast, half);
                    Symbol::EdgeWord(self.share(ast.name(*property)))
                }
            };
            self.add(entry.name_span(ast), symbol, false, None);
        }
    }

    fn half(&mut self, ast: &Ast, half: &EdgeHalf) {
        let kind = self.share(ast.name(half.kind));
        let symbol = match ast.expr(half.name) {
            Expr::Str(name) => {
                let symbol = Symbol::Resource(Arc::clone(&kind), ast.string(*name).into());
                self.add(ast.expr_span(half.name), symbol.clone(), false, None);
                symbol
            }
            _ => Symbol::Kind(Arc::clone(&kind)),
        };
        self.add(Span { end: half.span.start + kind.len() as u32, ..half.span }, symbol, false, None);
    }

    fn expression(&mut self, scope: ScopeId, module: ModuleId, ast: &Ast, expr: ExprId) {
        let name = match ast.expr(expr) {
            Expr::Var(name) => *name,
            Expr::Call { name, .. } | Expr::CallVar { name, .. } => *name,
            Expr::Field { base, field } | Expr::FieldOr { base, field, .. } => {
                let (span, base) = (ast.expr_span(expr), ast.expr_span(*base));
                let after = Span { start: base.end.min(span.end), ..span };
                let (text, name) = (self.text(after), ast.name(*field));
                let at = text.find("->").and_then(|arrow| Some(arrow + text[arrow..].find(name)?));
                if let Some(at) = at {
                    let start = after.start + at as u32;
                    let span = Span { start, end: start + name.len() as u32, ..span };
                    self.add(span, Symbol::StructField, false, Some((module, expr)));
                }
                return;
            }
            _ => return,
        };
        let Some(reference) = self.program.typed.scoped.expr_ref(module, expr) else { return };
        let span = ast.expr_span(expr);
        let text = self.text(span);
        let before = if text.starts_with("${") { 2 } else { 0 };
        let start = span.start + before;
        let dollar = u32::from(before == 0 && text.starts_with('$'));
        let name = ast.name(name);
        let length = written_length(text.trim_start_matches(['$', '{']), name).unwrap_or(name.len()) as u32;
        let span = Span { start, end: (start + dollar + length).min(span.end), ..span };
        self.name(scope, span, reference, Some((module, expr)));
    }

    /// Adds a name, and the alias before it.
    fn name(&mut self, scope: ScopeId, span: Span, reference: Reference<'_>, expr: Option<(ModuleId, ExprId)>) {
        let scoped = &self.program.typed.scoped;
        let symbol = match reference.target {
            Target::Def(def) => {
                let span = scoped.def_span(def);
                Symbol::Defined(span.file, span.start)
            }
            Target::Function(id) => Symbol::Function(self.share(scoped.builtin(id))),
            Target::Variable(id) => Symbol::Variable(self.share(scoped.builtin(id))),
        };
        let text = self.text(span);
        let is_constant = matches!(&symbol, Symbol::Variable(name) if name.starts_with("const."));
        let Some((first, _)) = text.split_once('.').filter(|_| !is_constant) else {
            self.add(span, symbol, false, expr);
            return;
        };
        // There may be spaces and comments around the dots.
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let last = text.bytes().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1) as u32;
        self.add(Span { start: span.start + last, ..span }, symbol, false, expr);
        let dollar = usize::from(first.starts_with('$'));
        let first = &first[..dollar + first[dollar..].bytes().take_while(|byte| is_part(*byte)).count()];
        if let Some(alias) = self.alias(scope, &first[dollar..]) {
            self.add(Span { end: span.start + first.len() as u32, ..span }, alias, false, None);
        }
    }

    fn alias(&self, scope: ScopeId, name: &str) -> Option<Symbol> {
        let name: Arc<str> = name.into();
        let mut current = Some(scope);
        while let Some(scope) = current {
            if let Some(symbol) = self.index.aliases.get(&(scope, Arc::clone(&name))) {
                return Some(symbol.clone());
            }
            current = self.program.typed.scoped.scope(scope).parent;
        }
        None
    }
}
