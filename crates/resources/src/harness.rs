//! Runs a kind in tests: one check at a time, outside an engine.

use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::StateDir;
use crate::{Cancel, CheckRequest, Context, Failure, Host, Kind, build};

/// What one check did.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The texts of the changes.
    pub(crate) changes: Vec<String>,
    /// What was said.
    pub(crate) messages: Vec<String>,
    /// The leader's values.
    pub(crate) sent: Vec<(&'static str, Option<Value>)>,
}

/// A resource with its implementation, and a scratch directory with state.
pub(crate) struct Bench {
    pub(crate) id: ResourceId,
    pub(crate) kind: Box<dyn Kind>,
    pub(crate) host: Host,
    /// What the next check hears of notifications.
    pub(crate) refresh: bool,
}

impl Bench {
    /// Without state.
    pub(crate) fn new(resource: &Resource) -> Bench {
        let kind = build(std::slice::from_ref(resource)).expect("valid parameters");
        Bench { id: resource.id.clone(), kind, host: Host::default(), refresh: false }
    }

    /// With state below a scratch directory.
    pub(crate) fn with_state(resource: &Resource, scratch: &std::path::Path) -> Bench {
        let mut bench = Bench::new(resource);
        bench.host.state = Some(Arc::new(StateDir::open(&scratch.join("prefix")).expect("a state directory")));
        bench
    }

    /// One check.
    pub(crate) fn run(&mut self, apply: bool) -> Result<Outcome, Failure> {
        let cancel = Cancel::new();
        let refresh = std::mem::take(&mut self.refresh);
        let request = CheckRequest::new(&self.id, &self.host, &cancel, apply);
        let mut cx = Context::new(CheckRequest { refresh, ..request });
        self.kind.check_apply(&mut cx)?;
        Ok(Outcome {
            changes: cx.changes().iter().map(|c| c.text.clone()).collect(),
            messages: cx.messages().to_vec(),
            sent: cx.sent().iter().map(|s| (s.key, s.value.clone())).collect(),
        })
    }

    /// A check in noop that must find something, one that repairs it, and one that finds nothing.
    #[track_caller]
    pub(crate) fn converges(&mut self) {
        assert_ne!(self.run(false).expect("noop works").changes, [""; 0], "noop sees what is wrong");
        assert_ne!(self.run(true).expect("apply works").changes, [""; 0], "apply changes something");
        assert_eq!(self.run(true).expect("apply works again").changes, [""; 0], "and then all is right");
        assert_eq!(self.run(false).expect("noop works again").changes, [""; 0]);
    }

    /// A check that finds nothing to do.
    #[track_caller]
    pub(crate) fn is_right(&mut self) {
        assert_eq!(self.run(true).expect("the check works").changes, [""; 0]);
    }
}

/// A resource to set parameters on.
pub(crate) fn resource(kind: &str, name: &str) -> Resource {
    Resource::new(ResourceId::new(kind, name))
}
