//! Every reference to the specification leads somewhere.
//!
//! Sources and documents say `spec 02 §4.1`; the documents of the specification refer to each other as `02 §4.1` and to
//! themselves as `§4.1`. After a section may follow more sections (`§4.1, §5`, `§§4-6`), rows of a table in it (`#13`), or
//! a phrase that it contains in quotes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::sources::{Source, line_of, sources};

/// A document of the specification: its text, and the byte range of each section with its subsections.
struct Document {
    text: String,
    sections: BTreeMap<String, std::ops::Range<usize>>,
}

type Spec = BTreeMap<String, Document>;

/// Why a reference leads nowhere.
#[derive(Debug, PartialEq)]
enum Dangling {
    Document(String),
    Section { document: String, section: String },
    Row { document: String, section: String, row: String },
    Phrase { document: String, phrase: String },
    Unmarked,
}

impl fmt::Display for Dangling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dangling::Document(document) => write!(f, "no document {document} in docs/spec"),
            Dangling::Section { document, section } => write!(f, "no section {section} in document {document}"),
            Dangling::Row { document, section, row } => write!(f, "no row {row} in a table of {document} §{section}"),
            Dangling::Phrase { document, phrase } => write!(f, "document {document} does not say {phrase:?}"),
            Dangling::Unmarked => write!(f, "a section sign without `spec NN` before it"),
        }
    }
}

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(#{2,6}) (?:Appendix )?([0-9A-Z]+(?:\.[0-9]+)*[a-z]?)\.? ").expect("valid"));
static FENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?ms)^```.*?^```$").expect("valid"));
/// A comment that continues on the next line.
static CONTINUATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\n[ \t]*(?://[/!]?)?[ \t]*").expect("valid"));

const SECTION: &str = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)*\b";

fn section_list() -> String {
    let row = r"#[0-9]+(?:[-–]#?[0-9]+)?";
    let item = format!(r"§*{SECTION}(?:[-–]§?{SECTION})?(?: {row}(?:, {row})*)?");
    format!(r#"§{{1,2}}{item}(?:(?:, | and ){item})*(?: "[^"]+")?"#)
}

/// A pattern in which a space matches any number of them, as where a comment continues on the next line.
fn spaced(pattern: &str) -> String {
    pattern.replace(' ', " +")
}

static IN_SOURCES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&spaced(&format!(
        r#"\bspec (?<document>[0-9]{{2}})(?: (?<list>{})|, (?<phrase>"[^"]+"))?"#,
        section_list()
    )))
    .expect("valid")
});
static IN_SPEC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&spaced(&format!(r"(?:\b(?<document>[0-9]{{2}}) )?(?<list>{})", section_list()))).expect("valid")
});
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r##"#(?<row>[0-9]+)|[-–]#?(?<last>[0-9.]+)|(?<section>{SECTION})|"(?<phrase>[^"]+)""##))
        .expect("valid")
});

impl Document {
    fn new(text: String) -> Document {
        // A `#` line in a code block is not a heading. Spaces in its place keep the offsets.
        let outside = FENCE.replace_all(&text, |fence: &Captures<'_>| " ".repeat(fence[0].len()));
        let headings: Vec<(usize, usize, String)> = HEADING
            .captures_iter(&outside)
            .map(|c| (c.get(0).expect("group 0").start(), c[1].len(), c[2].to_owned()))
            .collect();
        let end = |index: usize| {
            let (_, level, _) = headings[index];
            headings[index + 1..].iter().find(|(_, l, _)| *l <= level).map_or(text.len(), |(start, ..)| *start)
        };
        let sections =
            headings.iter().enumerate().map(|(i, (start, _, name))| (name.clone(), *start..end(i))).collect();
        Document { sections, text }
    }

    fn has_row(&self, section: &str, row: &str) -> bool {
        let Some(range) = self.sections.get(section) else { return false };
        self.text[range.clone()].lines().any(|line| line.starts_with(&format!("| {row} |")))
    }
}

fn spec() -> Spec {
    let documents = sources(&[".md"]).into_iter().filter_map(|source| {
        let number = source.path.strip_prefix("docs/spec/")?.get(..2)?.to_owned();
        number.bytes().all(|b| b.is_ascii_digit()).then(|| (number, Document::new(source.text)))
    });
    documents.collect()
}

/// Checks one list of sections, such as `§4.1 #3, #5-#7, §5`.
fn check_list(spec: &Spec, number: &str, list: &str) -> Vec<Dangling> {
    let Some(document) = spec.get(number) else { return vec![Dangling::Document(number.to_owned())] };
    let mut dangling = Vec::new();
    let mut section = String::new();
    let mut after_row = false;
    for item in ITEM.captures_iter(list) {
        let last = item.name("last").map(|m| m.as_str().to_owned());
        if let Some(phrase) = item.name("phrase") {
            if !document.text.contains(phrase.as_str()) {
                dangling.push(Dangling::Phrase { document: number.to_owned(), phrase: phrase.as_str().to_owned() });
            }
        } else if let Some(row) = item.name("row").map(|m| m.as_str().to_owned()).or(last.clone().filter(|_| after_row))
        {
            after_row = true;
            if !document.has_row(&section, &row) {
                dangling.push(Dangling::Row { document: number.to_owned(), section: section.clone(), row });
            }
        } else if let Some(named) = item.name("section").map(|m| m.as_str().to_owned()).or(last) {
            after_row = false;
            if !document.sections.contains_key(&named) {
                dangling.push(Dangling::Section { document: number.to_owned(), section: named.clone() });
            }
            section = named;
        }
    }
    dangling
}

/// The dangling references of a file, with the byte offset of each.
fn dangling(spec: &Spec, source: &Source) -> Vec<(usize, Dangling)> {
    let own = source.path.strip_prefix("docs/spec/").and_then(|name| name.get(..2)).filter(|n| spec.contains_key(*n));
    // Offsets stay: the replacement is as long as what it replaces.
    let joined = CONTINUATION.replace_all(&source.text, |c: &Captures<'_>| " ".repeat(c[0].len()));
    let spaces = Regex::new(r" {2,}").expect("valid");
    let found = |pattern: &Regex| -> Vec<(usize, usize, Vec<Dangling>)> {
        let references = pattern.captures_iter(&joined).map(|c| {
            let whole = c.get(0).expect("group 0");
            let number = c.name("document").map(|m| m.as_str()).or(own).unwrap_or_default();
            let mut errors = match c.name("list") {
                Some(list) => check_list(spec, number, &spaces.replace_all(list.as_str(), " ")),
                None if spec.contains_key(number) => Vec::new(),
                None => vec![Dangling::Document(number.to_owned())],
            };
            if let (Some(phrase), Some(document)) = (c.name("phrase"), spec.get(number)) {
                let phrase = phrase.as_str().trim_matches('"');
                if !document.text.contains(phrase) {
                    errors.push(Dangling::Phrase { document: number.to_owned(), phrase: phrase.to_owned() });
                }
            }
            (whole.start(), whole.end(), errors)
        });
        references.collect()
    };
    let references = found(if own.is_some() { &IN_SPEC } else { &IN_SOURCES });
    let mut errors: Vec<(usize, Dangling)> = Vec::new();
    if own.is_none() && source.path.ends_with(".rs") {
        let signs = joined.match_indices('§').map(|(at, _)| at);
        let unmarked = signs.filter(|at| !references.iter().any(|(start, end, _)| (start..end).contains(&at)));
        errors.extend(unmarked.map(|at| (at, Dangling::Unmarked)));
    }
    errors.extend(references.into_iter().flat_map(|(at, _, all)| all.into_iter().map(move |e| (at, e))));
    errors
}

#[test]
fn every_reference_to_the_specification_resolves() {
    let spec = spec();
    assert!(spec.len() >= 10, "the specification is there");
    let mut report = Vec::new();
    for source in sources(&[".rs", ".lalrpop", ".md", ".toml"]) {
        if source.path.ends_with("/spec_references.rs") || source.path == "docs/style.md" {
            continue;
        }
        for (at, error) in dangling(&spec, &source) {
            report.push(format!("{}:{}: {error}", source.path, line_of(&source.text, at)));
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n"));
}

#[test]
fn dangling_references_are_found() {
    let document =
        "## 4. Rules\n### 4.1 First\n| # | rule |\n|---|---|\n| 3 | a |\n| 5 | b |\n```\n## 9. code\n```\n## 5. More\n";
    let spec = Spec::from([("02".to_owned(), Document::new(document.to_owned()))]);
    let check = |path: &str, text: &str| {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        dangling(&spec, &source).into_iter().map(|(_, error)| error.to_string()).collect::<Vec<_>>().join("; ")
    };
    for right in [
        "// spec 02",
        "// (spec 02 §4.1)",
        "// spec 02 §4.1 #3, #5, §5",
        "// spec 02 §§4-5",
        "//! spec 02\n//! §4.1",
        "// spec 02 §4.1 \"First\"",
    ] {
        assert_eq!(check("src/a.rs", right), "", "{right}");
    }
    for (wrong, error) in [
        ("// spec 03 §1", "no document 03 in docs/spec"),
        ("// spec 02 §4.2", "no section 4.2 in document 02"),
        ("// spec 02 §9", "no section 9 in document 02"),
        ("// spec 02 §4.1, §4.3", "no section 4.3 in document 02"),
        ("// spec 02 §4-6", "no section 6 in document 02"),
        ("// spec 02\n    /// §4.4", "no section 4.4 in document 02"),
        ("// spec 02 §4.1 #4", "no row 4 in a table of 02 §4.1"),
        ("// spec 02 §4.1 #3-#6", "no row 6 in a table of 02 §4.1"),
        ("// spec 02 §4 \"Last\"", "document 02 does not say \"Last\""),
        ("// see §4.1", "a section sign without `spec NN` before it"),
    ] {
        assert_eq!(check("src/a.rs", wrong), error, "{wrong}");
    }
    assert_eq!(check("docs/spec/02-x.md", "see §4.1 and 02 §5"), "");
    assert_eq!(check("docs/spec/02-x.md", "see §4.7"), "no section 4.7 in document 02");
}
