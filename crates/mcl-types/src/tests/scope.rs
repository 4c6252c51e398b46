//! Names: the definitions they resolve to, and the errors of those that do not resolve.

use expect_test::expect;

use super::{check, compile};

#[test]
fn definitions_come_in_any_order() {
    check(
        r#"
test [$greet] {}
$greet = $salute + " all"
$salute = "hi"
"#,
        expect![[r#"
            $greet: str
            $salute: str
        "#]],
    );
}

#[test]
fn inner_name_hides_outer_one() {
    check(
        r#"
$x = 1
if true {
	$x = "s"
	test "t" { anotherstr => $x, }
}
test "u" { int64 => $x, }
"#,
        expect![[r#"
            $x: int
        "#]],
    );
}

#[test]
fn unknown_names_are_reported_with_a_suggestion() {
    check(
        r#"
$port = 1
$a = $prot
$b = lenn("x")
$c = $f(1)
include nope
test "t" {}
"#,
        expect![[r#"
            2:6 E0601 no variable `$prot` in this scope
              help: did you mean `$port`?
            3:6 E0602 no function `lenn` in this scope
              help: did you mean `len`?
            4:6 E0603 no variable `$f` in this scope
            5:9 E0604 no class `nope` in this scope
        "#]],
    );
}

#[test]
fn function_and_variable_are_different_names() {
    check(
        r#"
$f = func($n) { $n }
func g($n) { $n }
$x = f(1)
$y = $g(1)
$z = $g
$u = strings.to_upper("a")
"#,
        expect![[r#"
            3:6 E0602 no function `f` in this scope
              help: `$f` is a variable; call the function it holds with `$f(…)`
            4:6 E0603 no variable `$g` in this scope
              help: `g` is a function, not a variable; call it with `g(…)`
            5:6 E0601 no variable `$g` in this scope
              help: `g` is a function; wrap it to use it as a value: `func($x) { g($x) }`
            6:6 E0602 no function `strings.to_upper` in this scope
              help: import the module first: `import "strings"`
        "#]],
    );
}

#[test]
fn class_that_is_never_included_may_use_unknown_names() {
    check(
        r#"
class ghost {
	test "${missing}" {}
}
test "x" {}
"#,
        expect![""],
    );
    check(
        r#"
class ghost {
	test "${missing}" {}
}
include ghost
"#,
        expect![[r#"
            2:8 E0601 no variable `$missing` in this scope
        "#]],
    );
}

#[test]
fn duplicates_are_found_even_in_classes_that_are_never_included() {
    check(
        r#"
class box {
	$w = 1
	$w = 2
}
$p = 1
$p = 2
"#,
        expect![[r#"
            3:2 E0606 duplicate variable `$w`
              2:2 first defined here
              help: rename one of them: a variable cannot be reassigned in its scope
            6:1 E0606 duplicate variable `$p`
              5:1 first defined here
              help: rename one of them: a variable cannot be reassigned in its scope
        "#]],
    );
}

#[test]
fn cycle_is_reported_once_at_its_first_use() {
    check(
        r#"
$p = $q + 1
$q = $r + 1
$r = $p + 1
test "t" { int64 => $p, }
"#,
        expect![[r#"
            1:6 E0608 cyclic definition of `$q`
              2:6 uses `$r`
              3:6 uses `$p`
              help: definitions cannot be recursive, and an inner name cannot read the outer name that it shadows
        "#]],
    );
    check(
        r#"
func f($n) { f($n) }
test "t" {}
"#,
        expect![[r#"
            1:14 E0608 cyclic definition of function `f`
              help: definitions cannot be recursive, and an inner name cannot read the outer name that it shadows
        "#]],
    );
    check(
        r#"
class c {
	include c
}
include c
"#,
        expect![[r#"
            2:10 E0608 cyclic definition of class `c`
              help: definitions cannot be recursive, and an inner name cannot read the outer name that it shadows
        "#]],
    );
}

#[test]
fn cycle_may_pass_through_an_alias() {
    check(
        r#"
class c($p) {
	$v = $p
}
include c($x) as k
$x = $k.v
"#,
        expect![[r#"
            4:11 E0608 cyclic definition of `$x`
              5:6 uses include `k`
              help: definitions cannot be recursive, and an inner name cannot read the outer name that it shadows
        "#]],
    );
}

#[test]
fn loop_variable_hides_an_outer_name() {
    check(
        r#"
class scan {
	for $i, $v in ["a"] {
		test "s${v}" {}
	}
	$out = "o"
}
include scan as s
$v = $s.out
test [$v] {}
"#,
        expect![[r#"
            $v: str
        "#]],
    );
}

#[test]
fn alias_exposes_everything_that_the_class_sees() {
    check(
        r#"
$sep = "-"
class kit($base) {
	$full = $base + "v"
	func wrap($s) { "<" + $s }
}
include kit("B") as k
$a = $k.full
$b = $k.base
$c = $k.sep
$d = k.wrap("w")
test [$a, $b, $c, $d] {}
"#,
        expect![[r#"
            $sep: str
            $a: str
            $b: str
            $c: str
            $d: str
        "#]],
    );
}

#[test]
fn aliases_chain() {
    check(
        r#"
class inner {
	$x = 1.5
}
class outer {
	include inner as i
}
include outer as o
$y = $o.i.x
test "t" { float64 => $y, }
"#,
        expect![[r#"
            $y: float
        "#]],
    );
}

#[test]
fn include_gives_an_argument_for_each_parameter() {
    check(
        r#"
class c($a, $b) {}
include c(1)
"#,
        expect![[r#"
            2:9 E0605 expected 2 arguments for class `c`, found 1
              1:7 parameters: ($a, $b)
        "#]],
    );
}

#[test]
fn file_imported_at_the_top_level_sees_only_itself() {
    check(
        r#"
$k = 1
import "lib.mcl"
test "t" { int64 => $lib.v, }
-- lib.mcl --
$v = $k
"#,
        expect![[r#"
            lib.mcl:1:6 E0601 no variable `$k` in this scope
        "#]],
    );
}

#[test]
fn file_imported_in_a_branch_sees_what_is_around_the_branch() {
    check(
        r#"
$k = 7
if true {
	import "lib.mcl"
	test "t" { int64 => $lib.v, }
}
-- lib.mcl --
$v = $k
"#,
        expect![[r#"
            $k: int
        "#]],
    );
}

#[test]
fn files_that_import_each_other_are_reported() {
    check(
        r#"
import "one.mcl"
-- one.mcl --
import "two.mcl" as *
-- two.mcl --
import "one.mcl" as *
$x = $y
"#,
        expect![[r#"
            two.mcl:1:1 E0510 import cycle: `one.mcl` → `two.mcl` → `one.mcl`
              one.mcl:1:1 imports the next file
              help: move the definitions that both files need into a third one
        "#]],
    );
    check(
        r#"
import "main.mcl"
"#,
        expect![[r#"
            1:1 E0510 import cycle: the file imports itself
              help: move the definitions that both files need into a third one
        "#]],
    );
}

#[test]
fn imported_file_contains_only_definitions() {
    check(
        r#"
import "lib.mcl"
-- lib.mcl --
$v = 1
test "loose" {}
"#,
        expect![[r#"
            lib.mcl:2:1 E0511 a resource is not allowed at the top level of an imported file
              1:1 imported here
              help: move it into a class, and include that class
        "#]],
    );
}

#[test]
fn imports_of_one_scope_do_not_collide() {
    check(
        r#"
import "math" as a
import "math" as b
"#,
        expect![[r#"
            2:8 E0508 duplicate import of `math`
              help: remove this import
        "#]],
    );
    check(
        r#"
import "math" as a
import "strings" as a
"#,
        expect![[r#"
            2:21 E0509 duplicate import alias `a`
              1:18 first used here
              help: give one of the imports another alias: `as other_a`
        "#]],
    );
    check(
        r#"
import "lib.mcl" as *
import "strings"
-- lib.mcl --
import "strings"
"#,
        expect![[r#"
            2:1 E0512 conflicting imports of the module `strings`
              help: an earlier `import … as *` already provides `strings`; give one of the imports its own alias
        "#]],
    );
}

#[test]
fn names_of_a_module_that_failed_are_not_reported() {
    check(
        r#"
import "quantum"
$x = quantum.f(1)
test "t" { int64 => $x, anotherstr => $quantum.v, }
"#,
        expect![[r#"
            1:8 E0501 unknown system module `quantum`
              help: a file is imported as `import "quantum.mcl"`, a directory as `import "quantum/"`
        "#]],
    );
}

#[test]
fn star_imports_provide_plain_names_and_the_later_one_wins() {
    check(
        r#"
import "one.mcl" as *
import "two.mcl" as *
$x = $v
test "t" { anotherstr => $x, }
-- one.mcl --
$v = 1
-- two.mcl --
$v = "2"
"#,
        expect![[r#"
            $x: str
        "#]],
    );
}

#[test]
fn names_of_statements_with_syntax_errors_are_known() {
    let error_count = |program| compile(program).1.len();
    let binding = r#"
$x = 1 2
test "t" { int64 => $x, }
"#;
    let function = r#"
func f($n) { $n + }
test "t" { int64 => f(1), }
"#;
    let class = r#"
class c($n int str) {
	test "${n}" {}
}
include c("a") as k
test "${k.v}" {}
"#;
    assert_eq!([binding, function, class].map(error_count), [1, 1, 1]);
}

#[test]
fn parameters_of_one_function_or_class_have_different_names() {
    check(
        r#"
$f = func($a, $a) { $a }
class c($b int, $b) {}
for $i, $i in [1] {}
"#,
        expect![[r#"
            1:15 E0609 duplicate parameter `$a`
              1:11 first defined here
              help: rename one of them
            2:17 E0609 duplicate parameter `$b`
              2:9 first defined here
              help: rename one of them
        "#]],
    );
}

#[test]
fn meta_parameters_are_known_by_name() {
    check(
        r#"
class unused {
	test "a" {
		Meta:speed => 9,
		Meta:noop => true,
		Meta:nop => 1,
		Meta => struct{ noop => true, },
		Meta:noop => false,
	}
}
"#,
        expect![[r#"
            6:31 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line struct
              help: remove the comma
            3:3 E0308 unknown meta parameter `speed`
              help: the meta parameters are noop, retry, retryreset, delay, timeout, poll, limit, burst, reset, sema, rewatch, realize, dollar, hidden, export, reverse, autoedge, autogroup
            5:3 E0308 unknown meta parameter `nop`
              help: did you mean `noop`?
            7:3 E0302 duplicate meta parameter `noop` in a resource
              4:3 first given here
        "#]],
    );
}
