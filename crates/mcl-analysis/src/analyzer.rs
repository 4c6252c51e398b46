//! From the texts of a workspace to an analysis.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, LintLevel, LintSelector};
use mcl_driver::{Analyzed, Checked, analyze, compile, finish_diagnostics};
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
    /// The levels of lints that they were analysed with.
    levels: Vec<(LintSelector, LintLevel)>,
}

impl Analysis {
    /// Builds the program of a file as `mclc build` does, without the files that it deploys; `None` if it has errors.
    #[must_use]
    pub fn artifact(&self, sources: &Sources, path: &Path) -> Option<Vec<u8>> {
        let found = load_programs_of(&[path.to_owned()], &sources.options).ok()?;
        let loaded = found.into_iter().next()?.loaded.ok()?;
        let mut compiled = compile(loaded, &[ArtifactStage::Fgraph], || {});
        compiled.artifacts.pop().map(|(_, program)| program)
    }
}

impl Analyzer {
    /// Analyses the programs that the texts belong to (spec 11 §2.2).
    pub fn analyze(&mut self, sources: &Sources) -> Analysis {
        // Without a working directory there are only absolute paths, which this crate is given anyway.
        let found = load_programs_of(&sources.roots, &sources.options).unwrap_or_default();
        if self.levels != sources.levels {
            self.programs.clear();
            self.levels.clone_from(&sources.levels);
        }
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
            let of = |levels: &[(LintSelector, LintLevel)], is_client: bool| {
                let levels = levels.iter().filter(|(selector, _)| selector.matches(code));
                levels.map(|(selector, level)| (selector.specificity(), is_client, *level)).collect::<Vec<_>>()
            };
            let levels = of(&self.levels, true).into_iter().chain(of(&lints, false));
            levels.min_by_key(|level| Reverse(*level)).map(|(_, _, level)| level)
        };
        finish_diagnostics(&files, &mut diagnostics, level_of);
        Some(Arc::new(Program::new(program, diagnostics)))
    }
}
