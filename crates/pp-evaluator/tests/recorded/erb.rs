//! Templates in ERB and the scope that they are rendered in.

use crate::world::{compile_program, options};

#[track_caller]
fn check(code: &str, message: &str) {
    let compiled = compile_program(code, &options(false));
    assert_eq!((compiled.message(), compiled.logs()), ("", vec![message.to_owned()]));
}

#[test]
fn templates_share_the_objects_that_they_store() {
    check(
        "$inner = '<%= scope.lookupvar(\"state\")[:a] %>'\n\
         notice(inline_template('<% scope.setvar(\"state\", {}); scope.lookupvar(\"state\")[:a] = 1 -%>\n\
         <%= scope.function_inline_template([@inner]) -%>'))",
        "notice: 1",
    );
}

#[test]
fn undefined_variables_are_no_instance_variables() {
    check(
        "$set = 1\n$unset = undef\nnotice(inline_template('<%= [@unset, defined?(@unset), defined?(@set)].inspect %>'))",
        "notice: [nil, nil, \"instance-variable\"]",
    );
}
