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
    pure("golang/strings.clone", "func(s str) str", "Returns the same string.", |_, args| ok(args.any(0)?.clone()))
        .example(r#"strings.clone("a") == "a""#),
    pure("golang/strings.compare", "func(a str, b str) int", "Returns -1, 0 or 1, comparing bytes.", |_, args| {
        ok(match args.bytes(0)?.cmp(args.bytes(1)?) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    })
    .example(r#"strings.compare("a", "b") == -1"#),
    pure(
        "golang/strings.contains",
        "func(s str, substr str) bool",
        "Returns whether `s` contains `substr`.",
        |_, args| ok(strings::find(args.bytes(0)?, args.bytes(1)?).is_some()),
    )
    .example(r#"strings.contains("web1", "eb") == true"#),
    pure(
        "golang/strings.contains_any",
        "func(s str, chars str) bool",
        "Returns whether `s` contains one of the characters.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            ok(runes(args.bytes(0)?).any(|(_, rune)| wanted(rune)))
        },
    )
    .example(r#"strings.contains_any("web1", "123") == true"#),
    pure(
        "golang/strings.count",
        "func(s str, substr str) int",
        "Counts non-overlapping occurrences; an empty `substr` occurs once more than there are characters.",
        |_, args| ok(i64::try_from(strings::count(args.bytes(0)?, args.bytes(1)?)).unwrap_or(i64::MAX)),
    )
    .example(r#"strings.count("banana", "an") == 2"#),
    pure(
        "golang/strings.equal_fold",
        "func(s str, t str) bool",
        "Returns whether the strings are equal under simple case folding.",
        |_, args| ok(strings::equal_fold(args.bytes(0)?, args.bytes(1)?)),
    )
    .example(r#"strings.equal_fold("Web", "wEB") == true"#),
    pure(
        "golang/strings.has_prefix",
        "func(s str, prefix str) bool",
        "Returns whether `s` starts with `prefix`.",
        |_, args| ok(args.bytes(0)?.starts_with(args.bytes(1)?)),
    )
    .example(r#"strings.has_prefix("web1", "web") == true"#),
    pure(
        "golang/strings.has_suffix",
        "func(s str, suffix str) bool",
        "Returns whether `s` ends with `suffix`.",
        |_, args| ok(args.bytes(0)?.ends_with(args.bytes(1)?)),
    )
    .example(r#"strings.has_suffix("web1", "1") == true"#),
    pure(
        "golang/strings.index",
        "func(s str, substr str) int",
        "Returns the byte offset of the first `substr`, or -1.",
        |_, args| offset(strings::find(args.bytes(0)?, args.bytes(1)?)),
    )
    .example(r#"strings.index("web1", "1") == 3"#),
    pure(
        "golang/strings.index_any",
        "func(s str, chars str) int",
        "Returns the byte offset of the first of the characters, or -1.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            offset(runes(args.bytes(0)?).find(|(_, rune)| wanted(*rune)).map(|(at, _)| at))
        },
    )
    .example(r#"strings.index_any("web1", "123") == 3"#),
    pure("golang/strings.join", "func(elems []str, sep str) str", "Joins the elements with a separator.", |_, args| {
        ok(strings::join(&args.strings(0)?, args.bytes(1)?))
    })
    .example(r#"strings.join(["a", "b"], ", ") == "a, b""#),
    pure(
        "golang/strings.last_index",
        "func(s str, substr str) int",
        "Returns the byte offset of the last `substr`, or -1.",
        |_, args| offset(strings::rfind(args.bytes(0)?, args.bytes(1)?)),
    )
    .example(r#"strings.last_index("banana", "an") == 3"#),
    pure(
        "golang/strings.last_index_any",
        "func(s str, chars str) int",
        "Returns the byte offset of the last of the characters, or -1.",
        |_, args| {
            let wanted = strings::one_of(args.bytes(1)?);
            offset(runes(args.bytes(0)?).filter(|(_, rune)| wanted(*rune)).last().map(|(at, _)| at))
        },
    )
    .example(r#"strings.last_index_any("banana", "nb") == 4"#),
    pure("golang/strings.repeat", "func(s str, count int) str", "Returns `count` copies of the string.", |_, args| {
        let text = args.bytes(0)?;
        let Ok(count) = usize::try_from(args.int(1)?) else {
            return panicked("strings: negative Repeat count");
        };
        match text.len().checked_mul(count) {
            None => panicked("strings: Repeat output length overflow"),
            Some(length) if length > MAX_LENGTH => fatal(format!("can't repeat to more than {MAX_LENGTH} bytes")),
            Some(_) => ok(text.repeat(if text.is_empty() { 0 } else { count })),
        }
    })
    .example(r#"strings.repeat("-", 3) == "---""#),
    pure(
        "golang/strings.replace",
        "func(s str, old str, new str, n int) str",
        "Replaces the first `n` occurrences of `old` with `new`; all if `n` is negative.",
        |_, args| {
            let limit = usize::try_from(args.int(3)?).ok();
            ok(strings::replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, limit))
        },
    )
    .example(r#"strings.replace("aaa", "a", "b", 2) == "bba""#),
    pure(
        "golang/strings.replace_all",
        "func(s str, old str, new str) str",
        "Replaces every `old` with `new`.",
        |_, args| ok(strings::replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, None)),
    )
    .example(r#"strings.replace_all("aaa", "a", "b") == "bbb""#),
    pure(
        "golang/strings.title",
        "func(s str) str",
        "Converts the first letter of each word to title case.",
        |_, args| ok(title(args.bytes(0)?)),
    )
    .example(r#"strings.title("two words") == "Two Words""#),
    pure("golang/strings.to_lower", "func(s str) str", "Converts to lower case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_lower))
    })
    .example(r#"strings.to_lower("WEB") == "web""#),
    pure("golang/strings.to_title", "func(s str) str", "Converts every letter to title case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_title))
    })
    .example(r#"strings.to_title("web") == "WEB""#),
    pure("golang/strings.to_upper", "func(s str) str", "Converts to upper case.", |_, args| {
        ok(map_runes(args.bytes(0)?, to_upper))
    })
    .example(r#"strings.to_upper("web") == "WEB""#),
    pure(
        "golang/strings.to_valid_utf_8",
        "func(s str, replacement str) str",
        "Replaces each run of invalid UTF-8 with `replacement`.",
        |_, args| ok(strings::to_valid_utf8(args.bytes(0)?, args.bytes(1)?)),
    )
    .example(r#"strings.to_valid_utf_8("web", "?") == "web""#),
    pure(
        "golang/strings.trim",
        "func(s str, cutset str) str",
        "Removes the leading and trailing characters that are in `cutset`.",
        |_, args| {
            let cut = strings::one_of(args.bytes(1)?);
            ok(strings::trim_end(strings::trim_start(args.bytes(0)?, &cut), &cut))
        },
    )
    .example(r#"strings.trim("--web--", "-") == "web""#),
    pure(
        "golang/strings.trim_left",
        "func(s str, cutset str) str",
        "Removes the leading characters that are in `cutset`.",
        |_, args| ok(strings::trim_start(args.bytes(0)?, strings::one_of(args.bytes(1)?))),
    )
    .example(r#"strings.trim_left("--web--", "-") == "web--""#),
    pure(
        "golang/strings.trim_prefix",
        "func(s str, prefix str) str",
        "Removes a prefix if it is present.",
        |_, args| {
            let text = args.bytes(0)?;
            ok(text.strip_prefix(args.bytes(1)?).unwrap_or(text))
        },
    )
    .example(r#"strings.trim_prefix("web1", "web") == "1""#),
    pure(
        "golang/strings.trim_right",
        "func(s str, cutset str) str",
        "Removes the trailing characters that are in `cutset`.",
        |_, args| ok(strings::trim_end(args.bytes(0)?, strings::one_of(args.bytes(1)?))),
    )
    .example(r#"strings.trim_right("--web--", "-") == "--web""#),
    pure("golang/strings.trim_space", "func(s str) str", "Removes leading and trailing whitespace.", |_, args| {
        ok(strings::trim_space(args.bytes(0)?))
    })
    .example(r#"strings.trim_space("  web ") == "web""#),
    pure(
        "golang/strings.trim_suffix",
        "func(s str, suffix str) str",
        "Removes a suffix if it is present.",
        |_, args| {
            let text = args.bytes(0)?;
            ok(text.strip_suffix(args.bytes(1)?).unwrap_or(text))
        },
    )
    .example(r#"strings.trim_suffix("web.conf", ".conf") == "web""#),
];

fn offset(found: Option<usize>) -> Outcome {
    ok(Value::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
}
