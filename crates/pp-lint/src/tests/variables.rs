use expect_test::expect;

use super::lint_one;

#[test]
fn a_variable_that_nothing_sets_has_no_namespace() {
    lint_one(
        "variable_scope",
        "class a($p) {\n  $own = 1\n  notice($p, $own, $title, $facts, $0, $other, \"${kernel} ${p}\", $::top, $b::x)\n\
         [1].each |$each| { $in_block = $each; notice($in_block, $own, $missing) }\n  notice($in_block)\n}\n\
         define d() { notice($name, $noop, $unknown) }\nfunction f($x) { $x + $y }\n",
        expect![[r#"
            3:40 variable_scope: top-scope variable `$other` without an explicit namespace: class `a` does not set it
            3:51 variable_scope: top-scope variable `$kernel` without an explicit namespace: class `a` does not set it
            4:63 variable_scope: top-scope variable `$missing` without an explicit namespace: class `a` does not set it
            5:10 variable_scope: top-scope variable `$in_block` without an explicit namespace: class `a` does not set it
            7:35 variable_scope: top-scope variable `$unknown` without an explicit namespace: define `d` does not set it
            8:23 variable_scope: top-scope variable `$y` without an explicit namespace: function `f` does not set it
        "#]],
    );
}

#[test]
fn classes_that_inherit_and_nodes_may_see_any_variable() {
    lint_one(
        "variable_scope",
        "class a inherits b { notice($x) }\nnode default { notice($x) }\nnotice($x)\n",
        expect![[""]],
    );
}

#[test]
fn a_legacy_fact_is_reported_once() {
    let text = "class a { notice($osfamily) }\n";
    lint_one(
        "variable_scope",
        text,
        expect![[r#"
            1:18 variable_scope: top-scope variable `$osfamily` without an explicit namespace: class `a` does not set it
        "#]],
    );
    let both = |name: &str| matches!(name, "variable_scope" | "legacy_facts");
    super::lint_with(
        text,
        None,
        &both,
        expect![[r#"
        1:18 legacy_facts: legacy fact `osfamily`
    "#]],
    );
}

#[test]
fn variables_that_are_never_read() {
    lint_one(
        "unused_variables",
        "define d() {\n  $a = 1\n  [$b, $_c] = [1, 2]\n  [1].each |$unused| { $d = 1; $e = 2; notice(\"${e}\") }\n}\n\
         function f() { $x = 1 }\nfunction g() { $x = 1; 2 }\nclass c { $x = 1 }\n$y = [1].map |$z| { $w = $z }\n",
        expect![[r#"
            2:3 unused_variables: variable `$a` is never used
            3:4 unused_variables: variable `$b` is never used
            4:24 unused_variables: variable `$d` is never used
            7:16 unused_variables: variable `$x` is never used
        "#]],
    );
}

#[test]
fn parameters_that_are_never_read() {
    lint_one(
        "unused_parameters",
        "define d($a, $b = $c, $c = 1, $_d = 1) {}\nfunction f($x, *$rest) { $x }\nclass k($y) {}\n\
         function backend(Hash $options, Puppet::LookupContext $context) { {} }\n",
        expect![[r#"
            1:10 unused_parameters: parameter `$a` is never used
            1:14 unused_parameters: parameter `$b` is never used
            2:17 unused_parameters: parameter `$rest` is never used
        "#]],
    );
}

#[test]
fn templates_see_all_variables() {
    let text = "define d($a) {\n  $b = 1\n  if true { file { '/a': content => template('d/a.erb') } }\n}\n\
                define e($a) {\n  [1].each |$x| { notice(getvar(\"p${x}\")) }\n}\n";
    lint_one("unused_parameters", text, expect![[""]]);
    lint_one("unused_variables", text, expect![[""]]);
}

#[test]
fn names_of_variables() {
    lint_one(
        "variable_is_lowercase",
        "$dataDir = 1\nnotice($ok, $dataDir)\n",
        expect![[r#"
        1:1 variable_is_lowercase: capital letter in the variable `$dataDir`
        2:13 variable_is_lowercase: capital letter in the variable `$dataDir`
    "#]],
    );
    lint_one(
        "topscope_variable",
        "notice($::a::b, $::a, $a::b)\n",
        expect![[r#"
        1:8 topscope_variable: leading `::` of the variable `$::a::b`
    "#]],
    );
}
