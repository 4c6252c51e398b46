//! Random and damaged programs: no panic, no hang, and a tree that is well formed in any case.

use mcl_diagnostics::{FileId, Severity};
use mcl_lexer::lex;
use proptest::prelude::*;

use super::errors::diagnostics;
use super::trees::assert_well_formed;
use crate::{interpolate, parse};

/// Programs that hold every construct of the language.
const CORPUS: &[&str] = &[
    include_str!("../../corpus/statements.mcl"),
    include_str!("../../corpus/expressions.mcl"),
    include_str!("../../corpus/old.mcl"),
];

fn check(text: &str) {
    let parsed = parse(FileId(0), text, &lex(text));
    let interpolated = interpolate(parsed.ast.clone()).0;
    for ast in [&parsed.ast, &interpolated] {
        assert_well_formed(ast);
        assert_eq!(ast.validate(text), Ok(()));
    }
    for diagnostic in diagnostics(text) {
        let span = diagnostic.span.expect("every message has a place");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?} lies outside of the text");
    }
}

#[test]
fn the_corpus_is_accepted() {
    for text in CORPUS {
        let errors: Vec<_> = diagnostics(text).into_iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        check(text);
    }
}

#[test]
fn a_damaged_token_is_reported_and_does_not_spoil_the_rest() {
    // Every token of the corpus is taken out once, and doubled once: the messages stay few.
    let (mut programs, mut messages) = (0, 0);
    for text in CORPUS {
        let tokens = lex(text);
        for i in tokens.indices() {
            let (start, end) = (tokens.start(i) as usize, tokens.end(i) as usize);
            let removed = format!("{}{}", &text[..start], &text[end..]);
            let doubled = format!("{} {}", &text[..end], &text[start..]);
            for damaged in [removed, doubled] {
                check(&damaged);
                let errors = diagnostics(&damaged).into_iter().filter(|d| d.severity == Severity::Error);
                let places: Vec<_> = errors.map(|d| (d.span.map(|s| s.start), d.message)).collect();
                assert!(places.len() <= 6, "damage at {start} gives {places:#?}");
                programs += 1;
                messages += places.len();
            }
        }
    }
    assert!(messages * 2 < programs * 3, "{messages} messages for {programs} programs with one damaged token");
}

/// A few edits of a corpus program: pieces taken out, doubled, moved, or foreign tokens put in.
fn damaged() -> impl Strategy<Value = String> {
    let edit = (0.0..1.0f64, 0..60usize, 0.0..1.0f64, 0..4u8, "[\\[\\](){}$,:;.=<>|+*/\"#'\\\\\\n a-zA-Z0-9_%&-]{1,6}");
    (0..CORPUS.len(), proptest::collection::vec(edit, 1..6)).prop_map(|(which, edits)| {
        let mut text: Vec<char> = CORPUS[which].chars().collect();
        for (from, length, to, kind, piece) in edits {
            let from = (from * text.len() as f64) as usize;
            let end = (from + length).min(text.len());
            let to = (to * text.len() as f64) as usize;
            match kind {
                0 => drop(text.drain(from..end)),
                1 => {
                    let copy: Vec<char> = text[from..end].to_vec();
                    text.splice(to..to, copy);
                }
                2 => drop(text.splice(to..to, piece.chars())),
                _ => text.truncate(end),
            }
        }
        text.into_iter().collect()
    })
}

/// Words of the language in any order.
fn word_salad() -> impl Strategy<Value = String> {
    let words = "if else for forkv in and or not true func class include import as panic collect str int map struct { } ( ) [ \
                 ] , : ; . $ = => -> ?: <|> || + - * / == < \"s\" \"${x}\" 1 1.5 x y Meta File \n \n # \" ' % \r";
    let words: Vec<&'static str> = words.split(' ').filter(|w| !w.is_empty()).collect();
    proptest::collection::vec(proptest::sample::select(words), 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn damaged_programs_give_messages_and_a_tree(text in damaged()) {
        check(&text);
    }

    #[test]
    fn any_words_give_messages_and_a_tree(text in word_salad()) {
        check(&text);
    }

    #[test]
    fn any_text_gives_messages_and_a_tree(text in "\\PC{0,80}") {
        check(&text);
    }
}
