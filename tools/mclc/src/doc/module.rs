//! The documentation of a user's module: its classes, functions and variables, with the comments above them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mcl_analysis::{Analysis, Analyzer, OutlineItem, OutlineKind, Workspace};
use mcl_modules::{Input, InputError, Metadata};
use serde_json::{Value, json};

use crate::cli::DocFormat;
use crate::output::{self, unusable};
use crate::paths::is_program;

/// Something that a module exports.
struct Entry {
    group: &'static str,
    signature: String,
    documentation: String,
}

/// Returns whether a word is a path: no name of a function or kind looks like one.
pub fn is_path(word: &str) -> bool {
    let path = Path::new(word);
    let is_directory = word.ends_with('/') || word.starts_with('.') || path.is_absolute();
    is_program(path) || is_directory
}

/// Prints the documentation of the module or program at a path.
pub fn run(word: &str, format: DocFormat) -> u8 {
    let main = match main_file(Path::new(word)) {
        Ok(main) => main,
        Err(error) => return unusable(error),
    };
    let Ok(text) = std::fs::read_to_string(&main) else {
        return unusable(format_args!("cannot read `{}`", main.display()));
    };
    let mut workspace = Workspace::new(None);
    let path = std::path::absolute(&main).unwrap_or_else(|_| main.clone());
    workspace.open(path.clone(), &text);
    let analysis = Analyzer::default().analyze(&workspace.sources());
    let entries = entries(&analysis, &path);
    let out = match format {
        DocFormat::Text => terminal(&head(&text), &entries),
        DocFormat::Markdown => markdown(&head(&text), &entries),
        DocFormat::Json => json_text(&head(&text), &entries),
    };
    output::stdout(out.as_bytes())
}

/// Returns the file that a path stands for.
fn main_file(path: &Path) -> Result<PathBuf, InputError> {
    match Input::from_path(path)? {
        Input::File(file) | Input::Text { path: file, .. } => Ok(file),
        Input::Directory(directory) => {
            let metadata = std::fs::read_to_string(directory.join("metadata.yaml")).unwrap_or_default();
            // What is wrong with metadata, `mclc check` says.
            let metadata = Metadata::parse(&metadata).map_or_else(|_| Metadata::default(), |(metadata, _)| metadata);
            Ok(directory.join(metadata.main))
        }
    }
}

fn entries(analysis: &Analysis, path: &Path) -> Vec<Entry> {
    let mut entries: Vec<Entry> =
        analysis.outline(path).iter().filter_map(|item| entry(analysis, path, item)).collect();
    entries.sort_by_key(|entry| GROUPS.iter().position(|group| *group == entry.group));
    entries
}

/// The headings, in their order.
const GROUPS: [&str; 3] = ["classes", "functions", "variables"];

fn entry(analysis: &Analysis, path: &Path, item: &OutlineItem) -> Option<Entry> {
    let group = match item.kind {
        OutlineKind::Class => GROUPS[0],
        OutlineKind::Function => GROUPS[1],
        OutlineKind::Variable => GROUPS[2],
        OutlineKind::Module | OutlineKind::Resource => return None,
    };
    let hover = analysis.hover(path, item.name_range.start)?;
    Some(Entry { group, signature: hover.signature, documentation: hover.documentation })
}

/// Returns the comment at the head of a file, up to the first empty line.
fn head(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with('#') && !line.starts_with("#!"));
    let lines: Vec<&str> = lines.map(|line| line.trim_start_matches('#').trim()).collect();
    // Directly above a statement, it is about that statement.
    let is_about_statement = text.lines().nth(lines.len()).is_some_and(|line| !line.trim().is_empty());
    if is_about_statement { String::new() } else { lines.join("\n") }
}

fn terminal(head: &str, entries: &[Entry]) -> String {
    let mut out = if head.is_empty() { String::new() } else { format!("{head}\n") };
    let mut group = "";
    for entry in entries {
        if entry.group != group {
            let _ = writeln!(out, "{}{}", if out.is_empty() { "" } else { "\n" }, entry.group);
            group = entry.group;
        }
        let _ = writeln!(out, "  {}", entry.signature.replace('\n', "\n  "));
        for line in entry.documentation.lines().filter(|line| !line.is_empty()) {
            let _ = writeln!(out, "      {line}");
        }
    }
    out
}

fn markdown(head: &str, entries: &[Entry]) -> String {
    let mut out = if head.is_empty() { String::new() } else { format!("{head}\n\n") };
    for entry in entries {
        let _ = writeln!(out, "```mcl\n{}\n```\n\n{}\n", entry.signature, entry.documentation);
    }
    out
}

fn json_text(head: &str, entries: &[Entry]) -> String {
    let entry = |entry: &Entry| json!({"in": entry.group, "signature": entry.signature, "doc": entry.documentation});
    let entries: Vec<Value> = entries.iter().map(entry).collect();
    format!("{:#}\n", json!({"doc": head, "entries": entries}))
}
