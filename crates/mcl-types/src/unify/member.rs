//! Members: what only some instances of a class or file use ([`super::optional`]).
//!
//! A class is typed once, and so is each optional definition in it, after the body: the class is a generic scope, and the
//! definition a *member* of it with type variables of its own. While a member is typed it stands apart: every unknown or
//! variable of the class that it meets is replaced by a new unknown ([`Unifier::localized`]). What it finds out about these is
//! its list of *demands*, which hold only in the instances that use it:
//!
//! ```text
//! class show($x) {            # $x: ?x
//!     $loud = $x + "!"        # demands: ?x is str
//!     $plain = $x             # demands nothing
//! }
//! ```
//!
//! An instance uses a member when a name of the program leads to it (`$a.loud`). Then the member gets types for its variables
//! there, once, and its demands are made of the types that the instance has. If the instance itself is part of a class, one
//! that is closed already, then that use is again a member, of the outer class: `$o.i.x` uses the member "x of i" of `o`.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use mcl_diagnostics::Code;
use mcl_parser::ast::Stmt;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Unifier;
use super::condition::Condition;
use super::generic::{Copy, Mark, Owner, Scheme, Site};
use super::report::error;
use super::types::{State, Ty, Types, Unknown};
use crate::scoped::{DefId, DefKind, ScopeId, SlotId, SlotKind};

/// Index of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MemberId(u32);

impl MemberId {
    /// As an index of the table of all members.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something of a class or file that only some instances use.
pub(super) struct Member {
    /// The class body or top level.
    pub(super) scope: ScopeId,
    /// The definition at the bottom of it.
    def: DefId,
    pub(super) scheme: Scheme,
    /// Types of the instance, and what they must be equal to.
    demands: Vec<(Ty, Ty)>,
    /// Other members, of the same instance or of those around it, that it uses.
    requires: Vec<MemberId>,
}

/// A member in an instance that uses it.
pub(super) struct Use {
    /// What its variables are there.
    pub(super) types: Rc<[Ty]>,
    /// If the instance belongs to a closed class: the member of that class that this use is, unless it demands nothing.
    member: Option<MemberId>,
}

/// A member while it is typed.
pub(super) struct Context {
    level: u32,
    /// What was met of the outside, and the unknown that stands for it.
    captures: IndexMap<Unknown, (Ty, Ty), FxBuildHasher>,
    localized: FxHashMap<Ty, Ty>,
    requires: IndexSet<MemberId, FxBuildHasher>,
}

impl Context {
    fn new(level: u32) -> Context {
        let (captures, localized, requires) = Default::default();
        Context { level, captures, localized, requires }
    }
}

impl Unifier<'_> {
    /// A type that comes from elsewhere, in terms of the member that is being typed.
    pub(super) fn localized(&mut self, ty: Ty) -> Ty {
        let Some(Some(context)) = self.contexts.last_mut() else { return ty };
        let Context { level, captures, localized, requires: _ } = context;
        let mut lookup = |types: &mut Types, ty: Ty, unknown: Unknown, state: State| {
            let foreign = match state {
                // What belongs to the program's top level is the same for all instances.
                State::Open { level: its } => its >= 1 && its < *level,
                State::Generic(_) => true,
                State::Bound(_) => false,
            };
            foreign.then(|| {
                let root = types.root(unknown);
                let origin = types.made_at(root);
                captures.entry(root).or_insert_with(|| (ty, types.unknown(*level, origin))).1
            })
        };
        self.types.copy(ty, &mut lookup, localized)
    }

    /// Begins to type a member of `scope`.
    pub(super) fn open_member(&mut self, scope: ScopeId) -> Mark {
        let mark = self.open(self.levels[scope.index()] + 1);
        self.contexts.push(Some(Context::new(self.level)));
        mark
    }

    /// Ends an optional definition.
    pub(super) fn close_definition(&mut self, scope: ScopeId, def: DefId, mark: Mark) {
        if let Some(member) = self.close_member(scope, def, mark) {
            self.member_of.insert(def, member);
        }
    }

    /// Ends a member; `None` if it has no variables and demands nothing.
    fn close_member(&mut self, scope: ScopeId, def: DefId, mark: Mark) -> Option<MemberId> {
        self.lower_results(mark);
        let context = self.contexts.pop().flatten();
        let (captures, requires) = context.map(|it| (it.captures, it.requires)).unwrap_or_default();
        let conditions = self.take_member_conditions(mark.conditions);
        // What stands for something outside and is still unknown is that again.
        let mut demands = Vec::new();
        for (outside, inside) in captures.into_values() {
            match self.types.open_unknown(inside) {
                Some(unknown) if self.is_of_this_level(unknown) => {
                    let _ = self.types.unify(inside, outside);
                }
                Some(_) | None => demands.push((outside, inside)),
            }
        }
        self.settle();
        let member = MemberId(u32::try_from(self.members.len()).expect("fewer than 2^32 members"));
        let (variables, origins) = self.generalize(Owner::Member(member), mark);
        let names = self.name_conditions.split_off(mark.names);
        let texts = self.text_conditions.split_off(mark.texts);
        self.level = mark.level;
        let plain = origins.is_empty() && conditions.is_empty() && names.is_empty() && texts.is_empty();
        if plain && demands.is_empty() && requires.is_empty() {
            return None;
        }
        let scheme = Scheme { conditions, names, texts, origins, variables };
        self.members.push(Member { scope, def, scheme, demands, requires: requires.into_iter().collect() });
        self.has_members[scope.index()] = true;
        Some(member)
    }

    fn is_of_this_level(&mut self, unknown: Unknown) -> bool {
        matches!(self.types.state(unknown), State::Open { level } if level >= self.level)
    }

    /// Removes the pending conditions that concern the member.
    fn take_member_conditions(&mut self, since: usize) -> Vec<Condition> {
        let mut taken = Vec::new();
        for id in self.conditions.pending_since(since) {
            let base = self.conditions.get(id).base();
            if self.types.open_unknown(base).is_some_and(|unknown| self.is_of_this_level(unknown)) {
                taken.push(self.conditions.take(id));
            }
        }
        taken
    }

    /// The program uses a definition that it reaches through `via`.
    pub(super) fn use_definition(&mut self, via: &[SlotId], def: DefId) {
        let Some(member) = self.member_of.get(&def).copied() else { return };
        let path = self.path_to(&[], via, self.members[member.index()].scope);
        let own = loop {
            match self.follow(&path, member) {
                Ok(own) => break own,
                Err((slot, member)) => self.make_use(slot, member),
            }
        };
        self.require_member(own);
    }

    /// The path to the instance of `scope` that is around what `via` leads to, from the instance at the end of a path.
    pub(super) fn path_to(&self, from: &[SlotId], via: &[SlotId], scope: ScopeId) -> Vec<SlotId> {
        let mut path = from.to_vec();
        for slot in via {
            self.go_up(&mut path, self.homes[self.scoped.slot(*slot).scope.index()]);
            path.push(*slot);
        }
        self.go_up(&mut path, scope);
        path
    }

    /// Goes from the instance at the end of a path to the instance of `scope` around it. An empty path is where the code
    /// stands, and all that is around it.
    fn go_up(&self, path: &mut Vec<SlotId>, scope: ScopeId) {
        while let Some(slot) = path.last().copied() {
            if self.scoped.slot_scope(slot) == Some(scope) {
                return;
            }
            path.pop();
            if let SlotKind::Class(reference) = self.scoped.slot(slot).kind {
                for slot in &self.scoped.reference(reference).via {
                    self.go_up(path, self.homes[self.scoped.slot(*slot).scope.index()]);
                    path.push(*slot);
                }
            }
        }
    }

    /// What a use of a member at the end of a path requires of the members around the code; or the first use on the way that
    /// does not exist yet.
    fn follow(&self, path: &[SlotId], member: MemberId) -> Result<Option<MemberId>, (SlotId, MemberId)> {
        let mut member = member;
        for slot in path.iter().rev() {
            match self.uses.get(&(*slot, member)).ok_or((*slot, member))?.member {
                Some(outer) => member = outer,
                None => return Ok(None),
            }
        }
        Ok(Some(member))
    }

    fn require_member(&mut self, member: Option<MemberId>) {
        if let (Some(member), Some(Some(context))) = (member, self.contexts.last_mut()) {
            context.requires.insert(member);
        }
    }

    /// Makes the instance at `slot` use a member, after everything that the member requires. Members may require one another
    /// in chains of any length, so this is no recursion.
    fn make_use(&mut self, slot: SlotId, member: MemberId) {
        let mut work = vec![(slot, member, 0)];
        while let Some((slot, member, next)) = work.last_mut() {
            let (slot, member) = (*slot, *member);
            if self.uses.contains_key(&(slot, member)) {
                work.pop();
                continue;
            }
            if let Some(required) = self.members[member.index()].requires.get(*next).copied() {
                match self.follow(&self.path_from(slot, required), required) {
                    Ok(_) => *next += 1,
                    Err((slot, member)) => work.push((slot, member, 0)),
                }
                continue;
            }
            work.pop();
            self.use_at(slot, member);
        }
    }

    /// The path to the instance that owns a member, as seen from the list with the slot.
    fn path_from(&self, slot: SlotId, member: MemberId) -> Vec<SlotId> {
        self.path_to(&[], &[slot], self.members[member.index()].scope)
    }

    fn use_at(&mut self, slot: SlotId, member: MemberId) {
        let home = self.homes[self.scoped.slot(slot).scope.index()];
        let level = self.levels[home.index()];
        if self.closed[home.index()] {
            let mark = self.open_member(home);
            self.instantiate(slot, member, level + 1);
            let outer = self.close_member(home, self.members[member.index()].def, mark);
            if let Some(it) = self.uses.get_mut(&(slot, member)) {
                it.member = outer;
            }
        } else {
            // Every instance of the surrounding scope is this one, or it is not known yet which there will be.
            let inner = self.contexts.split_off(self.depths[home.index()]);
            self.instantiate(slot, member, level);
            self.contexts.extend(inner);
        }
    }

    /// The types of a member in one instance, and its demands of that instance.
    fn instantiate(&mut self, slot: SlotId, member: MemberId, level: u32) {
        let it = &self.members[member.index()];
        let types = &mut self.types;
        let fresh = it.scheme.origins.iter().map(|origin| types.unknown(level, *origin)).collect();
        let (demands, conditions) = (it.demands.clone(), it.scheme.conditions.clone());
        let (names, texts) = (it.scheme.names.clone(), it.scheme.texts.clone());
        let requires = it.requires.clone();
        self.uses.insert((slot, member), Use { types: fresh, member: None });
        let mut copy = self.copy_of(None, &[slot]);
        for (given, needed) in demands {
            self.demand(slot, member, given, needed, &mut copy);
        }
        self.settle();
        let home = self.scoped.slot(slot);
        let span = self.scoped.ast_of(home.scope).stmt_span(home.stmt);
        let site = match home.kind {
            SlotKind::Class(_) => Site::Include(span),
            SlotKind::Module(_) | SlotKind::Broken => Site::Import,
        };
        self.add_copies(conditions, &mut copy, site);
        self.decide_names(names, &mut copy, &[slot], Some(span));
        self.decide_texts(texts, &mut copy, slot);
        for required in requires {
            let own = self.follow(&self.path_from(slot, required), required).unwrap_or_default();
            self.require_member(own);
        }
    }

    /// A type of the instance must be what the member needs.
    fn demand(&mut self, slot: SlotId, member: MemberId, given: Ty, needed: Ty, copy: &mut Copy) {
        let (given, needed) = (self.copied(copy, given), self.copied(copy, needed));
        let Err(clash) = self.types.unify(needed, given) else { return };
        let holder = self.scoped.slot(slot);
        let ast = self.scoped.ast_of(holder.scope);
        let span = ast.stmt_span(holder.stmt);
        let what = match ast.stmt(holder.stmt) {
            Stmt::Include { .. } => "include",
            _ => "import",
        };
        let def = self.scoped.def(self.members[member.index()].def);
        let (name, name_span) = (&def.name, def.span);
        let sigil = match def.kind {
            DefKind::Bind { .. } => "$",
            _ => "",
        };
        let (found, wanted) = (self.text(clash.found), self.text(clash.expected));
        let message = format!("`{sigil}{name}` of this {what} needs `{wanted}`, but here it is `{found}`");
        let diagnostic = error(Code::E0701, message).at(span).label(name_span, format!("used of the {what}"));
        let diagnostic = self.clash_labels(diagnostic, clash, span);
        self.report(diagnostic);
    }
}
