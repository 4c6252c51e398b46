//! Relative links in documents lead to files and headings that exist.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use crate::sources::{line_of, root, sources};

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase();
        let kept: String = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')).collect();
        kept.replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn relative_links_resolve() {
    let link = Regex::new(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)").expect("valid");
    let code = Regex::new(r"(?s)```.*?```|`[^`\n]*`").expect("valid");
    let mut report = Vec::new();
    for source in sources(&[".md"]) {
        let text = code.replace_all(&source.text, |c: &regex::Captures<'_>| " ".repeat(c[0].len()));
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let file = if target.is_empty() {
                root().join(&source.path)
            } else {
                root().join(&source.path).parent().unwrap_or(Path::new("")).join(target)
            };
            let resolves = file.exists()
                && found.get(2).is_none_or(|anchor| {
                    std::fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(anchor.as_str()))
                });
            if !resolves {
                let at = found.get(0).expect("group 0").start();
                report.push(format!("{}:{}: {}", source.path, line_of(&source.text, at), &found[0]));
            }
        }
    }
    assert!(report.is_empty(), "links to what does not exist:\n{}\n", report.join("\n"));
}
