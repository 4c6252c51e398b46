//! Random and mutated programs: no panic, no hang, and always a well-formed tree.

use mcl_diagnostics::{FileId, Severity};
use mcl_lexer::lex;
use proptest::prelude::*;

use crate::tests::errors::diagnostics;
use crate::tests::trees::assert_well_formed;
use crate::{interpolate, parse};

/// Programs that contain every construct of the language.
const CORPUS: &[&str] = &[
    include_str!("../../corpus/statements.mcl"),
    include_str!("../../corpus/expressions.mcl"),
    include_str!("../../corpus/old.mcl"),
];

/// At most this many messages are given for one mutated token.
const MAX_MESSAGES: usize = 6;

/// Parses a text and checks the tree and the spans of all diagnostics.
fn check(text: &str) {
    let parsed = parse(FileId::MAIN, text, &lex(text));
    let interpolated = interpolate(parsed.ast.clone()).0;
    for ast in [&parsed.ast, &interpolated] {
        assert_well_formed(ast);
        assert_eq!(ast.validate(text), Ok(()));
    }
    for diagnostic in diagnostics(text) {
        let span = diagnostic.span.expect("every diagnostic has a span");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?} is outside the text");
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
fn a_mutated_token_gives_few_messages() {
    // Each token of the corpus is removed once, and doubled once.
    let (mut programs, mut messages) = (0, 0);
    for text in CORPUS {
        let tokens = lex(text);
        for i in tokens.indices() {
            let (start, end) = (tokens.start(i) as usize, tokens.end(i) as usize);
            let removed = format!("{}{}", &text[..start], &text[end..]);
            let doubled = format!("{} {}", &text[..end], &text[start..]);
            for mutated in [removed, doubled] {
                check(&mutated);
                let errors = diagnostics(&mutated).into_iter().filter(|d| d.severity == Severity::Error);
                let found: Vec<_> = errors.map(|d| (d.span.map(|s| s.start), d.message)).collect();
                assert!(found.len() <= MAX_MESSAGES, "the mutation at {start} gives {found:#?}");
                programs += 1;
                messages += found.len();
            }
        }
    }
    assert!(messages * 2 < programs * 3, "{messages} messages for {programs} programs with one mutated token");
}

/// A program of the corpus with a few pieces removed, copied or truncated, or foreign tokens inserted.
fn mutated() -> impl Strategy<Value = String> {
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

/// Tokens of the language in any order.
fn word_salad() -> impl Strategy<Value = String> {
    let words = "if else for forkv in and or not true func class include import as panic collect str int map struct { } ( ) [ \
                 ] , : ; . $ = => -> ?: <|> || + - * / == < \"s\" \"${x}\" 1 1.5 x y Meta File \n \n # \" ' % \r";
    let words: Vec<&'static str> = words.split(' ').filter(|w| !w.is_empty()).collect();
    proptest::collection::vec(proptest::sample::select(words), 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_give_messages_and_a_tree(text in mutated()) {
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
