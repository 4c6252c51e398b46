//! Lints about what an agent refuses: constant values that a type of Puppet does not accept, and attributes that exclude each other;
//! and about values of `ensure` that it accepts, but takes for a target of a link or for a version.
//!
//! What is not a constant may be anything, also `undef`, so nothing is said of it.

use mcl_diagnostics::{Code, nearest};
use pp_ast::{AttributeName, Expr, ExprId, ResourceBody};
use pp_resource_types::{Given, ResourceType, Scalar, Values, metaparameter};
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};

/// Functions that return a string, never `undef`.
const STRING_FUNCTIONS: [&str; 6] = ["template", "epp", "inline_template", "inline_epp", "file", "sprintf"];

/// What `ensure` takes a word for that it does not know, by type.
const TAKEN_FOR: [(&str, &str); 2] = [("file", "makes a link to"), ("package", "asks for the version")];

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if !findings.is_on(Code::W0377) && !findings.is_on(Code::W0378) {
        return;
    }
    let tree = context.tree;
    let set_elsewhere = context.names_set_elsewhere();
    for resource in tree.resources.values() {
        let Some(declared) = context.delivered_type(resource) else { continue };
        for body in tree.bodies(resource.bodies) {
            check_body(context, findings, declared, body, &set_elsewhere);
        }
    }
}

fn check_body(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    declared: &'static ResourceType,
    body: &ResourceBody,
    set_elsewhere: &FxHashSet<&str>,
) {
    let tree = context.tree;
    let attributes = tree.attributes(body.attributes);
    let named = declared.namevar();
    let has_name = attributes.iter().any(|attribute| match attribute.name {
        AttributeName::Name(name) => ["name", named].contains(&&**tree.str(name)),
        AttributeName::Splat => true,
    });
    let may_have_name = has_name || ["name", named].iter().any(|name| set_elsewhere.contains(name));
    if let Some(values) = values_of(declared, named).filter(|_| !may_have_name) {
        for title in context.elements(&body.title) {
            check_value(context, findings, (named, values), *title);
        }
    }
    for attribute in attributes {
        let AttributeName::Name(name) = attribute.name else { continue };
        let name = &**tree.str(name);
        let Some(values) = values_of(declared, name) else { continue };
        if name == "ensure" {
            check_word(context, findings, (declared.name, values), attribute.value);
        }
        // Two other lints are about modes.
        if declared.name == "file" && name == "mode" {
            continue;
        }
        for value in context.elements(&attribute.value) {
            check_value(context, findings, (name, values), *value);
        }
    }
    let given = |wanted: &str| {
        let is_wanted =
            |name: &AttributeName| matches!(name, AttributeName::Name(name) if &**tree.str(*name) == wanted);
        let value = attributes.iter().find(|attribute| is_wanted(&attribute.name))?.value;
        let unknown = || is_set(context, value).then(|| Given::many(Vec::new()));
        context.scalar(value).map(Given::one).or_else(unknown)
    };
    if let Some(problem) = declared.contradiction(&given) {
        let range = context.range(body.title);
        findings.add(Code::W0377, range, "attributes that exclude each other", problem.text);
    }
}

/// Returns the values that an attribute takes; `None` for unknown attributes, of which another lint speaks.
fn values_of(declared: &'static ResourceType, name: &str) -> Option<&'static Values> {
    let attribute = declared.attribute(name).map(|attribute| &attribute.values);
    attribute.or_else(|| metaparameter(name).map(|metaparameter| &metaparameter.values))
}

fn check_value(context: &Context<'_>, findings: &mut Findings<'_>, (name, values): (&str, &Values), value: ExprId) {
    let Some(wrong) = context.scalar(value).filter(|value| !values.accepts(*value)) else { return };
    let words = match values {
        Values::Words(words) | Values::WordsOr(words, _) => *words,
        Values::Any | Values::ReadOnly | Values::Matching(_) => &[],
    };
    let meant = match wrong {
        Scalar::Text(text) => nearest(text, words.iter().copied()),
        _ => None,
    };
    let help = match meant {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("expected {values}"),
    };
    findings.add(Code::W0377, context.range(value), format!("`{name}` does not accept {wrong}"), help);
}

/// Reports a word that is almost one of those that `ensure` knows, but taken for something else.
fn check_word(context: &Context<'_>, findings: &mut Findings<'_>, (type_name, values): (&str, &Values), value: ExprId) {
    let Some((_, meaning)) = TAKEN_FOR.iter().find(|(name, _)| *name == type_name) else { return };
    let Values::WordsOr(words, _) = values else { return };
    let Some(word) = context.word(value).filter(|word| !words.contains(word)) else { return };
    // A version has digits, a path has slashes.
    if !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return;
    }
    if let Some(meant) = nearest(word, words.iter().copied()) {
        let message = format!("`ensure` {meaning} `{word}`");
        findings.add(Code::W0378, context.range(value), message, format!("did you mean `{meant}`?"));
    }
}

/// Whether a value that is not a constant cannot be `undef`.
fn is_set(context: &Context<'_>, value: ExprId) -> bool {
    match &context.tree.exprs[value] {
        Expr::Interpolation(_) | Expr::Heredoc { .. } | Expr::Array(_) => true,
        Expr::Call(call) => {
            let functor = context.tree.calls[*call].functor;
            context.word(functor).is_some_and(|name| STRING_FUNCTIONS.contains(&name))
        }
        _ => false,
    }
}
