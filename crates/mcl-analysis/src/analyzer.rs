//! From the texts of a workspace to an analysis.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;

use mcl_diagnostics::{Code, LintLevel};
use mcl_driver::{Analyzed, Checked, analyze, finish_diagnostics};
use mcl_modules::{FoundProgram, Input, LoadError, Loaded, load_programs_of};
use mcl_types::Typed;
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::program::Program;
use crate::workspace::Sources;

/// Makes analyses, and remembers the programs of the last one.
#[derive(Debug, Default)]
pub struct Analyzer {
    programs: FxHashMap<PathBuf, Arc<Program>>,
}

impl Analyzer {
    /// Analyses the programs that the texts belong to (spec 11 §2.2).
    pub fn analyze(&mut self, sources: &Sources) -> Analysis {
        // Without a working directory there are only absolute paths, which this crate is given anyway.
        let found = load_programs_of(&sources.roots, &sources.options).unwrap_or_default();
        let mut programs = FxHashMap::default();
        let mut all = Vec::new();
        for FoundProgram { input, loaded } in found {
            let key = match &input {
                Input::Directory(path) | Input::File(path) | Input::Text { path, .. } => path.clone(),
            };
            let Some(program) = self.program(&key, loaded) else { continue };
            all.push(Arc::clone(&program));
            programs.insert(key, program);
        }
        self.programs = programs;
        Analysis::new(all, Arc::clone(&sources.options.buffers))
    }

    /// Returns `None` for a program that cannot be read.
    fn program(&self, key: &PathBuf, loaded: Result<Loaded, LoadError>) -> Option<Arc<Program>> {
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(LoadError::Invalid { files, paths, mut diagnostics }) => {
                mcl_diagnostics::sort(&mut diagnostics);
                let loaded = Loaded { files, paths, ..Loaded::default() };
                let program = Checked { loaded, typed: Typed::default() };
                return Some(Arc::new(Program::new(program, diagnostics)));
            }
            Err(LoadError::Input(_)) => return None,
        };
        if let Some(known) = self.programs.get(key).filter(|known| known.is_of(&loaded)) {
            return Some(Arc::clone(known));
        }
        let files = loaded.files.clone();
        let lints = loaded.lints.clone();
        let Analyzed { program, mut diagnostics } = analyze(loaded);
        let level_of = |code: Code| {
            let levels = lints.iter().filter(|(selector, _)| selector.matches(code));
            let levels = levels.map(|(selector, level)| (selector.specificity(), *level));
            levels.min_by_key(|level| Reverse(*level)).map(|(_, level): (_, LintLevel)| level)
        };
        finish_diagnostics(&files, &mut diagnostics, level_of);
        Some(Arc::new(Program::new(program, diagnostics)))
    }
}
