//! What programs evaluate to, computed at compile time or not (spec 04 §4).

use mcl_diagnostics::Stage;

use crate::support::{FOLDED, PLAIN, build, run};

/// Runs the program both ways and compares the vertices and edges of its graph, sorted.
#[track_caller]
fn check(source: &str, expected: &str) {
    for options in [FOLDED, PLAIN] {
        let graph = run(build(source, options)).unwrap_or_else(|errors| panic!("{options:?}: {errors:#?}"));
        let mut lines: Vec<String> = graph.resources().map(|(_, resource)| resource.id.to_string()).collect();
        lines.extend(
            graph.edges().map(|edge| format!("{} -> {}", graph.resource(edge.from).id, graph.resource(edge.to).id)),
        );
        lines.sort_unstable();
        assert_eq!(lines.join(" "), expected, "{options:?}");
    }
}

/// Runs the program both ways; it must fail at run time, blaming this text.
#[track_caller]
fn fails(source: &str, blamed: &str) {
    for options in [FOLDED, PLAIN] {
        let program = build(source, options);
        let files = program.files.clone();
        let errors = run(program).map(|graph| resource_graph::text(&graph)).expect_err("it fails");
        assert_eq!(errors[0].stage, Stage::Stream, "{options:?}: {errors:#?}");
        let span = errors[0].span.unwrap_or_else(|| panic!("{options:?}: no place: {errors:#?}"));
        assert_eq!(files.text(span), blamed, "{options:?}: {errors:#?}");
    }
}

#[test]
fn variables_are_shared_and_unused_ones_are_nothing() {
    check(
        r#"
$x = "a"
$unused = [1][7]
noop [$x, $x, "b"] {}
"#,
        "noop[a] noop[b]",
    );
}

#[test]
fn interpolation_joins_texts() {
    check(
        r#"
$u = "u"
$v = $hostname
noop "${u}" {}
noop "${u}/${v}/z" {}
"#,
        "noop[u/box/z] noop[u]",
    );
}

#[test]
fn functions_see_their_definition_and_their_arguments() {
    check(
        r#"
import "strings"
$sep = "-"
func tag($x) { $sep + $x }
func twice($x) { tag(tag($x)) }
noop [tag("a"), twice("b"), tag(strings.to_upper($hostname))] {}
"#,
        "noop[--b] noop[-BOX] noop[-a]",
    );
}

#[test]
fn functions_are_used_at_several_types() {
    check(
        r#"
import "fmt"
func twice($x) { $x + $x }
noop [twice("a"), fmt.printf("%d", twice(2))] {}
"#,
        "noop[4] noop[aa]",
    );
}

#[test]
fn instances_of_a_class_use_members_of_their_own() {
    check(
        r#"
import "fmt"
class leaf($x) {
	$loud = $x + "!"
	$more = $x + 1
	$list = []
	$same = func($k) { $k }
	class inner($y) {
		$pair = [$x, $y]
	}
}
class middle($x) {
	include leaf($x) as l
	$text = $l.loud
	$number = $l.more
}
include middle(1) as m
include middle("s") as n
include n.l.inner("t") as i
noop [$n.text, fmt.printf("%d", $m.number), fmt.printf("%d", $m.l.same(7)), $n.l.same("z")] {}
noop $i.pair {}
noop [fmt.printf("%t", ["x"] == $m.l.list)] {}
"#,
        "noop[2] noop[7] noop[false] noop[s!] noop[s] noop[t] noop[z]",
    );
}

#[test]
fn functions_are_values() {
    check(
        r#"
func apply($f, $x) { $f($x) }
func adder($n) {
	func($x) { $x + $n }
}
$add = adder("1")
$pick = if $hostname == "box" { func($x) { $x + "y" } } else { func($x) { $x + "n" } }
$fs = [func($x) { $x + "0" }, func($x) { $x + "1" }]
$f = $fs[1]
noop [apply(func($y) { $y + "?" }, "q"), $add("2"), $add("3"), $pick("p"), $f("z"), func($x) { $x }("w")] {}
"#,
        "noop[21] noop[31] noop[py] noop[q?] noop[w] noop[z1]",
    );
}

#[test]
fn closures_capture_through_several_functions() {
    check(
        r#"
$a = $hostname
func outer($b) {
	func($c) {
		func($d) { $a + $b + $c + $d }
	}
}
$one = outer("1")
$two = $one("2")
noop [$two("3")] {}
"#,
        "noop[box123]",
    );
}

#[test]
fn branches_of_expressions_are_chosen() {
    check(
        r#"
$w = "w"
$s = if 1 > 2 { $w + "1" } else { $w }
$t = if $hostname == "box" { $w + "t" } else { $w + "f" }
noop [$s, $t] {}
"#,
        "noop[w] noop[wt]",
    );
}

#[test]
fn branches_of_statements_have_scopes_of_their_own() {
    check(
        r#"
$x = "outer"
if $hostname == "box" {
	$x = "inner"
	if false {
		noop "never" {}
	}
	noop "${x}" {}
} else {
	noop "else" {}
}
noop "${x}" {}
"#,
        "noop[inner] noop[outer]",
    );
}

#[test]
fn a_class_is_instantiated_by_each_include() {
    check(
        r#"
$sep = "/"
class c($n) {
	$out = "<" + $n + $sep
	noop [$out] {}
}
include c("a") as one
include c($hostname) as two
test [$one.out + $two.out] {}
"#,
        "noop[<a/] noop[<box/] test[<a/<box/]",
    );
}

#[test]
fn classes_reach_through_aliases() {
    check(
        r#"
class inner($p) {
	$v = $p + "!"
}
class outer($q) {
	include inner($q) as i
	$w = $i.v + "?"
}
include outer("x") as o
noop [$o.w, $o.i.v] {}
"#,
        "noop[x!?] noop[x!]",
    );
}

#[test]
fn loops_repeat_their_body() {
    check(
        r#"
import "fmt"
$p = "p"
$hosts = [$hostname, "b"]
for $i, $v in ["a", "b"] {
	$s = fmt.printf("%s%s%d", $p, $v, $i)
	noop [$s] {}
}
for $i, $v in $hosts {
	func f($x) { $x + $v }
	test [f("t")] {}
	for $j, $w in [$v, "n"] {
		noop "${v}${w}" {}
	}
}
"#,
        "noop[bb] noop[bn] noop[boxbox] noop[boxn] noop[pa0] noop[pb1] test[tb] test[tbox]",
    );
}

#[test]
fn loops_over_maps_have_keys_and_values() {
    check(
        r#"
$m = {"k" => "1", "l" => "2"}
$n = {$hostname => "3"}
forkv $k, $v in $m {
	noop "${k}${v}" {}
}
forkv $k, $v in $n {
	noop "${k}${v}" {}
}
"#,
        "noop[box3] noop[k1] noop[l2]",
    );
}

#[test]
fn lists_are_mapped_and_filtered() {
    check(
        r#"
import "iter"
$l = iter.map(["a", "b"], func($x) { $x + "1" })
$m = iter.map(iter.filter([$hostname, "b"], func($x) { $x != "b" }), func($x) { $x + $l[0] })
noop $l {}
noop $m {}
"#,
        "noop[a1] noop[b1] noop[boxa1]",
    );
}

#[test]
fn edges_are_made_by_statements_and_entries() {
    check(
        r#"
noop "a" { Before => Noop["b"], }
noop ["b", "c"] {}
Noop["b"] -> Noop["c"]
"#,
        "noop[a] noop[a] -> noop[b] noop[b] noop[b] -> noop[c] noop[c]",
    );
}

#[test]
fn fallbacks_replace_what_fails() {
    check(
        r#"
func f($x) { $x <|> "d" }
$l = ["a"]
$m = [$hostname]
noop [$l[3] <|> "b", $m[3] <|> $l[4] <|> "c", f($m[1]), $l[0] <|> "never"] {}
"#,
        "noop[a] noop[b] noop[c] noop[d]",
    );
}

#[test]
fn struct_fields_may_be_missing() {
    check(
        r#"
$s = struct{a => "A", h => $hostname}
$missing = $s->zz <|> "Z"
$there = $s->h <|> "H"
noop [$s->a, $missing, $there] {}
"#,
        "noop[A] noop[Z] noop[box]",
    );
}

#[test]
fn an_unused_definition_never_fails() {
    check(
        r#"
func f($x) { [$x][9] }
$y = f(1)
noop "a" {}
"#,
        "noop[a]",
    );
}

#[test]
fn a_failing_branch_that_is_not_taken_does_not_fail() {
    check(
        r#"
$x = ["a"][9]
$s = if $hostname == "box" { "ok" } else { $x }
if $hostname != "box" {
	noop [$x] {}
}
noop [$s] {}
"#,
        "noop[ok]",
    );
}

#[test]
fn an_unused_argument_that_fails_stops_the_program() {
    fails(
        r#"
func first($a, $b) { $a }
noop [first("x", ["y"][7])] {}
"#,
        "[\"y\"][7]",
    );
    fails(
        "func pick($c, $a, $b) { if $c { $a } else { $b } }\nnoop [pick(true, \"x\", [$hostname][7])] {}",
        "[$hostname][7]",
    );
}

#[test]
fn an_unused_argument_in_something_unused_does_not() {
    check(
        r#"
func first($a, $b) { $a }
$y = first("x", ["y"][7])
if $hostname != "box" {
	noop [$y] {}
}
noop "a" {}
"#,
        "noop[a]",
    );
}

#[test]
fn the_outermost_call_is_blamed() {
    fails(
        r#"
func f() { 1 / 0 }
func g() { f() }
test "a" { float32 => g(), }
"#,
        "g()",
    );
    fails(
        r#"
func f($x) { [1, 2][$x] + 1 }
test "a" { int64 => f(7), }
"#,
        "[1, 2][$x]",
    );
}

#[test]
fn panics_stop_the_program_where_they_are_reached() {
    check(
        r#"
if $hostname != "box" {
	panic(true)
}
panic(false)
panic("")
noop "a" {}
"#,
        "noop[a]",
    );
    fails("panic($hostname == \"box\")", "panic($hostname == \"box\")");
}

#[test]
fn a_user_function_called_like_an_operator_is_another() {
    check(
        r#"
func concat($a, $b) { "mine" }
$h = $hostname
noop "a${h}" {}
"#,
        "noop[abox]",
    );
}
