//! Mistakes that are common in other languages are named.

use expect_test::expect;

use crate::tests::errors::check;

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
            1:1 E0218 missing `$` before `a`
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
            1:1 E0222 invalid comment `//`
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
if true {
	test "a" { x => 1 }
} else if false {
	test "b" { x => 1 }
}
"#,
        expect![[r#"
            2:18 E0202 missing `,` after this entry
            3:8 E0212 `else if` is not supported
            4:18 E0202 missing `,` after this entry
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
