//! The blocks of statements.

use crate::ast::{Block, IfStmt, Stmt};

/// The blocks of a statement, by shared or by mutable reference.
macro_rules! blocks {
    ($stmt:expr, $as_reference:ident $(, $mut:ident)?) => {
        match $stmt {
            Stmt::If(branches) => {
                let IfStmt { then, otherwise, .. } = &$($mut)? **branches;
                [Some(then), otherwise.$as_reference()]
            }
            Stmt::For(iteration) | Stmt::ForKv(iteration) => [Some(&$($mut)? iteration.body), None],
            Stmt::Class(class) => [Some(&$($mut)? class.body), None],
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::Func { .. }
            | Stmt::Include(_)
            | Stmt::Import(_) => [None, None],
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
        blocks!(self, as_mut, mut)
    }
}
