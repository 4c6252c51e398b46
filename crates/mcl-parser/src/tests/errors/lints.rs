//! What mgmt rejects although the grammar accepts it.

use expect_test::expect;

use crate::tests::errors::{check, check_lints};

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
            1:10 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line parameter list
            2:9 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line argument list
            3:12 W0101 mgmt 1.1 rejects a comma before the closing bracket of a single-line parameter list
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
