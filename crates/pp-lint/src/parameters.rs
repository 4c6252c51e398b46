//! Lints about the parameters of classes, defines and functions.

use mcl_diagnostics::Code;
use pp_ast::{Definition, Expr, ExprId, Parameter, ParameterList, TextRange};

use crate::comments::before;
use crate::context::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for definition in context.tree.definitions.values() {
        match definition {
            Definition::Class(class) => check_documented(context, findings, class.parameters, class.expr),
            Definition::Define(define) => check_documented(context, findings, define.parameters, define.expr),
            Definition::Function(function) => check_all(context, findings, function.parameters),
            Definition::Node(_) | Definition::TypeAlias(_) => {}
        }
    }
}

/// The parameters of a class or define are its interface.
fn check_documented(context: &Context<'_>, findings: &mut Findings<'_>, list: ParameterList, whole: ExprId) {
    check_all(context, findings, list);
    let needed = findings.is_on(Code::W0351) && !context.map.is_template;
    let comments = if needed { before(context, context.range(whole).start) } else { &[] };
    for parameter in context.tree.parameters(list) {
        let name = context.tree.str(parameter.name);
        if needed && !is_documented(context, comments, name) {
            let help = format!("add `# @param {name}` and a description to the comment before the definition");
            let message = format!("parameter `${name}` without documentation");
            findings.add(Code::W0351, parameter.range, message, help);
        }
        if parameter.type_expr.is_none() {
            let help = "write the type of its values before it, such as `String[1]`";
            findings.add(Code::W0350, parameter.range, format!("parameter `${name}` without a type"), help);
        }
    }
}

/// Whether a line of comments is `# @param NAME`, perhaps with a type in brackets before the name.
fn is_documented(context: &Context<'_>, comments: &[TextRange], name: &str) -> bool {
    comments.iter().any(|comment| {
        let mut words = context.slice(*comment).trim_start_matches('#').split_whitespace();
        words.next() == Some("@param")
            && words.find(|word| !word.starts_with('[') && !word.ends_with(']')) == Some(name)
    })
}

fn check_all(context: &Context<'_>, findings: &mut Findings<'_>, list: ParameterList) {
    for parameter in context.tree.parameters(list) {
        if let Some(default) = parameter.default {
            check_default(context, findings, parameter, default);
        }
    }
}

fn check_default(context: &Context<'_>, findings: &mut Findings<'_>, parameter: &Parameter, default: ExprId) {
    let tree = context.tree;
    let name = tree.str(parameter.name);
    let is_optional = parameter.type_expr.is_some_and(|ty| type_name(context, ty) == Some("Optional"));
    if is_optional && !matches!(tree.exprs[default], Expr::Undef) {
        let message = format!("default of the optional parameter `${name}` is not `undef`");
        let help =
            "an attribute that is `undef` gets the default: the parameter never is `undef`, so leave `Optional` out";
        findings.add(Code::W0348, context.range(default), message, help);
    }
    if context.string(default) == Some("") {
        let message = format!("empty string as the default of the parameter `${name}`");
        let help = "write `Optional[String[1]]` and `undef`, which counts as false";
        findings.add(Code::W0349, context.range(default), message, help);
    }
    if findings.is_on(Code::W0352) {
        check_lookup(context, findings, default);
    }
}

fn type_name<'a>(context: &Context<'a>, ty: ExprId) -> Option<&'a str> {
    match context.tree.exprs[ty] {
        Expr::Access(left, _) => context.word(left),
        _ => context.word(ty),
    }
}

/// Puppet looks the values of parameters up automatically.
fn check_lookup(context: &Context<'_>, findings: &mut Findings<'_>, default: ExprId) {
    let tree = context.tree;
    let mut rest = vec![default];
    while let Some(id) = rest.pop() {
        if let Expr::Call(call) = &tree.exprs[id]
            && let Some(name) = context.word(tree.calls[*call].functor)
            && matches!(name, "lookup" | "hiera" | "hiera_array" | "hiera_hash" | "hiera_include")
        {
            let help = "data sets a parameter by its full name, such as `apache::port`; the key needs no call";
            findings.add(Code::W0352, context.range(id), format!("call of `{name}` in a default"), help);
        }
        tree.for_each_child(id, |child| rest.push(child));
    }
}
