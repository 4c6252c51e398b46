//! Methods of strings that ask: positions, parts, case, conversion.

use pp_functions::ruby::successor::successor;

use crate::classes::Class;
use crate::compare::{compare, equal};
use crate::interpreter::Interpreter;
use crate::methods::args::{Args, enumerator, is_frozen, range_span, span, text, to_int, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::methods::operator;
use crate::methods::string_search::{PartitionAt, partition};
use crate::stop::{Eval, Raise, Stop};
use crate::value::Value;
use crate::work::NEW_STRING;

pub(super) static STRING: &[Method] = &[
    method("%", 1, 1, |vm, this, args| {
        let arguments = match args.get(0) {
            Value::Array(array) => array.items().clone(),
            other => vec![other.clone()],
        };
        let format = text(this).to_owned();
        super::kernel::format(vm, &format, &arguments)
    }),
    method("*", 1, 1, |vm, this, args| {
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument("negative argument"))?;
        let text = text(this).to_owned();
        vm.charge(text.len().saturating_mul(count))?;
        Ok(Value::str(text.repeat(count)))
    }),
    method("+", 1, 1, |vm, this, args| {
        let added = args.text(0)?;
        let joined = format!("{}{}", &*text(this), &*added);
        vm.string(joined)
    }),
    method("+@", 0, 0, |vm, this, _| match this {
        Value::Str(string) if is_frozen(vm, this) => vm.string(string.get().to_owned()),
        _ => Ok(this.clone()),
    }),
    method("-@", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("[]", 1, 2, slice),
    method("ascii_only?", 0, 0, |_, this, _| Ok(Value::Bool(text(this).is_ascii()))),
    method("b", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("bytes", 0, 0, |vm, this, _| {
        vm.charge(text(this).len().saturating_mul(size_of::<Value>()))?;
        let bytes = text(this).bytes().map(|byte| Value::Int(i128::from(byte))).collect();
        vm.list(bytes)
    }),
    method("bytesize", 0, 0, |_, this, _| Ok(Value::int(text(this).len()))).constant(),
    method("capitalize", 0, 1, |vm, this, _| map(vm, this, pp_functions::ruby::titlecase::capitalize)),
    method("casecmp", 1, 1, |_, this, args| {
        let other = args.text(0)?;
        Ok(Value::Int(text(this).to_ascii_lowercase().cmp(&other.to_ascii_lowercase()) as i128))
    }),
    method("casecmp?", 1, 1, |_, this, args| {
        let other = args.text(0)?;
        Ok(Value::Bool(text(this).to_lowercase() == other.to_lowercase()))
    }),
    method("center", 1, 2, |vm, this, args| pad(vm, this, args, Side::Both)),
    method("chars", 0, 0, chars),
    method("chomp", 0, 1, |vm, this, args| {
        let kept = chomp(&text(this), args)?;
        vm.string(kept)
    }),
    method("chop", 0, 0, |vm, this, _| map(vm, this, chop)),
    method("chr", 0, 0, |vm, this, _| map(vm, this, |text| text.chars().take(1).collect())).constant(),
    variadic("count", 1, |vm, this, args| {
        let set = super::string_change::CharSet::of_all(vm, this, args)?;
        Ok(Value::int(text(this).chars().filter(|c| set.contains(*c)).count()))
    }),
    method("delete_prefix", 1, 1, |vm, this, args| {
        let prefix = args.text(0)?;
        map(vm, this, |text| text.strip_prefix(&*prefix).unwrap_or(text).to_owned())
    }),
    method("delete_suffix", 1, 1, |vm, this, args| {
        let suffix = args.text(0)?;
        map(vm, this, |text| text.strip_suffix(&*suffix).unwrap_or(text).to_owned())
    }),
    method("downcase", 0, 1, |vm, this, _| map(vm, this, pp_functions::ruby::titlecase::downcase)),
    method("dump", 0, 0, |vm, this, _| map(vm, this, dump)),
    method("each_char", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_char", args) };
        let text = text(this).to_owned();
        for c in text.chars() {
            vm.step(1)?;
            vm.yield_one(block, Value::str(c.to_string()))?;
        }
        Ok(this.clone())
    }),
    method("each_line", 0, 2, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_line", args) };
        for line in lines(vm, this, args)? {
            vm.yield_one(block, line)?;
        }
        Ok(this.clone())
    }),
    method("empty?", 0, 0, |_, this, _| Ok(Value::Bool(text(this).is_empty()))).constant(),
    method("encode", 0, 3, |_, this, _| Ok(this.clone())).constant(),
    method("encoding", 0, 0, |_, _, _| Err(Stop::refused("`encoding`"))),
    variadic("end_with?", 0, |_, this, args| {
        for suffix in args.list {
            if text(this).ends_with(&*to_str(suffix)?) {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    method("force_encoding", 1, 1, |_, this, _| Ok(this.clone())).constant(),
    method("hash", 0, 0, |_, _, _| Err(crate::stop::Stop::refused("`hash`"))),
    method("hex", 0, 0, |_, this, _| Ok(Value::Int(super::kernel::leading_integer(&text(this), 16)))),
    method("include?", 1, 1, |_, this, args| {
        let part = args.text(0)?;
        Ok(Value::Bool(text(this).contains(&*part)))
    }),
    method("intern", 0, 0, to_sym),
    method("length", 0, 0, length),
    method("lines", 0, 2, |vm, this, args| {
        let lines = lines(vm, this, args)?;
        vm.list(lines)
    }),
    method("ljust", 1, 2, |vm, this, args| pad(vm, this, args, Side::Right)),
    method("lstrip", 0, 0, |vm, this, _| map(vm, this, |text| text.trim_start_matches(is_space).to_owned())),
    method("next", 0, 0, |vm, this, _| map(vm, this, successor)),
    method("oct", 0, 0, |_, this, _| Ok(Value::Int(super::kernel::leading_integer(&text(this), -8)))),
    method("ord", 0, 0, |_, this, _| match text(this).chars().next() {
        Some(c) => Ok(Value::Int(i128::from(u32::from(c)))),
        None => Err(Raise::argument("empty string").into()),
    })
    .constant(),
    method("partition", 1, 1, |vm, this, args| partition(vm, this, args, PartitionAt::First)),
    method("reverse", 0, 0, |vm, this, _| map(vm, this, |text| text.chars().rev().collect())),
    method("rjust", 1, 2, |vm, this, args| pad(vm, this, args, Side::Left)),
    method("rpartition", 1, 1, |vm, this, args| partition(vm, this, args, PartitionAt::Last)),
    method("rstrip", 0, 0, |vm, this, _| map(vm, this, |text| text.trim_end_matches(is_space_or_nul).to_owned())),
    method("scrub", 0, 1, |_, this, _| Ok(this.clone())).constant(),
    method("size", 0, 0, length),
    method("slice", 1, 2, slice),
    variadic("start_with?", 0, |vm, this, args| {
        for prefix in args.list {
            let starts = match prefix {
                Value::Regexp(regexp) => {
                    let string = text(this).to_owned();
                    let found = super::string_search::search(vm, regexp, &string.into(), 0)?;
                    found.is_some_and(|found| {
                        found.groups.first().copied().flatten().is_some_and(|(start, _)| start == 0)
                    })
                }
                prefix => text(this).starts_with(&*to_str(prefix)?),
            };
            if starts {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    method("strip", 0, 0, |vm, this, _| map(vm, this, strip)),
    method("succ", 0, 0, |vm, this, _| map(vm, this, successor)),
    method("sum", 0, 1, |_, this, _| Ok(Value::Int(text(this).bytes().map(i128::from).sum::<i128>() & 0xffff))),
    method("swapcase", 0, 0, |vm, this, _| map(vm, this, swapcase)),
    method("to_f", 0, 0, |_, this, _| Ok(Value::Float(super::kernel::leading_float(&text(this))))),
    method("to_i", 0, 1, |_, this, args| {
        let radix = args.int_or(0, 10)?;
        if radix != 0 && !(2..=36).contains(&radix) {
            return Err(Raise::argument(format!("invalid radix {radix}")).into());
        }
        Ok(Value::Int(super::kernel::leading_integer(&text(this), radix)))
    }),
    method("to_s", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("to_str", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("to_sym", 0, 0, to_sym),
    method("unicode_normalize", 0, 1, |_, this, _| Ok(this.clone())).constant(),
    method("upcase", 0, 1, |vm, this, _| map(vm, this, pp_functions::ruby::titlecase::upcase)),
    method("upto", 1, 2, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "upto", args) };
        let (from, to) = (text(this).to_owned(), args.text(0)?.to_owned());
        for value in vm.string_range(&from, &to, args.get(1).is_true())? {
            vm.yield_one(block, value)?;
        }
        Ok(this.clone())
    }),
    method("valid_encoding?", 0, 0, |_, _, _| Ok(Value::Bool(true))).constant(),
    method("==", 1, 1, |vm, this, args| Ok(Value::Bool(equal(&vm.work, this, args.get(0))))).constant(),
    method("<=>", 1, 1, |vm, this, args| {
        Ok(compare(&vm.work, this, args.get(0)).map_or(Value::Nil, |order| Value::Int(order as i128)))
    })
    .constant(),
];

/// The text as a literal of printable characters of ASCII.
fn dump(text: &str) -> String {
    let is_plain = |c: &char| c.is_ascii() && !c.is_ascii_control() || matches!(c, '\u{7}'..='\u{d}' | '\u{1b}');
    let mut out = String::from("\"");
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c: char| !is_plain(&c)).unwrap_or(rest.len());
        if end > 0 {
            let mut shown = String::new();
            pp_types::inspect_string(&rest[..end], &mut shown);
            out.push_str(&shown[1..shown.len() - 1]);
            rest = &rest[end..];
            continue;
        }
        out.push_str(&match u32::from(c) {
            code @ 0..0x80 => format!("\\x{code:02X}"),
            code @ 0x80..=0xffff => format!("\\u{code:04X}"),
            code => format!("\\u{{{code:X}}}"),
        });
        rest = &rest[c.len_utf8()..];
    }
    out.push('"');
    out
}

/// Applies a function to the text.
pub(super) fn map(vm: &mut Interpreter<'_>, this: &Value, change: impl FnOnce(&str) -> String) -> Eval {
    let changed = change(&text(this));
    vm.string(changed)
}

/// What `strip` removes at the start.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\0')
}

fn is_space_or_nul(c: char) -> bool {
    is_space(c)
}

/// Removes whitespace around a text.
pub(super) fn strip(text: &str) -> String {
    text.trim_start_matches(is_space).trim_end_matches(is_space_or_nul).to_owned()
}

/// Swaps upper and lower case.
pub(super) fn swapcase(text: &str) -> String {
    let mut swapped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_lowercase() { swapped.extend(c.to_uppercase()) } else { swapped.extend(c.to_lowercase()) }
    }
    swapped
}

/// Removes the last character, or `\r\n`.
pub(super) fn chop(text: &str) -> String {
    match text.strip_suffix("\r\n") {
        Some(kept) => kept.to_owned(),
        None => {
            let mut chars = text.chars();
            chars.next_back();
            chars.as_str().to_owned()
        }
    }
}

/// Removes a line break, or another ending, from the end.
pub(super) fn chomp(text: &str, args: Args<'_>) -> Eval<String> {
    if args.len() == 0 {
        let kept = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).or(text.strip_suffix('\r'));
        return Ok(kept.unwrap_or(text).to_owned());
    }
    if matches!(args.get(0), Value::Nil) {
        return Ok(text.to_owned());
    }
    let ending = args.text(0)?;
    if ending.is_empty() {
        let mut kept = text;
        while let Some(shorter) = kept.strip_suffix("\r\n").or(kept.strip_suffix('\n')) {
            kept = shorter;
        }
        return Ok(kept.to_owned());
    }
    if &*ending == "\n" {
        let kept = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).or(text.strip_suffix('\r'));
        return Ok(kept.unwrap_or(text).to_owned());
    }
    Ok(text.strip_suffix(&*ending).unwrap_or(text).to_owned())
}

fn length(_: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    Ok(Value::int(text(this).chars().count()))
}

fn to_sym(_: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    Ok(Value::symbol(&*text(this)))
}

fn chars(vm: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    let string = text(this).to_owned();
    vm.charge(string.len().saturating_mul(NEW_STRING))?;
    Ok(Value::array(string.chars().map(|c| Value::str(c.to_string())).collect()))
}

/// The lines with their line breaks.
fn lines(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval<Vec<Value>> {
    let string = text(this).to_owned();
    vm.charge(string.len())?;
    let chomps = args.option("chomp").is_some_and(|value| value.is_true());
    let separator = match args.get(0) {
        Value::Hash(_) | Value::Nil => "\n".to_owned(),
        other => to_str(other)?.to_owned(),
    };
    if separator.is_empty() {
        return Err(crate::stop::Stop::refused("lines that are paragraphs"));
    }
    let mut lines = Vec::new();
    for line in string.split_inclusive(separator.as_str()) {
        vm.charge(NEW_STRING)?;
        let line = if chomps { line.strip_suffix(separator.as_str()).unwrap_or(line) } else { line };
        let line = if chomps && separator == "\n" { line.strip_suffix('\r').unwrap_or(line) } else { line };
        lines.push(Value::str(line));
    }
    Ok(lines)
}

/// `text[…]`
pub(super) fn slice(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    match args.get(0) {
        Value::Regexp(regexp) => {
            let string = text(this).to_owned();
            let found = super::string_search::search(vm, regexp, &string.into(), 0)?;
            let group = if args.len() > 1 { args.get(1).clone() } else { Value::Int(0) };
            match found {
                Some(found) => super::regexp::group(&found, &group),
                None => Ok(Value::Nil),
            }
        }
        Value::Str(part) => {
            let part = part.get().to_owned();
            if text(this).contains(part.as_str()) { vm.string(part) } else { Ok(Value::Nil) }
        }
        _ => {
            let found = {
                let string = text(this);
                positions(&string, args)?.map(|(start, end)| string[start..end].to_owned())
            };
            match found {
                Some(part) => vm.string(part),
                None => Ok(Value::Nil),
            }
        }
    }
}

/// The bytes that an index, a start and a length, or a range stand for.
pub(super) fn positions(string: &str, args: Args<'_>) -> Eval<Option<(usize, usize)>> {
    let size = if string.is_ascii() { string.len() } else { string.chars().count() };
    let found = match (args.get(0), args.len()) {
        (Value::Range(range), 1) => range_span(range, size)?,
        (index, 1) => span(to_int(index)?, 1, size).filter(|(start, _)| *start < size),
        (index, _) => span(to_int(index)?, args.int(1)?, size),
    };
    let Some((start, length)) = found else { return Ok(None) };
    if string.is_ascii() {
        return Ok(Some((start, start + length)));
    }
    let mut offsets = string.char_indices().map(|(at, _)| at).chain([string.len()]);
    let begin = offsets.nth(start).unwrap_or(string.len());
    let end = if length == 0 { begin } else { offsets.nth(length - 1).unwrap_or(string.len()) };
    Ok(Some((begin, end)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

/// `ljust`, `rjust`, `center`
fn pad(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, side: Side) -> Eval {
    let width = usize::try_from(args.int(0)?).unwrap_or(0);
    let padding = if args.len() > 1 { args.text(1)?.to_owned() } else { " ".to_owned() };
    if padding.is_empty() {
        return Err(Raise::argument("zero width padding").into());
    }
    let string = text(this).to_owned();
    let missing = width.saturating_sub(string.chars().count());
    vm.charge(missing.saturating_mul(padding.len()))?;
    let fill = |count: usize| padding.chars().cycle().take(count).collect::<String>();
    let (left, right) = match side {
        Side::Left => (missing, 0),
        Side::Right => (0, missing),
        Side::Both => (missing / 2, missing - missing / 2),
    };
    vm.string(format!("{}{string}{}", fill(left), fill(right)))
}

/// The error of a position outside a string.
pub(super) fn outside(index: i128) -> Raise {
    Raise::new(Class::IndexError, format!("index {index} out of string"))
}

/// Replaces by `operator`, for methods that change a string in place.
pub(super) fn replaced(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval<String> {
    let changed = match args.block {
        Some(block) => vm.invoke(this, &crate::methods::Dispatch::new(name.into()), args.list, Some(block))?,
        None => operator(vm, this, name, args.list)?,
    };
    Ok(text(&changed).to_owned())
}
