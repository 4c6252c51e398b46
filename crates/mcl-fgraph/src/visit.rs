//! Visiting the operands of nodes and statements.

use mcl_artifact::program::{Closure, EntryKind, Op, Operand, Statement};

/// How an operand is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is needed whenever its user is.
    Direct,
    /// Captured by a closure: it is needed only if something inside uses it.
    Captured,
}

type Visitor<'a> = dyn FnMut(Use, &mut Operand) + 'a;

/// Visits the operands of a node.
pub(crate) fn op(op: &mut Op, f: &mut Visitor<'_>) {
    match op {
        Op::List(parts) | Op::Struct(_, parts) => direct(parts, f),
        Op::Map(pairs) => {
            for (key, value) in pairs {
                f(Use::Direct, key);
                f(Use::Direct, value);
            }
        }
        Op::Builtin { function: _, args } => direct(args, f),
        Op::Func { closure, ty: _ } => captured(closure, f),
        Op::Call { callee, args } => {
            f(Use::Direct, callee);
            direct(args, f);
        }
        Op::CallKnown { closure, args } => {
            captured(closure, f);
            direct(args, f);
        }
        Op::If { condition, then, otherwise } => {
            f(Use::Direct, condition);
            captured(then, f);
            captured(otherwise, f);
        }
        Op::Except { value, fallback } => {
            f(Use::Direct, value);
            captured(fallback, f);
        }
    }
}

/// Visits the operands of a statement.
pub(crate) fn statement(statement: &mut Statement, f: &mut Visitor<'_>) {
    match statement {
        Statement::Resource(resource) => {
            f(Use::Direct, &mut resource.name);
            direct(&mut resource.collect, f);
            for entry in &mut resource.entries {
                direct(&mut entry.condition, f);
                match &mut entry.kind {
                    EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => f(Use::Direct, value),
                    EntryKind::Edge { half, .. } => f(Use::Direct, &mut half.name),
                }
            }
        }
        Statement::Edge { halves, span: _ } => halves.iter_mut().for_each(|half| f(Use::Direct, &mut half.name)),
        Statement::If { condition, then, otherwise } => {
            f(Use::Direct, condition);
            captured(then, f);
            otherwise.iter_mut().for_each(|closure| captured(closure, f));
        }
        Statement::For { list: input, body } | Statement::ForKv { map: input, body } => {
            f(Use::Direct, input);
            captured(body, f);
        }
    }
}

/// Visits the closures of a node.
pub(crate) fn op_closures(op: &mut Op, f: &mut dyn FnMut(&mut Closure)) {
    match op {
        Op::List(_) | Op::Map(_) | Op::Struct(..) | Op::Builtin { .. } | Op::Call { .. } => {}
        Op::Func { closure, .. } | Op::CallKnown { closure, .. } => f(closure),
        Op::If { then, otherwise, .. } => {
            f(then);
            f(otherwise);
        }
        Op::Except { fallback, .. } => f(fallback),
    }
}

/// Visits the closures of a statement.
pub(crate) fn statement_closures(statement: &mut Statement, f: &mut dyn FnMut(&mut Closure)) {
    match statement {
        Statement::Resource(_) | Statement::Edge { .. } => {}
        Statement::If { then, otherwise, .. } => {
            f(then);
            otherwise.iter_mut().for_each(f);
        }
        Statement::For { body, .. } | Statement::ForKv { body, .. } => f(body),
    }
}

fn direct<'a>(operands: impl IntoIterator<Item = &'a mut Operand>, f: &mut Visitor<'_>) {
    for operand in operands {
        f(Use::Direct, operand);
    }
}

fn captured(closure: &mut Closure, f: &mut Visitor<'_>) {
    for operand in closure.captures.values_mut() {
        f(Use::Captured, operand);
    }
}
