//! Recursion over nested values and types, which a program can nest as deeply as it likes.

/// The stack that a step of the recursion may need.
const STEP: usize = 128 * 1024;

/// How much the stack grows by when a step would not fit.
const GROWTH: usize = 4 * 1024 * 1024;

/// Runs a step of a recursion with enough stack.
pub fn with_stack<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STEP, GROWTH, step)
}
