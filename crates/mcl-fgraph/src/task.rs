//! What is left to do while statements are lowered.

use mcl_artifact::program::Operand;
use mcl_parser::ast::StmtId;

use crate::builder::BuilderId;
use crate::frames::FrameId;

/// A statement to lower, or the end of one whose inner statements are lowered.
#[derive(Debug)]
pub(crate) enum Task {
    Lower(FrameId, StmtId),
    FinishIf { frame: FrameId, condition: Operand, then: BuilderId, otherwise: Option<BuilderId> },
    FinishLoop { frame: FrameId, kind: LoopKind, iterable: Operand, body: BuilderId },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum LoopKind {
    For,
    ForKv,
}
