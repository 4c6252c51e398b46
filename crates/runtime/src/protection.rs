//! What root follows must be root's: who can change a program, code or data decides what root does.

use std::path::Path;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use safe_fs::{Error, Files};

/// Returns an error if root follows the instructions in a file and another user can change it. A file that cannot be read is
/// reported later.
#[must_use]
pub fn unprotected(path: &Path) -> Option<Diagnostic> {
    let files = Files::of_kernel();
    if files.file_system().user() != 0 {
        return None;
    }
    let error = files.check_path_protected(path).err().filter(|error| error.io_kind().is_none())?;
    Some(diagnostic(&error).help(format!(
        "run `chown root FILE; chmod go-w FILE` for {} and the directories above it, or copy it to a directory of root's",
        path.display()
    )))
}

/// Returns an error if root follows the instructions in these files, and another user can change one of them, or make one that
/// is missing.
#[must_use]
pub fn any_unprotected<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Option<Diagnostic> {
    let files = Files::of_kernel();
    if files.file_system().user() != 0 {
        return None;
    }
    let error = files.check_paths_protected(paths).err().filter(|error| error.io_kind().is_none())?;
    Some(diagnostic(&error).help(
        "code and data say what root does: give them to root (`chown -R root`), and let nobody else write them (`chmod -R go-w`)",
    ))
}

fn diagnostic(error: &Error) -> Diagnostic {
    Diagnostic::error(Code::R0414, Stage::Engine, error.to_string())
}
