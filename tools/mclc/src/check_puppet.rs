//! `mclc check` for Puppet manifests, templates, and directories of them: syntax, validation and lints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use pp_ast::Tree;
use rayon::prelude::*;

use crate::cli::Report;
use crate::levels;
use crate::puppet;
use crate::report::{Checked, LoadFailure};

/// Checks the files that a path stands for.
///
/// # Errors
/// A path that cannot be read.
pub fn check(path: &Path, module_path: &[PathBuf], report: &Report) -> Result<Checked, LoadFailure> {
    let root = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let parsed = pp_environment::puppet_files(path).and_then(|paths| {
        let parsed = pp_environment::parse_files(&paths, root)?;
        Ok((paths, parsed))
    });
    let (paths, (mut files, trees, mut diagnostics)) = parsed.map_err(LoadFailure::Puppet)?;
    add_lints(&paths, &trees, &files, &mut diagnostics, report);
    if path.is_dir() {
        let found = pp_environment::check_dependencies_in(path, module_path, &mut files);
        diagnostics.extend(found.map_err(LoadFailure::Puppet)?);
    }
    Ok(Checked::new(files, puppet::prefix_of(root), diagnostics, report))
}

/// Checks the manifest or template on standard input as the file with this name.
///
/// # Errors
/// Standard input that cannot be read.
pub fn check_standard_input(name: &Path, report: &Report) -> Result<Checked, LoadFailure> {
    let parsed = pp_environment::parse_standard_input(name).map_err(LoadFailure::Puppet)?;
    let (files, trees, mut diagnostics) = parsed;
    add_lints(&[name.to_owned()], &trees, &files, &mut diagnostics, report);
    Ok(Checked::new(files, String::new(), diagnostics, report))
}

/// Adds the lints of files without errors.
fn add_lints(paths: &[PathBuf], trees: &[Tree], files: &Files, diagnostics: &mut Vec<Diagnostic>, report: &Report) {
    // What is left of a broken file says little about its style.
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let broken: BTreeSet<FileId> = errors.filter_map(|error| Some(error.span?.file)).collect();
    let lints: Vec<Diagnostic> = (paths.par_iter().zip(trees))
        .filter(|(_, tree)| !broken.contains(&tree.file))
        .flat_map(|(path, tree)| lint(path, tree, files, report))
        .collect();
    diagnostics.extend(lints);
}

fn lint(path: &Path, tree: &Tree, files: &Files, report: &Report) -> Vec<Diagnostic> {
    let Some(file) = files.get(tree.file) else { return Vec::new() };
    pp_analysis::lint(path, file, tree, &|code| levels::is_on(code, report))
}
