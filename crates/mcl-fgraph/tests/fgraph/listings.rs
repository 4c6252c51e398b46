//! The shape of lowered programs.

use expect_test::expect;
use mcl_diagnostics::{Code, Severity};

use crate::support::{FOLDED, artifact, check_listing, checked, lower};

#[test]
fn constants_need_no_nodes() {
    check_listing(
        r#"
$n = 2 + 3
func twice($x) { $x * 2 }
test "a" {
	int64 => twice($n),
	boolptr => $n > 4 ?: true,
}
"#,
        expect![[r#"
            template 0: program
              test "a" {
                int64 => 10,
                boolptr => true ?: true,
              }
        "#]],
    );
}

#[test]
fn a_variable_is_one_node_however_often_it_is_used() {
    check_listing(
        r#"
$x = $hostname + "!"
noop [$x] {}
noop [$x, $x] {}
"#,
        expect![[r#"
            template 0: program
              %0 = _operator("+", $hostname, "!") -> str
              %1 = [%0]
              %2 = [%0, %0]
              noop %1
              noop %2
        "#]],
    );
}

#[test]
fn only_the_chosen_branch_is_left() {
    check_listing(
        r#"
if 1 < 2 {
	noop "then" {}
} else {
	noop "else" {}
}
"#,
        expect![[r#"
            template 0: program
              noop "then"
        "#]],
    );
}

#[test]
fn a_branch_captures_what_it_uses() {
    check_listing(
        r#"
$x = $hostname + "!"
if $x == "a!" {
	noop [$x] {}
}
"#,
        expect![[r#"
            template 0: if, 1 capture
              %0 = [^0]
              noop %0

            template 1: program
              %0 = _operator("+", $hostname, "!") -> str
              %1 = _operator("==", %0, "a!") -> bool
              if %1 @0[%0]
        "#]],
    );
}

#[test]
fn short_constant_loops_are_unrolled() {
    check_listing(
        r#"
for $i, $v in ["a", "b"] {
	noop "${v}" {}
}
"#,
        expect![[r#"
            template 0: program
              noop "a"
              noop "b"
        "#]],
    );
}

#[test]
fn other_loops_are_templates() {
    check_listing(
        r#"
$l = [$hostname + "1"]
for $i, $v in $l {
	noop "${v}" {}
}
"#,
        expect![[r#"
            template 0: for, 2 parameters
              noop $1

            template 1: program
              %0 = _operator("+", $hostname, "1") -> str
              %1 = [%0]
              for %1 @0
        "#]],
    );
}

#[test]
fn an_argument_that_may_fail_is_kept_by_the_call() {
    check_listing(
        r#"
func first($a, $b) { $a }
$l = [$hostname]
noop [first("x", $l[7])] {}
"#,
        expect![[r#"
            template 0: func first, 2 parameters
              keep $1
              value $0

            template 1: program
              %0 = _lookup([$hostname], 7) -> str
              %1 = call @0("x", %0)
              %2 = [%1]
              noop %2
        "#]],
    );
}

#[test]
fn the_bytes_do_not_depend_on_the_run_or_on_dead_code() {
    let source = "import \"fmt\"\n$m = {\"a\" => 1, \"b\" => 2}\nforkv $k, $v in $m {\n\tnoop fmt.printf(\"%s%d\", $k, $v) {}\n}\n";
    let source = source.replace("noop fmt", "test [fmt").replace("$v) {}", "$v)] {}");
    assert_eq!(artifact(&source), artifact(&source));
}

#[test]
fn a_meta_struct_beside_a_line_is_an_error() {
    let fields = "noop => true, retry => 0, retryreset => false, delay => 0, timeout => 0, poll => 0, limit => 1.5, \
                  burst => 1, reset => false, sema => [], rewatch => false, realize => false, dollar => false, \
                  hidden => false, export => [], reverse => false, autoedge => true, autogroup => true";
    let source = format!(
        "class c {{\n\ttest \"a\" {{ Meta => struct{{{fields}}}, Meta:noop => false, }}\n}}\ninclude c\ninclude c\n"
    );
    let errors = lower(&checked(&source), FOLDED).expect_err("noop is set twice");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!((errors[0].code, errors[0].severity), (Code::E0801, Severity::Error));
    assert!(errors[0].message.contains("`noop`"), "{}", errors[0].message);
}

#[test]
fn classes_that_multiply_without_bound_are_an_error() {
    let mut source = String::from("class c0 {\n\tnoop \"a\" {}\n}\n");
    for i in 1..40 {
        source += &format!("class c{i} {{\n\tinclude c{0}\n\tinclude c{0}\n}}\n", i - 1);
    }
    source += "include c39\n";
    let errors = lower(&checked(&source), FOLDED).expect_err("2^39 resources");
    assert_eq!(errors[0].code, Code::E0802);
}

#[test]
fn lists_are_folded_with_known_functions() {
    check_listing(
        r#"
import "iter"
$later = func($x, $y) { $x + "," + $y }
noop iter.zip(["a", "b", "c"], ["x", "y"], $later) {}
noop [iter.reduce(["a", "b", "c"], $later), iter.reduce("z", ["a"], $later), iter.reduce("z", [], $later)] {}
"#,
        expect![[r#"
            template 0: program
              noop ["a,x", "b,y"]
              noop ["a,b,c", "z,a", "z"]
        "#]],
    );
}

#[test]
fn a_fallback_goes_when_its_value_cannot_fail_and_takes_its_place_when_it_always_does() {
    check_listing(
        r#"
import "convert"
$l = ["a"]
$bad = convert.str_to_int("x") + 1
func pick($n) { $l[$n] <|> "none" }
noop [$hostname <|> "x", pick(0), pick(7)] {}
test "t" {
	int64 => [$bad, 2,][0] <|> [$bad,][1] <|> 3,
}
"#,
        expect![[r#"
            template 0: program
              noop [$hostname, "a", "none"]
              test "t" {
                int64 => 3,
              }
        "#]],
    );
}

#[test]
fn a_fallback_stays_where_something_else_may_come_of_its_value() {
    // The pattern fails in a way that nothing catches, and a failure without a fallback must happen at run time.
    check_listing(
        r#"
import "regexp"
$bad = ["a"][7]
$both = [regexp.match("(", "s"), $bad == "a"]
test [$bad] {
	boolptr => $both[0] <|> false,
}
"#,
        expect![[r#"
            template 0: fallback
              value false

            template 1: program
              %0 = _lookup(["a"], 7) -> str
              %1 = [%0]
              %2 = regexp.match("(", "s") -> bool
              %3 = _operator("==", %0, "a") -> bool
              %4 = [%2, %3]
              %5 = _lookup(%4, 0) -> bool
              %6 = %5 <|> @0
              test %1 {
                boolptr => %6,
              }
        "#]],
    );
}
