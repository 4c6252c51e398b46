//! The state directory of a command.

use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, Stage};
use runtime::{StateDir, StateError, default_prefix};
use tempfile::TempDir;

/// Where a command keeps its state.
pub enum Prefix<'a> {
    /// In a directory that the command line names.
    Given(&'a Path),
    /// In the directory of the user.
    Default,
    /// In a new temporary directory.
    Temporary,
}

/// Opens the state directory of the requested prefix.
///
/// # Errors
/// R0410 if there is no usable prefix.
pub fn open_state(prefix: Prefix<'_>) -> Result<(StateDir, PathBuf), Diagnostic> {
    let prefix = match prefix {
        Prefix::Given(prefix) => prefix.to_path_buf(),
        Prefix::Temporary => temporary_prefix()?,
        Prefix::Default => default_prefix().ok_or_else(|| {
            Diagnostic::error(Code::R0410, Stage::Engine, "cannot determine the state directory: HOME is not set")
                .help("set one with `--prefix DIR`, or use `--tmp-prefix`")
        })?,
    };
    let prefix = std::path::absolute(&prefix).unwrap_or(prefix);
    let state = StateDir::open(&prefix).map_err(|error| unusable_state(&error))?;
    Ok((state, prefix))
}

/// Returns the error about a state directory that cannot be used.
pub fn unusable_state(error: &StateError) -> Diagnostic {
    let other = "choose another directory with `--prefix DIR`, or use `--tmp-prefix`";
    let help = match error {
        StateError::Unsafe(safe_fs::Error::Unprotected { .. }) => format!(
            "if you trust what is there, take it away from other users with `chown` and `chmod go-w`; else {other}"
        ),
        _ => other.to_owned(),
    };
    Diagnostic::error(Code::R0410, Stage::Engine, error.to_string()).help(help)
}

fn temporary_prefix() -> Result<PathBuf, Diagnostic> {
    let directory = tempfile::Builder::new().prefix("mgmt-").tempdir();
    directory.map(TempDir::keep).map_err(|error| {
        Diagnostic::error(Code::R0410, Stage::Engine, format!("cannot create a temporary directory: {error}"))
    })
}
