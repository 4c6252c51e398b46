//! `golang/os/exec`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{fmt, io};

use go_compat::os::error_text;
use go_compat::path::join;
use go_compat::strconv::quote;

use crate::Function;
use crate::args::Args;
use crate::golang::os::environment;
use crate::table::{Outcome, fatal, host, ok};

pub(crate) static FUNCTIONS: &[Function] = &[Function {
    inlinable: true,
    ..host(
        "golang/os/exec.look_path",
        "func(file str) str",
        "Finds an executable in the directories of `$PATH`.",
        |_, args| look_path(args.bytes(0)?),
    )
}
.example(r#"exec.look_path("sh")"#)];

pub(crate) fn look_path(file: &[u8]) -> Outcome {
    let failure = |cause: &str| fatal(format!("exec: {}: {cause}", quote(file)));
    if file.contains(&b'/') {
        return match executable(file) {
            Ok(()) => ok(file),
            Err(cause) => failure(&cause.to_string()),
        };
    }
    let path = environment(b"PATH").unwrap_or_default();
    for dir in path.split(|&b| b == b':') {
        let dir = if dir.is_empty() { b"." } else { dir };
        let candidate = join(&[dir, file]);
        if !file.is_empty() && executable(&candidate).is_ok() {
            return if dir.starts_with(b"/") {
                ok(candidate)
            } else {
                failure("cannot run executable found relative to current directory")
            };
        }
    }
    failure("executable file not found in $PATH")
}

/// Why a file cannot be executed.
enum NotExecutable {
    Stat { path: String, cause: io::Error },
    Directory,
    PermissionDenied,
}

impl fmt::Display for NotExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotExecutable::Stat { path, cause } => write!(f, "stat {path}: {}", error_text(cause)),
            NotExecutable::Directory => f.write_str("is a directory"),
            NotExecutable::PermissionDenied => f.write_str("permission denied"),
        }
    }
}

fn executable(path: &[u8]) -> Result<(), NotExecutable> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = std::fs::metadata(Path::new(OsStr::from_bytes(path)))
        .map_err(|cause| NotExecutable::Stat { path: String::from_utf8_lossy(path).into_owned(), cause })?;
    if metadata.is_dir() {
        Err(NotExecutable::Directory)
    } else if metadata.permissions().mode() & 0o111 == 0 {
        Err(NotExecutable::PermissionDenied)
    } else {
        Ok(())
    }
}
