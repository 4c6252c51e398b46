//! `mclc check` for Puppet manifests, templates, and directories of them: syntax, validation and lints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use pp_analysis::{Disk, FileDefinitions, Library};
use pp_ast::Tree;
use rayon::prelude::*;

use crate::cli::Report;
use crate::levels;
use crate::puppet;
use crate::report::{Checked, LoadFailure};

/// Where definitions are that the checked files do not contain.
pub struct Modules<'a> {
    /// The directories of modules that the command line names.
    pub path: Vec<PathBuf>,
    /// What was read for other paths of the command line.
    pub disk: &'a Disk,
}

/// Checks the files that a path stands for.
///
/// # Errors
/// A path that cannot be read.
pub fn check(path: &Path, modules: &Modules<'_>, report: &Report) -> Result<Checked, LoadFailure> {
    let root = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let parsed = pp_environment::puppet_files(path).and_then(|paths| {
        let parsed = pp_environment::parse_files(&paths, root)?;
        Ok((paths, parsed))
    });
    let (paths, (mut files, trees, mut diagnostics)) = parsed.map_err(LoadFailure::Puppet)?;
    add_lints(&paths, &trees, &files, &mut diagnostics, (modules, report));
    if path.is_dir() {
        let found = pp_environment::check_dependencies_in(path, &modules.path, &mut files);
        diagnostics.extend(found.map_err(LoadFailure::Puppet)?);
    }
    Ok(Checked::new(files, puppet::prefix_of(root), diagnostics, report))
}

/// Checks the manifest or template on standard input as the file with this name.
///
/// # Errors
/// Standard input that cannot be read.
pub fn check_standard_input(name: &Path, modules: &Modules<'_>, report: &Report) -> Result<Checked, LoadFailure> {
    let parsed = pp_environment::parse_standard_input(name).map_err(LoadFailure::Puppet)?;
    let (files, trees, mut diagnostics) = parsed;
    add_lints(&[name.to_owned()], &trees, &files, &mut diagnostics, (modules, report));
    Ok(Checked::new(files, String::new(), diagnostics, report))
}

/// Adds the lints of files without errors.
fn add_lints(
    paths: &[PathBuf],
    trees: &[Tree],
    files: &Files,
    diagnostics: &mut Vec<Diagnostic>,
    (modules, report): (&Modules<'_>, &Report),
) {
    // What is left of a broken file says little about its style.
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let broken: BTreeSet<FileId> = errors.filter_map(|error| Some(error.span?.file)).collect();
    let absolute: Vec<PathBuf> =
        paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect();
    let define = |(path, tree): (&PathBuf, &Tree)| {
        let file = files.get(tree.file)?;
        let definitions = FileDefinitions::new(tree, &file.text, broken.contains(&tree.file));
        Some((path.clone(), Arc::new(definitions)))
    };
    let texts = absolute.iter().zip(trees).filter_map(define).collect();
    let library = Library::new(&texts, &modules.path, modules.disk);
    let lint = |(path, tree): (&PathBuf, &Tree)| {
        let Some(file) = files.get(tree.file).filter(|_| !broken.contains(&tree.file)) else { return Vec::new() };
        pp_analysis::lint(path, file, tree, &library.of_file(path), &|code| levels::is_on(code, report))
    };
    let lints: Vec<Diagnostic> = absolute.par_iter().zip(trees).flat_map_iter(lint).collect();
    diagnostics.extend(lints);
}
