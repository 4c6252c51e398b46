//! Warnings about known failures: pure calls of constants that fail, and whose results the program always needs.
//!
//! The call still fails at run time (spec 04 §6.2: `mclc check` may warn, not reject). There is no warning for values that
//! only a branch, a loop body, a function or the right side of `<|>` uses, because they may never be needed, nor for those
//! on the left side of `<|>`, where the failure may be caught.

use mcl_artifact::program::{Op, Operand};
use mcl_diagnostics::{Code, Diagnostic, Stage};
use rustc_hash::FxHashSet;

use crate::builder::as_consts;
use crate::emit::Emitter;
use crate::marks::Marks;
use crate::visit::{self, Use};

/// Returns the warnings for the last template, which is the top level of the program; one for each location, because a class
/// may be included many times.
pub(crate) fn warnings(emitter: &mut Emitter) -> Vec<Diagnostic> {
    let Some((last, top)) = emitter.templates.last_mut() else { return Vec::new() };
    let mut top = std::mem::take(top);
    let mut needed = Marks::new(top.nodes.len());
    let mut need = |how: Use, operand: &mut Operand| {
        if let (Use::Direct, Operand::Node(n)) = (how, *operand) {
            needed.mark(n);
        }
    };
    top.statements.values_mut().for_each(|statement| visit::statement(statement, &mut need));
    top.keep.iter_mut().for_each(|operand| need(Use::Direct, operand));
    // Operands come before their users.
    for (id, node) in top.nodes.iter_mut().rev() {
        if needed.is_used(id) && !matches!(node.op, Op::Except { .. }) {
            visit::op(&mut node.op, &mut |how, operand| {
                if let (Use::Direct, Operand::Node(part)) = (how, *operand) {
                    needed.mark(part);
                }
            });
        }
    }
    let (mut found, mut spans) = (Vec::new(), FxHashSet::default());
    for (_, node) in top.nodes.iter().filter(|(id, _)| needed.is_used(*id)) {
        let Op::Builtin { function, args } = &node.op else { continue };
        let Some(args) = as_consts(args) else { continue };
        if let (Some(Err(error)), Some(span)) = (emitter.result(*function, &args), node.span)
            && spans.insert(span)
        {
            let name = emitter.pool.function_at(*function).1.name;
            let what = if name.starts_with('_') { "this".to_owned() } else { format!("this call of `{name}`") };
            let message = format!("{what} fails whenever the program runs");
            let warning = Diagnostic::warning(Code::W0201, Stage::Graph, message).at_with(span, error.to_string());
            found.push(if error.is_catchable() {
                warning.help("if that is meant, give a value to fall back to: `… <|> …`")
            } else {
                warning
            });
        }
    }
    emitter.templates[last] = top;
    found
}
