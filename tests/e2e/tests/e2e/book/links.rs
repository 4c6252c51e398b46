//! The links between pages, and the table of contents.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

use super::blocks::prose;
use super::pages;
use crate::sources::{Source, root, sources};

/// Returns the links of a page, without those to the web.
fn links(page: &Source) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a valid pattern");
    let text = prose(&page.text);
    link.captures_iter(&text).map(|found| found[1].to_owned()).filter(|link| !link.contains("://")).collect()
}

/// Returns the anchors of a page, as GitHub and mdBook name its headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

/// Resolves `..` in a path of the repository.
fn resolved(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in sources(&[".md"]).into_iter().filter(|page| !page.path.starts_with("docs/spec/")) {
        for link in links(&page) {
            let (path, anchor) = link.split_once('#').map_or((&*link, None), |(path, anchor)| (path, Some(anchor)));
            let directory = Path::new(&page.path).parent().expect("a file is in a directory");
            let target = if path.is_empty() { page.path.clone().into() } else { resolved(&directory.join(path)) };
            let exists = root().join(&target).exists();
            let has_anchor = || match anchor {
                Some(anchor) => {
                    let text = std::fs::read_to_string(root().join(&target)).unwrap_or_default();
                    anchors(&text).iter().any(|found| found == anchor)
                }
                None => true,
            };
            if !exists || !has_anchor() {
                broken.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("there is a table of contents");
    let summary = Source { path: "docs/SUMMARY.md".to_owned(), text: summary };
    let mut listed: Vec<String> = links(&summary).into_iter().map(|link| format!("docs/{link}")).collect();
    listed.sort();
    let mut expected: Vec<String> = pages().into_iter().map(|page| page.path).collect();
    expected.retain(|path| !matches!(path.as_str(), "README.md" | "docs/SUMMARY.md"));
    expected.sort();
    assert_eq!(listed, expected);
}
