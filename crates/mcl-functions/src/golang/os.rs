//! `golang/os`: properties of the process and the machine. They are not watched.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use go_compat::os::{error_text, expand, path_error};
use go_compat::path::clean;

use crate::args::Args;
use crate::golang::rand::random_u64;
use crate::input_file::read_regular;
use crate::table::{Outcome, fatal, host, ok};
use crate::{Function, Plain};

/// Declares a function whose result depends on the host, but which mgmt registers as pure.
const fn fact(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { inlinable: true, ..host(name, signature, doc, plain) }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    fact("golang/os.executable", "func() str", "Returns the path of the running executable.", |_, _| {
        std::env::current_exe().map_or_else(
            |error| fatal(format!("readlink /proc/self/exe: {}", error_text(&error))),
            |path| ok(path.into_os_string().into_vec()),
        )
    }),
    fact(
        "golang/os.expand_env",
        "func(s str) str",
        "Replaces `$x` and `${x}` with environment variables.",
        |_, args| ok(expand(args.bytes(0)?, |name| environment(name).unwrap_or_default())),
    )
    .example(r#"os.expand_env("$HOME/bin")"#),
    fact("golang/os.getegid", "func() int", "Returns the effective group id of the process.", |_, _| {
        ok(i64::from(rustix::process::getegid().as_raw()))
    }),
    fact(
        "golang/os.getenv",
        "func(key str) str",
        "Returns an environment variable; empty if it is not set.",
        |_, args| ok(environment(args.bytes(0)?).unwrap_or_default()),
    )
    .example(r#"os.getenv("HOME")"#),
    fact("golang/os.geteuid", "func() int", "Returns the effective user id of the process.", |_, _| {
        ok(i64::from(rustix::process::geteuid().as_raw()))
    }),
    fact("golang/os.getgid", "func() int", "Returns the group id of the process.", |_, _| {
        ok(i64::from(rustix::process::getgid().as_raw()))
    }),
    fact("golang/os.getpagesize", "func() int", "Returns the size of a memory page in bytes.", |_, _| {
        ok(i64::try_from(rustix::param::page_size()).unwrap_or(4096))
    }),
    fact("golang/os.getpid", "func() int", "Returns the process id.", |_, _| ok(i64::from(std::process::id()))),
    fact("golang/os.getppid", "func() int", "Returns the process id of the parent process.", |_, _| {
        ok(i64::from(std::os::unix::process::parent_id()))
    }),
    fact("golang/os.getuid", "func() int", "Returns the user id of the process.", |_, _| {
        ok(i64::from(rustix::process::getuid().as_raw()))
    }),
    fact("golang/os.getwd", "func() str", "Returns the working directory of the process.", |_, _| {
        std::env::current_dir().map_or_else(
            |error| fatal(format!("getwd: {}", error_text(&error))),
            |path| ok(path.into_os_string().into_vec()),
        )
    }),
    fact("golang/os.hostname", "func() str", "Returns the host name reported by the kernel.", |_, _| {
        ok(rustix::system::uname().nodename().to_bytes())
    }),
    fact(
        "golang/os.mkdir_temp",
        "func(dir str, pattern str) str",
        "Creates a new directory and returns its path; a random string replaces the last `*` or is appended.",
        |_, args| mkdir_temp(args.bytes(0)?, args.bytes(1)?),
    )
    .impure()
    .example(r#"os.mkdir_temp("", "web-*")"#),
    fact("golang/os.read_file", "func(name str) str", "Returns the contents of a file.", |cx, args| {
        let name = args.text(0)?;
        match read_regular(Path::new(OsStr::from_bytes(args.bytes(0)?))) {
            Ok(contents) => {
                if contents.is_private {
                    cx.mark_sensitive();
                }
                ok(contents.bytes)
            }
            Err(error) => fatal(path_error(&name, &error)),
        }
    })
    .example(r#"os.read_file("/etc/hostname")"#),
    fact("golang/os.readlink", "func(name str) str", "Returns the target of a symbolic link.", |_, args| {
        match std::fs::read_link(OsStr::from_bytes(args.bytes(0)?)) {
            Ok(target) => ok(target.into_os_string().into_vec()),
            Err(error) => fatal(format!("readlink {}: {}", args.text(0)?, error_text(&error))),
        }
    })
    .example(r#"os.readlink("/etc/mtab")"#),
    fact("golang/os.temp_dir", "func() str", "Returns `$TMPDIR`, or `/tmp` if it is not set.", |_, _| ok(temp_dir())),
    fact(
        "golang/os.user_cache_dir",
        "func() str",
        "Returns `$XDG_CACHE_HOME`, or `$HOME/.cache` if it is not set.",
        |_, _| user_dir("XDG_CACHE_HOME", b"/.cache"),
    ),
    fact(
        "golang/os.user_config_dir",
        "func() str",
        "Returns `$XDG_CONFIG_HOME`, or `$HOME/.config` if it is not set.",
        |_, _| user_dir("XDG_CONFIG_HOME", b"/.config"),
    ),
    fact("golang/os.user_home_dir", "func() str", "Returns `$HOME`.", |_, _| match environment(b"HOME") {
        Some(home) if !home.is_empty() => ok(home),
        _ => fatal("$HOME is not defined"),
    }),
];

/// Returns an environment variable; `None` if it is not set. Accepts any name, unlike `std::env::var_os`.
pub(crate) fn environment(name: &[u8]) -> Option<Vec<u8>> {
    std::env::vars_os().find(|(key, _)| key.as_bytes() == name).map(|(_, value)| value.into_vec())
}

fn temp_dir() -> Vec<u8> {
    environment(b"TMPDIR").filter(|dir| !dir.is_empty()).unwrap_or_else(|| b"/tmp".to_vec())
}

fn user_dir(variable: &str, below_home: &[u8]) -> Outcome {
    match environment(variable.as_bytes()).filter(|dir| !dir.is_empty()) {
        Some(dir) if dir.starts_with(b"/") => ok(dir),
        Some(_) => fatal(format!("path in ${variable} is relative")),
        None => match environment(b"HOME").filter(|home| !home.is_empty()) {
            Some(home) => ok([&home[..], below_home].concat()),
            None => fatal(format!("neither ${variable} nor $HOME are defined")),
        },
    }
}

fn mkdir_temp(dir: &[u8], pattern: &[u8]) -> Outcome {
    let shown = String::from_utf8_lossy(pattern);
    if pattern.contains(&b'/') {
        return fatal(format!("mkdirtemp {shown}: pattern contains path separator"));
    }
    let dir = if dir.is_empty() { temp_dir() } else { dir.to_vec() };
    let split = pattern.iter().rposition(|&b| b == b'*');
    let (prefix, suffix) = split.map_or((pattern, &b""[..]), |star| (&pattern[..star], &pattern[star + 1..]));
    for _ in 0..1000 {
        let number = random_u64() >> 32;
        let path = [&dir[..], b"/", prefix, number.to_string().as_bytes(), suffix].concat();
        let path = clean(&path);
        let made = std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700)
            .create(Path::new(OsStr::from_bytes(&path)));
        match made {
            Ok(()) => return ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return fatal(format!("mkdir {}: {}", String::from_utf8_lossy(&path), error_text(&error))),
        }
    }
    fatal("mkdirtemp: file already exists")
}
