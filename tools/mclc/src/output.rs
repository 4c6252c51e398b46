//! Output to the terminal and to files.

use std::fmt;
use std::fs::Permissions;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcl_diagnostics::Files;

use crate::status::UNUSABLE;

/// Writes to standard output and returns the exit status. A reader that closes the pipe (`mclc check | head`) is not a
/// failure.
pub fn stdout(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => unusable(format_args!("cannot write to standard output: {}", reason(&error))),
    }
}

/// Shows text to a person: on a terminal that is too small for it, with the pager of the environment. Returns the exit status.
pub fn paged(text: &str) -> u8 {
    let height = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_row));
    // Elsewhere there is nobody to scroll.
    let is_long = io::stdout().is_terminal() && height.is_some_and(|height| text.lines().count() >= height);
    match pager().filter(|_| is_long).and_then(|pager| page(&pager, text)) {
        Some(()) => 0,
        None => stdout(text.as_bytes()),
    }
}

/// The pager if the environment names none, as a command of a shell. It ends with 127 where it is not installed.
const DEFAULT_PAGER: &str = "command -v less >/dev/null || exit 127; exec less";

/// Returns the command that pages; `None` if there is to be none.
fn pager() -> Option<String> {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT_PAGER.to_owned());
    (!pager.trim().is_empty() && pager != "cat").then_some(pager)
}

/// Runs a pager until its user has read enough. Returns `None` if it cannot be started.
fn page(pager: &str, text: &str) -> Option<()> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colors, and what was shown stays on the terminal.
        command.env("LESS", "RX");
    }
    let mut child = command.spawn().ok()?;
    if let Some(mut input) = child.stdin.take() {
        // A user who has read enough ends the pager before it has read everything.
        let _ = input.write_all(text.as_bytes());
    }
    let status = child.wait().ok()?;
    // The shell did not find it.
    (status.code() != Some(127)).then_some(())
}

/// Reports a failure that is not an error of the program, and returns its exit status.
pub fn unusable(message: impl std::fmt::Display) -> u8 {
    stderr(&format!("mclc: {message}\n"));
    UNUSABLE
}

/// Writes to standard error. A failure is ignored, since it could not be reported.
pub fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a file atomically: it contains the old content or the new content, never a part of it. `-` is standard output.
/// Devices and pipes are written in place.
///
/// # Errors
/// The exit status, after the failure has been reported.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), u8> {
    file_with_mode(path, bytes, 0o666)
}

/// Writes a file like [`file()`], but readable by its owner only: for content with secrets.
pub fn private_file(path: &Path, bytes: &[u8]) -> Result<(), u8> {
    file_with_mode(path, bytes, 0o600)
}

/// Writes an artifact, which contains the sources and the files of a program: readable by its owner only if these may hold
/// sensitive values, or are private themselves.
///
/// # Errors
/// The exit status, after the failure has been reported.
pub fn artifact(path: &Path, bytes: &[u8], files: &Files, has_private_files: bool) -> Result<(), u8> {
    let is_private = has_private_files || mcl_driver::may_hold_sensitive_values(files);
    if is_private { private_file(path, bytes) } else { file(path, bytes) }
}

fn file_with_mode(path: &Path, bytes: &[u8], mode: u32) -> Result<(), u8> {
    if path == Path::new("-") {
        return match stdout(bytes) {
            0 => Ok(()),
            status => Err(status),
        };
    }
    write(path, bytes, mode).map_err(|error| {
        let mut why = reason(&error);
        if error.kind() == io::ErrorKind::NotFound {
            let directory = directory(path);
            why = format!("the directory `{}` does not exist", directory.display());
        }
        unusable(format_args!("cannot write `{}`: {why}", path.display()));
        UNUSABLE
    })
}

/// Writes a file like [`file()`], but reports no failure.
///
/// # Errors
/// It cannot be written.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, 0o666)
}

/// Whether a path is a symbolic link that another ordinary user made: he must not choose what is overwritten.
fn is_link_of_another_user(path: &Path) -> bool {
    let trusted = [0, rustix::process::geteuid().as_raw()];
    path.symlink_metadata().is_ok_and(|found| found.is_symlink() && !trusted.contains(&found.uid()))
}

/// `mode` is the mode of a new file, before the umask. A link is followed, unless it is one of another user, which is replaced.
fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let target = match path.metadata() {
        _ if is_link_of_another_user(path) => path.to_owned(),
        Ok(existing) if existing.is_file() => path.canonicalize()?,
        Ok(existing) if existing.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Err(_) => path.to_owned(),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(".mclc-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(directory(&target))?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_data()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Why a file is not replaced.
#[derive(Debug)]
pub enum ReplaceError {
    Io {
        path: PathBuf,
        error: io::Error,
    },
    /// A new file cannot get its owner and group.
    Foreign(PathBuf),
    /// It has another content by now.
    Changed(PathBuf),
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplaceError::Io { path, error } => write!(f, "cannot write `{}`: {}", path.display(), reason(error)),
            ReplaceError::Foreign(path) => {
                write!(f, "cannot write `{}`: it belongs to another user or group", path.display())
            }
            ReplaceError::Changed(path) => write!(f, "`{}` was changed by another program", path.display()),
        }
    }
}

/// Replaces the content of a file atomically, and keeps its owner and mode; a symbolic link keeps its target.
///
/// # Errors
/// The file cannot be replaced, or has another content than expected by now.
pub fn replace(path: &Path, expected: &[u8], bytes: &[u8]) -> Result<(), ReplaceError> {
    let failure = |error| ReplaceError::Io { path: path.to_owned(), error };
    let target = path.canonicalize().map_err(failure)?;
    let old = target.metadata().map_err(failure)?;
    let mut temporary = tempfile::Builder::new().prefix(".mclc-").tempfile_in(directory(&target)).map_err(failure)?;
    temporary.write_all(bytes).map_err(failure)?;
    let new = temporary.as_file().metadata().map_err(failure)?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        fchown(temporary.as_file(), Some(old.uid()), Some(old.gid()))
            .map_err(|_| ReplaceError::Foreign(path.to_owned()))?;
    }
    temporary.as_file().set_permissions(old.permissions()).map_err(failure)?;
    temporary.as_file().sync_data().map_err(failure)?;
    if std::fs::read(&target).map_err(failure)? != expected {
        return Err(ReplaceError::Changed(path.to_owned()));
    }
    temporary.persist(&target).map_err(|error| failure(error.error))?;
    Ok(())
}

fn directory(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns the message of an I/O error, without the error number and in lower case.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text).split(" at path").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
