//! Lints about expressions and statements.

use mcl_diagnostics::Code;
use pp_ast::{ArrowOp, Expr, ExprId, Radix, TextRange};

use crate::check::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    for (id, expr) in &tree.exprs {
        match expr {
            Expr::Case(_, options) => {
                let values = || options.iter().flat_map(|option| tree.list(option.values));
                if !values().any(|value| matches!(tree.exprs[*value], Expr::Default)) {
                    let keyword = TextRange { end: context.range(id).start + 4, ..context.range(id) };
                    let help = "add `default: {}`, or `default: { fail(…) }` if no other value may occur";
                    findings.add(Code::W0323, keyword, "`case` without `default`", help);
                }
                values().for_each(|value| check_case_value(context, findings, *value));
            }
            Expr::Selector(_, entries) => {
                entries.iter().for_each(|entry| check_case_value(context, findings, entry.value));
            }
            Expr::Integer(value, Radix::Octal) => {
                let source = context.source(id);
                let help =
                    format!("an octal number of the value {value}: quote it if it is a mode, else write `{value}`");
                findings.add(Code::W0327, context.range(id), format!("leading zero in `{source}`"), help);
            }
            Expr::Arrow(operator, left, right) => check_arrow(context, findings, *operator, *left, *right),
            Expr::Call(call) => {
                let call = &tree.calls[*call];
                if matches!(context.word(call.functor), Some("include" | "contain" | "require")) {
                    tree.list(call.arguments).iter().for_each(|name| check_class_name(context, findings, *name));
                }
            }
            _ => {}
        }
    }
    for resource in tree.resources.values() {
        if context.word(resource.type_name) == Some("class") {
            tree.bodies(resource.bodies).iter().for_each(|body| check_class_name(context, findings, body.title));
        }
    }
}

fn check_case_value(context: &Context<'_>, findings: &mut Findings<'_>, value: ExprId) {
    if let Expr::Name(name) = context.tree.exprs[value] {
        let name = context.tree.str(name);
        findings.add(
            Code::W0324,
            context.range(value),
            format!("unquoted string `{name}` to compare with"),
            format!("write `'{name}'`"),
        );
    }
}

/// Names of classes are absolute since Puppet 4.
fn check_class_name(context: &Context<'_>, findings: &mut Findings<'_>, name: ExprId) {
    if let Some(relative) = context.word(name).and_then(|name| name.strip_prefix("::")) {
        let message = format!("leading `::` of the class name `::{relative}`");
        findings.add(Code::W0328, context.range(name), message, format!("write `{relative}`"));
    }
}

fn check_arrow(context: &Context<'_>, findings: &mut Findings<'_>, operator: ArrowOp, left: ExprId, right: ExprId) {
    let (symbol, reversed) = match operator {
        ArrowOp::Before => ("->", None),
        ArrowOp::Notify => ("~>", None),
        ArrowOp::Require => ("<-", Some("->")),
        ArrowOp::Subscribe => ("<~", Some("~>")),
    };
    let (left, right) = (context.range(left), context.range(right));
    let between = TextRange { start: left.end, end: right.start };
    let Some(at) = context.map.find_code(context.text, between, symbol) else { return };
    let arrow = TextRange { start: at, end: at + 2 };
    if let Some(reversed) = reversed {
        let help = format!("write the operands in the order in which they are applied, with `{reversed}`");
        findings.add(Code::W0326, arrow, format!("arrow `{symbol}` from right to left"), help);
    }
    let line = |at: u32| context.subject.file.line_of(at);
    if line(at) != line(right.start) {
        let help = "start the line of the right operand with the arrow";
        findings.add(Code::W0306, arrow, "arrow at the end of a line", help);
    }
}
