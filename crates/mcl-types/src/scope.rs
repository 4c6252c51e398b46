//! The scope stage: names -> definitions (spec 02 §2).
//!
//! 1. `declare`: one pass over the statements makes the scope tree and the tables of what each list defines. Names of a
//!    list are visible in all of it, so this is complete before any use is looked up.
//! 2. `resolve`: one pass over all uses. Each is looked up from its scope outwards (`lookup`). A use inside the statement
//!    `s` of list `L` that finds a definition of `L` makes `s` depend on it.
//! 3. `order`: for each list, the definitions are put in dependency order; a cycle is an error.
//!
//! Class bodies and files are resolved once, in the scope of their definition. What is wrong inside a class that nothing
//! includes is not reported (spec 02 §2.6), except for duplicates and cycles.

mod declare;
mod lookup;
mod names;
mod order;
mod report;
mod resolve;

use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, Span};
use mcl_modules::{Loaded, UnitId};
use mcl_parser::ast::{Ast, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scoped::{
    Def, DefId, DefKind, ModuleId, RefId, Reference, Scope, ScopeId, ScopeKind, Scoped, Slot, SlotId, SlotKind, Target,
};
use lookup::{Found, SlotState};
use names::{Space, Symbol, Symbols};

/// Resolves all names of a program: `units` are the interpolated trees of [`Loaded::units`]. Errors leave holes ([`crate::ExprInfo::Unresolved`], [`Def::broken`],
/// [`SlotKind::Broken`]) that later stages pass over in silence.
#[must_use]
pub fn scope(loaded: &Loaded, units: Vec<Arc<Ast>>) -> (Scoped, Vec<Diagnostic>) {
    if units.is_empty() {
        return (Scoped::default(), Vec::new());
    }
    let (mut scoped, diagnostics) = resolve(loaded, units);
    scoped.shrink();
    (scoped, diagnostics)
}

fn resolve(loaded: &Loaded, units: Vec<Arc<Ast>>) -> (Scoped, Vec<Diagnostic>) {
    let mut scoper = Scoper {
        symbols: Symbols::new(&units),
        loaded,
        closed: vec![None; units.len()],
        heads: vec![None; units.len()],
        out: Scoped { units, ..Scoped::default() },
        tables: Vec::new(),
        slots: Vec::new(),
        unresolved_modules: Vec::new(),
        functions: FxHashMap::default(),
        reports: Vec::new(),
        meant: FxHashSet::default(),
        suggestions: 0,
    };
    scoper.declare_module(UnitId(0), None);
    scoper.break_module_cycles();
    while let Some(module) = scoper.unresolved_modules.pop() {
        scoper.resolve_module(module);
    }
    scoper.break_slots();
    let diagnostics = scoper.live_reports();
    (scoper.out, diagnostics)
}

/// The state of the stage.
struct Scoper<'a> {
    symbols: Symbols,
    loaded: &'a Loaded,
    out: Scoped,
    /// By [`ScopeId`].
    tables: Vec<Table>,
    /// By [`SlotId`]: what an include means, found when it is first asked for.
    slots: Vec<SlotState>,
    /// By [`UnitId`]: the module of a file that sees nothing but built-in names and itself.
    closed: Vec<Option<ModuleId>>,
    /// By [`UnitId`]: the names that a file uses and does not define.
    heads: Vec<Option<declare::Heads>>,
    /// Modules that are declared and not resolved.
    unresolved_modules: Vec<ModuleId>,
    /// Registered names of built-in functions, by module (or none) and name.
    functions: FxHashMap<(Option<Symbol>, Symbol), Option<Arc<str>>>,
    reports: Vec<Report>,
    /// The aliases that misspelt imports were probably meant to have.
    meant: FxHashSet<Symbol>,
    /// How many "did you mean" searches were made; each looks at all names in scope, so their number is bounded.
    suggestions: u32,
}

/// What a scope defines.
struct Table {
    variables: FxHashMap<Symbol, DefId>,
    functions: FxHashMap<Symbol, DefId>,
    classes: FxHashMap<Symbol, DefId>,
    /// Parameters lie in a layer below the binds of a class or loop body.
    params: Vec<(Symbol, DefId)>,
    aliases: FxHashMap<Symbol, Alias>,
    /// `import … as *`, in source order.
    stars: Vec<(StmtId, AliasTarget)>,
    /// Uses of definitions of this list by its other definitions.
    edges: Vec<Edge>,
    /// The class body or module around it, or itself.
    context: ScopeId,
    /// The number of lists around it.
    depth: u32,
    unit: UnitId,
    /// For modules that see the surroundings of their import: the parent's own definitions are not visible, its
    /// parameters and what is above them are.
    skips_parent_list: bool,
    /// For the mcl part of a system module: the name of that module.
    system: Option<Symbol>,
}

/// A statement of a list uses another one.
struct Edge {
    from: StmtId,
    to: StmtId,
    span: Span,
}

/// An alias of an include or import.
struct Alias {
    stmt: StmtId,
    span: Span,
    target: AliasTarget,
}

/// What an alias stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AliasTarget {
    /// An instance of a class or file.
    Slot(SlotId),
    /// Native names with this module prefix.
    System(Symbol),
    /// Something that was reported: every name behind it is accepted in silence.
    Failed,
}

/// A diagnostic and where it belongs.
struct Report {
    /// The class body or module it was found in.
    context: ScopeId,
    /// Whether it counts even in a class that is never included.
    always: bool,
    diagnostic: Diagnostic,
}

impl Scoper<'_> {
    fn ast(&self, scope: ScopeId) -> Arc<Ast> {
        Arc::clone(&self.out.units[self.tables[scope.index()].unit.0 as usize])
    }

    fn table(&self, scope: ScopeId) -> &Table {
        &self.tables[scope.index()]
    }

    fn add_def(&mut self, scope: ScopeId, symbol: Symbol, span: Span, kind: DefKind) -> DefId {
        let id = DefId(u32::try_from(self.out.defs.len()).expect("fewer than 2^32 definitions"));
        let broken = kind == DefKind::Unknown;
        self.out.defs.push(Def { name: Arc::clone(self.symbols.text(symbol)), scope, span, kind, broken });
        id
    }

    fn add_slot(&mut self, scope: ScopeId, stmt: StmtId, kind: SlotKind) -> SlotId {
        let id = SlotId(u32::try_from(self.out.slots.len()).expect("fewer than 2^32 slots"));
        self.out.slots.push(Slot { scope, stmt, kind });
        self.slots.push(match kind {
            SlotKind::Class(_) | SlotKind::Module(_) => SlotState::Done,
            SlotKind::Broken => SlotState::Open,
        });
        id
    }

    fn add_reference(&mut self, via: Vec<SlotId>, target: Target) -> RefId {
        let id = RefId(u32::try_from(self.out.references.len()).expect("fewer than 2^32 references"));
        self.out.references.push(Reference { via: via.into_boxed_slice(), target });
        id
    }

    fn add_scope(&mut self, module: ModuleId, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        let id = ScopeId(u32::try_from(self.out.scopes.len()).expect("fewer than 2^32 scopes"));
        let (depth, context) = match (parent, kind) {
            (None, _) => (0, id),
            // Functions hold no list; lists do not nest inside them.
            (Some(parent), ScopeKind::Function(_)) => (self.table(parent).depth, self.table(parent).context),
            (Some(parent), ScopeKind::Module | ScopeKind::Class(_)) => (self.table(parent).depth + 1, id),
            (Some(parent), ScopeKind::Block | ScopeKind::Loop) => {
                (self.table(parent).depth + 1, self.table(parent).context)
            }
        };
        let unit = self.out.module(module).unit;
        self.tables.push(Table::new(unit, context, depth));
        self.out.scopes.push(Scope { module, parent, kind, params: Vec::new(), body: Vec::new(), order: Vec::new() });
        id
    }

    fn report(&mut self, scope: ScopeId, diagnostic: Diagnostic) {
        let context = self.table(scope).context;
        self.reports.push(Report { context, always: false, diagnostic });
    }

    fn report_always(&mut self, scope: ScopeId, diagnostic: Diagnostic) {
        let context = self.table(scope).context;
        self.reports.push(Report { context, always: true, diagnostic });
    }

    /// The class that a slot instantiates, if it is known and sound.
    fn slot_class(&self, slot: SlotId) -> Option<DefId> {
        match self.out.slot(slot).kind {
            SlotKind::Class(reference) => match self.out.reference(reference).target {
                Target::Def(def) => Some(def),
                Target::Function(_) | Target::Variable(_) => None,
            },
            SlotKind::Module(_) | SlotKind::Broken => None,
        }
    }

    /// Includes of classes that are part of a cycle would have no end.
    fn break_slots(&mut self) {
        for slot in (0..self.out.slots.len()).map(|i| SlotId(i as u32)) {
            if self.slot_class(slot).is_some_and(|class| self.out.def(class).broken) {
                self.out.slots[slot.index()].kind = SlotKind::Broken;
            }
        }
    }

    /// Reports files that import each other, and cuts the circle.
    fn break_module_cycles(&mut self) {
        let mut imports: Vec<Vec<(SlotId, ModuleId)>> = vec![Vec::new(); self.out.modules.len()];
        for (i, slot) in self.out.slots.iter().enumerate() {
            if let SlotKind::Module(module) = slot.kind {
                imports[self.out.scope(slot.scope).module.index()].push((SlotId(i as u32), module));
            }
        }
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.out.modules.len()];
        for start in 0..marks.len() {
            let mut stack = vec![(ModuleId(start as u32), 0)];
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            while let Some((module, next)) = stack.last_mut() {
                let Some((slot, target)) = imports[module.index()].get(*next).copied() else {
                    marks[module.index()] = Mark::Done;
                    stack.pop();
                    continue;
                };
                *next += 1;
                match marks[target.index()] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[target.index()] = Mark::Open;
                        stack.push((target, 0));
                    }
                    Mark::Open => {
                        let scope = self.out.slot(slot).scope;
                        let span = self.ast(scope).stmt_span(self.out.slot(slot).stmt);
                        self.out.slots[slot.index()].kind = SlotKind::Broken;
                        self.report_always(scope, report::recursive_import(span));
                    }
                }
            }
        }
    }

    /// The reports of files that are imported and classes that are included, without repetitions.
    fn live_reports(&mut self) -> Vec<Diagnostic> {
        let mut by_context: FxHashMap<ScopeId, Vec<SlotId>> = FxHashMap::default();
        for (i, slot) in self.out.slots.iter().enumerate() {
            by_context.entry(self.table(slot.scope).context).or_default().push(SlotId(i as u32));
        }
        let mut live: FxHashSet<ScopeId> = FxHashSet::default();
        let mut work = vec![self.out.root()];
        while let Some(context) = work.pop() {
            if live.insert(context) {
                let slots = by_context.get(&context).into_iter().flatten();
                work.extend(slots.filter_map(|slot| self.out.slot_scope(*slot)));
            }
        }
        let mut seen = FxHashSet::default();
        let reports = std::mem::take(&mut self.reports);
        let wanted =
            |report: &Report| live.contains(&report.context) || (report.always && self.file_is_live(report, &live));
        reports
            .into_iter()
            .filter(wanted)
            .map(|report| report.diagnostic)
            .filter(|d| seen.insert((d.code.name(), d.span)))
            .collect()
    }

    /// Whether the file that a report is about is imported anywhere that counts.
    fn file_is_live(&self, report: &Report, live: &FxHashSet<ScopeId>) -> bool {
        live.contains(&self.out.module(self.out.scope(report.context).module).scope)
    }
}

/// What a name of the source is looked up as.
#[derive(Clone, Copy)]
struct Use<'a> {
    space: Space,
    parts: &'a [Symbol],
}

impl Table {
    fn new(unit: UnitId, context: ScopeId, depth: u32) -> Table {
        Table {
            variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            classes: FxHashMap::default(),
            params: Vec::new(),
            aliases: FxHashMap::default(),
            stars: Vec::new(),
            edges: Vec::new(),
            context,
            depth,
            unit,
            skips_parent_list: false,
            system: None,
        }
    }
}

impl Found {
    fn head(mut self, scope: ScopeId, stmt: StmtId) -> Found {
        self.heads.push((scope, stmt));
        self
    }
}
