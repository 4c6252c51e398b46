use expect_test::{Expect, expect};
use mcl_diagnostics::{FileId, SourceFile};

use crate::{LINTS, NoDefinitions, Subject, check};

mod failures;
mod forms;
mod parameters;
mod uses;
mod values;
mod variables;

/// Lints that most of these short programs violate: only the tests about them run them.
const QUIET: [&str; 9] = [
    "code_on_top_scope",
    "documentation",
    "exec_idempotency",
    "file_ensure",
    "parameter_documentation",
    "parameter_types",
    "strict_indent",
    "trailing_comma",
    "trailing_newline",
];

/// Runs all lints but those that most programs violate.
fn lint(text: &str, expected: Expect) {
    let is_quiet = |name: &str| QUIET.contains(&name) || name.starts_with("manifest_whitespace");
    lint_with(text, None, &|name| !is_quiet(name), expected);
}

/// Runs one lint.
fn lint_one(name: &str, text: &str, expected: Expect) {
    lint_with(text, None, &|other| other == name, expected);
}

fn lint_with(text: &str, autoload_name: Option<&str>, is_on: &dyn Fn(&str) -> bool, expected: Expect) {
    let parsed = pp_syntax::parse(FileId::MAIN, text, pp_syntax::Mode::Manifest);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let file = SourceFile::new("site.pp", text);
    let subject = Subject { file: &file, tree: &parsed.tree, autoload_name, definitions: &NoDefinitions };
    let found = check(subject, &|code| LINTS.iter().any(|lint| lint.code == code && is_on(lint.name)));
    let lines = found.iter().map(|diagnostic| {
        let at = file.line_col(diagnostic.span.expect("a span").start);
        let name = LINTS.iter().find(|lint| lint.code == diagnostic.code).expect("a lint").name;
        format!("{}:{} {name}: {}\n", at.line, at.col, diagnostic.message)
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn lines() {
    lint(
        "$a = 1 \n\t$b = 2\n   $c = 3\n/* x */\n$d = 'kept  \n\t'\n",
        expect![[r"
            1:7 trailing_whitespace: trailing whitespace
            2:1 hard_tabs: tab character
            3:1 2sp_soft_tabs: indentation by 3 spaces
            4:1 star_comments: comment in `/* */`
        "]],
    );
}

#[test]
fn long_lines() {
    let text = format!("# {}\n# https://example.com/{}\n", "x".repeat(150), "x".repeat(150));
    lint(
        &text,
        expect![[r#"
            1:81 80chars: line of 152 characters
            1:141 140chars: line of 152 characters
        "#]],
    );
}

#[test]
fn a_file_ends_with_a_newline() {
    lint_with(
        "$a = 1",
        None,
        &|name| name == "trailing_newline",
        expect![[r"
        1:6 trailing_newline: no newline at the end of the file
    "]],
    );
    lint_with(
        "# é",
        None,
        &|name| name == "trailing_newline",
        expect![[r"
        1:3 trailing_newline: no newline at the end of the file
    "]],
    );
}

#[test]
fn arrows_are_aligned() {
    lint(
        "file { '/a':\n  ensure => file,\n  mode  => '0644',\n}\n$h = { 'a' => 1, 'bb' => 2 }\n",
        expect![[r"
            3:9 arrow_alignment: `=>` in column 9, expected column 10
        "]],
    );
}

#[test]
fn strings() {
    lint(
        "$u = 'x'\n$a = \"abc\"\n$b = \"it's\"\n$c = \"${u}\"\n$d = \"$u-x\"\n$e = 'true'\n$f = 'puppet:///web/x'\n$g = \"a\\n\"\n",
        expect![[r"
            2:6 double_quoted_strings: double-quoted string without variables
            4:6 only_variable_string: string of only a variable
            5:7 variables_not_enclosed: variable `$u` without braces in a string
            5:7 variable_contains_dash: dash after the variable `$u` in a string
            6:6 quoted_booleans: quoted boolean `'true'`
            7:6 puppet_url_without_modules: `puppet:///` URL without `modules/`
        "]],
    );
}

#[test]
fn urls_of_modules() {
    lint_one(
        "puppet_url_without_modules",
        "$a = ['puppet://modules/m/f', 'puppet:///modules/m/f', 'puppet://server/modules/m/f', 'puppet:///m', 'puppet:///']\n\
         $b = [\"puppet://modules/${x}\", \"puppet:///m/${x}\", \"puppet:///mod${x}/f\", \"puppet:///modules/${x}\", \"puppet:///${x}\"]\n",
        expect![[r#"
            1:7 puppet_url_without_modules: `puppet://` URL whose host is `modules`
            1:87 puppet_url_without_modules: `puppet:///` URL without `modules/`
            2:7 puppet_url_without_modules: `puppet://` URL whose host is `modules`
            2:32 puppet_url_without_modules: `puppet:///` URL without `modules/`
        "#]],
    );
}

#[test]
fn attributes_of_files() {
    lint(
        "file { '/a':\n  mode   => 644,\n  ensure => '/b',\n}\nfile { '/c': mode => '644' }\nfile { '/d': mode => 'u=rw,go=r' }\nFile { mode => '0999' }\n",
        expect![[r"
            2:13 unquoted_file_mode: unquoted mode `644`
            3:3 ensure_first_param: `ensure` is not the first attribute
            3:13 ensure_not_symlink_target: target of a link as `ensure`
            5:22 file_mode: mode `644` is neither four octal digits nor symbolic
            7:16 file_mode: mode `0999` is neither four octal digits nor symbolic
        "]],
    );
}

#[test]
fn resources() {
    lint(
        "$x = 1\nnotify { hello: message => $x ? { 1 => 'a', default => 'b' } }\nexec { 'a': command => \"/bin/rm ${x}\" }\n",
        expect![[r"
            2:10 unquoted_resource_title: unquoted title `hello`
            2:28 selector_inside_resource: selector inside a resource
            3:24 unsafe_interpolations: variable inside a command
        "]],
    );
}

#[test]
fn expressions() {
    lint(
        "case $facts['kernel'] { linux: { } }\nnotice(010)\nnotify { 'a': } <- notify { 'b': }\nnotify { 'c': } ->\nnotify { 'd': }\n",
        expect![[r"
            1:1 case_without_default: `case` without `default`
            1:25 unquoted_string_in_case: unquoted string `linux`
            2:8 leading_zero: leading zero in `010`
            3:17 right_to_left_relationship: arrow `<-` from right to left
            4:17 arrow_on_right_operand_line: arrow at the end of a line
        "]],
    );
}

#[test]
fn definitions() {
    lint(
        "class a($x = 1, $y) inherits b {\n  class c {}\n}\nclass b {}\ninclude ::b\nclass { '::b': }\nnode web1 {}\n",
        expect![[r"
            1:7 inherits_across_namespaces: class `a` inherits from `b` of another module
            1:17 parameter_order: required parameter `$y` after the optional parameter `$x`
            2:9 nested_classes_or_defines: class `a::c` inside a class
            5:9 relative_classname_inclusion: leading `::` of the class name `::b`
            6:9 relative_classname_inclusion: leading `::` of the class name `::b`
            7:6 unquoted_node_name: unquoted node name `web1`
        "]],
    );
}

#[test]
fn a_comment_directly_before_a_definition_documents_it() {
    let text = "# Documented.\nclass a {}\n\n# Not this one.\n\ndefine b() {}\nfunction c() {}\n";
    lint_with(
        text,
        None,
        &|name| name == "documentation",
        expect![[r"
        6:8 documentation: define `b` without documentation
        7:10 documentation: function `c` without documentation
    "]],
    );
}

#[test]
fn a_class_is_in_the_file_of_its_name() {
    let is_on = |name: &str| name == "autoloader_layout";
    lint_with(
        "class web::service {}\n",
        Some("web::server"),
        &is_on,
        expect![[r"
        1:7 autoloader_layout: class `web::service` in the file of `web::server`
    "]],
    );
    lint_with("class web::server {}\n", Some("web::server"), &is_on, expect![""]);
}

#[test]
fn facts() {
    lint(
        "$hostname = 'own'\nnotice($hostname)\nnotice($osfamily)\nnotice($::timezone)\nnotice($facts['fqdn'])\nnotice($::trusted)\n",
        expect![[r"
            3:8 legacy_facts: legacy fact `osfamily`
            4:8 top_scope_facts: fact `$::timezone` as a variable of the top scope
            5:8 legacy_facts: legacy fact `fqdn`
        "]],
    );
}

#[test]
fn comments_switch_lints_off() {
    lint(
        "notice(010) # lint:ignore:leading_zero\n# lint:ignore:leading_zero\nnotice(010)\n# lint:endignore\nnotice(010)\n",
        expect![[r"
            5:8 leading_zero: leading zero in `010`
        "]],
    );
}

#[test]
fn marks_of_comments_in_strings_start_none() {
    lint(
        "$a = '# /* x'\n$b = /#/\n$c = 'lint:ignore:leading_zero'\nnotice(010)\n",
        expect![[r"
        4:8 leading_zero: leading zero in `010`
    "]],
    );
}
