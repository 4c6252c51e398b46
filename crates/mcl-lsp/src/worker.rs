//! The analysis thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use mcl_analysis::Analyzer;

use crate::diagnostics;
use crate::event::{Analyzed, Event, Job};
use crate::manifests::Manifests;

/// Analyses until there are no more jobs.
pub(crate) fn run(jobs: &Receiver<Job>, events: &Sender<Event>) {
    let mut analyzer = Analyzer::default();
    let mut manifests = Manifests::default();
    while let Ok(Job { generation, documents, client }) = jobs.recv() {
        let sources = documents.workspace.sources();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let analysis = analyzer.analyze(&sources);
            let of_manifests = manifests.findings(&documents, &client.settings);
            let publications = diagnostics::publications(&analysis, of_manifests, &documents, &client);
            (analysis, publications)
        }));
        let (analysis, publications) = match result {
            Ok((analysis, publications)) => (Some(Arc::new(analysis)), publications),
            Err(_) => {
                analyzer = Analyzer::default();
                manifests = Manifests::default();
                (None, Vec::new())
            }
        };
        if events.send(Event::Analyzed(Analyzed { generation, analysis, publications })).is_err() {
            return;
        }
    }
}
