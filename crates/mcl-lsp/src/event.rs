//! What the threads send each other.

use std::sync::Arc;

use mcl_analysis::Analysis;
use serde_json::Value;

use crate::client::Client;
use crate::documents::Documents;
use crate::frame::Frame;
use crate::message::{Id, RequestError};

/// What arrives at the main thread.
pub(crate) enum Event {
    Frame(Frame),
    Unreadable,
    Analyzed(Analyzed),
    Answered(Id, Result<Value, RequestError>),
    ClientGone,
    /// The first analysis has taken a while.
    Slow,
}

/// The texts to analyse.
pub(crate) struct Job {
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
