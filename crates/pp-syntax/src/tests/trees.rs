//! Trees in Puppet's notation.

use expect_test::{Expect, expect};
use mcl_diagnostics::FileId;

use crate::tests::support::{files_in, recorded};
use crate::{Mode, parse, pn};

fn tree(text: &str, mode: Mode) -> String {
    let parsed = parse(FileId::MAIN, text, mode);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    pn(&parsed.tree)
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&tree(text, Mode::Manifest));
}

#[track_caller]
fn check_template(text: &str, expected: Expect) {
    expected.assert_eq(&tree(text, Mode::Template));
}

#[test]
fn trees_of_the_cases_equal_those_of_puppet() {
    let mut compared = 0;
    for case in files_in(&recorded().join("cases")) {
        for file in files_in(&case) {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(path) = name.strip_prefix("ast-").and_then(|name| name.strip_suffix(".pn")) else { continue };
            let path = match path {
                "site" => "manifests/site.pp".to_owned(),
                path => format!("{}.pp", path.replace("__", "/")),
            };
            let source = case.join(&path);
            let Ok(text) = std::fs::read_to_string(&source) else { panic!("{} is missing", source.display()) };
            let expected = std::fs::read_to_string(&file).expect("a readable file");
            assert_eq!(tree(&text, Mode::Manifest), expected.trim_end_matches('\n'), "{}", source.display());
            compared += 1;
        }
    }
    assert!(compared >= 140, "{compared}");
}

#[test]
fn operators_have_the_precedence_of_the_table() {
    check("1 < 2 == 3", expect!["(< 1 (== 2 3))"]);
    check("!$a in $b", expect![[r#"(in (! (var "a")) (var "b"))"#]]);
    check("2 + 3 in [5]", expect!["(+ 2 (in 3 (array 5)))"]);
    check("$a or $b and $c", expect![[r#"(or (var "a") (and (var "b") (var "c")))"#]]);
    check("1 - 2 - 3 * 4", expect!["(- (- 1 2) (* 3 4))"]);
    check("$a << $b + 1 == 2", expect![[r#"(== (<< (var "a") (+ (var "b") 1)) 2)"#]]);
}

#[test]
fn a_selector_takes_what_binds_tighter() {
    check("true and 1 + 1 ? { 2 => 3 }", expect!["(and true (? (+ 1 1) [(=> 2 3)]))"]);
    check("1 + $x ? { 1 => 2 } * 3", expect![[r#"(* (? (+ 1 (var "x")) [(=> 1 2)]) 3)"#]]);
    check("$x ? 1 => 2 + 3", expect![[r#"(? (var "x") [(=> 1 (+ 2 3))])"#]]);
}

#[test]
fn some_functions_need_no_parentheses() {
    check("include a, b", expect![[r#"(invoke {:functor (qn "include") :args [(qn "a") (qn "b")]})"#]]);
    check("notice { a => 1 }", expect![[r#"(invoke {:functor (qn "notice") :args [(hash (=> "a" 1))]})"#]]);
    check("$a = notice 5", expect![[r#"(block (= (var "a") (qn "notice")) 5)"#]]);
}

#[test]
fn brackets_depend_on_what_is_before_them() {
    check("notice [1]", expect![[r#"(invoke {:functor (qn "notice") :args [(array 1)]})"#]]);
    check("$a[1] [2]", expect![[r#"(block (access (var "a") 1) (array 2))"#]]);
    check("$a\n(1)", expect![[r#"(block (var "a") (paren 1))"#]]);
    check("case 1 { 0: { } -1: { } }", expect!["(case 1 [{:when [0] :then [(nop)]} {:when [-1] :then [(nop)]}])"]);
    check("if $a { } /x/", expect![[r#"(block (if {:test (var "a")}) (regexp "x"))"#]]);
    check("$a /2/ 3", expect![[r#"(/ (/ (var "a") 2) 3)"#]]);
}

#[test]
fn words_in_interpolations_are_variables() {
    check(
        r#""${class} ${x['a']} ${x.f} ${3}""#,
        expect![[
            r#"(concat (str (var "class")) " " (str (access (var "x") "a")) " " (str (call-method {:functor (. (var "x") (qn "f")) :args []})) " " (str (var "3")))"#
        ]],
    );
    check(r#""${x + 1} $x[0] $""#, expect![[r#"(concat (str (+ (qn "x") 1)) " " (str (var "x")) "[0] $")"#]]);
    check(r#""${"a${"b"}"}""#, expect![[r#"(concat (str (concat "a" (str "b"))))"#]]);
}

#[test]
fn heredocs_follow_their_line() {
    check(
        "foo(@(A), @(\"B\"/L)) |$x| { }\n  a\n  | A\n  b ${c} \\\n  d\n  |- B\nbar()",
        expect![[
            r#"(block (invoke {:functor (qn "foo") :args [(heredoc {:text "a\n"}) (heredoc {:text (concat "b " (str (var "c")) " d")})] :block (lambda {:params {:x {}}})}) (invoke {:functor (qn "bar") :args []}))"#
        ]],
    );
    check("@(E:json/tn)\n{\\t}\nE", expect![[r#"(heredoc {:syntax "json" :text "{\t}\n"})"#]]);
}

#[test]
fn names_of_nested_definitions_have_a_prefix() {
    check(
        "class a { class b { define c { } } }",
        expect![[r#"(class {:name "a" :body [(class {:name "a::b" :body [(define {:name "a::b::c"})]})]})"#]],
    );
}

#[test]
fn tags_of_templates_trim_blanks() {
    check_template(
        "a\n  <%- if true { -%>\nb\n<%- } -%>\nc",
        expect![[
            r#"(lambda {:body [(epp (render-s "a\n") (if {:test true :then [(render-s "b\n")]}) (render-s "c"))]})"#
        ]],
    );
    check_template("a <%# x -%>  \n b <%% %%>", expect![[r#"(lambda {:body [(epp (render-s "a  b <% %>"))]})"#]]);
    check_template(
        "<%- |Integer $x, $y = 1| -%>\n<%= $x -%>\n!",
        expect![[
            r#"(lambda {:params {:x {:type (qr "Integer")} :y {:value 1}} :body [(epp (render (var "x")) (render-s "!"))]})"#
        ]],
    );
}

#[test]
fn numbers_are_printed_like_puppet_prints_them() {
    check(
        "[0x1F, 017, 1e5, 1e15, 1.5e-7, -2]",
        expect!["(array (int {:radix 16 :value 31}) (int {:radix 8 :value 15}) 100000.0 1.0e+15 1.5e-07 -2)"],
    );
}
