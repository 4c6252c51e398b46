//! `mclc doc`: prints the documentation of functions and resource kinds, from the tables of compiler and runtime.

use std::fmt::Write;

use mcl_diagnostics::nearest;
use mcl_functions::{Function, Signature, all_functions};
use mcl_modules::EMBEDDED_MODULES;
use resource_graph::{META_FIELDS, ResourceKind, all_kinds};
use serde_json::{Value, json};

use crate::cli::{Doc, DocFormat};
use crate::documented::{first_sentence, functions, kinds};
use crate::output;
use crate::output::unusable;

pub fn run(args: &Doc) -> u8 {
    let Some(name) = &args.name else {
        let (functions, kinds) = (functions(|_| true), kinds(|_| true));
        let mut out = String::new();
        match args.format {
            DocFormat::Text => overview_text(&mut out, &functions, &kinds),
            DocFormat::Markdown | DocFormat::Json => out = documents(&functions, &kinds, args.format),
        }
        return output::stdout(out.as_bytes());
    };
    let module = |f: &Function| f.name.rsplit_once('.').is_some_and(|(module, _)| module == name);
    let functions = functions(|f| f.name == name || module(f));
    let kinds = kinds(|kind| kind.name == name);
    let written_in_mcl = EMBEDDED_MODULES.iter().find(|module| module.name == name);
    if name == "meta" {
        return output::stdout(meta(args.format).as_bytes());
    }
    if functions.is_empty() && kinds.is_empty() && written_in_mcl.is_none() {
        let in_modules = all_functions().filter(|f| f.short_name() == name).map(|f| f.name);
        let in_module = in_modules.min_by_key(|name| (name.starts_with("golang/"), name.len()));
        let known = all_functions().map(|f| f.name).chain(all_kinds().iter().map(|kind| kind.name));
        let hint = in_module.or_else(|| nearest(name, known));
        let hint = hint.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
        return unusable(format_args!("unknown function, module or resource kind `{name}`{hint}"));
    }
    let mut out = documents(&functions, &kinds, args.format);
    // The JSON format has functions and kinds only.
    if let Some(module) = written_in_mcl
        && args.format != DocFormat::Json
    {
        let (before, indent) = match args.format {
            DocFormat::Markdown => ("## Written in mcl\n\n", "    "),
            DocFormat::Text | DocFormat::Json => ("\nThe rest of this module is written in mcl:\n\n", "    "),
        };
        out.push_str(before);
        for line in module.main().lines() {
            let _ = writeln!(out, "{}", format!("{indent}{line}").trim_end());
        }
    }
    output::stdout(out.as_bytes())
}

fn documents(functions: &[&Function], kinds: &[&ResourceKind], format: DocFormat) -> String {
    let mut out = String::new();
    match format {
        DocFormat::Json => {
            let functions: Vec<Value> = functions.iter().map(|f| function_json(f)).collect();
            let kinds: Vec<Value> = kinds.iter().map(|kind| kind_json(kind)).collect();
            let all = json!({"functions": functions, "kinds": kinds});
            out = serde_json::to_string_pretty(&all).expect("strings always serialise");
            out.push('\n');
        }
        DocFormat::Text => {
            let blocks = functions.iter().map(|f| function_text(f)).chain(kinds.iter().map(|kind| kind_text(kind)));
            out = blocks.collect::<Vec<_>>().join("\n");
        }
        DocFormat::Markdown => markdown(&mut out, functions, kinds),
    }
    out
}

/// Returns the type of a function: all its overloads, separated by `or`, if the type depends on the call.
fn signature(function: &Function, or: &str) -> String {
    match function.signatures() {
        signatures if signatures.is_empty() => "func(…)".to_owned(),
        signatures => signatures.join(or),
    }
}

fn overview_text(out: &mut String, functions: &[&Function], kinds: &[&ResourceKind]) {
    let mut module = None;
    for function in functions {
        let of = function.name.rsplit_once('.').map_or("", |(module, _)| module);
        if module != Some(of) {
            let title = if of.is_empty() { "built-in functions".to_owned() } else { format!("import \"{of}\"") };
            let _ = writeln!(out, "{}{title}", if out.is_empty() { "" } else { "\n" });
            module = Some(of);
        }
        let _ = writeln!(out, "  {:<32} {}", function.name, first_sentence(function.doc));
    }
    let _ = writeln!(out, "{}resource kinds", if out.is_empty() { "" } else { "\n" });
    for kind in kinds {
        let mark = if kind.implemented { "" } else { " (not implemented)" };
        let _ = writeln!(out, "  {:<32} {}{mark}", kind.name, first_sentence(kind.doc));
    }
    let _ =
        writeln!(out, "\n`mclc doc NAME` describes one of them, `mclc doc meta` the meta parameters of all resources.");
}

fn function_text(function: &Function) -> String {
    let or = format!("\n{}", " ".repeat(function.name.len() + 2));
    format!("{}  {}\n{}\n", function.name, signature(function, &or), wrapped(function.doc, "    "))
}

/// The note of a kind without a provider.
const NOT_IMPLEMENTED: &str =
    "Not implemented in this release: resources of this kind type-check, but cannot be applied.";

fn kind_text(kind: &ResourceKind) -> String {
    let mut out = format!("{}\n{}\n", kind.name, wrapped(kind.doc, "    "));
    if !kind.implemented {
        let _ = writeln!(out, "\n    {NOT_IMPLEMENTED}");
    }
    if !kind.fields.is_empty() {
        out.push_str("\n  parameters\n");
    }
    for field in kind.fields {
        let required = if field.required { ", required" } else { "" };
        let default = if field.default.is_empty() { String::new() } else { format!(", default {}", field.default) };
        let _ = writeln!(out, "    {} {}{required}{default}", field.name, field.ty);
        let _ = writeln!(out, "{}", wrapped(field.doc, "        "));
    }
    if !kind.sends.is_empty() {
        out.push_str("\n  sends\n");
    }
    for send in kind.sends {
        let _ = writeln!(out, "    {} {}", send.name, send.ty);
    }
    out
}

/// Wraps a text to lines of at most 100 columns.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.chars().count() + word.chars().count() >= 100 {
            lines.push(format!("{indent}{word}"));
        } else {
            if line.len() > indent.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn markdown(out: &mut String, functions: &[&Function], kinds: &[&ResourceKind]) {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    for function in functions {
        let _ = writeln!(out, "## `{}`\n\n    {}\n\n{}\n", function.name, signature(function, " or "), function.doc);
    }
    for kind in kinds {
        let _ = writeln!(out, "## `{}`\n\n{}\n", kind.name, kind.doc);
        if !kind.implemented {
            let _ = writeln!(out, "{NOT_IMPLEMENTED}\n");
        }
        if !kind.fields.is_empty() {
            out.push_str("| parameter | type | default | |\n| --- | --- | --- | --- |\n");
        }
        for field in kind.fields {
            let default = match (field.required, field.default) {
                (true, _) => "required".to_owned(),
                (false, "") => String::new(),
                (false, default) => format!("`{}`", cell(default)),
            };
            let _ = writeln!(out, "| `{}` | `{}` | {default} | {} |", field.name, cell(field.ty), cell(field.doc));
        }
        if !kind.sends.is_empty() {
            let sends: Vec<String> = kind.sends.iter().map(|send| format!("`{}` ({})", send.name, send.ty)).collect();
            let _ = writeln!(out, "\nSends {}.", sends.join(", "));
        }
        out.push('\n');
    }
}

fn function_json(function: &Function) -> Value {
    let fixed = match function.signature {
        Signature::Fixed(text) => Some(text),
        Signature::CallSite(_) => None,
    };
    json!({"name": function.name, "type": fixed, "doc": function.doc})
}

fn kind_json(kind: &ResourceKind) -> Value {
    let fields: Vec<Value> = kind
        .fields
        .iter()
        .map(|f| {
            let default = (!f.default.is_empty()).then_some(f.default);
            json!({"name": f.name, "type": f.ty, "required": f.required, "default": default, "doc": f.doc})
        })
        .collect();
    let sends: Vec<Value> = kind.sends.iter().map(|send| json!({"name": send.name, "type": send.ty})).collect();
    json!({
        "name": kind.name,
        "doc": kind.doc,
        "implemented": kind.implemented,
        "parameters": fields,
        "sends": sends,
    })
}

/// Returns the documentation of the meta parameters, which every resource has.
fn meta(format: DocFormat) -> String {
    let mut out = String::new();
    match format {
        DocFormat::Text => {
            for field in META_FIELDS {
                let _ = writeln!(out, "Meta:{} {}, default {}", field.name, field.ty, field.default);
                let _ = writeln!(out, "{}", wrapped(field.doc, "    "));
            }
        }
        DocFormat::Markdown => {
            out.push_str("| meta parameter | type | default | |\n| --- | --- | --- | --- |\n");
            for f in META_FIELDS {
                let _ = writeln!(out, "| `{}` | `{}` | {} | {} |", f.name, f.ty, f.default, f.doc);
            }
        }
        DocFormat::Json => {
            let fields: Vec<Value> = META_FIELDS
                .iter()
                .map(|f| json!({"name": f.name, "type": f.ty, "default": f.default, "doc": f.doc}))
                .collect();
            out = serde_json::to_string_pretty(&json!({"meta": fields})).expect("strings always serialise");
            out.push('\n');
        }
    }
    out
}
