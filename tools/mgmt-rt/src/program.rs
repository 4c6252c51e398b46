//! Reading artifacts.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use mcl_artifact::program::Program;
use mcl_artifact::read_program;
use mcl_diagnostics::{Files, Format};

use crate::report;

/// Loads a compiled program.
///
/// # Errors
/// The exit status, after the error has been reported.
pub fn load(path: &Path, format: Format) -> Result<Arc<Program>, ExitCode> {
    let bytes = std::fs::read(path).map_err(|error| {
        eprintln!("mgmt-rt: cannot read {}: {error}", path.display());
        ExitCode::from(2)
    })?;
    match read_program(&bytes) {
        Ok(program) => Ok(Arc::new(program)),
        Err(mut diagnostic) => {
            diagnostic.message = format!("{}: {}", path.display(), diagnostic.message);
            report::print(vec![diagnostic], &Files::default(), format);
            Err(ExitCode::FAILURE)
        }
    }
}
