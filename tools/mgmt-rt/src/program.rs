//! Reading artifacts.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use mcl_artifact::program::Program;
use mcl_artifact::{mask_sources, read_program};
use mcl_diagnostics::{Code, Diagnostic, Files, Format, Stage, read_input};
use resource_graph::declares_sensitive;
use runtime::sources::ProgramLoader;
use runtime::unprotected;

use crate::report;

/// Reads a file.
///
/// # Errors
/// The exit status, after the error has been reported.
pub fn read(path: &Path) -> Result<Vec<u8>, ExitCode> {
    read_input(path).map_err(|error| {
        eprintln!("mgmt-rt: cannot read {}: {error}", path.display());
        ExitCode::from(2)
    })
}

/// Returns the compiled program in the bytes of a file.
///
/// # Errors
/// The exit status, after the error has been reported.
pub fn load(path: &Path, bytes: &[u8], format: Format) -> Result<Arc<Program>, ExitCode> {
    parse(path, bytes).map_err(|diagnostic| {
        report::print(vec![diagnostic], &Files::default(), format);
        ExitCode::FAILURE
    })
}

/// Returns a function that loads a program again, and returns `None` if that would give the same program.
pub fn loader(path: PathBuf) -> ProgramLoader {
    // The agent may change its working directory.
    let path = std::path::absolute(&path).unwrap_or(path);
    let mut last = None;
    Box::new(move || {
        if let Some(diagnostic) = unprotected(&path) {
            return Err(diagnostic);
        }
        let bytes = read_input(&path).map_err(|error| {
            Diagnostic::error(Code::R0410, Stage::Engine, format!("cannot read {}: {error}", path.display()))
        })?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let hash = hasher.finish();
        if last == Some(hash) {
            return Ok(None);
        }
        let program = parse(&path, &bytes)?;
        last = Some(hash);
        Ok(Some(program))
    })
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Arc<Program>, Diagnostic> {
    let mut program = read_program(bytes).map_err(|mut diagnostic| {
        diagnostic.message = format!("{}: {}", path.display(), diagnostic.message);
        diagnostic
    })?;
    mask_sources(&mut program, declares_sensitive);
    Ok(Arc::new(program))
}
