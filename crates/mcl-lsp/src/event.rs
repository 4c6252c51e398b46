//! What the threads send each other.

use std::sync::Arc;

use mcl_analysis::Analysis;
use serde_json::Value;

use crate::client::Client;
use crate::documents::Documents;
use crate::frame::Frame;
use crate::message::{Id, Reply, RequestError};

/// What arrives at the main thread.
pub(crate) enum Event {
    Frame(Frame),
    Unreadable,
    Analyzed(Analyzed),
    /// What is wrong is known before the analysis: for each file its address and the parameters to publish.
    Found {
        /// Which state of the texts it is.
        generation: u64,
        publications: Vec<(String, Value)>,
    },
    Answered(Id, Result<Reply, RequestError>),
    /// A request needs an analysis of the newest texts.
    Postponed(Waiting),
    ClientGone,
    /// The first analysis has taken a while.
    Slow,
}

/// A request that waits for an analysis.
pub(crate) struct Waiting {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// The state of the texts that it asks about.
    pub(crate) generation: u64,
}

/// What arrives at the analysis thread.
pub(crate) enum Work {
    Texts(Box<Job>),
    /// A request waits for an analysis of the last texts.
    Wanted,
    /// An analysis that nobody needs any more. It takes a while to free it.
    Drop(Option<Arc<Analysis>>),
}

/// The texts to analyse.
pub(crate) struct Job {
    /// The last state after something other than open texts changed.
    pub(crate) fixed: u64,
    /// Which state of the texts it is.
    pub(crate) generation: u64,
    pub(crate) documents: Documents,
    pub(crate) client: Arc<Client>,
}

/// What became of a [`Job`].
pub(crate) struct Analyzed {
    pub(crate) generation: u64,
    /// `None` after a panic.
    pub(crate) analysis: Option<Arc<Analysis>>,
    /// For each file its address and the parameters to publish.
    pub(crate) publications: Vec<(String, Value)>,
}
