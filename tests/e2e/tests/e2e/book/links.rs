//! The links between pages, and the table of contents.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex::Regex;
use test_support::{Scratch, skip_without};

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
fn links_of_the_book_stay_in_it() {
    let is_in_book = |path: &str| path.starts_with("docs/") && !path.starts_with("docs/spec/");
    let mut leaving = Vec::new();
    for page in pages().into_iter().filter(|page| is_in_book(&page.path)) {
        for link in links(&page) {
            let path = link.split('#').next().unwrap_or_default();
            let directory = Path::new(&page.path).parent().expect("a file is in a directory");
            let target = resolved(&directory.join(path));
            if !path.is_empty() && !target.to_str().is_some_and(is_in_book) {
                leaving.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(leaving.is_empty(), "links to what the published book does not have:\n{}", leaving.join("\n"));
}

#[test]
fn mdbook_builds_it() {
    if Command::new("mdbook").arg("--version").output().is_err() {
        return skip_without("mdbook", "mdbook");
    }
    let scratch = Scratch::new();
    let output =
        Command::new("mdbook").arg("build").arg(root().join("docs")).arg("--dest-dir").arg(scratch.dir()).output();
    let output = output.expect("it started before");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
    let link = Regex::new(r##"<a [^>]*href="([^"#]+)"##).expect("a valid pattern");
    let mut broken = Vec::new();
    for page in pages().into_iter().filter(|page| page.path.starts_with("docs/")) {
        let path = Path::new(&page.path).strip_prefix("docs").expect("it is below docs").with_extension("html");
        if path == Path::new("SUMMARY.html") {
            continue;
        }
        let html = scratch.read(&path).unwrap_or_else(|| panic!("{} was not written", path.display()));
        let directory = path.parent().expect("a file is in a directory");
        for target in link.captures_iter(&html).map(|found| found[1].to_owned()).filter(|link| !link.contains("://")) {
            if !scratch.path(directory.join(&target)).exists() {
                broken.push(format!("{}: {target}", path.display()));
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
