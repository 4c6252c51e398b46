//! Lints about expressions and statements.

use mcl_diagnostics::Code;
use pp_ast::{ArrowOp, BinaryOp, Expr, ExprId, Radix, TextRange};

use crate::context::{Context, Findings};

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
                values().for_each(|value| check_unquoted(context, findings, Code::W0324, *value, "string"));
            }
            Expr::Selector(_, entries) => {
                let values = entries.iter().map(|entry| entry.value);
                values.for_each(|value| check_unquoted(context, findings, Code::W0370, value, "string"));
            }
            Expr::Access(target, keys) if matches!(tree.exprs[*target], Expr::TypeName(_)) => {
                let keys = tree.list(*keys).iter();
                match context.word(*target) {
                    Some("Class") => keys.for_each(|key| check_class_name(context, findings, Code::W0373, *key)),
                    // Their parameters are words, not titles.
                    Some("Enum" | "Runtime") => {}
                    _ => keys.for_each(|key| check_unquoted(context, findings, Code::W0371, *key, "title")),
                }
            }
            Expr::Integer(value, Radix::Octal) => {
                let source = context.source(id);
                let help =
                    format!("an octal number of the value {value}: quote it if it is a mode, else write `{value}`");
                findings.add(Code::W0327, context.range(id), format!("leading zero in `{source}`"), help);
            }
            Expr::Binary(operator, left, right) => check_comparison(context, findings, *operator, *left, *right),
            Expr::Arrow(operator, left, right) => check_arrow(context, findings, *operator, *left, *right),
            Expr::Call(call) => {
                let call = &tree.calls[*call];
                if matches!(context.word(call.functor), Some("include" | "contain" | "require")) {
                    let names = tree.list(call.arguments).iter();
                    names.for_each(|name| check_class_name(context, findings, Code::W0328, *name));
                }
            }
            _ => {}
        }
    }
    check_top_scope(context, findings);
    for resource in tree.resources.values() {
        if context.word(resource.type_name) == Some("class") {
            let titles = tree.bodies(resource.bodies).iter().map(|body| body.title);
            titles.for_each(|title| check_class_name(context, findings, Code::W0328, title));
        }
    }
}

/// Code outside of definitions: in a module, it belongs to a class.
fn check_top_scope(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    let Some(Expr::Block(statements)) = tree.root.map(|root| &tree.exprs[root]) else { return };
    for statement in tree.list(*statements) {
        if !matches!(tree.exprs[*statement], Expr::Definition(_) | Expr::Nop) {
            let help = "write it into a class or define, or into a node";
            findings.add(Code::W0335, first_line(context, *statement), "code outside of classes and defines", help);
        }
    }
}

/// Returns the part of an expression that is on its first line.
fn first_line(context: &Context<'_>, id: ExprId) -> TextRange {
    let range = context.range(id);
    let length = context.source(id).lines().next().map_or(0, str::len);
    TextRange { end: range.start + u32::try_from(length).unwrap_or(0), ..range }
}

/// Strings are compared letter by letter: `'10' < '9'`.
fn check_comparison(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    operator: BinaryOp,
    left: ExprId,
    right: ExprId,
) {
    let is_order =
        matches!(operator, BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual);
    let is_version = |id: ExprId| {
        let text = context.string(id).filter(|text| !text.is_empty());
        text.is_some_and(|text| {
            text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    if is_order && let Some(version) = [right, left].into_iter().find(|id| is_version(*id)) {
        let symbol = operator.symbol();
        let help = format!(
            "strings are compared letter by letter, so '10' is less than '9': write `versioncmp(…, …) {symbol} 0`"
        );
        let message = format!("version {} compared as a string", context.source(version));
        findings.add(Code::W0347, context.range(version), message, help);
    }
}

/// A bare word where a string is meant.
fn check_unquoted(context: &Context<'_>, findings: &mut Findings<'_>, code: Code, value: ExprId, what: &str) {
    if let Expr::Name(name) = context.tree.exprs[value] {
        let name = context.tree.str(name);
        let message = format!("unquoted {what} `{name}`");
        findings.add(code, context.range(value), message, format!("write `'{name}'`"));
    }
}

/// Names of classes are absolute since Puppet 4.
fn check_class_name(context: &Context<'_>, findings: &mut Findings<'_>, code: Code, name: ExprId) {
    if let Some(relative) = context.word(name).and_then(|name| name.strip_prefix("::")) {
        let message = format!("leading `::` of the class name `::{relative}`");
        findings.add(code, context.range(name), message, format!("write `{relative}`"));
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
