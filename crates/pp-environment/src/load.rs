//! Reading and parsing all files of an environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Severity, SourceFile, Span, Stage};
use pp_ast::{Expr, Tree};
use pp_evaluator::{Environment, Origin, Source, name_of_manifest};
use pp_functions::Strict;
use pp_syntax::{
    Mode, ModuleFile, ModuleFolder, Parsed, ValidationOptions, parse, validate, validate_fragments, validate_location,
};
use pp_types::Regexp;
use rayon::prelude::*;

use crate::error::EnvironmentError;
use crate::find::{Input, Layout, Module, is_standard_input};
use crate::read::{check_inside, read_file, read_standard_input};

/// A parsed environment.
#[derive(Debug)]
pub struct Loaded {
    /// The files and trees. A file of a module with errors is not among the sources.
    pub environment: Environment,
    /// The errors and warnings of the main manifests.
    pub diagnostics: Vec<Diagnostic>,
    /// The errors and warnings of the modules' files: those of a file that is not needed do not matter.
    pub module_diagnostics: Vec<Diagnostic>,
    /// The modules.
    pub modules: Vec<Module>,
    /// The directories that the modules are in.
    pub module_path: Vec<PathBuf>,
    /// The directory of the environment, if the path is one.
    pub root: Option<PathBuf>,
    /// The `hiera.yaml` of all environments.
    pub hiera_config: Option<PathBuf>,
    /// The files that were read.
    pub paths: Vec<PathBuf>,
    /// The files of modules with errors.
    pub(crate) broken: Vec<PathBuf>,
}

/// A file that was read and parsed.
pub(crate) struct ParsedFile {
    pub(crate) file: SourceFile,
    pub(crate) tree: Tree,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads and parses the main manifests of an environment, in parallel. The files of modules are read when they are needed.
///
/// # Errors
/// A file that cannot be read.
pub fn load(input: &Input, layout: &Layout, validation: ValidationOptions) -> Result<Loaded, EnvironmentError> {
    let named = layout.manifests.iter().map(|path| (path.as_path(), name_of(path, input.root())));
    let parsed = parse_all(&named.collect::<Vec<_>>(), 0, validation)?;
    let mut loaded = Loaded {
        environment: Environment::default(),
        diagnostics: layout.warnings.clone(),
        module_diagnostics: Vec::new(),
        modules: layout.modules.clone(),
        module_path: layout.module_path.clone(),
        root: match input {
            Input::Environment(root) => Some(root.clone()),
            Input::Manifest(_) | Input::Manifests(_) => None,
        },
        hiera_config: None,
        paths: layout.manifests.clone(),
        broken: Vec::new(),
    };
    if layout.manifests.is_empty() {
        // The classes of a node may come from elsewhere, so that this is an environment, but probably not what was meant.
        let mut warning = EnvironmentError::NoManifests(input.root().to_owned()).diagnostic();
        warning.severity = Severity::Warning;
        loaded.diagnostics.push(warning);
    }
    for ParsedFile { file, tree, diagnostics } in parsed {
        loaded.environment.files.files.push(file);
        loaded.environment.sources.push(Source { origin: Origin::Main, tree });
        loaded.diagnostics.extend(diagnostics);
    }
    Ok(loaded)
}

/// Reads and parses all manifests of an environment and of its modules, in parallel.
///
/// # Errors
/// A file that cannot be read, a directory with too many files.
pub fn load_all(input: &Input, layout: &Layout, validation: ValidationOptions) -> Result<Loaded, EnvironmentError> {
    let mut loaded = load(input, layout, validation)?;
    let mut of_modules: Vec<(PathBuf, String, &Module)> = Vec::new();
    for module in &layout.modules {
        for (path, inside) in module.manifests()? {
            check_inside(&module.directory, &path)?;
            of_modules.push((path, inside, module));
        }
    }
    let named = of_modules.iter().map(|(path, ..)| (path.as_path(), name_of(path, input.root())));
    let parsed = parse_all(&named.collect::<Vec<_>>(), loaded.environment.files.files.len(), validation)?;
    for (parsed, (path, inside, module)) in parsed.into_iter().zip(of_modules) {
        let ParsedFile { file, tree, diagnostics } = check_location(parsed, &module.name, &inside);
        loaded.environment.files.files.push(file);
        if has_errors(&diagnostics) {
            loaded.broken.push(path.clone());
        } else {
            let origin = Origin::Module { name: Arc::clone(&module.name), path: inside.into() };
            loaded.environment.sources.push(Source { origin, tree });
        }
        loaded.module_diagnostics.extend(diagnostics);
        loaded.paths.push(path);
    }
    Ok(loaded)
}

/// Adds the errors of a file of a module about what is not allowed there, if it has no others.
pub(crate) fn check_location(mut parsed: ParsedFile, module: &str, inside: &str) -> ParsedFile {
    if !has_errors(&parsed.diagnostics)
        && let Some((name, folder)) = name_in_module(module, inside)
    {
        let location = ModuleFile { path: &parsed.file.name, name: &name, folder };
        parsed.diagnostics.extend(validate_location(&parsed.tree, &location));
    }
    parsed
}

/// Returns the name that the path of a file of a module stands for, and the directory that it is in.
fn name_in_module(module: &str, inside: &str) -> Option<(String, ModuleFolder)> {
    if let Some(name) = name_of_manifest(module, inside) {
        return Some((name, ModuleFolder::Manifests));
    }
    let (folder, inside) = inside.strip_suffix(".pp")?.split_once('/')?;
    let folder = if folder == "functions" { ModuleFolder::Functions } else { ModuleFolder::Types };
    Some((format!("{module}::{}", inside.replace('/', "::")), folder))
}

/// Reads and parses manifests and templates on their own, in parallel. Names are relative to `root`.
///
/// # Errors
/// A file that cannot be read.
pub fn parse_files(paths: &[PathBuf], root: &Path) -> Result<(Files, Vec<Tree>, Vec<Diagnostic>), EnvironmentError> {
    let named: Vec<(&Path, String)> = paths.iter().map(|path| (path.as_path(), name_of(path, root))).collect();
    let (mut files, mut trees, mut all) = (Files::default(), Vec::new(), Vec::new());
    for ParsedFile { file, tree, diagnostics } in parse_all(&named, 0, ValidationOptions::default())? {
        files.files.push(file);
        trees.push(tree);
        all.extend(diagnostics);
    }
    Ok((files, trees, all))
}

/// Reads and parses the manifest or template on standard input, which the command line gives a name.
///
/// # Errors
/// Standard input that cannot be read.
pub fn parse_standard_input(name: &Path) -> Result<(Files, Vec<Tree>, Vec<Diagnostic>), EnvironmentError> {
    let text = name.to_string_lossy();
    let bytes = read_standard_input()?;
    let ParsedFile { file, tree, diagnostics } =
        parse_file(FileId::MAIN, name, &text, bytes, ValidationOptions::default());
    let mut files = Files::default();
    files.files.push(file);
    Ok((files, vec![tree], diagnostics))
}

/// Reads a manifest or template.
///
/// # Errors
/// A file that cannot be read, or is not UTF-8.
pub fn read_code(path: &Path) -> Result<String, EnvironmentError> {
    let invalid =
        |error| EnvironmentError::unreadable(path, std::io::Error::new(std::io::ErrorKind::InvalidData, error));
    String::from_utf8(read_file(path)?).map_err(invalid)
}

/// Reads and parses files in parallel. Their ids count from `first`.
fn parse_all(
    paths: &[(&Path, String)],
    first: usize,
    validation: ValidationOptions,
) -> Result<Vec<ParsedFile>, EnvironmentError> {
    let parse = |(index, (path, name)): (usize, &(&Path, String))| {
        let id = u32::try_from(first + index).map_err(|_| EnvironmentError::TooManyFiles((*path).to_owned()))?;
        if is_standard_input(path) {
            return Ok(parse_file(FileId::from_u32(id), path, "<stdin>", read_standard_input()?, validation));
        }
        Ok(parse_file(FileId::from_u32(id), path, name, read_file(path)?, validation))
    };
    // Starting threads costs more than parsing one file.
    if let [only] = paths {
        return Ok(vec![parse((0, only))?]);
    }
    paths.par_iter().enumerate().map(parse).collect()
}

/// Parses and validates the content of a file.
pub(crate) fn parse_file(
    id: FileId,
    path: &Path,
    name: &str,
    bytes: Vec<u8>,
    validation: ValidationOptions,
) -> ParsedFile {
    let (text, invalid) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
        }
    };
    let mode = match path.extension() {
        Some(extension) if extension == "epp" => Mode::Template,
        _ => Mode::Manifest,
    };
    let (tree, mut diagnostics) = parse_text(id, &text, mode, validation);
    if let Some(at) = invalid {
        // Every other mistake may be a consequence.
        diagnostics = vec![not_utf8(id, at)];
    }
    ParsedFile { file: SourceFile::new(name, text), tree, diagnostics }
}

/// Parses a text, and validates it: of one with syntax errors what could be parsed.
#[must_use]
pub fn parse_text(file: FileId, text: &str, mode: Mode, validation: ValidationOptions) -> (Tree, Vec<Diagnostic>) {
    let Parsed { tree, mut diagnostics, fragments } = parse(file, text, mode);
    match fragments {
        None if has_errors(&diagnostics) => return (tree, diagnostics),
        None => {
            diagnostics.extend(validate(&tree, text, validation));
            diagnostics.extend(invalid_regexps(&tree));
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
        }
        // After the syntax errors, of which Puppet reports the first.
        Some(fragments) => diagnostics.extend(validate_fragments(&fragments, text, validation)),
    }
    (tree, diagnostics)
}

/// Returns the errors of literal regular expressions, which Puppet reads while it parses.
fn invalid_regexps(tree: &Tree) -> impl Iterator<Item = Diagnostic> {
    tree.exprs.iter().filter_map(|(id, expr)| {
        let Expr::Regexp(source) = expr else { return None };
        let error = Regexp::new(Arc::clone(tree.str(*source))).check().err()?;
        let diagnostic = Diagnostic::error(Code::P0501, Stage::Puppet, error.message).at(tree.span(id));
        Some(match error.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    })
}

/// Returns how strict validation is.
pub(crate) fn validation_options(strict: Strict) -> ValidationOptions {
    let duplicate_keys = match strict {
        Strict::Off => None,
        Strict::Warning => Some(Severity::Warning),
        Strict::Error => Some(Severity::Error),
    };
    ValidationOptions { duplicate_keys }
}

fn not_utf8(file: FileId, at: usize) -> Diagnostic {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    Diagnostic::error(Code::P0705, Stage::Puppet, "invalid UTF-8 in a manifest")
        .at_with(Span::new(file, at, at.saturating_add(1)), "not a character")
        .help("save the file in the encoding UTF-8")
}

/// Returns whether there is an error among the diagnostics.
pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Returns the path of a file relative to the root of the environment, or as it is if it is elsewhere.
pub(crate) fn name_of(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
