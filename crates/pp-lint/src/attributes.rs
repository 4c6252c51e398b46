//! Lints about resources and their attributes.

use mcl_diagnostics::Code;
use pp_ast::{Attribute, AttributeName, Expr, ExprId, ResourceBody};

use crate::context::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    let exec_defaults = tree.defaults.iter().any(|defaults| {
        context.word(defaults.type_name) == Some("Exec")
            && is_conditional(context, tree.attributes(defaults.attributes))
    });
    for resource in tree.resources.values() {
        let type_name = resource_type(context, resource.type_name);
        for body in tree.bodies(resource.bodies) {
            if let Expr::Name(title) = tree.exprs[body.title] {
                let title = tree.str(title);
                let message = format!("unquoted title `{title}`");
                findings.add(Code::W0315, context.range(body.title), message, format!("write `'{title}'`"));
            }
            let attributes = tree.attributes(body.attributes);
            if let Some(ensure) = attributes.iter().skip(1).find(|a| name(context, a) == Some("ensure")) {
                let help = "write what decides whether the resource exists before everything else";
                findings.add(Code::W0316, ensure.name_range, "`ensure` is not the first attribute", help);
            }
            check_attributes(context, findings, type_name.as_deref(), attributes);
            check_resource(context, findings, type_name.as_deref(), body, exec_defaults);
        }
    }
    let of_defaults = tree.defaults.iter().map(|defaults| (defaults.type_name, defaults.attributes));
    let of_overrides = tree.overrides.iter().map(|overrides| (overrides.resources, overrides.attributes));
    for (type_name, attributes) in of_defaults.chain(of_overrides) {
        check_attributes(context, findings, resource_type(context, type_name).as_deref(), tree.attributes(attributes));
    }
}

/// Lints about what a resource lacks.
fn check_resource(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    type_name: Option<&str>,
    body: &ResourceBody,
    exec_defaults: bool,
) {
    let attributes = context.tree.attributes(body.attributes);
    let title = context.range(body.title);
    let is_complete = attributes.iter().all(|attribute| name(context, attribute).is_some());
    if matches!(context.tree.exprs[body.title], Expr::Default) || !is_complete {
        return;
    }
    match type_name {
        Some("exec") if !exec_defaults && !is_conditional(context, attributes) => {
            let help = "add `creates`, `onlyif`, `unless` or `refreshonly`, or it runs each time";
            findings.add(Code::W0344, title, "`exec` without a condition", help);
        }
        Some("file") if attributes.iter().all(|attribute| name(context, attribute) != Some("ensure")) => {
            let help = "write `ensure => file`, `directory`, `link` or `absent`";
            findings.add(Code::W0345, title, "`file` without `ensure`", help);
        }
        Some("anchor") => {
            let help = "a class is part of another one by `contain`, which needs no anchors";
            findings.add(Code::W0343, title, "`anchor` resource", help);
        }
        _ => {}
    }
}

/// Whether an attribute says when a command runs.
fn is_conditional(context: &Context<'_>, attributes: &[Attribute]) -> bool {
    let mut names = attributes.iter().filter_map(|attribute| name(context, attribute));
    names.any(|name| matches!(name, "creates" | "onlyif" | "unless" | "refreshonly"))
}

/// Returns the name of a resource type in lower case, as far as it is written in the manifest.
fn resource_type(context: &Context<'_>, id: ExprId) -> Option<String> {
    let named = match context.tree.exprs[id] {
        Expr::Access(left, _) => left,
        _ => id,
    };
    context.word(named).map(|name| name.trim_start_matches("::").to_lowercase())
}

fn name<'a>(context: &Context<'a>, attribute: &Attribute) -> Option<&'a str> {
    match attribute.name {
        AttributeName::Name(name) => Some(context.tree.str(name)),
        AttributeName::Splat => None,
    }
}

fn check_attributes(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    type_name: Option<&str>,
    attributes: &[Attribute],
) {
    for attribute in attributes {
        let value = attribute.value;
        if matches!(context.tree.exprs[value], Expr::Selector(..)) {
            let help = "assign the value of the selector to a variable before the resource";
            findings.add(Code::W0321, context.range(value), "selector inside a resource", help);
        }
        match (type_name, name(context, attribute)) {
            (Some("file"), Some("mode")) => check_mode(context, findings, value),
            (Some("file"), Some("ensure")) if context.string(value).is_some_and(|target| target.starts_with('/')) => {
                let help = "write `ensure => link` and `target => …`";
                findings.add(Code::W0319, context.range(value), "target of a link as `ensure`", help);
            }
            (Some("exec"), Some("command" | "onlyif" | "unless")) => {
                if let Expr::Interpolation(_) = context.tree.exprs[value] {
                    let help =
                        "a shell interprets what the variable contains: use an array of arguments, or `shellquote`";
                    findings.add(Code::W0322, context.range(value), "variable inside a command", help);
                }
            }
            _ => {}
        }
    }
}

fn check_mode(context: &Context<'_>, findings: &mut Findings<'_>, value: ExprId) {
    let range = context.range(value);
    match &context.tree.exprs[value] {
        Expr::Integer(..) => {
            let source = context.source(value);
            let digits = format!("{source:0>4}");
            let help = format!("write `'{digits}'`: a number loses its leading zero");
            findings.add(Code::W0317, range, format!("unquoted mode `{source}`"), help);
        }
        Expr::String(mode) if !is_mode(context.tree.str(*mode)) => {
            let message = format!("mode `{}` is neither four octal digits nor symbolic", context.tree.str(*mode));
            findings.add(Code::W0318, range, message, "write a mode as `'0644'` or `'u=rw,go=r'`");
        }
        _ => {}
    }
}

/// Whether a mode consists of four octal digits, or of clauses such as `u=rw`.
fn is_mode(mode: &str) -> bool {
    let is_octal = mode.len() == 4 && mode.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let is_clause = |clause: &str| {
        let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        rest.starts_with(['-', '+', '=']) && rest.chars().all(|c| "-+=rstwxXugo".contains(c))
    };
    is_octal || (!mode.is_empty() && mode.split(',').all(is_clause))
}
