//! Functions of arrays and hashes.

use pp_types::{Hash, Value};

use crate::elements::{Elements, Pass, index_value};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::compare::ruby_equal;
use crate::ruby::regexp::find;

pub(crate) static KEYS: Function =
    Function::typed("keys", &["Hash hsh"], "Returns the keys of a hash in their order.", |call| {
        let keys = call.hash(0).map(|entries| entries.keys().cloned().collect());
        Ok(Value::array(keys.unwrap_or_default()))
    });

pub(crate) static VALUES: Function =
    Function::typed("values", &["Hash hsh"], "Returns the values of a hash in their order.", |call| {
        let values = call.hash(0).map(|entries| entries.values().cloned().collect());
        Ok(Value::array(values.unwrap_or_default()))
    });

const LENGTH_DOCUMENTATION: &str =
    "Returns the number of elements of an array or hash, of characters of a string, or of bytes of a `Binary`.";

pub(crate) static LENGTH: Function =
    Function::typed("length", &["Collection arg", "String arg", "Binary arg"], LENGTH_DOCUMENTATION, length);

pub(crate) static SIZE: Function =
    Function::typed("size", &["Variant[Collection, String, Binary] arg"], LENGTH_DOCUMENTATION, length);

fn length(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let length = match call.argument(0) {
        Value::Array(values) => values.len(),
        Value::Hash(entries) => entries.len(),
        Value::String(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    Ok(index_value(length))
}

pub(crate) static EMPTY: Function = Function::typed(
    "empty",
    &["Collection coll", "Sensitive[String] str", "String str", "Numeric num", "Binary bin", "Undef x"],
    "Returns whether an array, a hash, a string or a `Binary` has no elements. `undef` is empty. Numbers are not; calling it \
     with one is deprecated.",
    empty,
);

fn empty(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let value = match call.argument(0) {
        Value::Sensitive(inner) => inner,
        value => value,
    };
    let is_empty = match value {
        Value::Array(values) => values.is_empty(),
        Value::Hash(entries) => entries.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Binary(bytes) => bytes.is_empty(),
        Value::Undef => true,
        _ => {
            call.host.deprecate("empty-numeric", "Calling function empty() with Numeric value is deprecated.");
            false
        }
    };
    Ok(Value::Boolean(is_empty))
}

pub(crate) static FLATTEN: Function = Function::typed(
    "flatten",
    &["Any *args"],
    "Returns an array of the arguments in which nested arrays are replaced by their elements. Hashes stay as they are.",
    flatten,
);

fn flatten(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    Ok(Value::array(flat_arguments(call)?))
}

/// Returns the arguments with nested arrays replaced by their elements.
pub(super) fn flat_arguments(call: &mut Call<'_>) -> Result<Vec<Value>, Interrupt> {
    let mut flat = Vec::new();
    // A stack of iterations: nesting may be deep.
    let mut stack = vec![call.arguments.iter()];
    while let Some(values) = stack.last_mut() {
        match values.next() {
            Some(Value::Array(inner)) => stack.push(inner.iter()),
            Some(value) => {
                call.charge(1, size_of::<Value>())?;
                flat.push(value.clone());
            }
            None => {
                stack.pop();
            }
        }
    }
    Ok(flat)
}

pub(crate) static UNIQUE: Function = Function::typed(
    "unique",
    &[
        "String string, Callable[String] ?&block",
        "Hash hash, Callable[Any] ?&block",
        "Array array, Callable[Any] ?&block",
        "Iterable iterable, Callable[Any] ?&block",
    ],
    "Returns the elements without repetitions; the first of several stays. With a block, elements are equal if the block \
     returns equal values for them. `1` and `1.0` differ, and so do `'a'` and `'A'`. A string gives a string; a hash gives a \
     hash of arrays of keys to arrays of their distinct values.",
    unique,
);

fn unique(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    if let Some(entries) = call.hash(0) {
        return unique_hash(call, entries);
    }
    let mut seen = rustc_hash::FxHashSet::default();
    let mut distinct = Vec::new();
    for element in Elements::of(call.argument(0), Pass::Keep) {
        let value = element.into_single();
        let key = discriminate(call, &value)?;
        if seen.insert(key) {
            distinct.push(value);
        }
    }
    if let Value::String(_) = call.argument(0) {
        let text: String = distinct.iter().map(pp_types::interpolate).collect();
        return Ok(Value::string(text));
    }
    Ok(Value::array(distinct))
}

/// Returns what makes an element equal to another: what the block says, or the element.
fn discriminate(call: &mut Call<'_>, value: &Value) -> Result<Value, Interrupt> {
    call.charge(1, size_of::<Value>())?;
    if call.block.is_some() { call.yield_block(std::slice::from_ref(value)) } else { Ok(value.clone()) }
}

fn unique_hash(call: &mut Call<'_>, entries: &Hash) -> Result<Value, Interrupt> {
    let mut groups: indexmap::IndexMap<Value, (Vec<Value>, Vec<Value>), pp_types::KeyState> = Default::default();
    for (key, value) in entries {
        let group = discriminate(call, value)?;
        let (keys, values) = groups.entry(group).or_default();
        keys.push(key.clone());
        values.push(value.clone());
    }
    let mut result = Hash::default();
    for (keys, values) in groups.into_values() {
        let values: indexmap::IndexSet<Value, pp_types::KeyState> = values.into_iter().collect();
        result.insert(Value::array(keys), Value::array(values.into_iter().collect()));
    }
    Ok(Value::hash(result))
}

pub(crate) static INDEX: Function = Function::typed(
    "index",
    &[
        "Hash hash, Callable[2, 2] &block",
        "Hash hash, Callable[1, 1] &block",
        "Iterable enumerable, Callable[2, 2] &block",
        "Iterable enumerable, Callable[1, 1] &block",
        "String str, Variant[String, Regexp] match",
        "Iterable enumerable, Any match",
    ],
    "Returns the index of the first element that equals the second argument or for which the block returns something true, \
     the key for a hash, and `undef` if there is none. In a string it finds a string or a regular expression.",
    index,
);

fn index(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    if call.signature == 4 {
        return index_in_string(call);
    }
    for (position, element) in Elements::of(call.argument(0), Pass::Keep).enumerate() {
        let found = match call.signature {
            0 | 2 => call.yield_block(&[element.key(position), element.value().clone()])?.is_true(),
            1 | 3 => call.yield_block(&[element.value().clone()])?.is_true(),
            _ => {
                call.charge(1, 0)?;
                ruby_equal(element.value(), call.argument(1))
            }
        };
        if found {
            return Ok(element.key(position));
        }
    }
    Ok(Value::Undef)
}

fn index_in_string(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let text = call.string(0);
    let start = match call.argument(1) {
        Value::Regexp(regexp) => find(regexp, text, 0)?.and_then(|captures| captures.get(0).map(|found| found.start())),
        _ => text.find(call.string(1)),
    };
    Ok(start.map_or(Value::Undef, |start| index_value(text[..start].chars().count())))
}
