//! Names and arguments of statements with syntax errors: what follows from the error is silent, everything else is not.

use expect_test::expect;

use super::check;

#[test]
fn a_broken_definition_accounts_for_its_name_only() {
    check(
        r#"
let $a = 1
$b = $a + 1
test "${c}" { int64 => $b, }
"#,
        expect![[r#"
        "#]],
    );
}

#[test]
fn a_definition_without_a_name_accounts_for_one_unknown_name() {
    check(
        r#"
$ = 1
test "t" { int64 => $a + $a, int32 => $b, }
"#,
        expect![[r#"
        "#]],
    );
    check(
        r#"
class {
}
include c
include d
"#,
        expect![[r#"
        "#]],
    );
    check(
        r#"
import word
test "t" { anotherstr => fmt.printf("%d", 1), int64 => math.mod(1, 2), }
"#,
        expect![[r#"
        "#]],
    );
}

#[test]
fn names_behind_an_alias_follow_from_a_broken_statement_there() {
    check(
        r#"
class c {
	$if = 1
}
include c as i
test "t" { int64 => $i.a, int32 => $i.b, }
"#,
        expect![[r#"
        "#]],
    );
}

#[test]
fn arguments_after_a_broken_one_are_neither_counted_nor_typed() {
    check(
        r#"
func f($a, $b) { $a + $b }
test "t" { int64 => f(1, 2 3), int32 => f(1), }
"#,
        expect![[r#"
        "#]],
    );
}
