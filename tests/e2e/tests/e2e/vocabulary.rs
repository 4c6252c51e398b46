//! One word per thing: the table "Vocabulary" of docs/style.md, held against every source and document.

use std::ops::Range;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::sources::{Source, line_of, root, sources};

/// What is not ours to word: names in recorded programs, recorded output of Puppet, and the terms of the reference
/// implementation.
const EXEMPT: &[&str] = &["crates/graph-merge/tests/merge/cases.rs", "tests/puppet/", "docs/spec/", "docs/style.md"];

/// Where a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Everything,
    Prose,
    Messages,
}

/// The rules, with one automaton that finds those that a text could break.
struct Rules {
    rules: Vec<Rule>,
    any: RegexSet,
}

/// One word or phrase that is not used.
struct Rule {
    phrase: String,
    pattern: Regex,
    instead: String,
    scope: Scope,
    /// Matches of these that overlap a match of `pattern` are right.
    exceptions: Vec<Regex>,
}

/// What a part of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Identifier,
    Comment,
    String,
    Document,
    Output,
}

impl Scope {
    fn contains(self, part: Part) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Prose => part != Part::Identifier,
            Scope::Messages => matches!(part, Part::String | Part::Output),
        }
    }
}

/// The words of a phrase in this order, with anything between them that a line break in a comment puts there.
fn phrase_pattern(phrase: &str) -> Regex {
    let words: Vec<String> = phrase.split(' ').map(regex::escape).collect();
    let words = words.join(r"(?:[\s\\]|//[/!]?)+");
    RegexBuilder::new(&format!("(?:^|[^A-Za-z])({words})(?:$|[^A-Za-z])"))
        .case_insensitive(true)
        .build()
        .expect("the words are escaped")
}

/// The rules of the table in docs/style.md.
fn rules(style: &str) -> Rules {
    let quoted = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let table = style.split("## Vocabulary").nth(1).expect("docs/style.md has a vocabulary");
    let mut rules: Vec<Rule> = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ")).skip(2) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [term, _, not, scope, except] = cells[..] else { panic!("five columns: {line}") };
        let scope = match scope {
            "everything" => Scope::Everything,
            "prose" => Scope::Prose,
            "messages" => Scope::Messages,
            other => panic!("`{other}` is not a scope: {line}"),
        };
        rules.extend(quoted(not).into_iter().map(|phrase| Rule {
            pattern: phrase_pattern(&phrase),
            phrase,
            instead: term.to_owned(),
            scope,
            exceptions: quoted(except).iter().map(|e| phrase_pattern(e)).collect(),
        }));
    }
    let patterns = rules.iter().map(|rule| rule.pattern.as_str());
    Rules { any: RegexSetBuilder::new(patterns).case_insensitive(true).build().expect("valid"), rules }
}

/// Every match of group 1, also where matches share the character between them.
fn matches(pattern: &Regex, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = pattern.captures_at(text, from) {
        let range = captures.get(1).expect("group 1 always takes part").range();
        from = range.end;
        found.push(range);
    }
    found
}

/// Splits `snake_case` and `CamelCase` into words.
fn words(identifier: &str) -> String {
    let mut words = String::new();
    for c in identifier.chars() {
        if c == '_' || (c.is_uppercase() && words.ends_with(char::is_lowercase)) {
            words.push(' ');
        }
        if c != '_' {
            words.push(c);
        }
    }
    words
}

/// The identifiers, comments and strings of a Rust source, in order. Adjacent line comments are one part.
fn parts_of_rust(text: &str) -> Vec<(Part, Range<usize>)> {
    let token = Regex::new(concat!(
        r"(?s)(?<comment>//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/)",
        r##"|(?<string>b?c?r"[^"]*"|[bc]?r#"(?:[^"]|"[^#])*"+#|[bc]?r##"(?:[^"]|"(?:[^#]|#[^#]))*"+##|[bc]?"(?:[^"\\]|\\.)*")"##,
        r"|(?<char>b?'(?:[^'\\]|\\[^u]|\\u\{[^}]*\}|\\x..)')",
        r"|(?<identifier>[A-Za-z_][A-Za-z0-9_]*)",
    ))
    .expect("valid");
    let mut parts = Vec::new();
    for captures in token.captures_iter(text) {
        for (name, part) in [("comment", Part::Comment), ("string", Part::String), ("identifier", Part::Identifier)] {
            if let Some(found) = captures.name(name) {
                parts.push((part, found.range()));
            }
        }
    }
    parts
}

/// What of a file breaks a rule, as `line: message`.
fn violations(rules: &Rules, source: &Source) -> Vec<String> {
    let whole = || 0..source.text.len();
    let parts = match source.path.rsplit('.').next() {
        Some("rs" | "lalrpop") => parts_of_rust(&source.text),
        Some("out") => vec![(Part::Output, whole())],
        _ => vec![(Part::Document, whole())],
    };
    let mut found: Vec<(usize, &Rule)> = Vec::new();
    for (part, range) in parts {
        let text = &source.text[range.clone()];
        let words = if part == Part::Identifier { words(text) } else { String::new() };
        let broken = rules.any.matches(if part == Part::Identifier { &words } else { text });
        for rule in broken.iter().map(|index| &rules.rules[index]).filter(|rule| rule.scope.contains(part)) {
            if part == Part::Identifier {
                found.push((range.start, rule));
                continue;
            }
            for hit in matches(&rule.pattern, text) {
                let excepted = |e: &Regex| matches(e, text).iter().any(|m| m.start <= hit.start && hit.end <= m.end);
                if !rule.exceptions.iter().any(excepted) {
                    found.push((range.start + hit.start, rule));
                }
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    let message = |(at, rule): &(usize, &Rule)| {
        format!("{}: `{}` (use: {})", line_of(&source.text, *at), rule.phrase, rule.instead)
    };
    found.iter().map(message).collect()
}

#[test]
fn one_word_per_thing() {
    let style = std::fs::read_to_string(root().join("docs/style.md")).expect("docs/style.md is there");
    let rules = rules(&style);
    let mut report = Vec::new();
    for source in sources(&[".rs", ".lalrpop", ".md", ".mcl", ".out", ".toml", "run"]) {
        if EXEMPT.iter().any(|prefix| source.path.starts_with(prefix)) {
            continue;
        }
        report.extend(violations(&rules, &source).into_iter().map(|found| format!("{}:{found}", source.path)));
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n"));
}

#[test]
fn words_are_found_where_their_rule_applies() {
    let style = "## Vocabulary\n\n| term | meaning | not | in | except |\n| --- | --- | --- | --- | --- |\n\
        | cycle | | `wheel` | everything | |\n| invalid X | | `is nil` | prose | `there is nil` |\n\
        | after | | `rearward` | messages | |\n";
    let rules = rules(style);
    let check = |name: &str, text: &str| {
        violations(&rules, &Source { path: name.to_owned(), text: text.to_owned() }).join("; ")
    };
    assert_eq!(
        check("a.rs", "fn break_wheel() {}\nstruct WheelOf;"),
        "1: `wheel` (use: cycle); 2: `wheel` (use: cycle)"
    );
    assert_eq!(check("a.rs", "fn wheels() { 'c'; '\"'; }"), "");
    assert_eq!(check("a.rs", "// It is\n    // nil name; there is nil other."), "1: `is nil` (use: invalid X)");
    assert_eq!(
        check("a.rs", "// rearward\nf(\"rear\\\"ward rearward\", r#\"a \" rearward\"#)"),
        "2: `rearward` (use: after); 2: `rearward` (use: after)"
    );
    assert_eq!(check("a.md", "rearward a wheel"), "1: `wheel` (use: cycle)");
    assert_eq!(check("a.out", "rearward"), "1: `rearward` (use: after)");
}
