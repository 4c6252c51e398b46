//! Which definitions of a class or file only some of its instances use.
//!
//! A binding of a class that nothing in the class body uses exists only where a name leads to it (`$alias.name`), so what it
//! requires of the parameters concerns only that include (spec 02 §2.7):
//!
//! ```text
//! class show($x) { $loud = $x + "!"  $plain = $x }
//! include show(1) as a        # only $a.plain is used, so 1 is valid
//! include show("s") as b      # $b.loud is used
//! ```
//!
//! Such a definition is *optional* and becomes a member of the class ([`crate::infer::member`]). What the statements of the
//! body use, directly or through other definitions, belongs to every instance. A class with one instance has no optional
//! definitions: what is used at all is used there. Neither has a class with too many instances to count: there, what one
//! instance uses concerns all of them.

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use mcl_parser::ast::{ExprId, Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::scoped::{DefId, DefKind, InstanceKind, Resolution, ScopeId, ScopeKind, Scoped, StmtInfo, Target};
use crate::walk;

/// Maximum number of instances of a class that are distinguished, or the number of includes and imports of the program if
/// that is larger.
const MAX_INSTANCES: usize = 1000;

/// Returns the class body or top level of a file around each scope, or the scope itself.
pub(crate) fn instance_scopes(scoped: &Scoped) -> PrimaryMap<ScopeId, ScopeId> {
    let mut scopes: PrimaryMap<ScopeId, ScopeId> = PrimaryMap::with_capacity(scoped.scopes.len());
    for (id, scope) in &scoped.scopes {
        let enclosing = match (scope.kind, scope.parent) {
            (ScopeKind::Module | ScopeKind::Class(_), _) | (_, None) => id,
            // A scope comes after its parent.
            (ScopeKind::Block | ScopeKind::Loop | ScopeKind::Function(_), Some(parent)) => {
                scopes.get(parent).copied().unwrap_or(parent)
            }
        };
        scopes.push(enclosing);
    }
    scopes
}

/// Returns the reachable definitions that not every instance of their class or file uses. With `in_all`, that is said of every class
/// and file, however many instances it has.
pub(crate) fn optional_definitions(
    scoped: &Scoped,
    instance_scopes: &PrimaryMap<ScopeId, ScopeId>,
    reachable: &EntitySet<DefId>,
    in_all: bool,
) -> EntitySet<DefId> {
    let distinguished = distinguished_scopes(scoped, instance_scopes, in_all);
    let mut optional = EntitySet::with_capacity(scoped.defs.len());
    for (id, def) in &scoped.defs {
        let is_definition = matches!(def.kind, DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Class { .. });
        if is_definition && reachable.contains(id) && distinguished.contains(def.scope) {
            optional.insert(id);
        }
    }
    for scope in distinguished.iter() {
        let body = Body { scoped, reachable, scope, used: FxHashSet::default(), work: Vec::new() };
        for def in body.used_definitions() {
            optional.remove(def);
        }
    }
    optional
}

/// Returns the classes with a definition that the program uses, but no statement of the class itself: what it is may depend on how
/// many instances the class has, and what they use.
#[must_use]
pub fn classes_used_inside(scoped: &Scoped, reachable: &EntitySet<DefId>) -> EntitySet<DefId> {
    let mut scopes: SecondaryMap<ScopeId, Vec<DefId>> = SecondaryMap::with_capacity(scoped.scopes.len());
    for def in reachable.iter() {
        let of = scoped.def(def);
        let is_definition = matches!(of.kind, DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Class { .. });
        if is_definition && matches!(scoped.scope(of.scope).kind, ScopeKind::Class(_)) {
            scopes[of.scope].push(def);
        }
    }
    let mut classes = EntitySet::with_capacity(scoped.defs.len());
    for (scope, defs) in scopes.iter().filter(|(_, defs)| !defs.is_empty()) {
        let body = Body { scoped, reachable, scope, used: FxHashSet::default(), work: Vec::new() };
        let used = body.used_definitions();
        if let ScopeKind::Class(class) = scoped.scope(scope).kind
            && defs.iter().any(|def| !used.contains(def))
        {
            classes.insert(class);
        }
    }
    classes
}

/// Returns the class bodies and top levels of files that have more than one instance, but not too many; with `in_all`, also those
/// that have fewer.
fn distinguished_scopes(
    scoped: &Scoped,
    instance_scopes: &PrimaryMap<ScopeId, ScopeId>,
    in_all: bool,
) -> EntitySet<ScopeId> {
    let mut instantiated_in: SecondaryMap<ScopeId, Vec<ScopeId>> = SecondaryMap::with_capacity(scoped.scopes.len());
    let mut uncounted: SecondaryMap<ScopeId, u32> = SecondaryMap::with_capacity(scoped.scopes.len());
    for (id, instance) in &scoped.instances {
        if let Some(scope) = scoped.instance_scope(id) {
            instantiated_in[instance_scopes[instance.scope]].push(scope);
            uncounted[scope] += 1;
        }
    }
    let mut counts: SecondaryMap<ScopeId, usize> = SecondaryMap::with_capacity(scoped.scopes.len());
    counts[scoped.root()] = 1;
    // A scope is counted after all scopes that instantiate it. Those in cycles never are.
    let mut work: Vec<ScopeId> = scoped.scopes.keys().filter(|scope| uncounted[*scope] == 0).collect();
    while let Some(scope) = work.pop() {
        for inner in &instantiated_in[scope] {
            counts[*inner] = counts[*inner].saturating_add(counts[scope]);
            uncounted[*inner] -= 1;
            if uncounted[*inner] == 0 {
                work.push(*inner);
            }
        }
    }
    let limit = MAX_INSTANCES.max(scoped.instances.len());
    let is_distinguished = |scope: &ScopeId| match counts[*scope] {
        // Blocks and functions are part of the scope around them.
        0 | 1 => in_all && instance_scopes[*scope] == *scope && *scope != scoped.root(),
        count => count <= limit,
    };
    let mut distinguished = EntitySet::with_capacity(scoped.scopes.len());
    distinguished.extend(scoped.scopes.keys().filter(is_distinguished));
    distinguished
}

/// A search for the definitions of one class body or file that its own statements use.
struct Body<'a> {
    scoped: &'a Scoped,
    reachable: &'a EntitySet<DefId>,
    scope: ScopeId,
    used: FxHashSet<DefId>,
    work: Vec<(ScopeId, StmtId)>,
}

impl Body<'_> {
    fn used_definitions(mut self) -> FxHashSet<DefId> {
        let list = self.scoped.scope(self.scope);
        let infos = &self.scoped.module(list.module).stmts;
        let statements = list.body.iter().filter(|stmt| !matches!(infos[**stmt], StmtInfo::Def(_)));
        self.work.extend(statements.map(|stmt| (self.scope, *stmt)));
        while let Some((scope, stmt)) = self.work.pop() {
            self.statement(scope, stmt);
        }
        self.used
    }

    /// Visits everything inside a statement, including all definitions of a class.
    fn statement(&mut self, scope: ScopeId, stmt: StmtId) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        match scoped.module(module).stmts[stmt] {
            StmtInfo::Def(def) => {
                if !self.reachable.contains(def) {
                    return;
                }
                if let DefKind::Class { body, .. } = scoped.def(def).kind {
                    self.statements_of(body);
                }
            }
            StmtInfo::None => {}
            StmtInfo::If { then, otherwise } => {
                self.statements_of(then);
                if let Some(otherwise) = otherwise.expand() {
                    self.statements_of(otherwise);
                }
            }
            StmtInfo::Loop(inner) => self.statements_of(inner),
            StmtInfo::Instance(instance) => match scoped.instance(instance).kind {
                InstanceKind::Class(reference) => self.reference(reference),
                InstanceKind::Module(inner) if scoped.scope(scoped.module(inner).scope).parent.is_some() => {
                    self.statements_of(scoped.module(inner).scope);
                }
                InstanceKind::Module(_) | InstanceKind::Error => {}
            },
        }
        let stmt = scoped.ast(module).stmt(stmt);
        if !matches!(stmt, Stmt::Class(_)) {
            walk::expressions(stmt, |expr| self.expression(scope, expr));
        }
    }

    fn statements_of(&mut self, scope: ScopeId) {
        self.work.extend(self.scoped.scope(scope).body.iter().map(|stmt| (scope, *stmt)));
    }

    fn expression(&mut self, scope: ScopeId, root: ExprId) {
        let scoped = self.scoped;
        scoped.references_below(scope, root, |reference| self.reference(reference));
    }

    fn reference(&mut self, reference: Resolution) {
        let Target::Def(id) = self.scoped.reference(reference).target else { return };
        let def = self.scoped.def(id);
        if def.scope == self.scope
            && let DefKind::Bind { stmt } | DefKind::Func { stmt, .. } | DefKind::Class { stmt, .. } = def.kind
            && self.used.insert(id)
        {
            self.work.push((self.scope, stmt));
        }
    }
}
