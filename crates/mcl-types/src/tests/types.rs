//! Types: what is inferred, and the errors of what does not fit.

use expect_test::expect;
use mcl_diagnostics::Stage;

use super::{check, compile};

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
              help: the field `int64` of `test` has the type `int`
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
        "#]],
    );
}

#[test]
fn func_has_a_type_per_call() {
    check(
        r#"
func id($k) { $k }
$a = id(1)
$b = id("s")
test [$b] { int64 => $a, }
"#,
        expect![[r#"
            $a: int
            $b: str
        "#]],
    );
}

#[test]
fn lambda_has_one_type() {
    check(
        r#"
$id = func($k) { $k }
test "t" {
	int64 => $id(1),
	anotherstr => $id("s"),
}
"#,
        expect![[r#"
            4:16 E0701 expected `int`, found `str`
              4:20 this argument is `str`
              3:15 expected `int` because of this
              help: parameter 1 of `$id` has the type `int`
        "#]],
    );
}

#[test]
fn operators_of_a_generic_function_are_checked_at_the_call() {
    check(
        r#"
func twice($x) { $x + $x }
$a = twice(4)
$b = twice("a")
test [$b] { int64 => $a, }
"#,
        expect![[r#"
            $a: int
            $b: str
        "#]],
    );
    check(
        r#"
func twice($x) { $x + $x }
$a = twice(true)
test "t" { boolptr => $a, }
"#,
        expect![[r#"
            2:6 E0703 cannot apply `+` to `bool`
              2:12 this is `bool`
              1:18 required by this
              help: the operands of `+` are `str`, `int` or `float`
        "#]],
    );
}

#[test]
fn index_of_parameters_is_decided_at_the_call() {
    check(
        r#"
func at($c, $k) { $c[$k] }
$a = at([1, 2], 0)
$b = at({"a" => "x"}, "a")
test [$b] { int64 => $a, }
"#,
        expect![[r#"
            $a: int
            $b: str
        "#]],
    );
    check(
        r#"
func at($c, $k int) { $c[$k] }
test "t" { anotherstr => at([1, 2], 0), }
"#,
        expect![[r#"
            2:12 E0701 expected `str`, found `int`
              2:26 this value
              2:30 this is `int`
              help: the field `anotherstr` of `test` has the type `str`
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
fn class_has_types_per_include() {
    check(
        r#"
class show($v) {
	test "s" { interface => $v, Meta:hidden => true, }
}
include show(1)
include show("one")
"#,
        expect![""],
    );
    check(
        r#"
class c($l) {
	test "t" { slicestring => $l, int64 => len($l), }
}
include c([])
"#,
        expect![""],
    );
}

#[test]
fn exports_of_a_class_have_types_per_include() {
    check(
        r#"
class c($p) {
	$v = [$p]
}
include c(1) as a
include c("s") as b
$x = $a.v
$y = $b.v
test $y { interface => $x, }
"#,
        expect![[r#"
            $x: []int
            $y: []str
        "#]],
    );
}

#[test]
fn import_statements_have_types_of_their_own() {
    check(
        r#"
import "lib.mcl" as a
if true {
	import "lib.mcl" as b
	test "t" { int64 => $a.id(1), anotherstr => $b.id("s"), }
}
-- lib.mcl --
$id = func($k) { $k }
"#,
        expect![""],
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
              help: annotate it, for example `$x []str = []`, or use it where only one type fits
        "#]],
    );
    check(
        r#"
class none($v) {}
include none([])
"#,
        expect![[r#"
            2:14 E0706 cannot infer the type of this expression
              help: annotate it, for example `$x []str = []`, or use it where only one type fits
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
              help: annotate it, for example `$x []str = []`, or use it where only one type fits
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
fn resource_names_are_known_before_solving() {
    check(
        r#"
class mk($n) {
	test $n {}
}
include mk("a")
include mk(["b"])
"#,
        expect![""],
    );
    check(
        r#"
class mk($n) {
	test $n {}
}
include mk("a" + "b")
"#,
        expect![[r#"
            2:2 E0712 expected `[]str`, found `str`
              4:1 for this include
              4:12 this is `str`
              help: only literals, interpolated strings and variables bound to them name a single resource; put the name into a list (`[…]`), or interpolate it through a variable (`"${name}"`)
        "#]],
    );
}

#[test]
fn formats_are_checked() {
    check(
        r#"
import "fmt"
$f = "%" + "d"
test [fmt.printf($f, "x"), fmt.printf("%s"), fmt.printf("%x", 1)] {}
"#,
        expect![[r#"
            3:7 E0701 expected `int`, found `str`
              3:22 this argument is `str`
              3:18 expected `int` because of this
              help: the verb `%d` formats values of type `int`
            3:28 E0715 expected 1 value for the format string, found 0
              3:39 1 verb
              help: each verb formats one value
            3:46 E0715 unknown format verb `%x`
              3:57 format string
              help: the verbs are %s %q %d %f %t %v %T, and %% for a percent sign
        "#]],
    );
}

#[test]
fn verbs_give_parameters_their_types() {
    check(
        r#"
import "fmt"
import "iter"
$l = iter.map([1, 2], func($x) { fmt.printf("%d", $x) })
test $l {}
"#,
        expect![[r#"
            $l: []str
        "#]],
    );
}

#[test]
fn kinds_and_fields_are_checked() {
    check(
        r#"
test "t" { anotherst => "x", }
fil "/x" {}
"#,
        expect![[r#"
            1:12 E0711 unknown field `anotherst` of `test`
              help: did you mean `anotherstr`?
            2:1 E0710 unknown resource kind `fil`
              help: did you mean `file`?
        "#]],
    );
    check(
        r#"
test "a" {}
Test["a"]
"#,
        expect![[r#"
            2:1 E0713 missing second end of this edge
              help: an edge connects two or more resources: `A["a"] -> B["b"]`
        "#]],
    );
    check(
        r#"
test ["a", "b"] {}
Test["a"].answer -> Test["b"].anotherstr
"#,
        expect![[r#"
            2:1 E0714 expected `str`, found `int`
              2:1 `test` sends `answer` as `int`
              2:21 the field `anotherstr` of `test` is `str`
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
              help: annotate it, for example `$x []str = []`, or use it where only one type fits
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
              help: annotate it, for example `$x []str = []`, or use it where only one type fits
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
fn members_count_only_for_the_instances_that_use_them() {
    check(
        r#"
class show($x) {
	$loud = $x + "!"
	$plain = $x
}
include show(1) as a
include show("s") as b
$u = $a.plain
$v = $b.loud
test "${v}" { int64 => $u, }
"#,
        expect![[r#"
            $u: int
            $v: str
        "#]],
    );
    check(
        r#"
class show($x) {
	$loud = $x + "!"
	$plain = $x
}
include show(1) as a
include show("s") as b
$u = $a.loud
test "${u}" { anotherstr => $b.loud, }
"#,
        expect![[r#"
            5:1 E0701 expected `str`, found `int`
              2:2 required by this
              5:14 this is `int`
              2:15 expected `str` because of this
              help: `$loud` of this include is used, and requires `str`
        "#]],
    );
}

#[test]
fn members_of_members_are_distinguished() {
    check(
        r#"
class leaf($x) {
	$l = []
	$up = $x + 1
}
class middle($x) {
	include leaf($x) as l
	$raw = $l.l
}
include middle("s") as a
include middle(2) as b
$n = $b.l.up
$s = $a.raw
$t = $b.l.l
test $s { slicestring => $a.l.l, int64 => $n, interface => [1] == $t, }
"#,
        expect![[r#"
            $n: int
            $s: []str
            $t: []int
        "#]],
    );
}

#[test]
fn strings_that_class_arguments_give_are_checked_for_each_include() {
    check(
        r#"
import "fmt"
class c($f, $v) {
	$s = fmt.printf($f, $v)
	test "${s}" {}
}
include c("%d", 4)
include c("%s", "x")
"#,
        expect![""],
    );
    check(
        r#"
import "fmt"
class c($f, $v) {
	$s = fmt.printf($f, $v)
	test "${s}" {}
}
include c("%s", 4)
"#,
        expect![[r#"
            3:7 E0701 expected `str`, found `int`
              6:1 for this include
              6:17 this is `int`
              3:18 expected `str` because of this
              help: the verb `%s` formats values of type `str`
        "#]],
    );
}

#[test]
fn strings_that_are_not_constant_are_not_checked() {
    check(
        r#"
import "fmt"
class c($f, $v) {
	$s = fmt.printf($f, $v)
	test "${s}" {}
}
for $i, $v in ["%d"] {
	include c($v, "x")
}
"#,
        expect![""],
    );
}

#[test]
fn strings_that_class_arguments_give_reach_an_import_inside_the_class() {
    check(
        r#"
class c($f) {
	if true {
		import "lib.mcl"
		test [$lib.s] {}
	}
}
include c("%d")
include c("%s")
-- lib.mcl --
import "fmt"
$s = fmt.printf($f, 4)
"#,
        expect![[r#"
            lib.mcl:2:6 E0701 expected `str`, found `int`
              8:1 for this include
              lib.mcl:2:21 this is `int`
              lib.mcl:2:17 expected `str` because of this
              help: the verb `%s` formats values of type `str`
        "#]],
    );
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
