//! Methods that change strings, and sets of characters.

use crate::interpreter::Interpreter;
use crate::methods::args::{Args, changeable_str, text, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::methods::string::{map, outside, positions, replaced};
use crate::stop::{Eval, Raise};
use crate::value::Value;
use crate::work::ITEMS_PER_STEP;

pub(super) static STRING: &[Method] = &[
    method("<<", 1, 1, |vm, this, args| append(vm, this, args.get(0))).constant(),
    method("[]=", 2, 3, assign_slice),
    method("capitalize!", 0, 0, |vm, this, args| in_place(vm, this, "capitalize", args)),
    method("chomp!", 0, 1, |vm, this, args| in_place(vm, this, "chomp", args)),
    method("chop!", 0, 0, |vm, this, args| in_place(vm, this, "chop", args)),
    method("clear", 0, 0, |vm, this, _| {
        changeable_str(vm, this)?.set(String::new());
        Ok(this.clone())
    })
    .constant(),
    variadic("concat", 0, |vm, this, args| {
        for value in args.list {
            append(vm, this, value)?;
        }
        Ok(this.clone())
    })
    .constant(),
    variadic("delete", 1, |vm, this, args| {
        let set = CharSet::of_all(vm, this, args)?;
        map(vm, this, |text| text.chars().filter(|c| !set.contains(*c)).collect())
    }),
    variadic("delete!", 1, |vm, this, args| in_place(vm, this, "delete", args)),
    method("downcase!", 0, 0, |vm, this, args| in_place(vm, this, "downcase", args)),
    method("gsub!", 1, 2, |vm, this, args| in_place(vm, this, "gsub", args)),
    method("insert", 2, 2, |vm, this, args| {
        let added = args.text(1)?.to_owned();
        let index = args.int(0)?;
        let count = text(this).chars().count() as i128;
        let at = if index < 0 { index + count + 1 } else { index };
        if at < 0 || at > count {
            return Err(outside(index).into());
        }
        let string = changeable_str(vm, this)?;
        let mut changed = string.get().to_owned();
        let offset = changed.char_indices().nth(at as usize).map_or(changed.len(), |(offset, _)| offset);
        changed.insert_str(offset, &added);
        vm.charge(changed.len())?;
        string.set(changed);
        Ok(this.clone())
    }),
    method("lstrip!", 0, 0, |vm, this, args| in_place(vm, this, "lstrip", args)),
    variadic("prepend", 0, |vm, this, args| {
        let string = changeable_str(vm, this)?;
        let mut changed = String::new();
        for value in args.list {
            changed.push_str(&to_str(value)?);
        }
        changed.push_str(&string.get());
        vm.charge(changed.len())?;
        string.set(changed);
        Ok(this.clone())
    }),
    method("replace", 1, 1, |vm, this, args| {
        let new = args.text(0)?.to_owned();
        vm.charge(new.len())?;
        changeable_str(vm, this)?.set(new);
        Ok(this.clone())
    }),
    method("reverse!", 0, 0, |vm, this, args| {
        in_place(vm, this, "reverse", args)?;
        Ok(this.clone())
    }),
    method("rstrip!", 0, 0, |vm, this, args| in_place(vm, this, "rstrip", args)),
    method("slice!", 1, 2, |vm, this, args| {
        let string = changeable_str(vm, this)?;
        let removed = super::string::slice(vm, this, args)?;
        if let Value::Str(part) = &removed {
            let text = string.get().to_owned();
            let range = match args.get(0) {
                Value::Str(_) | Value::Regexp(_) => text.find(&*part.get()).map(|at| (at, at + part.get().len())),
                _ => positions(&text, args)?,
            };
            if let Some((start, end)) = range {
                string.set(format!("{}{}", &text[..start], &text[end..]));
            }
        }
        Ok(removed)
    }),
    variadic("squeeze", 0, |vm, this, args| {
        let set = if args.len() == 0 { None } else { Some(CharSet::of_all(vm, this, args)?) };
        map(vm, this, |text| {
            let mut last = None;
            let keep = |c: &char| {
                let repeats = last == Some(*c) && set.as_ref().is_none_or(|set| set.contains(*c));
                last = Some(*c);
                !repeats
            };
            text.chars().filter(keep).collect()
        })
    }),
    variadic("squeeze!", 0, |vm, this, args| in_place(vm, this, "squeeze", args)),
    method("strip!", 0, 0, |vm, this, args| in_place(vm, this, "strip", args)),
    method("sub!", 1, 2, |vm, this, args| in_place(vm, this, "sub", args)),
    method("succ!", 0, 0, |vm, this, args| {
        in_place(vm, this, "succ", args)?;
        Ok(this.clone())
    }),
    method("swapcase!", 0, 0, |vm, this, args| in_place(vm, this, "swapcase", args)),
    method("tr", 2, 2, |vm, this, args| translate(vm, this, args, Repeats::Kept)),
    method("tr!", 2, 2, |vm, this, args| in_place(vm, this, "tr", args)),
    method("tr_s", 2, 2, |vm, this, args| translate(vm, this, args, Repeats::Squeezed)),
    method("upcase!", 0, 0, |vm, this, args| in_place(vm, this, "upcase", args)),
];

fn append(vm: &mut Interpreter<'_>, this: &Value, value: &Value) -> Eval {
    let string = changeable_str(vm, this)?;
    let added = match value {
        Value::Int(code) => match u32::try_from(*code).ok().and_then(char::from_u32) {
            Some(c) => c.to_string(),
            None => return Err(Raise::range(format!("{code} out of char range")).into()),
        },
        other => to_str(other)?.to_owned(),
    };
    vm.append(string, &added)?;
    Ok(this.clone())
}

/// Changes a string to what another method returns; nil if that is the same.
fn in_place(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    changeable_str(vm, this)?;
    let changed = replaced(vm, this, name, args)?;
    // The block may have frozen it.
    let string = changeable_str(vm, this)?;
    let is_same = *string.get() == *changed;
    if is_same {
        return Ok(Value::Nil);
    }
    string.set(changed);
    Ok(this.clone())
}

/// `text[…] = value`
fn assign_slice(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let string = changeable_str(vm, this)?;
    let old = string.get().to_owned();
    let value = args.get(args.len() - 1);
    let new = to_str(value)?.to_owned();
    let index = Args { list: &args.list[..args.len() - 1], block: None };
    let range = match index.get(0) {
        Value::Str(part) => match old.find(&*part.get()) {
            Some(at) => (at, at + part.get().len()),
            None => return Err(Raise::index("string not matched").into()),
        },
        Value::Regexp(regexp) => match super::string_search::search(vm, regexp, &old.as_str().into(), 0)? {
            Some(found) => found.groups.first().copied().flatten().unwrap_or_default(),
            None => return Err(Raise::index("regexp not matched").into()),
        },
        other => match positions(&old, index)? {
            Some(range) => range,
            None => return Err(outside(crate::methods::args::to_int(other).unwrap_or(0)).into()),
        },
    };
    vm.charge(old.len() + new.len())?;
    string.set(format!("{}{new}{}", &old[..range.0], &old[range.1..]));
    Ok(value.clone())
}

/// A set of characters as `tr`, `delete` and `count` have it: `a-z`, `^0-9`, `\-`.
pub(super) struct CharSet {
    parts: Vec<(bool, Vec<(char, char)>)>,
}

impl CharSet {
    /// The characters that are in all of the sets. Pays for looking each character of the receiver up.
    pub fn of_all(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval<CharSet> {
        let mut parts = Vec::new();
        for set in args.list {
            let set = to_str(set)?;
            let (is_negated, set) = split_negation(&set);
            let ranges = ranges(set)?;
            vm.step(text(this).len().saturating_mul(ranges.len()) / ITEMS_PER_STEP)?;
            parts.push((is_negated, ranges));
        }
        Ok(CharSet { parts })
    }

    /// Returns whether a character is in the set.
    pub fn contains(&self, c: char) -> bool {
        self.parts
            .iter()
            .all(|(is_negated, ranges)| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negated)
    }
}

fn split_negation(set: &str) -> (bool, &str) {
    match set.strip_prefix('^') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, set),
    }
}

fn ranges(set: &str) -> Eval<Vec<(char, char)>> {
    let mut ranges = Vec::new();
    let mut chars = set.chars().peekable();
    let next = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| match chars.next() {
        Some('\\') => Some(chars.next().unwrap_or('\\')),
        other => other,
    };
    while let Some(from) = next(&mut chars) {
        let mut ahead = chars.clone();
        if ahead.next() == Some('-') && ahead.peek().is_some() {
            chars.next();
            let to = next(&mut chars).unwrap_or(from);
            if to < from {
                return Err(Raise::argument(format!("invalid range \"{from}-{to}\" in string transliteration")).into());
            }
            ranges.push((from, to));
        } else {
            ranges.push((from, from));
        }
    }
    Ok(ranges)
}

/// The most characters that the replacement of `tr` may stand for.
const MAX_TRANSLATED: usize = 1 << 16;

/// What becomes of equal characters in a row that replace others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    Kept,
    Squeezed,
}

fn translate(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, repeats: Repeats) -> Eval {
    let (from, to) = (args.text(0)?.to_owned(), args.text(1)?.to_owned());
    let (is_negated, from) = split_negation(&from);
    let from = ranges(from)?;
    let to: Vec<char> = ranges(&to)?.into_iter().flat_map(|(first, last)| first..=last).take(MAX_TRANSLATED).collect();
    vm.step(text(this).len().saturating_mul(1 + from.len() / ITEMS_PER_STEP))?;
    map(vm, this, |text| {
        let mut out = String::with_capacity(text.len());
        let mut last = None;
        for c in text.chars() {
            let mut before = 0;
            let mut position = None;
            for (first, end) in &from {
                if (*first..=*end).contains(&c) {
                    position = Some(before + (u32::from(c) - u32::from(*first)) as usize);
                    break;
                }
                before += (u32::from(*end) - u32::from(*first)) as usize + 1;
            }
            let new = match (position, is_negated) {
                (Some(at), false) => Some(to.get(at).or(to.last()).copied()),
                (None, true) => Some(to.last().copied()),
                _ => None,
            };
            match new {
                None => {
                    out.push(c);
                    last = None;
                }
                Some(None) => {}
                Some(Some(new)) => {
                    if repeats == Repeats::Kept || last != Some(new) {
                        out.push(new);
                    }
                    last = Some(new);
                }
            }
        }
        out
    })
}
