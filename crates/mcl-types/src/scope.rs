//! The scope stage: resolves names to definitions (spec 02 §2).
//!
//! 1. `declare`: one pass over the statements creates the scope tree and the symbol table of each scope. The names of a
//!    scope are visible in all of it, so this pass is complete before any use is looked up.
//! 2. `resolve`: one pass over all uses. Each is looked up from its scope outwards (`lookup`). A use inside the statement
//!    `s` of scope `L` that finds a definition of `L` makes `s` depend on that definition.
//! 3. `order`: the definitions of each scope are put in dependency order; a cycle is an error.
//!
//! Class bodies and files are resolved once, in the scope of their definition. Errors inside a class that is never
//! included are not reported (spec 02 §2.6), except for duplicates and cycles. Errors are data ([`ScopeError`]) until the
//! stage knows which of them to report.

mod broken;
mod broken_names;
mod declare;
mod error;
mod hint_fixes;
mod import;
mod lookup;
mod names;
mod order;
mod resolve;
mod suggest;
mod table;

use std::sync::Arc;

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use mcl_diagnostics::{Diagnostic, FileId, Span};
use mcl_modules::{Loaded, UnitId};
use mcl_parser::StringIndex;
use mcl_parser::ast::{Ast, Expr, Name, Stmt, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lint::{UsedImports, lints};
use crate::scope::broken_names::BrokenClass;
use crate::scope::error::ScopeError;
use crate::scope::names::{Namespace, Symbol, Symbols, UseForm};
use crate::scope::table::{ClassLookup, FreeNames, SymbolTable, Visible};
use crate::scoped::{
    BuiltinId, Def, DefId, DefKind, Instance, InstanceId, InstanceKind, ModuleId, Path, Resolution, Scope, ScopeId,
    ScopeKind, Scoped, Target,
};

/// Resolves all names of a program. `units` are the interpolated trees of [`Loaded::units`].
///
/// Names with errors are marked ([`crate::ExprInfo::Unresolved`], [`Def::erroneous`], [`InstanceKind::Error`]), and later
/// stages report nothing more about them.
#[must_use]
pub fn scope(loaded: &Loaded, units: PrimaryMap<UnitId, Arc<Ast>>) -> (Scoped, Vec<Diagnostic>) {
    if units.is_empty() {
        return (Scoped::default(), Vec::new());
    }
    let (mut scoped, diagnostics) = resolve(loaded, units);
    scoped.shrink();
    (scoped, diagnostics)
}

fn resolve(loaded: &Loaded, units: PrimaryMap<UnitId, Arc<Ast>>) -> (Scoped, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        symbols: Symbols::new(&units),
        loaded,
        shared_modules: vec![None; units.len()].into(),
        free_names: vec![None; units.len()].into(),
        out: Scoped { units, ..Scoped::default() },
        tables: PrimaryMap::new(),
        class_lookups: PrimaryMap::new(),
        unresolved_modules: Vec::new(),
        native_functions: FxHashMap::default(),
        builtin_index: StringIndex::default(),
        findings: Vec::new(),
        broken_classes: Vec::new(),
        misspelt_aliases: FxHashSet::default(),
        units_with_unknown_modules: FxHashSet::default(),
        used_imports: UsedImports::default(),
        suggestions: 0,
    };
    // Tables that grow step by step need half as much memory again. Most statements define one name. What is reserved and not
    // used is never touched.
    let statements = resolver.out.units.values().map(|ast| ast.stmts.len()).sum();
    let scopes = resolver.out.units.values().map(|ast| scopes(ast)).sum();
    resolver.out.defs.reserve(statements);
    resolver.out.scopes.reserve(scopes);
    resolver.tables.reserve(scopes);
    resolver.declare_module(UnitId::new(0), None);
    resolver.break_import_cycles();
    while let Some(module) = resolver.unresolved_modules.pop() {
        resolver.resolve_module(module);
    }
    resolver.invalidate_instances();
    let broken_classes = resolver.included_broken_classes();
    let diagnostics = resolver.reachable_findings(broken_classes);
    let (scoped, used_imports) = resolver.finish();
    if diagnostics.is_empty() {
        let lints = lints(&scoped, loaded, &used_imports);
        return (scoped, lints);
    }
    (scoped, diagnostics)
}

/// Returns the number of scopes that a file has, if it is imported once and every `if` has an `else`.
fn scopes(ast: &Ast) -> usize {
    let of_statement = |stmt: &Stmt| match stmt {
        Stmt::If(_) => 2,
        Stmt::For(_) | Stmt::ForKv(_) | Stmt::Class(_) => 1,
        Stmt::Error { .. }
        | Stmt::Bind { .. }
        | Stmt::Panic { .. }
        | Stmt::Resource(_)
        | Stmt::Edge(_)
        | Stmt::Func { .. }
        | Stmt::Include(_)
        | Stmt::Import(_) => 0,
    };
    let functions = ast.exprs.values().filter(|expr| matches!(expr, Expr::Func(_))).count();
    1 + functions + ast.stmts.values().map(of_statement).sum::<usize>()
}

/// The state of the stage.
struct Resolver<'a> {
    symbols: Symbols,
    loaded: &'a Loaded,
    out: Scoped,
    tables: PrimaryMap<ScopeId, SymbolTable>,
    class_lookups: PrimaryMap<InstanceId, ClassLookup>,
    /// The module of a file that sees only itself and built-in names; all its imports share it.
    shared_modules: PrimaryMap<UnitId, Option<ModuleId>>,
    free_names: PrimaryMap<UnitId, Option<FreeNames>>,
    /// Modules that are declared and not yet resolved.
    unresolved_modules: Vec<ModuleId>,
    /// Registered names of built-in functions, by module (or none) and name; `None` for a function that does not exist.
    native_functions: FxHashMap<(Option<Symbol>, Symbol), Option<BuiltinId>>,
    /// Finds the built-in names that were used before.
    builtin_index: StringIndex<BuiltinId>,
    findings: Vec<Finding>,
    broken_classes: Vec<BrokenClass>,
    /// The aliases that imports of unknown modules would have if their names were spelt right.
    misspelt_aliases: FxHashSet<Symbol>,
    /// The files that import an unknown module, which may have been meant as any module.
    units_with_unknown_modules: FxHashSet<UnitId>,
    used_imports: UsedImports,
    /// The number of suggestions made so far; each looks at all names in scope, so their number is bounded.
    suggestions: u32,
}

/// An error that may have to be reported.
struct Finding {
    /// The class body or module that contains it.
    context: ScopeId,
    /// Whether it is reported even if the class is never included.
    always: bool,
    error: ScopeError,
}

impl Resolver<'_> {
    /// Drops everything but the result.
    fn finish(self) -> (Scoped, UsedImports) {
        (self.out, self.used_imports)
    }

    fn ast(&self, scope: ScopeId) -> Arc<Ast> {
        Arc::clone(&self.out.units[self.tables[scope].unit])
    }

    fn table(&self, scope: ScopeId) -> &SymbolTable {
        &self.tables[scope]
    }

    /// Returns the scope around another one, and what the inner one sees of it.
    fn around(&self, scope: ScopeId) -> Option<(ScopeId, Visible)> {
        let parent = self.out.scope(scope).parent?;
        Some((parent, self.table(scope).visible_of_parent))
    }

    fn add_def(&mut self, scope: ScopeId, name: Name, span: Span, kind: DefKind) -> DefId {
        let erroneous = kind == DefKind::Error;
        self.out.defs.push(Def { name, scope, range: span.into(), kind, erroneous })
    }

    fn add_instance(&mut self, scope: ScopeId, stmt: StmtId, kind: InstanceKind) -> InstanceId {
        self.class_lookups.push(match kind {
            InstanceKind::Class(_) | InstanceKind::Module(_) => ClassLookup::Done,
            InstanceKind::Error => ClassLookup::NotStarted,
        });
        self.out.instances.push(Instance { scope, stmt, kind })
    }

    /// `path` are the instances on the way to the target, the innermost first.
    fn add_reference(&mut self, path: &[InstanceId], target: Target) -> Resolution {
        if path.is_empty() {
            return Resolution::Direct(target);
        }
        Resolution::Inside(self.out.paths.push(Path { instances: path.iter().rev().copied().collect(), target }))
    }

    fn add_scope(&mut self, module: ModuleId, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        let id = self.out.scopes.next_key();
        let (depth, enclosing) = match (parent, kind) {
            (None, _) => (0, id),
            // Functions contain no statements; statement lists do not nest inside them.
            (Some(parent), ScopeKind::Function(_)) => (self.table(parent).depth, self.table(parent).enclosing),
            (Some(parent), ScopeKind::Module | ScopeKind::Class(_)) => (self.table(parent).depth + 1, id),
            (Some(parent), ScopeKind::Block | ScopeKind::Loop) => {
                (self.table(parent).depth + 1, self.table(parent).enclosing)
            }
        };
        let unit = self.out.module(module).unit;
        self.tables.push(SymbolTable::new(unit, enclosing, depth));
        self.out.scopes.push(Scope { module, parent, kind, params: Vec::new(), body: Vec::new(), order: Vec::new() })
    }

    /// Reports an error, unless it is in a class that is never included.
    fn report(&mut self, scope: ScopeId, error: ScopeError) {
        let context = self.table(scope).enclosing;
        self.findings.push(Finding { context, always: false, error });
    }

    /// Reports an error even if it is in a class that is never included.
    fn report_always(&mut self, scope: ScopeId, error: ScopeError) {
        let context = self.table(scope).enclosing;
        self.findings.push(Finding { context, always: true, error });
    }

    /// Returns the class that an instance instantiates, if the class is known.
    fn instance_class(&self, instance: InstanceId) -> Option<DefId> {
        match self.out.instance(instance).kind {
            InstanceKind::Class(reference) => match self.out.reference(reference).target {
                Target::Def(def) => Some(def),
                Target::Function(_) | Target::Variable(_) => None,
            },
            InstanceKind::Module(_) | InstanceKind::Error => None,
        }
    }

    /// Invalidates the includes of classes that are part of a cycle: their instantiation would not terminate.
    fn invalidate_instances(&mut self) {
        for instance in self.out.instances.keys() {
            if self.instance_class(instance).is_some_and(|class| self.out.def(class).erroneous) {
                self.out.instances[instance].kind = InstanceKind::Error;
            }
        }
    }

    /// Converts the errors of imported files and included classes to diagnostics, without duplicates. `broken_classes` are
    /// the bodies of the included classes with broken heads.
    fn reachable_findings(&mut self, broken_classes: Vec<ScopeId>) -> Vec<Diagnostic> {
        let mut by_context: SecondaryMap<ScopeId, Vec<InstanceId>> = SecondaryMap::new();
        for (id, instance) in &self.out.instances {
            by_context[self.table(instance.scope).enclosing].push(id);
        }
        let mut reachable: EntitySet<ScopeId> = EntitySet::new();
        let mut work = broken_classes;
        work.push(self.out.root());
        while let Some(context) = work.pop() {
            if reachable.insert(context) {
                work.extend(by_context[context].iter().filter_map(|instance| self.out.instance_scope(*instance)));
            }
        }
        let findings = std::mem::take(&mut self.findings);
        let reported = findings.into_iter().filter(|finding| {
            reachable.contains(finding.context) || (finding.always && self.is_file_reachable(finding, &reachable))
        });
        let errors = with_uses_joined(reported.map(|finding| finding.error));
        let mut seen = FxHashSet::default();
        errors
            .into_iter()
            .map(Diagnostic::from)
            .filter(|diagnostic| seen.insert((diagnostic.code.name(), diagnostic.span)))
            .collect()
    }

    /// Returns whether the file that contains an error is imported from reachable code.
    fn is_file_reachable(&self, finding: &Finding, reachable: &EntitySet<ScopeId>) -> bool {
        reachable.contains(self.out.module(self.out.scope(finding.context).module).scope)
    }
}

/// Joins the errors about one unknown name in a file to one error: a definition was renamed, or its name misspelt.
fn with_uses_joined(errors: impl Iterator<Item = ScopeError>) -> Vec<ScopeError> {
    let mut joined: Vec<ScopeError> = Vec::new();
    let mut first_uses: FxHashMap<(Namespace, UseForm, FileId, String), usize> = FxHashMap::default();
    for error in errors {
        let ScopeError::UnknownName { namespace, name, form, span, is_spaced: false, .. } = &error else {
            joined.push(error);
            continue;
        };
        let (key, span) = ((*namespace, *form, span.file, name.clone()), *span);
        let Some(first) = first_uses.get(&key) else {
            first_uses.insert(key, joined.len());
            joined.push(error);
            continue;
        };
        if let ScopeError::UnknownName { span: first, others, .. } = &mut joined[*first] {
            // Uses are found in the order in which scopes are resolved.
            if span.start < first.start {
                others.push(std::mem::replace(first, span));
            } else if span != *first {
                others.push(span);
            }
        }
    }
    for error in &mut joined {
        if let ScopeError::UnknownName { others, .. } = error {
            others.sort_unstable();
            others.dedup();
        }
    }
    joined
}
