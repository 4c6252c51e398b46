//! The programs that files belong to (spec 11 §2.2).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clean::{absolute, relative};
use crate::disk::Disk;
use crate::input::{Input, InputError};
use crate::load::{LoadError, Options, load};
use crate::loaded::Loaded;

/// A program, and the result of loading it.
#[derive(Debug)]
pub struct FoundProgram {
    /// Its module, or a file that no module reaches.
    pub input: Input,
    /// Its files, or why they cannot be read.
    pub loaded: Result<Loaded, LoadError>,
}

/// Loads the programs that files belong to, each once, in the order of their first files. The module of a file is the nearest
/// directory above it with a `metadata.yaml`. A file that the main file of its module imports, directly or indirectly, is
/// part of that program; every other file is a program of its own, with the lint levels of its module. A `metadata.yaml` stands
/// for its module.
///
/// # Errors
/// If the working directory cannot be accessed.
pub fn load_programs_of(files: &[PathBuf], options: &Options) -> Result<Vec<FoundProgram>, InputError> {
    let here = std::env::current_dir().map_err(InputError::WorkingDirectory)?;
    let disk = Disk { buffers: Arc::clone(&options.buffers), input: None };
    let mut modules: FxHashMap<PathBuf, Option<PathBuf>> = FxHashMap::default();
    let mut groups: Vec<(Option<PathBuf>, Vec<&PathBuf>)> = Vec::new();
    let mut group_of: FxHashMap<PathBuf, usize> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    for file in files {
        let path = absolute(file, &here);
        if !seen.insert(path.clone()) {
            continue;
        }
        let directory = path.parent().unwrap_or(&path);
        match module_of(directory, &disk, &mut modules) {
            None => groups.push((None, vec![file])),
            Some(module) => {
                let group = *group_of.entry(module.clone()).or_insert_with(|| {
                    groups.push((Some(module), Vec::new()));
                    groups.len() - 1
                });
                groups[group].1.push(file);
            }
        }
    }
    let programs = groups.into_par_iter().flat_map_iter(|(module, files)| match module {
        None => files.into_iter().map(|file| load_alone(file, options)).collect::<Vec<_>>(),
        Some(module) => in_module(&module, &files, &here, options),
    });
    Ok(programs.collect())
}

/// Returns the nearest directory upwards with a `metadata.yaml`.
fn module_of(directory: &Path, disk: &Disk, known: &mut FxHashMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    let mut passed = Vec::new();
    let mut found = None;
    for directory in directory.ancestors() {
        if let Some(module) = known.get(directory) {
            found.clone_from(module);
            break;
        }
        passed.push(directory.to_owned());
        if disk.is_file(&directory.join("metadata.yaml")) {
            found = Some(directory.to_owned());
            break;
        }
    }
    known.extend(passed.into_iter().map(|directory| (directory, found.clone())));
    found
}

fn load_alone(file: &Path, options: &Options) -> FoundProgram {
    let input = Input::File(file.to_owned());
    FoundProgram { loaded: load(&input, options), input }
}

/// Loads a module, and the files in it that it does not reach.
fn in_module(module: &Path, files: &[&PathBuf], here: &Path, options: &Options) -> Vec<FoundProgram> {
    // As the user would write it, unless the files were given as absolute paths outside the working directory.
    let is_elsewhere = files.iter().all(|file| file.is_absolute()) && !module.starts_with(here);
    let shown = if is_elsewhere || module.to_str().is_none() {
        module.to_owned()
    } else {
        PathBuf::from(relative(module, here))
    };
    let shown = if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown };
    let input = Input::Directory(shown);
    let loaded = load(&input, options);
    let reached: FxHashSet<PathBuf> = match &loaded {
        Ok(loaded) => loaded.files.files.keys().filter_map(|file| loaded.paths.get(file)).map(real).collect(),
        Err(_) => FxHashSet::default(),
    };
    let lints = loaded.as_ref().map(|loaded| loaded.lints.clone()).unwrap_or_default();
    let is_metadata = |file: &Path| file.file_name().is_some_and(|name| name == "metadata.yaml");
    let is_reached = |file: &Path| is_metadata(file) || reached.contains(&real(&absolute(file, here)));
    let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().partition(|file| is_reached(file));
    let mut programs = Vec::new();
    // What is wrong with the metadata concerns all files of the module. A module may also have no main file at all.
    if !inside.is_empty() || matches!(loaded, Err(LoadError::Invalid { .. })) {
        programs.push(FoundProgram { input, loaded });
    }
    programs.extend(outside.into_iter().map(|file| {
        let mut program = load_alone(file, options);
        if let Ok(loaded) = &mut program.loaded {
            loaded.lints.clone_from(&lints);
        }
        program
    }));
    programs
}

/// Returns the path without symbolic links. A buffer need not be on the disk.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
