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
