//! The compiler as a person runs it.

mod command;
mod explain;
mod ui;
mod unusable;
