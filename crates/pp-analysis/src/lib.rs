//! What editors and `mclc check` ask about a single manifest or template of Puppet: errors, lints, and what it contains.
//!
//! A manifest needs no other file for that, so there is no workspace: [`analyze`] takes a text, whether it was saved or not.
//!
//! This crate reads no manifest, and knows neither the protocol of an editor nor its notation.

mod analyze;
mod folds;
mod symbols;

pub use analyze::{Analyzed, analyze, is_manifest, is_pedantic, lint};
pub use folds::{Fold, folds};
pub use symbols::{Symbol, SymbolKind, symbols};
