//! Reading and parsing all files of an environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Severity, SourceFile, Span, Stage};
use pp_ast::Tree;
use pp_evaluator::{Environment, Origin, Source};
use pp_functions::Strict;
use pp_syntax::{Mode, ModuleFile, Parsed, ValidationOptions, parse, validate, validate_location};
use rayon::prelude::*;

use crate::error::EnvironmentError;
use crate::find::{Input, Layout, ModuleFiles};
use crate::read::read_file;
use crate::services::Module;

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
    /// The directory of the environment, if the path is one.
    pub root: Option<PathBuf>,
    /// The files that were read.
    pub paths: Vec<PathBuf>,
}

/// A file that was read and parsed.
struct ParsedFile {
    file: SourceFile,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
}

/// Reads and parses the files of an environment, in parallel.
///
/// # Errors
/// A file that cannot be read.
pub fn load(input: &Input, layout: &Layout, validation: ValidationOptions) -> Result<Loaded, EnvironmentError> {
    let root = input.root();
    let main = layout.manifests.iter().map(|path| (path, Origin::Main, None));
    let of_modules = layout.modules.iter().flat_map(|module| {
        let name: Arc<str> = module.name.as_str().into();
        module.files.iter().map(move |path| (path, Origin::Module(Arc::clone(&name)), Some(module)))
    });
    let wanted: Vec<(&PathBuf, Origin, Option<&ModuleFiles>)> = main.chain(of_modules).collect();
    let paths: Vec<(&Path, String)> = wanted.iter().map(|(path, ..)| (path.as_path(), name_of(path, root))).collect();
    let parsed = parse_all(&paths, validation)?;
    let mut loaded = Loaded {
        environment: Environment::default(),
        diagnostics: Vec::new(),
        module_diagnostics: Vec::new(),
        modules: Vec::new(),
        root: match input {
            Input::Environment(root) => Some(root.clone()),
            Input::Manifest(_) | Input::Manifests(_) => None,
        },
        paths: wanted.iter().map(|(path, ..)| (*path).clone()).collect(),
    };
    for (ParsedFile { file, tree, mut diagnostics }, (path, origin, module)) in parsed.into_iter().zip(wanted) {
        if !has_errors(&diagnostics)
            && let Some((name, is_function)) = module.and_then(|module| name_in_module(module, path))
        {
            diagnostics.extend(validate_location(&tree, &ModuleFile { path: &file.name, name: &name, is_function }));
        }
        loaded.environment.files.files.push(file);
        let is_main = origin == Origin::Main;
        if is_main || !has_errors(&diagnostics) {
            loaded.environment.sources.push(Source { origin, tree });
        }
        if is_main { &mut loaded.diagnostics } else { &mut loaded.module_diagnostics }.extend(diagnostics);
    }
    let modules = layout.modules.iter();
    loaded.modules = modules.map(|m| Module { name: m.name.as_str().into(), directory: m.directory.clone() }).collect();
    Ok(loaded)
}

/// Returns the name that the path of a manifest or function of a module stands for, and whether it is a function. Type aliases
/// are checked when they are resolved.
fn name_in_module(module: &ModuleFiles, path: &Path) -> Option<(String, bool)> {
    let inside = path.strip_prefix(&module.directory).ok()?.with_extension("");
    let mut parts: Vec<&str> = inside.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let is_function = match *parts.first()? {
        "manifests" => false,
        "functions" => true,
        _ => return None,
    };
    parts[0] = &module.name;
    if !is_function && parts[1..] == ["init"] {
        parts.truncate(1);
    }
    Some((parts.join("::"), is_function))
}

/// Reads and parses manifests and templates on their own, in parallel. Names are relative to `root`.
///
/// # Errors
/// A file that cannot be read.
pub fn parse_files(paths: &[PathBuf], root: &Path) -> Result<(Files, Vec<Tree>, Vec<Diagnostic>), EnvironmentError> {
    let named: Vec<(&Path, String)> = paths.iter().map(|path| (path.as_path(), name_of(path, root))).collect();
    let (mut files, mut trees, mut all) = (Files::default(), Vec::new(), Vec::new());
    for ParsedFile { file, tree, diagnostics } in parse_all(&named, ValidationOptions::default())? {
        files.files.push(file);
        trees.push(tree);
        all.extend(diagnostics);
    }
    Ok((files, trees, all))
}

fn parse_all(paths: &[(&Path, String)], validation: ValidationOptions) -> Result<Vec<ParsedFile>, EnvironmentError> {
    let parse = |(index, (path, name)): (usize, &(&Path, String))| {
        let id = FileId(u32::try_from(index).map_err(|_| EnvironmentError::TooManyFiles((*path).to_owned()))?);
        Ok(parse_file(id, path, name, read_file(path)?, validation))
    };
    // Starting threads costs more than parsing one file.
    if let [only] = paths {
        return Ok(vec![parse((0, only))?]);
    }
    paths.par_iter().enumerate().map(parse).collect()
}

fn parse_file(id: FileId, path: &Path, name: &str, bytes: Vec<u8>, validation: ValidationOptions) -> ParsedFile {
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

/// Parses a text, and validates it if that gave no errors.
#[must_use]
pub fn parse_text(file: FileId, text: &str, mode: Mode, validation: ValidationOptions) -> (Tree, Vec<Diagnostic>) {
    let Parsed { tree, mut diagnostics, .. } = parse(file, text, mode);
    if !has_errors(&diagnostics) {
        diagnostics.extend(validate(&tree, text, validation));
    }
    (tree, diagnostics)
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
fn name_of(path: &Path, root: &Path) -> String {
    let root = if root == Path::new(".") { Path::new("") } else { root };
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
