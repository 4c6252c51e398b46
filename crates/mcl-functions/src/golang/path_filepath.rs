//! `golang/path/filepath`, as on Linux.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use go_compat::os::error_text;
use go_compat::path::filepath::{is_local, is_valid, relative};
use go_compat::path::{base, clean, dir, ext, join};

use crate::Function;
use crate::args::Args;
use crate::golang::path::matches;
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
                    Err(error) => fatal(format!("getwd: {}", error_text(&error))),
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
                    Err(error) => fatal(format!("lstat {shown}: {}", error_text(&error))),
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
