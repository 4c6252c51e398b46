//! The programs in the explanations of diagnostic codes do what the explanations say.

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::explanation::{Block, CodeBlock, Expectation, blocks};
use mcl_diagnostics::{Code, Diagnostic, all_codes};
use mcl_modules::{Input, LoadError, Options};
use rayon::prelude::*;

use crate::compile;

/// Compiles a program of one or more files.
fn diagnostics(program: &CodeBlock<'_>) -> Vec<Diagnostic> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = program.files();
    for (name, text) in &files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("the directory can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    // With metadata, the program is the directory.
    let is_module = files.iter().any(|(name, _)| *name == "metadata.yaml");
    let main = if is_module { directory.path().to_owned() } else { directory.path().join("main.mcl") };
    let input = Input::from_path(&main).expect("the program can be read");
    match mcl_modules::load(&input, &Options::default()) {
        Ok(loaded) => compile(loaded, &[ArtifactStage::Fgraph], || ()).diagnostics,
        Err(LoadError::Invalid { diagnostics, .. }) => diagnostics,
        Err(LoadError::Input(error)) => panic!("{error}"),
    }
}

/// Describes how the result of a program differs from what the explanation of the code says, if it does.
fn difference(code: Code, program: &CodeBlock<'_>) -> Option<String> {
    // An error of the runtime does not show before the program runs: tests/e2e runs these.
    let from_compiler = code.name().starts_with(['E', 'W']);
    let fails = program.expectation()? == Expectation::Fails && from_compiler;
    if program.ignore_reason().is_some() {
        return None;
    }
    let mut found = diagnostics(program);
    // A constant value that the runtime refuses is known to be wrong before.
    if !from_compiler && program.expectation()? == Expectation::Fails {
        found.retain(|d| d.code != Code::W0205);
    }
    let expected = if fails { !found.is_empty() && found.iter().all(|d| d.code == code) } else { found.is_empty() };
    let found: Vec<String> = found.iter().map(|d| format!("    {} {}", d.code.name(), d.message)).collect();
    let wanted = if fails { code.name() } else { "no diagnostics" };
    (!expected).then(|| format!("{}: expected {wanted} from\n{}found\n{}", code.name(), program.text, found.join("\n")))
}

#[test]
fn every_example_gives_what_its_explanation_says() {
    let codes: Vec<Code> = all_codes().collect();
    let differences: Vec<String> = codes
        .par_iter()
        .flat_map_iter(|code| {
            let programs = blocks(code.info().explanation).into_iter().filter_map(|block| match block {
                Block::Code(program) => Some(program),
                _ => None,
            });
            programs.filter_map(|program| difference(*code, &program))
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}
