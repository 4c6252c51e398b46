//! Lints about classes, defines, functions and nodes.

use mcl_diagnostics::Code;
use pp_ast::{ClassDefinition, Definition, Expr, ExprId, ParameterList, StrId, TextRange};

use crate::comments::before;
use crate::context::{Context, Findings};

/// What classes, defines and functions have in common.
struct Named {
    what: &'static str,
    name: StrId,
    name_range: TextRange,
    parameters: ParameterList,
    expr: ExprId,
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let mut around: Vec<TextRange> = Vec::new();
    let mut definitions: Vec<&Definition> = context.tree.definitions.values().collect();
    definitions.sort_by_key(|definition| range(context, definition).start);
    for definition in definitions {
        let whole = range(context, definition);
        while around.last().is_some_and(|outer| outer.end <= whole.start) {
            around.pop();
        }
        let is_nested = !around.is_empty();
        match definition {
            Definition::Class(class) => {
                check_named(context, findings, &class_of(class), is_nested);
                check_inheritance(context, findings, class);
                around.push(whole);
            }
            Definition::Define(define) => {
                let define = Named {
                    what: "define",
                    name: define.name,
                    name_range: define.name_range,
                    parameters: define.parameters,
                    expr: define.expr,
                };
                check_named(context, findings, &define, is_nested);
            }
            Definition::Function(function) => {
                let function = Named {
                    what: "function",
                    name: function.name,
                    name_range: function.name_range,
                    parameters: function.parameters,
                    expr: function.expr,
                };
                check_documentation(context, findings, &function);
                check_parameters(context, findings, &function);
            }
            Definition::Node(node) => node.hosts.iter().for_each(|host| check_host(context, findings, host.0)),
            Definition::TypeAlias(_) => {}
        }
    }
}

fn class_of(class: &ClassDefinition) -> Named {
    Named {
        what: "class",
        name: class.name,
        name_range: class.name_range,
        parameters: class.parameters,
        expr: class.expr,
    }
}

fn range(context: &Context<'_>, definition: &Definition) -> TextRange {
    context.range(match definition {
        Definition::Class(class) => class.expr,
        Definition::Define(define) => define.expr,
        Definition::Node(node) => node.expr,
        Definition::Function(function) => function.expr,
        Definition::TypeAlias(alias) => alias.expr,
    })
}

fn check_named(context: &Context<'_>, findings: &mut Findings<'_>, named: &Named, is_nested: bool) {
    let name = context.tree.str(named.name);
    let what = named.what;
    if is_nested {
        let message = format!("{what} `{name}` inside a class");
        findings.add(Code::W0329, named.name_range, message, "write it in a file of its own");
    } else {
        check_documentation(context, findings, named);
        if let Some(expected) = context.subject.autoload_name
            && &**name != expected
        {
            let message = format!("{what} `{name}` in the file of `{expected}`");
            let help = format!("Puppet looks for `{name}` in `{}`", file_of(name));
            findings.add(Code::W0332, named.name_range, message, help);
        }
    }
    check_parameters(context, findings, named);
}

/// Returns the file in which Puppet looks for a class or define (spec 07 §5.14).
fn file_of(name: &str) -> String {
    let mut parts = name.split("::");
    let module = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    if rest.is_empty() {
        format!("{module}/manifests/init.pp")
    } else {
        format!("{module}/manifests/{}.pp", rest.join("/"))
    }
}

/// A definition is documented by the comment on the lines before it.
fn check_documentation(context: &Context<'_>, findings: &mut Findings<'_>, named: &Named) {
    let is_documented = !before(context, context.range(named.expr).start).is_empty();
    if !is_documented && !context.map.is_template {
        let name = context.tree.str(named.name);
        let message = format!("{} `{name}` without documentation", named.what);
        let help = "describe it and its parameters in a comment directly before it";
        findings.add(Code::W0309, named.name_range, message, help);
    }
}

fn check_parameters(context: &Context<'_>, findings: &mut Findings<'_>, named: &Named) {
    let parameters = context.tree.parameters(named.parameters);
    let mut optional = None;
    for parameter in parameters.iter().filter(|parameter| !parameter.captures_rest) {
        match (parameter.default, optional) {
            (Some(_), _) => optional = optional.or(Some(parameter.name)),
            (None, Some(before)) => {
                let (name, before) = (context.tree.str(parameter.name), context.tree.str(before));
                let message = format!("required parameter `${name}` after the optional parameter `${before}`");
                findings.add(Code::W0331, parameter.range, message, "write the required parameters first");
            }
            (None, None) => {}
        }
    }
}

fn check_inheritance(context: &Context<'_>, findings: &mut Findings<'_>, class: &ClassDefinition) {
    let Some(parent) = class.parent else { return };
    let (name, parent) = (context.tree.str(class.name), context.tree.str(parent));
    let module = |name: &str| name.trim_start_matches("::").split("::").next().unwrap_or_default().to_owned();
    if module(name) != module(parent) {
        let message = format!("class `{name}` inherits from `{parent}` of another module");
        findings.add(Code::W0330, class.name_range, message, "declare the other class and pass values as parameters");
    }
    if parent.ends_with("::params") {
        let message = format!("class `{name}` inherits from the class of parameters `{parent}`");
        let help = "write the defaults beside the parameters, or into the data of the module";
        findings.add(Code::W0372, class.name_range, message, help);
    }
}

fn check_host(context: &Context<'_>, findings: &mut Findings<'_>, host: ExprId) {
    if let Expr::String(name) | Expr::Name(name) = context.tree.exprs[host]
        && !context.source(host).starts_with(['"', '\''])
    {
        let name = context.tree.str(name);
        let message = format!("unquoted node name `{name}`");
        findings.add(Code::W0325, context.range(host), message, format!("write `'{name}'`"));
    }
}
