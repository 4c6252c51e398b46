//! Solving constraints, at once or when the variable that they wait for is solved.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::solver::Solver;
use crate::solver::constraint::{Constraint, ConstraintKind, TypeKinds};
use crate::solver::error::{TypeError, Violation};
use crate::solver::obligation::Subject;
use crate::solver::types::{Mismatch, Node, Ty, Types, VarId, parts};

impl Solver {
    /// Solves a constraint if that is possible, or defers it.
    pub(crate) fn add_constraint(&mut self, constraint: Constraint) {
        if let Some(var) = self.try_solve(&constraint) {
            self.defer(constraint, var);
        }
    }

    /// Tries the constraints again that wait for variables that have changed, until nothing changes any more.
    pub(crate) fn solve_ready(&mut self) {
        while let Some(var) = self.types.pop_changed() {
            for constraint in self.obligations.wake(var) {
                self.add_constraint(constraint);
            }
        }
    }

    /// Tries all pending constraints again, whatever they wait for. Each waits for one variable only, and may be solvable
    /// through another one.
    pub(crate) fn solve_all(&mut self) {
        loop {
            let pending = self.obligations.pending();
            let before = pending.len();
            for id in pending {
                if let Some(constraint) = self.obligations.take_constraint(id) {
                    self.add_constraint(constraint);
                    self.solve_ready();
                }
            }
            if self.obligations.pending().len() == before {
                return;
            }
        }
    }

    /// Lets a constraint wait for a variable, unless one that waits already implies it.
    fn defer(&mut self, constraint: Constraint, var: VarId) {
        let subject = self.subject(&constraint);
        for other in self.obligations.waiting_for(var, &subject) {
            match (&constraint.kind, &other.kind) {
                // A struct has one field of a name, a container one type of index and one type of element.
                (ConstraintKind::Field { result: x, .. }, ConstraintKind::Field { result: y, .. }) => {
                    self.unify_uses(*x, *y, &constraint);
                    return;
                }
                (
                    ConstraintKind::Index { index: i, result: x, .. },
                    ConstraintKind::Index { index: j, result: y, .. },
                ) => {
                    self.unify_uses(*i, *j, &constraint);
                    self.unify_uses(*x, *y, &constraint);
                    return;
                }
                (ConstraintKind::OneOf { kinds: a, .. }, ConstraintKind::OneOf { kinds: b, .. }) => {
                    if a.contains(*b) {
                        return;
                    }
                }
                _ => return,
            }
        }
        self.obligations.push_waiting(constraint, subject, var);
    }

    fn subject(&mut self, constraint: &Constraint) -> Subject {
        match &constraint.kind {
            ConstraintKind::OneOf { .. } => Subject::Kind,
            ConstraintKind::Comparable { ty, .. } => Subject::Comparable(self.types.resolve(*ty)),
            ConstraintKind::Hashable { ty } => Subject::Hashable(self.types.resolve(*ty)),
            ConstraintKind::Index { .. } => Subject::Index,
            ConstraintKind::Field { field, .. } => Subject::Field(Arc::clone(field)),
            ConstraintKind::FieldOr { field, result, .. } => {
                Subject::FieldOr(Arc::clone(field), self.types.resolve(*result))
            }
        }
    }

    /// Makes two types equal that two uses of one container or field require.
    fn unify_uses(&mut self, a: Ty, b: Ty, constraint: &Constraint) {
        if let Err(mismatch) = self.types.unify(a, b) {
            self.fail(constraint, Violation::ConflictingUses(mismatch));
        }
    }

    fn fail(&mut self, constraint: &Constraint, violation: Violation) {
        self.errors.push(TypeError { constraint: constraint.clone(), violation });
    }

    /// Solves a constraint, or returns the variable that must be solved first.
    fn try_solve(&mut self, constraint: &Constraint) -> Option<VarId> {
        match &constraint.kind {
            ConstraintKind::OneOf { ty, kinds, .. } => self.solve_one_of(*ty, *kinds, constraint),
            ConstraintKind::Comparable { ty, .. } => self.solve_comparable(*ty, constraint),
            ConstraintKind::Hashable { ty } => self.solve_hashable(*ty, constraint),
            ConstraintKind::Index { base, index, result } => self.solve_index(*base, *index, *result, constraint),
            ConstraintKind::Field { base, field, result } => {
                self.solve_field(*base, field, constraint, |types, declared| types.unify(*result, declared), *result)
            }
            ConstraintKind::FieldOr { base, field, result } => {
                self.solve_field(*base, field, constraint, |types, declared| types.unify(declared, *result), *result)
            }
        }
    }

    /// Returns the kind of a known type, or else the unsolved variable that the type is; `Err(None)` for an erroneous type.
    fn kind_of(&mut self, ty: Ty) -> Result<TypeKinds, Option<VarId>> {
        let ty = self.types.resolve(ty);
        Ok(match self.types.node(ty) {
            Node::Error => return Err(None),
            Node::Var(_) => return Err(self.types.unsolved_var(ty)),
            Node::Bool => TypeKinds::BOOL,
            Node::Str => TypeKinds::STR,
            Node::Int => TypeKinds::INT,
            Node::Float => TypeKinds::FLOAT,
            Node::List(_) => TypeKinds::LIST,
            Node::Map(..) => TypeKinds::MAP,
            Node::Struct(_) => TypeKinds::STRUCT,
            Node::Func(..) => TypeKinds::FUNC,
        })
    }

    fn solve_one_of(&mut self, ty: Ty, kinds: TypeKinds, constraint: &Constraint) -> Option<VarId> {
        match self.kind_of(ty) {
            Err(var) => var,
            Ok(kind) => {
                if !kinds.contains(kind) {
                    self.fail(constraint, Violation::WrongKind);
                }
                None
            }
        }
    }

    /// Returns the first part of a type that is not allowed; if there is none, `Err` with an unsolved variable inside the
    /// type.
    fn find_part(&mut self, ty: Ty, is_wrong: impl Fn(&Node) -> bool) -> Result<Option<Ty>, VarId> {
        let mut var = None;
        let mut seen = FxHashSet::default();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let ty = self.types.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            let node = self.types.node(ty);
            if is_wrong(&node) {
                return Ok(Some(ty));
            }
            match node {
                Node::Error => return Ok(None),
                Node::Var(_) => var = var.or(self.types.unsolved_var(ty)),
                node => parts(&node, |part| work.push(part)),
            }
        }
        var.map_or(Ok(None), Err)
    }

    fn solve_comparable(&mut self, ty: Ty, constraint: &Constraint) -> Option<VarId> {
        match self.find_part(ty, |node| matches!(node, Node::Func(..))) {
            Err(var) => Some(var),
            Ok(None) => None,
            Ok(Some(function)) => {
                self.fail(constraint, Violation::NotComparable { function });
                self.types.poison(ty);
                None
            }
        }
    }

    fn solve_hashable(&mut self, ty: Ty, constraint: &Constraint) -> Option<VarId> {
        match self.find_part(ty, |node| matches!(node, Node::List(_) | Node::Map(..) | Node::Func(..))) {
            Err(var) => Some(var),
            Ok(None) => None,
            Ok(Some(part)) => {
                self.fail(constraint, Violation::NotHashable { part });
                self.types.poison(ty);
                None
            }
        }
    }

    fn solve_index(&mut self, base: Ty, index: Ty, result: Ty, constraint: &Constraint) -> Option<VarId> {
        let resolved = self.types.resolve(base);
        match self.types.node(resolved) {
            Node::Error => {
                self.types.poison(result);
                self.types.poison(index);
                None
            }
            Node::List(element) => {
                let int = self.types.add(Node::Int, constraint.span);
                self.solve_lookup(int, index, element, result, constraint);
                None
            }
            Node::Map(key, value) => {
                self.solve_lookup(key, index, value, result, constraint);
                None
            }
            Node::Var(_) => {
                let var = self.types.unsolved_var(base)?;
                // Only maps have keys other than int.
                match self.kind_of(index) {
                    Ok(kind) if kind != TypeKinds::INT => {
                        let map = self.types.add(Node::Map(index, result), constraint.span);
                        if let Err(mismatch) = self.types.unify(base, map) {
                            self.fail(constraint, Violation::ConflictingUses(mismatch));
                        }
                        None
                    }
                    Err(None) => {
                        self.types.poison(result);
                        None
                    }
                    Ok(_) | Err(Some(_)) => Some(var),
                }
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::Struct(_) | Node::Func(..) => {
                self.fail(constraint, Violation::NotIndexable);
                self.types.poison(result);
                self.types.poison(index);
                None
            }
        }
    }

    /// Solves `base[index]` for a container with these types of key and element.
    fn solve_lookup(&mut self, key: Ty, index: Ty, element: Ty, result: Ty, constraint: &Constraint) {
        match self.types.unify(key, index) {
            Err(mismatch) => {
                self.fail(constraint, Violation::Index(mismatch));
                self.types.poison(result);
            }
            Ok(()) => {
                if let Err(mismatch) = self.types.unify(result, element) {
                    self.fail(constraint, Violation::Element(mismatch));
                }
            }
        }
    }

    /// Solves `base->field`; `unify` relates the declared type of the field to the type of the expression.
    fn solve_field(
        &mut self,
        base: Ty,
        field: &Arc<str>,
        constraint: &Constraint,
        unify: impl FnOnce(&mut Types, Ty) -> Result<(), Mismatch>,
        result: Ty,
    ) -> Option<VarId> {
        let resolved = self.types.resolve(base);
        match self.types.node(resolved) {
            Node::Error => {
                self.types.poison(result);
                None
            }
            Node::Var(_) => self.types.unsolved_var(base),
            Node::Struct(_) => {
                match self.types.field(resolved, field) {
                    Some(declared) => {
                        if let Err(mismatch) = unify(&mut self.types, declared) {
                            self.fail(constraint, Violation::Field(mismatch));
                        }
                    }
                    // A struct without the field: the default counts.
                    None if matches!(constraint.kind, ConstraintKind::FieldOr { .. }) => {}
                    None => {
                        self.fail(constraint, Violation::UnknownField);
                        self.types.poison(result);
                    }
                }
                None
            }
            Node::Bool | Node::Str | Node::Int | Node::Float | Node::List(_) | Node::Map(..) | Node::Func(..) => {
                self.fail(constraint, Violation::NoFields);
                self.types.poison(result);
                None
            }
        }
    }
}
