//! Functions that watch files or kernel modules.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use go_compat::os::{error_text, path_error};
use mcl_value::Value;

use super::users;
use crate::args::Args;
use crate::input_file::InputFile;
use crate::kernel_events::KernelEvents;
use crate::table::{Outcome, catchable, fatal, ok};
use crate::{Stream, StreamContext};

/// Watches a path. A relative path is resolved against the working directory, as for reading.
fn watch(cx: &mut dyn StreamContext, path: &[u8]) -> PathBuf {
    let path = Path::new(OsStr::from_bytes(path));
    if !path.as_os_str().is_empty() {
        let absolute = absolute(path);
        cx.wake_on_path(&absolute);
        // What a link leads to changes in a directory of its own.
        if let Ok(target) = std::fs::canonicalize(path)
            && target != absolute
        {
            cx.wake_on_path(&target);
        }
    }
    path.to_path_buf()
}

/// Returns the path that is watched for a path. In a working directory that is gone, nothing is.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

pub(super) struct FileExists;

impl Stream for FileExists {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        match std::fs::metadata(watch(cx, args.bytes(0)?)) {
            Ok(_) => ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ok(false),
            Err(error) => fatal(format!("stat {}: {}", args.text(0)?, error_text(&error))),
        }
    }
}

#[derive(Default)]
pub(super) struct ReadFile(InputFile);

impl Stream for ReadFile {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let path = watch(cx, args.bytes(0)?);
        match self.0.read(cx, &path) {
            Ok(Some(contents)) => {
                if contents.is_private {
                    cx.mark_sensitive();
                }
                ok(contents.bytes)
            }
            Ok(None) => {
                cx.not_ready("the file is being written");
                ok("")
            }
            Err(error) => {
                let message = format!("error reading file: {}", path_error(&args.text(0)?, &error));
                if error.kind() == std::io::ErrorKind::NotFound { catchable(message) } else { fatal(message) }
            }
        }
    }
}

pub(super) struct UserExists;

impl Stream for UserExists {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        cx.wake_on_path(Path::new(users::PASSWD));
        ok(users::find(args.bytes(0)?)?.is_some())
    }
}

#[derive(Default)]
pub(super) struct ModuleLoaded(Option<KernelEvents>);

impl Stream for ModuleLoaded {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        KernelEvents::modules(&mut self.0, cx)?;
        let name = args.bytes(0)?;
        match std::fs::read("/proc/modules") {
            Ok(text) => ok(text.split(|&b| b == b'\n').any(|line| line.split(|&b| b == b' ').next() == Some(name))),
            Err(error) => fatal(format!("error reading modules: {}", path_error("/proc/modules", &error))),
        }
    }
}
