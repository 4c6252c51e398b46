//! The names that the server offers to its client: of commands, and of kinds of code actions.

pub(crate) const SHOW_GRAPH: &str = "mclc.showGraph";
pub(crate) const EXPLAIN: &str = "mclc.explain";

/// The commands that are offered.
pub(crate) const COMMANDS: [&str; 2] = [SHOW_GRAPH, EXPLAIN];

pub(crate) const QUICK_FIX: &str = "quickfix";
pub(crate) const FIX_ALL: &str = "source.fixAll.mclc";
pub(crate) const ORGANIZE_IMPORTS: &str = "source.organizeImports";

pub(crate) const EXTRACT: &str = "refactor.extract";
pub(crate) const INLINE: &str = "refactor.inline";
pub(crate) const REWRITE: &str = "refactor.rewrite";
pub(crate) const MOVE: &str = "refactor.move";

/// The kinds of code actions that are offered.
pub(crate) const ACTION_KINDS: [&str; 7] = [QUICK_FIX, FIX_ALL, ORGANIZE_IMPORTS, EXTRACT, INLINE, REWRITE, MOVE];
