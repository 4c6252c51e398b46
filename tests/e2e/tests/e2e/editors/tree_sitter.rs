//! `editors/tree-sitter-mcl`: the generated parser, its corpus, every program of the repository, and the queries.
//!
//! Most people do not have the command line of tree-sitter, which takes minutes to build, so its libraries do here what
//! `tree-sitter generate` and `tree-sitter test` do. `BLESS=1` writes the parser and the expected trees.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use test_support::{Scratch, skip};
use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree, TreeCursor};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use super::colours::{compare, sample};
use super::programs::programs;
use super::{editors, installed, succeeds};

/// The version of tables that every editor reads: Neovim 0.7, too.
const ABI_VERSION: usize = 14;

fn language() -> Language {
    tree_sitter_mcl::LANGUAGE.into()
}

fn tree(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("its version is known");
    parser.parse(text, None).expect("parsing is not cancelled")
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

#[test]
fn the_parser_is_what_the_grammar_generates() {
    if Command::new("node").arg("--version").output().is_err() {
        return skip("node (package `nodejs`) is not installed");
    }
    let directory = editors().join("tree-sitter-mcl");
    let scratch = Scratch::new();
    let target = if is_blessing() { directory.join("src") } else { scratch.dir().to_owned() };
    let generated = generate_parser_in_directory(
        &directory,
        Some(&target),
        None::<&Path>,
        ABI_VERSION,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut Vec::new(),
    );
    generated.unwrap_or_else(|error| panic!("{error}"));
    for file in ["parser.c", "grammar.json", "node-types.json"] {
        let [ours, new] =
            [directory.join("src"), target.clone()].map(|d| std::fs::read(d.join(file)).expect("readable"));
        assert!(ours == new, "src/{file} does not belong to grammar.js: BLESS=1 writes it");
    }
}

/// Writes one named node per line, indented, with the field that it is in.
fn render(cursor: &mut TreeCursor<'_>, depth: usize, out: &mut String) {
    let node = cursor.node();
    if node.is_named() || node.is_missing() {
        let field = cursor.field_name().map(|name| format!("{name}: ")).unwrap_or_default();
        let separator = if out.is_empty() { "" } else { "\n" };
        write!(out, "{separator}{}{field}({}", "  ".repeat(depth), node.kind()).expect("strings take everything");
    }
    if cursor.goto_first_child() {
        loop {
            render(cursor, depth + 1, out);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
    if node.is_named() || node.is_missing() {
        out.push(')');
    }
}

fn rendered(node: Node<'_>) -> String {
    let mut out = String::new();
    render(&mut node.walk(), 0, &mut out);
    out
}

#[test]
fn every_program_of_the_corpus_has_its_tree() {
    let rule = "=".repeat(30);
    let directory = editors().join("tree-sitter-mcl/test/corpus");
    let mut differences = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let corpus = std::fs::read_to_string(&path).expect("readable");
        let mut blessed = String::new();
        // `RULE\nNAME\nRULE\n\nPROGRAM\n---\n\nTREE\n\n`, again and again.
        let parts: Vec<&str> = corpus.split(&rule).collect();
        for case in parts[1..].chunks_exact(2) {
            let (program, expected) = case[1].rsplit_once("\n---\n").expect("a line `---` before the tree");
            let found = rendered(tree(&program[2..]).root_node());
            let head = format!("{rule}{}{rule}", case[0]);
            write!(blessed, "{head}{program}\n---\n\n{found}\n\n").expect("strings take everything");
            if found.trim() != expected.trim() {
                write!(differences, "{}{}\n{found}\n", case[0], program).expect("strings take everything");
            }
            count += 1;
        }
        if is_blessing() {
            std::fs::write(&path, blessed).expect("writable");
        }
    }
    assert!(count > 20, "{count} cases");
    assert!(differences.is_empty() || is_blessing(), "other trees than expected:{differences}");
}

#[test]
fn the_command_line_accepts_the_corpus_and_the_queries() {
    let Some(mut tests) = installed("tree-sitter", "tree-sitter-cli") else { return };
    if installed("cc", "gcc").is_none() {
        return;
    }
    // It writes next to the grammar.
    let scratch = Scratch::new();
    succeeds(Command::new("cp").arg("-r").arg(editors().join("tree-sitter-mcl/.")).arg(scratch.dir()));
    scratch.write("home/config/tree-sitter/config.json", "{ \"parser-directories\": [] }");
    let run = |command: &mut Command| {
        let home = scratch.path("home");
        command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", home.join("cache"));
        succeeds(command.current_dir(scratch.dir()))
    };
    let printed = run(tests.arg("test"));
    assert!(printed.matches('✓').count() > 20 && !printed.contains('✗'), "{printed}");
    for entry in std::fs::read_dir(scratch.path("queries")).expect("a directory") {
        let mut query = installed("tree-sitter", "tree-sitter-cli").expect("it is installed");
        run(query.arg("query").arg(entry.expect("an entry").path()).arg(editors().join("sample.mcl")));
    }
}

#[test]
fn every_program_parses() {
    let wrong: Vec<String> = programs()
        .iter()
        .filter(|program| tree(&program.text).root_node().has_error())
        .map(|program| format!("{}:\n{}", program.path, program.text))
        .collect();
    assert!(wrong.is_empty(), "{} programs have errors:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn queries_name_only_what_the_grammar_has() {
    for query in [
        tree_sitter_mcl::HIGHLIGHTS,
        tree_sitter_mcl::INJECTIONS,
        tree_sitter_mcl::LOCALS,
        tree_sitter_mcl::FOLDS,
        tree_sitter_mcl::INDENTS,
        tree_sitter_mcl::TAGS,
    ] {
        Query::new(&language(), query).unwrap_or_else(|error| panic!("{error}\n{query}"));
    }
}

/// Whether a capture may colour what is of this type for the server.
fn agree(server: &str, capture: &str) -> bool {
    let allowed: &[&str] = match capture {
        "boolean"
        | "keyword"
        | "keyword.conditional"
        | "keyword.repeat"
        | "keyword.function"
        | "keyword.import"
        | "keyword.operator" => &["keyword"],
        "comment" => &["comment"],
        "string" | "string.escape" | "punctuation.special" => &["string"],
        "number" | "number.float" => &["number"],
        "type.builtin" => &["type"],
        "type" => &["class"],
        "function" | "function.call" => &["function"],
        // Which names are parameters or constants, only the server knows.
        "variable" => &["variable", "parameter", "enumMember"],
        "variable.parameter" => &["parameter"],
        "module" => &["namespace"],
        // The server has no symbols for fields of structs.
        "property" => &["property", "variable"],
        "attribute" => &["macro"],
        "operator" | "punctuation.delimiter" => &["operator", ""],
        _ => &[""],
    };
    allowed.contains(&server)
}

#[test]
fn colours_agree_with_the_server() {
    let (text, server) = sample();
    let tree = tree(&text);
    let query = Query::new(&language(), tree_sitter_mcl::HIGHLIGHTS).expect("it is valid");
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(&query, tree.root_node(), text.as_bytes());
    let mut grammar = vec![String::new(); text.len()];
    while let Some((found, index)) = captures.next() {
        let capture = found.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        grammar[capture.node.byte_range()].fill(name.to_owned());
    }
    compare(&text, &server, &grammar, agree);
}
