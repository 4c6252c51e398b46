//! Refactorings: a program before and after (spec 11 §3.9).
//!
//! The cases are in `refactor/*.txt`. Each starts with a line `=== title of the refactoring`, then come the program, in which `¦`
//! is the cursor or `«` and `»` are around what is selected, a line `---`, and the program after it. After a line `+++ path`
//! comes the file that it creates. `BLESS=1` writes what it makes now.

use std::collections::BTreeMap;
use std::ops::Range;

use mcl_diagnostics::Severity;
use test_support::{RandomChoice, Rng, for_each_seed};

use super::*;
use crate::Refactoring;
use crate::edits::apply_edits;

/// Takes the marks out of a text.
fn with_selection(text: &str) -> (String, Range<u32>) {
    if text.contains('¦') {
        let (text, at) = with_cursor(text);
        return (text, at..at);
    }
    let start = text.find('«').expect("a selection");
    let end = text.find('»').expect("the end of the selection") - '«'.len_utf8();
    (text.replace(['«', '»'], ""), start as u32..end as u32)
}

/// Returns the files after a refactoring: the main one, and one that is new.
fn after(text: &str, found: &Refactoring) -> (String, Option<(PathBuf, String)>) {
    (apply_edits(text, &found.edits[&main_path()]), found.new_file.clone())
}

/// Returns the errors of a program of two files.
fn errors(main: &str, other: Option<&(PathBuf, String)>) -> Vec<String> {
    let mut workspace = Workspace::new(None);
    workspace.open(main_path(), main);
    if let Some((path, text)) = other {
        workspace.open(path.clone(), text);
    }
    let findings = Analyzer::default().analyze(&workspace.sources()).findings();
    let errors = findings.into_values().flatten().filter(|finding| finding.severity == Severity::Error);
    errors.map(|error| format!("{} {}", error.code.name(), error.message)).collect()
}

fn refactored(title: &str, before: &str) -> String {
    let (text, selection) = with_selection(before);
    let found = analyze(&text).refactorings(&main_path(), &selection);
    let offered: Vec<&str> = found.iter().map(|of| of.title.as_str()).collect();
    let found = found.iter().find(|of| of.title == title);
    let (main, new) = after(&text, found.unwrap_or_else(|| panic!("no {title:?} among {offered:?} for\n{before}")));
    assert_eq!(errors(&main, new.as_ref()), [""; 0], "{main}");
    match new {
        Some((path, new)) => format!("{main}+++ {}\n{new}", path.display()),
        None => main,
    }
}

#[test]
fn refactorings_keep_the_meaning() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests/refactor");
    let files = std::fs::read_dir(&directory).expect("the directory of the cases").flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file of the cases");
        let mut now = String::new();
        for part in text.split("=== ").skip(1) {
            let (title, programs) = part.split_once('\n').expect("a line with the title");
            let (before, after) = programs.split_once("---\n").expect("the program after it");
            let made = refactored(title, before);
            if std::env::var_os("BLESS").is_none() {
                assert_eq!(made, after, "{title} of {}", path.display());
            }
            now += &format!("=== {title}\n{before}---\n{made}");
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, now).expect("the file of the cases");
        }
    }
}

/// Asserts that no refactoring whose title starts so is offered.
#[track_caller]
fn refuses(title: &str, text: &str) {
    let (text, selection) = with_selection(text);
    let found = analyze(&text).refactorings(&main_path(), &selection);
    assert!(!found.iter().any(|of| of.title.starts_with(title)), "{found:#?}");
}

#[test]
fn what_would_change_the_meaning_is_not_offered() {
    // The parameter is known only inside of the function.
    refuses("extract", "func f($n) { «$n + 1» }\ntest \"t\" {\n\tint64 => f(1),\n}\n");
    // The value would be computed where the branch is not taken.
    refuses("extract", "$l = [1]\n$x = if len($l) > 1 { «$l[1]» } else { 0 }\ntest \"t\" {\n\tint64 => $x,\n}\n");
    // In the block, `$b` is another variable.
    refuses("inline", "$b = 1\n$a¦ = $b + 1\nif true {\n\t$b = 5\n\ttest \"t\" {\n\t\tint64 => $a + $b,\n\t}\n}\n");
    // A call needs a name.
    refuses("inline", "$f¦ = func($n) { $n }\ntest \"t\" {\n\tint64 => $f(1),\n}\n");
    // A string has references to variables only.
    refuses("inline", "import \"fmt\"\n$a¦ = fmt.printf(\"x\")\ntest \"t\" {\n\tanotherstr => \"${a}\",\n}\n");
    // The written type may be what types the value.
    refuses("inline", "$a¦ []str = []\ntest \"t\" {\n\tint64 => len($a),\n}\n");
    // What the class defines is used outside of it.
    refuses("extract into the class", "«$a = 1\ntest \"a\" {}»\ntest \"t\" {\n\tint64 => $a,\n}\n");
    // The file does not see the variables of this one.
    refuses("move", "$a = 1\nclass c¦ {\n\ttest \"t\" {\n\t\tint64 => $a,\n\t}\n}\ninclude c\n");
    // A comment would be lost.
    refuses("use a loop", "«test \"a\" {\n\tint64 => 1, # one\n}\ntest \"b\" {\n\tint64 => 2,\n}»\n");
    // They differ in more than literals.
    refuses("use a loop", "$x = 1\n«test \"a\" {\n\tint64 => $x,\n}\ntest \"b\" {\n\tint64 => 2,\n}»\n");
    // The variables of a loop have no types.
    refuses("add the type", "for $i¦, $v in [\"a\"] {\n\ttest \"${v}\" {}\n}\n");
    // There is an error of syntax.
    refuses("extract", "$x = [\n$y = «1 + 2»\n");
}

/// The accepted programs of `tests/ui` and `examples`, which need no other file.
fn programs() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut work = vec![root.join("tests/ui"), root.join("examples")];
    let mut found = Vec::new();
    while let Some(directory) = work.pop() {
        let entries = std::fs::read_dir(&directory).expect("a directory").flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|of| of == "mcl") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.extend(errors(&text, None).is_empty().then_some(text));
            }
        }
    }
    found
}

/// Returns what somebody may select: a node of the tree, several statements, or a byte.
fn selection(text: &str, rng: &mut Rng) -> Range<u32> {
    let tokens = mcl_lexer::lex(text);
    let tree = mcl_parser::parse(mcl_diagnostics::FileId::MAIN, text, &tokens).ast;
    let exprs: Vec<_> = tree.exprs.keys().map(|id| tree.expr_span(id)).collect();
    let stmts: Vec<_> = tree.stmts.keys().map(|id| tree.stmt_span(id)).collect();
    match rng.usize(..4) {
        0 if !exprs.is_empty() => {
            let span = rng.pick(&exprs);
            span.start..span.end
        }
        1 if !stmts.is_empty() => {
            let span = rng.pick(&stmts);
            span.start..span.end
        }
        2 if tree.body.len() > 1 => {
            let first = rng.usize(..tree.body.len() - 1);
            let last = rng.usize(first + 1..tree.body.len());
            tree.stmt_span(tree.body[first]).start..tree.stmt_span(tree.body[last]).end
        }
        _ => {
            let at = tokens.indices().nth(rng.usize(..tokens.len().max(1)));
            let at = at.map_or(0, |token| tokens.start(token));
            at..at
        }
    }
}

#[test]
fn refactorings_of_programs_make_no_errors() {
    let programs = programs();
    assert!(programs.len() > 100, "{} programs", programs.len());
    let mut made = BTreeMap::new();
    for_each_seed(1_500, |rng| {
        let text = rng.pick(&programs);
        for found in analyze(text).refactorings(&main_path(), &selection(text, rng)) {
            let (main, new) = after(text, &found);
            assert_ne!(main, *text, "{}", found.title);
            let errors = errors(&main, new.as_ref());
            assert!(errors.is_empty(), "{}: {errors:?}\n{text}\n---\n{main}\n{new:?}", found.title);
            let words: Vec<&str> = found.title.split([' ', '`']).take(4).collect();
            *made.entry(words.join(" ")).or_insert(0) += 1;
        }
    });
    println!("{made:#?}");
}
