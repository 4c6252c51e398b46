//! What the scope stage starts from.

use std::sync::Arc;

use mcl_parser::ast::Ast;
use rustc_hash::FxHashMap;

use crate::scoped::UnitId;

/// All files of a program after interpolation, and what each import means. Made by the module loader; this crate does no
/// I/O.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The trees; the main file is first.
    pub units: Vec<Arc<Ast>>,
    /// By the importing file and the raw text between the quotes.
    pub imports: FxHashMap<(UnitId, Arc<str>), Import>,
}

/// What an import statement means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The alias if the statement has no `as` (spec 01 §6.1).
    pub alias: Arc<str>,
    /// What is imported.
    pub target: ImportTarget,
}

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// Native functions and variables with this prefix: `golang/strings`.
    System(Arc<str>),
    /// A file, or the main file of a module directory.
    Unit(UnitId),
    /// It could not be loaded. That was reported; names behind its alias are not reported on top.
    Failed,
}
