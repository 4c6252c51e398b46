//! Symbols, tokens, folds and selections.

use expect_test::expect;

use super::*;
use crate::{OutlineItem, TokenClass};

fn tree(items: &[OutlineItem], depth: usize, out: &mut String) {
    for item in items {
        let detail = item.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
        *out += &format!("{}{:?} {}{detail}\n", "  ".repeat(depth), item.kind, item.name);
        tree(&item.children, depth + 1, out);
    }
}

#[test]
fn the_outline_is_a_tree() {
    let mut out = String::new();
    tree(&analyze(SAMPLE).outline(&main_path()), 0, &mut out);
    expect![[r#"
        Module fmt
        Module str1
        Variable root: str
        Variable ports: map{str: int}
        Class site
          Resource file "${root}/${name}.conf"
        Resource svc "web"
        Function double
        Resource include site
    "#]]
    .assert_eq(&out);
}

#[test]
fn symbols_are_found_by_their_letters() {
    let analysis = analyze(SAMPLE);
    let names = |query| {
        let found = analysis.workspace_symbols(query, 200).into_iter();
        found.map(|(item, ..)| item.name).collect::<Vec<_>>()
    };
    assert_eq!(names("sit"), ["site"]);
    assert_eq!(names("DBL"), ["double"]);
    assert_eq!(names(""), ["double", "ports", "root", "site", "svc \"web\""]);
    assert_eq!(analysis.workspace_symbols("", 2).len(), 2);
}

#[test]
fn tokens_do_not_overlap_and_strings_are_split() {
    let analysis = analyze(SAMPLE);
    let tokens = analysis.semantic_tokens(&main_path());
    assert!(tokens.is_sorted_by(|a, b| a.range.end <= b.range.start));
    let class = |line, character| {
        let offset = at(SAMPLE, line, character);
        tokens.iter().find(|t| t.range.contains(&offset)).map(|t| t.class)
    };
    assert_eq!(class(2, 0), Some(TokenClass::Comment));
    assert_eq!(class(3, 0), Some(TokenClass::Variable));
    assert_eq!(class(6, 6), Some(TokenClass::Class));
    assert_eq!(class(7, 1), Some(TokenClass::Class));
    assert_eq!(class(7, 6), Some(TokenClass::String));
    assert_eq!(class(7, 10), Some(TokenClass::Variable));
    assert_eq!(class(7, 14), Some(TokenClass::String));
    assert_eq!(class(7, 18), Some(TokenClass::Parameter));
    assert_eq!(class(8, 2), Some(TokenClass::Property));
    assert_eq!(class(8, 15), Some(TokenClass::EnumMember));
    assert_eq!(class(9, 13), Some(TokenClass::Namespace));
    assert_eq!(class(9, 18), Some(TokenClass::Function));
    assert_eq!(class(10, 3), Some(TokenClass::Macro));
    assert_eq!(class(19, 0), Some(TokenClass::Keyword));
}

#[test]
fn blocks_comments_and_imports_fold() {
    let text = "# a\n# b\nimport \"fmt\"\nimport \"os\"\n$x = [\n\t1,\n]\n";
    let folds = crate::folds(text).into_iter();
    let folds =
        folds.map(|fold| format!("{:?} {}", fold.kind, &text[fold.range.start as usize..fold.range.end as usize]));
    assert_eq!(
        folds.collect::<Vec<_>>(),
        ["Comment # a\n# b", "Imports import \"fmt\"\nimport \"os\"", "Block \n\t1,\n",]
    );
}

#[test]
fn selections_grow_to_the_whole_file() {
    let (text, offset) = with_cursor("$x = 1\nfile \"/a¦b\" {\n\tstate => [\"x\"],\n}\n");
    let ranges = crate::selection_ranges(&text, offset);
    let texts: Vec<&str> = ranges.iter().map(|r| &text[r.start as usize..r.end as usize]).collect();
    assert_eq!(texts, ["/ab", "\"/ab\"", &text[7..text.len() - 1], &text]);
    let (text, offset) = with_cursor("file \"/a\" {\n\tstate => [¦\"x\"],\n}\n");
    let ranges = crate::selection_ranges(&text, offset);
    assert!(ranges.windows(2).all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end));
    assert!(ranges.iter().any(|r| &text[r.start as usize..r.end as usize] == "[\"x\"]"));
}
