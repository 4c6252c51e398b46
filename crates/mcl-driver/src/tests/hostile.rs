//! Hostile artifacts: files with a right checksum that contradict themselves.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_modules::{Input, Loaded, Options, UnitId, load};

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
