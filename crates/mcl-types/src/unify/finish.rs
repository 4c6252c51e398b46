//! The end: what is still unknown is an error, and everything else goes into the tables of the typed program.

use indexmap::IndexMap;
use mcl_diagnostics::{Code, Diagnostic, Span};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::Unifier;
use super::condition::What;
use super::generic::Owner;
use super::report::error;
use super::types::{Node, State, Ty, Types, Unknown, parts};
use crate::scoped::{ScopeId, Scoped, SlotId, TypeVars};
use crate::typed::{ExprIdIn, TypeId, TypeNode, TypeTable, Typed};

/// Types deeper than this are refused, here where there is a place to show: artifacts and the runtime take little more.
const MAX_TYPE_DEPTH: u32 = 400;

/// The tables of [`Typed`], without the program they belong to.
pub(super) struct Tables {
    types: TypeTable,
    exprs: Vec<Vec<TypeId>>,
    defs: Vec<TypeId>,
    generics: Vec<TypeVars>,
    slot_types: Vec<Box<[TypeId]>>,
    call_types: IndexMap<ExprIdIn, Box<[TypeId]>, FxBuildHasher>,
}

impl Tables {
    pub(super) fn into_typed(self, scoped: Scoped) -> Typed {
        let Tables { types, exprs, defs, generics, slot_types, call_types } = self;
        Typed { scoped, types, exprs, defs, generics, slot_types, call_types }
    }
}

impl Unifier<'_> {
    pub(super) fn finish(mut self) -> (Tables, Vec<Diagnostic>) {
        self.retry_conditions();
        self.report_ambiguities();
        let (generics, variables) = self.number_variables();
        let slot_types = self.instances(&generics, &variables);
        let mut interner =
            Interner { table: TypeTable::default(), known: vec![None; self.types.len()], variables, too_deep: None };
        let mut intern = |types: &mut Types, ty: Ty| interner.intern(types, ty);
        let types = &mut self.types;
        let exprs = self.exprs.iter().map(|module| module.iter().map(|ty| intern(types, *ty)).collect()).collect();
        let defs = self.defs.iter().map(|ty| intern(types, *ty)).collect();
        let slot_types =
            slot_types.into_iter().map(|list| list.into_iter().map(|ty| intern(types, ty)).collect()).collect();
        let call_types = self
            .call_types
            .iter()
            .map(|(call, list)| (*call, list.iter().map(|ty| intern(types, *ty)).collect()))
            .collect();
        if let Some(span) = interner.too_deep {
            let message = format!("this type is more than {MAX_TYPE_DEPTH} levels deep");
            self.diagnostics.push(error(Code::E0720, message).at(span));
        }
        let mut diagnostics = self.diagnostics;
        // A class is checked for each include; equal findings are one.
        let mut seen = FxHashSet::default();
        diagnostics.retain(|diagnostic| seen.insert((diagnostic.code.name(), diagnostic.span)));
        let tables = Tables { types: interner.table, exprs, defs, generics, slot_types, call_types };
        (tables, diagnostics)
    }

    /// Numbers the variables of each scope, those of its members included, in a row: by scope, and by variable.
    fn number_variables(&self) -> (Vec<TypeVars>, Vec<u32>) {
        let scope_of = |owner: &Owner| match owner {
            Owner::Scope(scope) => scope.index(),
            Owner::Member(member) => self.members[member.index()].scope.index(),
        };
        let mut counts = vec![0; self.scoped.scopes.len()];
        for owner in &self.owners {
            counts[scope_of(owner)] += 1;
        }
        let mut end = 0;
        let mut generics: Vec<TypeVars> = Vec::with_capacity(counts.len());
        for count in counts {
            generics.push(end..end);
            end += count;
        }
        let variables = self.owners.iter().map(|owner| {
            let range = &mut generics[scope_of(owner)];
            range.end += 1;
            range.end - 1
        });
        let variables = variables.collect();
        (generics, variables)
    }

    /// By slot: what the variables of the class or file are there; nothing for members that are not used.
    fn instances(&self, generics: &[TypeVars], variables: &[u32]) -> Vec<Vec<Ty>> {
        let scope_of = |i: usize| self.scoped.slot_scope(SlotId(i as u32));
        let mut slots: Vec<Vec<Ty>> = (0..self.slot_types.len())
            .map(|i| scope_of(i).map_or_else(Vec::new, |scope| vec![Ty::NONE; generics[scope.index()].len()]))
            .collect();
        let mut fill = |slot: usize, scope: ScopeId, of: &TypeVars, types: &[Ty]| {
            for (variable, ty) in of.clone().zip(types) {
                let number = variables[variable as usize] - generics[scope.index()].start;
                slots[slot][number as usize] = *ty;
            }
        };
        for (i, types) in self.slot_types.iter().enumerate() {
            if let (Some(types), Some(scope)) = (types, scope_of(i))
                && let Some(scheme) = self.schemes.get(&scope)
            {
                fill(i, scope, &scheme.variables, types);
            }
        }
        for ((slot, member), it) in &self.uses {
            let member = &self.members[member.index()];
            fill(slot.index(), member.scope, &member.scheme.variables, &it.types);
        }
        slots
    }

    /// Conditions wait for one type each; some can be decided by now through another one.
    fn retry_conditions(&mut self) {
        loop {
            let pending = self.conditions.pending_since(0);
            let before = pending.len();
            for id in pending {
                if self.conditions.is_pending(id) {
                    let condition = self.conditions.take(id);
                    self.add_condition(condition);
                    self.settle();
                }
            }
            if self.conditions.pending_since(0).len() == before {
                return;
            }
        }
    }

    /// Reports every unknown that nothing decided, once for each place.
    fn report_ambiguities(&mut self) {
        let mut follows = FxHashSet::default();
        let mut needs: FxHashMap<Unknown, Span> = FxHashMap::default();
        for id in self.conditions.pending_since(0) {
            let condition = self.conditions.get(id).clone();
            for ty in condition.determined() {
                follows.extend(self.types.open_unknowns(ty));
            }
            if let (What::Index { .. } | What::Field { .. } | What::FieldOr { .. }, Some(unknown)) =
                (&condition.what, self.types.open_unknown(condition.base()))
            {
                needs.entry(unknown).or_insert(condition.span);
            }
        }
        // What only follows from another unknown is no cause; but somebody must be to blame in a circle.
        follows.retain(|unknown| !needs.contains_key(unknown));
        let mut places = FxHashSet::default();
        for unknown in (0..self.types.unknowns()).map(Unknown) {
            let open = self.types.root(unknown) == unknown
                && matches!(self.types.state(unknown), State::Open { .. })
                && !follows.contains(&unknown);
            let span = self.types.made_at(unknown);
            if open && places.insert(span) {
                let mut diagnostic = error(Code::E0706, "nothing says which type this has")
                    .at(span)
                    .help("annotate it, for example `$x []str = []`, or use it where the type is clear");
                if let Some(use_span) = needs.get(&unknown).filter(|use_span| **use_span != span) {
                    diagnostic = diagnostic.label(*use_span, "needed here");
                }
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

/// Moves types from the solver to the final table.
struct Interner {
    table: TypeTable,
    /// By node: the id and depth, if it was moved.
    known: Vec<Option<(TypeId, u32)>>,
    /// By variable of the solver: its number in the program.
    variables: Vec<u32>,
    too_deep: Option<Span>,
}

impl Interner {
    fn intern(&mut self, types: &mut Types, ty: Ty) -> TypeId {
        if ty == Ty::NONE {
            return TypeId::UNTYPED;
        }
        let root = types.resolve(ty);
        let mut work = vec![root];
        while let Some(ty) = work.last().copied() {
            if self.known[ty.index()].is_some() {
                work.pop();
                continue;
            }
            let node = types.node(ty).clone();
            let before = work.len();
            let mut depth = 0;
            let mut inner = Vec::new();
            parts(&node, |part| inner.push(part));
            for part in inner {
                let part = types.resolve(part);
                match self.known[part.index()] {
                    Some((_, its)) => depth = depth.max(its + 1),
                    None => work.push(part),
                }
            }
            if work.len() > before {
                continue;
            }
            work.pop();
            let id = if depth > MAX_TYPE_DEPTH {
                self.too_deep.get_or_insert(types.origin(ty));
                TypeId::UNTYPED
            } else {
                self.intern_node(types, node)
            };
            let depth = if id == TypeId::UNTYPED { 0 } else { depth };
            self.known[ty.index()] = Some((id, depth));
        }
        self.known[root.index()].map_or(TypeId::UNTYPED, |(id, _)| id)
    }

    fn intern_node(&mut self, types: &mut Types, node: Node) -> TypeId {
        let part = |types: &mut Types, ty: Ty| {
            let ty = types.resolve(ty);
            self.known[ty.index()].map_or(TypeId::UNTYPED, |(id, _)| id)
        };
        let node = match node {
            Node::Error => return TypeId::UNTYPED,
            Node::Bool => return TypeId::BOOL,
            Node::Str => return TypeId::STR,
            Node::Int => return TypeId::INT,
            Node::Float => return TypeId::FLOAT,
            Node::Unknown(unknown) => match types.state(unknown) {
                State::Generic(variable) => TypeNode::Var(self.variables[variable as usize]),
                State::Open { .. } | State::Bound(_) => return TypeId::UNTYPED,
            },
            Node::List(element) => TypeNode::List(part(types, element)),
            Node::Map(key, value) => {
                let key = part(types, key);
                TypeNode::Map(key, part(types, value))
            }
            Node::Struct(fields) => {
                TypeNode::Struct(fields.iter().map(|(name, ty)| (name.clone(), part(types, *ty))).collect())
            }
            Node::Func(args, result) => {
                let args = args.iter().map(|ty| part(types, *ty)).collect();
                TypeNode::Func(args, part(types, result))
            }
        };
        self.table.intern(node)
    }
}
