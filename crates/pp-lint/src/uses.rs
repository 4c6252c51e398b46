//! Lints about the use of classes and defines, here and in other files: names that a module does not define, parameters that
//! are not there or have no value, and constants of another type.

use std::cell::Cell;
use std::sync::Arc;

use mcl_diagnostics::{Code, nearest};
use pp_ast::{
    Attribute, ClassDefinition, Definition, Expr, ExprId, ResourceBody, ResourceExpr, ResourceForm, TextRange,
};
use pp_resource_types::metaparameter;
use pp_types::{ArrayValue, Type, Value, is_instance, mismatch_hint, parse_type};
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};
use crate::interface::{Found, Interface, InterfaceParameter};

/// Functions whose arguments are names of classes.
const CLASS_FUNCTIONS: [&str; 3] = ["include", "contain", "require"];

/// A type with more aliases in it, and in what they stand for, counts as unknown.
const MAX_ALIASES: usize = 200;

/// How deep aliases may refer to each other until a type counts as unknown.
const MAX_DEPTH: usize = 16;

/// What a name is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Class,
    ResourceType,
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if ![Code::W0375, Code::W0377, Code::W0379, Code::W0380].iter().any(|code| findings.is_on(*code)) {
        return;
    }
    let tree = context.tree;
    let set_elsewhere = context.names_set_elsewhere();
    for resource in tree.resources.values() {
        match context.type_name(resource) {
            Some("class") => check_classes(context, findings, resource),
            Some(name) => check_instances(context, findings, resource, name, &set_elsewhere),
            None => {}
        }
    }
    for call in tree.calls.values() {
        if context.word(call.functor).is_some_and(|name| CLASS_FUNCTIONS.contains(&name)) {
            for argument in tree.list(call.arguments).iter().flat_map(|argument| context.elements(argument)) {
                check_class(context, findings, *argument);
            }
        }
    }
    for definition in tree.definitions.values() {
        if let Definition::Class(class) = definition
            && let Some(parent) = class.parent
        {
            resolve(context, findings, tree.str(parent), parent_range(context, class), Use::Class);
        }
    }
}

/// Returns where the name of the class is that a class inherits from: the last word before the body.
fn parent_range(context: &Context<'_>, class: &ClassDefinition) -> TextRange {
    let header = TextRange { start: class.name_range.end, end: context.range(class.body).start };
    let parent = class.parent.map_or("", |parent| context.tree.str(parent));
    match context.slice(header).rfind(parent) {
        Some(at) => {
            let start = header.start + at as u32;
            TextRange { start, end: start + parent.len() as u32 }
        }
        None => class.name_range,
    }
}

/// Checks `class { 'name': … }`.
fn check_classes(context: &Context<'_>, findings: &mut Findings<'_>, resource: &ResourceExpr) {
    for body in context.tree.bodies(resource.bodies) {
        for title in context.elements(&body.title) {
            if let Some((name, interface)) = check_class(context, findings, *title)
                && let Interface::Class(parameters) = &*interface
            {
                check_attributes(context, findings, &name, parameters, body);
            }
        }
    }
}

/// Checks `name { 'title': … }`.
fn check_instances(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    resource: &ResourceExpr,
    name: &str,
    set_elsewhere: &FxHashSet<&str>,
) {
    if pp_resource_types::find(name).is_some() {
        return;
    }
    let range = context.range(resource.type_name);
    let Some((name, interface)) = resolve(context, findings, name, range, Use::ResourceType) else { return };
    let Interface::Define(parameters) = &*interface else { return };
    let bodies = context.tree.bodies(resource.bodies);
    // What every body of the expression has.
    let is_default = |body: &ResourceBody| matches!(context.tree.exprs[body.title], Expr::Default);
    let shared: Vec<&Attribute> = bodies
        .iter()
        .filter(|body| is_default(body))
        .flat_map(|body| context.tree.attributes(body.attributes))
        .collect();
    for body in bodies {
        let meant = check_attributes(context, findings, &name, parameters, body);
        if is_default(body) || resource.form != ResourceForm::Regular {
            continue;
        }
        let given = || context.tree.attributes(body.attributes).iter().chain(shared.iter().copied());
        if given().any(|attribute| context.attribute_name(attribute).is_none()) {
            continue;
        }
        let has_value = |parameter: &InterfaceParameter| {
            let name = &*parameter.name;
            meant.contains(&name)
                || set_elsewhere.contains(name)
                || given().any(|attribute| context.attribute_name(attribute) == Some(name))
        };
        let missing = parameters.iter().filter(|parameter| parameter.is_required && !has_value(parameter));
        report_missing(findings, &name, &missing.collect::<Vec<_>>(), context.range(body.title));
    }
}

/// Reports parameters without a value.
fn report_missing(findings: &mut Findings<'_>, name: &str, missing: &[&InterfaceParameter], title: TextRange) {
    let (message, help) = match missing {
        [] => return,
        [parameter] => {
            let message = format!("`{name}` needs a value for the parameter `{}`", parameter.name);
            let of_type =
                parameter.type_text.as_ref().map(|ty| format!(" with a value of the type `{}`", in_one_line(ty)));
            (message, format!("add `{} => …`{}", parameter.name, of_type.unwrap_or_default()))
        }
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
            let message = format!("`{name}` needs values for the parameters {} and `{}`", others.join(", "), last.name);
            (message, "add them, each with `=>` and a value".to_owned())
        }
    };
    findings.add(Code::W0379, title, message, help);
}

/// Checks a constant name of a class, and returns it with the class.
fn check_class(context: &Context<'_>, findings: &mut Findings<'_>, name: ExprId) -> Option<(String, Arc<Interface>)> {
    let (Expr::Name(written) | Expr::String(written)) = &context.tree.exprs[name] else { return None };
    resolve(context, findings, context.tree.str(*written), context.range(name), Use::Class)
}

/// Finds what a name stands for, and reports one that its module does not define, or that is not for this use.
fn resolve(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    written: &str,
    range: TextRange,
    used_as: Use,
) -> Option<(String, Arc<Interface>)> {
    let name = written.trim_start_matches("::").to_lowercase();
    let what = match used_as {
        Use::Class => "class",
        Use::ResourceType => "define",
    };
    let fits = |interface: &Interface| match interface {
        Interface::Class(_) => used_as == Use::Class,
        Interface::Define(_) => used_as == Use::ResourceType,
        Interface::TypeAlias(_) => false,
    };
    // A type in Ruby may have a name without colons.
    let may_be_ruby = used_as == Use::ResourceType && !name.contains("::");
    match context.subject.definitions.find(&name) {
        Found::Known(interface) if fits(&interface) => return Some((name, interface)),
        Found::Known(_) if may_be_ruby => {}
        Found::Known(interface) => {
            let (message, help) = match &*interface {
                Interface::Class(_) => (
                    format!("`{name}` is a class, not a define"),
                    format!("write `include {name}`, or `class {{ '{name}': }}`"),
                ),
                _ => (format!("`{name}` is a define, not a class"), format!("write `{name} {{ 'title': }}`")),
            };
            findings.add(Code::W0380, range, message, help);
        }
        Found::Absent(names) if !may_be_ruby => {
            let module = name.split("::").next().unwrap_or(&name);
            let similar = nearest(&name, names.iter().map(String::as_str)).filter(|similar| {
                matches!(context.subject.definitions.find(similar), Found::Known(interface) if fits(&interface))
            });
            let help = match similar {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("define it in `{}`, or correct the name", file_of(&name)),
            };
            findings.add(Code::W0380, range, format!("the module `{module}` has no {what} `{name}`"), help);
        }
        Found::Absent(_) | Found::Unknown => {}
    }
    None
}

/// Returns the file of a module that a class or define belongs into.
fn file_of(name: &str) -> String {
    match name.split_once("::") {
        Some((module, inside)) => format!("{module}/manifests/{}.pp", inside.replace("::", "/")),
        None => format!("{name}/manifests/init.pp"),
    }
}

/// Checks the attributes of one body. Returns the parameters that were probably meant by wrong names.
fn check_attributes<'p>(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    name: &str,
    parameters: &'p [InterfaceParameter],
    body: &ResourceBody,
) -> Vec<&'p str> {
    let mut meant = Vec::new();
    for attribute in context.tree.attributes(body.attributes) {
        let Some(given) = context.attribute_name(attribute) else { continue };
        if let Some(parameter) = parameters.iter().find(|parameter| &*parameter.name == given) {
            check_type(context, findings, parameter, attribute.value);
            continue;
        }
        let is_undef = matches!(context.tree.exprs[attribute.value], Expr::Undef);
        if given == "name" || metaparameter(given).is_some() || is_undef {
            continue;
        }
        let similar = nearest(given, parameters.iter().map(|parameter| &*parameter.name));
        let help = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if parameters.is_empty() => "it has no parameters: remove the attribute".to_owned(),
            None => "remove the attribute: nothing that has it can be compiled".to_owned(),
        };
        meant.extend(similar);
        findings.add(Code::W0375, attribute.name_range, format!("`{name}` has no parameter `{given}`"), help);
    }
    meant
}

/// Compares a constant with the type of a parameter.
fn check_type(context: &Context<'_>, findings: &mut Findings<'_>, parameter: &InterfaceParameter, value: ExprId) {
    if !findings.is_on(Code::W0377) {
        return;
    }
    let Some(text) = &parameter.type_text else { return };
    let Some(constant) = constant(context, value) else { return };
    let Some(ty) = type_of(context, text, MAX_DEPTH, &Cell::new(MAX_ALIASES)) else { return };
    if !is_instance(&ty, &constant) {
        let shown = match context.scalar(value) {
            Some(scalar) => scalar.to_string(),
            None => format!("`{}`", in_one_line(context.source(value))),
        };
        let message = format!("`{}` does not accept {shown}", parameter.name);
        let expected = || format!("expected a value of the type `{}`", in_one_line(text));
        let help = mismatch_hint(&ty, &constant).unwrap_or_else(expected);
        findings.add(Code::W0377, context.range(value), message, help);
    }
}

/// Returns a type; `None` if a part of it is not known. `left` counts the aliases that may still be looked up.
fn type_of(context: &Context<'_>, text: &str, depth: usize, left: &Cell<usize>) -> Option<Type> {
    let alias = |name: &str| {
        left.set(left.get().checked_sub(1)?);
        let Found::Known(interface) = context.subject.definitions.find(name.trim_start_matches("::")) else {
            return None;
        };
        let Interface::TypeAlias(text) = &*interface else { return None };
        type_of(context, text, depth.checked_sub(1)?, left)
    };
    let is_known = Cell::new(true);
    let resolve = |name: &str| {
        let ty = alias(name);
        is_known.set(is_known.get() && ty.is_some());
        ty
    };
    parse_type(text, &resolve).ok().filter(|_| is_known.get())
}

/// Returns the value of a constant that is not `undef`.
fn constant(context: &Context<'_>, value: ExprId) -> Option<Value> {
    let tree = context.tree;
    match &tree.exprs[value] {
        Expr::Boolean(value) => Some(Value::Boolean(*value)),
        Expr::Integer(value, _) => Some(Value::Integer(*value)),
        Expr::Float(value) => Some(Value::from(*value)),
        Expr::String(text) | Expr::Name(text) => Some(Value::from(&**tree.str(*text))),
        Expr::Heredoc { text, .. } => context.string(*text).map(Value::from),
        Expr::Array(elements) => {
            let elements: Option<Vec<Value>> =
                tree.list(*elements).iter().map(|element| constant(context, *element)).collect();
            elements.map(|elements| Value::Array(Arc::new(ArrayValue::new(elements))))
        }
        _ => None,
    }
}

/// Returns a part of a source in one line, shortened if it is long.
fn in_one_line(text: &str) -> String {
    const MAX_CHARACTERS: usize = 80;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_CHARACTERS {
        return line;
    }
    let start: String = line.chars().take(MAX_CHARACTERS).collect();
    format!("{start}…")
}
