//! Sensitive values in the memory of the agent.

use std::sync::atomic::{AtomicBool, Ordering};

use resource_graph::{Resource, holds_sensitive};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Keeps the memory of this process out of core dumps, and away from the debuggers of its user, from the first of these
/// resources on that holds a sensitive value.
pub(super) fn protect_memory(resources: &[Resource]) {
    static IS_PROTECTED: AtomicBool = AtomicBool::new(false);
    if IS_PROTECTED.load(Ordering::Relaxed) || !resources.iter().any(holds_sensitive) {
        return;
    }
    IS_PROTECTED.store(true, Ordering::Relaxed);
    // The kernel refuses only unknown values.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
