//! The output of the statements that changed.

use crate::engine::Engine;
use crate::ids::{FrameId, NodeId, OutputId};
use crate::node::{NodeKind, Slot};
use crate::outputs::Output;

/// The statements that changed between two outputs.
pub(crate) struct ChangedOutputs<'a> {
    /// The statements that were added or evaluated, perhaps more than once.
    pub present: Vec<Output<'a>>,
    /// The statements that were removed. Some of them may never have been in an output.
    pub removed: &'a [OutputId],
}

impl Engine {
    /// Returns the number of the last round with an output that differed from the one before; 0 if there was none.
    #[must_use]
    pub(crate) fn output_round(&self) -> u64 {
        self.changes.last_round()
    }

    /// Returns the statements that changed between the output of the round `since` and the last output. Takes time linear in
    /// their number.
    ///
    /// `None` if too many changed, or if there was another output in between.
    #[must_use]
    pub(crate) fn changed_outputs(&self, since: u64) -> Option<ChangedOutputs<'_>> {
        let changes = self.changes.since(since)?;
        let added = changes.added.iter().flat_map(|frame| self.outputs_of(*frame));
        let evaluated = changes.evaluated().filter_map(|statement| self.output_of(statement));
        Some(ChangedOutputs { present: added.chain(evaluated).collect(), removed: changes.removed })
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
