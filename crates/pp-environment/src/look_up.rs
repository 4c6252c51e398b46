//! Looking keys up in the data of an environment, without a catalog.

use std::path::PathBuf;

use mcl_diagnostics::{Diagnostic, Files};
use pp_evaluator::{Lookup, LookupRequest, Options, lookup};

use crate::code_paths::CodePaths;
use crate::find::{Input, find};
use crate::load::{Loaded, has_errors, load, validation_options};
use crate::read::read_file;
use crate::ruby_types::{RubyTypes, add_stored};
use crate::services::DiskServices;
use crate::stored::StoredEnvironment;
use crate::stored::is_stored;

/// What a lookup yields, with the files that its spans refer to.
#[derive(Debug, Default)]
pub struct LookedUp {
    /// The value or the error, and the explanation.
    pub lookup: Lookup,
    /// The files of the spans.
    pub files: Files,
    /// The directory that the names of files are relative to, unless they come from an artifact.
    pub root: Option<PathBuf>,
    /// The errors of manifests that cannot be parsed, if they are evaluated.
    pub diagnostics: Vec<Diagnostic>,
}

/// Looks keys up for a node. The path may be any directory: data alone makes an environment.
///
/// # Errors
/// A path that cannot be read, an invalid artifact.
pub fn look_up(paths: &CodePaths, options: &Options, request: &LookupRequest) -> Result<LookedUp, Diagnostic> {
    let CodePaths { path, module_path, hiera_config, ruby_fallback, machine_files } = paths;
    paths.check()?;
    let mut options = options.clone();
    if !path.is_dir() && is_stored(path) {
        let bytes = read_file(path).map_err(|error| error.diagnostic())?;
        let (environment, services, types) = StoredEnvironment::read(&bytes)?.into_parts();
        let services = services
            .with_global_config(hiera_config.clone())
            .with_ruby(*ruby_fallback)
            .with_machine_files(machine_files.clone());
        add_stored(types, &mut options.resource_types);
        let lookup = lookup(&environment, &options, &services, request);
        return Ok(with_files(lookup, environment.files, None));
    }
    let validation = validation_options(options.strict);
    let input = if path.is_dir() {
        Input::Environment(path.clone())
    } else {
        Input::of_path(path).map_err(|error| error.diagnostic())?
    };
    let loaded = find(&input, module_path).and_then(|mut layout| {
        if !request.compile {
            layout.manifests.clear();
        }
        load(&input, &layout, validation)
    });
    let Loaded { environment, diagnostics, modules, root: environment_root, .. } =
        loaded.map_err(|error| error.diagnostic())?;
    let root = Some(input.root().to_owned());
    if has_errors(&diagnostics) {
        return Ok(LookedUp { files: environment.files, root, diagnostics, ..LookedUp::default() });
    }
    if request.compile {
        RubyTypes::find(&modules).add_to(&mut options.resource_types);
    }
    let services = DiskServices::new(environment_root, modules)
        .with_validation(validation, input.root().to_owned())
        .with_global_config(hiera_config.clone())
        .with_ruby(*ruby_fallback)
        .with_machine_files(machine_files.clone());
    let lookup = lookup(&environment, &options, &services, request);
    Ok(with_files(lookup, environment.files, root))
}

fn with_files(mut lookup: Lookup, mut files: Files, root: Option<PathBuf>) -> LookedUp {
    files.files.extend(std::mem::take(&mut lookup.loaded));
    LookedUp { lookup, files, root, diagnostics: Vec::new() }
}
