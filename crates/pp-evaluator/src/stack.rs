//! How the stack grows while a tree is evaluated.

/// Less stack than this is not enough for the next level of the evaluation.
pub(crate) const STACK_RESERVE: usize = 128 << 10;
/// How much stack is added at once.
pub(crate) const STACK_SEGMENT: usize = 2 << 20;
