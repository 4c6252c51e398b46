//! Edges, heights, and what happens when the last reader goes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Engine;
use crate::code::NodeId;
use crate::node::{Binding, Dependent, FrameId, Input, Kind, Slot, State};

impl Engine {
    /// Appends an input to a node.
    pub(crate) fn attach(&mut self, node: NodeId, input: Input) {
        let index = self.nodes[node].inputs.len() as u32;
        let input = match input {
            Input::Value(value) => Input::Value(value),
            Input::Node { node: source, .. } => {
                let dependents = &mut self.nodes[source].dependents;
                dependents.push(Dependent { node, input: index });
                Input::Node { node: source, position: dependents.len() as u32 - 1 }
            }
        };
        self.nodes[node].inputs.push(input);
    }

    /// Takes the inputs after the first `keep` off a node. Nodes that lost their last reader go at the next [`Self::flush`].
    pub(crate) fn truncate_inputs(&mut self, node: NodeId, keep: usize) {
        while self.nodes[node].inputs.len() > keep {
            let Some(Input::Node { node: source, position }) = self.nodes[node].inputs.pop() else { continue };
            let dependents = &mut self.nodes[source].dependents;
            dependents.swap_remove(position as usize);
            if let Some(moved) = dependents.get(position as usize).copied() {
                if let Input::Node { position: of_moved, .. } = &mut self.nodes[moved.node].inputs[moved.input as usize]
                {
                    *of_moved = position;
                }
            } else if dependents.is_empty() {
                self.unread.push(source);
            }
        }
    }

    /// Makes a node higher than `below`, and everything above it higher in turn: each node is visited once, because nodes
    /// are taken in the order of the heights they had.
    pub(crate) fn raise(&mut self, node: NodeId, below: u32) {
        let mut work: BinaryHeap<Reverse<(u32, NodeId)>> = BinaryHeap::new();
        self.raise_one(node, below, &mut work);
        while let Some(Reverse((_, node))) = work.pop() {
            let height = self.nodes[node].height;
            for i in 0..self.nodes[node].dependents.len() {
                let dependent = self.nodes[node].dependents[i].node;
                self.raise_one(dependent, height, &mut work);
            }
            for member in self.members_of_scope(node) {
                self.raise_one(member, height, &mut work);
            }
        }
    }

    fn raise_one(&mut self, id: NodeId, below: u32, work: &mut BinaryHeap<Reverse<(u32, NodeId)>>) {
        let node = &mut self.nodes[id];
        if node.height > below {
            return;
        }
        work.push(Reverse((node.height, id)));
        node.height = below + 1;
        if node.queued {
            // The entry at the old height is recognised as stale.
            self.queue.push(Reverse((below + 1, id)));
        }
    }

    /// The nodes of the frames that a control owns, except those in the frames of controls among them.
    fn members_of_scope(&self, control: NodeId) -> Vec<NodeId> {
        let mut members = Vec::new();
        let mut frames = Vec::new();
        if !matches!(self.nodes[control].kind, Kind::Forward(_)) {
            self.nodes[control].kind.frames(|f| frames.push(f));
        }
        while let Some(id) = frames.pop() {
            let Some(frame) = self.frames.get(id) else { continue };
            for node in frame.all_nodes() {
                members.push(node);
                match &self.nodes[node].kind {
                    Kind::Output(_) => {
                        if let Some(Input::Node { node: control, .. }) = self.nodes[node].inputs.first() {
                            members.push(*control);
                        }
                    }
                    Kind::Forward(body) => frames.push(*body),
                    _ => {}
                }
            }
        }
        members
    }

    /// Tears frames down: their nodes are not evaluated any more, and go when their last reader does.
    pub(crate) fn tear_down(&mut self, frame: FrameId) {
        let mut frames = vec![frame];
        while let Some(id) = frames.pop() {
            let Some(frame) = self.frames.remove(id) else { continue };
            for node in frame.all_nodes() {
                let mut both = [Some(node), None];
                if matches!(self.nodes[node].kind, Kind::Output(_))
                    && let Some(Input::Node { node: control, .. }) = self.nodes[node].inputs.first()
                {
                    both[1] = Some(*control);
                }
                for id in both.into_iter().flatten() {
                    let node = &mut self.nodes[id];
                    node.orphan = true;
                    node.kind.frames(|f| frames.push(f));
                    if node.pinned {
                        node.pinned = false;
                        self.unread.push(id);
                    }
                }
            }
        }
    }

    /// Removes every node that nobody reads any more, and what only those read.
    pub(crate) fn flush(&mut self) {
        while let Some(id) = self.unread.pop() {
            let Some(node) = self.nodes.get(id) else { continue };
            if node.pinned || !node.dependents.is_empty() {
                continue;
            }
            self.truncate_inputs(id, 0);
            let Some(node) = self.nodes.remove(id) else { continue };
            if matches!(node.state, State::Pending) {
                self.pending -= 1;
                // What it had frozen goes with it.
                self.frozen.remove(&id);
            }
            if let Some(frame) = self.frames.get_mut(node.frame) {
                match node.slot {
                    Slot::Node(n) => frame.nodes[n as usize] = None,
                    Slot::Parameter(p) => {
                        if let Some(Binding::Element { node, .. }) = frame.params.get_mut(p as usize) {
                            *node = None;
                        }
                    }
                    Slot::None => {}
                }
            }
            let mut frames = Vec::new();
            node.kind.frames(|f| frames.push(f));
            frames.into_iter().for_each(|f| self.tear_down(f));
            if let Kind::Live(live) = node.kind {
                self.end_requests(id, *live);
            }
        }
    }

    /// Puts a node into the queue.
    pub(crate) fn enqueue(&mut self, id: NodeId) {
        let node = &mut self.nodes[id];
        if !node.queued {
            node.queued = true;
            self.queue.push(Reverse((node.height, id)));
        }
    }
}
