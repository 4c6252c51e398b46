//! A mistake costs only the smallest construct around it.

use expect_test::expect;
use mcl_diagnostics::FileId;
use mcl_lexer::lex;

use crate::ast::{DefinitionKind, Stmt};
use crate::parse;
use crate::tests::errors::{check, program};

#[test]
fn a_broken_statement_costs_only_itself() {
    check(
        r#"
$a = 1 2
$b = 3 4
$c = 5
"#,
        expect![[r#"
            1:8 E0213 expected an operator or the end of the statement, found the number `2`
            2:8 E0213 expected an operator or the end of the statement, found the number `4`
        "#]],
    );
    check(
        r#"
$a = 1 2 3 4
test "x" {}
"#,
        expect![[r#"
            1:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class c($n) {
	$a = 1 2
	if true {
		$b = 3 4
	}
	$c = 5 6
}
"#,
        expect![[r#"
            2:9 E0213 expected an operator or the end of the statement, found the number `2`
            4:10 E0213 expected an operator or the end of the statement, found the number `4`
            6:9 E0213 expected an operator or the end of the statement, found the number `6`
        "#]],
    );
    check(
        r#"
if true {
	$a = = 1
	test "x" {}
}
$b = * 2
"#,
        expect![[r#"
            2:7 E0201 expected an expression, found `=`
            5:6 E0201 expected an expression, found `*`
        "#]],
    );
    check(
        r#"
test "a" {}
oops
test "b" {}
"#,
        expect![[r#"
            2:1 E0218 `oops` alone is not a statement
        "#]],
    );
    check(
        r#"
test "a" {}
1 + 2
test "b" {}
"#,
        expect![[r#"
            2:1 E0218 expected a statement, found the number `1`
        "#]],
    );
}

#[test]
fn a_broken_entry_costs_only_itself() {
    check(
        r#"
test "x" {
	a => 1 2,
	b => "ok",
	c => * 2.0,
}
$z = 1 2
"#,
        expect![[r#"
            2:9 E0213 expected an operator or `,`, found the number `2`
            4:7 E0201 expected an expression, found `*`
            6:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
test "x" {
	a => 1
	b => 2
}
"#,
        expect![[r#"
            2:7 E0202 missing `,` after this entry
            3:7 E0202 missing `,` after this entry
        "#]],
    );
    check(
        r#"test "x" { a => 1 b => 2, }"#,
        expect![[r#"
            1:17 E0202 missing `,` after this entry
        "#]],
    );
    check(
        r#"test "x" { a = 1, }"#,
        expect![[r#"
            1:14 E0201 expected `=>` after the field name, found `=`
        "#]],
    );
    check(
        r#"test "x" { str => 1, }"#,
        expect![[r#"
            1:12 E0215 expected a field name, found the keyword `str`
        "#]],
    );
    check(
        r#"test "x" { meta:noop => true, }"#,
        expect![[r#"
            1:16 E0201 expected `Meta:`, found `meta:`
        "#]],
    );
}

#[test]
fn a_broken_element_costs_only_itself() {
    check(
        r#"
$a = [
	1 2,
	$ok,
	3 +,
]
$b = [1,, 2]
"#,
        expect![[r#"
            2:4 E0213 expected an operator, `,` or `]`, found the number `2`
            4:5 E0201 expected an expression, found `,`
            6:9 E0201 missing element between two commas
        "#]],
    );
    check(
        r#"
$a = [
	"x"
	"y",
]
"#,
        expect![[r#"
            2:2 E0202 missing `,` after this element
        "#]],
    );
    check(
        r#"
$a = f(1 2, 3)
$b = f(5-2)
"#,
        expect![[r#"
            1:8 E0202 missing `,` after this argument
            2:9 E0213 missing operator before the number `-2`
        "#]],
    );
    check(
        r#"
$m = {"a" = 1, "b" => 2}
$s = struct{"a" => 1}
"#,
        expect![[r#"
            1:11 E0201 expected `=>` after the map key, found `=`
            2:13 E0201 expected a field name, found a string
        "#]],
    );
    check(
        r#"
func f($x $y) { $x }
func g(x) { 1 }
"#,
        expect![[r#"
            1:9 E0202 missing `,` after this parameter
            2:8 E0201 missing `$` before the parameter `x`
        "#]],
    );
}

#[test]
fn an_unclosed_bracket_costs_only_its_statement() {
    check(
        r#"
$a = [1, 2
$b = 3
test "x" {}
"#,
        expect![[r#"
            1:6 E0203 unclosed `[`
        "#]],
    );
    check(
        r#"
$a = foo(1, [2, 3)
$b = 3
"#,
        expect![[r#"
            1:13 E0203 unclosed `[`
        "#]],
    );
    check(
        r#"
test "a" {
	x => 1,
test "b" {}
$c = 1 2
"#,
        expect![[r#"
            1:10 E0203 unclosed `{`
            4:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class a {
	if true {
		test "x" {}
}
class b {
}
include b
"#,
        expect![[r#"
            2:10 E0203 unclosed `{`
        "#]],
    );
    check(
        r#"
class a {
	test "x" {}

class b {
}
include b
"#,
        expect![[r#"
            1:9 E0203 unclosed `{`
        "#]],
    );
    check(
        r#"
test "a" {}
}
$b = 1 2
"#,
        expect![[r#"
            2:1 E0204 unmatched `}`
            3:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
$a = (1 + ]
$b = 2
"#,
        expect![[r#"
            1:11 E0204 mismatched bracket: expected `)`, found `]`
        "#]],
    );
    check(
        r#"
$a = 1)
$b = 2
"#,
        expect![[r#"
            1:7 E0204 unmatched `)`
        "#]],
    );
    check(
        r#"test "a" { x => (1 + 2, }"#,
        expect![[r#"
            1:17 E0203 unclosed `(`
        "#]],
    );
}

#[test]
fn a_broken_head_does_not_hide_its_block() {
    check(
        r#"
for $v in [1] {
	$a = 1 2
}
"#,
        expect![[r#"
            1:8 E0201 expected two loop variables, found one
            2:9 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class a.b {
	$x = 1 2
}
$y = 3 4
"#,
        expect![[r#"
            1:8 E0201 invalid `.` in a class name
            2:9 E0213 expected an operator or the end of the statement, found the number `2`
            4:8 E0213 expected an operator or the end of the statement, found the number `4`
        "#]],
    );
    check(
        r#"
if $a {
} else if $b {
	$x = 1 2
}
$y = 3 4
"#,
        expect![[r#"
            2:8 E0212 `else if` is not supported
            3:9 E0213 expected an operator or the end of the statement, found the number `2`
            5:8 E0213 expected an operator or the end of the statement, found the number `4`
        "#]],
    );
}

#[test]
fn lexical_errors_have_no_consequences() {
    check(
        r#"
$a = 'x'
$b = 2
$c = 7 % 2
"#,
        expect![[r#"
            1:6 E0106 invalid string quotes `'…'`
            3:8 E0107 unknown operator `%`
        "#]],
    );
    check(
        r#"
$a = 1 & 2
$b = 3 4
"#,
        expect![[r#"
            1:8 E0107 unknown operator `&`
            2:8 E0213 expected an operator or the end of the statement, found the number `4`
        "#]],
    );
    check(
        r#"
$a = 99999999999999999999
test "x" { a => 99999999999999999999, }
"#,
        expect![[r#"
            1:6 E0103 integer out of range: `99999999999999999999`
            2:17 E0103 integer out of range: `99999999999999999999`
        "#]],
    );
    check(
        r#"
test "a" {}
$s = "never
ends
"#,
        expect![[r#"
            2:6 E0105 unterminated string
        "#]],
    );
    check(
        r#"
if $a && !$b {
	test "x" {}
}
"#,
        expect![[r#"
            1:7 E0107 unknown operator `&&`
        "#]],
    );
    check(
        "$a = 1\r\n$b = 2\r\n",
        expect![[r#"
            1:7 E0102 carriage return outside of a string (2 in this file)
        "#]],
    );
}

#[test]
fn if_without_a_condition_is_one_error() {
    check(
        r#"
if {
	test "a" {}
}
"#,
        expect![[r#"
            1:1 E0201 missing condition after `if`
        "#]],
    );
    check(
        r#"
if {
	$x = 1
} else {
	test "b" {}
}
"#,
        expect![[r#"
            1:1 E0201 missing condition after `if`
        "#]],
    );
    check(
        r#"
if {"a" => 1} == $m {
}
if {"a" => 1}["a"] == 1 {
}
"#,
        expect![""],
    );
}

#[test]
fn broken_statements_still_define_their_names() {
    let text = program(
        r#"
$x = 1 2
func f( { 1 }
class c:d( {}
import "a/lib.mcl" as as
import fmt
"#,
    );
    let parsed = parse(FileId::MAIN, text, &lex(text));
    let names: Vec<String> = parsed
        .ast
        .stmts
        .values()
        .filter_map(|stmt| if let Stmt::Error { defines } = stmt { Some(defines) } else { None })
        .flatten()
        .filter(|d| d.kind != DefinitionKind::Mention)
        .map(|d| format!("{:?} {}", d.kind, parsed.ast.name(d.name)))
        .collect();
    assert_eq!(names, ["Variable x", "Function f", "Class c:d", "Alias ", "Alias fmt"]);
}

#[test]
fn a_broken_token_is_one_error_at_the_token() {
    check(
        r#"
class c($n) {
	test "a" { int64 => $n, }
== 
include c(1)
"#,
        expect![[r#"
            3:1 E0201 expected `}`, found `==`
        "#]],
    );
    check(
        r#"
include c($n) for x
test "a" {}
"#,
        expect![[r#"
            1:15 E0201 expected `as`, found the keyword `for`
        "#]],
    );
    check(
        r#"
$l = [
	"a",
	, "b",
]
"#,
        expect![[r#"
            3:2 E0201 missing element between two commas
        "#]],
    );
    check(
        r#"
if $a {
	test "a" {}
} els {
	test "b" {}
}
$b = 1 2
"#,
        expect![[r#"
            3:3 E0201 expected `else`, found the name `els`
            6:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class c
	test "a" {}
}
$b = 1 2
"#,
        expect![[r#"
            1:7 E0220 expected `{`, found the end of the line
            4:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
}

#[test]
fn braces_of_blocks_are_judged_by_indentation() {
    check(
        r#"
class a {
	if $x {
		test "a" {}

	if $y {
		test "b" {}
	}
}
class b {
	test "c" {}
}
$c = 1 2
"#,
        expect![[r#"
            2:8 E0203 unclosed `{`
            12:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class a {
	if $x {
		test "a" {}
		}
	}
	test "b" {}
}
$c = 1 2
"#,
        expect![[r#"
            4:3 E0204 unmatched `}`
            8:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
class a {
	if $x {
		test "a" {}
	)
	test "b" {}
}
$c = 1 2
"#,
        expect![[r#"
            4:2 E0204 mismatched bracket: expected `}`, found `)`
            7:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
}

#[test]
fn a_resource_in_a_resource_is_one_error() {
    check(
        r#"
file "/tmp/a" {
	state => "exists",
	exec "x" {
		cmd => "true",
	}
}
$c = 1 2
"#,
        expect![[r#"
            3:2 E0218 statements are not allowed inside a resource
            7:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
}

#[test]
fn a_missing_quote_is_one_error() {
    check(
        r#"
file "/tmp/a" {
	state => "exists,
	content => fmt.printf("n: %d!", 1),
}
$a = "b & c"
$c = 1 2
"#,
        expect![[r#"
            2:11 E0105 unterminated string
            6:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
    check(
        r#"
$text = "over
two lines"
$m = {"a => 1, "b" => 2}
test "${text}" {}
"#,
        expect![[r#"
            3:18 E0105 unterminated string
        "#]],
    );
    check(
        r#"
$s = <<EOF
hello, (world
EOF
$c = 1 2
"#,
        expect![[r#"
            1:6 E0106 unsupported heredoc
            4:8 E0213 expected an operator or the end of the statement, found the number `2`
        "#]],
    );
}
