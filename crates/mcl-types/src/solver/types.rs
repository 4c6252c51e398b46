//! Types while they are being solved: nodes in an arena, type variables in a union-find forest (`ena`).
//!
//! Each node remembers the span that created it, its *origin*, so that a mismatch can point at both sides. Each unsolved
//! variable has a *level*: the number of generic scopes around the code that created it. When a generic scope is
//! generalized, the unsolved variables of its own level become its type variables; those that were unified with something
//! outside have a smaller level and remain unsolved.
//!
//! ```text
//! func f($a) {          # level 1: $a: ?1
//!     g($a, $outer)     # unifies ?1 with the type ?0 of $outer, level 0: ?1 takes level 0 and is not generalized
//! }
//! ```
//!
//! No function here recurses: types may be nested as deeply as the program is long.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use ena::unify::{InPlaceUnificationTable, UnifyKey, UnifyValue};
use mcl_diagnostics::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ty(u32);
entity_impl!(Ty);

impl Ty {
    /// The type of an expression with an error that was reported; it is equal to every type.
    pub(crate) const ERROR: Ty = Ty(0);
}

/// A type variable of the solver (a unification variable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VarId(pub(crate) u32);

/// A type variable of a generic scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GenericVar(u32);
entity_impl!(GenericVar);

impl UnifyKey for VarId {
    type Value = VarState;

    fn index(&self) -> u32 {
        self.0
    }

    fn from_index(index: u32) -> VarId {
        VarId(index)
    }

    fn tag() -> &'static str {
        "VarId"
    }
}

/// The state of a type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarState {
    Unsolved {
        level: u32,
    },
    Solved(Ty),
    /// It was generalized.
    Generic(GenericVar),
}

impl UnifyValue for VarState {
    type Error = Infallible;

    fn unify_values(a: &VarState, b: &VarState) -> Result<VarState, Infallible> {
        Ok(match (a, b) {
            (VarState::Unsolved { level: a }, VarState::Unsolved { level: b }) => {
                VarState::Unsolved { level: (*a).min(*b) }
            }
            (VarState::Unsolved { .. }, known) | (known, _) => *known,
        })
    }
}

/// The fields of a struct, in order.
type Fields = Rc<[(Arc<str>, Ty)]>;

/// A type whose parts are nodes.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Error,
    Var(VarId),
    Bool,
    Str,
    Int,
    Float,
    List(Ty),
    Map(Ty, Ty),
    Struct(Fields),
    Func(Rc<[Ty]>, Ty),
}

impl Node {
    /// Returns whether both are the same type without parts.
    fn is_same_primitive(&self, other: &Node) -> bool {
        matches!(
            (self, other),
            (Node::Bool, Node::Bool) | (Node::Str, Node::Str) | (Node::Int, Node::Int) | (Node::Float, Node::Float)
        )
    }
}

/// Two types are not equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mismatch {
    pub(crate) expected: Ty,
    pub(crate) found: Ty,
    /// The innermost parts of `expected` and `found` that differ.
    pub(crate) expected_part: Ty,
    pub(crate) found_part: Ty,
    /// Whether a variable would have to contain itself (the occurs check failed).
    pub(crate) is_infinite: bool,
}

/// A node as it is stored: a program has several for each expression, so they are small.
#[derive(Clone, Copy, Debug)]
enum StoredNode {
    Error,
    Var(VarId),
    Bool,
    Str,
    Int,
    Float,
    List(Ty),
    Map(Ty, Ty),
    /// The position in [`Types::structs`].
    Struct(u32),
    /// The position in [`Types::functions`].
    Func(u32),
}

/// The fields of a struct with at most this many are compared one by one.
const MAX_UNINDEXED_FIELDS: usize = 16;

/// The arena and the forest.
pub(crate) struct Types {
    nodes: PrimaryMap<Ty, StoredNode>,
    structs: Vec<Fields>,
    /// The positions of the fields of large structs, by the position of the struct, for those that were looked into.
    field_positions: FxHashMap<u32, FxHashMap<Arc<str>, usize>>,
    functions: Vec<(Rc<[Ty]>, Ty)>,
    origins: PrimaryMap<Ty, Span>,
    /// Whether the node contained variables when it was created.
    has_vars: PrimaryMap<Ty, bool>,
    forest: InPlaceUnificationTable<VarId>,
    /// By [`VarId`]: the span to blame if the variable stays unsolved.
    var_origins: Vec<Span>,
    /// Variables that were solved or merged into another one, and whose obligations must be tried again.
    changed: Vec<VarId>,
}

/// Types with fewer parts are made equal without a record of the parts that are.
const MAX_UNRECORDED_STEPS: u32 = 64;

impl Types {
    /// Reserves memory for the nodes of some expressions; most have at most one of their own.
    pub(crate) fn with_capacity(exprs: usize) -> Types {
        let mut types = Types {
            nodes: PrimaryMap::with_capacity(exprs),
            structs: Vec::new(),
            field_positions: FxHashMap::default(),
            functions: Vec::new(),
            origins: PrimaryMap::with_capacity(exprs),
            has_vars: PrimaryMap::with_capacity(exprs),
            forest: InPlaceUnificationTable::new(),
            var_origins: Vec::new(),
            changed: Vec::new(),
        };
        // [`Ty::ERROR`]; its origin is never shown.
        types.add(Node::Error, Span::new(FileId::MAIN, 0, 0));
        types
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, ty: Ty) -> Node {
        match self.nodes[ty] {
            StoredNode::Error => Node::Error,
            StoredNode::Var(var) => Node::Var(var),
            StoredNode::Bool => Node::Bool,
            StoredNode::Str => Node::Str,
            StoredNode::Int => Node::Int,
            StoredNode::Float => Node::Float,
            StoredNode::List(element) => Node::List(element),
            StoredNode::Map(key, value) => Node::Map(key, value),
            StoredNode::Struct(i) => Node::Struct(Rc::clone(&self.structs[i as usize])),
            StoredNode::Func(i) => {
                let (params, result) = &self.functions[i as usize];
                Node::Func(Rc::clone(params), *result)
            }
        }
    }

    /// Returns the type of a field of a struct.
    pub(crate) fn field(&mut self, ty: Ty, name: &str) -> Option<Ty> {
        let StoredNode::Struct(position) = self.nodes[ty] else { return None };
        let fields = &self.structs[position as usize];
        if fields.len() <= MAX_UNINDEXED_FIELDS {
            return fields.iter().find(|(field, _)| **field == *name).map(|(_, ty)| *ty);
        }
        let positions = self.field_positions.entry(position).or_insert_with(|| {
            let mut positions = FxHashMap::default();
            for (position, (field, _)) in fields.iter().enumerate() {
                positions.entry(Arc::clone(field)).or_insert(position);
            }
            positions
        });
        positions.get(name).map(|position| fields[*position].1)
    }

    /// Returns the span that created a type.
    pub(crate) fn origin(&self, ty: Ty) -> Span {
        self.origins[ty]
    }

    /// Returns whether a type contained variables when it was created.
    fn has_vars(&self, ty: Ty) -> bool {
        self.has_vars[ty]
    }

    pub(crate) fn add(&mut self, node: Node, origin: Span) -> Ty {
        let has_vars = match &node {
            Node::Error | Node::Bool | Node::Str | Node::Int | Node::Float => false,
            Node::Var(_) => true,
            Node::List(element) => self.has_vars(*element),
            Node::Map(key, value) => self.has_vars(*key) || self.has_vars(*value),
            Node::Struct(fields) => fields.iter().any(|(_, ty)| self.has_vars(*ty)),
            Node::Func(args, result) => self.has_vars(*result) || args.iter().any(|ty| self.has_vars(*ty)),
        };
        self.origins.push(origin);
        self.has_vars.push(has_vars);
        let stored = match node {
            Node::Error => StoredNode::Error,
            Node::Var(var) => StoredNode::Var(var),
            Node::Bool => StoredNode::Bool,
            Node::Str => StoredNode::Str,
            Node::Int => StoredNode::Int,
            Node::Float => StoredNode::Float,
            Node::List(element) => StoredNode::List(element),
            Node::Map(key, value) => StoredNode::Map(key, value),
            Node::Struct(fields) => {
                self.structs.push(fields);
                StoredNode::Struct(self.structs.len() as u32 - 1)
            }
            Node::Func(params, result) => {
                self.functions.push((params, result));
                StoredNode::Func(self.functions.len() as u32 - 1)
            }
        };
        self.nodes.push(stored)
    }

    /// Adds an unsolved variable.
    pub(crate) fn fresh_var(&mut self, level: u32, origin: Span) -> Ty {
        let var = self.forest.new_key(VarState::Unsolved { level });
        self.var_origins.push(origin);
        self.add(Node::Var(var), origin)
    }

    /// Returns the number of variables created so far.
    pub(crate) fn var_count(&self) -> u32 {
        self.var_origins.len() as u32
    }

    /// Returns the span to blame if a variable stays unsolved.
    pub(crate) fn var_origin(&self, var: VarId) -> Span {
        self.var_origins[var.0 as usize]
    }

    /// Sets the span to blame if a variable stays unsolved.
    pub(crate) fn set_var_origin(&mut self, var: VarId, span: Span) {
        self.var_origins[var.0 as usize] = span;
    }

    /// Returns the representative of a variable.
    pub(crate) fn root(&mut self, var: VarId) -> VarId {
        self.forest.find(var)
    }

    pub(crate) fn state(&mut self, var: VarId) -> VarState {
        self.forest.probe_value(var)
    }

    /// Takes one of the variables that changed since they were last asked for, the latest first.
    pub(crate) fn pop_changed(&mut self) -> Option<VarId> {
        self.changed.pop()
    }

    /// Follows solved variables to the type they stand for. Its parts may be solved variables again.
    pub(crate) fn resolve(&mut self, mut ty: Ty) -> Ty {
        while let StoredNode::Var(var) = self.nodes[ty] {
            match self.forest.probe_value(var) {
                VarState::Solved(inner) => ty = inner,
                VarState::Unsolved { .. } | VarState::Generic(_) => break,
            }
        }
        ty
    }

    /// Returns whether a type is known to be this one, which has no parts.
    pub(crate) fn is_known(&mut self, ty: Ty, primitive: &Node) -> bool {
        let ty = self.resolve(ty);
        self.node(ty).is_same_primitive(primitive)
    }

    /// Returns the representative of the unsolved variable that a type is, if it is one.
    pub(crate) fn unsolved_var(&mut self, ty: Ty) -> Option<VarId> {
        let ty = self.resolve(ty);
        match self.nodes[ty] {
            StoredNode::Var(var) => match self.forest.probe_value(var) {
                VarState::Unsolved { .. } => Some(self.forest.find(var)),
                VarState::Solved(_) | VarState::Generic(_) => None,
            },
            _ => None,
        }
    }

    /// Turns an unsolved variable into a variable of a generic scope.
    pub(crate) fn generalize(&mut self, var: VarId, generic: GenericVar) {
        // `unify_values` lets any other state win over `Unsolved`.
        let Ok(()) = self.forest.unify_var_value(var, VarState::Generic(generic));
    }

    fn bind(&mut self, var: VarId, ty: Ty) {
        let root = self.forest.find(var);
        let Ok(()) = self.forest.unify_var_value(root, VarState::Solved(ty));
        self.changed.push(root);
    }

    /// Makes two types equal. After a mismatch, the variables of both are poisoned, so that nothing that depends on them is
    /// reported as well.
    ///
    /// # Errors
    /// The first parts that differ.
    pub(crate) fn unify(&mut self, expected: Ty, found: Ty) -> Result<(), Mismatch> {
        let (a, b) = (self.resolve(expected), self.resolve(found));
        if a == b || self.node(a).is_same_primitive(&self.node(b)) {
            return Ok(());
        }
        let mut work: SmallVec<[(Ty, Ty); 8]> = smallvec![(expected, found)];
        let mut steps = 0;
        let mut seen = FxHashSet::default();
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.resolve(a), self.resolve(b));
            if a == b {
                continue;
            }
            steps += 1;
            // Types share their parts: two large ones may meet at the same parts exponentially often.
            if steps > MAX_UNRECORDED_STEPS && !seen.insert((a, b)) {
                continue;
            }
            let mismatch = Mismatch { expected, found, expected_part: a, found_part: b, is_infinite: false };
            let infinite = Mismatch { is_infinite: true, ..mismatch };
            let result = match (self.node(a), self.node(b)) {
                (Node::Error, _) => {
                    self.poison(b);
                    Ok(())
                }
                (_, Node::Error) => {
                    self.poison(a);
                    Ok(())
                }
                (Node::Var(x), Node::Var(y)) => {
                    self.merge(x, y);
                    Ok(())
                }
                (Node::Var(x), _) => self.solve_var(x, b).ok_or(infinite),
                (_, Node::Var(y)) => self.solve_var(y, a).ok_or(infinite),
                (a, b) if a.is_same_primitive(&b) => Ok(()),
                (Node::List(a), Node::List(b)) => {
                    work.push((a, b));
                    Ok(())
                }
                (Node::Map(a, x), Node::Map(b, y)) => {
                    work.extend([(x, y), (a, b)]);
                    Ok(())
                }
                (Node::Struct(xs), Node::Struct(ys))
                    if xs.len() == ys.len() && xs.iter().zip(&*ys).all(|(x, y)| x.0 == y.0) =>
                {
                    work.extend(xs.iter().zip(&*ys).rev().map(|(x, y)| (x.1, y.1)));
                    Ok(())
                }
                (Node::Func(xs, x), Node::Func(ys, y)) if xs.len() == ys.len() => {
                    work.push((x, y));
                    work.extend(xs.iter().zip(&*ys).rev().map(|(x, y)| (*x, *y)));
                    Ok(())
                }
                _ => Err(mismatch),
            };
            if let Err(mismatch) = result {
                self.poison(expected);
                self.poison(found);
                return Err(mismatch);
            }
        }
        Ok(())
    }

    /// Solves a variable; `None` if the type contains the variable.
    fn solve_var(&mut self, var: VarId, ty: Ty) -> Option<()> {
        (!self.occurs(var, ty)).then(|| self.bind(var, ty))
    }

    fn merge(&mut self, x: VarId, y: VarId) {
        let (x, y) = (self.forest.find(x), self.forest.find(y));
        if x != y {
            let Ok(()) = self.forest.unify_var_var(x, y);
            let root = self.forest.find(x);
            // The older variable is the one to blame.
            self.var_origins[root.0 as usize] = self.var_origins[x.0.min(y.0) as usize];
            self.changed.push(if root == x { y } else { x });
        }
    }

    /// Calls `visit` with each variable of a type, in no particular order, until it breaks. Shared parts are visited once.
    fn visit_vars<B>(&mut self, ty: Ty, mut visit: impl FnMut(&mut Types, VarId) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut seen = FxHashSet::default();
        let mut work: SmallVec<[Ty; 8]> = smallvec![ty];
        while let Some(ty) = work.pop() {
            if !self.has_vars(ty) {
                continue;
            }
            let ty = self.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            match self.node(ty) {
                Node::Var(var) => visit(self, var)?,
                node => parts(&node, |part| work.push(part)),
            }
        }
        ControlFlow::Continue(())
    }

    /// Solves every unsolved variable of a type with the error type, so that nothing more is reported about them.
    pub(crate) fn poison(&mut self, ty: Ty) {
        let _ = self.visit_vars::<Infallible>(ty, |types, var| {
            if let VarState::Unsolved { .. } = types.forest.probe_value(var) {
                types.bind(var, Ty::ERROR);
            }
            ControlFlow::Continue(())
        });
    }

    /// Returns whether a variable occurs in a type; if not, the variables of the type are lowered to its level.
    fn occurs(&mut self, var: VarId, ty: Ty) -> bool {
        if !self.has_vars(ty) {
            return false;
        }
        let root = self.forest.find(var);
        let VarState::Unsolved { level } = self.forest.probe_value(root) else { return false };
        let visited = self.visit_vars(ty, |types, inner| {
            let inner = types.forest.find(inner);
            if inner == root {
                return ControlFlow::Break(());
            }
            if let VarState::Unsolved { level: inner_level } = types.forest.probe_value(inner)
                && inner_level > level
            {
                let Ok(()) = types.forest.unify_var_value(inner, VarState::Unsolved { level });
            }
            ControlFlow::Continue(())
        });
        visited.is_break()
    }

    /// Lowers the variables of a type to a level; those with a smaller level keep it.
    pub(crate) fn lower_levels(&mut self, ty: Ty, level: u32) {
        for var in self.unsolved_vars(ty) {
            let Ok(()) = self.forest.unify_var_value(var, VarState::Unsolved { level });
        }
    }

    /// Returns the representatives of the unsolved variables of a type, each once.
    pub(crate) fn unsolved_vars(&mut self, ty: Ty) -> SmallVec<[VarId; 2]> {
        let mut found = SmallVec::new();
        let ty = self.resolve(ty);
        if let StoredNode::Var(_) = self.nodes[ty] {
            found.extend(self.unsolved_var(ty));
            return found;
        }
        let _ = self.visit_vars::<Infallible>(ty, |types, var| {
            if let VarState::Unsolved { .. } = types.forest.probe_value(var) {
                let root = types.forest.find(var);
                if !found.contains(&root) {
                    found.push(root);
                }
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Returns a type with its variables replaced. `replace` gets the type of the variable, the variable and its state, and
    /// returns the replacement, or `None` to keep the variable. Shared parts stay shared: `done` remembers them between
    /// calls.
    pub(crate) fn substitute(
        &mut self,
        ty: Ty,
        replace: &mut dyn FnMut(&mut Types, Ty, VarId, VarState) -> Option<Ty>,
        done: &mut FxHashMap<Ty, Ty>,
    ) -> Ty {
        if !self.has_vars(ty) {
            return ty;
        }
        let ty = self.resolve(ty);
        if !self.has_vars(ty) {
            return ty;
        }
        let mut work: SmallVec<[(Ty, bool); 8]> = smallvec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if done.contains_key(&ty) {
                continue;
            }
            let node = self.node(ty);
            if let Node::Var(var) = node {
                let state = self.forest.probe_value(var);
                let new = replace(self, ty, var, state).unwrap_or(ty);
                done.insert(ty, new);
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                parts(&node, |part| {
                    let part = self.resolve(part);
                    if self.has_vars(part) {
                        work.push((part, false));
                    }
                });
                continue;
            }
            let mut changed = false;
            let mut part = |types: &mut Types, old: Ty| {
                let old = types.resolve(old);
                let new = done.get(&old).copied().unwrap_or(old);
                changed |= new != old;
                new
            };
            let new = match node {
                Node::List(element) => Node::List(part(self, element)),
                Node::Map(key, value) => {
                    let key = part(self, key);
                    Node::Map(key, part(self, value))
                }
                Node::Struct(fields) => {
                    Node::Struct(fields.iter().map(|(name, ty)| (Arc::clone(name), part(self, *ty))).collect())
                }
                Node::Func(args, result) => {
                    let args = args.iter().map(|ty| part(self, *ty)).collect();
                    Node::Func(args, part(self, result))
                }
                node => node,
            };
            let origin = self.origin(ty);
            let new = if changed { self.add(new, origin) } else { ty };
            done.insert(ty, new);
        }
        let ty = self.resolve(ty);
        done.get(&ty).copied().unwrap_or(ty)
    }
}

/// Calls `visit` for each direct part of a type.
pub(crate) fn parts(node: &Node, mut visit: impl FnMut(Ty)) {
    match node {
        Node::Error | Node::Var(_) | Node::Bool | Node::Str | Node::Int | Node::Float => {}
        Node::List(element) => visit(*element),
        Node::Map(key, value) => {
            visit(*key);
            visit(*value);
        }
        Node::Struct(fields) => fields.iter().for_each(|(_, ty)| visit(*ty)),
        Node::Func(args, result) => {
            args.iter().copied().for_each(&mut visit);
            visit(*result);
        }
    }
}
