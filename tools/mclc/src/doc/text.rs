//! The documentation as text for a terminal.

use std::fmt::Write as _;

use mcl_functions::Function;
use resource_graph::{META_FIELDS, ResourceKind};

use crate::doc::examples::imports;
use crate::doc::find::Match;
use crate::doc::kinds::{NOT_IMPLEMENTED, abilities, allowed, attributes, constant_name, constant_value, parameters};
use crate::documented::first_sentence;

/// The width at which text is wrapped.
const WIDTH: usize = 100;

/// Returns one line for each function and kind.
pub fn overview(functions: &[&Function], kinds: &[&ResourceKind]) -> String {
    let mut out = String::new();
    let mut module = None;
    for function in functions {
        let of = function.module();
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
    let _ = writeln!(
        out,
        "\n`mclc doc NAME` describes one of them or finds what has NAME in its name, `mclc doc meta` describes the meta \
         parameters of all resources."
    );
    out
}

/// Returns the documentation of functions and kinds.
pub fn documents(functions: &[&Function], kinds: &[&ResourceKind]) -> String {
    let blocks = functions.iter().map(|f| function_text(f)).chain(kinds.iter().map(|kind| kind_text(kind)));
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns what a word was found in.
pub fn matches(word: &str, matches: &[Match]) -> String {
    let mut out = format!("`{word}` is found in\n");
    let mut group = "";
    for found in matches {
        if found.group != group {
            let _ = writeln!(out, "\n{}", found.group);
            group = found.group;
        }
        let _ = writeln!(out, "  {:<32} {}", found.name, found.description);
    }
    out
}

fn function_text(function: &Function) -> String {
    let or = format!("\n{}", " ".repeat(function.name.len() + 2));
    let signature = match function.signatures() {
        signatures if signatures.is_empty() => "func(…)".to_owned(),
        signatures => signatures.join(&or),
    };
    let mut out = format!("{}  {signature}\n{}\n", function.name, wrapped(function.doc, "    "));
    let example = function.documented_example();
    if !example.is_empty() {
        let imports = imports(&example, function.module()).into_iter().chain([example]);
        out += &block("example", &imports.collect::<Vec<_>>().join("\n"));
    }
    out
}

fn kind_text(kind: &ResourceKind) -> String {
    let mut out = format!("{}\n{}\n", kind.name, wrapped(kind.doc, "    "));
    if !kind.implemented {
        let _ = writeln!(out, "\n    {NOT_IMPLEMENTED}");
    }
    out += &block("example", kind.example);
    if !kind.fields.is_empty() {
        out.push_str("\n  parameters\n");
    }
    for field in parameters(kind) {
        let heading = [vec![format!("{} {}", field.name, field.ty)], attributes(field)].concat().join(", ");
        let _ = writeln!(out, "    {heading}");
        let text = [Some(field.doc.to_owned()), allowed(kind, field)].into_iter().flatten().collect::<Vec<_>>();
        let _ = writeln!(out, "{}", wrapped(&text.join(" "), "        "));
    }
    if !kind.constants.is_empty() {
        out.push_str("\n  constants\n");
    }
    for constant in kind.constants {
        let _ = writeln!(out, "    {} = {}", constant_name(kind, constant), constant_value(constant));
    }
    let abilities = abilities(kind);
    if !abilities.is_empty() {
        out.push_str("\n  abilities\n");
    }
    for ability in abilities {
        let _ = writeln!(out, "{}", wrapped(&ability, "    "));
    }
    out
}

/// Returns the documentation of the meta parameters.
pub fn meta() -> String {
    META_FIELDS.iter().fold(String::new(), |text, field| {
        let heading = format!("Meta:{} {}, default {}\n", field.name, field.ty, field.default);
        text + &heading + &wrapped(field.doc, "    ") + "\n"
    })
}

fn block(title: &str, program: &str) -> String {
    let lines = program.lines().map(|line| format!("    {}\n", line.replace('\t', "    ")));
    lines.fold(format!("\n  {title}\n"), |text, line| text + &line)
}

/// Wraps a text.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.chars().count() + word.chars().count() >= WIDTH {
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
