//! Recursion along imports.

/// With less stack left than this, a call gets a new segment. More than one level of recursion needs.
const RED_ZONE_BYTES: usize = 128 << 10;

const SEGMENT_BYTES: usize = 1 << 20;

/// Calls a function that may call itself for each file of a chain of imports, which may have any length.
pub(crate) fn with_stack<T>(call: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE_BYTES, SEGMENT_BYTES, call)
}
