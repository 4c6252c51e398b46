//! Packages `os` and `os/exec`: texts of errors, the environment, directories, programs.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use crate::Error;
use crate::path::{clean, join};
use crate::rand::random_u64;
use crate::strconv::quote;

fn failed<T>(text: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(text))
}

/// The text that Go has for an error of the operating system.
#[must_use]
pub fn error_text(error: &std::io::Error) -> String {
    // Rust adds the number, and Go does not capitalise: `No such file or directory (os error 2)`.
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Go's error for reading a file: opening a directory works, reading it does not.
#[must_use]
pub fn path_error(name: &str, error: &std::io::Error) -> String {
    let operation = if error.kind() == std::io::ErrorKind::IsADirectory { "read" } else { "open" };
    format!("{operation} {name}: {}", error_text(error))
}

/// An environment variable; `None` if it is not set. No name makes this panic.
#[must_use]
pub fn environment(name: &[u8]) -> Option<Vec<u8>> {
    std::env::vars_os().find(|(key, _)| key.as_bytes() == name).map(|(_, value)| value.into_vec())
}

/// Returns `$TMPDIR`, or `/tmp`, as `TempDir` does.
#[must_use]
pub fn temp_dir() -> Vec<u8> {
    environment(b"TMPDIR").filter(|dir| !dir.is_empty()).unwrap_or_else(|| b"/tmp".to_vec())
}

/// Returns the directory that a variable of the environment names, or a directory below `$HOME`, as `UserCacheDir` does.
///
/// # Errors
/// The variable is relative, or neither is set.
pub fn user_dir(variable: &str, below_home: &[u8]) -> Result<Vec<u8>, Error> {
    match environment(variable.as_bytes()).filter(|dir| !dir.is_empty()) {
        Some(dir) if dir.starts_with(b"/") => Ok(dir),
        Some(_) => failed(format!("path in ${variable} is relative")),
        None => match environment(b"HOME").filter(|home| !home.is_empty()) {
            Some(home) => Ok([&home[..], below_home].concat()),
            None => failed(format!("neither ${variable} nor $HOME are defined")),
        },
    }
}

/// Makes a new directory, as `MkdirTemp` does: the last `*` of the pattern, or else its end, is random.
///
/// # Errors
/// The pattern has a slash, or the directory cannot be made.
pub fn mkdir_temp(dir: &[u8], pattern: &[u8]) -> Result<Vec<u8>, Error> {
    let shown = String::from_utf8_lossy(pattern);
    if pattern.contains(&b'/') {
        return failed(format!("mkdirtemp {shown}: pattern contains path separator"));
    }
    let dir = if dir.is_empty() { temp_dir() } else { dir.to_vec() };
    let split = pattern.iter().rposition(|&b| b == b'*');
    let (prefix, suffix) = split.map_or((pattern, &b""[..]), |star| (&pattern[..star], &pattern[star + 1..]));
    for _ in 0..1000 {
        let number = random_u64() >> 32;
        let path = [&dir[..], b"/", prefix, number.to_string().as_bytes(), suffix].concat();
        let path = clean(&path);
        let made = DirBuilder::new().mode(0o700).create(Path::new(OsStr::from_bytes(&path)));
        match made {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return failed(format!("mkdir {}: {}", String::from_utf8_lossy(&path), error_text(&error))),
        }
    }
    failed("mkdirtemp: file already exists")
}

/// Replaces `$x` and `${x}` by variables of the environment, as `ExpandEnv` does.
#[must_use]
pub fn expand_env(text: &[u8]) -> Vec<u8> {
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

/// Finds the program of that name on the `$PATH`, as `LookPath` of package `os/exec` does.
///
/// # Errors
/// There is no such program.
pub fn look_path(file: &[u8]) -> Result<Vec<u8>, Error> {
    let failure = |cause: &str| failed(format!("exec: {}: {cause}", quote(file)));
    if file.contains(&b'/') {
        return match executable(file) {
            Ok(()) => Ok(file.to_vec()),
            Err(cause) => failure(&cause.to_string()),
        };
    }
    let path = environment(b"PATH").unwrap_or_default();
    for dir in path.split(|&b| b == b':') {
        let dir = if dir.is_empty() { b"." } else { dir };
        let candidate = join(&[dir, file]);
        if !file.is_empty() && executable(&candidate).is_ok() {
            return if dir.starts_with(b"/") {
                Ok(candidate)
            } else {
                failure("cannot run executable found relative to current directory")
            };
        }
    }
    failure("executable file not found in $PATH")
}

fn executable(path: &[u8]) -> Result<(), Error> {
    let shown = String::from_utf8_lossy(path);
    let metadata = std::fs::metadata(Path::new(OsStr::from_bytes(path)))
        .map_err(|error| Error::new(format!("stat {shown}: {}", error_text(&error))))?;
    if metadata.is_dir() {
        failed("is a directory")
    } else if metadata.permissions().mode() & 0o111 == 0 {
        failed("permission denied")
    } else {
        Ok(())
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
