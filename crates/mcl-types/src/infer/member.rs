//! Members: what only some instances of a class or file use ([`crate::infer::optional`]).
//!
//! A class is typed once, and so is each optional definition in it, after the body: the class is a generic scope, and the
//! definition a *member* of it with type variables of its own. While a member is typed it is separate from the class: every
//! variable of the class that it mentions is replaced by a fresh one ([`Inference::abstracted`]). What is found out about
//! these becomes the *requirements* of the member, which hold only in the instances that use it:
//!
//! ```text
//! class show($x) {            # $x: ?x
//!     $loud = $x + "!"        # requires ?x = str
//!     $plain = $x             # requires nothing
//! }
//! ```
//!
//! An instance uses a member when a name of the program leads to it (`$a.loud`). Then the variables of the member get types
//! there, once, and the types of the instance must meet its requirements. If the instance itself is part of a class that is
//! generalized already, that use is in turn a member of the outer class: `$o.i.x` uses the member "x of i" of `o`.

use std::rc::Rc;

use mcl_parser::ast::Stmt;

use crate::infer::expectation::Expectation;
use crate::infer::instantiate::Instantiation;
use crate::infer::{Inference, Member, MemberContext, MemberInstance};
use crate::scoped::{DefId, DefKind, InstanceId, InstanceKind, ScopeId};
use crate::solver::constraint::InstantiationSite;
use crate::solver::obligation::Obligation;
use crate::solver::scheme::{MemberId, Scheme, Snapshot, VarOwner};
use crate::solver::types::{Ty, Types, VarId, VarState};

impl Inference<'_> {
    /// Returns a type of the outside in terms of the member that is being typed: its variables are replaced.
    pub(crate) fn abstracted(&mut self, ty: Ty) -> Ty {
        let Some(Some(context)) = self.members.contexts.last_mut() else { return ty };
        let MemberContext { level, captures, abstracted, uses: _ } = context;
        let mut replace = |types: &mut Types, ty: Ty, var: VarId, state: VarState| {
            let is_foreign = match state {
                // The variables of the program's top level are the same for all instances.
                VarState::Unsolved { level: its } => its >= 1 && its < *level,
                VarState::Generic(_) => true,
                VarState::Solved(_) => false,
            };
            is_foreign.then(|| {
                let root = types.root(var);
                let origin = types.var_origin(root);
                captures.entry(root).or_insert_with(|| (ty, types.fresh_var(*level, origin))).1
            })
        };
        self.solver.types.substitute(ty, &mut replace, abstracted)
    }

    /// Begins to type a member of `scope`.
    pub(crate) fn enter_member(&mut self, scope: ScopeId) -> Snapshot {
        let snapshot = self.solver.enter(self.generic_scopes[scope].level + 1);
        self.members.contexts.push(Some(MemberContext::new(self.solver.level)));
        snapshot
    }

    /// Completes the member of an optional definition.
    pub(crate) fn leave_definition(&mut self, scope: ScopeId, def: DefId, snapshot: Snapshot) {
        if let Some(member) = self.leave_member(scope, def, snapshot) {
            self.members.of_def.insert(def, member);
        }
    }

    /// Completes a member; `None` if it has no variables and requires nothing.
    fn leave_member(&mut self, scope: ScopeId, def: DefId, snapshot: Snapshot) -> Option<MemberId> {
        self.solver.lower_results(snapshot);
        let context = self.members.contexts.pop().flatten();
        let (captures, uses) = context.map(|context| (context.captures, context.uses)).unwrap_or_default();
        let obligations = self.solver.take_obligations(snapshot, |solver, obligation| match obligation {
            Obligation::Type(constraint) => {
                solver.types.unsolved_var(constraint.base()).is_some_and(|var| solver.is_of_this_level(var))
            }
            Obligation::ResourceName(_) | Obligation::FormatString(_) | Obligation::DecodeType(_) => true,
        });
        let mut requirements = Vec::new();
        for (outside, inside) in captures.into_values() {
            match self.solver.types.unsolved_var(inside) {
                // Nothing is required of it: it becomes the variable of the outside again.
                Some(var) if self.solver.is_of_this_level(var) => {
                    if let Err(mismatch) = self.solver.types.unify(inside, outside) {
                        self.report_mismatch(mismatch, self.scoped.def_span(def), &Expectation::Annotation);
                    }
                }
                Some(_) | None => requirements.push((outside, inside)),
            }
        }
        self.solve();
        let member = self.members.table.next_key();
        let (first, origins) = self.solver.generalize(VarOwner::Member(member), snapshot);
        self.solver.level = snapshot.level;
        let scheme = Scheme::new(first..self.solver.generics.next_key(), origins, obligations);
        if scheme.is_trivial() && requirements.is_empty() && uses.is_empty() {
            return None;
        }
        let (scheme, uses) = (Rc::new(scheme), uses.into_iter().collect());
        self.members.table.push(Member { scope, def, scheme, requirements, uses });
        self.generic_scopes[scope].has_members = true;
        Some(member)
    }

    /// Records that the program uses a definition that it reaches through `path`.
    pub(crate) fn use_definition(&mut self, path: &[InstanceId], def: DefId) {
        let Some(member) = self.members.of_def.get(&def).copied() else { return };
        let path = self.path_to(&[], path, self.members.table[member].scope);
        let outer = loop {
            match self.outer_member(&path, member) {
                Ok(outer) => break outer,
                Err((instance, member)) => self.instantiate_member_chain(instance, member),
            }
        };
        self.add_member_use(outer);
    }

    /// Returns the member, of the scopes around the code, that the use of a member at the end of a path amounts to.
    ///
    /// # Errors
    /// The first instance on the path, with its member, that is not instantiated yet.
    fn outer_member(&self, path: &[InstanceId], member: MemberId) -> Result<Option<MemberId>, (InstanceId, MemberId)> {
        let mut member = member;
        for instance in path.iter().rev() {
            match self.members.instances.get(&(*instance, member)).ok_or((*instance, member))?.outer {
                Some(outer) => member = outer,
                None => return Ok(None),
            }
        }
        Ok(Some(member))
    }

    /// Adds a member to those that the member that is being typed uses.
    fn add_member_use(&mut self, member: Option<MemberId>) {
        if let (Some(member), Some(Some(context))) = (member, self.members.contexts.last_mut()) {
            context.uses.insert(member);
        }
    }

    /// Instantiates a member, after all members that it uses. Chains of members can be of any length, so this does not
    /// recurse.
    fn instantiate_member_chain(&mut self, instance: InstanceId, member: MemberId) {
        let mut work = vec![(instance, member, 0)];
        while let Some((instance, member, next)) = work.last_mut() {
            let (instance, member) = (*instance, *member);
            if self.members.instances.contains_key(&(instance, member)) {
                work.pop();
                continue;
            }
            if let Some(used) = self.members.table[member].uses.get(*next).copied() {
                match self.outer_member(&self.path_to_owner(instance, used), used) {
                    Ok(_) => *next += 1,
                    Err((instance, member)) => work.push((instance, member, 0)),
                }
                continue;
            }
            work.pop();
            self.instantiate_member(instance, member);
        }
    }

    /// Returns the path to the instance that owns a member, as seen from the scope that contains `instance`.
    fn path_to_owner(&self, instance: InstanceId, member: MemberId) -> Vec<InstanceId> {
        self.path_to(&[], &[instance], self.members.table[member].scope)
    }

    fn instantiate_member(&mut self, instance: InstanceId, member: MemberId) {
        let enclosing = self.enclosing_scope(instance);
        let level = self.generic_scopes[enclosing].level;
        if self.generic_scopes[enclosing].is_generalized {
            let snapshot = self.enter_member(enclosing);
            self.instantiate_member_at(instance, member, level + 1);
            let outer = self.leave_member(enclosing, self.members.table[member].def, snapshot);
            if let Some(instance) = self.members.instances.get_mut(&(instance, member)) {
                instance.outer = outer;
            }
        } else {
            // The enclosing scope is still being typed, so the member is used in all of its instances.
            let inner = self.members.contexts.split_off(self.generic_scopes[enclosing].context_depth);
            self.instantiate_member_at(instance, member, level);
            self.members.contexts.extend(inner);
        }
    }

    /// Gives types to the variables of a member in one instance, and checks its requirements of that instance.
    fn instantiate_member_at(&mut self, instance: InstanceId, member: MemberId, level: u32) {
        let Member { scheme, requirements, uses, .. } = &self.members.table[member];
        let (scheme, requirements, uses) = (Rc::clone(scheme), requirements.clone(), uses.clone());
        let types = self.solver.fresh_vars(&scheme, level);
        self.members.instances.insert((instance, member), MemberInstance { types, outer: None });
        let mut instantiation = self.instantiation(None, &[instance]);
        for (given, required) in requirements {
            self.check_requirement(instance, member, given, required, &mut instantiation);
        }
        self.solve();
        let site = match self.scoped.instance(instance).kind {
            InstanceKind::Class(_) => InstantiationSite::Include(self.scoped.instance_span(instance)),
            InstanceKind::Module(_) | InstanceKind::Error => InstantiationSite::Import,
        };
        self.instantiate_obligations(&scheme, &mut instantiation, site, Some(instance));
        for used in uses {
            let outer = self.outer_member(&self.path_to_owner(instance, used), used).unwrap_or_default();
            self.add_member_use(outer);
        }
    }

    /// Checks that a type of the instance is the one that the member requires.
    fn check_requirement(
        &mut self,
        instance: InstanceId,
        member: MemberId,
        given: Ty,
        required: Ty,
        instantiation: &mut Instantiation,
    ) {
        let (given, required) = (self.instantiate(instantiation, given), self.instantiate(instantiation, required));
        let Err(mismatch) = self.solver.types.unify(required, given) else { return };
        let scoped = self.scoped;
        let def = self.members.table[member].def;
        let name = match scoped.def(def).kind {
            DefKind::Bind { .. } => format!("${}", scoped.def_name(def)),
            DefKind::Func { .. } | DefKind::Class { .. } | DefKind::Param { .. } | DefKind::Error => {
                scoped.def_name(def).to_string()
            }
        };
        let holder = scoped.instance(instance);
        let statement = match scoped.ast_of(holder.scope).stmt(holder.stmt) {
            Stmt::Include(_) => "include",
            _ => "import",
        };
        let expectation = Expectation::Member { name: &name, statement, definition: scoped.def_span(def) };
        self.report_mismatch(mismatch, scoped.instance_span(instance), &expectation);
    }
}
