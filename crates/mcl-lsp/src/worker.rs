//! The analysis thread.
//!
//! After an edit of one text, its findings are often known from the part of the program that it concerns. They are published
//! at once, and the whole is analysed after a pause, or when a request needs it. Texts that are not the newest any more are not
//! worth going on with.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use mcl_analysis::{Analysis, Analyzer};

use crate::diagnostics;
use crate::event::{Analyzed, Event, Job, Work};
use crate::manifests::Manifests;

/// The time without a change after which everything is analysed.
const PAUSE: Duration = Duration::from_millis(50);

/// An analysis goes on even if its texts are not the newest any more after it was given up this often: somebody may wait.
const MAX_GIVEN_UP: u32 = 3;

/// Analyses until there is no more work. `newest` is the newest state of the texts.
pub(crate) fn run(work: &Receiver<Work>, events: &Sender<Event>, newest: &AtomicU64) {
    let mut worker = Worker::default();
    // The texts whose findings are known, and nothing else.
    let mut pending: Option<Box<Job>> = None;
    loop {
        let received = match pending {
            None => work.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => work.recv_timeout(PAUSE),
        };
        let (mut job, mut is_wanted, mut old) = (None, false, Vec::new());
        match received {
            Ok(first) => {
                for next in std::iter::once(first).chain(work.try_iter()) {
                    match next {
                        Work::Texts(newer) => job = Some(newer),
                        Work::Wanted => is_wanted = true,
                        Work::Drop(analysis) => old.push(analysis),
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => is_wanted = true,
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if let Some(job) = job {
            match worker.edit(&job) {
                Some(found) => {
                    if events.send(found).is_err() {
                        return;
                    }
                }
                None => is_wanted = true,
            }
            pending = Some(job);
        }
        drop(old);
        if let Some(job) = pending.take_if(|_| is_wanted)
            && let Some(analyzed) = worker.analyze(&job, newest)
            && events.send(Event::Analyzed(analyzed)).is_err()
        {
            return;
        }
    }
}

/// What is known from the last texts.
#[derive(Default)]
struct Worker {
    analyzer: Analyzer,
    manifests: Manifests,
    /// The state of the texts that the analyzer knows.
    known: Option<u64>,
    given_up: u32,
}

impl Worker {
    /// Finds what is wrong after an edit; `None` if that takes an analysis of everything.
    fn edit(&mut self, job: &Job) -> Option<Event> {
        // What is not a text may have changed in between.
        if self.known.is_none_or(|known| known < job.fixed) {
            return None;
        }
        let found = catch_unwind(AssertUnwindSafe(|| {
            let analysis = self.analyzer.analyze_edit(&job.documents.workspace.sources())?;
            Some(publications(&mut self.manifests, &analysis, job))
        }));
        match found {
            Ok(publications) => {
                let publications = publications?;
                self.known = Some(job.generation);
                Some(Event::Found { generation: job.generation, publications })
            }
            Err(_) => {
                *self = Worker::default();
                None
            }
        }
    }

    /// Analyses everything. Returns `None` if there are newer texts.
    fn analyze(&mut self, job: &Job, newest: &AtomicU64) -> Option<Analyzed> {
        let Job { generation, documents, .. } = job;
        let is_wanted = || self.given_up >= MAX_GIVEN_UP || newest.load(Ordering::Relaxed) <= *generation;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let analysis = self.analyzer.analyze_while(&documents.workspace.sources(), &is_wanted)?;
            let publications = publications(&mut self.manifests, &analysis, job);
            Some((analysis, publications))
        }));
        let (analysis, publications) = match result {
            Ok(Some((analysis, publications))) => (Some(Arc::new(analysis)), publications),
            Ok(None) => {
                self.given_up += 1;
                return None;
            }
            Err(_) => {
                *self = Worker::default();
                (None, Vec::new())
            }
        };
        self.given_up = 0;
        self.known = analysis.is_some().then_some(*generation);
        Some(Analyzed { generation: *generation, analysis, publications })
    }
}

fn publications(manifests: &mut Manifests, analysis: &Analysis, job: &Job) -> Vec<(String, serde_json::Value)> {
    let of_manifests = manifests.findings(&job.documents, job.fixed, &job.client.settings);
    diagnostics::publications(analysis, (manifests, of_manifests), &job.documents, &job.client)
}
