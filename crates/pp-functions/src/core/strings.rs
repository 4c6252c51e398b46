//! Functions of strings: case, whitespace, quoting, versions.

use std::cmp::Ordering;

use pp_types::{Hash, Type, Value, with_stack};

use crate::arguments::fail;
use crate::elements::{Elements, Pass};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::{class_name, inspect};
use crate::ruby::titlecase;

/// The signatures of functions that change strings, and those in an array.
const TEXT: &[&str] = &["Numeric arg", "String arg", "Iterable[Variant[String, Numeric]] arg"];

/// The signatures of functions that change strings, and those in arrays and hashes at any depth.
const NESTED_TEXT: &[&str] =
    &["Numeric arg", "String arg", "Array[StringData] arg", "Hash[StringData, StringData] arg"];

const STRING_DATA: &[(&str, &str)] =
    &[("StringData", "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]")];

pub(crate) static UPCASE: Function = Function::with_aliases(
    "upcase",
    STRING_DATA,
    NESTED_TEXT,
    "Returns a string in upper case. Strings inside arrays and hashes, keys included, are changed too; numbers stay.",
    |call| change_nested(call, &titlecase::upcase),
);

pub(crate) static DOWNCASE: Function = Function::with_aliases(
    "downcase",
    STRING_DATA,
    NESTED_TEXT,
    "Returns a string in lower case. Strings inside arrays and hashes, keys included, are changed too; numbers stay.",
    |call| change_nested(call, &titlecase::downcase),
);

pub(crate) static CAPITALIZE: Function = Function::typed(
    "capitalize",
    TEXT,
    "Returns a string, or each of an array, with its first character in upper case and the others in lower case.",
    |call| change(call, &titlecase::capitalize),
);

pub(crate) static CAMELCASE: Function = Function::typed(
    "camelcase",
    TEXT,
    "Returns a string, or each of an array, without its underscores and with each word between them capitalized: \
     `hello_world` becomes `HelloWorld`.",
    |call| change(call, &|text| text.split('_').map(titlecase::capitalize).collect()),
);

pub(crate) static STRIP: Function = Function::typed(
    "strip",
    TEXT,
    "Returns a string, or each of an array, without whitespace at its ends: space, tab, newline, carriage return, vertical \
     tab, form feed and null.",
    |call| change(call, &|text| text.trim_matches(is_space).to_owned()),
);

pub(crate) static LSTRIP: Function = Function::typed(
    "lstrip",
    TEXT,
    "Returns a string, or each of an array, without whitespace at its start.",
    |call| change(call, &|text| text.trim_start_matches(is_space).to_owned()),
);

pub(crate) static RSTRIP: Function =
    Function::typed("rstrip", TEXT, "Returns a string, or each of an array, without whitespace at its end.", |call| {
        change(call, &|text| text.trim_end_matches(is_space).to_owned())
    });

pub(crate) static CHOMP: Function = Function::typed(
    "chomp",
    TEXT,
    "Returns a string, or each of an array, without one line ending (`\\n`, `\\r\\n` or `\\r`) at its end.",
    |call| change(call, &|text| chomp(text).to_owned()),
);

pub(crate) static CHOP: Function = Function::typed(
    "chop",
    TEXT,
    "Returns a string, or each of an array, without its last character, or its last two if they are `\\r\\n`.",
    |call| change(call, &|text| chop(text).to_owned()),
);

fn is_space(character: char) -> bool {
    matches!(character, '\0' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ')
}

fn chomp(text: &str) -> &str {
    let ending = ["\r\n", "\n", "\r"].into_iter().find(|ending| text.ends_with(ending));
    &text[..text.len() - ending.map_or(0, str::len)]
}

fn chop(text: &str) -> &str {
    if let Some(text) = text.strip_suffix("\r\n") {
        return text;
    }
    let mut characters = text.chars();
    characters.next_back();
    characters.as_str()
}

/// A change of a string.
type Change<'a> = &'a dyn Fn(&str) -> String;

/// Changes a string or the elements of an iterable value; a number stays.
fn change(call: &mut Call<'_>, change: Change<'_>) -> Result<Value, Interrupt> {
    match call.argument(0) {
        value @ (Value::String(_) | Value::Integer(_) | Value::Float(_)) => change_value(call, value, change),
        value => {
            let mut changed = Vec::new();
            for element in Elements::of(value, Pass::Keep) {
                changed.push(change_value(call, element.value(), change)?);
            }
            Ok(Value::array(changed))
        }
    }
}

fn change_nested(call: &mut Call<'_>, change: Change<'_>) -> Result<Value, Interrupt> {
    let value = call.argument(0);
    change_value(call, value, change)
}

fn change_value(call: &mut Call<'_>, value: &Value, change: Change<'_>) -> Result<Value, Interrupt> {
    with_stack(|| match value {
        Value::String(text) => {
            call.charge(1, text.len())?;
            Ok(Value::string(change(text)))
        }
        Value::Array(values) => {
            call.charge(values.len(), values.len() * size_of::<Value>())?;
            let changed: Result<Vec<Value>, Interrupt> =
                values.iter().map(|value| change_value(call, value, change)).collect();
            changed.map(Value::array)
        }
        Value::Hash(entries) => {
            call.charge(entries.len(), entries.len() * 2 * size_of::<Value>())?;
            let mut changed = Hash::default();
            for (key, value) in entries.iter() {
                changed.insert(change_value(call, key, change)?, change_value(call, value, change)?);
            }
            Ok(Value::hash(changed))
        }
        other => Ok(other.clone()),
    })
}

pub(crate) static SPRINTF: Function = Function::counted(
    "sprintf",
    1,
    None,
    "Formats values as the function of this name does in C and Ruby: `%d`, `%05.2f`, `%-10s`, `%x`. `%<key>s` and `%{key}` \
     take the values of a hash.",
    |call| {
        let format = call.text(0);
        let arguments: Vec<Value> = call.arguments.iter().skip(1).map(plain_reference).collect();
        let formatted = pp_types::sprintf(&format, &arguments)?;
        call.charge(1, formatted.len())?;
        Ok(Value::string(formatted))
    },
);

/// Replaces a reference to a resource by its text, without quotes around the title.
fn plain_reference(value: &Value) -> Value {
    match value {
        Value::Type(Type::Resource(Some(_), Some(_)) | Type::Class(Some(_))) => Value::string(inspect(value)),
        other => other.clone(),
    }
}

pub(crate) static SHELLQUOTE: Function = Function::counted(
    "shellquote",
    0,
    None,
    "Returns the arguments as words of one command line, quoted for a shell where necessary. Arrays are flattened.",
    shellquote,
);

fn shellquote(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut line = String::new();
    let mut stack = vec![call.arguments.iter()];
    while let Some(words) = stack.last_mut() {
        match words.next() {
            None => {
                stack.pop();
            }
            Some(Value::Array(inner)) => stack.push(inner.iter()),
            Some(Value::String(word)) => {
                call.charge(1, word.len())?;
                if !line.is_empty() {
                    line.push(' ');
                }
                quote_into(word, &mut line);
            }
            Some(other) => {
                let class = class_name(other);
                return Err(fail(format!("shellquote(): expects a String or an Array of them, got {class}")));
            }
        }
    }
    Ok(Value::string(line))
}

fn quote_into(word: &str, line: &mut String) {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "-_.,/:@%+=".contains(character);
    let is_special = |character: char| "\"`$\\!".contains(character);
    if !word.is_empty() && word.chars().all(is_safe) {
        line.push_str(word);
    } else if word.contains(is_special) && !word.contains('\'') {
        line.push('\'');
        line.push_str(word);
        line.push('\'');
    } else {
        line.push('"');
        for character in word.chars() {
            if is_special(character) {
                line.push('\\');
            }
            line.push(character);
        }
        line.push('"');
    }
}

pub(crate) static VERSIONCMP: Function = Function::typed(
    "versioncmp",
    &["String a, String b, Boolean ?ignore_trailing_zeroes"],
    "Compares versions of software: -1 if the first is older, 0 if they are equal, 1 if it is newer. Numbers are compared as \
     numbers, so that `1.10` is newer than `1.9`. If the third argument is true, `1.0` equals `1`.",
    |call| {
        let ordering = if *call.argument(2) == Value::Boolean(true) {
            compare_versions(&without_trailing_zeroes(call.string(0)), &without_trailing_zeroes(call.string(1)))
        } else {
            compare_versions(call.string(0), call.string(1))
        };
        Ok(Value::Integer(ordering as i64))
    },
);

/// Removes dots and zeros at the end of the part before the first dash.
fn without_trailing_zeroes(version: &str) -> String {
    let (release, rest) = version.split_at(version.find('-').unwrap_or(version.len()));
    format!("{}{rest}", release.trim_end_matches(['.', '0']))
}

/// Compares versions part by part: dashes come before dots, dots before numbers and words.
pub(crate) fn compare_versions(left: &str, right: &str) -> Ordering {
    let (mut left_rest, mut right_rest) = (left, right);
    while !left_rest.is_empty() && !right_rest.is_empty() {
        let (left_part, right_part) = (take_part(&mut left_rest), take_part(&mut right_rest));
        if left_part == right_part {
            continue;
        }
        for separator in ["-", "."] {
            if left_part == separator {
                return Ordering::Less;
            }
            if right_part == separator {
                return Ordering::Greater;
            }
        }
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if is_number(left_part) && is_number(right_part) {
            // A leading zero makes it a part of a fraction.
            if left_part.starts_with('0') || right_part.starts_with('0') {
                return left_part.cmp(right_part);
            }
            return left_part.len().cmp(&right_part.len()).then_with(|| left_part.cmp(right_part));
        }
        return titlecase::upcase(left_part).cmp(&titlecase::upcase(right_part));
    }
    left.cmp(right)
}

/// Takes the first part of a version: a dash, a dot, a number or a word.
fn take_part<'a>(version: &mut &'a str) -> &'a str {
    let kind = |character: char| match character {
        '-' | '.' => 0,
        '0'..='9' => 1,
        _ => 2,
    };
    let first = version.chars().next().map_or(0, kind);
    let end = match first {
        0 => version.len().min(1),
        first => version.find(|character| kind(character) != first).unwrap_or(version.len()),
    };
    let (part, rest) = version.split_at(end);
    *version = rest;
    part
}
