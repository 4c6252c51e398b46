//! The interface between the agent and the providers of resource kinds.

use resource_graph::Resource;

use crate::{Context, Failure, Watch};

/// Brings a resource, with the members grouped into it, into its declared state and watches it.
pub trait Provider: Send {
    /// Runs once before the first check.
    ///
    /// # Errors
    /// Any failure; it counts as a failed check and is retried like one.
    fn init(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Checks the state and repairs it where [`Context::change`] permits. Must converge in one call.
    ///
    /// # Errors
    /// Any failure that prevents the declared state.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure>;

    /// Returns the sources of events that may mean drift. Called after construction and after each [`Provider::update`].
    fn watches(&self) -> Vec<Watch> {
        Vec::new()
    }

    /// Replaces the parameters. `resources` is the leader followed by its members, in the order given at construction.
    ///
    /// # Errors
    /// The new parameters are invalid.
    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure>;

    /// Returns the class of workers that run the checks.
    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Cpu
    }

    /// Returns where the effects of a check are.
    fn effects(&self) -> Effects {
        Effects::Machine
    }

    /// Returns whether the changes of a check depend on the state that it finds, in ways that the changes do not say.
    fn depends_on_state(&self) -> bool {
        true
    }

    /// Returns whether a check right after another one finds nothing to change, unless somebody else changed something.
    fn converges(&self) -> bool {
        true
    }

    /// Runs once after the resource was removed from the graph and its last check ended.
    fn cleanup(&mut self) {}
}

/// Where a check reads state and makes changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Only in [`Context::files`], the state directory included. A plan makes the changes in an overlay, so that what depends
    /// on them finds them.
    Files,
    /// Outside of files that other resources could manage: accounts, services, settings of the kernel. A plan announces the
    /// changes without making them.
    Machine,
    /// Anywhere, because programs run or file systems appear. A plan announces the changes without making them, and says that
    /// what later checks find may differ.
    Programs,
}

/// The workers that run a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerClass {
    /// A small pool shared by all resources, for checks that compute and make short system calls.
    Cpu,
    /// A worker of its own, for checks that mostly wait for a process or a service.
    Blocking,
}
