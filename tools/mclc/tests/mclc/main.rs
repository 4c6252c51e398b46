//! The compiler as a person runs it.

mod command;
mod explain;
mod get;
mod puppet;
mod stages;
mod ui;
mod unusable;
mod writing;
