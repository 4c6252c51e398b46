//! `golang/os`: facts about the process and its machine. Nothing here is watched.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use crate::args::Args;
use crate::table::{Outcome, fatal, host, ok};
use crate::{Function, Plain};

/// A row: a function of the host that mgmt registers as pure.
const fn fact(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { inlinable: true, ..host(name, signature, doc, plain) }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    fact("golang/os.executable", "func() str", "The path of the running program.", |_, _| {
        std::env::current_exe().map_or_else(
            |error| fatal(format!("readlink /proc/self/exe: {}", go_error(&error))),
            |path| ok(path.into_os_string().into_vec()),
        )
    }),
    fact("golang/os.expand_env", "func(s str) str", "Replaces `$x` and `${x}` by environment variables.", |_, args| {
        ok(expand_env(args.bytes(0)?))
    }),
    fact("golang/os.getegid", "func() int", "The effective group id.", |_, _| {
        ok(i64::from(rustix::process::getegid().as_raw()))
    }),
    fact("golang/os.getenv", "func(key str) str", "The environment variable, empty if it is not set.", |_, args| {
        ok(environment(args.bytes(0)?).unwrap_or_default())
    }),
    fact("golang/os.geteuid", "func() int", "The effective user id.", |_, _| {
        ok(i64::from(rustix::process::geteuid().as_raw()))
    }),
    fact("golang/os.getgid", "func() int", "The group id.", |_, _| ok(i64::from(rustix::process::getgid().as_raw()))),
    fact("golang/os.getpagesize", "func() int", "The size of a memory page in bytes.", |_, _| {
        ok(i64::try_from(rustix::param::page_size()).unwrap_or(4096))
    }),
    fact("golang/os.getpid", "func() int", "The process id.", |_, _| ok(i64::from(std::process::id()))),
    fact("golang/os.getppid", "func() int", "The process id of the parent.", |_, _| {
        ok(i64::from(std::os::unix::process::parent_id()))
    }),
    fact("golang/os.getuid", "func() int", "The user id.", |_, _| ok(i64::from(rustix::process::getuid().as_raw()))),
    fact("golang/os.getwd", "func() str", "The directory of the process.", |_, _| {
        std::env::current_dir().map_or_else(
            |error| fatal(format!("getwd: {}", go_error(&error))),
            |path| ok(path.into_os_string().into_vec()),
        )
    }),
    fact("golang/os.hostname", "func() str", "The host name of the kernel.", |_, _| {
        ok(rustix::system::uname().nodename().to_bytes())
    }),
    fact(
        "golang/os.mkdir_temp",
        "func(dir str, pattern str) str",
        "Makes a new directory; the last `*` of its name, or else its end, is random.",
        |_, args| mkdir_temp(args.bytes(0)?, args.bytes(1)?),
    )
    .impure(),
    fact("golang/os.read_file", "func(name str) str", "The contents of a file.", |_, args| {
        let name = args.text(0)?;
        match std::fs::read(OsStr::from_bytes(args.bytes(0)?)) {
            Ok(contents) => ok(contents),
            Err(error) => fatal(path_error(&name, &error)),
        }
    }),
    fact("golang/os.readlink", "func(name str) str", "Where a symbolic link points to.", |_, args| {
        match std::fs::read_link(OsStr::from_bytes(args.bytes(0)?)) {
            Ok(target) => ok(target.into_os_string().into_vec()),
            Err(error) => fatal(format!("readlink {}: {}", args.text(0)?, go_error(&error))),
        }
    }),
    fact("golang/os.temp_dir", "func() str", "`$TMPDIR`, or `/tmp`.", |_, _| ok(temp_dir())),
    fact("golang/os.user_cache_dir", "func() str", "`$XDG_CACHE_HOME`, or `$HOME/.cache`.", |_, _| {
        user_dir("XDG_CACHE_HOME", b"/.cache")
    }),
    fact("golang/os.user_config_dir", "func() str", "`$XDG_CONFIG_HOME`, or `$HOME/.config`.", |_, _| {
        user_dir("XDG_CONFIG_HOME", b"/.config")
    }),
    fact("golang/os.user_home_dir", "func() str", "`$HOME`.", |_, _| match environment(b"HOME") {
        Some(home) if !home.is_empty() => ok(home),
        _ => fatal("$HOME is not defined"),
    }),
];

/// The text that Go has for an error of the operating system.
pub(crate) fn go_error(error: &std::io::Error) -> String {
    // Rust adds the number, and Go does not capitalise: `No such file or directory (os error 2)`.
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Go's error for reading a file: opening a directory works, reading it does not.
pub(crate) fn path_error(name: &str, error: &std::io::Error) -> String {
    let operation = if error.kind() == std::io::ErrorKind::IsADirectory { "read" } else { "open" };
    format!("{operation} {name}: {}", go_error(error))
}

/// An environment variable; `None` if it is not set. No name makes this panic.
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
        let number = super::rand::random_u64() >> 32;
        let path = [&dir[..], b"/", prefix, number.to_string().as_bytes(), suffix].concat();
        let path = super::path::clean(&path);
        let made = std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700)
            .create(Path::new(OsStr::from_bytes(&path)));
        match made {
            Ok(()) => return ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return fatal(format!("mkdir {}: {}", String::from_utf8_lossy(&path), go_error(&error))),
        }
    }
    fatal("mkdirtemp: file already exists")
}

/// Go's `os.ExpandEnv`.
fn expand_env(text: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(dollar) = memchr::memchr(b'$', rest).filter(|dollar| dollar + 1 < rest.len()) {
        out.extend_from_slice(&rest[..dollar]);
        let (name, length) = shell_name(&rest[dollar + 1..]);
        if !name.is_empty() {
            out.extend(environment(name).unwrap_or_default());
        } else if length == 0 {
            // The dollar is followed by nothing that could be a name: it stays. Bad syntax like `${}` is eaten.
            out.push(b'$');
        }
        rest = &rest[dollar + 1 + length..];
    }
    out.extend_from_slice(rest);
    out
}

/// The variable name at the start, and how much of the text is used up.
fn shell_name(text: &[u8]) -> (&[u8], usize) {
    let special = |b: u8| b"*#$@!?-0123456789".contains(&b);
    let plain = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    match text {
        [b'{', b, b'}', ..] if special(*b) => (&text[1..2], 3),
        [b'{', rest @ ..] => match rest.iter().position(|&b| b == b'}') {
            Some(0) => (&[], 2),
            Some(close) => (&rest[..close], close + 2),
            None => (&[], 1),
        },
        [b, ..] if special(*b) => (&text[..1], 1),
        _ => {
            let length = text.iter().take_while(|b| plain(b)).count();
            (&text[..length], length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_is_expanded() {
        let home = environment(b"HOME").unwrap_or_default();
        for (text, expected) in [
            (&b"a$HOME/b"[..], [b"a", &home[..], b"/b"].concat()),
            (b"${HOME}x", [&home[..], b"x"].concat()),
            (b"$", b"$".to_vec()),
            (b"a$/b", b"a$/b".to_vec()),
            (b"${}x", b"x".to_vec()),
            (b"${x", b"x".to_vec()),
            (b"$MCL_NOT_SET_x y", b" y".to_vec()),
        ] {
            assert_eq!(expand_env(text), expected);
        }
    }

    #[test]
    fn system_errors_read_as_in_go() {
        let error = std::fs::read("/nonexistent").unwrap_err();
        assert_eq!(path_error("/nonexistent", &error), "open /nonexistent: no such file or directory");
        let error = std::fs::read("/").unwrap_err();
        assert_eq!(path_error("/", &error), "read /: is a directory");
    }
}
