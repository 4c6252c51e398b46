//! Functions of hashes.

use pp_types::{Hash, Value, interpolate, with_stack};

use crate::arguments::reject;
use crate::elements::{Elements, Pass};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::{class_name, inspect};

pub(crate) static HAS_KEY: Function =
    Function::counted("has_key", 0, None, "Returns whether a hash has a key.", |call| {
        let given = call.arguments.len();
        if given != 2 {
            return Err(reject(format!("has_key(): wrong number of arguments ({given}; must be 2)")));
        }
        match call.argument(0) {
            Value::Hash(entries) => Ok(Value::Boolean(entries.contains_key(call.argument(1)))),
            other => Err(reject(format!(
                "has_key(): expects the first argument to be a hash, got {} which is of type {}",
                inspect(other),
                class_name(other)
            ))),
        }
    });

pub(crate) static HASH: Function =
    Function::counted("hash", 1, None, "Makes a hash of an array of pairs, or of keys and values in turn.", |call| {
        match call.argument(0) {
            Value::Array(values) => match pairs(values) {
                Some(entries) => Ok(Value::hash(entries)),
                None => Err(reject("hash(): Unable to compute hash from array given")),
            },
            _ => Err(reject("hash(): Requires array to work with")),
        }
    });

fn pairs(values: &[Value]) -> Option<Hash> {
    let is_pair = |value: &Value| matches!(value, Value::Array(pair) if pair.len() == 2);
    if values.iter().all(is_pair) {
        let pair = |value: &Value| match value {
            Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
            _ => None,
        };
        return values.iter().map(pair).collect();
    }
    let (chunks, []) = values.as_chunks::<2>() else { return None };
    Some(chunks.iter().map(|[key, value]| (key.clone(), value.clone())).collect())
}

pub(crate) static JOIN_KEYS_TO_VALUES: Function = Function::counted(
    "join_keys_to_values",
    2,
    Some(2),
    "Returns an array of strings: each key of a hash, the separator, and the value. A value that is an array gives a string \
     for each of its elements.",
    |call| {
        let Value::Hash(entries) = call.argument(0) else {
            let class = class_name(call.argument(0));
            let message = format!("join_keys_to_values(): The first argument must be a hash, but a {class} was given.");
            return Err(reject(message));
        };
        let Value::String(separator) = call.argument(1) else {
            let class = class_name(call.argument(1));
            let message =
                format!("join_keys_to_values(): The second argument must be a string, but a {class} was given.");
            return Err(reject(message));
        };
        let mut joined = Vec::new();
        for (key, value) in entries.iter() {
            let key = interpolate(key);
            let values = if let Value::Array(values) = value { values.as_slice() } else { std::slice::from_ref(value) };
            for value in values {
                call.charge(1, key.len() + separator.len())?;
                joined.push(Value::string(format!("{key}{separator}{}", interpolate(value))));
            }
        }
        Ok(Value::array(joined))
    },
);

pub(crate) static MERGE: Function = Function::typed(
    "merge",
    &[
        "Variant[Hash[Scalar, Any], Undef, String[0, 0]] *args",
        "Iterable *args, Callable[3, 3] &block",
        "Iterable *args, Callable[2, 2] &block",
    ],
    "Merges hashes; the value of the last one that has a key counts. With a block it starts with an empty hash and merges \
     into it what the block returns for each element; the block gets the hash so far, and the element or its key and value.",
    merge,
);

fn merge(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut merged = Hash::default();
    if call.signature == 0 {
        for argument in call.arguments {
            if let Value::Hash(entries) = argument {
                call.charge(entries.len(), 0)?;
                merged.extend(entries.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
        }
        return Ok(Value::hash(merged));
    }
    let single = [Value::array(call.arguments.to_vec())];
    let source = if call.arguments.len() == 1 { call.argument(0) } else { &single[0] };
    for (index, element) in Elements::of(source, Pass::Keep).enumerate() {
        let so_far = Value::hash(merged.clone());
        let result = if call.signature == 1 {
            let [key, value] = element.into_pair(index);
            call.yield_block(&[so_far, key, value])?
        } else {
            call.yield_block(&[so_far, element.into_single()])?
        };
        if let Value::Hash(entries) = result {
            call.charge(merged.len() + entries.len(), 0)?;
            merged.extend(entries.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    Ok(Value::hash(merged))
}

pub(crate) static DEEP_MERGE: Function = Function::counted(
    "deep_merge",
    0,
    None,
    "Merges hashes, and the hashes inside them. Other values of the last hash that has a key count.",
    |call| {
        let given = call.arguments.len();
        if given < 2 {
            return Err(reject(format!("deep_merge(): wrong number of arguments ({given}; must be at least 2)")));
        }
        let mut merged = Hash::default();
        for argument in call.arguments {
            match argument {
                Value::Hash(entries) => deep_merge_into(call, &mut merged, entries)?,
                value if *value == Value::from("") => {}
                other => {
                    let class = class_name(other);
                    return Err(reject(format!(
                        "deep_merge: unexpected argument type {class}, only expects hash arguments"
                    )));
                }
            }
        }
        Ok(Value::hash(merged))
    },
);

fn deep_merge_into(call: &mut Call<'_>, target: &mut Hash, source: &Hash) -> Result<(), Interrupt> {
    with_stack(|| {
        for (key, value) in source {
            call.charge(1, 0)?;
            let merged = match (target.get(key), value) {
                (Some(Value::Hash(old)), Value::Hash(new)) => {
                    let mut inner = old.0.clone();
                    deep_merge_into(call, &mut inner, new)?;
                    Value::hash(inner)
                }
                _ => value.clone(),
            };
            target.insert(key.clone(), merged);
        }
        Ok(())
    })
}
