//! The analysis thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use mcl_analysis::Analyzer;

use crate::diagnostics;
use crate::event::{Analyzed, Event, Job};

/// Analyses until there are no more jobs.
pub(crate) fn run(jobs: &Receiver<Job>, events: &Sender<Event>) {
    let mut analyzer = Analyzer::default();
    while let Ok(Job { generation, documents, client }) = jobs.recv() {
        let sources = documents.workspace.sources();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let analysis = analyzer.analyze(&sources);
            let publications = diagnostics::publications(&analysis, &documents, &client);
            (analysis, publications)
        }));
        let (analysis, publications) = match result {
            Ok((analysis, publications)) => (Some(Arc::new(analysis)), publications),
            Err(_) => {
                analyzer = Analyzer::default();
                (None, Vec::new())
            }
        };
        if events.send(Event::Analyzed(Analyzed { generation, analysis, publications })).is_err() {
            return;
        }
    }
}
