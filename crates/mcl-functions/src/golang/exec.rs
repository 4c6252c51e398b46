//! `golang/os/exec`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

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
}];

pub(crate) fn look_path(file: &[u8]) -> Outcome {
    let failure = |cause: &str| fatal(format!("exec: {}: {cause}", quote(file)));
    if file.contains(&b'/') {
        return match executable(file) {
            Ok(()) => ok(file),
            Err(cause) => failure(&cause),
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

fn executable(path: &[u8]) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let shown = String::from_utf8_lossy(path);
    let metadata = std::fs::metadata(Path::new(OsStr::from_bytes(path)))
        .map_err(|error| format!("stat {shown}: {}", error_text(&error)))?;
    if metadata.is_dir() {
        Err("is a directory".to_owned())
    } else if metadata.permissions().mode() & 0o111 == 0 {
        Err("permission denied".to_owned())
    } else {
        Ok(())
    }
}
