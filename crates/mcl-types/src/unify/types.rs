//! Types while they are being solved: nodes in an arena, unknowns in a union-find forest (`ena`).
//!
//! A node is created by a place in the program, its *origin*; when two nodes clash, both places are shown. Each unknown has
//! a level: the number of generic scopes around the code that made it. When a generic scope is closed, unknowns of its own
//! level become its type variables; those that got connected to something outside have a smaller level and stay unknown.
//!
//! Nothing here recurses: types may be as deep as the program is long.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;

use ena::unify::{InPlaceUnificationTable, UnifyKey, UnifyValue};
use mcl_diagnostics::Span;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ty(u32);

impl Ty {
    /// Not typed (yet).
    pub(super) const NONE: Ty = Ty(0);
    /// The type of what was reported as wrong; fits everywhere.
    pub(super) const ERROR: Ty = Ty(1);

    /// As an index of a table of all nodes.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Unknown(pub(super) u32);

impl UnifyKey for Unknown {
    type Value = State;

    fn index(&self) -> u32 {
        self.0
    }

    fn from_index(index: u32) -> Unknown {
        Unknown(index)
    }

    fn tag() -> &'static str {
        "Unknown"
    }
}

/// What is known of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing yet.
    Open { level: u32 },
    /// It is this type.
    Bound(Ty),
    /// It became a variable of a generic scope.
    Generic(u32),
}

impl UnifyValue for State {
    type Error = Infallible;

    fn unify_values(a: &State, b: &State) -> Result<State, Infallible> {
        Ok(match (a, b) {
            (State::Open { level: a }, State::Open { level: b }) => State::Open { level: (*a).min(*b) },
            (State::Open { .. }, known) | (known, _) => *known,
        })
    }
}

/// A type whose parts are nodes.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Error,
    Unknown(Unknown),
    Bool,
    Str,
    Int,
    Float,
    List(Ty),
    Map(Ty, Ty),
    Struct(Rc<[(Arc<str>, Ty)]>),
    Func(Rc<[Ty]>, Ty),
}

/// Why two types are not equal. The nodes are the innermost ones that clash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    pub(super) expected: Ty,
    pub(super) found: Ty,
    /// An unknown would have to contain itself.
    pub(super) infinite: bool,
}

/// What the solver did to an unknown, for those who wait for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// It became a type.
    Bound(Unknown),
    /// It became the same as another one.
    Merged(Unknown),
}

/// The arena and the forest.
pub(super) struct Types {
    nodes: Vec<Node>,
    origins: Vec<Span>,
    /// Whether the node had unknowns when it was made.
    open: Vec<bool>,
    forest: InPlaceUnificationTable<Unknown>,
    /// The place that made each unknown.
    made_at: Vec<Span>,
    /// What happened since it was last asked for.
    pub(super) changes: Vec<Change>,
}

impl Types {
    pub(super) fn new(nowhere: Span) -> Types {
        Types {
            nodes: vec![Node::Error, Node::Error],
            origins: vec![nowhere; 2],
            open: vec![false; 2],
            forest: InPlaceUnificationTable::new(),
            made_at: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, ty: Ty) -> &Node {
        &self.nodes[ty.0 as usize]
    }

    pub(super) fn origin(&self, ty: Ty) -> Span {
        self.origins[ty.0 as usize]
    }

    fn is_open(&self, ty: Ty) -> bool {
        self.open[ty.0 as usize]
    }

    pub(super) fn add(&mut self, node: Node, origin: Span) -> Ty {
        let open = match &node {
            Node::Error | Node::Bool | Node::Str | Node::Int | Node::Float => false,
            Node::Unknown(_) => true,
            Node::List(element) => self.is_open(*element),
            Node::Map(key, value) => self.is_open(*key) || self.is_open(*value),
            Node::Struct(fields) => fields.iter().any(|(_, ty)| self.is_open(*ty)),
            Node::Func(args, result) => self.is_open(*result) || args.iter().any(|ty| self.is_open(*ty)),
        };
        let ty = Ty(u32::try_from(self.nodes.len()).expect("fewer than 2^32 types"));
        self.nodes.push(node);
        self.origins.push(origin);
        self.open.push(open);
        ty
    }

    pub(super) fn unknown(&mut self, level: u32, origin: Span) -> Ty {
        let unknown = self.forest.new_key(State::Open { level });
        self.made_at.push(origin);
        self.add(Node::Unknown(unknown), origin)
    }

    /// The number of unknowns made so far.
    pub(super) fn unknowns(&self) -> u32 {
        self.made_at.len() as u32
    }

    pub(super) fn made_at(&self, unknown: Unknown) -> Span {
        self.made_at[unknown.0 as usize]
    }

    pub(super) fn root(&mut self, unknown: Unknown) -> Unknown {
        self.forest.find(unknown)
    }

    pub(super) fn state(&mut self, unknown: Unknown) -> State {
        self.forest.probe_value(unknown)
    }

    /// The type behind bound unknowns.
    pub(super) fn resolve(&mut self, mut ty: Ty) -> Ty {
        while let Node::Unknown(unknown) = self.node(ty) {
            match self.forest.probe_value(*unknown) {
                State::Bound(inner) => ty = inner,
                State::Open { .. } | State::Generic(_) => break,
            }
        }
        ty
    }

    /// The root of an open unknown.
    pub(super) fn open_unknown(&mut self, ty: Ty) -> Option<Unknown> {
        let ty = self.resolve(ty);
        match self.nodes[ty.0 as usize] {
            Node::Unknown(unknown) => match self.forest.probe_value(unknown) {
                State::Open { .. } => Some(self.forest.find(unknown)),
                State::Bound(_) | State::Generic(_) => None,
            },
            _ => None,
        }
    }

    /// Turns an open unknown into a variable of a generic scope.
    pub(super) fn generalize(&mut self, unknown: Unknown, variable: u32) {
        // `unify_values` lets whatever is known win over `Open`.
        let Ok(()) = self.forest.unify_var_value(unknown, State::Generic(variable));
    }

    fn bind(&mut self, unknown: Unknown, ty: Ty) {
        let root = self.forest.find(unknown);
        let Ok(()) = self.forest.unify_var_value(root, State::Bound(ty));
        self.changes.push(Change::Bound(root));
    }

    /// Makes two types equal, as far as they can be.
    pub(super) fn unify(&mut self, expected: Ty, found: Ty) -> Result<(), Clash> {
        let mut work = vec![(expected, found)];
        let mut result = Ok(());
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.resolve(a), self.resolve(b));
            if a == b {
                continue;
            }
            let clash = Clash { expected: a, found: b, infinite: false };
            match (self.node(a).clone(), self.node(b).clone()) {
                (Node::Error, _) => self.taint(b),
                (_, Node::Error) => self.taint(a),
                (Node::Unknown(x), Node::Unknown(y)) => self.merge(x, y),
                (Node::Unknown(x), _) => {
                    if !self.occurs(x, b) {
                        self.bind(x, b);
                    } else {
                        result = Err(Clash { infinite: true, ..clash });
                    }
                }
                (_, Node::Unknown(y)) => {
                    if !self.occurs(y, a) {
                        self.bind(y, a);
                    } else {
                        result = Err(Clash { infinite: true, ..clash });
                    }
                }
                (Node::Bool, Node::Bool)
                | (Node::Str, Node::Str)
                | (Node::Int, Node::Int)
                | (Node::Float, Node::Float) => {}
                (Node::List(a), Node::List(b)) => work.push((a, b)),
                (Node::Map(a, x), Node::Map(b, y)) => work.extend([(x, y), (a, b)]),
                (Node::Struct(xs), Node::Struct(ys))
                    if xs.len() == ys.len() && xs.iter().zip(&*ys).all(|(x, y)| x.0 == y.0) =>
                {
                    work.extend(xs.iter().zip(&*ys).rev().map(|(x, y)| (x.1, y.1)));
                }
                (Node::Func(xs, x), Node::Func(ys, y)) if xs.len() == ys.len() => {
                    work.push((x, y));
                    work.extend(xs.iter().zip(&*ys).rev().map(|(x, y)| (*x, *y)));
                }
                _ => result = Err(clash),
            }
            if result.is_err() {
                break;
            }
        }
        if result.is_err() {
            // What depends on either side is not to be reported on top.
            self.taint(expected);
            self.taint(found);
        }
        result
    }

    fn merge(&mut self, x: Unknown, y: Unknown) {
        let (x, y) = (self.forest.find(x), self.forest.find(y));
        if x != y {
            let Ok(()) = self.forest.unify_var_var(x, y);
            let root = self.forest.find(x);
            // The older place is the one to blame.
            self.made_at[root.0 as usize] = self.made_at[x.0.min(y.0) as usize];
            self.changes.push(Change::Merged(if root == x { y } else { x }));
        }
    }

    /// Gives every unknown of a type the error type.
    pub(super) fn taint(&mut self, ty: Ty) {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !self.is_open(ty) {
                continue;
            }
            let ty = self.resolve(ty);
            match self.node(ty).clone() {
                Node::Unknown(unknown) => {
                    if let State::Open { .. } = self.forest.probe_value(unknown) {
                        self.bind(unknown, Ty::ERROR);
                    }
                }
                node => parts(&node, |part| work.push(part)),
            }
        }
    }

    /// Whether an unknown occurs in a type; if not, everything in the type moves to the unknown's level.
    fn occurs(&mut self, unknown: Unknown, ty: Ty) -> bool {
        if !self.is_open(ty) {
            return false;
        }
        let root = self.forest.find(unknown);
        let State::Open { level } = self.forest.probe_value(root) else { return false };
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !self.is_open(ty) {
                continue;
            }
            let ty = self.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            match self.node(ty).clone() {
                Node::Unknown(inner) => {
                    let inner = self.forest.find(inner);
                    if inner == root {
                        return true;
                    }
                    if let State::Open { level: its } = self.forest.probe_value(inner)
                        && its > level
                    {
                        let Ok(()) = self.forest.unify_var_value(inner, State::Open { level });
                    }
                }
                node => parts(&node, |part| work.push(part)),
            }
        }
        false
    }

    /// Moves every unknown of a type to a level, unless it lies further out.
    pub(super) fn lower(&mut self, ty: Ty, level: u32) {
        for unknown in self.open_unknowns(ty) {
            let Ok(()) = self.forest.unify_var_value(unknown, State::Open { level });
        }
    }

    /// Sets the place to blame if an unknown stays unknown.
    pub(super) fn set_made_at(&mut self, unknown: Unknown, span: Span) {
        self.made_at[unknown.0 as usize] = span;
    }

    /// The open unknowns of a type, each once.
    pub(super) fn open_unknowns(&mut self, ty: Ty) -> Vec<Unknown> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if !self.is_open(ty) {
                continue;
            }
            let ty = self.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            match self.node(ty).clone() {
                Node::Unknown(unknown) => {
                    if let State::Open { .. } = self.forest.probe_value(unknown) {
                        let root = self.forest.find(unknown);
                        if !found.contains(&root) {
                            found.push(root);
                        }
                    }
                }
                node => parts(&node, |part| work.push(part)),
            }
        }
        found
    }

    /// A copy with unknowns and variables replaced; `lookup` gets the node, its unknown and state, and says by what; `None`
    /// leaves it as it is. Parts that are shared stay shared: `done` remembers them between calls.
    pub(super) fn copy(
        &mut self,
        ty: Ty,
        lookup: &mut dyn FnMut(&mut Types, Ty, Unknown, State) -> Option<Ty>,
        done: &mut rustc_hash::FxHashMap<Ty, Ty>,
    ) -> Ty {
        if !self.is_open(ty) {
            return ty;
        }
        let mut work = vec![(self.resolve(ty), false)];
        while let Some((ty, parts_done)) = work.pop() {
            if done.contains_key(&ty) {
                continue;
            }
            if !self.is_open(ty) {
                done.insert(ty, ty);
                continue;
            }
            let node = self.node(ty).clone();
            if let Node::Unknown(unknown) = node {
                let state = self.forest.probe_value(unknown);
                let new = lookup(self, ty, unknown, state).unwrap_or(ty);
                done.insert(ty, new);
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                let mut inner = Vec::new();
                parts(&node, |part| inner.push(part));
                for part in inner {
                    let part = self.resolve(part);
                    work.push((part, false));
                }
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
pub(super) fn parts(node: &Node, mut visit: impl FnMut(Ty)) {
    match node {
        Node::Error | Node::Unknown(_) | Node::Bool | Node::Str | Node::Int | Node::Float => {}
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
