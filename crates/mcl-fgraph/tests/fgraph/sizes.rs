//! Programs grow with the source, whatever the source does.

use mcl_artifact::program::Program;

use crate::support::{FOLDED, PLAIN, build, checked, lower, run};

fn nodes(program: &Program) -> usize {
    program.templates.values().map(|template| template.nodes.len() + template.statements.len()).sum()
}

#[test]
fn functions_that_call_others_twice_do_not_multiply() {
    let mut source = String::from("func f0($x) { $x + $hostname }\n");
    for i in 1..40 {
        source += &format!("func f{i}($x) {{ f{0}($x + \"a\") + f{0}($x + \"b\") + \"c\" }}\n", i - 1);
    }
    source += "if $hostname == \"other\" {\n\tnoop [f39(\"x\")] {}\n}\n";
    for options in [FOLDED, PLAIN] {
        let program = build(&source, options);
        assert!(nodes(&program) < 2000, "{} nodes", nodes(&program));
    }
}

#[test]
fn constant_calls_that_multiply_are_computed_once() {
    let mut source = String::from("func f0($x) { $x + 1 }\n");
    for i in 1..40 {
        source += &format!("func f{i}($x) {{ f{0}($x) - f{0}($x) + 1 + $x - $x }}\n", i - 1);
    }
    source += "test \"a\" { int64 => f39(1), }\n";
    let program = build(&source, FOLDED);
    assert!(nodes(&program) < 1000, "{} nodes", nodes(&program));
}

#[test]
fn long_chains_of_definitions_need_no_stack() {
    let mut source = String::from("$x0 = 1\nfunc f0($x) { $x }\n");
    for i in 1..3000 {
        source += &format!("$x{i} = $x{0} + 1\nfunc f{i}($x) {{ f{0}($x + 1) }}\n", i - 1);
    }
    source += "test \"a\" { int64 => $x2999, int32 => f2999(1), }\n";
    for options in [FOLDED, PLAIN] {
        let graph = run(build(&source, options)).expect("it runs");
        assert!(resource_graph::text(&graph).contains("3000"), "{}", resource_graph::text(&graph));
    }
}

/// Deeper than definitions are lowered on demand.
#[test]
fn long_chains_through_branches_and_function_values_need_no_stack() {
    let mut source = String::from("$x0 = 1\n$f0 = func($x) { $x }\n");
    for i in 1..1000 {
        source += &format!("$x{i} = if $hostname == \"box\" {{ $x{0} + 1 }} else {{ 0 }}\n", i - 1);
        source += &format!("$f{i} = func($x) {{ $f{0}($x + 1) }}\n", i - 1);
    }
    source += "test \"a\" { int64 => $x999, int32 => $f999(1), }\n";
    for options in [FOLDED, PLAIN] {
        let graph = run(build(&source, options)).expect("it runs");
        assert_eq!(resource_graph::text(&graph).matches("1000").count(), 2, "{}", resource_graph::text(&graph));
    }
}

#[test]
fn results_that_explode_stay_out_of_the_artifact() {
    let mut source = String::from("$s0 = \"0123456789abcdef\"\n");
    for i in 1..40 {
        source += &format!("$s{i} = $s{0} + $s{0}\n", i - 1);
    }
    source += "if $hostname == \"other\" {\n\tnoop [$s39] {}\n}\n";
    let bytes = mcl_artifact::write(mcl_artifact::ArtifactStage::Fgraph, &build(&source, FOLDED));
    assert!(bytes.len() < 300_000, "{} bytes", bytes.len());
}

#[test]
fn long_sums_take_space_in_proportion_to_the_source() {
    let terms = 20_000;
    for term in ["\"ab\"", "$hostname"] {
        let source = format!("$x = {term}{}\ntest \"a\" {{ int64 => len($x), }}\n", format!(" + {term}").repeat(terms));
        let program = build(&source, FOLDED);
        let bytes = mcl_artifact::write(mcl_artifact::ArtifactStage::Fgraph, &program);
        assert!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
        let text = resource_graph::text(&run(program).expect("it runs"));
        let length = (terms + 1) * if term.starts_with('$') { 3 } else { 2 };
        assert!(text.contains(&length.to_string()), "{text}");
    }
    let source =
        format!("$h = $hostname\ntest \"a\" {{ boolptr => $h == \"x\"{}, }}\n", " or $h == \"box\"".repeat(terms));
    let text = resource_graph::text(&run(build(&source, FOLDED)).expect("it runs"));
    assert!(text.contains("true"), "{text}");
}

#[test]
fn classes_that_multiply_are_refused_before_they_are_expanded() {
    let mut source = String::from("class c0($p) {\n\ttest \"${p}\" {}\n}\n");
    for i in 1..60 {
        source += &format!("class c{i}($p) {{\n\tinclude c{0}($p + \"a\")\n\tinclude c{0}($p + \"b\")\n}}\n", i - 1);
    }
    source += "if $hostname == \"x\" {\n\tinclude c59(\"a\")\n} else {\n\tinclude c59(\"b\")\n}\n";
    let errors = lower(&checked(&source), FOLDED).expect_err("it is too large");
    assert_eq!(errors[0].code.name(), "E0802");
}
