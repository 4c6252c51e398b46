//! The functions that need no import (spec 03 §3). The compiler generates calls of those with a leading underscore.

use std::io::Read as _;
use std::time::Duration;

use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, call_site, catchable, fatal, full, ok, pure, streaming};
use crate::{CallSite, Function, FunctionError, Stream, StreamContext, operators};

pub(crate) static FUNCTIONS: &[Function] = &[
    call_site(
        "_collect",
        CallSite::Collect,
        "Returns the exported resources that a `collect` statement selects.",
        |_, _| fatal("_collect requires a running function engine"),
    )
    .computed_by(|| Box::<crate::world::Collect>::default()),
    call_site("_lookup", CallSite::Lookup, "Returns an element of a list or map: `$x[$key]`.", |_, args| {
        match args.any(0)? {
            Value::Map(_) => map_lookup(args),
            _ => list_lookup(args),
        }
    }),
    call_site("_operator", CallSite::Operator, "Applies the operator given by the first argument.", |_, args| {
        operators::apply(&args.text(0)?, args.get(1..).unwrap_or_default())
    }),
    call_site("_struct_lookup", CallSite::StructLookup, "Returns a field of a struct: `$st->field`.", |_, args| {
        let field = args.text(1)?;
        match args.strukt(0)?.get(&field) {
            Some(value) => ok(value.clone()),
            None => fatal(format!("could not lookup field: `{field}` in struct")),
        }
    }),
    call_site(
        "_struct_lookup_optional",
        CallSite::StructLookupOptional,
        "Returns a field of a struct, or a default if its type has no such field: `$st->field <|> $default`.",
        |_, args| {
            let field = args.text(1)?;
            ok(match args.strukt(0)?.get(&field) {
                Some(value) => value.clone(),
                None => args.any(2)?.clone(),
            })
        },
    ),
    pure("concat", "func(a str, b str) str", "Concatenates two strings.", |_, args| {
        ok([args.bytes(0)?, args.bytes(1)?].concat())
    })
    .example(r#"concat("web", "1") == "web1""#),
    full(
        "contains",
        "func(needle ?1, haystack []?1) bool",
        "Returns whether a list contains a value: `$needle in $haystack`.",
        |_, args| ok(args.list(1)?.contains(args.any(0)?)),
    )
    .example(r#"contains("b", ["a", "b"])"#),
    streaming(
        "history",
        "func(value ?1, index int) ?1",
        "Returns the value as it was `index` milliseconds ago, or the oldest known value.",
        || Box::<History>::default(),
    )
    .of_program()
    .example("history($hostname, 60000)"),
    pure(
        "len",
        "func(0 ?1) int",
        "Returns the number of bytes of a string, elements of a list, or entries of a map.",
        |_, args| match args.any(0)? {
            Value::Str(text) => length(text.as_bytes().len()),
            Value::List(items) => length(items.len()),
            Value::Map(map) => length(map.len()),
            other => fatal(format!("can't take the length of a {}", other.kind())),
        },
    )
    .choices(&["func(0 str) int", "func(0 []?1) int", "func(0 map{?1: ?2}) int"])
    .example(r#"len(["a", "b"]) == 2"#),
    full(
        "list_lookup",
        "func(list []?1, index int) ?1",
        "Returns the element of a list at a zero-based index.",
        |_, args| list_lookup(args),
    )
    .example(r#"list_lookup(["a", "b"], 1) == "b""#),
    full("map_lookup", "func(map map{?1: ?2}, key ?1) ?2", "Returns the value of a map for a key.", |_, args| {
        map_lookup(args)
    })
    .example(r#"map_lookup({"a" => 1}, "a") == 1"#),
    pure(
        "panic",
        "func(x ?1) bool",
        "Stops the function engine if the argument is true or a non-empty string.",
        |_, args| match args.any(0)? {
            Value::Bool(false) => ok(false),
            Value::Bool(true) => fatal("bool panic occurred"),
            Value::Str(text) if text.as_bytes().is_empty() => ok(false),
            Value::Str(text) => fatal(format!("str panic occurred: {}", text.to_text())),
            other => fatal(format!("can't panic with a {}", other.kind())),
        },
    )
    .choices(&["func(x bool) bool", "func(x str) bool"])
    .impure()
    .not_inlinable()
    .example("panic(len([1]) > 1)"),
    pure(
        "panic_debug",
        "func(x bool, err str) bool",
        "Stops the function engine with the message `err` if `x` is true.",
        |_, args| {
            if args.bool(0)? { fatal(format!("bool panic occurred: {}", args.text(1)?)) } else { ok(false) }
        },
    )
    .impure()
    .not_inlinable()
    .example(r#"panic_debug(len([1]) > 1, "too many")"#),
    streaming(
        "random1",
        "func(length int) str",
        "Returns a random string of letters, which changes only when the length does.",
        || Box::<Random>::default(),
    )
    .example("random1(16)"),
];

/// Returns an element of a list, for `_lookup`, `list_lookup` and `list.lookup`.
pub(crate) fn list_lookup(args: &[Value]) -> Outcome {
    let (list, index) = (args.list(0)?, args.int(1)?);
    if index < 0 {
        return catchable(format!("list index negative, got: {index}"));
    }
    match usize::try_from(index).ok().and_then(|index| list.get(index)) {
        Some(value) => ok(value.clone()),
        None => {
            catchable(format!("list index not present, got: {index}, len is: {}, in: {}", list.len(), args.any(0)?))
        }
    }
}

/// Returns the value for a key, for `_lookup`, `map_lookup` and `map.lookup`.
pub(crate) fn map_lookup(args: &[Value]) -> Outcome {
    let (map, key) = (args.map(0)?, args.any(1)?);
    match map.get(key) {
        Some(value) => ok(value.clone()),
        None => catchable(format!("map key not present, want: {key} in {}", args.any(0)?)),
    }
}

fn length(count: usize) -> Outcome {
    ok(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Records when the value changed, and requests a call when a change becomes old enough to be returned.
#[derive(Default)]
struct History {
    index: i64,
    /// The oldest change comes first; it also represents everything before it.
    changes: std::collections::VecDeque<(Duration, Value)>,
}

impl Stream for History {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let (value, index) = (args.any(0)?, args.int(1)?);
        let Ok(age) = u64::try_from(index).map(Duration::from_millis) else {
            return fatal(format!("can't use a negative interval of {index}"));
        };
        if index != self.index {
            self.index = index;
            self.changes.clear();
        }
        let now = cx.monotonic();
        if self.changes.back().is_none_or(|(_, last)| last != value) {
            self.changes.push_back((now, value.clone()));
        }
        while self.changes.get(1).is_some_and(|(time, _)| *time + age <= now) {
            self.changes.pop_front();
        }
        if let Some((time, _)) = self.changes.get(1) {
            cx.wake_after((*time + age).saturating_sub(now));
        }
        ok(self.changes.front().map_or_else(|| value.clone(), |(_, value)| value.clone()))
    }
}

#[derive(Default)]
struct Random {
    last: Option<(i64, Value)>,
}

impl Stream for Random {
    fn call(&mut self, _: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let length = args.int(0)?;
        if let Some((last, value)) = &self.last
            && *last == length
        {
            return ok(value.clone());
        }
        self.last = None;
        let Some(count) = u16::try_from(length).ok() else {
            return fatal("can't generate an invalid length");
        };
        let text =
            random_letters(count.into()).map_err(|e| FunctionError::fatal(format!("can't get random data: {e}")))?;
        let value = Value::str(text);
        self.last = Some((length, value.clone()));
        ok(value)
    }
}

fn random_letters(count: usize) -> std::io::Result<Vec<u8>> {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut source = std::io::BufReader::with_capacity(256, std::fs::File::open("/dev/urandom")?);
    let mut out = Vec::with_capacity(count);
    let mut byte = [0];
    while out.len() < count {
        source.read_exact(&mut byte)?;
        // Bytes from the last multiple of 52 on would bias the result.
        if byte[0] < 208 {
            out.push(LETTERS[usize::from(byte[0] % 52)]);
        }
    }
    Ok(out)
}
