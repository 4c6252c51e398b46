//! `mclc check`: runs every stage and writes nothing.

use std::path::Path;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::Diagnostic;
use pp_environment::CodePaths;
use rayon::prelude::*;

use crate::cli::{Check, Color};
use crate::output::unusable;
use crate::report::{self, Checked, LoadFailure};
use crate::status::{ERRORS, UNUSABLE};
use crate::{check_puppet, memory, output, puppet};

/// Checks all programs. Diagnostics are the result of this command, so they go to standard output in every format.
pub fn run(args: &Check, color: Color) -> u8 {
    if args.paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return unusable("standard input can be read only once");
    }
    let results: Vec<Result<Checked, LoadFailure>> = args.paths.par_iter().map(|path| check(path, args)).collect();
    let (mut checked, mut status) = (Vec::new(), 0);
    for result in results {
        match result {
            Ok(program) => checked.push(program),
            Err(failure) => match failure.into_diagnostics() {
                Ok(program) => checked.push(program),
                Err(unusable) => status = unusable,
            },
        }
    }
    let text = report::text(&checked, args.report.format, report::style(color, &std::io::stdout()));
    let written = output::stdout(text.as_bytes());
    if status == UNUSABLE || written == UNUSABLE {
        return UNUSABLE;
    }
    if checked.iter().any(Checked::has_errors) { ERRORS } else { 0 }
}

fn check(path: &Path, args: &Check) -> Result<Checked, LoadFailure> {
    if pp_environment::is_puppet_path(path) {
        return check_puppet::check(path, &puppet::module_path(args.puppet_module_path.as_ref()), &args.report);
    }
    let input = report::input(path, &args.source)?;
    let loaded = report::load(&input, &args.source, false, &args.report)?;
    let files = loaded.files.clone();
    let give_back = memory::give_back_between_stages(&files);
    let Some(puppet) = &args.puppet else {
        let compiled = mcl_driver::compile(loaded, &[], give_back);
        return Ok(Checked::new(files, input.prefix(), compiled.diagnostics, &args.report));
    };
    let mut compiled = mcl_driver::compile(loaded, &[ArtifactStage::Fgraph], give_back);
    if let Some((_, bytes)) = compiled.artifacts.first() {
        compiled
            .diagnostics
            .extend(check_merge_points(bytes, &code_paths(puppet, args)).unwrap_or_else(|errors| errors));
    }
    Ok(Checked::new(files, input.prefix(), compiled.diagnostics, &args.report))
}

fn code_paths(path: &Path, args: &Check) -> CodePaths {
    let module_path = puppet::module_path(args.puppet_module_path.as_ref());
    CodePaths { hiera_config: args.hiera_config.clone(), ..CodePaths::new(path, &module_path) }
}

/// Returns what is wrong between a program and the catalog that it is to be merged with.
fn check_merge_points(program: &[u8], paths: &CodePaths) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let program = mcl_artifact::read_program(program).map_err(|error| vec![error])?;
    let bytes = puppet::catalog_for_host(paths)?;
    let (catalog, _) = pp_translate::read_catalog(&bytes)?;
    let types = pp_environment::resource_types(&paths.path, &paths.module_path);
    let relationships = pp_translate::build_relationships(catalog, &types)?;
    let options = pp_translate::TranslateOptions { types, ..pp_translate::TranslateOptions::default() };
    let puppet = pp_translate::translate(&relationships, &options)?.graph;
    Ok(mcl_driver::check_merge_points(&program, &puppet))
}
