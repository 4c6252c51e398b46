//! Names and arguments of statements with syntax errors: what follows from the error is silent, everything else is not.

use super::compile;

/// Returns the line and the code of each error of names and types.
fn consequences(program: &str) -> Vec<String> {
    let (_, diagnostics, files) = compile(program);
    assert!(diagnostics.iter().any(|error| error.code.name().starts_with("E02")), "there is no syntax error");
    let later =
        diagnostics.iter().filter(|error| error.code.name().starts_with("E06") || error.code.name().starts_with("E07"));
    later
        .map(|error| {
            let line = error.span.map_or(0, |span| files.line_col(span.file, span.start).line);
            format!("{line} {}", error.code.name())
        })
        .collect()
}

#[test]
fn a_broken_definition_accounts_for_its_name_only() {
    let found = consequences(
        r#"
$a = 1 2
$b = $a + 1
test "${c}" { int64 => $b, }
"#,
    );
    assert_eq!(found, ["3 E0601"]);
}

#[test]
fn a_definition_without_a_name_accounts_for_one_unknown_name() {
    let found = consequences(
        r#"
$ = 1
test "t" { int64 => $a + $a, }
test "u" { int64 => $b, }
"#,
    );
    assert_eq!(found, ["3 E0601"]);
    let found = consequences(
        r#"
class {
}
include c
include d
"#,
    );
    assert_eq!(found, ["4 E0604"]);
}

#[test]
fn names_behind_an_alias_follow_from_a_broken_statement_there() {
    let found = consequences(
        r#"
class c {
	$if = 1
}
include c as i
test "t" { int64 => $i.a, }
test "u" { int64 => $i.b, }
"#,
    );
    assert_eq!(found, ["6 E0601"]);
}

#[test]
fn arguments_after_a_broken_one_are_neither_counted_nor_typed() {
    let found = consequences(
        r#"
func f($a, $b) { $a + $b }
test "t" { int64 => f(1, 2 3), }
test "u" { int64 => f(1), }
"#,
    );
    assert_eq!(found, ["3 E0704"]);
}

#[test]
fn the_body_of_a_class_with_a_broken_head_is_checked_if_the_class_is_included() {
    let class = r#"
class c($a, $b) = {
	$x = $nope
	class inner {
		test "u" { int64 => "s", }
	}
	include inner
	test $a { int64 => "s", }
}
"#;
    assert_eq!(consequences(class), Vec::<String>::new());
    let included = consequences(&format!("{class}include c(1, 2)\n"));
    assert_eq!(included, ["2 E0601", "4 E0701", "7 E0701"]);
}

#[test]
fn the_body_of_a_class_without_a_name_is_checked_if_an_unknown_class_is_included() {
    let class = "class {\n\ttest \"t\" { int64 => \"s\", }\n}\n";
    assert_eq!(consequences(class), Vec::<String>::new());
    assert_eq!(consequences(&format!("{class}include c\n")), ["2 E0701"]);
}
