//! Tests of the lexer.

use cranelift_entity::EntityRef;
use mcl_diagnostics::FileId;
use proptest::prelude::*;

use crate::{TokenKind, lex, lex_diagnostics};

/// Renders the tokens as `Kind:text`, separated by spaces, with a `/` for a newline before a token.
fn show(text: &str) -> String {
    let tokens = lex(text);
    let mut shown = Vec::new();
    for i in tokens.indices() {
        let slash = if tokens.newline_before(i) { "/" } else { "" };
        shown.push(format!("{slash}{:?}:{}", tokens[i], tokens.text(text, i)));
    }
    shown.join(" ")
}

/// Renders the errors as `code@start-end`.
fn errors(text: &str) -> Vec<String> {
    let diagnostics = lex_diagnostics(FileId::MAIN, text, &lex(text));
    diagnostics
        .iter()
        .map(|d| {
            let span = d.span.expect("lexical errors have a span");
            format!("{}@{}-{}", d.code.name(), span.start, span.end)
        })
        .collect()
}

#[test]
fn longest_match_wins() {
    assert_eq!(show("<=> => =="), "Le:<= Gt:> Rocket:=> Eq:==");
    assert_eq!(show("==="), "Eq:== Equals:=");
    assert_eq!(show("<|>< |"), "Except:<|> Lt:< Unrecognized:|");
    assert_eq!(show("1.2.3"), "Float:1.2 Dot:. Integer:3");
    assert_eq!(show("1..2"), "Integer:1 Dot:. Dot:. Integer:2");
    assert_eq!(show("3."), "Integer:3 Dot:.");
    assert_eq!(show("5x"), "Integer:5 Identifier:x");
    assert_eq!(
        show("forkv for form index in iffy"),
        "ForKv:forkv For:for Identifier:form Identifier:index In:in Identifier:iffy"
    );
    assert_eq!(show("FooBar FOO"), "Capitalized:Foo Capitalized:Bar Capitalized:F Capitalized:O Capitalized:O");
}

#[test]
fn minus_is_part_of_the_number_after_it() {
    assert_eq!(show("5-2"), "Integer:5 Integer:-2");
    assert_eq!(show("5 - -2"), "Integer:5 Minus:- Integer:-2");
    assert_eq!(show("$a-$b->c"), "Dollar:$ Identifier:a Minus:- Dollar:$ Identifier:b Arrow:-> Identifier:c");
    assert_eq!(show("-1.5-x"), "Float:-1.5 Minus:- Identifier:x");
}

#[test]
fn names_do_not_end_in_an_underscore() {
    assert_eq!(show("a__b"), "Identifier:a__b");
    assert_eq!(show("foo_"), "Identifier:foo Underscore:_");
    assert_eq!(show("foo__ x"), "Identifier:foo Underscore:__ Identifier:x");
    assert_eq!(show("true_"), "True:true Underscore:_");
    assert_eq!(show("true_x"), "Identifier:true_x");
}

#[test]
fn strings_close_at_the_first_quote_without_a_backslash_of_its_own() {
    assert_eq!(show(r#""a" "b""#), r#"String:"a" String:"b""#);
    assert_eq!(show(r#""c:\\" x"#), r#"String:"c:\\" Identifier:x"#);
    assert_eq!(show(r#""a\"b" x"#), r#"String:"a\"b" Identifier:x"#);
    assert_eq!(show("\"a\nb\" # c\nx"), "String:\"a\nb\" /Identifier:x");
    assert_eq!(show("\"a\\é\" x"), "String:\"a\\é\" Identifier:x");
    assert_eq!(show(r#"x "a\""#), r#"Identifier:x UnterminatedString:"a\""#);
    assert_eq!(show("\"a\\"), "UnterminatedString:\"a\\");
}

#[test]
fn comments_are_kept_in_a_list_of_their_own() {
    let text = "# one\n$a = 1 # two\r\n\"# no\" # last";
    let tokens = lex(text);
    let comments: Vec<_> =
        tokens.comments.iter().map(|c| (&text[c.start as usize..c.end as usize], c.next_token.index())).collect();
    assert_eq!(comments, [("# one", 0), ("# two\r", 4), ("# last", 5)]);
    let newlines: Vec<bool> = tokens.indices().map(|token| tokens.newline_before(token)).collect();
    assert_eq!(newlines, [true, false, false, false, true]);
    assert!(errors(text).is_empty());
}

#[test]
fn numbers_out_of_range_are_reported() {
    assert!(errors("9223372036854775807 -9223372036854775808 007 -0").is_empty());
    assert_eq!(errors("$a = 9223372036854775808"), ["E0103@5-24"]);
    assert_eq!(errors("-9223372036854775809"), ["E0103@0-20"]);
    assert_eq!(errors(&format!("{}.0", "9".repeat(310))), ["E0104@0-312"]);
    assert!(errors(&format!("0.{}1", "0".repeat(400))).is_empty());
}

#[test]
fn one_message_for_several_bad_characters_of_a_line() {
    assert_eq!(
        errors("$a = 'x' & 'y'\n$b = 1 % 2"),
        ["E0106@5-8", "E0107@22-23"].map(String::from).to_vec().as_slice()
    );
    assert_eq!(errors("$größe = 3"), ["E0108@3-7"]);
    assert_eq!(errors("a\r\nb\r\nc\r\n"), ["E0102@1-2"]);
    assert_eq!(errors("\u{feff}x\u{a0}y"), ["E0108@0-3"]);
}

#[test]
fn every_error_kind_is_reported() {
    for (text, code) in [
        ("@", "E0101"),
        ("\0", "E0101"),
        ("x\r", "E0102"),
        ("99999999999999999999", "E0103"),
        ("\"x", "E0105"),
        ("`x`", "E0106"),
        ("a && b", "E0107"),
        ("!a", "E0107"),
        ("a\u{c}b", "E0108"),
        ("ü", "E0108"),
        ("_x", "E0109"),
        ("1_0", "E0109"),
    ] {
        let found = errors(text);
        assert!(found.len() == 1 && found[0].starts_with(code), "{text:?}: {found:?}");
    }
}

/// Texts similar to programs: the characters that have a meaning, and some that do not.
fn program_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ \\t\\n]{0,3}",
        4 => "[a-zA-Z0-9_]{1,5}",
        4 => "[\\[\\](){}$,:;.=<>|+*/?!\"#'\\\\-]{1,3}",
        1 => "[\\r\\u{b}é“€%&\\x00\\u{feff}]",
        1 => "\"[^\"]{0,5}\"",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_comments_whitespace_and_heredocs_cover_the_text(text in program_like()) {
        let tokens = lex(&text);
        prop_assert!(tokens.fits(&text));
        let mut pieces: Vec<(u32, u32)> = tokens.indices().map(|i| (tokens.start(i), tokens.end(i))).collect();
        pieces.extend(tokens.comments.iter().map(|c| (c.start, c.end)));
        pieces.sort_unstable();
        let mut rebuilt = String::new();
        let mut end = 0;
        let text_len = text.len() as u32;
        for (start, stop) in pieces.into_iter().chain([(text_len, text_len)]) {
            let gap = &text[end as usize..start as usize];
            // The lines of a heredoc are between the line of its opener and the next token.
            let is_heredoc = tokens.indices().any(|i| {
                let is_on_line = tokens.end(i) <= end && !text[tokens.end(i) as usize..end as usize].contains('\n');
                tokens[i] == TokenKind::Heredoc && is_on_line
            });
            prop_assert!(is_heredoc || gap.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n')), "lost {gap:?}");
            rebuilt.push_str(gap);
            rebuilt.push_str(&text[start as usize..stop as usize]);
            end = stop;
        }
        prop_assert_eq!(&rebuilt, &text);
    }

    #[test]
    fn the_newline_flag_matches_the_text(text in program_like()) {
        let tokens = lex(&text);
        for i in tokens.indices() {
            let before = i.previous().map_or(0, |previous| tokens.end(previous));
            let gap = &text[before as usize..tokens.start(i) as usize];
            prop_assert_eq!(tokens.newline_before(i), gap.contains('\n'));
        }
    }

    #[test]
    fn a_text_has_error_tokens_if_and_only_if_it_has_errors(text in program_like()) {
        let tokens = lex(&text);
        let has_error = tokens.kinds().iter().any(|k| k.is_error());
        prop_assert_eq!(has_error, !lex_diagnostics(FileId::MAIN, &text, &tokens).is_empty());
    }
}

#[test]
fn kinds_with_one_text_lex_back_to_themselves() {
    for text in
        "true false if else for forkv in and or not func class include import as panic collect bool str int float \
                 map struct variant { } ( ) [ ] , : ; . $ = => -> ?: <|> || + - * / == != < > <= >="
            .split_whitespace()
    {
        let tokens = lex(text);
        assert_eq!(tokens.kinds().iter().map(|k| k.fixed_text()).collect::<Vec<_>>(), [Some(text)]);
        assert_eq!(tokens.kinds()[0].is_keyword(), text.chars().all(char::is_alphabetic));
        assert_ne!(tokens.kinds()[0], TokenKind::Identifier);
    }
}

#[test]
fn a_string_that_lacks_its_quote_ends_with_its_line() {
    assert_eq!(
        show("a => \"x,\nb => \"y\",\n"),
        "Identifier:a Rocket:=> UnterminatedString:\"x Comma:, /Identifier:b Rocket:=> String:\"y\" Comma:,"
    );
    assert_eq!(
        show("f(\"x)\ntest \"y\" {}\n"),
        "Identifier:f OpenParen:( UnterminatedString:\"x CloseParen:) /Identifier:test String:\"y\" OpenCurly:{ CloseCurly:}"
    );
    // A string before it may contain a line break.
    assert_eq!(
        show("$a = \"x\ny\"\n$b = \"z\n$c = \"%\"\n"),
        "Dollar:$ Identifier:a Equals:= String:\"x\ny\" /Dollar:$ Identifier:b Equals:= UnterminatedString:\"z /Dollar:$ \
         Identifier:c Equals:= String:\"%\""
    );
    assert_eq!(errors("$a = \"x\n$b = \"50 %\"\n$c = \"é\"\n"), ["E0105@5-6"]);
    // What follows may be text.
    assert_eq!(show("$a = \"one\ntwo\n"), "Dollar:$ Identifier:a Equals:= UnterminatedString:\"one\ntwo\n");
}

#[test]
fn the_content_of_a_heredoc_is_not_code() {
    let content = "x (y\n{ z";
    assert_eq!(
        show(&format!("$a = <<-EOF\n{content}\n  EOF\n$b = 1")),
        "Dollar:$ Identifier:a Equals:= Heredoc:<<-EOF /Dollar:$ Identifier:b Equals:= Integer:1"
    );
    // The rest of its line is code.
    assert_eq!(
        show(&format!("f(@(\"END\"/L), 1)\n{content}\n  |- END\n$b")),
        "Identifier:f OpenParen:( Heredoc:@(\"END\"/L) Comma:, Integer:1 CloseParen:) /Dollar:$ Identifier:b"
    );
    assert_eq!(show("1 <<END\n2"), "Integer:1 Heredoc:<<END /Integer:2");
    assert_eq!(show("@(END)\nEND"), "Heredoc:@(END)");
    assert_eq!(errors("$a = <<EOF\n% é\nEOF\n"), ["E0106@5-10"]);
}

#[test]
fn a_string_in_three_quotes_is_one_token() {
    assert_eq!(show("'''a \"b\"\nit's''' 1"), "Heredoc:'''a \"b\"\nit's''' Integer:1");
    assert_eq!(show("''' 1"), "Heredoc:''' Integer:1");
    assert_eq!(errors("'''a\nb'''"), ["E0106@0-4"]);
}

#[test]
fn many_heredocs_without_an_end_take_linear_time() {
    let tokens = lex(&"<<A ".repeat(300_000));
    assert_eq!(tokens.len(), 300_000);
    let tokens = lex(&"<<A\n@(B)\n".repeat(100_000));
    assert_eq!(tokens.len(), 200_000);
}

#[test]
fn long_runs_of_characters_of_several_bytes_need_no_stack() {
    let run = "é".repeat(1_000_000);
    for (text, kinds) in [
        (format!("# {run}\n"), vec![]),
        (run.clone(), vec![TokenKind::NonAscii]),
        (format!("'{run}'"), vec![TokenKind::WrongQuotes]),
        (format!("`{run}"), vec![TokenKind::Unrecognized, TokenKind::NonAscii]),
        (format!("\"{run}\""), vec![TokenKind::String]),
    ] {
        let tokens = lex(&text);
        assert_eq!(tokens.indices().map(|i| tokens[i]).collect::<Vec<_>>(), kinds);
    }
}
