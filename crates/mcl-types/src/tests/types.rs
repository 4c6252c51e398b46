//! Types: what is inferred, and the errors of what does not fit.

use expect_test::expect;
use mcl_diagnostics::Stage;

use crate::tests::{check, compile};

#[test]
fn literals_and_containers() {
    check(
        r#"
$a = [1, 2]
$b = {"k" => [1.5]}
$c = struct{x => true, y => "s"}
$d = func($n) { $n + 1 }
test "t" { interface => $a, }
test "u" { interface => $b, }
test "v" { interface => $c, int64 => $d(1), }
"#,
        expect![[r#"
            $a: []int
            $b: map{str: []float}
            $c: struct{x bool; y str}
            $d: func(0 int) int
        "#]],
    );
}

#[test]
fn unused_definitions_are_not_typed() {
    check(
        r#"
$bad = 1 + "one"
func f() { 2 + "two" }
class c {
	test "t" { int64 => "x", }
}
test "x" {}
"#,
        expect![""],
    );
}

#[test]
fn mismatch_shows_where_both_types_come_from() {
    check(
        r#"
$n = "a"
test "t" { int64 => $n, }
"#,
        expect![[r#"
            2:12 E0701 expected `int`, found `str`
              2:21 this value
              1:6 this is `str`
              help: the field `int64` of `test` has the type `int`; convert it: `convert.str_to_int(…)` of the module "convert"
        "#]],
    );
    check(
        r#"
test "t" { int64 => 1 + "x", }
"#,
        expect![[r#"
            1:21 E0702 mismatched operands for `+`: `int` and `str`
              1:21 this is `int`
              1:25 this is `str`
              help: convert it: `fmt.printf("%d", …)` of the module "fmt"
        "#]],
    );
}

#[test]
fn one_mistake_is_one_error() {
    check(
        r#"
$x = 1 + "a"
$y = [$x]
test "a" { int64 => $x, }
test "b" { slicestring => $y, }
"#,
        expect![[r#"
            1:6 E0702 mismatched operands for `+`: `int` and `str`
              1:6 this is `int`
              1:10 this is `str`
              help: convert it: `fmt.printf("%d", …)` of the module "fmt"
        "#]],
    );
}

#[test]
fn fields_chain() {
    check(
        r#"
$s = struct{a => struct{b => [1, 2]}}
$x = $s->a->b[0]
test "t" { int64 => $x, }
"#,
        expect![[r#"
            $s: struct{a struct{b []int}}
            $x: int
        "#]],
    );
    check(
        r#"
$s = struct{port => 1}
test "t" { int64 => $s->prot, }
"#,
        expect![[r#"
            2:21 E0707 unknown field `prot` of `struct{port int}`
              1:6 this is `struct{port int}`
              help: did you mean `->port`?
        "#]],
    );
}

#[test]
fn optional_field_has_the_type_of_its_default() {
    check(
        r#"
class opt($s) {
	$v = $s->b <|> "d"
	test [$v] {}
}
include opt(struct{a => 1})
include opt(struct{b => 5})
"#,
        expect![[r#"
            2:7 E0701 expected `int`, found `str`
              2:17 this is `str`
              6:25 expected `int` because of this
              6:1 for this include
              help: the default has the type of the field `b`
        "#]],
    );
}

#[test]
fn uninferred_types_are_reported_where_they_come_from() {
    check(
        r#"
$l = []
test "t" { int64 => len($l), }
"#,
        expect![[r#"
            1:6 E0706 cannot infer the type of this expression
              help: give the variable a type, for example `$name []str = …`, or use it where only one type fits
        "#]],
    );
    check(
        r#"
class none($v) {}
include none([])
"#,
        expect![[r#"
            2:14 E0706 cannot infer the type of this expression
              help: give the variable a type, for example `$name []str = …`, or use it where only one type fits
        "#]],
    );
    check(
        r#"
import "math"
func any() { math.fortytwo() }
$x = any()
test "t" { boolptr => $x == $x, }
"#,
        expect![[r#"
            3:6 E0706 cannot infer the type of this expression
              help: give the variable a type, for example `$name []str = …`, or use it where only one type fits
        "#]],
    );
}

#[test]
fn infinite_types_are_rejected() {
    check(
        r#"
$w = func($f) { $f($f) }
test "t" { int64 => $w(func($z) { 1 }), }
"#,
        expect![[r#"
            1:17 E0717 infinite type: `$f` would contain itself
              help: a type cannot contain itself
        "#]],
    );
    check(
        r#"
func f($x) { [$x, [$x]] }
test "t" { interface => f(1), }
"#,
        expect![[r#"
            1:19 E0717 infinite type: a value of type `[]?` would contain itself
              1:15 the first element
              help: a type cannot contain itself
        "#]],
    );
    check(
        r#"
func f($x) { $x == [$x] }
test "t" { boolptr => f(1), }
"#,
        expect![[r#"
            1:14 E0717 infinite type: a value of type `[]?` would contain itself
              help: a type cannot contain itself
        "#]],
    );
}

#[test]
fn binding_of_uninferred_type_matters_only_where_it_is_used() {
    check(
        r#"
import "lib.mcl" as a
import "other.mcl"
$x = $a.name
$y = $other.made
test [$x, $y] {}
-- lib.mcl --
$name = "n"
$id = func($x) { $x }
-- other.mcl --
import "lib.mcl"
$made = $lib.id("s")
"#,
        expect![[r#"
            $x: str
            $y: str
        "#]],
    );
    check(
        r#"
import "lib.mcl" as a
test "t" { int64 => $a.n, }
-- lib.mcl --
$e = []
$n = len($e)
"#,
        expect![[r#"
            lib.mcl:1:6 E0706 cannot infer the type of this expression
              help: give the variable a type, for example `$name []str = …`, or use it where only one type fits
        "#]],
    );
    check(
        r#"
class c($l) {
	$e = []
	test "t" { int64 => len($e), }
}
include c(1)
"#,
        expect![[r#"
            2:7 E0706 cannot infer the type of this expression
              help: give the variable a type, for example `$name []str = …`, or use it where only one type fits
        "#]],
    );
}

#[test]
fn brackets_that_are_not_closed_hold_an_unknown_number_of_things() {
    let program = r#"
func f($a, $b) { $a + $b }
$x = f(1
$s = struct{a => 1
$m = {"k" => => 2}
test "t" {
	int64 => $x,
	int32 => $s->b,
	int16 => $m["k"],
}
"#;
    let (_, diagnostics, _) = compile(program);
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.stage == Stage::Parse), "{diagnostics:?}");
}

#[test]
fn literals_are_compared_with_their_annotation_even_if_nothing_uses_them() {
    check(
        r#"
$a int = ("four")
$b map{[]int: str} = {}
$c str = {"k" => 1}
$d func(int) str = func($x int) int { $x }
$e []int = ["list"]
$f float = 1.5
"#,
        expect![[r#"
            1:11 E0205 expected `int`, found `str`
              1:4 expected `int` because of this
            2:8 E0303 invalid map key type `[]int`
              help: a key is a `bool`, `str`, `int` or `float`, or a struct of these
            3:10 E0205 expected `str`, found `map`
              3:4 expected `str` because of this
            4:20 E0205 expected `func(int) str`, found `func(int) int`
              4:4 expected `func(int) str` because of this
        "#]],
    );
}
