//! Which unknowns of instances matter.
//!
//! A class or file is typed once with everything that *some* instance of it uses. Another instance may not use a bind whose
//! type is open; then nothing of that bind exists there, and nobody has to say what its type is:
//!
//! ```text
//! import "lib.mcl" as a           # $id = func($x) { $x }
//! import "other.mcl"              # uses $lib.id("s"), by an import of its own
//! test [$a.name] {}               # $a.id stays open, and does not matter
//! ```
//!
//! So, only when such unknowns are left at the end, the program is gone through once more along the instances that exist.

use std::rc::Rc;

use mcl_parser::ast::{ExprId, Stmt, StmtId};
use rustc_hash::FxHashSet;

use super::Unifier;
use super::types::{State, Ty, Unknown};
use crate::scoped::{DefId, DefKind, ExprInfo, ModuleId, ScopeId, SlotId, SlotKind, StmtInfo, Target};
use crate::walk;

/// Instances of instances can be very many; after so many steps the rest counts as not used.
const MAX_STEPS: u32 = 100_000;

/// A part of the program inside the instance that a path of slots leads to.
type Visit = (Part, Rc<[SlotId]>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    List(ScopeId),
    Def(DefId),
}

struct Search {
    /// Unknowns that only instances have, and that were not met yet.
    unused: FxHashSet<Unknown>,
    work: Vec<Visit>,
    seen: FxHashSet<Visit>,
}

impl Unifier<'_> {
    /// The unknowns that belong to parts of instances that are not used.
    pub(super) fn unused_unknowns(&mut self) -> FxHashSet<Unknown> {
        let of_instances: FxHashSet<Unknown> = self
            .slot_types
            .iter()
            .flatten()
            .flat_map(|types| types.iter())
            .filter_map(|ty| self.types.unknown_of(*ty))
            .collect();
        let mut unused: FxHashSet<Unknown> = of_instances.iter().map(|unknown| self.types.root(*unknown)).collect();
        unused.retain(|root| matches!(self.types.state(*root), State::Open { .. }));
        if unused.is_empty() {
            return unused;
        }
        // What was joined with an unknown of the program's own text is used there.
        for unknown in (0..self.types.unknowns()).map(Unknown) {
            if !of_instances.contains(&unknown) {
                unused.remove(&self.types.root(unknown));
            }
        }
        let mut search = Search { unused, work: Vec::new(), seen: FxHashSet::default() };
        search.work.push((Part::List(self.scoped.root()), Rc::from([])));
        let mut steps = 0;
        while let Some(visit) = search.work.pop() {
            steps += 1;
            if search.unused.is_empty() || steps > MAX_STEPS {
                break;
            }
            if search.seen.insert(visit.clone()) {
                let (part, path) = visit;
                match part {
                    Part::List(scope) => self.visit_list(scope, &path, &mut search),
                    Part::Def(def) => self.visit_def(def, &path, &mut search),
                }
            }
        }
        search.unused
    }

    fn visit_list(&mut self, scope: ScopeId, path: &Rc<[SlotId]>, search: &mut Search) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        for stmt in &scoped.scope(scope).body {
            match scoped.module(module).stmts[stmt.0 as usize] {
                StmtInfo::Def(_) => continue,
                StmtInfo::None => {}
                StmtInfo::If { then, otherwise } => {
                    let lists = [Some(then), otherwise].into_iter().flatten();
                    search.work.extend(lists.map(|inner| (Part::List(inner), Rc::clone(path))));
                }
                StmtInfo::Loop(inner) => search.work.push((Part::List(inner), Rc::clone(path))),
                StmtInfo::Slot(slot) => {
                    if let (SlotKind::Class(reference), Some(body)) = (scoped.slot(slot).kind, scoped.slot_scope(slot))
                    {
                        let via = scoped.reference(reference).via.iter();
                        let inner = path.iter().chain(via).chain([&slot]).copied().collect();
                        search.work.push((Part::List(body), inner));
                    }
                }
            }
            self.visit_statement(module, *stmt, path, search);
        }
    }

    fn visit_statement(&mut self, module: ModuleId, stmt: StmtId, path: &Rc<[SlotId]>, search: &mut Search) {
        walk::expressions(self.scoped.ast(module).stmt(stmt), |expr| self.visit_expr(module, expr, path, search));
    }

    fn visit_def(&mut self, def: DefId, path: &Rc<[SlotId]>, search: &mut Search) {
        let it = self.scoped.def(def);
        let module = self.scoped.scope(it.scope).module;
        match it.kind {
            DefKind::Bind { stmt } | DefKind::Func { stmt, .. } => match self.scoped.ast(module).stmt(stmt) {
                Stmt::Bind { .. } | Stmt::Func { .. } => self.visit_statement(module, stmt, path, search),
                _ => {}
            },
            DefKind::Param { .. } => self.use_type(self.defs[def.index()], path, search),
            DefKind::Class { .. } | DefKind::Unknown => {}
        }
    }

    fn visit_expr(&mut self, module: ModuleId, root: ExprId, path: &Rc<[SlotId]>, search: &mut Search) {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            walk::parts(ast.expr(expr), |part| work.push(part));
            self.use_type(self.expr_type(module, expr), path, search);
            if let Some(types) = self.call_types.get(&(module, expr)).cloned() {
                types.iter().for_each(|ty| self.use_type(*ty, path, search));
            }
            let ExprInfo::Ref(reference) = scoped.module(module).exprs[expr.0 as usize] else { continue };
            let reference = scoped.reference(reference);
            let Target::Def(def) = reference.target else { continue };
            let mut path: Vec<SlotId> = path.iter().chain(&reference.via).copied().collect();
            // A definition outside of an instance is the same for all of its instances.
            while path.last().is_some_and(|slot| !self.lies_in(scoped.def(def).scope, *slot)) {
                path.pop();
            }
            search.work.push((Part::Def(def), path.into()));
        }
    }

    fn lies_in(&self, scope: ScopeId, slot: SlotId) -> bool {
        let target = self.scoped.slot_scope(slot);
        let mut current = Some(scope);
        while current.is_some() && current != target {
            current = current.and_then(|scope| self.scoped.scope(scope).parent);
        }
        current.is_some()
    }

    fn use_type(&mut self, ty: Ty, path: &[SlotId], search: &mut Search) {
        let ty = self.copy_of(None, path).apply(&mut self.types, ty);
        for unknown in self.types.open_unknowns(ty) {
            search.unused.remove(&unknown);
        }
    }
}
