//! From a path to the catalog of a node: what `mclc` and `mgmt-rt` have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, Files};
use pp_catalog::Catalog;
use pp_evaluator::{Environment, FactReads, LogEntry, Options, Origin, Source};
use pp_functions::Strict;
use pp_resource_types::KnownTypes;

use crate::code_paths::CodePaths;
use crate::dependencies::absent_modules;
use crate::error::EnvironmentError;
use crate::find::{Input, Module, find, is_standard_input, modules_in};
use crate::load::{Loaded, has_errors, load, load_all, validation_options};
use crate::read::read_file;
use crate::ruby_types::{RubyTypes, add_stored, warnings};
use crate::services::DiskServices;
use crate::settings::ENVIRONMENT_CONF;
use crate::stored::{StoredEnvironment, is_stored};

/// What compiling gave, successful or not.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The catalog, if there is no error.
    pub catalog: Option<Catalog>,
    /// The files that spans refer to.
    pub files: Files,
    /// The directory that the names of files are relative to, unless they come from an artifact.
    pub root: Option<PathBuf>,
    /// The messages of the manifests.
    pub log: Vec<LogEntry>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the catalog depends on, besides the path itself.
    pub dependencies: Vec<PathBuf>,
    /// The directories in which another main manifest could appear.
    pub directories: Vec<PathBuf>,
    /// The files and directories whose content says what is to be done: who can change them can do it.
    pub instructions: Vec<PathBuf>,
    /// The facts that were read.
    pub fact_reads: FactReads,
    /// The directories of modules, for the files that resources copy from them.
    pub module_path: Vec<PathBuf>,
    /// The files of modules that an artifact holds, by their paths: `modules/NAME/files/…`.
    pub module_files: BTreeMap<String, Vec<u8>>,
    /// The resource types that the manifests could use.
    pub types: KnownTypes,
    /// The modules whose manifests were read, and all modules, unless they come from an artifact.
    modules: (BTreeSet<Arc<str>>, Vec<Module>),
}

impl Compiled {
    /// Adds warnings about modules that are missing, if the compilation failed. While nothing is missing that the catalog needs,
    /// the dependencies are not worth a word in every run.
    pub fn warn_of_absent_modules(&mut self) {
        let (used, modules) = &self.modules;
        let Some(root) = self.root.as_deref().filter(|_| self.catalog.is_none() && !used.is_empty()) else { return };
        let mut checked = modules.iter().filter(|module| used.contains(&module.name));
        self.diagnostics.extend(absent_modules(modules, &mut checked, &mut self.files, root));
    }
}

/// Whether manifests are compiled from a path: a `.pp` file, standard input, a directory, or the artifact of an environment.
#[must_use]
pub fn is_environment_path(path: &Path) -> bool {
    let is_manifest = path.extension().is_some_and(|extension| extension == "pp") || is_standard_input(path);
    is_manifest || path.is_dir() || is_stored(path)
}

/// Reads and parses the environment that a path stands for, with all files of its modules; returns the directory that the names
/// of its files are relative to.
///
/// # Errors
/// A path that cannot be read, or has no manifests.
pub fn load_path(path: &Path, module_path: &[PathBuf], strict: Strict) -> Result<(PathBuf, Loaded), EnvironmentError> {
    let input = Input::of_path(path)?;
    let layout = find(&input, module_path)?;
    Ok((input.root().to_owned(), load_all(&input, &layout, validation_options(strict))?))
}

/// Compiles the catalog of a node from a path and the directories of modules.
///
/// # Errors
/// A path that cannot be read, an invalid artifact.
pub fn compile_path(path: &Path, module_path: &[PathBuf], options: &Options) -> Result<Compiled, Diagnostic> {
    compile(&CodePaths::new(path, module_path), options)
}

/// Compiles the catalog of a node.
///
/// # Errors
/// A path that cannot be read, an invalid artifact.
pub fn compile(paths: &CodePaths, options: &Options) -> Result<Compiled, Diagnostic> {
    let CodePaths { path, module_path, hiera_config, ruby_fallback, machine_files } = paths;
    paths.check()?;
    if !path.is_dir() && is_stored(path) {
        let bytes = read_file(path).map_err(|error| error.diagnostic())?;
        let (environment, services, types) = StoredEnvironment::read(&bytes)?.into_parts();
        let services = services
            .with_global_config(hiera_config.clone())
            .with_ruby(*ruby_fallback)
            .with_machine_files(machine_files.clone());
        // The artifact was validated with the defaults of Puppet 7.
        let stricter = match options.strict {
            Strict::Error => validate_again(&environment),
            Strict::Off | Strict::Warning => Vec::new(),
        };
        if has_errors(&stricter) {
            return Ok(Compiled { files: environment.files, diagnostics: stricter, ..Compiled::default() });
        }
        let mut options = options.clone();
        add_stored(types, &mut options.resource_types);
        let module_path = module_path.clone();
        return Ok(Compiled { module_path, ..evaluate(environment, services, &options) });
    }
    let validation = validation_options(options.strict);
    let input = Input::of_path(path).map_err(|error| error.diagnostic())?;
    let loaded = find(&input, module_path).and_then(|layout| load(&input, &layout, validation));
    let Loaded { environment, mut diagnostics, modules, module_path, root: environment_root, paths, .. } =
        loaded.map_err(|error| error.diagnostic())?;
    let root = input.root().to_owned();
    let settings_file = environment_root.as_ref().map(|root| root.join(ENVIRONMENT_CONF));
    let mut compiled = if has_errors(&diagnostics) {
        Compiled { files: environment.files, ..Compiled::default() }
    } else {
        let types = RubyTypes::find(&modules);
        let mut options = options.clone();
        types.add_to(&mut options.resource_types);
        let services = DiskServices::new(environment_root, modules)
            .with_validation(validation, root.clone())
            .with_global_config(hiera_config.clone())
            .with_ruby(*ruby_fallback)
            .with_machine_files(machine_files.clone());
        let mut compiled = evaluate(environment, services, &options);
        let of_types = types.files();
        compiled.instructions.extend(of_types.iter().cloned());
        compiled.dependencies.extend(of_types);
        compiled
    };
    (compiled.root, compiled.module_path) = (Some(root), module_path);
    compiled.instructions.extend(paths.iter().cloned());
    compiled.instructions.extend(compiled.module_path.iter().cloned());
    compiled.instructions.extend(settings_file.iter().cloned());
    compiled.directories = directories_of(&input, &paths);
    compiled.dependencies.extend(settings_file);
    compiled.dependencies.extend(paths);
    diagnostics.append(&mut compiled.diagnostics);
    compiled.diagnostics = diagnostics;
    Ok(compiled)
}

/// Returns the directories in which another main manifest could appear.
fn directories_of(input: &Input, manifests: &[PathBuf]) -> Vec<PathBuf> {
    let own = match input {
        Input::Manifest(_) => return Vec::new(),
        Input::Manifests(path) => path.clone(),
        Input::Environment(path) => path.join("manifests"),
    };
    let parents = manifests.iter().filter_map(|path| path.parent().map(Path::to_owned));
    let mut directories: Vec<PathBuf> = parents.chain([own]).filter(|directory| directory.is_dir()).collect();
    directories.sort_unstable();
    directories.dedup();
    directories
}

/// Returns the types that a program or catalog at a path can use: those of Puppet itself, and those of the modules of its
/// environment and of the module path. What cannot be read is not known.
#[must_use]
pub fn resource_types(path: &Path, module_path: &[PathBuf]) -> KnownTypes {
    let of_environment = || find(&Input::of_path(path).ok()?, module_path).ok().map(|layout| layout.modules);
    let modules = if is_environment_path(path) { of_environment() } else { None };
    let mut types = KnownTypes::core();
    RubyTypes::find(&modules.or_else(|| modules_in(module_path).ok()).unwrap_or_default()).add_to(&mut types);
    types
}

/// Validates the main manifests as Puppet 8 does.
fn validate_again(environment: &Environment) -> Vec<Diagnostic> {
    let main = environment.sources.iter().filter(|source| source.origin == Origin::Main);
    let of = |source: &Source| {
        let text = environment.files.get(source.tree.file).map_or("", |file| &file.text);
        pp_syntax::validate(&source.tree, text, validation_options(Strict::Error))
    };
    main.flat_map(of).collect()
}

fn evaluate(environment: Environment, services: DiskServices, options: &Options) -> Compiled {
    let mut services = services.with_facts(&options.facts);
    let compilation = pp_evaluator::compile(&environment, options, &services);
    let mut diagnostics = compilation.diagnostics;
    diagnostics.extend(warnings(&options.resource_types));
    let undescribed = services.undescribed();
    let catalog = compilation.catalog.filter(|_| undescribed.is_empty());
    if !undescribed.is_empty() {
        // Other errors follow from these.
        diagnostics = undescribed;
    }
    let mut files = environment.files;
    files.files.extend(compilation.loaded);
    Compiled {
        catalog,
        files,
        root: None,
        module_path: Vec::new(),
        log: compilation.log,
        diagnostics,
        fact_reads: compilation.fact_reads,
        dependencies: services.dependencies(),
        directories: Vec::new(),
        instructions: services.instructions(),
        types: options.resource_types.clone(),
        module_files: services.stored.take().unwrap_or_default(),
        modules: services.into_modules(),
    }
}

/// Moves the location of a diagnostic into its message, for a reader that does not have the files.
#[must_use]
pub fn with_location(mut diagnostic: Diagnostic, files: &Files) -> Diagnostic {
    if let Some(span) = diagnostic.span.take()
        && let Some(file) = files.get(span.file)
    {
        let at = file.line_col(span.start);
        diagnostic.message = format!("{}:{}:{}: {}", file.name, at.line, at.col, diagnostic.message);
    }
    diagnostic.span_label.clear();
    diagnostic.labels.clear();
    diagnostic
}
