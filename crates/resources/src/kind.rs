//! The interface between the agent and the implementation of a resource kind.

use resource_graph::Resource;

use crate::{Context, Failure, Watch};

/// A resource (with the members grouped into it) that can be brought into its state and kept there.
pub trait Kind: Send {
    /// Runs once before the first check; the place for what may fail but needs no repetition.
    ///
    /// # Errors
    /// Counts as a failed check.
    fn init(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Checks the state and, where [`Context::change`] allows, repairs it. Must converge in one call.
    ///
    /// # Errors
    /// Whatever kept the resource from being brought into its state.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure>;

    /// What may change the state behind our back. Asked for after construction and after each [`Kind::update`].
    fn watches(&self) -> Vec<Watch> {
        Vec::new()
    }

    /// Takes over changed parameters: the leader first, then its members, in the order given at construction.
    ///
    /// # Errors
    /// The new parameters are not valid.
    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure>;

    /// How the kind spends the time of a check; decides which workers run it.
    fn load(&self) -> Load {
        Load::Works
    }

    /// Runs once after the vertex left the graph and its last check ended.
    fn cleanup(&mut self) {}
}

/// How a kind spends the time of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Computes and does short system calls: shares a few workers with all others.
    Works,
    /// Mostly waits for something else (a process, a daemon): gets a worker of its own.
    Waits,
}
