//! Functions: methods that are called without a receiver.

use std::rc::Rc;

use pp_types::{Foreign, FormatArgument};

use crate::classes::{Class, class_of};
use crate::interpreter::Interpreter;
use crate::methods::args::{Args, float_to_int, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::proc::{Proc, ProcKind};
use crate::show::{inspect, to_s};
use crate::stop::{Eval, Raise, Stop};
use crate::value::Value;
use crate::work::Work;

/// Containers that are nested deeper are formatted as texts.
const MAX_PLAIN_DEPTH: u32 = 50;
/// Libraries whose part that templates may use is there without them.
const LIBRARIES: [&str; 4] = ["erb", "json", "psych", "yaml"];

pub(super) static KERNEL: &[Method] = &[
    method("Array", 1, 1, |vm, _, args| match args.get(0) {
        Value::Nil => vm.list(Vec::new()),
        Value::Array(_) => Ok(args.get(0).clone()),
        Value::Hash(_) | Value::Range(_) | Value::Enumerator(_) => {
            let list = vm.elements(args.get(0))?;
            vm.list(list)
        }
        other => vm.list(vec![other.clone()]),
    }),
    method("Float", 1, 2, |vm, _, args| {
        let raises = args.option("exception").is_none_or(|value| value.is_true());
        let converted = match args.get(0) {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            Value::Str(text) => strict_float(&text.get()),
            _ => None,
        };
        match (converted, args.get(0)) {
            (Some(value), _) => Ok(Value::Float(value)),
            (None, _) if !raises => Ok(Value::Nil),
            (None, text @ Value::Str(_)) => {
                Err(Raise::argument(format!("invalid value for Float(): {}", inspect(&vm.work, text))).into())
            }
            (None, other) => Err(cannot_convert(vm, other, "Float").into()),
        }
    }),
    method("Hash", 1, 1, |vm, _, args| match args.get(0) {
        Value::Nil => Ok(Value::hash(Default::default())),
        Value::Hash(_) => Ok(args.get(0).clone()),
        Value::Array(array) if array.items().is_empty() => Ok(Value::hash(Default::default())),
        other => Err(cannot_convert(vm, other, "Hash").into()),
    }),
    method("Integer", 1, 3, |vm, _, args| {
        let raises = args.option("exception").is_none_or(|value| value.is_true());
        let radix = match args.get(1) {
            Value::Hash(_) | Value::Nil => 0,
            other => crate::methods::args::to_int(other)?,
        };
        if !matches!(radix, 0 | -36..=-2 | 2..=36) {
            return Err(Raise::argument(format!("invalid radix {radix}")).into());
        }
        let radix = radix.abs();
        let converted = match args.get(0) {
            Value::Int(value) => Ok(*value),
            Value::Float(value) => float_to_int(*value),
            Value::Str(text) => strict_integer(&text.get(), radix).ok_or_else(|| {
                Raise::argument(format!("invalid value for Integer(): {}", inspect(&vm.work, args.get(0)))).into()
            }),
            other => Err(cannot_convert(vm, other, "Integer").into()),
        };
        match converted {
            Ok(value) => Ok(Value::Int(value)),
            Err(Stop::Raise(_)) if !raises => Ok(Value::Nil),
            Err(other) => Err(other),
        }
    }),
    method("String", 1, 1, |vm, _, args| vm.string(to_s(&vm.work, args.get(0)))),
    method("all_tags", 0, 0, |_, _, _| Err(Stop::refused("`all_tags`"))),
    method("block_given?", 0, 0, |vm, _, _| Ok(Value::Bool(vm.method_block().is_some()))),
    method("catch", 0, 1, |vm, _, args| {
        let Some(block) = args.block else { return Err(Raise::argument("no block given").into()) };
        let tag = if args.len() > 0 { args.get(0).clone() } else { Value::array(Vec::new()) };
        match vm.yield_one(block, tag.clone()) {
            Err(Stop::Throw(thrown)) if crate::compare::equal(&vm.work, &thrown.0, &tag) => Ok(thrown.1),
            result => result,
        }
    }),
    method("classes", 0, 0, |_, _, _| Err(Stop::refused("`classes`"))),
    variadic("fail", 0, |vm, _, args| vm.raise(args.list)),
    variadic("format", 1, format_arguments),
    method("has_variable?", 1, 1, |vm, _, args| {
        let name = to_s(&vm.work, args.get(0));
        Ok(Value::Bool(vm.scope.variable(&name).is_some_and(|found| found.value != pp_types::Value::Undef)))
    }),
    method("lambda", 0, 0, |_, _, args| match args.block.map(|block| &**block) {
        Some(Proc::Code { block, env, activation, id, .. }) => Ok(Value::Proc(Rc::new(Proc::Code {
            block: Rc::clone(block),
            env: Rc::clone(env),
            activation: Rc::clone(activation),
            id: *id,
            kind: ProcKind::Lambda,
        }))),
        Some(_) => Ok(args.block.map_or(Value::Nil, |block| Value::Proc(Rc::clone(block)))),
        None => Err(Raise::argument("tried to create Proc object without a block").into()),
    }),
    method("loop", 0, 0, |vm, _, args| {
        let Some(block) = args.block else { return Err(Raise::argument("no block given").into()) };
        loop {
            vm.step(1)?;
            match vm.call_proc(block, &[]) {
                Ok(_) => {}
                Err(Stop::Raise(raise)) if raise.class == Class::StopIteration => return Ok(Value::Nil),
                Err(other) => return Err(other),
            }
        }
    }),
    method("method", 1, 1, |vm, _, args| {
        let name = to_s(&vm.work, args.get(0));
        Ok(Value::Proc(Rc::new(Proc::Method(Rc::new(crate::methods::Dispatch::new(name.into()))))))
    }),
    method("proc", 0, 0, |_, _, args| match args.block {
        Some(block) => Ok(Value::Proc(Rc::clone(block))),
        None => Err(Raise::argument("tried to create Proc object without a block").into()),
    }),
    variadic("raise", 0, |vm, _, args| vm.raise(args.list)),
    method("require", 1, 1, |vm, _, args| {
        let name = to_s(&vm.work, args.get(0));
        if LIBRARIES.contains(&name.as_str()) {
            return Ok(Value::Bool(false));
        }
        Err(Stop::refused(&format!("`require '{name}'`")))
    }),
    method("scope", 0, 0, |_, _, _| Ok(Value::Scope)),
    variadic("sprintf", 1, format_arguments),
    method("tags", 0, 0, |_, _, _| Err(Stop::refused("`tags`"))),
    method("throw", 1, 2, |_, _, args| Err(Stop::Throw(Box::new((args.get(0).clone(), args.get(1).clone()))))),
];

fn cannot_convert(vm: &Interpreter<'_>, value: &Value, class: &str) -> Raise {
    let shown = match value {
        Value::Nil | Value::Bool(_) => inspect(&vm.work, value),
        other => class_of(other).name().to_owned(),
    };
    Raise::type_error(format!("can't convert {shown} into {class}"))
}

fn format_arguments(vm: &mut Interpreter<'_>, _: &Value, args: Args<'_>) -> Eval {
    let format_text = args.text(0)?.to_owned();
    format(vm, &format_text, &args.list[1..])
}

/// Returns whether a value has only parts that are values of Puppet, too, so that formats see its class.
fn is_plain(work: &Work, value: &Value, depth: u32) -> bool {
    match value {
        _ if !work.step(1) => false,
        Value::Nil | Value::Bool(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Int(value) => i64::try_from(*value).is_ok(),
        Value::Array(array) => {
            depth < MAX_PLAIN_DEPTH && array.items().iter().all(|item| is_plain(work, item, depth + 1))
        }
        Value::Hash(hash) => {
            let is_plain = |value: &Value| is_plain(work, value, depth + 1);
            depth < MAX_PLAIN_DEPTH
                && hash.entries().iter().all(|(key, value)| is_plain(key.value()) && is_plain(value))
        }
        _ => false,
    }
}

fn format_argument(work: &Work, argument: &Value) -> Result<FormatArgument, Raise> {
    Ok(match argument {
        plain if is_plain(work, plain, 0) => FormatArgument::Value(crate::convert::to_puppet(work, plain)?),
        // Its digits are read as those of an integer.
        Value::Int(_) => FormatArgument::Value(to_s(work, argument).into()),
        other => FormatArgument::Foreign(foreign(work, other)),
    })
}

fn foreign(work: &Work, value: &Value) -> Foreign {
    Foreign { class: class_of(value).name(), text: to_s(work, value), inspected: inspect(work, value) }
}

/// `format('%d', 1)`
pub(super) fn format(vm: &mut Interpreter<'_>, format: &str, arguments: &[Value]) -> Eval {
    let mut converted = Vec::with_capacity(arguments.len());
    let shows = format.contains(['s', 'p', '{']);
    for argument in arguments {
        converted.push(match argument {
            Value::Hash(hash) if !is_plain(&vm.work, argument, 0) => {
                let entry = |(key, value): &(Value, Value)| {
                    Ok::<_, Raise>((to_s(&vm.work, key), format_argument(&vm.work, value)?))
                };
                let entries = hash.pairs().iter().map(entry).collect::<Result<_, Raise>>()?;
                FormatArgument::Hash(entries, foreign(&vm.work, argument))
            }
            // Only its class matters: no directive shows it.
            Value::Array(_) if !shows => FormatArgument::Value(pp_types::Value::array(Vec::new())),
            other => format_argument(&vm.work, other)?,
        });
    }
    vm.step(format.len() / 8)?;
    let text = pp_types::sprintf_arguments(format, &converted).map_err(|error| {
        let is_type =
            ["can't convert ", "no implicit conversion "].iter().any(|start| error.message.starts_with(start));
        match error.kind {
            pp_types::ErrorKind::Unavailable => {
                Stop::refused("strings that are not Unicode, which `%c` makes of this number")
            }
            _ if is_type => Raise::type_error(error.message).into(),
            _ => Stop::from(error),
        }
    })?;
    vm.string(text)
}

/// The digits at the start of a text, in a radix; `0` reads a prefix such as `0x`, `-8` is 8 with a prefix.
pub(super) fn leading_integer(text: &str, radix: i128) -> i128 {
    let text = text.trim_start_matches(super::string::is_space);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = strip_radix(digits, radix);
    let mut value: i128 = 0;
    let mut after_digit = false;
    for c in digits.chars() {
        match c.to_digit(radix) {
            Some(digit) => {
                value = value.saturating_mul(i128::from(radix)).saturating_add(i128::from(digit));
                after_digit = true;
            }
            None if c == '_' && after_digit => after_digit = false,
            None => break,
        }
    }
    if is_negative { -value } else { value }
}

fn strip_radix(digits: &str, radix: i128) -> (u32, &str) {
    let prefixes: [(&[&str], u32); 4] =
        [(&["0x", "0X"], 16), (&["0b", "0B"], 2), (&["0o", "0O"], 8), (&["0d", "0D"], 10)];
    for (names, value) in prefixes {
        let stripped = names.iter().find_map(|name| digits.strip_prefix(name));
        if let Some(stripped) = stripped
            && (radix <= 0 || radix == i128::from(value))
            && stripped.starts_with(|c: char| c.is_digit(value))
        {
            return (value, stripped);
        }
    }
    match radix {
        0 if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        0 => (10, digits),
        -8 => (8, digits),
        radix => (u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix)).unwrap_or(10), digits),
    }
}

/// Reads an integer as `Integer()` does: nothing else may be in the text.
fn strict_integer(text: &str, radix: i128) -> Option<i128> {
    let trimmed = text.trim_matches(super::string::is_space);
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let (radix, digits) = strip_radix(unsigned, radix);
    let is_valid = !digits.is_empty()
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__")
        && digits.chars().all(|c| c == '_' || c.is_digit(radix));
    if !is_valid || text.contains('\0') {
        return None;
    }
    let value = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if trimmed.starts_with('-') { -value } else { value })
}

/// The longest prefix of a text that is a decimal number.
fn float_prefix(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit)
            || bytes.get(at) == Some(&b'_')
                && at > 0
                && bytes[at - 1].is_ascii_digit()
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = digits(start);
    if end == start {
        return "";
    }
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    &text[..end]
}

/// `"1.5x".to_f`
pub(super) fn leading_float(text: &str) -> f64 {
    let text = text.trim_start_matches(super::string::is_space);
    let prefix = float_prefix(text);
    if prefix.is_empty() {
        // `.5` is a number for `to_f`, though not in a program.
        let (sign, rest) = match text.strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, text),
        };
        if rest.starts_with('.') {
            return sign * leading_float(&format!("0{rest}"));
        }
        return 0.0;
    }
    prefix.replace('_', "").parse().unwrap_or(0.0)
}

fn strict_float(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(super::string::is_space);
    if !trimmed.is_empty() && float_prefix(trimmed).len() == trimmed.len() {
        return trimmed.replace('_', "").parse().ok();
    }
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return strict_integer(trimmed, 16).map(|value| value as f64);
    }
    None
}

/// Converts an argument that is a separator or a name to a string.
pub(super) fn string_argument(value: &Value) -> Eval<String> {
    Ok(to_str(value)?.to_owned())
}
