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

#[test]
fn brackets_give_the_indentation() {
    lint_one(
        "strict_indent",
        "# a\nclass a (\n  String $x,\n   $y = 1,\n) {\n  file { '/a':\n    mode => '1',\n      owner => 'x',\n  }\n  \
         file {\n    '/b':\n      mode => '1',\n      owner => 'x';\n    '/c':\n    mode => '1';\n  }\n  \
         case $x {\n    'a': {\n      notice(1)\n    }\n     default: { }\n  }\n  $z = 1 +\n       2\n  \
         notify { 'h': message => @(E) }\n        x\n      y\n    | E\n    }\n$l = [\n  1,\n  { 'k' => ':',\n    'm' => 2 },\n]\n",
        expect![[r#"
            4:1 strict_indent: indentation by 3 spaces, expected 2
            8:1 strict_indent: indentation by 6 spaces, expected 4
            15:1 strict_indent: indentation by 4 spaces, expected 6
            21:1 strict_indent: indentation by 5 spaces, expected 4
            29:1 strict_indent: indentation by 4 spaces, expected 0
        "#]],
    );
}

/// Runs the lints whose names start with `manifest_whitespace`.
fn lint_spacing(text: &str, expected: expect_test::Expect) {
    super::lint_with(text, None, &|name| name.starts_with("manifest_whitespace"), expected);
}

#[test]
fn spaces_are_beside_brackets() {
    lint_spacing(
        "class a (Array $x = [1, 2], $h = {}, Array[Any]    $l = []) {\n  $x.each |$y| { notice({ 'a' => [$y] }['a'][0], *[1], \"${x} [ {\") }\n}\n",
        expect![[""]],
    );
    lint_spacing(
        "class  a{\n  $x =[ 1, [2] ]+ [3]\n  $h = {'a' =>  1}\n  if $x { }else { }\n}\n",
        expect![[r#"
            1:8 manifest_whitespace_class_name_single_space_before: no single space before the name
            1:8 manifest_whitespace_class_name_single_space_after: no single space after the name
            1:9 manifest_whitespace_opening_brace_before: no single space before `{`
            2:7 manifest_whitespace_opening_bracket_before: no single space before `[`
            2:7 manifest_whitespace_opening_bracket_after: space after `[`
            2:16 manifest_whitespace_closing_bracket_before: space before `]`
            2:16 manifest_whitespace_closing_bracket_after: no single space after `]`
            3:8 manifest_whitespace_opening_brace_after: no single space after `{`
            3:13 manifest_whitespace_arrows_single_space_after: no single space after `=>`
            3:18 manifest_whitespace_closing_brace_before: no single space before `}`
            4:11 manifest_whitespace_closing_brace_after: no single space after `}`
        "#]],
    );
}

#[test]
fn one_empty_line_is_enough() {
    lint_spacing("# a\n\nnotice(1)\n\n# b\n", expect![[""]]);
    lint_spacing("", expect![[""]]);
    lint_spacing(
        "\nnotice(1)\n\n\n\nnotice('a\n\n\nb')\n\n",
        expect![[r#"
            1:1 manifest_whitespace_newline_beginning_of_file: empty line at the start of the file
            4:1 manifest_whitespace_two_empty_lines: two empty lines
            10:1 manifest_whitespace_double_newline_end_of_file: empty line at the end of the file
        "#]],
    );
    lint_spacing(
        "notice(1)",
        expect![[r#"
            1:9 manifest_whitespace_missing_newline_end_of_file: no newline at the end of the file
        "#]],
    );
}

#[test]
fn words_are_quoted_where_strings_are_meant() {
    lint_one(
        "unquoted_string_in_selector",
        "$x = $y ? { linux => 1, 'b' => 2, default => 3 }\n",
        expect![[r#"
            1:13 unquoted_string_in_selector: unquoted string `linux`
        "#]],
    );
    lint_one(
        "resource_reference_with_unquoted_title",
        "notice(File[a, 'b'], Class[c], Integer[1], Enum[yes, no])\n",
        expect![[r#"
            1:13 resource_reference_with_unquoted_title: unquoted title `a`
        "#]],
    );
}

#[test]
fn names_of_classes_are_absolute_in_references() {
    lint_one(
        "relative_classname_reference",
        "notice(Class['::a'], Class['b'])\n",
        expect![[r#"
            1:14 relative_classname_reference: leading `::` of the class name `::a`
        "#]],
    );
}

#[test]
fn classes_of_parameters_are_not_inherited() {
    lint_one(
        "class_inherits_from_params_class",
        "class a::params { }\nclass a inherits a::params { }\nclass b inherits a { }\n",
        expect![[r#"
            2:7 class_inherits_from_params_class: class `a` inherits from the class of parameters `a::params`
        "#]],
    );
}
