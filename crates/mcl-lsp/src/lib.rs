//! The language server (spec 11 §2): a thin layer between the Language Server Protocol and [`mcl_analysis`].
//!
//! Four threads share no state, only messages:
//!
//! - the reader splits the input into messages (`frame.rs`), and reports what is not a message;
//! - the main thread (`server.rs`) owns the texts. It applies changes, and passes requests on;
//! - the analysis thread (`worker.rs`) analyses the newest texts. After an edit it publishes the findings as soon as the part
//!   of the program that the edit concerns tells them, and analyses everything after a pause, or when a request needs it. A
//!   result whose texts are no longer the newest is not published;
//! - the request thread answers requests (`requests.rs`), one after the other. What needs only the text is answered at
//!   once, and what needs a part of the program from an analysis of that part; all else waits for the analysis of a text at
//!   least as new as the request.
//!
//! A request is answered exactly once, by the main thread, which knows those that were cancelled. A panic in a request or in
//! an analysis is an error response, and the next one works.
//!
//! Puppet manifests and templates are texts beside the programs, which need no other file: the analysis thread finds what is
//! wrong with them, and their symbols are answered from the text. `pp-analysis` knows what they mean.
//!
//! The framing is our own because that of `lsp-server` ends at the first malformed message, where spec 11 §2.6 asks for an
//! error and the next message.

mod client;
mod convert;
mod diagnostics;
mod documents;
mod event;
mod formatting;
mod frame;
mod manifests;
mod message;
mod offered;
mod requests;
mod server;
mod settings;
mod uri;
mod worker;

pub use server::serve;
