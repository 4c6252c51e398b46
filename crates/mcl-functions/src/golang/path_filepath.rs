//! `golang/path/filepath`, as on Linux.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use super::os::go_error;
use super::path::{base, clean, dir, ext, join, matches};
use crate::Function;
use crate::args::Args;
use crate::table::{fatal, host, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    Function {
        inlinable: true,
        ..host(
            "golang/path/filepath.abs",
            "func(path str) str",
            "The absolute path, from the process directory.",
            |_, args| {
                let path = args.bytes(0)?;
                if path.starts_with(b"/") {
                    return ok(clean(path));
                }
                match std::env::current_dir() {
                    Ok(dir) => ok(join(&[dir.as_os_str().as_bytes(), path])),
                    Err(error) => fatal(format!("getwd: {}", go_error(&error))),
                }
            },
        )
    },
    pure("golang/path/filepath.base", "func(path str) str", "The last element.", |_, args| ok(base(args.bytes(0)?))),
    pure(
        "golang/path/filepath.clean",
        "func(path str) str",
        "The shortest equivalent path, by its text.",
        |_, args| ok(clean(args.bytes(0)?)),
    ),
    pure("golang/path/filepath.dir", "func(path str) str", "All but the last element.", |_, args| {
        ok(dir(args.bytes(0)?))
    }),
    Function {
        inlinable: true,
        ..host(
            "golang/path/filepath.eval_symlinks",
            "func(path str) str",
            "The path after all symbolic links.",
            |_, args| {
                let path = args.bytes(0)?;
                let shown = args.text(0)?;
                if path.is_empty() {
                    return ok("");
                }
                match Path::new(std::ffi::OsStr::from_bytes(path)).canonicalize() {
                    Err(error) => fatal(format!("lstat {shown}: {}", go_error(&error))),
                    Ok(real) if path.starts_with(b"/") => ok(real.into_os_string().into_vec()),
                    Ok(real) => {
                        let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
                        let shorter = real.strip_prefix(&here).map_or(real.as_path(), |rest| rest);
                        ok(clean(shorter.as_os_str().as_bytes()))
                    }
                }
            },
        )
    },
    pure("golang/path/filepath.ext", "func(path str) str", "From the last dot of the last element on.", |_, args| {
        ok(ext(args.bytes(0)?))
    }),
    pure("golang/path/filepath.from_slash", "func(path str) str", "The same path.", |_, args| ok(args.any(0)?.clone())),
    pure(
        "golang/path/filepath.has_prefix",
        "func(p str, prefix str) bool",
        "Whether the text starts with that prefix.",
        |_, args| ok(args.bytes(0)?.starts_with(args.bytes(1)?)),
    ),
    pure("golang/path/filepath.is_abs", "func(path str) bool", "Whether it starts with `/`.", |_, args| {
        ok(args.bytes(0)?.starts_with(b"/"))
    }),
    pure(
        "golang/path/filepath.is_local",
        "func(path str) bool",
        "Whether it is relative and stays below where it starts.",
        |_, args| ok(is_local(args.bytes(0)?)),
    ),
    pure("golang/path/filepath.join", "func(elem []str) str", "The elements as one clean path.", |_, args| {
        ok(join(&args.strings(0)?))
    }),
    pure(
        "golang/path/filepath.localize",
        "func(path str) str",
        "The same path, if it is clean, relative and local.",
        |_, args| {
            let path = args.bytes(0)?;
            if is_valid(path) { ok(path) } else { fatal("invalid path") }
        },
    ),
    pure(
        "golang/path/filepath.match",
        "func(pattern str, name str) bool",
        "Whether the whole name matches the shell pattern.",
        |_, args| matches(args),
    ),
    pure(
        "golang/path/filepath.rel",
        "func(basepath str, targpath str) str",
        "The path that leads from the first to the second.",
        |_, args| match relative(&clean(args.bytes(0)?), &clean(args.bytes(1)?)) {
            Some(path) => ok(path),
            None => fatal(format!("Rel: can't make {} relative to {}", args.text(1)?, args.text(0)?)),
        },
    ),
    pure("golang/path/filepath.to_slash", "func(path str) str", "The same path.", |_, args| ok(args.any(0)?.clone())),
    pure("golang/path/filepath.volume_name", "func(path str) str", "Always empty: there are no volumes.", |_, args| {
        args.bytes(0)?;
        ok("")
    }),
];

fn is_local(path: &[u8]) -> bool {
    if path.is_empty() || path.starts_with(b"/") {
        return false;
    }
    let cleaned = clean(path);
    cleaned != b".." && !cleaned.starts_with(b"../")
}

/// Go's `fs.ValidPath`, and no zero bytes.
fn is_valid(path: &[u8]) -> bool {
    let element = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    std::str::from_utf8(path).is_ok() && !path.contains(&0) && (path == b"." || path.split(|&b| b == b'/').all(element))
}

/// Both paths are clean.
fn relative(from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    if from == to {
        return Some(b".".to_vec());
    }
    let from = if from == b"." { &b""[..] } else { from };
    if from.starts_with(b"/") != to.starts_with(b"/") {
        return None;
    }
    let elements = |path: &'_ [u8]| -> Vec<Vec<u8>> {
        path.split(|&b| b == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (from, to) = (elements(from), elements(to));
    let to: Vec<Vec<u8>> = if to == [b".".to_vec()] { Vec::new() } else { to };
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if from.get(common).is_some_and(|part| part == b"..") {
        return None;
    }
    let mut parts = vec![b"..".to_vec(); from.len() - common];
    parts.extend_from_slice(&to[common..]);
    Some(parts.join(&b'/'))
}
