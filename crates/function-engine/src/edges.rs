//! Edges, heights, and the removal of nodes without dependents.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::Engine;
use crate::ids::{FrameId, NodeId, OutputId};
use crate::node::{Binding, Dependent, Input, NodeKind, Slot, State};

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

    /// Removes the inputs of a node after the first `keep`. Nodes that lose their last dependent are removed by the next
    /// [`Self::remove_dead_nodes`].
    pub(crate) fn truncate_inputs(&mut self, node: NodeId, keep: usize) {
        while self.nodes[node].inputs.len() > keep {
            let Some(Input::Node { node: source, position }) = self.nodes[node].inputs.pop() else { continue };
            let dependents = &mut self.nodes[source].dependents;
            dependents.swap_remove(position as usize);
            if let Some(moved) = dependents.get(position as usize).copied() {
                if let Input::Node { position: moved_position, .. } =
                    &mut self.nodes[moved.node].inputs[moved.input as usize]
                {
                    *moved_position = position;
                }
            } else if dependents.is_empty() {
                self.dead_candidates.push(source);
            }
        }
    }

    /// Raises a node above the height `below`, and then everything that must be higher than it. Each node is visited once,
    /// because nodes are processed in the order of their previous heights.
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
            // The entry with the previous height is stale now.
            self.queue.push(Reverse((below + 1, id)));
        }
    }

    /// Returns the nodes of the frames that a control owns, without those in the frames of nested controls.
    fn members_of_scope(&self, control: NodeId) -> Vec<NodeId> {
        let mut members = Vec::new();
        let mut frames = Vec::new();
        if !matches!(self.nodes[control].kind, NodeKind::Forward(_)) {
            self.nodes[control].kind.frames(|f| frames.push(f));
        }
        while let Some(id) = frames.pop() {
            let Some(frame) = self.frames.get(id) else { continue };
            for node in frame.all_nodes() {
                members.push(node);
                match &self.nodes[node].kind {
                    NodeKind::Output(_) => {
                        if let Some(Input::Node { node: control, .. }) = self.nodes[node].inputs.first() {
                            members.push(*control);
                        }
                    }
                    NodeKind::Forward(body) => frames.push(*body),
                    _ => {}
                }
            }
        }
        members
    }

    /// Drops a frame and the frames that its nodes own. Their nodes are not evaluated any more, and are removed with their
    /// last dependent.
    pub(crate) fn drop_frame(&mut self, frame: FrameId) {
        let mut frames = vec![frame];
        while let Some(id) = frames.pop() {
            let Some(frame) = self.frames.remove(id) else { continue };
            self.changes.add_removed(frame.statements.keys().map(|statement| OutputId::new(id, statement)));
            for node in frame.all_nodes() {
                let mut affected = [Some(node), None];
                if matches!(self.nodes[node].kind, NodeKind::Output(_))
                    && let Some(Input::Node { node: control, .. }) = self.nodes[node].inputs.first()
                {
                    affected[1] = Some(*control);
                }
                for id in affected.into_iter().flatten() {
                    let node = &mut self.nodes[id];
                    node.orphan = true;
                    node.kind.frames(|f| frames.push(f));
                    if node.pinned {
                        node.pinned = false;
                        self.dead_candidates.push(id);
                    }
                }
            }
        }
    }

    /// Removes every dead candidate without dependents, and in turn the nodes that only those depended on.
    pub(crate) fn remove_dead_nodes(&mut self) {
        while let Some(id) = self.dead_candidates.pop() {
            let Some(node) = self.nodes.get(id) else { continue };
            if node.pinned || !node.dependents.is_empty() {
                continue;
            }
            self.truncate_inputs(id, 0);
            let Some(node) = self.nodes.remove(id) else { continue };
            if matches!(node.state, State::Pending) {
                self.pending -= 1;
                // The nodes that it has frozen belong to its frames, which are dropped below.
                self.frozen.remove(&id);
            }
            if let Some(frame) = self.frames.get_mut(node.frame) {
                match node.slot {
                    Slot::Node(n) => frame.forget_node(n),
                    Slot::Parameter(p) => {
                        if let Some(Binding::Element { node, .. }) = frame.params.get_mut(p) {
                            *node = None;
                        }
                    }
                    Slot::Statement(_) | Slot::None => {}
                }
            }
            let mut frames = Vec::new();
            node.kind.frames(|f| frames.push(f));
            frames.into_iter().for_each(|f| self.drop_frame(f));
            if let NodeKind::Stream(stream) = node.kind {
                self.streams -= 1;
                self.cancel_requests(id, *stream);
            }
        }
    }

    /// Queues a node for evaluation, unless it is queued already.
    pub(crate) fn enqueue(&mut self, id: NodeId) {
        let node = &mut self.nodes[id];
        if !node.queued {
            node.queued = true;
            self.queue.push(Reverse((node.height, id)));
        }
    }
}
