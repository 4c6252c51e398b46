//! Functions that take regular expressions.

use pp_types::{Regexp, Type, Value, with_stack};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;
use crate::ruby::regexp::{Replacement, find, groups, split as split_text, substitute};

pub(crate) static SPLIT: Function = Function::typed(
    "split",
    &["String str, String pattern", "String str, Regexp pattern", "String str, Type[Regexp] pattern"],
    "Splits a string at each match of a regular expression. A string as the second argument is one too: write `'\\.'` to \
     split at dots. What groups match is part of the result; empty strings at its end are not.",
    |call| {
        let regexp = regexp_of(call.argument(1));
        call.charge(call.string(0).len(), call.string(0).len())?;
        Ok(Value::array(split_text(&regexp, call.string(0))?))
    },
);

/// Returns the regular expression that a string, a regular expression or a type `Regexp[…]` stands for.
fn regexp_of(pattern: &Value) -> Regexp {
    match pattern {
        Value::Regexp(regexp) | Value::Type(Type::Regexp(Some(regexp))) => regexp.clone(),
        Value::String(source) => Regexp::new(source.clone()),
        _ => Regexp::new(""),
    }
}

pub(crate) static REGSUBST: Function = Function::typed(
    "regsubst",
    &[
        "Variant[Array[String], String] target, String pattern, Variant[String, Hash[String, String]] replacement, \
         Optional[Pattern[/^[GEIM]*$/]] ?flags, Enum['E', 'N', 'S', 'U'] ?encoding",
        "Variant[Array[String], String] target, Variant[Regexp, Type[Regexp]] pattern, \
         Variant[String, Hash[String, String]] replacement, Pattern[/^G?$/] ?flags",
    ],
    "Replaces the first match of a regular expression in a string, or in each of an array. The replacement may contain \
     `\\\\0` for the match, `\\\\1` for a group and `\\\\k<name>` for a group with a name; a hash maps what is matched to what \
     replaces it. Flags: `G` replaces all matches, `I` ignores case, `M` lets a dot match a newline, `E` ignores whitespace \
     and comments in the pattern.",
    regsubst,
);

fn regsubst(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let flags = call.string(3);
    let regexp = match call.argument(1) {
        Value::String(source) => Regexp::new(with_flags(source, flags)),
        pattern => regexp_of(pattern),
    };
    let replacement = match call.hash(2) {
        Some(table) => Replacement::Table(table),
        None => Replacement::Template(call.string(2)),
    };
    let all = flags.contains('G');
    match call.argument(0) {
        Value::Array(texts) => {
            let mut results = Vec::with_capacity(texts.len());
            for at in 0..texts.len() {
                results.push(substitute_in(call, &texts[at], &regexp, &replacement, all)?);
            }
            Ok(Value::array(results))
        }
        text => substitute_in(call, text, &regexp, &replacement, all),
    }
}

fn substitute_in(
    call: &mut Call<'_>,
    text: &Value,
    regexp: &Regexp,
    replacement: &Replacement<'_>,
    all: bool,
) -> Result<Value, Interrupt> {
    let Value::String(text) = text else { return Ok(text.clone()) };
    let result = substitute(regexp, text, replacement, all)?;
    call.charge(text.len() + 1, result.len())?;
    Ok(Value::string(result))
}

/// Returns a pattern with the flags of `regsubst` as an option at its start.
fn with_flags(source: &str, flags: &str) -> String {
    let options: String = [('I', 'i'), ('M', 'm'), ('E', 'x')]
        .iter()
        .filter(|(flag, _)| flags.contains(*flag))
        .map(|(_, option)| option)
        .collect();
    match options.as_str() {
        "" => source.to_owned(),
        // The pattern may end with a comment.
        _ if options.contains('x') => format!("(?{options}:{source}\n)"),
        _ => format!("(?{options}:{source})"),
    }
}

pub(crate) static MATCH: Function = Function::typed(
    "match",
    &["String string, Variant[Any, Type] pattern", "Array[String] string, Variant[Any, Type] pattern"],
    "Matches a string, or each of an array, against a regular expression. The result is an array of the match and of what \
     its groups matched, or `undef`. The pattern may also be a string, `Regexp[…]`, `Pattern[…]`, or an array of these; the \
     first one that matches counts.",
    |call| match call.argument(0) {
        Value::Array(texts) => {
            let results: Result<Vec<Value>, Interrupt> =
                texts.iter().map(|text| match_one(&pp_types::interpolate(text), call.argument(1))).collect();
            results.map(Value::array)
        }
        _ => match_one(call.string(0), call.argument(1)),
    },
);

fn match_one(text: &str, pattern: &Value) -> Result<Value, Interrupt> {
    match pattern {
        Value::String(_) | Value::Regexp(_) | Value::Type(Type::Regexp(Some(_))) => {
            match_regexp(text, &regexp_of(pattern))
        }
        Value::Type(Type::Regexp(None)) => Err(fail("Given Regexp Type has no regular expression")),
        Value::Type(Type::Pattern(regexps)) => first_match(regexps.iter().map(|regexp| match_regexp(text, regexp))),
        Value::Type(Type::Alias(alias)) if let Some(resolved) = alias.resolved() => {
            with_stack(|| match_one(text, &Value::Type((*resolved).clone())))
        }
        Value::Array(patterns) => with_stack(|| first_match(patterns.iter().map(|pattern| match_one(text, pattern)))),
        other => Err(fail(format!(
            "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {}",
            class_name(other)
        ))),
    }
}

fn match_regexp(text: &str, regexp: &Regexp) -> Result<Value, Interrupt> {
    let captures = find(regexp, text, 0)?;
    Ok(captures.map_or(Value::Undef, |captures| Value::array(groups(&captures))))
}

fn first_match(results: impl Iterator<Item = Result<Value, Interrupt>>) -> Result<Value, Interrupt> {
    for result in results {
        let result = result?;
        if result != Value::Undef {
            return Ok(result);
        }
    }
    Ok(Value::Undef)
}
