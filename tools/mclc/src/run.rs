//! `mclc run`: compiles a program, then replaces this process by `mgmt-rt apply`.

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::cli::{Build, Color, Run};
use crate::output::unusable;
use crate::{build, output};

/// Runs a program. The artifact exists in memory only, so no file is left behind however the runtime ends. Because the
/// runtime replaces this process, it receives signals directly and its exit status is the one of `mclc run`.
pub fn run(args: &Run, color: Color) -> u8 {
    let built = match build::compile(
        &Build {
            path: args.path.clone(),
            output: PathBuf::new(),
            emit: Vec::new(),
            source: args.source.clone(),
            report: args.report.clone(),
        },
        &[],
        color,
    ) {
        Ok(built) => built,
        Err(status) => return status,
    };
    let Some((_, bytes)) = built.artifacts.last() else { return unusable("the program has no artifact") };
    // No close-on-exec flag: the runtime inherits the descriptor.
    let file = match memfd_create("program.bin", MemfdFlags::empty()) {
        Ok(fd) => std::fs::File::from(fd),
        Err(error) => return unusable(format_args!("cannot hold the artifact in memory: {error}")),
    };
    if let Err(error) = (&file).write_all(bytes) {
        return unusable(format_args!("cannot hold the artifact in memory: {}", output::reason(&error)));
    }
    let runtime = runtime();
    let error =
        Command::new(&runtime).arg("apply").arg(format!("/proc/self/fd/{}", file.as_raw_fd())).args(&args.rest).exec();
    unusable(format_args!("cannot start `{}`: {}", runtime.to_string_lossy(), output::reason(&error)))
}

/// Returns the runtime in the directory of this executable, else the one in PATH.
pub fn runtime() -> OsString {
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("mgmt-rt"));
    beside.filter(|path| path.is_file()).map_or_else(|| "mgmt-rt".into(), PathBuf::into_os_string)
}
