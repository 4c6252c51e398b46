//! Methods of regular expressions and of what they match.

use std::rc::Rc;

use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::methods::args::{Args, text, to_int, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::methods::string_search::{search, to_regexp};
use crate::stop::{Eval, Raise};
use crate::value::{Entries, Match, Regexp, Str, Value};

pub(super) static REGEXP: &[Method] = &[
    method("===", 1, 1, |vm, this, args| match args.get(0) {
        value @ (Value::Str(_) | Value::Symbol(_)) => {
            let found = find(vm, &regexp(this)?, value, 0)?;
            Ok(Value::Bool(found.is_true()))
        }
        _ => Ok(Value::Bool(false)),
    }),
    method("=~", 1, 1, |vm, this, args| match args.get(0) {
        Value::Nil => {
            vm.last_match = None;
            Ok(Value::Nil)
        }
        value @ (Value::Str(_) | Value::Symbol(_)) => match_at(vm, &regexp(this)?, value),
        other => {
            to_str(other)?;
            Ok(Value::Nil)
        }
    }),
    method("casefold?", 0, 0, |_, this, _| Ok(Value::Bool(regexp(this)?.options.contains('i')))),
    method("match", 1, 2, |vm, this, args| match args.get(0) {
        Value::Nil => {
            vm.last_match = None;
            Ok(Value::Nil)
        }
        value @ (Value::Str(_) | Value::Symbol(_)) => find(vm, &regexp(this)?, value, args.int_or(1, 0)?),
        other => {
            to_str(other)?;
            Ok(Value::Nil)
        }
    }),
    method("match?", 1, 2, |_, this, args| match args.get(0) {
        Value::Nil => Ok(Value::Bool(false)),
        value @ (Value::Str(_) | Value::Symbol(_)) => Ok(Value::Bool(regexp(this)?.compiled.is_match(&text(value))?)),
        other => {
            to_str(other)?;
            Ok(Value::Nil)
        }
    }),
    method("names", 0, 0, |vm, this, _| {
        let regexp = regexp(this)?;
        let names = regexp.compiled.compiled()?.capture_names().flatten().map(Value::str).collect();
        vm.list(names)
    }),
    method("options", 0, 0, |_, this, _| {
        let regexp = regexp(this)?;
        let bits = [('i', 1), ('x', 2), ('m', 4)];
        Ok(Value::Int(bits.iter().filter(|(option, _)| regexp.options.contains(*option)).map(|(_, bit)| bit).sum()))
    }),
    method("source", 0, 0, |vm, this, _| {
        let source = regexp(this)?.source.to_string();
        vm.string(source)
    }),
];

pub(super) static MATCH: &[Method] = &[
    method("[]", 1, 2, |vm, this, args| match (args.get(0), args.len()) {
        (index @ (Value::Int(_) | Value::Str(_) | Value::Symbol(_)), 1) => group(&*found(this)?, index),
        _ => {
            let groups = Value::array(groups(&*found(this)?, 0));
            crate::methods::operator(vm, &groups, "[]", args.list)
        }
    }),
    method("begin", 1, 1, |_, this, args| offset(&*found(this)?, args, |(start, _)| start)),
    method("captures", 0, 0, |vm, this, _| {
        let groups = groups(&*found(this)?, 1);
        vm.list(groups)
    })
    .constant(),
    method("end", 1, 1, |_, this, args| offset(&*found(this)?, args, |(_, end)| end)),
    method("named_captures", 0, 0, |_, this, _| {
        let found = found(this)?;
        let mut entries = Entries::default();
        for (name, index) in &found.names {
            let value = found.group(*index).map_or(Value::Nil, Value::str);
            entries.insert(Key::known(Value::Str(Rc::new(Str::frozen(&**name)))), value);
        }
        Ok(Value::hash(entries))
    }),
    method("names", 0, 0, |vm, this, _| {
        let names = found(this)?.names.iter().map(|(name, _)| Value::str(&**name)).collect();
        vm.list(names)
    }),
    method("post_match", 0, 0, |vm, this, _| {
        let after = found(this)?.after().to_owned();
        vm.string(after)
    }),
    method("pre_match", 0, 0, |vm, this, _| {
        let before = found(this)?.before().to_owned();
        vm.string(before)
    }),
    method("regexp", 0, 0, |_, this, _| Ok(Value::Regexp(Rc::clone(&found(this)?.regexp)))).constant(),
    method("size", 0, 0, |_, this, _| Ok(Value::int(found(this)?.groups.len()))).constant(),
    method("length", 0, 0, |_, this, _| Ok(Value::int(found(this)?.groups.len()))).constant(),
    method("string", 0, 0, |vm, this, _| {
        let string = found(this)?.text.to_string();
        vm.string(string)
    }),
    method("to_a", 0, 0, |vm, this, _| {
        let groups = groups(&*found(this)?, 0);
        vm.list(groups)
    })
    .constant(),
    variadic("values_at", 0, |vm, this, args| {
        let found = found(this)?;
        let values = args.list.iter().map(|index| group(&found, index)).collect::<Eval<Vec<Value>>>()?;
        vm.list(values)
    })
    .constant(),
];

fn regexp(value: &Value) -> Eval<Rc<Regexp>> {
    to_regexp(value)
}

fn found(value: &Value) -> Eval<Rc<Match>> {
    match value {
        Value::Match(found) => Ok(Rc::clone(found)),
        other => Err(crate::methods::args::no_conversion(other, "MatchData").into()),
    }
}

fn groups(found: &Match, from: usize) -> Vec<Value> {
    (from..found.groups.len()).map(|index| found.group(index).map_or(Value::Nil, Value::str)).collect()
}

/// Returns a group by its number or name.
pub(super) fn group(found: &Match, index: &Value) -> Eval {
    let index = match index {
        Value::Str(_) | Value::Symbol(_) => {
            let name = text(index);
            match found.names.iter().find(|(known, _)| **known == *name) {
                Some((_, index)) => *index as i128,
                None => {
                    return Err(Raise::index(format!("undefined group name reference: {}", &*name)).into());
                }
            }
        }
        other => to_int(other)?,
    };
    let index = if index < 0 { index + found.groups.len() as i128 } else { index };
    let text = usize::try_from(index).ok().and_then(|index| found.group(index));
    Ok(text.map_or(Value::Nil, Value::str))
}

fn offset(found: &Match, args: Args<'_>, end: fn((usize, usize)) -> usize) -> Eval {
    let index = usize::try_from(args.int(0)?).unwrap_or(usize::MAX);
    match found.groups.get(index) {
        Some(Some(group)) => Ok(Value::int(found.text[..end(*group)].chars().count())),
        Some(None) => Ok(Value::Nil),
        None => Err(Raise::index(format!("index {index} out of matches")).into()),
    }
}

/// Searches, and sets `$~`.
pub(super) fn find(vm: &mut Interpreter<'_>, regexp: &Rc<Regexp>, value: &Value, from: i128) -> Eval {
    let string: Rc<str> = (*text(value)).into();
    let count = string.chars().count() as i128;
    let from = if from < 0 { from + count } else { from };
    if from < 0 || from > count {
        vm.last_match = None;
        return Ok(Value::Nil);
    }
    let offset = string.char_indices().nth(from as usize).map_or(string.len(), |(at, _)| at);
    vm.last_match = search(vm, regexp, &string, offset)?;
    Ok(vm.last_match.clone().map_or(Value::Nil, Value::Match))
}

/// Searches, sets `$~`, and returns the position in characters.
pub(super) fn match_at(vm: &mut Interpreter<'_>, regexp: &Rc<Regexp>, value: &Value) -> Eval {
    match find(vm, regexp, value, 0)? {
        Value::Match(found) => Ok(Value::int(found.before().chars().count())),
        other => Ok(other),
    }
}
