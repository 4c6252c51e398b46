//! Init checks, strings, and nesting.

use expect_test::expect;
use mcl_diagnostics::Severity;

use crate::tests::errors::{check, show};

#[test]
fn init_checks_report_every_location() {
    check(
        r#"test "a" { x => 1, x => 2, Require => Test["b"], }"#,
        expect![[r#"
            1:20 E0301 duplicate field `x` in a resource
            1:28 E0307 unknown edge property `Require`
        "#]],
    );
    check(
        r#"
$m = {"a" => 1, "a" => 2}
$n = {"a" => 1, 2 => 3}
$o = {[1] => 2}
"#,
        expect![[r#"
            1:17 E0305 duplicate map key `"a"`
            2:17 E0304 mismatched map key types: `str` and `int`
            3:7 E0303 invalid map key type `[]int`
        "#]],
    );
    check(
        r#"
$m = {1 => 1, 01 => 2}
$n = {1.0 => 1, 1.00 => 2}
"#,
        expect![[r#"
            1:15 E0305 duplicate map key `1`
            2:17 E0305 duplicate map key `1.0`
        "#]],
    );
    check(
        r#"$x = struct{a => 1, a => 2}"#,
        expect![[r#"
            1:21 E0306 duplicate field `a` in a struct
        "#]],
    );
    check(
        r#"
for $i, $v in [1] {
	import "fmt"
}
import ""
"#,
        expect![[r#"
            2:2 E0309 an import is not allowed directly in the body of a loop
            4:8 E0311 missing module name in an import
        "#]],
    );
    check(
        r#"$x = $a__b"#,
        expect![[r#"
            1:6 E0310 cannot reference `$a__b`: its name contains two consecutive underscores
        "#]],
    );
}

#[test]
fn invalid_strings_are_reported_inside_the_string() {
    check(
        r#"$a = "x\qy""#,
        expect![[r#"
            1:8 E0401 unknown escape sequence `\q`
        "#]],
    );
    check(
        r#"
$a = "x
 ${ y }"
"#,
        expect![[r#"
            2:2 E0402 invalid variable reference `${ y }`
        "#]],
    );
    check(
        r#"$a = "${a__b}""#,
        expect![[r#"
            1:7 E0310 cannot reference `$a__b`: its name contains two consecutive underscores
        "#]],
    );
    check(
        r#"
class c {}
class c {}
class d {}
class d:e {}
class d:e {}
"#,
        expect![[r#"
            2:7 E0403 duplicate class `c` in this scope
            5:7 E0403 duplicate class `d:e` in this scope
        "#]],
    );
}

#[test]
fn nesting_that_is_too_deep_is_one_error() {
    let n = 100_000;
    for text in [
        format!("$a = {}1{}\n", "(".repeat(n), ")".repeat(n)),
        format!("$a = {}\n", "(".repeat(n)),
        format!("$a = {}1{}\n", "[".repeat(n), "]".repeat(n)),
        format!("$a = {}true\n", "not ".repeat(n)),
        format!("$a = {}1{}\n", "1 + (".repeat(n), ")".repeat(n)),
        format!("$a = $b{}\n", "[0]".repeat(n)),
        format!("$a = $b{}\n", "->c".repeat(n)),
        format!("$a {}int = $b\n", "[]".repeat(n)),
        format!("{}{}\n", "if true {\n".repeat(n), "}\n".repeat(n)),
        format!("$a = {}1{}\n", "if true { 1 } else { ".repeat(n), " }".repeat(n)),
        format!("$a = {}1{}\n", "func() { ".repeat(n), " }".repeat(n)),
    ] {
        let found = show(&text, Severity::Error);
        assert!(found.lines().count() == 1 && found.contains("E0210"), "{}…: {found}", &text[..40]);
    }
    // The same for blocks that are not closed.
    let found = show(&"if true {\n".repeat(n), Severity::Error);
    assert!(found.lines().count() <= 2 && found.contains("E0210"), "{found}");
}

#[test]
fn chains_of_operators_are_not_nested() {
    let n = 100_000;
    for op in ["+", "-", "*", "/", "and", "or"] {
        let text = format!("$a = $b{}\n", format!(" {op} $b").repeat(n));
        assert_eq!(show(&text, Severity::Error), "", "{op}");
    }
}
