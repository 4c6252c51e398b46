use expect_test::expect;

use super::lint_one;

#[test]
fn code_belongs_to_definitions() {
    lint_one(
        "code_on_top_scope",
        "class a { $x = 1 }\nfunction f() {}\ntype T = Integer\nnode default { include a }\n$y = 2\nfile { '/a':\n}\n",
        expect![[r#"
            5:1 code_on_top_scope: code outside of classes and defines
            6:1 code_on_top_scope: code outside of classes and defines
        "#]],
    );
}

#[test]
fn commands_have_conditions() {
    let text =
        "exec { 'a': }\nexec { 'b': creates => '/b' }\nexec { 'c': * => $x }\nexec { default: cwd => '/'; 'd': }\n";
    lint_one(
        "exec_idempotency",
        text,
        expect![[r#"
        1:8 exec_idempotency: `exec` without a condition
        4:29 exec_idempotency: `exec` without a condition
    "#]],
    );
    lint_one("exec_idempotency", &format!("Exec {{ refreshonly => true }}\n{text}"), expect![[""]]);
}

#[test]
fn files_say_what_they_are() {
    let text = "file { '/a': mode => '0644' }\nfile { '/b': ensure => file }\nfile { '/c': * => $x }\n";
    lint_one(
        "file_ensure",
        text,
        expect![[r#"
        1:8 file_ensure: `file` without `ensure`
    "#]],
    );
}

#[test]
fn anchors_are_not_needed() {
    lint_one(
        "anchor_resource",
        "anchor { 'a': }\n",
        expect![[r#"
        1:10 anchor_resource: `anchor` resource
    "#]],
    );
}

#[test]
fn the_last_line_ends_with_a_comma() {
    lint_one(
        "trailing_comma",
        "file { '/a':\n  mode => '0644' # why\n}\nfile { '/b': mode => '0644' }\n$a = [\n  1,\n  2\n]\n\
         $b = [\n  1,\n]\n$c = {\n  'k' => 1\n}\nfile { '/c':\n  content => @(E)\n    x }\n    | E\n}\nFile {\n  mode => '1'\n}\n",
        expect![[r#"
            2:16 trailing_comma: no comma after the last element
            7:3 trailing_comma: no comma after the last element
            13:10 trailing_comma: no comma after the last element
            21:13 trailing_comma: no comma after the last element
        "#]],
    );
}

#[test]
fn versions_are_not_compared_as_strings() {
    lint_one(
        "version_comparison",
        "notice($x < '9', '10' >= $x, $x == '9', $x < 9, $x < 'a', versioncmp($x, '9') < 0)\n",
        expect![[r#"
            1:13 version_comparison: version '9' compared as a string
            1:18 version_comparison: version '10' compared as a string
        "#]],
    );
}

#[test]
fn single_quotes_replace_nothing() {
    lint_one(
        "single_quote_string_with_variables",
        "notice('a ${b}', '${x::y}', '${A}', '$b', '${b', \"${b}\", '${b#c}')\ninline_epp('<%= \"${b}\" %>')\n",
        expect![[r#"
            1:8 single_quote_string_with_variables: variable in a single-quoted string
            1:18 single_quote_string_with_variables: variable in a single-quoted string
        "#]],
    );
}

#[test]
fn narrow_lines() {
    let text = format!("# {}\n# {}\n", "x".repeat(78), "x".repeat(79));
    lint_one(
        "80chars",
        &text,
        expect![[r#"
        2:81 80chars: line of 81 characters
    "#]],
    );
}
