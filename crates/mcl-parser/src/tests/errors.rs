//! The errors and lints of programs, and the absence of consequential errors.

use expect_test::{Expect, expect};
use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use mcl_lexer::{lex, lex_diagnostics};

use crate::ast::Stmt;
use crate::{check_ast, interpolate, parse};

/// Returns the diagnostics of the lexer, parser, init checks and interpolate stage.
pub fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let file = FileId(0);
    let tokens = lex(text);
    let mut found = lex_diagnostics(file, text, &tokens);
    let parsed = parse(file, text, &tokens);
    found.extend(parsed.diagnostics);
    found.extend(check_ast(&parsed.ast, resource_graph::META_NAMES));
    found.extend(interpolate(parsed.ast).1);
    found
}

/// Renders diagnostics as `line:column code message` lines.
fn show(text: &str, severity: Severity) -> String {
    let mut files = Files::default();
    let file = files.add("main.mcl", text);
    let line = |d: Diagnostic| {
        let at = files.line_col(file, d.span.map_or(0, |span| span.start));
        format!("{}:{} {} {}\n", at.line, at.col, d.code.name(), d.message)
    };
    diagnostics(text).into_iter().filter(|d| d.severity == severity).map(line).collect()
}

/// Removes the newline between the opening quote and the first line of a program.
fn program(text: &str) -> &str {
    text.strip_prefix('\n').unwrap_or(text)
}

/// Asserts the errors of a program.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(program(text), Severity::Error));
}

/// Asserts the lints of a program.
fn check_lints(text: &str, expected: Expect) {
    expected.assert_eq(&show(program(text), Severity::Warning));
}

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
            1:11 E0201 expected an operator, found `=`
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
fn known_mistakes_are_named() {
    check(
        r#"$a = 5-2"#,
        expect![[r#"
            1:7 E0213 missing operator before the number `-2`
        "#]],
    );
    check(
        r#"
$b = 1
$a = -$b
"#,
        expect![[r#"
            2:6 E0214 unary minus is not supported
        "#]],
    );
    check(
        r#"$a == 1"#,
        expect![[r#"
            1:4 E0211 expected `=`, found `==`
        "#]],
    );
    check(
        r#"a = 1"#,
        expect![[r#"
            1:3 E0218 missing `$` before `a`
        "#]],
    );
    check(
        r#"$in = 1"#,
        expect![[r#"
            1:2 E0215 expected a variable name, found the keyword `in`
        "#]],
    );
    check(
        r#"$Total = 1"#,
        expect![[r#"
            1:2 E0216 expected a lower-case name, found `Total`
        "#]],
    );
    check(
        r#"$a string = "x""#,
        expect![[r#"
            1:4 E0221 unknown type `string`
        "#]],
    );
    check(
        r#"
$a = foo
$b = 1
"#,
        expect![[r#"
            1:6 E0219 unexpected bare word `foo`
        "#]],
    );
    check(
        r#"$a = null"#,
        expect![[r#"
            1:6 E0219 unexpected bare word `null`
        "#]],
    );
    check(
        r#"$a = 1 == 2 == 3"#,
        expect![[r#"
            1:13 E0217 comparisons cannot be chained
        "#]],
    );
    check(
        r#"$a = $b ?: 1"#,
        expect![[r#"
            1:9 E0201 `?:` is only allowed in the entries of a resource
        "#]],
    );
    check(
        r#"$a = f(1)(2)"#,
        expect![[r#"
            1:10 E0201 cannot call the result of an expression
        "#]],
    );
    check(
        r#"$a = true || false"#,
        expect![[r#"
            1:11 E0209 unknown operator `||`
        "#]],
    );
    check(
        r#"
$a =
$b = 1
"#,
        expect![[r#"
            1:4 E0220 expected an expression, found the end of the line
        "#]],
    );
    check(
        r#"$x struct{a int;} = $y"#,
        expect![[r#"
            1:17 E0201 unexpected `;` at the end of a struct type
        "#]],
    );
    check(
        r#"// comment"#,
        expect![[r#"
            1:1 E0218 invalid comment `//`
        "#]],
    );
    check(
        r#"import fmt"#,
        expect![[r#"
            1:8 E0201 expected a string, found the name `fmt`
        "#]],
    );
    check(
        r#"include "c""#,
        expect![[r#"
            1:9 E0201 expected a class name, found a string
        "#]],
    );
    check(
        r#"
for $v in [1] {
}
"#,
        expect![[r#"
            1:8 E0201 expected two loop variables, found one
        "#]],
    );
    check(
        r#"
else {
}
"#,
        expect![[r#"
            1:1 E0218 `else` without a matching `if`
        "#]],
    );
    check(
        r#"
If true {
}
"#,
        expect![[r#"
            1:1 E0216 keywords are lower case: expected `if`
        "#]],
    );
    check(
        r#"test { a => 1, }"#,
        expect![[r#"
            1:1 E0218 missing name of the `test` resource
        "#]],
    );
    check(
        r#"len("x")"#,
        expect![[r#"
            1:1 E0218 a call is not a statement
        "#]],
    );
    check(
        r#"$x struct{a int; a str} = $y"#,
        expect![[r#"
            1:18 E0207 duplicate field `a` in a struct type
        "#]],
    );
    check(
        r#"
func f($x) {
	$y = $x
	$y
}
"#,
        expect![[r#"
            2:2 E0218 statements are not allowed inside a function or branch
        "#]],
    );
    check(
        r#"
test "x" {
	test "y" {}
}
"#,
        expect![[r#"
            2:2 E0218 statements are not allowed inside a resource
        "#]],
    );
    check(
        r#"
if $a = 1 {
}
"#,
        expect![[r#"
            1:7 E0201 expected an operator, found `=`
        "#]],
    );
    check(
        r#"test "x" { Other:noop => true, }"#,
        expect![[r#"
            1:12 E0206 unknown resource entry `Other`
        "#]],
    );
    check(
        r#"test "x" { Before => "y", }"#,
        expect![[r#"
            1:12 E0206 expected an edge half after `Before`
        "#]],
    );
}

#[test]
fn init_checks_report_every_location() {
    check(
        r#"
test "a" {
	Meta:speed => 9,
	Meta:noop => true,
	Meta:nop => 1,
}
"#,
        expect![[r#"
            2:2 E0308 unknown meta parameter `speed`
            4:2 E0308 unknown meta parameter `nop`
        "#]],
    );
    check(
        r#"test "a" { x => 1, x => 2, Require => Test["b"], }"#,
        expect![[r#"
            1:20 E0301 duplicate field `x` in a resource
            1:28 E0307 unknown edge property `Require`
        "#]],
    );
    check(
        r#"
$m = {"a" => 1, "a" => 2}
$n = {"a" => 1, 2 => 3}
$o = {[1] => 2}
"#,
        expect![[r#"
            1:17 E0305 duplicate map key `"a"`
            2:17 E0304 mismatched map key types: `str` and `int`
            3:7 E0303 invalid map key type `[]int`
        "#]],
    );
    check(
        r#"
$m = {1 => 1, 01 => 2}
$n = {1.0 => 1, 1.00 => 2}
"#,
        expect![[r#"
            1:15 E0305 duplicate map key `1`
            2:17 E0305 duplicate map key `1.0`
        "#]],
    );
    check(
        r#"$x = struct{a => 1, a => 2}"#,
        expect![[r#"
            1:21 E0306 duplicate field `a` in a struct
        "#]],
    );
    check(
        r#"
for $i, $v in [1] {
	import "fmt"
}
import ""
"#,
        expect![[r#"
            2:2 E0309 an import is not allowed directly in the body of a loop
            4:8 E0311 missing module name in an import
        "#]],
    );
    check(
        r#"$x = $a__b"#,
        expect![[r#"
            1:6 E0310 cannot reference `$a__b`: its name contains two consecutive underscores
        "#]],
    );
}

#[test]
fn invalid_strings_are_reported_inside_the_string() {
    check(
        r#"$a = "x\qy""#,
        expect![[r#"
            1:8 E0401 unknown escape sequence `\q`
        "#]],
    );
    check(
        r#"
$a = "x
 ${ y }"
"#,
        expect![[r#"
            2:2 E0402 invalid variable reference `${ y }`
        "#]],
    );
    check(
        r#"$a = "${a__b}""#,
        expect![[r#"
            1:7 E0310 cannot reference `$a__b`: its name contains two consecutive underscores
        "#]],
    );
    check(
        r#"
class c {}
class c {}
class d {}
class d:e {}
class d:e {}
"#,
        expect![[r#"
            2:7 E0403 duplicate class `c` in this scope
            5:7 E0403 duplicate class `d:e` in this scope
        "#]],
    );
}

#[test]
fn nesting_that_is_too_deep_is_one_error() {
    let n = 100_000;
    for text in [
        format!("$a = {}1{}\n", "(".repeat(n), ")".repeat(n)),
        format!("$a = {}\n", "(".repeat(n)),
        format!("$a = {}1{}\n", "[".repeat(n), "]".repeat(n)),
        format!("$a = {}true\n", "not ".repeat(n)),
        format!("$a = {}1{}\n", "1 + (".repeat(n), ")".repeat(n)),
        format!("$a = $b{}\n", "[0]".repeat(n)),
        format!("$a = $b{}\n", "->c".repeat(n)),
        format!("$a {}int = $b\n", "[]".repeat(n)),
        format!("{}{}\n", "if true {\n".repeat(n), "}\n".repeat(n)),
        format!("$a = {}1{}\n", "if true { 1 } else { ".repeat(n), " }".repeat(n)),
        format!("$a = {}1{}\n", "func() { ".repeat(n), " }".repeat(n)),
    ] {
        let found = show(&text, Severity::Error);
        assert!(found.lines().count() == 1 && found.contains("E0210"), "{}…: {found}", &text[..40]);
    }
    // The same for blocks that are not closed.
    let found = show(&"if true {\n".repeat(n), Severity::Error);
    assert!(found.lines().count() <= 2 && found.contains("E0210"), "{found}");
}

#[test]
fn chains_of_operators_are_not_nested() {
    let n = 100_000;
    for op in ["+", "-", "*", "/", "and", "or"] {
        let text = format!("$a = $b{}\n", format!(" {op} $b").repeat(n));
        assert_eq!(show(&text, Severity::Error), "", "{op}");
    }
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
    let parsed = parse(FileId(0), text, &lex(text));
    let names: Vec<String> = parsed
        .ast
        .stmts
        .values()
        .filter_map(|stmt| if let Stmt::Error { defines } = stmt { Some(defines) } else { None })
        .flatten()
        .map(|d| format!("{:?} {}", d.kind, parsed.ast.name(d.name)))
        .collect();
    assert_eq!(names, ["Variable x", "Function f", "Class c:d", "Alias lib", "Alias fmt"]);
}

#[test]
fn lints_name_what_mgmt_rejects() {
    check_lints(
        r#"
$a = [1, 2,]
"#,
        expect![[r#"
            1:11 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line list
        "#]],
    );
    check_lints(
        r#"
$a = [
	1,
	2
]
"#,
        expect![[r#"
            3:2 W0102 mgmt 1.1 rejects a multi-line list without a comma after the last element
        "#]],
    );
    check_lints(
        r#"
$a = [
	1, 2,
]
"#,
        expect![[r#"
            2:5 W0103 mgmt 1.1 rejects a multi-line list with two elements on one line
        "#]],
    );
    check_lints(
        r#"
$a = [1,
	2,
]
"#,
        expect![[r#"
            2:2 W0104 mgmt 1.1 rejects a list that starts on the line of its bracket and continues on the next
        "#]],
    );
    check_lints(
        r#"
$a =
	1
"#,
        expect![[r#"
            2:2 W0105 mgmt 1.1 rejects a newline inside a statement here
        "#]],
    );
    check_lints(
        r#"
$a = 1 +
	2
"#,
        expect![[r#"
            2:2 W0105 mgmt 1.1 rejects a newline inside a statement here
        "#]],
    );
    check_lints(
        r#"
$a = (
	1
)
"#,
        expect![[r#"
            2:2 W0105 mgmt 1.1 rejects a newline inside a statement here
        "#]],
    );
    check_lints(
        r#"
if true
{
}
"#,
        expect![[r#"
            2:1 W0106 mgmt 1.1 rejects a newline before `{`
        "#]],
    );
    check_lints(
        r#"
if true {
}
else {
}
"#,
        expect![[r#"
            3:1 W0107 mgmt 1.1 rejects a newline before `else`
        "#]],
    );
    check_lints(
        r#"
$a = 1 $b = 2
"#,
        expect![[r#"
            1:8 W0108 mgmt 1.1 rejects two statements on one line
        "#]],
    );
    check_lints(
        r#"
if true { test "a" {} }
"#,
        expect![[r#"
            1:23 W0108 mgmt 1.1 rejects a `}` on the line of the last statement
        "#]],
    );
    check_lints(
        r#"$a = 1"#,
        expect![[r#"
            1:6 W0109 mgmt 1.1 rejects a last line without a newline
        "#]],
    );
    check_lints(
        r#"
$a map{
	str: int} = $b
"#,
        expect![[r#"
            2:2 W0110 mgmt 1.1 rejects a newline inside a type
        "#]],
    );
    check_lints(
        r#"
$a = [
	1
	,
]
"#,
        expect![[r#"
            3:2 W0111 mgmt 1.1 rejects a newline before a comma
        "#]],
    );
    check_lints(
        r#"
$a = $b[0] || 2
"#,
        expect![[r#"
            1:12 W0112 mgmt 1.1 rejects `||`, an older spelling of `<|>`
        "#]],
    );
    check_lints(
        r#"
$a = $b->c || 2
"#,
        expect![[r#"
            1:12 W0112 mgmt 1.1 rejects `||`, an older spelling of `<|>`
        "#]],
    );
    check_lints(
        r#"
$a = "c:\\"
"#,
        expect![[r#"
            1:6 W0113 mgmt 1.1 rejects a string that ends with a backslash
        "#]],
    );
    check_lints(
        r#"
func f($x,) { $x }
$a = f(1,)
$b func(int,) int = $c
"#,
        expect![[r#"
            1:10 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line list
            2:9 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line list
            3:12 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line list
        "#]],
    );
}

#[test]
fn the_strict_grammar_has_no_lints() {
    let text = r#"
import "fmt"

# a comment
$a = [
	1,

	2, # two
]
$b = f(func($x) {
	$x
}, [])
if $a {
	test "x" {
		a => 1, b => 2,

		c => if true {
			1
		} else {
			2
		},
	}
} else {}
func g(
	$a int,
	$b func(
		int,
	) str,
) int { $a }
class c() {}
Test["x"] -> Test["y"]
# end"#;
    check_lints(text, expect![""]);
    check(text, expect![""]);
}
