//! Which statements changed since the last round with an output.

use rustc_hash::FxHashSet;

use crate::ids::{FrameId, NodeId, OutputId};

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

    /// Returns the round of the last output; 0 for none.
    pub(crate) fn last_round(&self) -> u64 {
        self.last
    }

    /// Returns what changed between the output of the round `since` and the last one; `None` if that is not known.
    pub(crate) fn since(&self, since: u64) -> Option<ChangesSince<'_>> {
        if since == self.last {
            return Some(ChangesSince::default());
        }
        let is_known = since == self.since && !self.is_whole;
        is_known.then_some(ChangesSince {
            evaluated: Some(&self.evaluated),
            added: &self.added,
            removed: &self.removed,
        })
    }
}

/// What changed between two outputs.
#[derive(Default)]
pub(crate) struct ChangesSince<'a> {
    evaluated: Option<&'a FxHashSet<NodeId>>,
    /// The frames whose statements were added.
    pub(crate) added: &'a [FrameId],
    /// The statements that were removed.
    pub(crate) removed: &'a [OutputId],
}

impl ChangesSince<'_> {
    /// Returns the statements that were evaluated.
    pub(crate) fn evaluated(&self) -> impl Iterator<Item = NodeId> {
        self.evaluated.into_iter().flatten().copied()
    }
}
