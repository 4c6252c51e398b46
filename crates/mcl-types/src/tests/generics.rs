//! Functions, classes and modules have types of their own for each use.

use expect_test::expect;

use crate::tests::check;

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
              help: a function value has one type, which another use of `$id` fixes; a `func` takes a value of any type that fits: `func id(…) { … }`
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
              help: the field `anotherstr` of `test` has the type `str`; convert it: `fmt.printf("%d", …)` of the module "fmt"
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
