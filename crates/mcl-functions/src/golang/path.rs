//! `golang/path`; `golang/path/filepath` shares it.

use go_compat::path::{self, base, clean, dir, ext, join};
use mcl_value::Value;

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/path.base", "func(path str) str", "The last element.", |_, args| ok(base(args.bytes(0)?))),
    pure("golang/path.clean", "func(path str) str", "The shortest equivalent path, by its text alone.", |_, args| {
        ok(clean(args.bytes(0)?))
    }),
    pure("golang/path.dir", "func(path str) str", "All but the last element.", |_, args| ok(dir(args.bytes(0)?))),
    pure("golang/path.ext", "func(path str) str", "From the last dot of the last element on.", |_, args| {
        ok(ext(args.bytes(0)?))
    }),
    pure("golang/path.is_abs", "func(path str) bool", "Whether it starts with `/`.", |_, args| {
        ok(args.bytes(0)?.starts_with(b"/"))
    }),
    pure("golang/path.join", "func(elem []str) str", "The elements as one clean path.", |_, args| {
        ok(join(&args.strings(0)?))
    }),
    pure(
        "golang/path.match",
        "func(pattern str, name str) bool",
        "Whether the whole name matches the shell pattern.",
        |_, args| matches(args),
    ),
];

/// The rule of `match` in both packages.
pub(super) fn matches(args: &[Value]) -> Outcome {
    match path::matches(args.bytes(0)?, args.bytes(1)?) {
        Ok(matched) => ok(matched),
        Err(error) => fatal(error.to_string()),
    }
}
