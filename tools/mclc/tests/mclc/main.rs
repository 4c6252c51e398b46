//! The compiler as a person runs it.

mod check;
mod ci_examples;
mod command;
mod explain;
mod fix;
mod fmt;
mod get;
mod lookup;
mod lsp;
mod puppet;
mod puppet_failures;
mod ruby;
mod stages;
mod ui;
mod unusable;
mod watch;
mod writing;
