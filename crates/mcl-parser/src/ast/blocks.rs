//! The blocks of statements.

use crate::ast::{Block, Stmt};

/// The blocks of a statement, by shared or by mutable reference.
macro_rules! blocks {
    ($stmt:expr, $as_reference:ident) => {
        match $stmt {
            Stmt::If { then, otherwise, .. } => [Some(then), otherwise.$as_reference()],
            Stmt::For { body, .. } | Stmt::ForKv { body, .. } | Stmt::Class { body, .. } => [Some(body), None],
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::Func { .. }
            | Stmt::Include { .. }
            | Stmt::Import { .. } => [None, None],
        }
        .into_iter()
        .flatten()
    };
}

impl Stmt {
    /// Returns the blocks directly in the statement.
    pub(crate) fn blocks(&self) -> impl DoubleEndedIterator<Item = &Block> {
        blocks!(self, as_ref)
    }

    /// Returns the blocks directly in the statement, to change them.
    pub(crate) fn blocks_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Block> {
        blocks!(self, as_mut)
    }
}
