//! Which statements changed since the last round with an output.

use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::ids::{FrameId, NodeId};
use crate::node::{NodeKind, Slot};
use crate::outputs::{Output, OutputId};

/// Maximum number of changes that are followed one by one. A program that fails for long may change for long before its next
/// output.
const MAX_CHANGES: usize = 1_000_000;

/// The changes since the output before the present one; while there is none, since the last one.
#[derive(Debug, Default)]
pub(crate) struct OutputChanges {
    /// The round of the output that they are relative to; 0 for none.
    since: u64,
    /// The round of the last output; 0 for none.
    last: u64,
    /// The statements that were evaluated.
    evaluated: FxHashSet<NodeId>,
    /// The frames whose statements were added.
    added: Vec<FrameId>,
    /// The statements that were removed.
    removed: Vec<OutputId>,
    /// Whether more changed than that.
    is_whole: bool,
}

/// The statements that changed between two outputs.
pub struct ChangedOutputs<'a> {
    /// The statements that were added or evaluated, perhaps more than once.
    pub present: Vec<Output<'a>>,
    /// The statements that were removed. Some of them may never have been in an output.
    pub removed: &'a [OutputId],
}

impl OutputChanges {
    /// Starts a round. The changes that led to an output are forgotten.
    pub(crate) fn start_round(&mut self) {
        if self.since != self.last {
            self.since = self.last;
            self.clear();
            self.is_whole = false;
        }
    }

    /// Notes that a statement was evaluated.
    pub(crate) fn add_evaluated(&mut self, statement: NodeId) {
        if !self.is_whole {
            self.evaluated.insert(statement);
            self.limit();
        }
    }

    /// Notes that the statements of a frame were added.
    pub(crate) fn add_frame(&mut self, frame: FrameId) {
        if !self.is_whole {
            self.added.push(frame);
            self.limit();
        }
    }

    /// Notes that statements were removed.
    pub(crate) fn add_removed(&mut self, statements: impl Iterator<Item = OutputId>) {
        if !self.is_whole {
            self.removed.extend(statements);
            self.limit();
        }
    }

    /// Notes that everything may have changed.
    pub(crate) fn add_everything(&mut self) {
        self.is_whole = true;
        self.clear();
    }

    fn limit(&mut self) {
        if self.evaluated.len() + self.added.len() + self.removed.len() > MAX_CHANGES {
            self.add_everything();
        }
    }

    fn clear(&mut self) {
        self.evaluated = FxHashSet::default();
        self.added = Vec::new();
        self.removed = Vec::new();
    }

    /// Ends a round with an output, and returns whether it may differ from the last one.
    pub(crate) fn end_round(&mut self, round: u64) -> bool {
        let is_same = self.evaluated.is_empty() && self.added.is_empty() && self.removed.is_empty();
        let changed = self.is_whole || !is_same;
        if changed {
            self.last = round;
        }
        changed
    }
}

impl Engine {
    /// Returns the number of the last round with an output that differed from the one before; 0 if there was none.
    #[must_use]
    pub fn output_round(&self) -> u64 {
        self.changes.last
    }

    /// Returns the statements that changed between the output of the round `since` and the last output. Takes time linear in
    /// their number.
    ///
    /// `None` if too many changed, or if there was another output in between.
    #[must_use]
    pub fn changed_outputs(&self, since: u64) -> Option<ChangedOutputs<'_>> {
        let changes = &self.changes;
        if since == changes.last {
            return Some(ChangedOutputs { present: Vec::new(), removed: &[] });
        }
        if since != changes.since || changes.is_whole {
            return None;
        }
        let added = changes.added.iter().flat_map(|frame| self.outputs_of(*frame));
        let evaluated = changes.evaluated.iter().filter_map(|statement| self.output_of(*statement));
        Some(ChangedOutputs { present: added.chain(evaluated).collect(), removed: &changes.removed })
    }

    /// Returns the output of the node of a statement, if it still exists.
    fn output_of(&self, id: NodeId) -> Option<Output<'_>> {
        let node = self.nodes.get(id).filter(|node| matches!(node.kind, NodeKind::StatementNode) && !node.orphan)?;
        let Slot::Statement(index) = node.slot else { return None };
        self.output(node.frame, index)
    }

    /// Returns the outputs of the statements of a frame; none if it does not exist any more.
    fn outputs_of(&self, frame: FrameId) -> impl Iterator<Item = Output<'_>> {
        let statements = self.frames.get(frame).into_iter().flat_map(|frame| frame.statements.keys());
        statements.filter_map(move |statement| self.output(frame, statement))
    }
}
