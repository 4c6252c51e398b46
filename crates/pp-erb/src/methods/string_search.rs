//! Methods of strings that search, split and substitute.

use std::rc::Rc;

use crate::interpreter::Interpreter;
use crate::methods::args::{Args, enumerator, no_conversion, text, to_str};
use crate::methods::method::{Method, method};
use crate::proc::Proc;
use crate::show::to_s;
use crate::stop::{Eval, Raise};
use crate::value::{Match, Regexp, Value};
use crate::work::{NEW_STRING, Work};

pub(super) static STRING: &[Method] = &[
    method("=~", 1, 1, |vm, this, args| match args.get(0) {
        Value::Regexp(regexp) => super::regexp::match_at(vm, regexp, this),
        Value::Str(_) => Err(Raise::type_error("type mismatch: String given").into()),
        _ => Ok(Value::Nil),
    }),
    method("gsub", 1, 2, |vm, this, args| substitute(vm, this, args, Occurrences::All)),
    method("index", 1, 2, |vm, this, args| {
        let string: Rc<str> = (*text(this)).into();
        let from = args.int_or(1, 0)?;
        let count = string.chars().count() as i128;
        let from = if from < 0 { from + count } else { from };
        if from < 0 || from > count {
            return Ok(Value::Nil);
        }
        let offset = string.char_indices().nth(from as usize).map_or(string.len(), |(at, _)| at);
        let found = match args.get(0) {
            Value::Regexp(regexp) => {
                let found = search(vm, regexp, &string, offset)?;
                found.and_then(|found| found.groups.first().copied().flatten()).map(|(start, _)| start)
            }
            other => string[offset..].find(&*to_str(other)?).map(|at| at + offset),
        };
        Ok(found.map_or(Value::Nil, |at| Value::int(string[..at].chars().count())))
    }),
    method("match", 1, 2, |vm, this, args| {
        let regexp = to_regexp(args.get(0))?;
        super::regexp::find(vm, &regexp, this, args.int_or(1, 0)?)
    }),
    method("match?", 1, 2, |_, this, args| {
        let regexp = to_regexp(args.get(0))?;
        Ok(Value::Bool(regexp.compiled.is_match(&text(this))?))
    }),
    method("rindex", 1, 2, |vm, this, args| {
        let string = text(this).to_owned();
        let limit = match args.len() {
            1 => string.len(),
            _ => {
                let count = string.chars().count() as i128;
                let at = args.int(1)?;
                let at = if at < 0 { at + count } else { at };
                if at < 0 {
                    return Ok(Value::Nil);
                }
                string.char_indices().nth(at as usize).map_or(string.len(), |(at, _)| at)
            }
        };
        let found = match args.get(0) {
            Value::Regexp(regexp) => {
                let matches = all_matches(vm, regexp, &string.as_str().into())?;
                let starts = matches.iter().filter_map(|found| found.groups.first().copied().flatten());
                starts.map(|(start, _)| start).rfind(|start| *start <= limit)
            }
            other => {
                let part = to_str(other)?;
                let end = (limit + part.len()).min(string.len());
                let end = (end..=string.len()).find(|at| string.is_char_boundary(*at)).unwrap_or(string.len());
                string[..end].rfind(&*part)
            }
        };
        Ok(found.map_or(Value::Nil, |at| Value::int(string[..at].chars().count())))
    }),
    method("scan", 1, 1, scan),
    method("split", 0, 2, split),
    method("sub", 1, 2, |vm, this, args| substitute(vm, this, args, Occurrences::First)),
];

/// Returns a pattern as a regular expression: a string matches itself.
pub(super) fn to_regexp(pattern: &Value) -> Eval<Rc<Regexp>> {
    match pattern {
        Value::Regexp(regexp) => Ok(Rc::clone(regexp)),
        Value::Str(source) => {
            let regexp = Rc::new(Regexp::new(source.get().to_owned().into(), ""));
            regexp.compiled.compiled()?;
            Ok(regexp)
        }
        other => {
            let class = crate::classes::class_of(other).name();
            Err(Raise::type_error(format!("wrong argument type {class} (expected Regexp)")).into())
        }
    }
}

/// Which matches of a pattern are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occurrences {
    First,
    All,
}

/// Which match [`partition`] splits at.
#[derive(Clone, Copy)]
pub(super) enum PartitionAt {
    First,
    Last,
}

/// The memory of a match.
const MATCH: usize = 160;
/// The memory of a group of it.
const GROUP: usize = 48;

/// Finds the first match at or after an offset.
pub(super) fn search(
    vm: &mut Interpreter<'_>,
    regexp: &Rc<Regexp>,
    string: &Rc<str>,
    from: usize,
) -> Eval<Option<Rc<Match>>> {
    vm.step(1 + (string.len() - from.min(string.len())) / 64)?;
    let found = pp_functions::ruby::regexp::find(&regexp.compiled, string, from)?;
    let Some(captures) = found else { return Ok(None) };
    let names = regexp.compiled.compiled()?.capture_names().enumerate();
    let names = names.filter_map(|(index, name)| Some((name?.into(), index))).collect();
    let groups = captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect();
    Ok(Some(Rc::new(Match { text: Rc::clone(string), groups, names, regexp: Rc::clone(regexp) })))
}

/// Finds all matches from left to right. After an empty one the search goes on with the next character.
pub(super) fn all_matches(vm: &mut Interpreter<'_>, regexp: &Rc<Regexp>, string: &Rc<str>) -> Eval<Vec<Rc<Match>>> {
    let mut matches = Vec::new();
    let mut from = Some(0);
    while let Some(at) = from {
        vm.step(1)?;
        let Some(found) = search(vm, regexp, string, at)? else { break };
        let Some((start, end)) = found.groups.first().copied().flatten() else { break };
        vm.charge(MATCH + found.groups.len() * GROUP)?;
        from = if start == end { string[end..].chars().next().map(|c| end + c.len_utf8()) } else { Some(end) };
        matches.push(found);
    }
    Ok(matches)
}

/// The places of a plain text, as matches.
fn plain_matches(vm: &Interpreter<'_>, pattern: &str, string: &Rc<str>, wanted: Occurrences) -> Vec<Rc<Match>> {
    let regexp = Rc::new(Regexp::new("".into(), ""));
    let make = |(start, part): (usize, &str)| {
        let groups = vec![Some((start, start + part.len()))];
        Rc::new(Match { text: Rc::clone(string), groups, names: Vec::new(), regexp: Rc::clone(&regexp) })
    };
    let most = match wanted {
        Occurrences::First => 1,
        Occurrences::All => usize::MAX,
    };
    let found = string.match_indices(pattern).take(most);
    found.take_while(|_| vm.work.charge(MATCH)).map(make).collect()
}

/// `sub`, `gsub`
fn substitute(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, wanted: Occurrences) -> Eval {
    if args.len() == 1 && args.block.is_none() {
        if wanted == Occurrences::All {
            return enumerator(this, "gsub", args);
        }
        return Err(crate::eval::call::wrong_arguments(1, "2").into());
    }
    let string: Rc<str> = (*text(this)).into();
    let matches = match args.get(0) {
        Value::Regexp(regexp) if wanted == Occurrences::All => all_matches(vm, regexp, &string)?,
        Value::Regexp(regexp) => search(vm, regexp, &string, 0)?.into_iter().collect(),
        Value::Str(pattern) => plain_matches(vm, &pattern.get(), &string, wanted),
        other => {
            let class = crate::classes::class_of(other).name();
            return Err(Raise::type_error(format!("wrong argument type {class} (expected Regexp)")).into());
        }
    };
    vm.step(matches.len())?;
    let mut out = String::with_capacity(string.len());
    let mut copied = 0;
    for found in &matches {
        let Some((start, end)) = found.groups.first().copied().flatten() else { continue };
        out.push_str(&string[copied..start]);
        copied = end;
        match (args.list.get(1), args.block) {
            (Some(Value::Hash(table)), _) => {
                let key = crate::key::Key::to_find(&vm.work, &Value::str(&string[start..end]));
                let value = table.entries().get(&key).cloned();
                out.push_str(&to_s(&vm.work, &Value::or_nil(value)));
            }
            (Some(template), _) => expand(&vm.work, &to_str(template)?, found, &mut out)?,
            (None, Some(block)) => {
                vm.last_match = Some(Rc::clone(found));
                let value = vm.yield_one(block, Value::str(&string[start..end]))?;
                out.push_str(&to_s(&vm.work, &value));
            }
            (None, None) => {}
        }
        vm.charge(out.len().min(end - start + 64))?;
        if out.len() > crate::stop::MAX_TEXT {
            return Err(crate::stop::Stop::limit("a string is too long"));
        }
    }
    out.push_str(&string[copied..]);
    vm.last_match = matches.last().cloned();
    vm.string(out)
}

/// Appends a template with `\1`, `\k<name>` and so on replaced.
fn expand(work: &Work, template: &str, found: &Match, out: &mut String) -> Eval<()> {
    if !template.contains('\\') {
        out.push_str(template);
        return Ok(());
    }
    let names: Vec<&str> = found.names.iter().map(|(name, _)| &**name).collect();
    // What comes before or after the match is paid for each time that it may be meant.
    let around = template.matches("\\`").count() + template.matches("\\'").count();
    if !work.charge(around.saturating_mul(found.text.len())) {
        return work.check();
    }
    let groups = pp_functions::ruby::regexp::Groups {
        names: &names,
        before: found.before(),
        after: found.after(),
        group: &|index| found.group(index).filter(|group| work.charge(group.len())),
        named: &|name| {
            let (_, index) = found.names.iter().find(|(known, _)| &**known == name)?;
            found.group(*index).filter(|group| work.charge(group.len()))
        },
        count: found.groups.len(),
    };
    Ok(pp_functions::ruby::regexp::expand(template, &groups, out)?)
}

fn scan(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let string: Rc<str> = (*text(this)).into();
    let matches = match args.get(0) {
        Value::Regexp(regexp) => all_matches(vm, regexp, &string)?,
        Value::Str(pattern) => plain_matches(vm, &pattern.get(), &string, Occurrences::All),
        other => return Err(no_conversion(other, "Regexp").into()),
    };
    let mut results = Vec::with_capacity(matches.len());
    for found in &matches {
        let result = if found.groups.len() == 1 {
            Value::str(found.group(0).unwrap_or_default())
        } else {
            let groups = (1..found.groups.len()).map(|index| found.group(index).map_or(Value::Nil, Value::str));
            Value::array(groups.collect())
        };
        if let Some(block) = args.block {
            vm.last_match = Some(Rc::clone(found));
            vm.yield_one(block, result)?;
        } else {
            results.push(result);
        }
    }
    vm.last_match = matches.last().cloned();
    if args.block.is_some() { Ok(this.clone()) } else { vm.list(results) }
}

fn split(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let string: Rc<str> = (*text(this)).into();
    let limit = args.int_or(1, 0)?;
    let is_space = |byte: &u8| super::string::is_space(char::from(*byte));
    let separators = match args.get(0) {
        Value::Str(separator) if &*separator.get() != " " => string.matches(&*separator.get()).count(),
        // Matches are paid for when they are found.
        Value::Regexp(_) => 0,
        _ => string.bytes().filter(is_space).count(),
    };
    vm.charge((separators + 1) * NEW_STRING + string.len())?;
    let most = usize::try_from(limit).ok().filter(|limit| *limit > 0);
    let mut parts: Vec<Value> = match args.get(0) {
        Value::Nil => split_words(&string, most, limit != 0),
        Value::Str(separator) if &*separator.get() == " " => split_words(&string, most, limit != 0),
        Value::Str(separator) => {
            let separator = separator.get().to_owned();
            split_plain(&string, &separator, most)
        }
        Value::Regexp(regexp) => split_regexp(vm, &string, regexp, most)?,
        other => {
            let class = crate::classes::class_of(other).name();
            return Err(Raise::type_error(format!("wrong argument type {class} (expected Regexp)")).into());
        }
    };
    if string.is_empty() {
        parts.clear();
    }
    if limit == 0 {
        while parts.last().is_some_and(|part| text(part).is_empty()) {
            parts.pop();
        }
    }
    match args.block {
        Some(block) => {
            let block: &Rc<Proc> = block;
            for part in parts {
                vm.yield_one(block, part)?;
            }
            Ok(this.clone())
        }
        None => Ok(Value::array(parts)),
    }
}

fn split_words(string: &str, most: Option<usize>, keeps_last: bool) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut rest = string.trim_start_matches(super::string::is_space);
    loop {
        if rest.is_empty() {
            // With a limit, what follows the last separator is a part even if it is empty.
            if keeps_last && string.ends_with(super::string::is_space) && !parts.is_empty() {
                parts.push(Value::str(""));
            }
            return parts;
        }
        if most.is_some_and(|most| parts.len() + 1 == most) {
            parts.push(Value::str(rest));
            return parts;
        }
        let end = rest.find(super::string::is_space).unwrap_or(rest.len());
        parts.push(Value::str(&rest[..end]));
        rest = rest[end..].trim_start_matches(super::string::is_space);
    }
}

fn split_plain(string: &str, separator: &str, most: Option<usize>) -> Vec<Value> {
    if separator.is_empty() {
        let mut parts = Vec::new();
        let mut chars = string.chars();
        while most.is_none_or(|most| parts.len() + 1 < most) {
            let Some(c) = chars.next() else { break };
            parts.push(Value::str(c.to_string()));
        }
        if most.is_some() {
            parts.push(Value::str(chars.as_str()));
        }
        return parts;
    }
    match most {
        Some(most) => string.splitn(most, separator).map(Value::str).collect(),
        None => string.split(separator).map(Value::str).collect(),
    }
}

fn split_regexp(
    vm: &mut Interpreter<'_>,
    string: &Rc<str>,
    regexp: &Rc<Regexp>,
    most: Option<usize>,
) -> Eval<Vec<Value>> {
    let mut parts: Vec<Value> = Vec::new();
    let mut begin = 0;
    let mut pieces = 1;
    for found in all_matches(vm, regexp, string)? {
        let Some((start, end)) = found.groups.first().copied().flatten() else { break };
        if most.is_some_and(|most| pieces == most) {
            break;
        }
        if start == end && (start == string.len() || start == begin) {
            // An empty match separates characters: neither at the start of a part nor at the end of the text.
            continue;
        }
        parts.push(Value::str(&string[begin..start]));
        parts.extend((1..found.groups.len()).filter_map(|index| found.group(index)).map(Value::str));
        begin = end;
        pieces += 1;
    }
    parts.push(Value::str(&string[begin..]));
    Ok(parts)
}

/// `partition`, `rpartition`
pub(super) fn partition(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, at: PartitionAt) -> Eval {
    let string: Rc<str> = (*text(this)).into();
    let found = match args.get(0) {
        Value::Regexp(regexp) => {
            let found = match at {
                PartitionAt::First => search(vm, regexp, &string, 0)?,
                PartitionAt::Last => all_matches(vm, regexp, &string)?.pop(),
            };
            found.and_then(|found| found.groups.first().copied().flatten())
        }
        other => {
            let part = to_str(other)?;
            let start = match at {
                PartitionAt::First => string.find(&*part),
                PartitionAt::Last => string.rfind(&*part),
            };
            start.map(|start| (start, start + part.len()))
        }
    };
    let parts = match (found, at) {
        (Some((start, end)), _) => [&string[..start], &string[start..end], &string[end..]],
        (None, PartitionAt::First) => [&*string, "", ""],
        (None, PartitionAt::Last) => ["", "", &*string],
    };
    vm.list(parts.map(Value::str).to_vec())
}
