//! `mclc check`: runs every stage and writes nothing.

use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::Diagnostic;
use mcl_modules::{FoundProgram, Input, InputError, Loaded, load_programs_of};
use pp_analysis::Disk;
use pp_environment::CodePaths;
use rayon::prelude::*;

use crate::check_puppet::Modules;
use crate::cli::{Check, Color};
use crate::format::Format;
use crate::output::unusable;
use crate::paths::{is_program, programs_below};
use crate::report::{self, Checked, LoadFailure, Summary};
use crate::status::{ERRORS, UNUSABLE};
use crate::{check_puppet, fix, memory, output, puppet, watch};

/// Why a path of the command line cannot be checked.
enum PathError {
    Empty(PathBuf),
    UnreadableDirectory { path: PathBuf, error: ignore::Error },
    Input(InputError),
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Empty(path) => {
                write!(f, "directory `{}` contains neither `.mcl` files nor Puppet code", path.display())?;
                if has_links(path) { f.write_str("; symbolic links in it are not followed") } else { Ok(()) }
            }
            PathError::UnreadableDirectory { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            PathError::Input(error) => error.fmt(f),
        }
    }
}

fn has_links(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_type().ok()).any(|kind| kind.is_symlink())
}

/// What a path of the command line stands for.
enum Target {
    /// Programs, each of which is checked as part of its module.
    Files(Vec<PathBuf>),
    /// A module directory, or standard input.
    Program(PathBuf),
    Puppet(PathBuf),
}

/// Checks all programs. Diagnostics are the result of this command, so they go to standard output in every format.
pub fn run(args: &Check, color: Color) -> u8 {
    let start = Instant::now();
    let inputs = args.paths.iter().filter(|path| *path == Path::new("-")).count();
    if inputs > 1 {
        return unusable("standard input can be read only once");
    }
    let changes_files = args.fix || args.unsafe_fixes;
    if changes_files && !args.diff && inputs > 0 {
        return unusable("standard input cannot be changed: `--diff` shows what would be fixed");
    }
    if args.watch {
        if inputs > 0 {
            return unusable("standard input cannot be watched");
        }
        return watch::watch(args, || {
            let start = Instant::now();
            let (checked, status) = check_all(args);
            let status = report_all(&checked, args, color, status, start);
            (checked, status)
        });
    }
    if args.diff {
        let (checked, status) = check_all(args);
        return status.max(fix::print_diff(&checked, args, color));
    }
    let (mut checked, status) = if changes_files { fix::fix(args, || check_all(args)) } else { check_all(args) };
    if args.report.format == Format::Sarif {
        fix::resolve_fixes(&mut checked);
    }
    report_all(&checked, args, color, status, start)
}

/// Checks what the command line names. The second value is the exit status for what cannot be read.
pub fn check_all(args: &Check) -> (Vec<Checked>, u8) {
    let (targets, errors) = targets(&args.paths);
    let disk = Disk::default();
    let results: Vec<Result<Checked, LoadFailure>> =
        targets.into_par_iter().flat_map_iter(|target| check(target, args, &disk)).collect();
    let (mut checked, mut status) = (Vec::new(), 0);
    for error in errors {
        status = unusable(error);
    }
    for result in results {
        match result {
            Ok(program) => checked.push(program),
            Err(failure) => match failure.into_diagnostics() {
                Ok(program) => checked.push(program),
                Err(unusable) => status = unusable,
            },
        }
    }
    report::remove_repeated(&mut checked);
    (checked, status)
}

/// Prints the findings, and returns the exit status.
fn report_all(checked: &[Checked], args: &Check, color: Color, status: u8, start: Instant) -> u8 {
    let mut text = report::text(checked, args.report.format, report::style(color, &std::io::stdout()));
    if args.report.format == Format::Human && status == 0 && std::io::stdout().is_terminal() {
        text = report::with_summary(text, &Summary { files: report::file_count(checked), time: start.elapsed() });
    }
    let written = output::stdout(text.as_bytes());
    if status == UNUSABLE || written == UNUSABLE {
        return UNUSABLE;
    }
    if checked.iter().any(Checked::has_errors) { ERRORS } else { 0 }
}

/// Returns what the paths stand for, and which cannot be checked. All files are one target at the place of the first, so that
/// each program is checked once.
fn targets(paths: &[PathBuf]) -> (Vec<Target>, Vec<PathError>) {
    let (mut targets, mut errors) = (Vec::new(), Vec::new());
    let mut files_at: Option<usize> = None;
    for path in paths {
        let files = match files_of(path, &mut targets) {
            Ok(files) => files,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        match files_at.and_then(|at| targets.get_mut(at)) {
            _ if files.is_empty() => {}
            Some(Target::Files(others)) => others.extend(files),
            _ => {
                files_at = Some(targets.len());
                targets.push(Target::Files(files));
            }
        }
    }
    (targets, errors)
}

/// Returns the files that a path stands for, and adds other targets.
fn files_of(path: &Path, targets: &mut Vec<Target>) -> Result<Vec<PathBuf>, PathError> {
    if path == Path::new("-") {
        targets.push(Target::Program(path.to_owned()));
        return Ok(Vec::new());
    }
    let is_puppet = pp_environment::is_puppet_path(path);
    if is_puppet {
        targets.push(Target::Puppet(path.to_owned()));
    }
    if path.is_dir() && !path.join("main.mcl").exists() && !path.join("metadata.yaml").exists() {
        let files =
            programs_below(path).map_err(|error| PathError::UnreadableDirectory { path: path.to_owned(), error })?;
        if files.is_empty() && !is_puppet {
            return Err(PathError::Empty(path.to_owned()));
        }
        return Ok(files);
    }
    if is_program(path) && !path.is_dir() {
        Input::from_path(path).map_err(PathError::Input)?;
        return Ok(vec![path.to_owned()]);
    }
    if !is_puppet {
        targets.push(Target::Program(path.to_owned()));
    }
    Ok(Vec::new())
}

fn check(target: Target, args: &Check, disk: &Disk) -> Vec<Result<Checked, LoadFailure>> {
    match target {
        Target::Files(files) => match load_programs_of(&files, &report::options(&args.source)) {
            Ok(programs) => programs.into_par_iter().map(|program| check_found(program, args)).collect(),
            Err(error) => vec![Err(LoadFailure::Unusable(error))],
        },
        Target::Program(path) => vec![check_program(&path, args, disk)],
        Target::Puppet(path) => {
            vec![check_puppet::check(&path, &modules(args, disk), &args.report)]
        }
    }
}

fn modules<'a>(args: &Check, disk: &'a Disk) -> Modules<'a> {
    Modules { path: puppet::module_path(args.puppet_module_path.as_ref()), disk }
}

fn check_program(path: &Path, args: &Check, disk: &Disk) -> Result<Checked, LoadFailure> {
    if pp_environment::is_standard_input(path)
        && let Some(name) = args.source.filename.as_deref().filter(|name| pp_environment::is_puppet_path(name))
    {
        return check_puppet::check_standard_input(name, &modules(args, disk), &args.report);
    }
    let input = report::input(path, &args.source)?;
    let loaded = report::load(&input, &args.source, &args.report)?;
    Ok(check_loaded(&input, loaded, args))
}

fn check_found(program: FoundProgram, args: &Check) -> Result<Checked, LoadFailure> {
    let FoundProgram { input, loaded } = program;
    match loaded {
        Ok(loaded) => Ok(check_loaded(&input, loaded, args)),
        Err(error) => Err(report::failure(error, &input, &args.report)),
    }
}

fn check_loaded(input: &Input, loaded: Loaded, args: &Check) -> Checked {
    let files = loaded.files.clone();
    let lints = loaded.lints.clone();
    let between = memory::give_back_between_stages(&files);
    let Some(puppet) = &args.puppet else {
        let compiled = mcl_driver::compile(loaded, &[], between);
        return Checked::of_project(files, input.prefix(), compiled.diagnostics, &args.report, &lints);
    };
    let mut compiled = mcl_driver::compile(loaded, &[ArtifactStage::Fgraph], between);
    if let Some((_, bytes)) = compiled.artifacts.first() {
        let of_catalog = |errors: Vec<Diagnostic>| errors.into_iter().map(|error| error.in_file(puppet)).collect();
        let found = check_merge_points(bytes, &code_paths(puppet, args)).unwrap_or_else(of_catalog);
        compiled.diagnostics.extend(found);
    }
    Checked::of_project(files, input.prefix(), compiled.diagnostics, &args.report, &lints)
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
