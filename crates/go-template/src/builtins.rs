//! The built-in functions of templates, except `and` and `or`, whose arguments the executor evaluates lazily.

use std::cmp::Ordering;

use go_compat::strconv::is_print;
use go_compat::unicode::runes;
use go_compat::{html, strings};

use crate::call_error::CallError;
use crate::data::{Data, GoType, ListData};
use crate::format::{print, print_line, printf};

/// Returns the minimum number of arguments of a built-in function, and whether it accepts more; `None` if there is none
/// of that name.
pub(crate) fn arity(name: &str) -> Option<(usize, bool)> {
    Some(match name {
        "print" | "println" | "html" | "js" | "urlquery" => (0, true),
        "and" | "or" | "index" | "slice" | "eq" | "printf" | "call" => (1, true),
        "not" | "len" => (1, false),
        "ne" | "lt" | "le" | "gt" | "ge" => (2, false),
        _ => return None,
    })
}

/// Calls a built-in function. The number of arguments has been checked.
pub(crate) fn call(name: &str, args: &[Data]) -> Result<Data, CallError> {
    let (first, rest) = args.split_first().map_or((&Data::Nil, args), |(first, rest)| (first, rest));
    match name {
        "not" => Ok(Data::Bool(!first.is_true())),
        "len" => len(first),
        "index" => index(first, rest),
        "slice" => slice(first, rest),
        "eq" => equals_any(first, rest).map(Data::Bool),
        "ne" => equals_any(first, rest).map(|equal| Data::Bool(!equal)),
        "lt" => less(first, &args[1]).map(Data::Bool),
        "le" => less_or_equal(first, &args[1]).map(Data::Bool),
        "gt" => less_or_equal(first, &args[1]).map(|le| Data::Bool(!le)),
        "ge" => less(first, &args[1]).map(|lt| Data::Bool(!lt)),
        "print" => Ok(text(print(args))),
        "println" => Ok(text(print_line(args))),
        "printf" => match first {
            Data::Str(format) => Ok(text(printf(format, rest))),
            other => Err(CallError::NotAFormat(other.go_type())),
        },
        // Go replaces zero bytes, which can end a text early in some readers.
        "html" => Ok(text(replace_zeros(&html::escape(&joined(args))))),
        "js" => Ok(text(js_escape(&joined(args)))),
        "urlquery" => Ok(text(query_escape(&joined(args)))),
        "call" => match first {
            Data::Nil => Err(CallError::CallOfNil),
            other => Err(CallError::NotAFunction { value: shown(args), ty: other.go_type() }),
        },
        _ => Err(CallError::Undefined(name.to_owned())),
    }
}

fn shown(args: &[Data]) -> String {
    String::from_utf8_lossy(&print(args)).into_owned()
}

fn text(bytes: Vec<u8>) -> Data {
    Data::Str(bytes.into())
}

fn count(length: usize) -> Data {
    Data::Native(i64::try_from(length).unwrap_or(i64::MAX))
}

fn len(item: &Data) -> Result<Data, CallError> {
    match item {
        Data::Str(text) => Ok(count(text.len())),
        Data::List(list) => Ok(count(list.items.len())),
        Data::Map(map) => Ok(count(map.entries.len())),
        Data::Nil => Err(CallError::LenOfNil),
        other => Err(CallError::LenOf(other.go_type())),
    }
}

fn index(item: &Data, keys: &[Data]) -> Result<Data, CallError> {
    if matches!(item, Data::Nil) {
        return Err(CallError::IndexOfUntypedNil);
    }
    let mut item = item.clone();
    for key in keys {
        item = match &item {
            Data::List(list) => list.items[position(key, list.items.len())?].clone(),
            Data::Str(text) => Data::Byte(text[position(key, text.len())?]),
            Data::Map(map) => {
                let key = map_key(key, &map.key)?;
                map.get(&key).cloned().unwrap_or_else(|| Data::zero(&map.value))
            }
            Data::Nil => return Err(CallError::IndexOfNil),
            other => return Err(CallError::IndexOf(other.go_type())),
        };
    }
    Ok(item)
}

fn position(key: &Data, length: usize) -> Result<usize, CallError> {
    let Some(index) = key.as_int() else {
        return Err(match key {
            Data::Nil => CallError::IndexByNil,
            other => CallError::IndexBy(other.go_type()),
        });
    };
    usize::try_from(index).ok().filter(|at| *at < length).ok_or(CallError::IndexOutOfRange(index))
}

fn map_key(key: &Data, wanted: &GoType) -> Result<Data, CallError> {
    let found = key.go_type();
    match (key, wanted) {
        (Data::Nil, _) => Err(CallError::NilKey { expected: wanted.clone() }),
        _ if found == *wanted => Ok(key.clone()),
        (key, GoType::Int64) if key.as_int().is_some() => Ok(Data::Int(key.as_int().unwrap_or(0))),
        _ => Err(CallError::KeyType { found, expected: wanted.clone() }),
    }
}

fn slice(item: &Data, bounds: &[Data]) -> Result<Data, CallError> {
    let length = match item {
        Data::Nil => return Err(CallError::SliceOfNil),
        Data::Str(_) if bounds.len() > 2 => return Err(CallError::StringSliceBounds),
        _ if bounds.len() > 3 => return Err(CallError::TooManySliceBounds(bounds.len())),
        Data::Str(text) => text.len(),
        Data::List(list) => list.items.len(),
        other => return Err(CallError::SliceOf(other.go_type())),
    };
    let mut range = [0, length, length];
    for (bound, given) in range.iter_mut().zip(bounds) {
        *bound = position(given, length.saturating_add(1))?;
    }
    let [low, high, limit] = range;
    if low > high {
        return Err(CallError::SliceBounds(low, high));
    }
    if high > limit {
        return Err(CallError::SliceBounds(high, limit));
    }
    Ok(match item {
        Data::List(list) => Data::List(std::sync::Arc::new(ListData {
            element: list.element.clone(),
            items: list.items[low..high].to_vec(),
        })),
        Data::Str(text) => Data::Str(text[low..high].into()),
        other => other.clone(),
    })
}

/// The classes of values that can be compared with each other.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Bool,
    Int,
    Float,
    String,
}

fn class(data: &Data) -> Option<Class> {
    match data {
        Data::Bool(_) => Some(Class::Bool),
        Data::Int(_) | Data::Native(_) | Data::Byte(_) => Some(Class::Int),
        Data::Float(_) => Some(Class::Float),
        Data::Str(_) => Some(Class::String),
        Data::Nil | Data::List(_) | Data::Map(_) | Data::Record(_) => None,
    }
}

fn equals_any(first: &Data, others: &[Data]) -> Result<bool, CallError> {
    if others.is_empty() {
        return Err(CallError::MissingOperand);
    }
    for other in others {
        if equal(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Data, b: &Data) -> Result<bool, CallError> {
    match (class(a), class(b)) {
        (Some(x), Some(y)) if x == y => Ok(match (a, b) {
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Float(a), Data::Float(b)) => a == b,
            (Data::Str(a), Data::Str(b)) => a == b,
            (a, b) => a.as_int() == b.as_int(),
        }),
        _ if matches!(a, Data::Nil) || matches!(b, Data::Nil) => Ok(matches!(a, Data::Nil) && matches!(b, Data::Nil)),
        (Some(_), Some(_)) => Err(CallError::Incomparable(a.go_type(), b.go_type())),
        (first, _) => match (a, b) {
            (Data::Record(x), Data::Record(y)) if a.go_type() == b.go_type() => {
                let pairs = x.iter().zip(y.iter());
                pairs.map(|((_, a), (_, b))| equal(a, b)).try_fold(true, |all, one| Ok(all && one?))
            }
            _ => {
                let blamed = if first.is_none() && !matches!(a, Data::Record(_)) { a } else { b };
                if matches!(blamed, Data::Record(_)) || class(blamed).is_some() {
                    return Err(CallError::Incomparable(a.go_type(), b.go_type()));
                }
                let value = shown(std::slice::from_ref(blamed));
                Err(CallError::NotComparable { value, ty: blamed.go_type() })
            }
        },
    }
}

fn order(a: &Data, b: &Data) -> Result<Option<Ordering>, CallError> {
    match (class(a), class(b)) {
        (Some(x), Some(y)) if x != y => Err(CallError::Unordered),
        (Some(Class::Bool), _) | (None, _) | (_, None) => Err(CallError::NotOrdered),
        _ => Ok(match (a, b) {
            (Data::Float(a), Data::Float(b)) => a.partial_cmp(b),
            (Data::Str(a), Data::Str(b)) => Some(a.cmp(b)),
            (a, b) => Some(a.as_int().cmp(&b.as_int())),
        }),
    }
}

fn less(a: &Data, b: &Data) -> Result<bool, CallError> {
    Ok(order(a, b)? == Some(Ordering::Less))
}

fn less_or_equal(a: &Data, b: &Data) -> Result<bool, CallError> {
    Ok(matches!(order(a, b)?, Some(Ordering::Less | Ordering::Equal)))
}

/// Returns the string that an escaping function processes.
fn joined(args: &[Data]) -> Vec<u8> {
    match args {
        [Data::Str(text)] => text.to_vec(),
        args => print(args),
    }
}

fn replace_zeros(text: &[u8]) -> Vec<u8> {
    strings::replace(text, b"\0", "\u{fffd}".as_bytes(), None)
}

fn js_escape(text: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    for (_, c) in runes(text) {
        match c {
            '\\' | '\'' | '"' => out.extend(['\\', c]),
            '<' | '>' | '&' | '=' | '\0'..=' ' if c != ' ' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c if c.is_ascii() || is_print(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out.into_bytes()
}

fn query_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte),
            b' ' => out.push(b'+'),
            byte => out.extend(format!("%{byte:02X}").into_bytes()),
        }
    }
    out
}
