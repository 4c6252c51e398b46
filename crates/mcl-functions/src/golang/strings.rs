//! `golang/strings`.

use std::cmp::Ordering;

use go_compat::strings;
use go_compat::unicode::{map_runes, runes, title, to_lower, to_title, to_upper};
use mcl_value::Value;

use crate::Function;
use crate::args::Args;
use crate::golang::panicked;
use crate::strings::MAX_LENGTH;
use crate::table::{Outcome, fatal, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/strings.clone", "func(s str) str", "The same string.", |_, args| ok(args.any(0)?.clone())),
    pure("golang/strings.compare", "func(a str, b str) int", "-1, 0 or 1, by byte order.", |_, args| {
        ok(match args.bytes(0)?.cmp(args.bytes(1)?) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    }),
    pure("golang/strings.contains", "func(s str, substr str) bool", "Whether `s` contains `substr`.", |_, args| {
        ok(strings::find(args.bytes(0)?, args.bytes(1)?).is_some())
    }),
    pure(
        "golang/strings.contains_any",
        "func(s str, chars str) bool",
        "Whether `s` contains one of the characters.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            ok(runes(args.bytes(0)?).any(|(_, rune)| wanted(rune)))
        },
    ),
    pure(
        "golang/strings.count",
        "func(s str, substr str) int",
        "How often `substr` occurs, without overlaps; for an empty one, the characters plus 1.",
        |_, args| ok(i64::try_from(strings::count(args.bytes(0)?, args.bytes(1)?)).unwrap_or(i64::MAX)),
    ),
    pure("golang/strings.equal_fold", "func(s str, t str) bool", "Whether both are equal but for case.", |_, args| {
        ok(strings::equal_fold(args.bytes(0)?, args.bytes(1)?))
    }),
    pure(
        "golang/strings.has_prefix",
        "func(s str, prefix str) bool",
        "Whether `s` starts with `prefix`.",
        |_, args| ok(args.bytes(0)?.starts_with(args.bytes(1)?)),
    ),
    pure("golang/strings.has_suffix", "func(s str, suffix str) bool", "Whether `s` ends with `suffix`.", |_, args| {
        ok(args.bytes(0)?.ends_with(args.bytes(1)?))
    }),
    pure("golang/strings.index", "func(s str, substr str) int", "Where `substr` first occurs, or -1.", |_, args| {
        offset(strings::find(args.bytes(0)?, args.bytes(1)?))
    }),
    pure(
        "golang/strings.index_any",
        "func(s str, chars str) int",
        "Where one of the characters first occurs, or -1.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            offset(runes(args.bytes(0)?).find(|(_, rune)| wanted(*rune)).map(|(at, _)| at))
        },
    ),
    pure("golang/strings.join", "func(elems []str, sep str) str", "Joins the elements with a separator.", |_, args| {
        ok(strings::join(&args.strings(0)?, args.bytes(1)?))
    }),
    pure(
        "golang/strings.last_index",
        "func(s str, substr str) int",
        "Where `substr` last occurs, or -1.",
        |_, args| offset(strings::rfind(args.bytes(0)?, args.bytes(1)?)),
    ),
    pure(
        "golang/strings.last_index_any",
        "func(s str, chars str) int",
        "Where one of the characters last occurs, or -1.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            offset(runes(args.bytes(0)?).filter(|(_, rune)| wanted(*rune)).last().map(|(at, _)| at))
        },
    ),
    pure("golang/strings.repeat", "func(s str, count int) str", "`count` copies.", |_, args| {
        let text = args.bytes(0)?;
        let Ok(count) = usize::try_from(args.int(1)?) else {
            return panicked("strings: negative Repeat count");
        };
        match text.len().checked_mul(count) {
            None => panicked("strings: Repeat output length overflow"),
            Some(length) if length > MAX_LENGTH => fatal(format!("can't repeat to more than {MAX_LENGTH} bytes")),
            Some(_) => ok(text.repeat(if text.is_empty() { 0 } else { count })),
        }
    }),
    pure(
        "golang/strings.replace",
        "func(s str, old str, new str, n int) str",
        "Replaces the first `n` `old` by `new`; all if `n` is negative.",
        |_, args| {
            let limit = usize::try_from(args.int(3)?).ok();
            ok(strings::replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, limit))
        },
    ),
    pure(
        "golang/strings.replace_all",
        "func(s str, old str, new str) str",
        "Replaces every `old` by `new`.",
        |_, args| ok(strings::replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, None)),
    ),
    pure("golang/strings.title", "func(s str) str", "With the first letter of each word in title case.", |_, args| {
        ok(title(args.bytes(0)?))
    }),
    pure("golang/strings.to_lower", "func(s str) str", "In lower case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_lower))
    }),
    pure("golang/strings.to_title", "func(s str) str", "With every letter in title case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_title))
    }),
    pure("golang/strings.to_upper", "func(s str) str", "In upper case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_upper))
    }),
    pure(
        "golang/strings.to_valid_utf_8",
        "func(s str, replacement str) str",
        "Replaces each run of bytes that is not UTF-8.",
        |_, args| ok(strings::to_valid_utf8(args.bytes(0)?, args.bytes(1)?)),
    ),
    pure(
        "golang/strings.trim",
        "func(s str, cutset str) str",
        "Cuts the characters of `cutset` off both ends.",
        |_, args| {
            let cut = strings::one_of(args.bytes(1)?);
            ok(strings::trim_end(strings::trim_start(args.bytes(0)?, &cut), &cut))
        },
    ),
    pure(
        "golang/strings.trim_left",
        "func(s str, cutset str) str",
        "Cuts the characters of `cutset` off the start.",
        |_, args| ok(strings::trim_start(args.bytes(0)?, strings::one_of(args.bytes(1)?))),
    ),
    pure("golang/strings.trim_prefix", "func(s str, prefix str) str", "Without that prefix.", |_, args| {
        let text = args.bytes(0)?;
        ok(text.strip_prefix(args.bytes(1)?).unwrap_or(text))
    }),
    pure(
        "golang/strings.trim_right",
        "func(s str, cutset str) str",
        "Cuts the characters of `cutset` off the end.",
        |_, args| ok(strings::trim_end(args.bytes(0)?, strings::one_of(args.bytes(1)?))),
    ),
    pure("golang/strings.trim_space", "func(s str) str", "Without white space at its ends.", |_, args| {
        ok(strings::trim_space(args.bytes(0)?))
    }),
    pure("golang/strings.trim_suffix", "func(s str, suffix str) str", "Without that suffix.", |_, args| {
        let text = args.bytes(0)?;
        ok(text.strip_suffix(args.bytes(1)?).unwrap_or(text))
    }),
];

fn offset(found: Option<usize>) -> Outcome {
    ok(Value::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
}
