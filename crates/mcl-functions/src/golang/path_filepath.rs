//! `golang/path/filepath` on Linux.

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
            "Returns the absolute path, relative to the working directory of the process.",
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
    }
    .example(r#"filepath.abs("app.conf")"#),
    pure("golang/path/filepath.base", "func(path str) str", "Returns the last element of a path.", |_, args| {
        ok(base(args.bytes(0)?))
    })
    .example(r#"filepath.base("/etc/app.conf") == "app.conf""#),
    pure(
        "golang/path/filepath.clean",
        "func(path str) str",
        "Returns the shortest path that is lexically equivalent.",
        |_, args| ok(clean(args.bytes(0)?)),
    )
    .example(r#"filepath.clean("/etc/../srv/") == "/srv""#),
    pure("golang/path/filepath.dir", "func(path str) str", "Returns all but the last element of a path.", |_, args| {
        ok(dir(args.bytes(0)?))
    })
    .example(r#"filepath.dir("/etc/app.conf") == "/etc""#),
    Function {
        inlinable: true,
        ..host(
            "golang/path/filepath.eval_symlinks",
            "func(path str) str",
            "Returns the path after resolving all symbolic links.",
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
    }
    .example(r#"filepath.eval_symlinks("/etc/mtab")"#),
    pure(
        "golang/path/filepath.ext",
        "func(path str) str",
        "Returns the file name extension, including its dot.",
        |_, args| ok(ext(args.bytes(0)?)),
    )
    .example(r#"filepath.ext("/etc/app.conf") == ".conf""#),
    pure(
        "golang/path/filepath.from_slash",
        "func(path str) str",
        "Returns the path unchanged: slash is the separator.",
        |_, args| ok(args.any(0)?.clone()),
    )
    .example(r#"filepath.from_slash("a/b") == "a/b""#),
    pure(
        "golang/path/filepath.has_prefix",
        "func(p str, prefix str) bool",
        "Returns whether the string `p` starts with `prefix`.",
        |_, args| ok(args.bytes(0)?.starts_with(args.bytes(1)?)),
    )
    .example(r#"filepath.has_prefix("/etc/app", "/etc") == true"#),
    pure("golang/path/filepath.is_abs", "func(path str) bool", "Returns whether the path is absolute.", |_, args| {
        ok(args.bytes(0)?.starts_with(b"/"))
    })
    .example(r#"filepath.is_abs("/etc") == true"#),
    pure(
        "golang/path/filepath.is_local",
        "func(path str) bool",
        "Returns whether the path is relative and does not leave its starting directory.",
        |_, args| ok(is_local(args.bytes(0)?)),
    )
    .example(r#"filepath.is_local("../app") == false"#),
    pure(
        "golang/path/filepath.join",
        "func(elem []str) str",
        "Joins path elements with slashes and cleans the result.",
        |_, args| ok(join(&args.strings(0)?)),
    )
    .example(r#"filepath.join(["/etc", "app.conf"]) == "/etc/app.conf""#),
    pure(
        "golang/path/filepath.localize",
        "func(path str) str",
        "Returns the path unchanged if it is clean, relative and local; otherwise it fails.",
        |_, args| {
            let path = args.bytes(0)?;
            if is_valid(path) { ok(path) } else { fatal("invalid path") }
        },
    )
    .example(r#"filepath.localize("a/b") == "a/b""#),
    pure(
        "golang/path/filepath.match",
        "func(pattern str, name str) bool",
        "Returns whether the whole name matches the shell pattern.",
        |_, args| matches(args),
    )
    .example(r#"filepath.match("*.conf", "app.conf") == true"#),
    pure(
        "golang/path/filepath.rel",
        "func(basepath str, targpath str) str",
        "Returns the path of `targpath` relative to `basepath`.",
        |_, args| match relative(&clean(args.bytes(0)?), &clean(args.bytes(1)?)) {
            Some(path) => ok(path),
            None => fatal(format!("Rel: can't make {} relative to {}", args.text(1)?, args.text(0)?)),
        },
    )
    .example(r#"filepath.rel("/etc", "/etc/app/a.conf") == "app/a.conf""#),
    pure(
        "golang/path/filepath.to_slash",
        "func(path str) str",
        "Returns the path unchanged: slash is the separator.",
        |_, args| ok(args.any(0)?.clone()),
    )
    .example(r#"filepath.to_slash("a/b") == "a/b""#),
    pure(
        "golang/path/filepath.volume_name",
        "func(path str) str",
        "Returns an empty string: there are no volumes.",
        |_, args| {
            args.bytes(0)?;
            ok("")
        },
    )
    .example(r#"filepath.volume_name("/etc") == """#),
];
