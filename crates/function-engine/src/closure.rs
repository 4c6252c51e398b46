//! Closures at run time: function values, and the locations of closures in templates.

use mcl_artifact::program::{Closure, Op, Statement, Template};

use crate::ids::FrameId;

/// A function value: a closure together with the frame that its captures belong to.
pub(crate) struct FunctionInstance {
    pub(crate) frame: FrameId,
    /// The node of that frame's template whose `Op::Func` holds the closure.
    pub(crate) origin: u32,
}

/// The location of a frame's closure in the template of its parent. Captures are found through it without a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosureLocation {
    /// In a node: the body of a function or call, `then`, or the fallback.
    Node(u32),
    /// `otherwise` of an if expression.
    Otherwise(u32),
    /// In a statement: `then`, or the body of a loop.
    Statement(u32),
    /// `otherwise` of an if statement.
    StatementOtherwise(u32),
}

impl ClosureLocation {
    /// Returns the closure at this location of a template, or `None` if there is none.
    pub(crate) fn of(self, template: &Template) -> Option<&Closure> {
        match self {
            ClosureLocation::Node(n) => match &template.nodes.get(n as usize)?.op {
                Op::Func { closure, .. } | Op::CallKnown { closure, .. } => Some(closure),
                Op::If { then, .. } => Some(then),
                Op::Except { fallback, .. } => Some(fallback),
                Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Call { .. } => None,
            },
            ClosureLocation::Otherwise(n) => match &template.nodes.get(n as usize)?.op {
                Op::If { otherwise, .. } => Some(otherwise),
                _ => None,
            },
            ClosureLocation::Statement(n) => match template.statements.get(n as usize)? {
                Statement::If { then, .. } => Some(then),
                Statement::For { body, .. } | Statement::ForKv { body, .. } => Some(body),
                Statement::Resource(_) | Statement::Edge { .. } => None,
            },
            ClosureLocation::StatementOtherwise(n) => match template.statements.get(n as usize)? {
                Statement::If { otherwise, .. } => otherwise.as_ref(),
                _ => None,
            },
        }
    }
}
