//! Compiling manifests without Puppet, as the command line asks.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use mcl_diagnostics::{Code, Diagnostic, Severity, Stage};
use pp_catalog::Catalog;
use pp_environment::{
    CodePaths, EnvironmentError, FactModules, Facts, HostFacts, Reader, StoredEnvironment, with_location,
};
use pp_evaluator::Options;

use crate::puppet::options::Puppet;
use crate::puppet::outcome::{Modules, Outcome, Output};
use crate::report;

/// Returns the path from the working directory to a directory: empty, or ends in a slash.
pub fn prefix_of(directory: &Path) -> String {
    mcl_modules::Input::Directory(directory.to_owned()).prefix()
}

/// Writes the artifact of an environment, for every node.
pub fn environment(args: &Puppet) -> Outcome {
    let loaded = match pp_environment::load_path(args.path(), &args.code.module_path(), args.strictness.level()) {
        Ok(loaded) => loaded,
        Err(error) => return Outcome::unreadable(&error),
    };
    let (root, mut loaded) = loaded;
    loaded.hiera_config.clone_from(&args.code.hiera_config);
    let mut diagnostics = std::mem::take(&mut loaded.diagnostics);
    // A file of a module with errors matters to the nodes that need it. The artifact holds it as it is.
    diagnostics.extend(std::mem::take(&mut loaded.module_diagnostics).into_iter().map(|mut diagnostic| {
        diagnostic.severity = Severity::Warning;
        diagnostic
    }));
    let mut files = loaded.environment.files.clone();
    let modules = &loaded.modules;
    diagnostics.extend(pp_environment::absent_modules(modules, &mut modules.iter(), &mut files, &root));
    let prefix = prefix_of(&root);
    if report::any_error(&diagnostics) {
        return Outcome { files, prefix, diagnostics, ..Outcome::default() };
    }
    match StoredEnvironment::new(loaded) {
        Ok(stored) => {
            // Manifests may contain passwords.
            let output = Some(Output { bytes: stored.write(), summary: None, secret: true });
            Outcome { output, files, prefix, diagnostics, ..Outcome::default() }
        }
        Err(error) => Outcome::unreadable(&error),
    }
}

/// Compiles the catalog of the node on the command line, from manifests or the artifact of an environment.
pub fn catalog(args: &Puppet) -> Outcome {
    let (options, mut diagnostics) = match options(args) {
        Ok(options) => options,
        Err(error) => return Outcome::unreadable(&error),
    };
    let mut compiled = match pp_environment::compile(&args.code.paths(args.path()), &options) {
        Ok(compiled) => compiled,
        Err(error) => return Outcome::failed(vec![error]),
    };
    compiled.warn_of_absent_modules();
    diagnostics.extend(compiled.diagnostics);
    let output = match compiled.catalog.as_ref().map(catalog_json) {
        Some(Ok(bytes)) => Some(Output { bytes, summary: None, secret: true }),
        Some(Err(error)) => {
            diagnostics.push(error);
            None
        }
        None => None,
    };
    let prefix = compiled.root.map_or(String::new(), |root| prefix_of(&root));
    let modules = Modules { path: compiled.module_path, files: compiled.module_files };
    Outcome { output, files: compiled.files, prefix, log: compiled.log, diagnostics, modules }
}

/// Compiles manifests with the facts of this machine, to check a program that they are merged with.
///
/// # Errors
/// A path that cannot be read, and the errors of the manifests.
pub fn catalog_for_host(paths: &CodePaths) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let facts = HostFacts::gather(FactModules::of_path(&paths.path, &paths.module_path), Reader::DATA, None);
    let options = pp_environment::node_options(None, facts.facts());
    let compiled = pp_environment::compile(paths, &options).map_err(|error| vec![error])?;
    match compiled.catalog {
        Some(catalog) => catalog_json(&catalog).map_err(|error| vec![error]),
        // The files are not those of the program that is checked.
        None => Err(compiled.diagnostics.into_iter().map(|d| with_location(d, &compiled.files)).collect()),
    }
}

/// Returns the options of a compilation, from the facts and settings on the command line, and warnings about the facts of this
/// machine.
fn options(args: &Puppet) -> Result<(Options, Vec<Diagnostic>), EnvironmentError> {
    let (facts, warnings) = match &args.facts {
        Some(path) => (Facts::read(path)?, Vec::new()),
        None => {
            let modules = FactModules::of_path(args.path(), &args.code.module_path());
            let facts = HostFacts::gather(modules, Reader::DATA, None);
            (facts.facts(), facts.warnings())
        }
    };
    let mut options = pp_environment::node_options(args.node.as_deref(), facts);
    args.strictness.set(&mut options);
    Ok((options, warnings))
}

/// How long a resource is in JSON. Most are shorter; what is not used takes no memory.
const BYTES_PER_RESOURCE: usize = 512;

/// Returns the catalog in JSON, with the time as its version.
fn catalog_json(catalog: &Catalog) -> Result<Vec<u8>, Diagnostic> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A buffer that grows would be copied again and again.
    let mut bytes = Vec::with_capacity(catalog.len() * BYTES_PER_RESOURCE);
    // The id has the form of a random one, and differs between any two compilations of a machine.
    let nanoseconds = now.as_nanos();
    let uuid = format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        std::process::id(),
        (nanoseconds >> 60) & 0xffff,
        (nanoseconds >> 48) & 0xfff,
        (nanoseconds >> 36) & 0xfff,
        nanoseconds & 0xffff_ffff_ffff
    );
    let version = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    match catalog.write_json(&mut bytes, version, &uuid) {
        Ok(()) => Ok(bytes),
        Err(error) => {
            let message = format!("the catalog cannot be written as JSON: {error}");
            Err(Diagnostic::error(Code::P0109, Stage::Puppet, message))
        }
    }
}
