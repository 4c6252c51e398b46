//! Which definitions of a class or file only some of its instances use.
//!
//! A bind of a class that nothing in the class body needs exists only where somebody asks for it (`$alias.bind`), so what it
//! demands of the parameters counts only for that include (spec 02 §§2.6, 2.7):
//!
//! ```text
//! class show($x) { $loud = $x + "!"  $plain = $x }
//! include show(1) as a        # $a.plain is used: 1 is fine
//! include show("s") as b      # $b.loud is used
//! ```
//!
//! Such a definition is *optional* and becomes a member of the class ([`super::member`]). What the statements of the body
//! need, directly or through other definitions, belongs to every instance. A class with one instance has no optional
//! definitions: what is used at all is used there. Nor has one whose instances multiply from class to class until nobody
//! can count them: there, what one instance uses counts for all.

use mcl_parser::ast::{ExprId, Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::scoped::{DefId, DefKind, ExprInfo, RefId, ScopeId, ScopeKind, Scoped, SlotId, SlotKind, StmtInfo, Target};
use crate::walk;

/// So many instances of a class are told apart, and as many as there are includes and imports in the program.
const MAX_INSTANCES: usize = 1000;

/// By scope: the class body or top level of a file that it stands in, or itself.
pub(super) fn homes(scoped: &Scoped) -> Vec<ScopeId> {
    let mut homes: Vec<ScopeId> = Vec::with_capacity(scoped.scopes.len());
    for (i, scope) in scoped.scopes.iter().enumerate() {
        homes.push(match (scope.kind, scope.parent) {
            (ScopeKind::Module | ScopeKind::Class(_), _) | (_, None) => ScopeId(i as u32),
            // A scope comes after the one around it.
            (ScopeKind::Block | ScopeKind::Loop | ScopeKind::Function(_), Some(parent)) => {
                homes.get(parent.index()).copied().unwrap_or(parent)
            }
        });
    }
    homes
}

/// Marks the live definitions that not every instance of their class or file uses.
pub(super) fn optional_definitions(scoped: &Scoped, homes: &[ScopeId], live: &[bool]) -> Vec<bool> {
    let several = several_instances(scoped, homes);
    let mut optional: Vec<bool> = scoped
        .defs
        .iter()
        .enumerate()
        .map(|(i, def)| {
            live[i]
                && several[def.scope.index()]
                && matches!(def.kind, DefKind::Bind { .. } | DefKind::Func { .. } | DefKind::Class { .. })
        })
        .collect();
    for scope in (0..scoped.scopes.len()).filter(|i| several[*i]).map(|i| ScopeId(i as u32)) {
        let mut body = Body { scoped, live, scope, needed: FxHashSet::default(), work: Vec::new() };
        for def in body.needed() {
            optional[def.index()] = false;
        }
    }
    optional
}

/// By scope: whether it is a class body or top level of a file of which there is more than one instance, and not too many.
fn several_instances(scoped: &Scoped, homes: &[ScopeId]) -> Vec<bool> {
    let mut inside_of: Vec<Vec<ScopeId>> = vec![Vec::new(); scoped.scopes.len()];
    let mut open_slots = vec![0_u32; scoped.scopes.len()];
    for (i, slot) in scoped.slots.iter().enumerate() {
        if let Some(inside) = scoped.slot_scope(SlotId(i as u32)) {
            inside_of[homes[slot.scope.index()].index()].push(inside);
            open_slots[inside.index()] += 1;
        }
    }
    let mut instances = vec![0_usize; scoped.scopes.len()];
    instances[scoped.root().index()] = 1;
    // A scope is counted after all that contain instances of it; those in circles never are.
    let mut work: Vec<usize> = (0..scoped.scopes.len()).filter(|i| open_slots[*i] == 0).collect();
    while let Some(scope) = work.pop() {
        for inside in &inside_of[scope] {
            instances[inside.index()] = instances[inside.index()].saturating_add(instances[scope]);
            open_slots[inside.index()] -= 1;
            if open_slots[inside.index()] == 0 {
                work.push(inside.index());
            }
        }
    }
    let limit = MAX_INSTANCES.max(scoped.slots.len());
    instances.into_iter().map(|count| count > 1 && count <= limit).collect()
}

/// A search for what the statements of one class body or file need of its own definitions.
struct Body<'a> {
    scoped: &'a Scoped,
    live: &'a [bool],
    scope: ScopeId,
    needed: FxHashSet<DefId>,
    work: Vec<(ScopeId, StmtId)>,
}

impl Body<'_> {
    fn needed(&mut self) -> FxHashSet<DefId> {
        let list = self.scoped.scope(self.scope);
        let infos = &self.scoped.module(list.module).stmts;
        let statements = list.body.iter().filter(|stmt| !matches!(infos[stmt.0 as usize], StmtInfo::Def(_)));
        self.work.extend(statements.map(|stmt| (self.scope, *stmt)));
        while let Some((scope, stmt)) = self.work.pop() {
            self.statement(scope, stmt);
        }
        std::mem::take(&mut self.needed)
    }

    /// Everything in the text of a statement. A class in it counts with all of its definitions.
    fn statement(&mut self, scope: ScopeId, stmt: StmtId) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        match scoped.module(module).stmts[stmt.0 as usize] {
            StmtInfo::Def(def) => {
                if !self.live[def.index()] {
                    return;
                }
                if let DefKind::Class { body, .. } = scoped.def(def).kind {
                    self.list(body);
                }
            }
            StmtInfo::None => {}
            StmtInfo::If { then, otherwise } => {
                self.list(then);
                if let Some(otherwise) = otherwise {
                    self.list(otherwise);
                }
            }
            StmtInfo::Loop(inner) => self.list(inner),
            StmtInfo::Slot(slot) => match scoped.slot(slot).kind {
                SlotKind::Class(reference) => self.reference(reference),
                SlotKind::Module(inner) if scoped.scope(scoped.module(inner).scope).parent.is_some() => {
                    self.list(scoped.module(inner).scope);
                }
                SlotKind::Module(_) | SlotKind::Broken => {}
            },
        }
        let stmt = scoped.ast(module).stmt(stmt);
        if !matches!(stmt, Stmt::Class { .. }) {
            walk::expressions(stmt, |expr| self.expression(scope, expr));
        }
    }

    fn list(&mut self, scope: ScopeId) {
        self.work.extend(self.scoped.scope(scope).body.iter().map(|stmt| (scope, *stmt)));
    }

    fn expression(&mut self, scope: ScopeId, root: ExprId) {
        let module = self.scoped.scope(scope).module;
        let ast = self.scoped.ast(module);
        let infos = &self.scoped.module(module).exprs;
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            if let ExprInfo::Ref(reference) = infos[expr.0 as usize] {
                self.reference(reference);
            }
            walk::parts(ast.expr(expr), |part| work.push(part));
        }
    }

    fn reference(&mut self, reference: RefId) {
        let Target::Def(id) = self.scoped.reference(reference).target else { return };
        let def = self.scoped.def(id);
        if def.scope == self.scope
            && let DefKind::Bind { stmt } | DefKind::Func { stmt, .. } | DefKind::Class { stmt, .. } = def.kind
            && self.needed.insert(id)
        {
            self.work.push((self.scope, stmt));
        }
    }
}
