//! What editors and `mclc check` ask about manifests and templates of Puppet: errors, lints, and what they contain.
//!
//! [`parse`] takes a text, whether it was saved or not, and [`lint`] a text without errors. The definitions that it uses come
//! from a [`Library`]: of the other texts at hand, and of the files in which Puppet would look for a name.
//!
//! This crate knows neither the protocol of an editor nor its notation.

mod analyze;
mod folds;
mod library;
mod symbols;

pub use analyze::{has_errors, is_manifest, is_pedantic, lint, parse};
pub use folds::{Fold, folds};
pub use library::{Disk, FileDefinitions, Library, Scope};
pub use pp_lint::{Definitions, Found, NoDefinitions};
pub use symbols::{Symbol, SymbolKind, symbols};
