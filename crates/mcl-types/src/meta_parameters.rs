//! The names of meta parameters, `Meta:noop` (spec 01 §4.6).
//!
//! mgmt reports these when it has parsed a file, whether anything reaches the resource or not. The types of their values are
//! checked by the unify stage.

use mcl_diagnostics::{Code, Diagnostic, Fix, Span, Stage, nearest};
use mcl_parser::ast::{Ast, EntryKind, Name, Resource, Stmt};
use resource_graph::META_NAMES;
use rustc_hash::FxHashMap;

use crate::synonyms;

/// The property `Meta => struct{…}`, which sets several meta parameters.
const META_STRUCT: &str = "meta";

/// Checks that the meta parameters of a file exist and that no resource has one twice. The diagnostics belong to the init
/// checks.
#[must_use]
pub fn check_meta_parameters(ast: &Ast) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for stmt in ast.stmts.values() {
        if let Stmt::Resource(resource) = stmt {
            check_resource(ast, resource, &mut found);
        }
    }
    found
}

fn check_resource(ast: &Ast, resource: &Resource, found: &mut Vec<Diagnostic>) {
    let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
    for entry in &resource.entries {
        let EntryKind::Meta { property, .. } = entry.kind else { continue };
        let (name, span) = (ast.name(property), entry.name_span(ast));
        if name == META_STRUCT {
            continue;
        }
        let first = *seen.entry(property).or_insert(span);
        if !META_NAMES.contains(&name) {
            found.push(unknown(name, span));
        } else if first != span {
            found.push(duplicate(name, span, first));
        }
    }
}

fn unknown(name: &str, span: Span) -> Diagnostic {
    let similar = synonyms::meta_parameter(name).or_else(|| nearest(name, META_NAMES.iter().copied()));
    let help = match similar {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the meta parameters are {}", META_NAMES.join(", ")),
    };
    // The name is what the entry starts with, after `Meta:`.
    let name_span = Span { start: span.end.saturating_sub(name.len() as u32).max(span.start), ..span };
    Diagnostic::error(Code::E0308, Stage::Init, format!("unknown meta parameter `{name}`"))
        .at(span)
        .help(help)
        .fixes(similar.map(|near| Fix::replace_with(name_span, near)))
}

fn duplicate(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::E0302, Stage::Init, format!("duplicate meta parameter `{name}` in a resource"))
        .at_with(span, "given again here")
        .label(first, "first given here")
}
