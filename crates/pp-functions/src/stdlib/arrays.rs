//! Functions of arrays.

use indexmap::IndexSet;
use pp_types::{Hash, KeyState, Regexp, Value, interpolate, ruby_text};

use crate::arguments::{fail, reject};
use crate::elements::index_value;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::compare::ruby_equal;
use crate::ruby::inspect::{class_name, inspect};
use crate::ruby::regexp::find;
use crate::stdlib::booleans::str2bool;

pub(crate) static ANY2ARRAY: Function = Function::counted(
    "any2array",
    0,
    None,
    "Returns an array: an array stays as it is, a hash becomes a flat list of keys and values, nothing or an empty string an \
     empty array, everything else an array of the arguments.",
    |call| {
        let values = match call.arguments {
            [] => Vec::new(),
            [Value::Array(values)] => return Ok(Value::Array(values.clone())),
            [Value::Hash(entries)] => entries.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect(),
            [value] if *value == Value::from("") => Vec::new(),
            values => values.to_vec(),
        };
        Ok(Value::array(values))
    },
);

pub(crate) static CONCAT: Function = Function::counted(
    "concat",
    0,
    None,
    "Appends the elements of the other arrays, and other values, to the first array.",
    |call| {
        let given = call.arguments.len();
        if given < 2 {
            return Err(reject(format!("concat(): Wrong number of arguments given ({given} for < 2)")));
        }
        let Value::Array(first) = call.argument(0) else {
            return Err(reject("concat(): Requires array to work with"));
        };
        let mut values = first.to_vec();
        for argument in &call.arguments[1..] {
            match argument {
                Value::Array(more) => values.extend_from_slice(more),
                value => values.push(value.clone()),
            }
        }
        call.charge(values.len(), values.len() * size_of::<Value>())?;
        Ok(Value::array(values))
    },
);

pub(crate) static COUNT: Function = Function::counted(
    "count",
    1,
    Some(2),
    "Returns the number of elements that equal the second argument, or without one of those that are neither `undef` nor \
     empty strings.",
    |call| {
        let Value::Array(values) = call.argument(0) else {
            let class = class_name(call.argument(0));
            return Err(reject(format!("count(): expects an Array as the first argument, got {class}")));
        };
        let counts = |value: &&Value| match call.arguments.get(1) {
            Some(wanted) => ruby_equal(value, wanted),
            None => **value != Value::Undef && **value != Value::from(""),
        };
        Ok(index_value(values.iter().filter(counts).count()))
    },
);

fn arrays<'a>(call: &Call<'a>, message: impl Fn() -> String) -> Result<Vec<&'a [Value]>, Interrupt> {
    let all: Option<Vec<&[Value]>> = call
        .arguments
        .iter()
        .map(|argument| match argument {
            Value::Array(values) => Some(values.as_slice()),
            _ => None,
        })
        .collect();
    all.ok_or_else(|| reject(message()))
}

pub(crate) static UNION: Function =
    Function::counted("union", 0, None, "Returns an array of all elements of the arrays, each once.", |call| {
        let given = call.arguments.len();
        if given < 2 {
            return Err(reject(format!("union(): Wrong number of arguments given ({given} for < 2)")));
        }
        let arrays = arrays(call, || "union(): Every parameter must be an array".to_owned())?;
        let values: IndexSet<Value, KeyState> = arrays.into_iter().flatten().cloned().collect();
        Ok(Value::array(values.into_iter().collect()))
    });

pub(crate) static INTERSECTION: Function = Function::counted(
    "intersection",
    2,
    Some(2),
    "Returns an array of the elements that are in both arrays, each once.",
    |call| {
        let arrays = arrays(call, || {
            let (left, right) = (class_name(call.argument(0)), class_name(call.argument(1)));
            format!("intersection(): Requires 2 arrays, got {left} and {right}")
        })?;
        let right: IndexSet<&Value, KeyState> = arrays[1].iter().collect();
        let both: IndexSet<&Value, KeyState> = arrays[0].iter().filter(|value| right.contains(value)).collect();
        Ok(Value::array(both.into_iter().cloned().collect()))
    },
);

pub(crate) static DIFFERENCE: Function = Function::counted(
    "difference",
    2,
    Some(2),
    "Returns the elements of the first array that are not in the second.",
    |call| {
        let arrays = arrays(call, || "difference(): Requires 2 arrays".to_owned())?;
        let right: IndexSet<&Value, KeyState> = arrays[1].iter().collect();
        Ok(Value::array(arrays[0].iter().filter(|value| !right.contains(value)).cloned().collect()))
    },
);

pub(crate) static DELETE: Function = Function::counted(
    "delete",
    0,
    None,
    "Deletes elements from an array, keys from a hash, or parts from a string: what equals the second argument or one of \
     its elements.",
    |call| {
        let given = call.arguments.len();
        if given != 2 {
            return Err(reject(format!("delete(): Wrong number of arguments given {given} for 2")));
        }
        let single = std::slice::from_ref(call.argument(1));
        let items = if let Value::Array(items) = call.argument(1) { items.as_slice() } else { single };
        match call.argument(0) {
            Value::Array(values) => {
                let kept = values.iter().filter(|value| !items.iter().any(|item| ruby_equal(value, item)));
                Ok(Value::array(kept.cloned().collect()))
            }
            Value::Hash(entries) => {
                let kept = entries.iter().filter(|(key, _)| !items.contains(key));
                Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone())).collect()))
            }
            Value::String(text) => {
                let mut text = text.to_string();
                for item in items.iter().map(interpolate).filter(|item| !item.is_empty()) {
                    text = text.replace(&item, "");
                }
                Ok(Value::string(text))
            }
            other => Err(reject(format!(
                "delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.",
                class_name(other)
            ))),
        }
    },
);

pub(crate) static DELETE_AT: Function = Function::counted(
    "delete_at",
    2,
    None,
    "Deletes the element with the given index from an array; negative indexes count from the end.",
    |call| {
        let Value::Array(values) = call.argument(0) else {
            return Err(reject("delete_at(): Requires array to work with"));
        };
        let index = match call.argument(1) {
            Value::Integer(index) => Some(*index),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let Some(index) = index else {
            return Err(reject("delete_at(): You must provide non-negative numeric index"));
        };
        let from_end = index < 0;
        let offset = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        let at = if from_end { values.len().checked_sub(offset) } else { Some(offset) };
        if !from_end && offset > values.len().saturating_sub(1) {
            return Err(reject("delete_at(): Given index exceeds size of array given"));
        }
        let mut values = values.to_vec();
        if let Some(at) = at.filter(|at| *at < values.len()) {
            values.remove(at);
        }
        Ok(Value::array(values))
    },
);

pub(crate) static DELETE_UNDEF_VALUES: Function = Function::counted(
    "delete_undef_values",
    1,
    None,
    "Deletes the elements of an array or the entries of a hash whose value is `undef`.",
    |call| match call.argument(0) {
        Value::Array(values) => {
            Ok(Value::array(values.iter().filter(|value| **value != Value::Undef).cloned().collect()))
        }
        Value::Hash(entries) => Ok(without_values(&entries.0, |value| *value == Value::Undef)),
        other => Err(reject(format!(
            "delete_undef_values(): expected an array or hash, got {} type  {} ",
            interpolate(other),
            class_name(other)
        ))),
    },
);

fn without_values(entries: &Hash, is_deleted: impl Fn(&Value) -> bool) -> Value {
    let kept = entries.iter().filter(|(_, value)| !is_deleted(value));
    Value::hash(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

pub(crate) static DELETE_VALUES: Function = Function::counted(
    "delete_values",
    2,
    Some(2),
    "Deletes the entries of a hash that have the given value.",
    |call| match call.argument(0) {
        Value::Hash(entries) => Ok(without_values(&entries.0, |value| ruby_equal(value, call.argument(1)))),
        other => Err(reject(format!(
            "delete_values(): First argument must be a Hash. Given an argument of class {}.",
            class_name(other)
        ))),
    },
);

pub(crate) static DELETE_REGEX: Function = Function::counted(
    "delete_regex",
    2,
    Some(2),
    "Deletes the elements of an array, or the keys of a hash, that a regular expression matches as a whole. The regular \
     expression is a string, or several are an array.",
    |call| {
        let single = std::slice::from_ref(call.argument(1));
        let patterns = if let Value::Array(patterns) = call.argument(1) { patterns.as_slice() } else { single };
        let regexps: Vec<Regexp> =
            patterns.iter().map(|pattern| Regexp::new(format!(r"\A(?:{})\Z", interpolate(pattern)))).collect();
        let is_deleted = |value: &Value| -> Result<bool, Interrupt> {
            let text = interpolate(value);
            for regexp in &regexps {
                if find(regexp, &text, 0)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        match call.argument(0) {
            Value::Array(values) => {
                let mut kept = Vec::new();
                for value in values.iter() {
                    if !is_deleted(value)? {
                        kept.push(value.clone());
                    }
                }
                Ok(Value::array(kept))
            }
            Value::Hash(entries) => {
                let mut kept = Hash::default();
                for (key, value) in entries.iter() {
                    if !is_deleted(key)? {
                        kept.insert(key.clone(), value.clone());
                    }
                }
                Ok(Value::hash(kept))
            }
            other => Err(reject(format!("delete_regex(): expects an Array or a Hash, got {}", class_name(other)))),
        }
    },
);

pub(crate) static GREP: Function = Function::counted(
    "grep",
    2,
    Some(2),
    "Returns the elements of an array that a regular expression, given as a string, matches.",
    |call| select(call, "grep", Select::Matching),
);

pub(crate) static REJECT: Function = Function::counted(
    "reject",
    2,
    Some(2),
    "Returns the elements of an array that a regular expression, given as a string, does not match.",
    |call| select(call, "reject", Select::Others),
);

/// Which elements a function returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Select {
    Matching,
    Others,
}

fn select(call: &mut Call<'_>, name: &str, select: Select) -> Result<Value, Interrupt> {
    let Value::Array(values) = call.argument(0) else {
        let class = class_name(call.argument(0));
        return Err(reject(format!("{name}(): expects an Array as the first argument, got {class}")));
    };
    let regexp = Regexp::new(call.text(1));
    let mut selected = Vec::new();
    for value in values.iter() {
        let is_match = match value {
            Value::String(text) => find(&regexp, text, 0)?.is_some(),
            _ => false,
        };
        if is_match == (select == Select::Matching) {
            selected.push(value.clone());
        }
    }
    Ok(Value::array(selected))
}

pub(crate) static MEMBER: Function = Function::counted(
    "member",
    2,
    None,
    "Returns whether an array contains the second argument, or all elements of it.",
    |call| {
        let Value::Array(values) = call.argument(0) else {
            return Err(reject("member(): Requires array to work with"));
        };
        let single = std::slice::from_ref(call.argument(1));
        let items = match call.argument(1) {
            Value::Array(items) if items.is_empty() => {
                return Err(reject("member(): You must provide item to search for within array given"));
            }
            Value::Array(items) => items.as_slice(),
            Value::String(_) | Value::Integer(_) => single,
            _ => return Err(reject("member(): Item to search for must be a string, fixnum, or array")),
        };
        Ok(Value::Boolean(items.iter().all(|item| values.contains(item))))
    },
);

pub(crate) static PREFIX: Function = Function::counted(
    "prefix",
    1,
    None,
    "Puts a string before each element of an array, or before each key of a hash.",
    |call| affix(call, "prefix", |affix, text| format!("{affix}{text}")),
);

pub(crate) static SUFFIX: Function = Function::counted(
    "suffix",
    1,
    None,
    "Puts a string after each element of an array, or after each key of a hash.",
    |call| affix(call, "suffix", |affix, text| format!("{text}{affix}")),
);

fn affix(call: &mut Call<'_>, name: &str, join: fn(&str, &str) -> String) -> Result<Value, Interrupt> {
    let affix = match call.arguments.get(1) {
        None => "",
        Some(Value::String(affix)) => affix,
        Some(other) => {
            let shown = inspect(other);
            return Err(reject(format!("{name}(): expected second argument to be a String, got {shown}")));
        }
    };
    match call.argument(0) {
        Value::Array(values) => {
            call.charge(values.len(), values.len() * affix.len())?;
            let affixed = values.iter().map(|value| Value::string(join(affix, &ruby_text(value))));
            Ok(Value::array(affixed.collect()))
        }
        Value::Hash(entries) => {
            call.charge(entries.len(), entries.len() * affix.len())?;
            let affixed =
                entries.iter().map(|(key, value)| (Value::string(join(affix, &interpolate(key))), value.clone()));
            Ok(Value::hash(affixed.collect()))
        }
        other => {
            let shown = inspect(other);
            Err(reject(format!("{name}(): expected first argument to be an Array or a Hash, got {shown}")))
        }
    }
}

pub(crate) static PICK: Function = Function::counted(
    "pick",
    0,
    None,
    "Returns the first argument that is neither `undef` nor an empty string. It is an error if there is none.",
    |call| match picked(call) {
        Some(value) => Ok(value.clone()),
        None => Err(fail("pick(): must receive at least one non empty value")),
    },
);

pub(crate) static PICK_DEFAULT: Function = Function::counted(
    "pick_default",
    0,
    None,
    "Returns the first argument that is neither `undef` nor an empty string, or the last argument if there is none.",
    |call| match (picked(call), call.arguments.last()) {
        (Some(value), _) | (None, Some(value)) => Ok(value.clone()),
        (None, None) => Err(fail("Must receive at least one argument.")),
    },
);

fn picked<'a>(call: &Call<'a>) -> Option<&'a Value> {
    call.arguments.iter().find(|value| **value != Value::from(""))
}

pub(crate) static ZIP: Function = Function::counted(
    "zip",
    0,
    None,
    "Returns an array of pairs: the elements of the first array with those of the second at the same index. If the third \
     argument is true, the pairs are flattened.",
    |call| {
        let given = call.arguments.len();
        if given < 2 {
            return Err(reject(format!("zip(): Wrong number of arguments given ({given} for 2)")));
        }
        let (Value::Array(left), Value::Array(right)) = (call.argument(0), call.argument(1)) else {
            return Err(reject("zip(): Requires array to work with"));
        };
        let pairs =
            left.iter().enumerate().map(|(at, value)| [value.clone(), right.get(at).cloned().unwrap_or(Value::Undef)]);
        let flattens = call.arguments.get(2).map(str2bool).transpose()?.unwrap_or(false);
        let values =
            if flattens { pairs.flatten().collect() } else { pairs.map(|pair| Value::array(pair.to_vec())).collect() };
        Ok(Value::array(values))
    },
);
