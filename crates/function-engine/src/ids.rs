//! Ids of the engine's nodes, frames and watches.

use mcl_artifact::program::StatementIdx;

use crate::arena::Id;

/// The key of the arena of nodes.
pub(crate) enum NodeKey {}

/// The key of the arena of frames.
pub(crate) enum FrameKey {}

/// Identifies a node of the running graph. The id of a removed node is never used again.
pub(crate) type NodeId = Id<NodeKey>;

/// Identifies an instance of a template. The id of a removed frame is never used again.
pub(crate) type FrameId = Id<FrameKey>;

/// The identity of an active statement. It is never used again after the statement is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OutputId {
    frame: u64,
    statement: StatementIdx,
}

impl OutputId {
    pub(crate) fn new(frame: FrameId, statement: StatementIdx) -> OutputId {
        OutputId { frame: frame.to_bits(), statement }
    }
}

/// Identifies a watch that [`Environment::watch`](crate::Environment::watch) or
/// [`Environment::watch_shared`](crate::Environment::watch_shared) has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WatchId(pub u64);
