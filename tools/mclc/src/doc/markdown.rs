//! The documentation as Markdown.

use std::fmt::Write as _;

use mcl_functions::Function;
use resource_graph::{META_FIELDS, ResourceKind};

use crate::doc::examples::imports;
use crate::doc::kinds::{NOT_IMPLEMENTED, abilities, allowed, constant_name, constant_value, parameters};

/// Returns the documentation of functions and kinds.
pub fn documents(functions: &[&Function], kinds: &[&ResourceKind]) -> String {
    let functions: String = functions.iter().map(|function| function_section(function)).collect();
    functions + &kinds.iter().map(|kind| kind_section(kind)).collect::<String>()
}

fn function_section(function: &Function) -> String {
    let signature = match function.signatures() {
        signatures if signatures.is_empty() => "func(…)".to_owned(),
        signatures => signatures.join(" or "),
    };
    let mut out = format!("## `{}`\n\n    {signature}\n\n{}\n\n", function.name, function.doc);
    let example = function.documented_example();
    if !example.is_empty() {
        for import in imports(&example, function.module()) {
            let _ = writeln!(out, "    {import}");
        }
        let _ = writeln!(out, "    {example}\n");
    }
    out
}

fn kind_section(kind: &ResourceKind) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out = format!("## `{}`\n\n{}\n\n", kind.name, kind.doc);
    if !kind.implemented {
        let _ = writeln!(out, "{NOT_IMPLEMENTED}\n");
    }
    let _ = writeln!(out, "```mcl\n{}\n```\n", kind.example);
    if !kind.fields.is_empty() {
        out.push_str("| parameter | type | default | |\n| --- | --- | --- | --- |\n");
    }
    for field in parameters(kind) {
        let default = match (field.required, field.default) {
            (true, _) => "required".to_owned(),
            (false, "") => String::new(),
            (false, default) => format!("`{}`", cell(default)),
        };
        let text = [Some(field.doc.to_owned()), allowed(kind, field)].into_iter().flatten().collect::<Vec<_>>();
        let text = cell(&text.join(" "));
        let _ = writeln!(out, "| `{}` | `{}` | {default} | {text} |", field.name, cell(field.ty));
    }
    if !kind.constants.is_empty() {
        out.push_str("\n| constant | value |\n| --- | --- |\n");
    }
    for constant in kind.constants {
        let _ = writeln!(out, "| `{}` | `{}` |", constant_name(kind, constant), constant_value(constant));
    }
    for ability in abilities(kind) {
        let _ = writeln!(out, "\n{ability}");
    }
    out.push('\n');
    out
}

/// Returns the documentation of the meta parameters.
pub fn meta() -> String {
    let table = "| meta parameter | type | default | |\n| --- | --- | --- | --- |\n".to_owned();
    META_FIELDS
        .iter()
        .fold(table, |table, f| table + &format!("| `{}` | `{}` | {} | {} |\n", f.name, f.ty, f.default, f.doc))
}
