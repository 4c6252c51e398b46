//! One check on a worker thread.

use std::borrow::Cow;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use resource_engine::{Group, Received, VertexKey};
use resource_graph::{Resource, ResourceId, masked, sends_sensitive, sensitive_texts};
use resources::{
    ApplyContext, Cancel, Change, CheckOutcome, CheckRequest, Context, Effects, Failure, Provider, RefreshJournal,
    Reversals, Sent, StateDir, Unseen,
};

use crate::agent::planned::PlannedChanges;

/// How long a check is repeated while this process has no descriptor or memory left.
const MAX_EXHAUSTION: Duration = Duration::from_secs(30);
/// The first pause between two of these attempts.
const FIRST_EXHAUSTION_DELAY: Duration = Duration::from_millis(5);
/// Maximum pause between two of these attempts.
const MAX_EXHAUSTION_DELAY: Duration = Duration::from_millis(250);

/// Everything that a check needs; moves to the worker.
pub(super) struct Job {
    pub(super) key: VertexKey,
    pub(super) kind: Box<dyn Provider>,
    pub(super) initialised: bool,
    /// The leader and the members, with the values received so far.
    pub(super) resources: Group,
    pub(super) apply: bool,
    pub(super) refresh: bool,
    /// `None` for the many checks without any.
    pub(super) flow: Option<Box<DataFlow>>,
    pub(super) context: Arc<SharedContext>,
    pub(super) cancel: Arc<Cancel>,
    /// Which earlier changes of a plan the check cannot see.
    pub(super) unseen: Unseen,
}

/// What a check receives from other resources and announces to them.
#[derive(Default)]
pub(super) struct DataFlow {
    /// Values received since the last check.
    pub(super) updates: Vec<Received>,
    /// Parameters changed by reception since the last successful check.
    pub(super) changed: Vec<(usize, Arc<str>)>,
    /// The resources to notify of a change: recorded in the journal before the first change.
    pub(super) notifies: Vec<ResourceId>,
}

/// What all checks share.
#[derive(Clone, Default)]
pub(super) struct SharedContext {
    pub(super) apply: ApplyContext,
    pub(super) journal: Option<Arc<RefreshJournal>>,
    /// The only changes that may be made; `None` for any.
    pub(super) planned: Option<Arc<PlannedChanges>>,
}

impl Deref for SharedContext {
    type Target = ApplyContext;

    fn deref(&self) -> &ApplyContext {
        &self.apply
    }
}

/// A finished check.
pub(super) struct Done {
    pub(super) key: VertexKey,
    pub(super) kind: Box<dyn Provider>,
    pub(super) initialised: bool,
    /// The resources with the values received, if any were.
    pub(super) updated: Option<Group>,
    /// Whether the kind has to be asked again what to watch.
    pub(super) watch_again: bool,
    pub(super) apply: bool,
    /// Whether it was notified.
    pub(super) refresh: bool,
    pub(super) changes: Vec<Change>,
    pub(super) sent: Vec<Sent>,
    pub(super) messages: Vec<String>,
    pub(super) result: Result<(), Failure>,
}

impl Job {
    /// Runs the check. A panic is a failure of the resource.
    pub(super) fn run(self) -> Done {
        let Job { key, mut kind, mut initialised, mut resources, apply, refresh, flow, context, cancel, unseen } = self;
        let DataFlow { updates, changed, notifies } = flow.map_or_else(DataFlow::default, |flow| *flow);
        let has_updates = !updates.is_empty();
        if has_updates {
            resources = with_received(&resources, updates);
        }
        let id = &resources[0].id;
        let record_notifications = || match &context.journal {
            Some(journal) => journal
                .record(id, &notifies)
                .map_err(|error| Failure::io("record the notifications of", &*id.name, error.into_io())),
            None => Ok(()),
        };
        let before_first_change: Option<&dyn Fn() -> Result<(), Failure>> =
            if notifies.is_empty() { None } else { Some(&record_notifications) };
        let changed = &changed[..];
        let group = resources.clone();
        let permit = |change: &Change| match &context.planned {
            // Plans contain masked texts.
            Some(planned) => planned.permit(id, change, &sensitive_texts_of(&group)),
            None => Ok(()),
        };
        // A plan announces what it cannot do in memory.
        let makes_changes = apply && (context.plan.is_none() || kind.effects() == Effects::Files);
        let files = if makes_changes { context.backed_up_files(id) } else { None };
        let request = CheckRequest {
            id,
            apply: makes_changes,
            refresh,
            changed,
            apply_context: &context,
            cancel: &cancel,
            before_first_change,
            permit: if context.planned.is_some() { Some(&permit) } else { None },
            files: files.as_ref(),
            unseen,
        };
        let mut cx = Context::new(request);
        let reversal = context
            .state
            .as_ref()
            .filter(|_| apply && resources[0].meta.reverse)
            .map(|state| (&**state, &resources[0]));
        let result = catch_unwind(AssertUnwindSafe(|| {
            if cancel.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            if has_updates {
                for resource in resources.iter() {
                    resource_graph::validate(resource).map_err(|e| Failure::Invalid(e.to_string()))?;
                }
                kind.update(&resources)?;
            }
            let mut backoff = ExhaustionBackoff::new();
            loop {
                let result = attempt(&mut *kind, &mut cx, &mut initialised, reversal);
                // A repeated check would not find the changes that were made already.
                let is_repeatable = result.as_ref().is_err_and(is_exhausted) && !cx.is_changed();
                if !is_repeatable || !backoff.wait(&cancel) {
                    return result;
                }
            }
        }));
        let mut result = result.unwrap_or_else(|panic| Err(Failure::Panic(panic_text(&*panic))));
        let mut outcome = cx.into_outcome();
        for sent in &mut outcome.sent {
            sent.sensitive |= resources.get(sent.member).is_some_and(|sender| sends_sensitive(sender, sent.key));
        }
        mask_outcome(&mut outcome, &mut result, &sensitive_texts_of(&resources));
        let CheckOutcome { changes, sent, messages, watch_again } = outcome;
        let updated = has_updates.then_some(resources);
        Done { key, kind, initialised, updated, watch_again, apply, refresh, changes, sent, messages, result }
    }

    /// Returns the result of a check that was never started.
    pub(super) fn cancelled(self) -> Done {
        Done {
            key: self.key,
            kind: self.kind,
            initialised: self.initialised,
            updated: None,
            watch_again: false,
            apply: self.apply,
            refresh: self.refresh,
            changes: Vec::new(),
            sent: Vec::new(),
            messages: Vec::new(),
            result: Err(Failure::Cancelled),
        }
    }
}

/// Returns a group with the values that its members received.
fn with_received(resources: &Group, updates: Vec<Received>) -> Group {
    let mut copies: Vec<Resource> = resources.to_vec();
    for update in updates {
        if let Some(member) = copies.get_mut(update.member) {
            member.sensitive.retain(|name| *name != update.key);
            if update.sensitive {
                member.sensitive.push(update.key.clone());
            }
            member.params.insert(update.key, update.value);
        }
    }
    Group::from(copies)
}

/// Checks once, after the provider was initialised. The inverse of a resource with the meta parameter `reverse` is stored
/// before.
fn attempt(
    kind: &mut dyn Provider,
    cx: &mut Context<'_>,
    initialised: &mut bool,
    reversal: Option<(&StateDir, &Resource)>,
) -> Result<(), Failure> {
    if !*initialised {
        if let Some((state, resource)) = reversal {
            Reversals::new(state).remember(resource)?;
        }
        kind.init(cx)?;
        *initialised = true;
    }
    kind.check_apply(cx)
}

/// Masks the sensitive values in what a check says.
fn mask_outcome(outcome: &mut CheckOutcome, result: &mut Result<(), Failure>, sensitive: &[String]) {
    if sensitive.is_empty() {
        return;
    }
    outcome.changes.iter_mut().for_each(|change| mask(&mut change.text, sensitive));
    outcome.messages.iter_mut().for_each(|message| mask(message, sensitive));
    if let Err(failure) = result {
        mask_failure(failure, sensitive);
    }
}

pub(super) fn sensitive_texts_of(resources: &[Resource]) -> Vec<String> {
    resources.iter().flat_map(sensitive_texts).collect()
}

/// Whether a check failed because this process has no descriptor or memory left. That passes when other checks end.
fn is_exhausted(failure: &Failure) -> bool {
    matches!(failure, Failure::Io { error, .. } if child_process::is_exhausted(error))
}

/// The pauses between the attempts of a check while this process has no descriptor or memory left.
struct ExhaustionBackoff {
    end: Instant,
    delay: Duration,
}

impl ExhaustionBackoff {
    fn new() -> ExhaustionBackoff {
        ExhaustionBackoff { end: Instant::now() + MAX_EXHAUSTION, delay: FIRST_EXHAUSTION_DELAY }
    }

    /// Pauses, and returns whether to try again.
    fn wait(&mut self, cancel: &Cancel) -> bool {
        if cancel.is_cancelled() || Instant::now() >= self.end {
            return false;
        }
        std::thread::sleep(self.delay);
        self.delay = (self.delay * 2).min(MAX_EXHAUSTION_DELAY);
        true
    }
}

/// Masks the sensitive values in text that a person or a log reads.
fn mask(text: &mut String, sensitive: &[String]) {
    if let Cow::Owned(masked) = masked(text, sensitive) {
        *text = masked;
    }
}

/// Masks the sensitive values in a failure.
pub(super) fn mask_failure(failure: &mut Failure, sensitive: &[String]) {
    if let Failure::Io { path, .. } = failure
        && let Cow::Owned(masked) = masked(&path.to_string_lossy(), sensitive)
    {
        *path = PathBuf::from(masked);
    }
    failure.message_mut().into_iter().for_each(|message| mask(message, sensitive));
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Provider for Panics {
        fn check_apply(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
            panic!("out of {}", "order")
        }

        fn update(&mut self, _resources: &[Resource]) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// Fails a few times because there is no descriptor left.
    struct Exhausted(usize);

    impl Provider for Exhausted {
        fn check_apply(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
            const EMFILE: i32 = 24;
            self.0 = self.0.saturating_sub(1);
            match self.0 {
                0 => Ok(()),
                _ => Err(Failure::io("open", "/x", std::io::Error::from_raw_os_error(EMFILE))),
            }
        }

        fn update(&mut self, _resources: &[Resource]) -> Result<(), Failure> {
            Ok(())
        }
    }

    fn job(kind: Box<dyn Provider>) -> Job {
        Job {
            key: VertexKey(0),
            kind,
            initialised: false,
            resources: Group::from(Resource::new(ResourceId::new("noop", "n"))),
            apply: true,
            refresh: false,
            flow: None,
            context: Arc::new(SharedContext::default()),
            cancel: Cancel::new(),
            unseen: Unseen::default(),
        }
    }

    #[test]
    fn check_without_a_descriptor_is_repeated() {
        let done = job(Box::new(Exhausted(4))).run();
        assert!(done.result.is_ok(), "{:?}", done.result);
    }

    #[test]
    fn panic_of_a_kind_is_a_failure_of_its_resource() {
        let done = job(Box::new(Panics)).run();
        assert!(matches!(&done.result, Err(Failure::Panic(text)) if text == "out of order"), "{:?}", done.result);
        assert!(done.initialised);
    }
}
