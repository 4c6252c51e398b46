//! Which statements changed since the last round with an output.

use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::ids::NodeId;
use crate::node::{NodeKind, Slot};
use crate::outputs::Output;

/// The changes since the output before the present one; while there is none, since the last one.
#[derive(Debug, Default)]
pub(crate) struct OutputChanges {
    /// The round of the output that they are relative to; 0 for none.
    since: u64,
    /// The round of the last output; 0 for none.
    last: u64,
    /// The statements that were evaluated; empty if statements were added or removed.
    statements: FxHashSet<NodeId>,
    /// Whether statements were added or removed.
    is_structural: bool,
}

impl OutputChanges {
    /// Starts a round. The changes that led to an output are forgotten.
    pub(crate) fn start_round(&mut self) {
        if self.since != self.last {
            self.since = self.last;
            self.statements.clear();
            self.is_structural = false;
        }
    }

    /// Notes that a statement was evaluated.
    pub(crate) fn add_statement(&mut self, statement: NodeId) {
        if !self.is_structural {
            self.statements.insert(statement);
        }
    }

    /// Notes that statements were added or removed.
    pub(crate) fn add_structure(&mut self) {
        self.is_structural = true;
        self.statements = FxHashSet::default();
    }

    /// Ends a round with an output, and returns whether it may differ from the last one.
    pub(crate) fn end_round(&mut self, round: u64) -> bool {
        let changed = self.is_structural || !self.statements.is_empty();
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

    /// Returns the statements that were evaluated between the output of the round `since` and the last output, in no
    /// particular order. Takes time linear in their number.
    ///
    /// `None` if statements were added or removed, or if there was another output in between.
    #[must_use]
    pub fn changed_outputs(&self, since: u64) -> Option<Vec<Output<'_>>> {
        let changes = &self.changes;
        if since == changes.last {
            return Some(Vec::new());
        }
        if since != changes.since || changes.is_structural {
            return None;
        }
        changes.statements.iter().map(|statement| self.output_of(*statement)).collect()
    }

    /// Returns the output of the node of a statement.
    fn output_of(&self, id: NodeId) -> Option<Output<'_>> {
        let node = self.nodes.get(id).filter(|node| matches!(node.kind, NodeKind::StatementNode))?;
        let Slot::Statement(index) = node.slot else { return None };
        self.output(node.frame, index)
    }
}
