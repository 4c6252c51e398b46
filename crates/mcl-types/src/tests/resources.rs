//! Kinds, fields and names of resources, and format strings.

use expect_test::expect;

use crate::tests::check;

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
