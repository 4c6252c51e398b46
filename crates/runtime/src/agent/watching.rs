//! The sources of events of resources: paths, timers, tasks and buses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use resource_engine::VertexKey;
use resources::{Cancel, CancelLevel, Failure, Task, TaskHandle, Watch};
use smallvec::SmallVec;

use crate::agent::mailbox::{AgentHandle, Message};
use crate::watcher::{Subscription, Watcher};

/// Tasks only wait and report, so a small stack is enough.
const TASK_STACK_BYTES: usize = 256 * 1024;

/// The watches of one vertex that are in place.
#[derive(Default)]
pub(super) struct ActiveWatches {
    /// The epoch for which the engine asked for them; 0 when there are none.
    pub(super) epoch: u32,
    /// Almost all vertices have one.
    subscriptions: SmallVec<[Subscription; 1]>,
    /// `None` for the many vertices that watch only paths.
    others: Option<Box<OtherWatches>>,
}

/// The watches of one vertex that are not paths.
#[derive(Default)]
struct OtherWatches {
    timers: Vec<TimerId>,
    tasks: Vec<(Arc<Cancel>, JoinHandle<()>)>,
    /// Dropping one ends a source that several resources share.
    listeners: Vec<Box<dyn Send>>,
}

impl ActiveWatches {
    /// Takes the threads, to end them together with others.
    pub(super) fn take_tasks(&mut self) -> Vec<(Arc<Cancel>, JoinHandle<()>)> {
        self.others.as_deref_mut().map(|others| std::mem::take(&mut others.tasks)).unwrap_or_default()
    }

    fn others(&mut self) -> &mut OtherWatches {
        self.others.get_or_insert_default()
    }

    fn has_timer(&self, id: TimerId) -> bool {
        self.others.as_deref().is_some_and(|others| others.timers.contains(&id))
    }
}

/// Identifies a timer over the whole run. A timer whose id its vertex no longer has is outdated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct TimerId(u64);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PeriodicTimer {
    at: Instant,
    id: TimerId,
    key: VertexKey,
    period: Duration,
}

/// The sources of events of all vertices.
pub(super) struct Watching {
    watcher: Watcher,
    timers: BinaryHeap<Reverse<PeriodicTimer>>,
    last_timer: TimerId,
    mailbox: AgentHandle,
}

impl Watching {
    /// Tasks and buses report to the mailbox.
    pub(super) fn new(mailbox: AgentHandle) -> Watching {
        Watching { watcher: Watcher::new(), timers: BinaryHeap::new(), last_timer: TimerId::default(), mailbox }
    }

    /// Readable when [`Watching::changed_paths`] has to be called.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.watcher.fd()
    }

    /// The next time at which something here is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let timer = self.timers.peek().map(|Reverse(timer)| timer.at);
        timer.into_iter().chain(self.watcher.next_poll()).min()
    }

    pub(super) fn is_poll_due(&self, now: Instant) -> bool {
        self.watcher.next_poll().is_some_and(|at| at <= now)
    }

    /// Whether paths are polled because the kernel allows no more watches; `true` at most once.
    pub(super) fn take_limit_reached(&mut self) -> bool {
        self.watcher.take_limit_reached()
    }

    /// Returns the vertices with a path that changed.
    ///
    /// # Errors
    /// The kernel's events cannot be read.
    pub(super) fn changed_paths(&mut self, now: Instant) -> io::Result<Vec<VertexKey>> {
        Ok(self.watcher.read(now)?.into_iter().map(|token| VertexKey(token as u32)).collect())
    }

    /// Returns the vertices with a timer that is due, and sets these timers again. `active` returns the watches of a
    /// vertex.
    pub(super) fn due_timers<'w>(
        &mut self,
        now: Instant,
        active: impl Fn(VertexKey) -> Option<&'w ActiveWatches>,
    ) -> Vec<VertexKey> {
        let mut due = Vec::new();
        while let Some(Reverse(timer)) = self.timers.peek().copied().filter(|Reverse(timer)| timer.at <= now) {
            self.timers.pop();
            if active(timer.key).is_some_and(|watches| watches.has_timer(timer.id)) {
                self.timers.push(Reverse(PeriodicTimer { at: now + timer.period, ..timer }));
                due.push(timer.key);
            }
        }
        due
    }

    /// Puts watches of a vertex in place, beside those that it has.
    pub(super) fn start(&mut self, key: VertexKey, watches: Vec<Watch>, active: &mut ActiveWatches) {
        let epoch = active.epoch;
        for watch in watches {
            match watch {
                Watch::Path(path, scope) => {
                    active.subscriptions.push(self.watcher.subscribe(&path, scope, u64::from(key.0)));
                }
                Watch::Every(period) => {
                    self.last_timer.0 += 1;
                    let id = self.last_timer;
                    active.others().timers.push(id);
                    self.timers.push(Reverse(PeriodicTimer { at: Instant::now() + period, id, key, period }));
                }
                Watch::Listen(listen) => {
                    let mailbox = self.mailbox.clone();
                    let wake = Box::new(move || mailbox.send(Message::Task(key, epoch, None)));
                    active.others().listeners.push(listen(wake));
                }
                Watch::Task(task) => active.others().tasks.extend(self.start_task(key, epoch, task)),
            }
        }
    }

    /// A thread that cannot be started is a watch that failed.
    fn start_task(&self, key: VertexKey, epoch: u32, task: Task) -> Option<(Arc<Cancel>, JoinHandle<()>)> {
        let cancel = Cancel::new();
        let ours = cancel.clone();
        let mailbox = self.mailbox.clone();
        let wake_mailbox = mailbox.clone();
        let wake = Box::new(move || wake_mailbox.send(Message::Task(key, epoch, None)));
        let run = move || {
            let handle = TaskHandle { cancel, wake };
            if let Err(failure) = task(&handle)
                && !handle.cancel.is_cancelled()
            {
                mailbox.send(Message::Task(key, epoch, Some(failure)));
            }
        };
        let thread = std::thread::Builder::new().name("watch".to_owned()).stack_size(TASK_STACK_BYTES);
        match thread.spawn(run) {
            Ok(thread) => Some((ours, thread)),
            Err(error) => {
                let failure = Failure::Unavailable(format!("cannot start a thread: {error}"));
                self.mailbox.send(Message::Task(key, epoch, Some(failure)));
                None
            }
        }
    }

    /// Replaces the watches of a vertex. The new ones are in place before the old ones end, so no event is missed.
    pub(super) fn replace(&mut self, key: VertexKey, watches: Vec<Watch>, active: &mut ActiveWatches) {
        let mut old = std::mem::replace(active, ActiveWatches { epoch: active.epoch, ..ActiveWatches::default() });
        self.start(key, watches, active);
        self.end(&mut old);
    }

    /// Ends all watches of a vertex.
    pub(super) fn end(&mut self, active: &mut ActiveWatches) {
        for subscription in active.subscriptions.drain(..) {
            self.watcher.unsubscribe(subscription);
        }
        // Dropping the rest ends the listeners and outdates the timers.
        for (cancel, _) in active.others.take().into_iter().flat_map(|others| others.tasks) {
            cancel.request(CancelLevel::Cancel);
        }
        active.epoch = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_timer_is_not_due() {
        let mut watching = Watching::new(AgentHandle::new());
        let key = VertexKey(3);
        let mut active = ActiveWatches { epoch: 1, ..ActiveWatches::default() };
        let period = Duration::from_secs(10);
        watching.start(key, vec![Watch::Every(period)], &mut active);
        watching.replace(key, vec![Watch::Every(period)], &mut active);
        let due = watching.due_timers(Instant::now() + period, |_| Some(&active));
        assert_eq!(due, [key], "one timer, not two");
        watching.end(&mut active);
        assert_eq!(watching.due_timers(Instant::now() + period * 3, |_| Some(&active)), []);
        assert_eq!(watching.deadline(), None);
    }
}
