//! `golang/strconv`.

use go_compat::strconv::{self, NumberError, Quoting, quote, quote_with};

use crate::Function;
use crate::args::Args;
use crate::golang::panicked;
use crate::table::{Outcome, fatal, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure(
        "golang/strconv.append_bool",
        "func(dst str, b bool) str",
        "Appends `true` or `false` to `dst`.",
        |_, args| append(args.bytes(0)?, &args.bool(1)?.to_string()),
    )
    .example(r#"strconv.append_bool("on: ", true) == "on: true""#),
    pure(
        "golang/strconv.append_int",
        "func(dst str, i int, base int) str",
        "Appends the integer in the given base to `dst`.",
        |_, args| match strconv::format_int(args.int(1)?, args.int(2)?) {
            Some(text) => append(args.bytes(0)?, &text),
            None => panicked("strconv: illegal AppendInt/FormatInt base"),
        },
    )
    .example(r#"strconv.append_int("0x", 255, 16) == "0xff""#),
    pure(
        "golang/strconv.append_quote",
        "func(dst str, s str) str",
        "Appends `s` as a Go string literal to `dst`.",
        |_, args| append(args.bytes(0)?, &quote(args.bytes(1)?)),
    )
    .example(r#"strconv.append_quote("name=", "a b") == "name=\"a b\"""#),
    pure(
        "golang/strconv.append_quote_to_ascii",
        "func(dst str, s str) str",
        "Appends `s` as a Go string literal in ASCII to `dst`.",
        |_, args| append(args.bytes(0)?, &quote_with(args.bytes(1)?, '"', Quoting::Ascii)),
    )
    .example(r#"strconv.append_quote_to_ascii("name=", "a b") == "name=\"a b\"""#),
    pure(
        "golang/strconv.append_quote_to_graphic",
        "func(dst str, s str) str",
        "Appends `s` as a Go string literal to `dst`, without escaping Unicode spaces.",
        |_, args| append(args.bytes(0)?, &quote_with(args.bytes(1)?, '"', Quoting::Graphic)),
    )
    .example(r#"strconv.append_quote_to_graphic("name=", "a b") == "name=\"a b\"""#),
    pure("golang/strconv.atoi", "func(s str) int", "Parses a decimal integer.", |_, args| {
        let text = args.bytes(0)?;
        strconv::parse_int(text, 10, 0).map_or_else(|error| fatal(error.message("Atoi", text)), ok)
    })
    .example(r#"strconv.atoi("42") == 42"#),
    pure(
        "golang/strconv.can_backquote",
        "func(s str) bool",
        "Returns whether `s` can be written as a raw string literal on one line.",
        |_, args| ok(strconv::can_backquote(args.bytes(0)?)),
    )
    .example(r#"strconv.can_backquote("a b") == true"#),
    pure("golang/strconv.format_bool", "func(b bool) str", "Returns `true` or `false` as a string.", |_, args| {
        ok(args.bool(0)?.to_string())
    })
    .example(r#"strconv.format_bool(true) == "true""#),
    pure(
        "golang/strconv.format_int",
        "func(i int, base int) str",
        "Returns the integer in a base from 2 to 36.",
        |_, args| match strconv::format_int(args.int(0)?, args.int(1)?) {
            Some(text) => ok(text),
            None => panicked("strconv: illegal AppendInt/FormatInt base"),
        },
    )
    .example(r#"strconv.format_int(255, 16) == "ff""#),
    pure("golang/strconv.itoa", "func(i int) str", "Returns the integer in decimal.", |_, args| {
        ok(args.int(0)?.to_string())
    })
    .example(r#"strconv.itoa(42) == "42""#),
    pure(
        "golang/strconv.parse_bool",
        "func(str str) bool",
        "Parses `1 t T TRUE true True` or `0 f F FALSE false False`.",
        |_, args| match strconv::parse_bool(args.bytes(0)?) {
            Some(value) => ok(value),
            None => fatal(NumberError::Syntax.message("ParseBool", args.bytes(0)?)),
        },
    )
    .example(r#"strconv.parse_bool("true") == true"#),
    pure(
        "golang/strconv.parse_float",
        "func(s str, bitSize int) float",
        "Parses a floating-point number; a bit size of 32 rounds it to single precision.",
        |_, args| {
            let text = args.bytes(0)?;
            strconv::parse_float(text, args.int(1)? == 32)
                .map_or_else(|error| fatal(error.message("ParseFloat", text)), ok)
        },
    )
    .example(r#"strconv.parse_float("1.5", 64) == 1.5"#),
    pure(
        "golang/strconv.parse_int",
        "func(s str, base int, bitSize int) int",
        "Parses an integer; base 0 means that its prefix determines the base.",
        |_, args| {
            let text = args.bytes(0)?;
            strconv::parse_int(text, args.int(1)?, args.int(2)?)
                .map_or_else(|error| fatal(error.message("ParseInt", text)), ok)
        },
    )
    .example(r#"strconv.parse_int("ff", 16, 64) == 255"#),
    pure("golang/strconv.quote", "func(s str) str", "Returns a Go string literal.", |_, args| {
        ok(quote(args.bytes(0)?))
    })
    .example(r#"strconv.quote("a b") == "\"a b\"""#),
    pure("golang/strconv.quote_to_ascii", "func(s str) str", "Returns a Go string literal in ASCII.", |_, args| {
        ok(quote_with(args.bytes(0)?, '"', Quoting::Ascii))
    })
    .example(r#"strconv.quote_to_ascii("a b") == "\"a b\"""#),
    pure(
        "golang/strconv.quote_to_graphic",
        "func(s str) str",
        "Returns a Go string literal without escaping Unicode spaces.",
        |_, args| ok(quote_with(args.bytes(0)?, '"', Quoting::Graphic)),
    )
    .example(r#"strconv.quote_to_graphic("a b") == "\"a b\"""#),
    pure(
        "golang/strconv.quoted_prefix",
        "func(s str) str",
        "Returns the Go literal at the start of `s`, with its quotes.",
        |_, args| match strconv::quoted_prefix(args.bytes(0)?) {
            Some((_, length)) => ok(&args.bytes(0)?[..length]),
            None => fatal("invalid syntax"),
        },
    )
    .example(r#"strconv.quoted_prefix("\"a\" b") == "\"a\"""#),
    pure("golang/strconv.unquote", "func(s str) str", "Returns the value of a Go literal.", |_, args| {
        match strconv::unquote(args.bytes(0)?) {
            Some(text) => ok(text),
            None => fatal("invalid syntax"),
        }
    })
    .example(r#"strconv.unquote("\"a b\"") == "a b""#),
];

fn append(start: &[u8], end: &str) -> Outcome {
    ok([start, end.as_bytes()].concat())
}
