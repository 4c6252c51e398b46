//! From the texts of a workspace to an analysis.

mod edit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Files, LevelSetting, LintLevel, LintSelector, Severity};
use mcl_driver::{Analyzed, Checked, analyze, compile, finish_diagnostics};
use mcl_modules::{FoundProgram, Input, LoadError, Loaded, load_programs_of};
use mcl_types::Typed;

use crate::analysis::{Analysis, Setting};
use crate::document::Document;
use crate::program::{Program, Unfinished};
use crate::workspace::Sources;

/// What comments start with that allow lints.
const ALLOWANCE: &str = "mclc:";

/// Makes analyses, and remembers the last one.
#[derive(Debug, Default)]
pub struct Analyzer {
    /// What it was made of, beside texts.
    setting: Setting,
    documents: Arc<BTreeMap<PathBuf, Arc<Document>>>,
    programs: Vec<Known>,
}

/// A program that was analysed.
#[derive(Debug)]
struct Known {
    input: PathBuf,
    program: Arc<Program>,
    /// What is wrong with it in the last texts, which may be newer than the analysis.
    findings: Option<Unfinished>,
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
        self.analyze_while(sources, &|| true).unwrap_or_default()
    }

    /// Analyses the programs that the texts belong to. Returns `None` as soon as the result is not wanted any more.
    pub fn analyze_while(&mut self, sources: &Sources, is_wanted: &dyn Fn() -> bool) -> Option<Analysis> {
        // Without a working directory there are only absolute paths, which this crate is given anyway.
        let found = load_programs_of(&sources.roots, &sources.options).unwrap_or_default();
        let setting = sources.setting();
        if self.setting.levels != setting.levels {
            self.programs.clear();
        }
        let mut programs = Vec::new();
        for FoundProgram { input, loaded } in found {
            let input = match input {
                Input::Directory(path) | Input::File(path) | Input::Text { path, .. } => path,
            };
            match self.program(&input, &setting.levels, loaded, is_wanted) {
                Ok(program) => {
                    program.set_syntaxes(&sources.documents);
                    let findings = program.unfinished().cloned();
                    programs.push(Known { input, program, findings });
                }
                Err(Failure::Unreadable) => {}
                Err(Failure::Unwanted) => return None,
            }
        }
        let all = programs.iter().map(|known| Arc::clone(&known.program)).collect();
        self.programs = programs;
        self.documents = Arc::clone(&sources.documents);
        self.setting = setting.clone();
        let mut analysis = Analysis::new(all, Arc::clone(&sources.documents));
        analysis.setting = setting;
        Some(analysis)
    }

    fn program(
        &self,
        input: &PathBuf,
        levels: &[(LintSelector, LintLevel)],
        loaded: Result<Loaded, LoadError>,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Program>, Failure> {
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(LoadError::Invalid { files, paths, mut diagnostics }) => {
                mcl_diagnostics::sort(&mut diagnostics);
                let loaded = Loaded { files, paths, ..Loaded::default() };
                let program = Checked { loaded, typed: Typed::default() };
                return Ok(Arc::new(Program::new(program, diagnostics, None)));
            }
            Err(LoadError::Input(_)) => return Err(Failure::Unreadable),
        };
        let known = self.programs.iter().find(|known| known.input == *input);
        if let Some(known) = known.filter(|known| known.program.is_of(&loaded)) {
            return Ok(Arc::clone(&known.program));
        }
        let files = loaded.files.clone();
        let lints = loaded.lints.clone();
        let analyzed = analyze(loaded, is_wanted).ok_or(Failure::Unwanted)?;
        let Analyzed { program, mut diagnostics, declarations } = analyzed;
        let has_allowances = || files.files.values().any(|file| file.text.contains(ALLOWANCE));
        let has_errors = diagnostics.iter().any(|found| found.severity == Severity::Error);
        let unfinished = declarations.filter(|_| !has_errors && !has_allowances());
        let unfinished = unfinished.map(|declarations| Unfinished { diagnostics: diagnostics.clone(), declarations });
        finish(&files, &mut diagnostics, levels, &lints);
        Ok(Arc::new(Program::new(program, diagnostics, unfinished)))
    }
}

/// Why there is no program.
enum Failure {
    Unreadable,
    /// Nobody waits for it any more.
    Unwanted,
}

/// Applies the levels of the client, or else those of the project, and sorts.
fn finish(
    files: &Files,
    diagnostics: &mut Vec<Diagnostic>,
    of_client: &[(LintSelector, LintLevel)],
    of_project: &[(LintSelector, LintLevel)],
) {
    let level_of = |code: Code| {
        let settings = LevelSetting::of(code, of_client, true).chain(LevelSetting::of(code, of_project, false));
        LevelSetting::decide(settings, code.is_pedantic())
    };
    finish_diagnostics(files, diagnostics, level_of);
}
