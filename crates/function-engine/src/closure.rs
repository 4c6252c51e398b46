//! Closures at run time: function values, and the locations of closures in templates.

use mcl_artifact::program::{Closure, NodeIdx, Op, Statement, StatementIdx, Template};

use crate::ids::FrameId;

/// A function value: a closure together with the frame that its captures belong to.
pub(crate) struct FunctionInstance {
    pub(crate) frame: FrameId,
    /// The node of that frame's template whose `Op::Func` holds the closure.
    pub(crate) origin: NodeIdx,
}

/// The location of a frame's closure in the template of its parent. Captures are found through it without a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosureLocation {
    /// In a node: the body of a function or call, `then`, or the fallback.
    Node(NodeIdx),
    /// `otherwise` of an if expression.
    Otherwise(NodeIdx),
    /// In a statement: `then`, or the body of a loop.
    Statement(StatementIdx),
    /// `otherwise` of an if statement.
    StatementOtherwise(StatementIdx),
}

impl ClosureLocation {
    /// Returns the closure at this location of a template, or `None` if there is none.
    pub(crate) fn of(self, template: &Template) -> Option<&Closure> {
        match self {
            ClosureLocation::Node(n) => match &template.nodes.get(n)?.op {
                Op::Func { closure, .. } | Op::CallKnown { closure, .. } => Some(closure),
                Op::If { then, .. } => Some(then),
                Op::Except { fallback, .. } => Some(fallback),
                Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Call { .. } => None,
            },
            ClosureLocation::Otherwise(n) => match &template.nodes.get(n)?.op {
                Op::If { otherwise, .. } => Some(otherwise),
                _ => None,
            },
            ClosureLocation::Statement(n) => match template.statements.get(n)? {
                Statement::If { then, .. } => Some(then),
                Statement::For { body, .. } | Statement::ForKv { body, .. } => Some(body),
                Statement::Resource(_) | Statement::Edge { .. } => None,
            },
            ClosureLocation::StatementOtherwise(n) => match template.statements.get(n)? {
                Statement::If { otherwise, .. } => otherwise.as_ref(),
                _ => None,
            },
        }
    }
}
