//! Runs the checks of a provider in tests, without an engine.

use std::path::Path;
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::{ApplyContext, Cancel, CheckRequest, Context, Failure, Provider, StateDir, build};

/// The results of one check.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The descriptions of the announced changes.
    pub(crate) changes: Vec<String>,
    /// The emitted messages.
    pub(crate) messages: Vec<String>,
    /// The values that the leader sent.
    pub(crate) sent: Vec<(&'static str, Option<Value>)>,
}

/// A resource, its provider, and the context of its checks.
pub(crate) struct ProviderTest {
    pub(crate) id: ResourceId,
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) apply_context: ApplyContext,
    /// Whether the next check receives a notification.
    pub(crate) refresh: bool,
}

impl ProviderTest {
    /// Creates the provider of a resource, without a state directory.
    pub(crate) fn new(resource: &Resource) -> ProviderTest {
        ProviderTest::of(resource, build(std::slice::from_ref(resource)).expect("valid parameters"))
    }

    /// Uses a provider that a test has made, for example to work below another root directory.
    pub(crate) fn of(resource: &Resource, provider: Box<dyn Provider>) -> ProviderTest {
        ProviderTest { id: resource.id.clone(), provider, apply_context: ApplyContext::default(), refresh: false }
    }

    /// Creates the provider of a resource, with a state directory in `scratch`.
    pub(crate) fn with_state(resource: &Resource, scratch: &std::path::Path) -> ProviderTest {
        let mut test = ProviderTest::new(resource);
        test.apply_context.state = Some(Arc::new(StateDir::open(&scratch.join("prefix")).expect("a state directory")));
        test
    }

    /// Runs one check.
    pub(crate) fn run(&mut self, apply: bool) -> Result<Outcome, Failure> {
        let cancel = Cancel::new();
        let refresh = std::mem::take(&mut self.refresh);
        let request = CheckRequest::new(&self.id, &self.apply_context, &cancel, apply);
        let mut cx = Context::new(CheckRequest { refresh, ..request });
        self.provider.check_apply(&mut cx)?;
        Ok(Outcome {
            changes: cx.changes().iter().map(|c| c.text.clone()).collect(),
            messages: cx.messages().to_vec(),
            sent: cx.sent().iter().map(|s| (s.key, s.value.clone())).collect(),
        })
    }

    /// Asserts that noop announces a change, apply makes it, and further checks announce none.
    #[track_caller]
    pub(crate) fn assert_converges(&mut self) {
        assert_ne!(self.run(false).expect("noop works").changes, [""; 0], "noop announces a change");
        assert_ne!(self.run(true).expect("apply works").changes, [""; 0], "apply makes a change");
        assert_eq!(self.run(true).expect("apply works again").changes, [""; 0], "a second apply makes none");
        assert_eq!(self.run(false).expect("noop works again").changes, [""; 0]);
    }

    /// Asserts that a check announces no change.
    #[track_caller]
    pub(crate) fn assert_unchanged(&mut self) {
        assert_eq!(self.run(true).expect("the check works").changes, [""; 0]);
    }

    /// Asserts that an apply leaves a file with the content `after`, or that it fails with a message that contains `after`
    /// and leaves the file as it was before.
    #[track_caller]
    pub(crate) fn assert_content(&mut self, file: &Path, before: &str, after: Result<&str, &str>) {
        match after {
            Ok(after) if after == before => self.assert_unchanged(),
            Ok(_) => self.assert_converges(),
            Err(part) => {
                let error = self.run(true).expect_err("apply fails").to_string();
                assert!(error.contains(part), "{error}");
            }
        }
        assert_eq!(std::fs::read_to_string(file).expect("the file is there"), after.unwrap_or(before));
    }
}

/// Opens a state directory that was open until now: a child that another test has just started may hold its lock until it runs
/// its program.
pub(crate) fn reopen(prefix: &Path) -> StateDir {
    let mut state = None;
    test_support::eventually("the lock is free", || {
        state = StateDir::open(prefix).ok();
        state.is_some()
    });
    state.expect("it was opened")
}

/// Returns a resource without parameters.
pub(crate) fn resource(kind: &str, name: &str) -> Resource {
    Resource::new(ResourceId::new(kind, name))
}
