//! Hostile artifacts: files with a right checksum that contradict themselves. Hostile programs: types that are exponentially
//! larger than their source.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_modules::{Input, Loaded, Options, UnitId, load};

use crate::tests::program::check;
use crate::*;

const PROGRAM: &str = "$n = 1\ntest \"x\" { int64 => $n, }\n";

fn loaded() -> Loaded {
    load_text(PROGRAM)
}

fn load_text(text: &str) -> Loaded {
    let input = Input::Text { path: "main.mcl".into(), text: text.as_bytes().to_vec() };
    load(&input, &Options::default()).expect("the program loads")
}

/// Asserts that an artifact is refused because it contradicts itself.
fn assert_refused(hostile: &Payload, why: &str) {
    let error = Payload::read(&hostile.write()).expect_err("it is refused");
    assert_eq!(error.code, mcl_diagnostics::Code::A0106);
    let text = format!("{} {:?}", error.message, error.help);
    assert!(text.contains(why), "{text}");
}

#[test]
fn lists_and_strings_that_a_tree_does_not_have_are_refused() {
    let (trees, _) = parse(load_text("$a = [1, 2, 3]\n$b = {\"k\" => len($a),}\n$f = func($x) { [$x] }($b)\n"));
    let changed = |change: &dyn Fn(&mut mcl_parser::ast::Ast)| {
        let mut tree = (*trees.trees[UnitId::from_u32(0)]).clone();
        change(&mut tree);
        Payload::Ast(Trees { trees: vec![Arc::new(tree)].into(), ..trees.clone() })
    };
    assert!(Payload::read(&changed(&|_| {}).write()).is_ok());
    assert_refused(&changed(&|tree| tree.list_items.truncate(2)), "a list that does not exist");
    assert_refused(&changed(&|tree| tree.strings = mcl_parser::StringTable::default()), "a string that does not exist");
    assert_refused(&changed(&|tree| tree.list_items[1] = tree.list_items[0]), "two parents");
    let unused = |tree: &mut mcl_parser::ast::Ast| tree.list_items.push(mcl_parser::ast::ExprId::from_u32(1_000_000));
    assert_refused(&changed(&unused), "a node that does not exist");
    // Lists that are together longer than the tree are not read: many long ones would take forever.
    let long = |tree: &mut mcl_parser::ast::Ast| {
        let list = tree.exprs.values().find(|expr| matches!(expr, mcl_parser::ast::Expr::List(_))).cloned();
        tree.exprs.values_mut().for_each(|expr| *expr = list.clone().expect("there is a list"));
    };
    assert_refused(&changed(&long), "two parents");
}

#[test]
fn a_function_with_the_scope_of_another_one_is_refused() {
    let (trees, _) = interpolate(parse(load_text("$f = func($x) { $x }\n$g = func($y) { [$y] }\n")).0);
    let (resolved, _) = scope(trees);
    assert!(Payload::read(&Payload::Scoped(resolved.clone()).write()).is_ok());
    let mut hostile = resolved;
    let functions =
        hostile.scoped.scopes.iter().filter(|(_, scope)| matches!(scope.kind, mcl_types::ScopeKind::Function(_)));
    let [first, second] = functions.map(|(id, _)| id).collect::<Vec<_>>()[..] else { panic!("two functions") };
    hostile.scoped.scopes[first].kind = hostile.scoped.scopes[second].kind;
    assert_refused(&Payload::Scoped(hostile), "a scope is that of another function");
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
