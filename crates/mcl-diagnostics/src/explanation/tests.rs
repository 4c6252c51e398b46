use std::collections::BTreeSet;

use super::*;
use crate::all_codes;

#[test]
fn blocks_are_told_apart() {
    let text = "One\nparagraph.\n```mcl,fails\n$a = 1\n\n$b = 2\n```\n- an item\n  of two lines\n- another\n\n| a | b |\n| --- | --- |\n";
    assert_eq!(
        blocks(text),
        [
            Block::Paragraph("One\nparagraph."),
            Block::Code(CodeBlock { info: "mcl,fails", text: "$a = 1\n\n$b = 2\n" }),
            Block::Item("an item\n  of two lines"),
            Block::Item("another"),
            Block::Table("| a | b |\n| --- | --- |"),
        ]
    );
}

#[test]
fn a_program_may_have_several_files() {
    let block = CodeBlock { info: "mcl", text: "import \"lib.mcl\"\n-- lib.mcl --\n$a = 1\n-- metadata.yaml --\n" };
    let files = [("main.mcl", "import \"lib.mcl\"\n"), ("lib.mcl", "$a = 1\n"), ("metadata.yaml", "")];
    assert_eq!(block.files(), files.map(|(name, text)| (name, text.to_owned())));
}

#[test]
fn attributes_change_the_line_ends() {
    let text = |info| CodeBlock { info, text: "$a = 1\n$b = 2\n" }.files()[0].1.clone();
    assert_eq!(text("mcl,fails,crlf"), "$a = 1\r\n$b = 2\r\n");
    assert_eq!(text("mcl,fails,no-final-newline"), "$a = 1\n$b = 2");
}

#[test]
fn every_file_belongs_to_a_code() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/codes");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("names are UTF-8"))
        .collect();
    let codes: BTreeSet<String> = all_codes().map(|code| format!("{}.md", code.name())).collect();
    assert_eq!(files, codes);
}

/// The info strings of programs that are tested.
const TESTED_BLOCKS: [&str; 9] = [
    "mcl",
    "mcl,fails",
    "mcl,fails,crlf",
    "mcl,fails,no-final-newline",
    "json",
    "json,fails",
    "puppet",
    "puppet,fails",
    "puppet,fails,no-final-newline",
];

/// The info strings of other blocks.
const OTHER_BLOCKS: [&str; 3] = ["console", "text", "yaml"];

/// Describes what is wrong with the form of an explanation.
fn violations(name: &str, title: &str, explanation: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut violation = |what: &str, line: &str| found.push(format!("{name}: {what}: {line}"));
    if title.ends_with('.') || title.len() > 60 {
        violation("the title is not a short noun phrase", title);
    }
    let blocks = blocks(explanation);
    if !matches!(blocks.first(), Some(Block::Paragraph(_))) {
        violation("no paragraph follows the title", "");
    }
    let (mut programs, mut failing) = (0, 0);
    for block in &blocks {
        let lines = match block {
            Block::Paragraph(text) | Block::Item(text) => text,
            Block::Table(_) => continue,
            Block::Code(code) => {
                let expectation = code.tested().map(|(_, expectation)| expectation);
                programs += usize::from(expectation.is_some());
                failing += usize::from(expectation == Some(Expectation::Fails));
                let known = TESTED_BLOCKS.contains(&code.info)
                    || OTHER_BLOCKS.contains(&code.info)
                    || code.tested().is_some()
                        && code.ignore_reason().is_some_and(|reason| !reason.is_empty() && !reason.contains('`'));
                if !known {
                    violation("an unknown info string", code.info);
                }
                if code.text.trim().is_empty() {
                    violation("an empty code block", code.info);
                }
                // A line inside braces is indented.
                let mut depth = 0_usize;
                for line in code.text.lines().filter(|_| code.info.starts_with("mcl")) {
                    let closes = line.trim_start().starts_with('}');
                    let wanted = depth - usize::from(closes && depth > 0);
                    if !line.is_empty() && line.bytes().take_while(|b| *b == b'\t').count() < wanted {
                        violation("a line has lost its indentation", line);
                    }
                    depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
                }
                continue;
            }
        };
        for line in lines.lines() {
            if line.chars().count() > 120 {
                violation("a line is longer than 120 characters", line);
            }
            if line.trim_start().contains("  ") || line.starts_with(' ') && !matches!(block, Block::Item(_)) {
                violation("a run of spaces in a paragraph", line);
            }
        }
    }
    // An input that contradicts itself cannot be written as a program. Neither can the comments of a test (E0901), which
    // only `mclc test` reads, a file that is missing (P0107), a
    // failure of Puppet (P0108), an artifact (P0109), a wrong option (P0110), a resource type of a module
    // (P0204, P0515, P0516, P0613) or a function of one in Ruby (P0522, P0523), a thousand levels (P0218), a template
    // (P0219), the metadata of a module (W0353), and what else an environment consists of (P07).
    let without_program = [
        "E0803", "E0901", "P0107", "P0108", "P0109", "P0110", "P0204", "P0218", "P0219", "P0515", "P0516", "P0522",
        "P0523", "P0613", "W0353",
    ];
    let without_program = without_program.contains(&name) || name.starts_with("P07");
    if name.starts_with(['E', 'W', 'P']) && !without_program && (failing == 0 || programs == failing) {
        violation("an example that fails and one that passes are required", "");
    }
    found
}

#[test]
fn every_explanation_has_the_same_form() {
    let found: Vec<String> =
        all_codes().flat_map(|code| violations(code.name(), code.info().title, code.info().explanation)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
