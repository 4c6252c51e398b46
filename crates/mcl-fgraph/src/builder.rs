//! Templates under construction.
//!
//! Builders form a tree like the templates they become: a branch, loop body or function body is built inside the builder
//! around it. A value that belongs to an outer builder enters an inner one as a capture, one level at a time
//! ([`Builders::lift`]). When a builder is finished, unused nodes are dropped, then unused captures.

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, entity_impl};
use mcl_artifact::program::{
    CaptureIdx, Closure, ConstId, Node, NodeIdx, Op, Operand, ParamIdx, Statement, StatementIdx, StrId, Template,
};
use mcl_diagnostics::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::marks::Marks;
use crate::visit::{self, Use};

/// Tables of at most this many entries keep the capacity that they have.
const SMALL_LEN: usize = 4;

/// Identifies a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BuilderId(u32);
entity_impl!(BuilderId);

/// A template under construction.
#[derive(Default)]
pub(crate) struct Builder {
    parent: Option<BuilderId>,
    params: u32,
    /// Operands of the parent.
    captures: PrimaryMap<CaptureIdx, Operand>,
    capture_index: FxHashMap<Operand, CaptureIdx>,
    pub(crate) nodes: PrimaryMap<NodeIdx, Node>,
    /// The nodes that always fail, in a way that `<|>` catches.
    failing: EntitySet<NodeIdx>,
    pub(crate) statements: PrimaryMap<StatementIdx, Statement>,
    /// Parameters that must stay alive even if nothing reads them.
    keep: Vec<Operand>,
}

/// A finished template and what it captures from the builder around it.
pub(crate) struct Finished {
    pub(crate) template: Template,
    pub(crate) captures: PrimaryMap<CaptureIdx, Operand>,
}

/// All builders.
#[derive(Default)]
pub(crate) struct Builders {
    /// `None` for a finished one.
    builders: PrimaryMap<BuilderId, Option<Box<Builder>>>,
}

impl Builders {
    /// Adds a builder inside another.
    pub(crate) fn open(&mut self, parent: Option<BuilderId>, params: usize) -> BuilderId {
        let params = u32::try_from(params).expect("fewer than 2^32 parameters fit into a file");
        self.builders.push(Some(Box::new(Builder { parent, params, ..Builder::default() })))
    }

    /// Returns a builder that is not finished.
    pub(crate) fn get(&mut self, id: BuilderId) -> &mut Builder {
        self.builders[id].as_mut().expect("only open templates change")
    }

    fn at(&self, id: BuilderId) -> &Builder {
        self.builders[id].as_ref().expect("only open templates are inspected")
    }

    /// Adds a node.
    pub(crate) fn push(&mut self, id: BuilderId, op: Op, span: Option<Span>) -> Operand {
        Operand::Node(self.get(id).nodes.push(Node { op, span }))
    }

    /// Removes a node and all that were added after it.
    pub(crate) fn truncate(&mut self, id: BuilderId, first: NodeIdx) {
        let builder = self.get(id);
        while builder.failing.keys().next_back().is_some_and(|last| last >= first) {
            builder.failing.pop();
        }
        truncate(&mut builder.nodes, first);
    }

    /// Records that a node of this builder always fails, in a way that `<|>` catches.
    pub(crate) fn mark_failing(&mut self, id: BuilderId, operand: Operand) {
        if let Operand::Node(n) = operand {
            self.get(id).failing.insert(n);
        }
    }

    /// Returns whether a value is known to fail, in a way that `<|>` catches.
    pub(crate) fn always_fails(&self, id: BuilderId, operand: Operand) -> bool {
        self.origin(id, operand).is_some_and(|(at, n)| self.at(at).failing.contains(n))
    }

    /// Translates an operand of builder `from` to one of `to`, which is the same builder or one inside it.
    pub(crate) fn lift(&mut self, operand: Operand, from: BuilderId, to: BuilderId) -> Operand {
        if from == to || matches!(operand, Operand::Const(_)) {
            return operand;
        }
        // Find the builders in between from the inside out, then capture from the outside in.
        let mut path = vec![];
        let mut at = to;
        while at != from {
            path.push(at);
            let Some(parent) = self.at(at).parent else {
                unreachable!("a value is used only in its own template or in one inside it")
            };
            at = parent;
        }
        path.into_iter().rev().fold(operand, |operand, id| self.capture(id, operand))
    }

    fn capture(&mut self, id: BuilderId, outer: Operand) -> Operand {
        if matches!(outer, Operand::Const(_)) {
            return outer;
        }
        let builder = self.get(id);
        let next = builder.captures.next_key();
        let i = *builder.capture_index.entry(outer).or_insert(next);
        if i == next {
            builder.captures.push(outer);
        }
        Operand::Capture(i)
    }

    /// Returns the function that an operand is known to be, in terms of the builder `id`.
    pub(crate) fn known_closure(&mut self, id: BuilderId, operand: Operand) -> Option<Closure> {
        let (at, node) = self.origin(id, operand)?;
        let Op::Func { closure, ty: _ } = &self.at(at).nodes[node].op else { return None };
        let template = closure.template;
        let captures = closure.captures.clone();
        let captures = captures.into_iter().map(|(_, capture)| self.lift(capture, at, id)).collect();
        Some(Closure { template, captures })
    }

    /// Returns whether a value can neither fail nor change by itself, so that not computing it has no effect.
    pub(crate) fn is_inert(&self, id: BuilderId, operand: Operand) -> bool {
        let mut work = vec![operand];
        let mut seen = FxHashSet::default();
        while let Some(operand) = work.pop() {
            match operand {
                Operand::Const(_) => {}
                Operand::Node(n) if !seen.insert(n) => {}
                Operand::Param(_) | Operand::Capture(_) => return false,
                Operand::Node(n) => match &self.at(id).nodes[n].op {
                    Op::List(parts) | Op::Struct(_, parts) => work.extend(parts),
                    Op::Map(pairs) => work.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                    Op::Func { .. } => {}
                    Op::Builtin { .. } | Op::Call { .. } | Op::CallKnown { .. } | Op::If { .. } | Op::Except { .. } => {
                        return false;
                    }
                },
            }
        }
        true
    }

    /// Returns the node that an operand refers to, through captures.
    fn origin(&self, mut id: BuilderId, mut operand: Operand) -> Option<(BuilderId, NodeIdx)> {
        loop {
            match operand {
                Operand::Node(n) => return Some((id, n)),
                Operand::Capture(i) => {
                    operand = self.at(id).captures[i];
                    id = self.at(id).parent?;
                }
                Operand::Const(_) | Operand::Param(_) => return None,
            }
        }
    }

    /// Keeps the parameters of a template alive that the root does not use, or only inside closures.
    pub(crate) fn keep_unused_params(&mut self, id: BuilderId, root: Operand) {
        let builder = self.builders[id].as_mut().expect("a template is finished only once");
        builder.keep_unused_params(root);
    }

    pub(crate) fn finish(&mut self, id: BuilderId, root: Option<Operand>, label: Option<StrId>) -> Finished {
        let builder = self.builders[id].take().expect("a template is finished only once");
        builder.finish(root, label)
    }
}

impl Builder {
    fn finish(mut self, mut root: Option<Operand>, label: Option<StrId>) -> Finished {
        self.drop_dead_nodes(&mut root);
        let captures = self.drop_unused_captures(&mut root);
        // To shrink a small table is to copy it to save a few words.
        if self.nodes.len() > SMALL_LEN {
            self.nodes.shrink_to_fit();
        }
        if self.statements.len() > SMALL_LEN {
            self.statements.shrink_to_fit();
        }
        let template = Template {
            label,
            params: self.params,
            captures: u32::try_from(captures.len()).expect("no more than before"),
            nodes: self.nodes,
            root,
            keep: self.keep,
            statements: self.statements,
        };
        Finished { template, captures }
    }

    fn keep_unused_params(&mut self, root: Operand) {
        let mut strict = Needed::of(self);
        strict.mark(Some(root));
        for (id, node) in self.nodes.iter_mut().rev() {
            if strict.nodes.is_used(id) {
                visit::op(&mut node.op, &mut |how, operand| {
                    if how == Use::Direct {
                        strict.mark(Some(*operand));
                    }
                });
            }
        }
        self.keep.extend(
            (0..self.params).map(|n| Operand::Param(ParamIdx::from_u32(n))).filter(|param| !strict.has(*param)),
        );
    }

    fn drop_dead_nodes(&mut self, root: &mut Option<Operand>) {
        let mut needed = Needed::of(self);
        needed.mark(*root);
        self.keep.iter().for_each(|operand| needed.mark(Some(*operand)));
        for statement in self.statements.values_mut() {
            visit::statement(statement, &mut |_, operand| needed.mark(Some(*operand)));
        }
        // Operands come before their users, so one pass from the end sees each node after all its users.
        for (id, node) in self.nodes.iter_mut().rev() {
            if needed.nodes.is_used(id) {
                visit::op(&mut node.op, &mut |_, operand| needed.mark(Some(*operand)));
            }
        }
        if needed.nodes.are_complete() {
            return;
        }
        needed.nodes.number();
        needed.nodes.retain(&mut self.nodes);
        self.rewrite(root, &mut |operand| {
            if let Operand::Node(id) = operand {
                *id = needed.nodes.new_id(*id);
            }
        });
    }

    /// Drops captures that no operand refers to, and returns the others.
    fn drop_unused_captures(&mut self, root: &mut Option<Operand>) -> PrimaryMap<CaptureIdx, Operand> {
        if self.captures.is_empty() {
            return PrimaryMap::new();
        }
        let mut used = Marks::new(self.captures.len());
        self.rewrite(root, &mut |operand| {
            if let Operand::Capture(id) = operand {
                used.mark(*id);
            }
        });
        used.number();
        let mut captures = std::mem::take(&mut self.captures);
        used.retain(&mut captures);
        self.rewrite(root, &mut |operand| {
            if let Operand::Capture(id) = operand {
                *id = used.new_id(*id);
            }
        });
        captures
    }

    /// Visits every operand of the template.
    fn rewrite(&mut self, root: &mut Option<Operand>, f: &mut dyn FnMut(&mut Operand)) {
        root.iter_mut().for_each(&mut *f);
        self.keep.iter_mut().for_each(&mut *f);
        for node in self.nodes.values_mut() {
            visit::op(&mut node.op, &mut |_, operand| f(operand));
        }
        for statement in self.statements.values_mut() {
            visit::statement(statement, &mut |_, operand| f(operand));
        }
    }
}

/// Which nodes, parameters and captures are needed.
struct Needed {
    nodes: Marks<NodeIdx>,
    params: Marks<ParamIdx>,
    captures: Marks<CaptureIdx>,
}

impl Needed {
    fn of(builder: &Builder) -> Needed {
        Needed {
            nodes: Marks::new(builder.nodes.len()),
            params: Marks::new(builder.params as usize),
            captures: Marks::new(builder.captures.len()),
        }
    }

    fn mark(&mut self, operand: Option<Operand>) {
        match operand {
            None | Some(Operand::Const(_)) => {}
            Some(Operand::Node(id)) => self.nodes.mark(id),
            Some(Operand::Param(id)) => self.params.mark(id),
            Some(Operand::Capture(id)) => self.captures.mark(id),
        }
    }

    fn has(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Node(id) => self.nodes.is_used(id),
            Operand::Param(id) => self.params.is_used(id),
            Operand::Capture(id) => self.captures.is_used(id),
        }
    }
}

/// Removes an entry of a table and all after it.
fn truncate<K: EntityRef, V>(table: &mut PrimaryMap<K, V>, first: K) {
    let mut entries = Vec::from(std::mem::take(table));
    entries.truncate(first.index());
    *table = entries.into();
}

/// Returns the constant that an operand is, if it is one.
pub(crate) fn as_const(operand: Operand) -> Option<ConstId> {
    match operand {
        Operand::Const(id) => Some(id),
        Operand::Node(_) | Operand::Param(_) | Operand::Capture(_) => None,
    }
}

/// Returns the constants that the operands are, if all are constants.
pub(crate) fn as_consts(operands: &[Operand]) -> Option<SmallVec<[ConstId; 4]>> {
    operands.iter().map(|operand| as_const(*operand)).collect()
}
