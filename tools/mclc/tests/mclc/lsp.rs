//! `mclc lsp`, driven by a client (spec 11 §2, §3).

mod actions;
mod client;
mod edits;
mod life;
mod manifests;
mod requests;
mod rows;
mod text;
