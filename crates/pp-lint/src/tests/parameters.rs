use expect_test::expect;

use super::lint_one;

#[test]
fn parameters_have_types_and_documentation() {
    let text = "# A class.\n#\n# @param a the first\n# @param [Integer] b\n#   the second\nclass c($a, Integer $b, $d) {}\n\
                define e(String $f) {}\nfunction g($h) { $h }\n";
    lint_one(
        "parameter_types",
        text,
        expect![[r#"
        6:9 parameter_types: parameter `$a` without a type
        6:25 parameter_types: parameter `$d` without a type
    "#]],
    );
    lint_one(
        "parameter_documentation",
        text,
        expect![[r#"
        6:25 parameter_documentation: parameter `$d` without documentation
        7:17 parameter_documentation: parameter `$f` without documentation
    "#]],
    );
}

#[test]
fn defaults() {
    let text = "class c(Optional[String] $a = 'x', Optional[String] $b = undef, Optional $c = 1, String $d = '', \
                $e = lookup('e'), $f = [hiera('f')]) {}\n";
    lint_one(
        "optional_default",
        text,
        expect![[r#"
        1:31 optional_default: default of the optional parameter `$a` is not `undef`
        1:79 optional_default: default of the optional parameter `$c` is not `undef`
    "#]],
    );
    lint_one(
        "params_empty_string_assignment",
        text,
        expect![[r#"
        1:94 params_empty_string_assignment: empty string as the default of the parameter `$d`
    "#]],
    );
    lint_one(
        "lookup_in_parameter",
        text,
        expect![[r#"
        1:103 lookup_in_parameter: call of `lookup` in a default
        1:122 lookup_in_parameter: call of `hiera` in a default
    "#]],
    );
}
