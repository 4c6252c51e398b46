//! Templates under construction.
//!
//! Builders form a tree like the templates they become: a branch, loop body or function body is built inside the builder
//! around it. A value that belongs to an outer builder enters an inner one as a capture, one level at a time
//! ([`Builders::lift`]). When a builder is finished, unused nodes are dropped, then unused captures.

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_artifact::program::{Closure, ConstId, Node, Op, Operand, Statement, StrId, Template};
use mcl_diagnostics::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::visit::{self, Use};

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
    captures: Vec<Operand>,
    capture_index: FxHashMap<Operand, u32>,
    pub(crate) nodes: Vec<Node>,
    /// Whether a node always fails, in a way that `<|>` catches; by node.
    failing: Vec<bool>,
    pub(crate) statements: Vec<Statement>,
    /// Parameters that must stay alive even if nothing reads them.
    keep: Vec<Operand>,
}

/// A finished template and what it captures from the builder around it.
pub(crate) struct Finished {
    pub(crate) template: Template,
    pub(crate) captures: Vec<Operand>,
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
        let Builder { nodes, failing, .. } = self.get(id);
        nodes.push(Node { op, span });
        failing.push(false);
        Operand::Node(u32::try_from(nodes.len() - 1).expect("fewer than 2^32 nodes fit into memory"))
    }

    /// Removes all nodes but the first `len`.
    pub(crate) fn truncate(&mut self, id: BuilderId, len: usize) {
        let builder = self.get(id);
        builder.nodes.truncate(len);
        builder.failing.truncate(len);
    }

    /// Records that a node of this builder always fails, in a way that `<|>` catches.
    pub(crate) fn mark_failing(&mut self, id: BuilderId, operand: Operand) {
        if let Operand::Node(n) = operand {
            self.get(id).failing[n as usize] = true;
        }
    }

    /// Returns whether a value is known to fail, in a way that `<|>` catches.
    pub(crate) fn always_fails(&self, id: BuilderId, operand: Operand) -> bool {
        self.origin(id, operand).is_some_and(|(at, n)| self.at(at).failing[n as usize])
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
        let next = u32::try_from(builder.captures.len()).expect("fewer than 2^32 captures fit into memory");
        let i = *builder.capture_index.entry(outer).or_insert(next);
        if i == next {
            builder.captures.push(outer);
        }
        Operand::Capture(i)
    }

    /// Returns the function that an operand is known to be, in terms of the builder `id`.
    pub(crate) fn known_closure(&mut self, id: BuilderId, operand: Operand) -> Option<Closure> {
        let (at, node) = self.origin(id, operand)?;
        let Op::Func { closure, ty: _ } = &self.at(at).nodes[node as usize].op else { return None };
        let template = closure.template;
        let captures = closure.captures.clone();
        let captures = captures.into_iter().map(|capture| self.lift(capture, at, id)).collect();
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
                Operand::Node(n) => match &self.at(id).nodes[n as usize].op {
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
    fn origin(&self, mut id: BuilderId, mut operand: Operand) -> Option<(BuilderId, u32)> {
        loop {
            match operand {
                Operand::Node(n) => return Some((id, n)),
                Operand::Capture(i) => {
                    operand = self.at(id).captures[i as usize];
                    id = self.at(id).parent?;
                }
                Operand::Const(_) | Operand::Param(_) => return None,
            }
        }
    }

    /// Finishes a template. With `keep_params`, for a function, arguments stay alive even if the body does not use them.
    pub(crate) fn finish(
        &mut self,
        id: BuilderId,
        root: Option<Operand>,
        keep_params: bool,
        label: Option<StrId>,
    ) -> Finished {
        let builder = self.builders[id].take().expect("a template is finished only once");
        builder.finish(root, keep_params, label)
    }
}

impl Builder {
    fn finish(mut self, mut root: Option<Operand>, keep_params: bool, label: Option<StrId>) -> Finished {
        if keep_params {
            self.keep_unused_params(root);
        }
        self.drop_dead_nodes(&mut root);
        let captures = self.drop_unused_captures(&mut root);
        self.nodes.shrink_to_fit();
        self.statements.shrink_to_fit();
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

    /// Keeps the parameters alive that the root does not use, or only inside closures.
    fn keep_unused_params(&mut self, root: Option<Operand>) {
        let mut strict = Needed::of(self);
        strict.mark(root);
        for n in (0..self.nodes.len()).rev() {
            if strict.nodes[n] {
                visit::op(&mut self.nodes[n].op, &mut |how, operand| {
                    if how == Use::Direct {
                        strict.mark(Some(*operand));
                    }
                });
            }
        }
        self.keep.extend((0..self.params).map(Operand::Param).filter(|param| !strict.has(*param)));
    }

    fn drop_dead_nodes(&mut self, root: &mut Option<Operand>) {
        let mut needed = Needed::of(self);
        needed.mark(*root);
        self.keep.iter().for_each(|operand| needed.mark(Some(*operand)));
        for statement in &mut self.statements {
            visit::statement(statement, &mut |_, operand| needed.mark(Some(*operand)));
        }
        // Operands come before their users, so one pass from the end sees each node after all its users.
        for n in (0..self.nodes.len()).rev() {
            if needed.nodes[n] {
                visit::op(&mut self.nodes[n].op, &mut |_, operand| needed.mark(Some(*operand)));
            }
        }
        let mut next = 0;
        let renumbered: Vec<u32> = needed
            .nodes
            .iter()
            .map(|needed| {
                next += u32::from(*needed);
                next.wrapping_sub(1)
            })
            .collect();
        let mut n = 0;
        self.nodes.retain(|_| {
            n += 1;
            needed.nodes[n - 1]
        });
        self.rewrite(root, &mut |operand| {
            if let Operand::Node(n) = operand {
                *n = renumbered[*n as usize];
            }
        });
    }

    /// Drops captures that no operand refers to, and returns the others.
    fn drop_unused_captures(&mut self, root: &mut Option<Operand>) -> Vec<Operand> {
        let mut used = vec![false; self.captures.len()];
        self.rewrite(root, &mut |operand| {
            if let Operand::Capture(i) = operand {
                used[*i as usize] = true;
            }
        });
        let mut left = Vec::new();
        let mut renumbered = Vec::with_capacity(used.len());
        for (capture, used) in self.captures.iter().zip(&used) {
            renumbered.push(u32::try_from(left.len()).expect("no more than before"));
            if *used {
                left.push(*capture);
            }
        }
        self.rewrite(root, &mut |operand| {
            if let Operand::Capture(i) = operand {
                *i = renumbered[*i as usize];
            }
        });
        left
    }

    /// Visits every operand of the template.
    fn rewrite(&mut self, root: &mut Option<Operand>, f: &mut dyn FnMut(&mut Operand)) {
        root.iter_mut().for_each(&mut *f);
        self.keep.iter_mut().for_each(&mut *f);
        for node in &mut self.nodes {
            visit::op(&mut node.op, &mut |_, operand| f(operand));
        }
        for statement in &mut self.statements {
            visit::statement(statement, &mut |_, operand| f(operand));
        }
    }
}

/// Which nodes, parameters and captures are needed.
struct Needed {
    nodes: Vec<bool>,
    params: Vec<bool>,
    captures: Vec<bool>,
}

impl Needed {
    fn of(builder: &Builder) -> Needed {
        Needed {
            nodes: vec![false; builder.nodes.len()],
            params: vec![false; builder.params as usize],
            captures: vec![false; builder.captures.len()],
        }
    }

    fn mark(&mut self, operand: Option<Operand>) {
        match operand {
            None | Some(Operand::Const(_)) => {}
            Some(Operand::Node(n)) => self.nodes[n as usize] = true,
            Some(Operand::Param(n)) => self.params[n as usize] = true,
            Some(Operand::Capture(n)) => self.captures[n as usize] = true,
        }
    }

    fn has(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Node(n) => self.nodes[n as usize],
            Operand::Param(n) => self.params[n as usize],
            Operand::Capture(n) => self.captures[n as usize],
        }
    }
}

/// Returns the constant that an operand is, if it is one.
pub(crate) fn as_const(operand: Operand) -> Option<ConstId> {
    match operand {
        Operand::Const(id) => Some(id),
        Operand::Node(_) | Operand::Param(_) | Operand::Capture(_) => None,
    }
}

/// Returns the constants that the operands are, if all are constants.
pub(crate) fn as_consts(operands: &[Operand]) -> Option<Vec<ConstId>> {
    operands.iter().map(|operand| as_const(*operand)).collect()
}
