//! `strings` (spec 03 §5.17). Lengths and positions are in bytes.

use go_compat::strings;
use go_compat::unicode::{map_runes, to_lower, to_upper};
use mcl_value::Value;

use crate::args::Args;
use crate::table::{catchable, ok, pure};
use crate::{Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("strings.contains", "func(s str, substr str) bool", "Returns whether `s` contains `substr`.", |_, args| {
        ok(strings::find(args.bytes(0)?, args.bytes(1)?).is_some())
    })
    .example(r#"strings.contains("web1", "eb") == true"#),
    pure(
        "strings.has_prefix",
        "func(s str, prefix str) bool",
        "Returns whether `s` starts with `prefix`.",
        |_, args| ok(args.bytes(0)?.starts_with(args.bytes(1)?)),
    )
    .example(r#"strings.has_prefix("web1", "web") == true"#),
    pure("strings.has_suffix", "func(s str, suffix str) bool", "Returns whether `s` ends with `suffix`.", |_, args| {
        ok(args.bytes(0)?.ends_with(args.bytes(1)?))
    })
    .example(r#"strings.has_suffix("web1", "1") == true"#),
    pure(
        "strings.join_nonempty",
        "func(s []str, sep str) str",
        "Joins the non-empty elements with a separator.",
        |_, args| {
            let mut parts = args.strings(0)?;
            parts.retain(|part| !part.is_empty());
            ok(strings::join(&parts, args.bytes(1)?))
        },
    )
    .example(r#"strings.join_nonempty(["a", "", "b"], ", ") == "a, b""#),
    pure(
        "strings.left_pad",
        "func(s str, pad str, len int) str",
        "Prepends `pad` until the string has at least `len` bytes.",
        |_, args| {
            let (text, mut out) = (args.bytes(0)?, padding(args)?);
            out.extend_from_slice(text);
            ok(out)
        },
    )
    .example(r#"strings.left_pad("7", "0", 3) == "007""#),
    pure(
        "strings.replace_all",
        "func(s str, old str, new str) str",
        "Replaces every `old` with `new`, from left to right.",
        |_, args| ok(strings::replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, None)),
    )
    .example(r#"strings.replace_all("aaa", "a", "b") == "bbb""#),
    pure(
        "strings.right_pad",
        "func(s str, pad str, len int) str",
        "Appends `pad` until the string has at least `len` bytes.",
        |_, args| ok([args.bytes(0)?, &padding(args)?].concat()),
    )
    .example(r#"strings.right_pad("7", "0", 3) == "700""#),
    pure(
        "strings.split",
        "func(a str, b str) []str",
        "Splits `a` at each separator `b`; an empty separator splits into characters.",
        |_, args| ok(Value::list(strings::split(args.bytes(0)?, args.bytes(1)?))),
    )
    .example(r#"strings.split("a,b", ",") == ["a", "b"]"#),
    pure(
        "strings.substr",
        "func(s str, low int, high int) str",
        "Returns the bytes from `low` up to but excluding `high`; a range out of bounds is a catchable error.",
        |_, args| {
            let range = usize::try_from(args.int(1)?).ok().zip(usize::try_from(args.int(2)?).ok());
            match range.and_then(|(low, high)| args.bytes(0).ok()?.get(low..high)) {
                Some(part) => ok(part),
                None => catchable("low/high out of range"),
            }
        },
    )
    .example(r#"strings.substr("hello", 1, 3) == "el""#),
    pure("strings.to_lower", "func(a str) str", "Converts to lower case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_lower))
    })
    .example(r#"strings.to_lower("WEB") == "web""#),
    pure("strings.to_upper", "func(a str) str", "Converts to upper case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_upper))
    })
    .example(r#"strings.to_upper("web") == "WEB""#),
    pure("strings.trim_space", "func(a str) str", "Removes leading and trailing whitespace.", |_, args| {
        ok(strings::trim_space(args.bytes(0)?))
    })
    .example(r#"strings.trim_space("  web ") == "web""#),
];

/// Maximum length, in bytes, of strings made by padding and repeating.
pub(crate) const MAX_LENGTH: usize = 1 << 28;

/// Returns the padding. An empty `pad` adds nothing.
fn padding(args: &[Value]) -> Result<Vec<u8>, FunctionError> {
    let (text, pad, length) = (args.bytes(0)?, args.bytes(1)?, args.int(2)?);
    let missing = usize::try_from(length).unwrap_or(0).saturating_sub(text.len());
    if pad.is_empty() {
        return Ok(Vec::new());
    }
    if missing > MAX_LENGTH {
        return Err(FunctionError::fatal(format!("can't pad to more than {MAX_LENGTH} bytes")));
    }
    Ok(pad.repeat(missing.div_ceil(pad.len())))
}
