//! Hostile artifacts: files with a right checksum that contradict themselves. Hostile programs: types that are exponentially
//! larger than their source.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_modules::{Input, Loaded, Options, UnitId, load};

use crate::tests::program::check;
use crate::*;

const PROGRAM: &str = "$n = 1\ntest \"x\" { int64 => $n, }\n";

fn loaded() -> Loaded {
    let input = Input::Text { path: "main.mcl".into(), text: PROGRAM.as_bytes().to_vec() };
    load(&input, &Options::default()).expect("the program loads")
}

#[test]
fn trees_that_do_not_match_the_sources_are_refused() {
    let (trees, _) = parse(loaded());
    let none = Trees { trees: PrimaryMap::new(), ..trees.clone() };
    let other_file = {
        let mut tree = (*trees.trees[UnitId::from_u32(0)]).clone();
        tree.file = mcl_diagnostics::FileId::from_u32(7);
        Trees { trees: vec![Arc::new(tree)].into(), ..trees }
    };
    for hostile in [none, other_file] {
        let bytes = Payload::Ast(hostile).write();
        let error = Payload::read(&bytes).expect_err("it is refused");
        assert_eq!(error.code, mcl_diagnostics::Code::A0106);
    }
}

#[test]
fn tokens_that_do_not_fit_the_sources_are_refused() {
    let mut hostile = loaded();
    hostile.units[UnitId::from_u32(0)].tokens =
        Arc::new(mcl_lexer::lex("a much longer text than the program has, by far; it goes on and on and on"));
    let error = Payload::read(&Payload::Tokens(hostile).write()).expect_err("it is refused");
    assert_eq!(error.code, mcl_diagnostics::Code::A0106);
}

#[test]
fn a_function_nested_too_deep_is_an_error_in_every_stage() {
    let text = format!(
        "func f($x) {{ {}$x{} }}\n$a = f(2)\ntest \"x\" {{ int64 => $a, }}\n",
        "[".repeat(3000),
        "]".repeat(3000)
    );
    let input = Input::Text { path: "main.mcl".into(), text: text.into_bytes() };
    let compiled = compile(load(&input, &Options::default()).expect("the program loads"), &[], || ());
    let codes: Vec<_> = compiled.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, [mcl_diagnostics::Code::E0210]);
}

/// Bindings, each a struct that has the one before as two of its fields.
fn doubled(first: &str, name: &str, indent: &str) -> String {
    let binding = |i: usize| format!("{indent}${name}{} = struct{{a => ${name}{i}, b => ${name}{i}}}\n", i + 1);
    format!("{indent}${name}0 = {first}\n") + &(0..60).map(binding).collect::<String>()
}

fn codes(program: String) -> Vec<&'static str> {
    let found = check(&[("main.mcl", program)]).diagnostics;
    found.into_iter().map(|diagnostic| diagnostic.code.name()).collect()
}

#[test]
fn a_type_that_contains_itself_twice_sixty_times_is_too_large() {
    let used = doubled("[1]", "x", "") + "test \"x\" {\n\tint64 => len([$x60]),\n}\n";
    assert_eq!(codes(used), ["E0804"]);
    let in_a_class = format!(
        "class c($p) {{\n{}\ttest \"x\" {{\n\t\tint64 => len([$x60]),\n\t}}\n}}\ninclude c(1)\ninclude c(\"a\")\n",
        doubled("[$p]", "x", "\t")
    );
    assert_eq!(codes(in_a_class), ["E0804"]);
}

#[test]
fn large_types_are_compared_by_their_shared_parts() {
    let both = doubled("[1]", "x", "") + &doubled("[2]", "y", "") + "test \"x\" {\n\tint64 => len([$x60, $y60]),\n}\n";
    assert_eq!(codes(both), ["E0804"]);
    let differ =
        doubled("[1]", "x", "") + &doubled("[\"a\"]", "y", "") + "test \"x\" {\n\tint64 => len([$x60, $y60]),\n}\n";
    assert_eq!(codes(differ), ["E0701"]);
}

#[test]
fn a_type_of_few_parts_may_contain_itself_twice() {
    let four = "$a = [1]\n$b = struct{a => $a, b => $a}\n$c = struct{a => $b, b => $b}\ntest \"x\" {\n\tint64 => len([$c]),\n}\n";
    assert_eq!(codes(four.to_owned()), Vec::<&str>::new());
}
