//! `golang/path`, which shares its implementation with `golang/path/filepath`.

use go_compat::path::{self, base, clean, dir, ext, join};
use mcl_value::Value;

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/path.base", "func(path str) str", "Returns the last element of a path.", |_, args| {
        ok(base(args.bytes(0)?))
    })
    .example(r#"path.base("/etc/app.conf") == "app.conf""#),
    pure(
        "golang/path.clean",
        "func(path str) str",
        "Returns the shortest path that is lexically equivalent.",
        |_, args| ok(clean(args.bytes(0)?)),
    )
    .example(r#"path.clean("/etc/../srv/") == "/srv""#),
    pure("golang/path.dir", "func(path str) str", "Returns all but the last element of a path.", |_, args| {
        ok(dir(args.bytes(0)?))
    })
    .example(r#"path.dir("/etc/app.conf") == "/etc""#),
    pure("golang/path.ext", "func(path str) str", "Returns the file name extension, including its dot.", |_, args| {
        ok(ext(args.bytes(0)?))
    })
    .example(r#"path.ext("/etc/app.conf") == ".conf""#),
    pure("golang/path.is_abs", "func(path str) bool", "Returns whether the path is absolute.", |_, args| {
        ok(args.bytes(0)?.starts_with(b"/"))
    })
    .example(r#"path.is_abs("/etc") == true"#),
    pure(
        "golang/path.join",
        "func(elem []str) str",
        "Joins path elements with slashes and cleans the result.",
        |_, args| ok(join(&args.strings(0)?)),
    )
    .example(r#"path.join(["/etc", "app.conf"]) == "/etc/app.conf""#),
    pure(
        "golang/path.match",
        "func(pattern str, name str) bool",
        "Returns whether the whole name matches the shell pattern.",
        |_, args| matches(args),
    )
    .example(r#"path.match("*.conf", "app.conf") == true"#),
];

/// The implementation of `match` in both packages.
pub(super) fn matches(args: &[Value]) -> Outcome {
    match path::matches(args.bytes(0)?, args.bytes(1)?) {
        Ok(matched) => ok(matched),
        Err(error) => fatal(error.to_string()),
    }
}
