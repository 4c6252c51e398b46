//! `each`, `map`, `filter` and the other functions that call a block for each element.

use std::ops::RangeInclusive;
use std::sync::Arc;

use pp_types::{Hash, IntegerBounds, IteratorValue, Type, Value};

use crate::arguments::fail;
use crate::elements::{Element, Elements, Pass, element_type};
use crate::function::{Call, Function};
use crate::host::Interrupt;

/// The signatures of `each` and its relatives. Those with an even index have blocks with two parameters.
const ELEMENTS: &[&str] = &[
    "Hash hash, Callable[2, 2] &block",
    "Hash hash, Callable[1, 1] &block",
    "Iterable enumerable, Callable[2, 2] &block",
    "Iterable enumerable, Callable[1, 1] &block",
];

pub(crate) static EACH: Function = Function::typed(
    "each",
    ELEMENTS,
    "Calls the block for each element, and returns the first argument.\n\n\
     With one parameter the block gets the element; an entry of a hash is an array of key and value. With two it gets the \
     index and the element, or the key and the value. `break()` ends the iteration, `next()` the current element.",
    each,
);

pub(crate) static MAP: Function = Function::typed(
    "map",
    ELEMENTS,
    "Returns an array of what the block returns for each element. The block has the parameters that the block of `each` \
     has.",
    map,
);

pub(crate) static FILTER: Function = Function::typed(
    "filter",
    ELEMENTS,
    "Returns the elements for which the block returns something true: a hash for a hash, otherwise an array. The block has \
     the parameters that the block of `each` has.",
    filter,
);

pub(crate) static ALL: Function = Function::typed(
    "all",
    ELEMENTS,
    "Returns whether the block returns something true for each element. It is called until the answer is known.",
    all,
);

pub(crate) static ANY: Function = Function::typed(
    "any",
    ELEMENTS,
    "Returns whether the block returns something true for an element. It is called until the answer is known.",
    any,
);

pub(crate) static REDUCE: Function = Function::typed(
    "reduce",
    &["Iterable enumerable, Callable[2, 2] &block", "Iterable enumerable, Any memo, Callable[2, 2] &block"],
    "Combines all elements into one value: the block gets what it returned for the element before, and the element. The \
     first call gets the second argument of `reduce`, or without one the first two elements.",
    reduce,
);

pub(crate) static SLICE: Function = Function::typed(
    "slice",
    &[
        "Hash hash, Integer[1] slice_size, Callable ?&block",
        "Iterable enumerable, Integer[1] slice_size, Callable ?&block",
    ],
    "Divides the elements into arrays of the given length; the last one may be shorter. Without a block it returns an array \
     of them. A block with one parameter gets one such array at a time, one with several gets its elements.",
    slice,
);

pub(crate) static STEP: Function = Function::typed(
    "step",
    &["Iterable iterable, Integer[1] step", "Iterable iterable, Integer[1] step, Callable[1, 1] &block"],
    "Visits the first element and then each that is the given number of elements after the one before. Without a block it \
     returns an iterator over them.",
    step,
);

pub(crate) static REVERSE_EACH: Function = Function::typed(
    "reverse_each",
    &["Iterable iterable", "Iterable iterable, Callable[1, 1] &block"],
    "Visits the elements from the last to the first. Without a block it returns an iterator over them.",
    reverse_each,
);

/// Whether the signature is one of [`ELEMENTS`] with two parameters.
fn takes_two(call: &Call<'_>) -> bool {
    call.signature.is_multiple_of(2)
}

fn call_block(call: &mut Call<'_>, two: bool, index: usize, element: Element) -> Result<Value, Interrupt> {
    if two { call.yield_block(&element.into_pair(index)) } else { call.yield_block(&[element.into_single()]) }
}

/// Calls the block for each element, until it breaks or `visit` returns false.
fn iterate(
    call: &mut Call<'_>,
    mut visit: impl FnMut(&mut Call<'_>, Value) -> Result<bool, Interrupt>,
) -> Result<(), Interrupt> {
    let two = takes_two(call);
    for (index, element) in Elements::of(call.argument(0), Pass::Consume).enumerate() {
        match call_block(call, two, index, element) {
            Ok(value) => {
                if !visit(call, value)? {
                    break;
                }
            }
            Err(Interrupt::Break) => break,
            Err(interrupt) => return Err(interrupt),
        }
    }
    Ok(())
}

fn each(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    iterate(call, |_, _| Ok(true))?;
    Ok(call.argument(0).clone())
}

fn map(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut values = Vec::new();
    iterate(call, |call, value| {
        call.charge(1, size_of::<Value>())?;
        values.push(value);
        Ok(true)
    })?;
    Ok(Value::array(values))
}

fn filter(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    if let Some(entries) = call.hash(0) {
        return filter_hash(call, entries);
    }
    let two = takes_two(call);
    let mut values = Vec::new();
    for (index, element) in Elements::of(call.argument(0), Pass::Consume).enumerate() {
        let value = element.value().clone();
        match call_block(call, two, index, element) {
            Ok(result) if result.is_true() => {
                call.charge(1, size_of::<Value>())?;
                values.push(value);
            }
            Ok(_) => {}
            Err(Interrupt::Break) => break,
            Err(interrupt) => return Err(interrupt),
        }
    }
    Ok(Value::array(values))
}

/// Filters a hash. `break` is not an end of this iteration in Puppet, so it passes through.
fn filter_hash(call: &mut Call<'_>, entries: &Hash) -> Result<Value, Interrupt> {
    let two = takes_two(call);
    let mut selected = Hash::default();
    for (index, element) in Elements::of(call.argument(0), Pass::Keep).enumerate() {
        if call_block(call, two, index, element)?.is_true()
            && let Some((key, value)) = entries.get_index(index)
        {
            selected.insert(key.clone(), value.clone());
        }
    }
    Ok(Value::hash(selected))
}

fn all(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    Ok(Value::Boolean(!exists(call, |result| !result.is_true())?))
}

fn any(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    Ok(Value::Boolean(exists(call, Value::is_true)?))
}

/// Returns whether a result of the block is what is looked for. `break` passes through.
fn exists(call: &mut Call<'_>, is_wanted: fn(&Value) -> bool) -> Result<bool, Interrupt> {
    let two = takes_two(call);
    for (index, element) in Elements::of(call.argument(0), Pass::Keep).enumerate() {
        if is_wanted(&call_block(call, two, index, element)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn reduce(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut elements = Elements::of(call.argument(0), Pass::Keep);
    let mut memo = match call.arguments.get(1) {
        Some(memo) => memo.clone(),
        None => match elements.next() {
            Some(element) => element.into_single(),
            None => return Ok(Value::Undef),
        },
    };
    for element in elements {
        match call.iterate_block(&[memo.clone(), element.into_single()])? {
            Some(value) => memo = value,
            None => break,
        }
    }
    Ok(memo)
}

/// Returns how many integers of a range Puppet takes for a slice: never all of them, if there are several.
fn taken_of_range(range: &RangeInclusive<i64>, size: usize) -> usize {
    let count = range.end().abs_diff(*range.start()).saturating_add(1);
    match usize::try_from(count) {
        Ok(count) if size >= count => count.saturating_sub(1).max(1),
        _ => size,
    }
}

fn slice(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let size = match call.argument(1) {
        Value::Integer(size) => usize::try_from(*size).unwrap_or(usize::MAX),
        _ => 1,
    };
    let mut elements = Elements::of(call.argument(0), Pass::Keep);
    let taken = match &elements {
        Elements::Integers(range) => taken_of_range(range, size),
        _ => size,
    };
    let Some(block) = call.block else {
        let mut slices = Vec::new();
        while let Some(slice) = next_slice(call, &mut elements, taken)? {
            slices.push(Value::array(slice));
        }
        return Ok(Value::array(slices));
    };
    let count = block.parameter_count;
    if count == 0 {
        return Err(fail("slice(): block must define at least one parameter. Block has 0."));
    }
    let spread = if block.captures_rest { size > 1 } else { count > 1 };
    let required =
        usize::try_from(block.callable.parameters.size.map_or(count as u64, |size| size.min)).unwrap_or(count);
    if spread && !block.captures_rest && size < required {
        return Err(fail(format!("slice(): block has {count} parameters, but a slice has only {size} elements")));
    }
    // A short slice is filled up, with empty arrays where the elements are entries of a hash.
    let padding = if call.hash(0).is_some() { Value::array(Vec::new()) } else { Value::Undef };
    while let Some(mut slice) = next_slice(call, &mut elements, taken)? {
        let result = if spread {
            if slice.len() < size {
                call.charge(size, size * size_of::<Value>())?;
                slice.resize(size, padding.clone());
            }
            call.iterate_block(&slice)?
        } else {
            call.iterate_block(&[Value::array(slice)])?
        };
        if result.is_none() {
            break;
        }
    }
    Ok(call.argument(0).clone())
}

fn next_slice(call: &mut Call<'_>, elements: &mut Elements<'_>, size: usize) -> Result<Option<Vec<Value>>, Interrupt> {
    let mut slice = Vec::new();
    while slice.len() < size {
        let Some(element) = elements.next() else { break };
        call.charge(1, size_of::<Value>())?;
        slice.push(element.into_single());
    }
    Ok(if slice.is_empty() { None } else { Some(slice) })
}

fn step(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let step = match call.argument(1) {
        Value::Integer(step) => usize::try_from(*step).unwrap_or(usize::MAX),
        _ => 1,
    };
    let elements = Elements::of(call.argument(0), Pass::Consume).step_by(step);
    let ty = match element_type(call.argument(0)) {
        Type::Integer(IntegerBounds { min: Some(min), max: Some(max) }) if min <= max => {
            // The last number that is visited.
            let step = i64::try_from(step).unwrap_or(i64::MAX);
            let rest = max.checked_sub(min).map_or(0, |length| length % step);
            Type::integer(Some(min), Some(max - rest))
        }
        other => other,
    };
    visit_or_collect(call, elements.map(Element::into_single), ty)
}

fn reverse_each(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut values = Vec::new();
    // Ranges are reversed without making them, so that `break` in the first call ends the work.
    if let Elements::Integers(range) = Elements::of(call.argument(0), Pass::Keep) {
        let ty = element_type(call.argument(0));
        return visit_or_collect(call, range.rev().map(Value::Integer), ty);
    }
    for element in Elements::of(call.argument(0), Pass::Keep) {
        call.charge(1, size_of::<Value>())?;
        values.push(element.into_single());
    }
    let ty = element_type(call.argument(0));
    visit_or_collect(call, values.into_iter().rev(), ty)
}

/// Calls the block for each value, or returns an iterator if there is none.
fn visit_or_collect(call: &mut Call<'_>, values: impl Iterator<Item = Value>, ty: Type) -> Result<Value, Interrupt> {
    if call.block.is_some() {
        for value in values {
            if call.iterate_block(&[value])?.is_none() {
                break;
            }
        }
        return Ok(Value::Undef);
    }
    let mut collected = Vec::new();
    for value in values {
        call.charge(1, size_of::<Value>())?;
        collected.push(value);
    }
    Ok(Value::Iterator(IteratorValue::new(ty, collected)))
}

pub(crate) static WITH: Function = Function::typed(
    "with",
    &["Any *arg, Callable &block"],
    "Calls the block with the arguments and returns what it returns: a scope of its own for a few variables.",
    |call| call.yield_block(call.arguments),
);

pub(crate) static THEN: Function = Function::typed(
    "then",
    &["Any arg, Callable[1, 1] &block"],
    "Calls the block with the argument unless the argument is `undef`, which it returns. Useful to go on with what `dig` or \
     `[]` may not have found.",
    |call| match call.argument(0) {
        Value::Undef => Ok(Value::Undef),
        value => call.yield_block(std::slice::from_ref(value)),
    },
);

pub(crate) static LEST: Function = Function::typed(
    "lest",
    &["Any arg, Callable[0, 0] &block"],
    "Returns the argument unless it is `undef`; then it returns what the block returns.",
    |call| match call.argument(0) {
        Value::Undef => call.yield_block(&[]),
        value => Ok(value.clone()),
    },
);

pub(crate) static BREAK: Function =
    Function::typed("break", &[""], "Ends the innermost iteration.", |_| Err(Interrupt::Break));

pub(crate) static NEXT: Function = Function::typed(
    "next",
    &["Any ?value"],
    "Ends the current call of the block with a value, `undef` by default.",
    |call| Err(Interrupt::Next(call.argument(0).clone())),
);

pub(crate) static RETURN: Function = Function::typed(
    "return",
    &["Any ?value"],
    "Ends the function, the class or the define that surrounds the call, with a value, `undef` by default.",
    |call| Err(Interrupt::Return(call.argument(0).clone())),
);

/// The signatures of `group_by` and `partition`; the first one has a block with one parameter.
const GROUP: &[&str] = &[
    "Collection collection, Callable[1, 1] &block",
    "Array array, Callable[2, 2] &block",
    "Collection collection, Callable[2, 2] &block",
];

pub(crate) static GROUP_BY: Function = Function::typed(
    "group_by",
    GROUP,
    "Returns a hash of what the block returns to arrays of the elements for which it returns that. The block gets the \
     element, or with two parameters the index and the element, or the key and the value.",
    group_by,
);

pub(crate) static PARTITION: Function = Function::typed(
    "partition",
    GROUP,
    "Returns two arrays: of the elements for which the block returns something true, and of the others.",
    partition,
);

fn group_by(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut groups: indexmap::IndexMap<Value, Vec<Value>, pp_types::KeyState> = Default::default();
    classify(call, |group, value| groups.entry(group).or_default().push(value))?;
    Ok(Value::hash(groups.into_iter().map(|(group, values)| (group, Value::array(values))).collect()))
}

fn partition(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    classify(call, |group, value| if group.is_true() { yes.push(value) } else { no.push(value) })?;
    Ok(Value::array(vec![Value::array(yes), Value::array(no)]))
}

/// Calls the block for each element and passes its result and the element on.
fn classify(call: &mut Call<'_>, mut add: impl FnMut(Value, Value)) -> Result<(), Interrupt> {
    let two = call.signature != 0;
    for (index, element) in Elements::of(call.argument(0), Pass::Keep).enumerate() {
        let key = element.key(index);
        let value = element.into_single();
        let group = match &value {
            Value::Array(pair) if two && call.hash(0).is_some() => call.yield_block(&Arc::clone(pair))?,
            _ if two => call.yield_block(&[key, value.clone()])?,
            _ => call.yield_block(std::slice::from_ref(&value))?,
        };
        call.charge(1, size_of::<Value>())?;
        add(group, value);
    }
    Ok(())
}
