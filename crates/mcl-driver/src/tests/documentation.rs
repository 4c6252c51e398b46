//! The examples of functions and resource kinds in `mclc doc` compile.

use mcl_diagnostics::Code;
use mcl_functions::{Function, Purity, all_functions};
use rayon::prelude::*;
use resource_graph::all_kinds;

use crate::tests::program::check;

/// Describes what is wrong with an example, if anything is.
fn difference(name: &str, program: String) -> Option<String> {
    // That a kind is not implemented, `mclc doc` says itself.
    let mut found = check(&[("main.mcl", program.clone())]).diagnostics;
    found.retain(|diagnostic| diagnostic.code != Code::W0202);
    let found: Vec<String> = found.iter().map(|d| format!("    {} {}", d.code.name(), d.message)).collect();
    (!found.is_empty()).then(|| format!("{name}: {program}\n{}", found.join("\n")))
}

/// Returns a program in which the example of a function is a value.
fn program(function: &Function) -> String {
    let imports = ["datetime", "sys", function.module()];
    let example = function.documented_example();
    let is_used = |module: &&str| example.contains(&format!("{}.", module.rsplit('/').next().unwrap_or(module)));
    let mut imports: Vec<&str> = imports.into_iter().filter(|module| !module.is_empty()).filter(is_used).collect();
    imports.dedup();
    let imports: String = imports.iter().map(|module| format!("import \"{module}\"\n")).collect();
    if function.short_name() == "panic" {
        return format!("{imports}{example}\n");
    }
    if function.purity == Purity::Pure && example.contains(" == ") {
        // Of a comparison that is false, the compiler says that the lookup fails: `false` is longer than `true`.
        let fmt = if imports.contains("\"fmt\"") { "" } else { "import \"fmt\"\n" };
        return format!(
            "{fmt}{imports}$length = len(fmt.printf(\"%v\", {example}))\n\
             test \"example\" {{\n\tint64 => list_lookup([0], $length - 4),\n}}\n"
        );
    }
    format!("{imports}$example = {example}\ntest \"example\" {{\n\tinterface => $example,\n}}\n")
}

#[test]
fn every_example_of_a_function_compiles() {
    let functions: Vec<&Function> = all_functions().filter(|f| !f.short_name().starts_with('_')).collect();
    let differences: Vec<String> =
        functions.par_iter().filter_map(|function| difference(function.name, program(function))).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn every_example_of_a_kind_compiles_without_a_lint() {
    let kinds = all_kinds().iter().filter(|kind| kind.is_public());
    let differences: Vec<String> =
        kinds.filter_map(|kind| difference(kind.name, format!("{}\n", kind.example))).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
