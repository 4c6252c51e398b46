//! Every function with a fixed signature, called as that signature says, and in all ways that it does not say.

use mcl_diagnostics::Severity;
use mcl_functions::{Function, Signature, all_functions};
use mcl_modules::{Input, Options, load};
use mcl_value::{FuncType, Type};

use crate::compile;

/// Whether a program has no errors.
fn is_accepted(program: &str) -> bool {
    let input = Input::Text { path: "main.mcl".into(), text: program.as_bytes().to_vec() };
    let loaded = load(&input, &Options::default()).expect("the program loads");
    let compiled = compile(loaded, &[], || {});
    compiled.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
}

/// A literal of a type; `None` for functions and what has no one type.
fn literal(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Bool => "true".to_owned(),
        Type::Str => "\"1\"".to_owned(),
        Type::Int => "1".to_owned(),
        Type::Float => "1.5".to_owned(),
        Type::List(element) => format!("[{}]", literal(element)?),
        Type::Map(entry) => format!("{{{} => {}}}", literal(&entry.0)?, literal(&entry.1)?),
        _ => return None,
    })
}

/// What can be called with literals: its type, and the literals.
fn callable(function: &Function) -> Option<(FuncType, Vec<String>)> {
    let Signature::Fixed(text) = function.signature else { return None };
    // `panic` is a statement, names with an underscore are syntax, and `int` is a keyword.
    let name = function.short_name();
    if name.starts_with('_') || name == "panic" || name == "int" || text.contains('?') {
        return None;
    }
    let ty = FuncType::parse(text)?;
    let literals = ty.args.iter().map(|arg| literal(&arg.ty)).collect::<Option<Vec<_>>>()?;
    Some((ty, literals))
}

/// A program that calls a function and says which type comes out.
fn program(function: &Function, arguments: &[String], result: &str) -> String {
    let (import, name) = match function.name.rsplit_once('.') {
        Some((module, name)) => (format!("import \"{module}\" as module\n"), format!("module.{name}")),
        None => (String::new(), function.name.to_owned()),
    };
    let call = format!("{name}({})", arguments.join(", "));
    format!("{import}$result {result} = {call}\ntest \"t\" {{\n\tinterface => $result,\n}}\n")
}

#[test]
fn functions_are_called_as_their_signature_says_and_not_otherwise() {
    let mut called = 0;
    for function in all_functions() {
        let Some((ty, literals)) = callable(function) else { continue };
        let result = ty.result.to_string();
        let right = program(function, &literals, &result);
        assert!(is_accepted(&right), "{right}");
        called += 1;
        let mut wrong = vec![
            program(function, &literals, if result == "int" { "str" } else { "int" }),
            program(function, &[&literals[..], &["1".to_owned()]].concat(), &result),
        ];
        if let [but_last @ .., _] = &literals[..] {
            wrong.push(program(function, but_last, &result));
        }
        for at in 0..literals.len() {
            let mut arguments = literals.clone();
            arguments[at] = "struct{nothing => true}".to_owned();
            wrong.push(program(function, &arguments, &result));
        }
        for wrong in wrong {
            assert!(!is_accepted(&wrong), "{wrong}");
        }
    }
    assert_eq!(called, 304);
}
