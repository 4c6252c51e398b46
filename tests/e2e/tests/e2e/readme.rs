//! README.md does what it says: its first program, its commands and their options.

use crate::sources::root;
use crate::support::Scratch;

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("README.md")
}

/// Returns the first block of code in a language.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let (_, from) = text.split_once(&format!("```{language}\n")).expect("a block");
    from.split_once("```").expect("an end").0
}

/// Returns the indented lines of the text after the first program, each without its comment.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let (_, after) = text.split_once("## A first program").expect("the section");
    let (section, _) = after.split_once("\n## ").expect("another section");
    let lines = section.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.starts_with('m'));
    lines.map(|line| line.split(" # ").next().unwrap_or(line).split_whitespace().collect()).collect()
}

#[test]
fn first_program_works_as_described() {
    let text = readme();
    let scratch = Scratch::new(&block(&text, "mcl").replace("/srv/", "@/"));
    let mut ran = Vec::new();
    for command in commands(&text) {
        let [tool, args @ ..] = &command[..] else { continue };
        // Without `--once`, the agent runs until Ctrl-C.
        if args.contains(&"apply") && !args.contains(&"--once") {
            continue;
        }
        let state: &[&str] = if args.contains(&"apply") { &["--prefix", "state"] } else { &[] };
        let result = scratch.run(tool, &[args, state].concat());
        let expected = if args.contains(&"plan") { 3 } else { 0 };
        assert_eq!(result.status, expected, "{command:?}: {}{}", result.out, result.err);
        if args.contains(&"check") {
            assert_eq!((result.out.as_str(), result.err.as_str()), ("", ""), "the program is valid");
        }
        ran.push(args[0]);
    }
    assert_eq!(ran, ["check", "build", "graph", "plan", "apply"]);
    assert_eq!(scratch.read("blog/site.conf").as_deref(), Some("name = BLOG\nport = 8000\n"));
}

/// Returns the pieces of code in a row of a table.
fn code(row: &str) -> impl Iterator<Item = &str> {
    row.split('`').skip(1).step_by(2)
}

#[test]
fn commands_and_options_exist() {
    let text = readme();
    let scratch = Scratch::new("");
    let (_, tools) = text.split_once("## The tools").expect("the section");
    let (tools, _) = tools.split_once("\n## ").expect("another section");
    let (mut tool, mut rows) = ("", 0);
    for line in tools.lines() {
        match line.trim_matches('`') {
            "mclc" => tool = "mclc",
            "mgmt-rt" => tool = "mgmt-rt",
            _ => {}
        }
        let Some(row) = line.strip_prefix("| `") else { continue };
        let row = row.replace("\\|", " ").replace(['[', ']', '=', ','], " ");
        let (usage, _) = row.split_once(" | ").expect("two columns");
        let usage = format!("`{usage}");
        let names: Vec<&str> = code(&usage).filter_map(|code| code.split_whitespace().next()).collect();
        let commands = names.iter().filter(|name| name.starts_with(char::is_lowercase));
        for command in commands {
            let second = usage.contains("puppet lookup").then_some("lookup");
            let args: Vec<&str> = [*command].into_iter().chain(second).chain(["--help"]).collect();
            let help = scratch.run(tool, &args);
            assert_eq!(help.status, 0, "{tool} {args:?}: {}", help.err);
            for option in usage.split(|c: char| c.is_whitespace() || c == '`').filter(|word| word.starts_with("--")) {
                let is_known = help.out.split_whitespace().any(|word| word.trim_end_matches(',') == option);
                assert!(is_known || help.out.contains(&format!("{option}[")), "{tool} {args:?} has no {option}");
            }
        }
        rows += 1;
    }
    assert!(rows > 12, "the tables have {rows} rows");
}

#[test]
fn every_document_is_listed() {
    let text = readme();
    let documents = std::fs::read_dir(root().join("docs")).expect("the directory").flatten();
    let names = documents.filter_map(|entry| entry.file_name().into_string().ok());
    let missing: Vec<String> =
        names.filter(|name| name.ends_with(".md") && !text.contains(&format!("(docs/{name})"))).collect();
    assert!(missing.is_empty(), "README.md does not list {missing:?}");
}
