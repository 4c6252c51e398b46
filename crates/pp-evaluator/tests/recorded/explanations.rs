//! The examples in the explanations of the evaluator's codes: the wrong program has exactly the code, the right one has no error.

use mcl_diagnostics::{Code, all_codes};

use crate::world::{compile_program, options};

#[test]
fn examples_have_the_code_that_they_explain() {
    let options = options(false);
    // A manifest alone has no resource types and functions of modules, and no Ruby.
    let without_program = ["P0515", "P0516", "P0522", "P0523"];
    let codes: Vec<Code> =
        all_codes().filter(|code| code.name().starts_with("P05") && !without_program.contains(&code.name())).collect();
    assert!(codes.len() > 10);
    for code in codes {
        let blocks: Vec<(&str, &str)> = code
            .info()
            .explanation
            .split("```puppet")
            .skip(1)
            .filter_map(|rest| rest.split_once('\n'))
            .filter_map(|(info, rest)| Some((info, rest.split_once("```")?.0)))
            .collect();
        assert_eq!(blocks.len(), 2, "{} has a wrong and a right example", code.name());
        for (info, program) in blocks {
            let compiled = compile_program(program, &options);
            let codes: Vec<&str> = compiled.errors.iter().map(|error| error.code.name()).collect();
            let wanted = if info == ",fails" { vec![code.name()] } else { vec![] };
            assert_eq!(codes, wanted, "{}: {program}{}", code.name(), compiled.message());
        }
    }
}
