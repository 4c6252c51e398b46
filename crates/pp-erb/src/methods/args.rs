//! Arguments and receivers of methods, and what they are converted to.

use std::cell::Ref;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use pp_types::Value as Puppet;

use crate::classes::{Class, class_of};
use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::proc::Proc;
use crate::scope::Mutability;
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Array, Enumerator, Frozen, Hash, Str, Value};

/// What a method is called with.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    pub list: &'a [Value],
    pub block: Option<&'a Rc<Proc>>,
}

impl<'a> Args<'a> {
    /// Returns an argument; nil if it is missing.
    pub fn get(&self, index: usize) -> &'a Value {
        self.list.get(index).unwrap_or(&Value::Nil)
    }

    /// Returns how many arguments there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns an argument as an integer.
    pub fn int(&self, index: usize) -> Eval<i128> {
        to_int(self.get(index))
    }

    /// Returns an argument as an integer, or a default if it is missing.
    pub fn int_or(&self, index: usize, default: i128) -> Eval<i128> {
        match self.list.get(index) {
            Some(value) => to_int(value),
            None => Ok(default),
        }
    }

    /// Returns an argument as a number of elements.
    pub fn count(&self, index: usize) -> Eval<usize> {
        let count = self.int(index)?;
        usize::try_from(count).map_err(|_| Raise::argument("negative array size").into())
    }

    /// Returns an argument as a string.
    pub fn text(&self, index: usize) -> Eval<Text<'a>> {
        to_str(self.get(index))
    }

    /// Returns the entry of the options after the arguments, if there are any.
    pub fn option(&self, name: &str) -> Option<Value> {
        match self.list.last() {
            Some(Value::Hash(hash)) => hash.entries().get(&Key::known(Value::symbol(name))).cloned(),
            _ => None,
        }
    }
}

/// The text of a string or a symbol.
pub(crate) enum Text<'a> {
    Borrowed(Ref<'a, str>),
    Plain(&'a str),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Plain(text) => text,
        }
    }
}

/// Returns the text of a receiver that is a string or a symbol.
pub(crate) fn text(value: &Value) -> Text<'_> {
    match value {
        Value::Str(text) => Text::Borrowed(text.get()),
        Value::Symbol(name) => Text::Plain(name),
        _ => Text::Plain(""),
    }
}

/// The elements of a receiver that is an array.
pub(crate) enum Items<'a> {
    Borrowed(Ref<'a, Vec<Value>>),
    None,
}

impl Deref for Items<'_> {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        match self {
            Items::Borrowed(items) => items,
            Items::None => &[],
        }
    }
}

/// Returns the elements of a receiver that is an array.
pub(crate) fn items(value: &Value) -> Items<'_> {
    match value {
        Value::Array(array) => Items::Borrowed(array.items()),
        _ => Items::None,
    }
}

/// Returns how messages about conversions name a value.
fn described(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        other => class_of(other).name(),
    }
}

/// `no implicit conversion of Integer into String`
pub(crate) fn no_conversion(value: &Value, class: &str) -> Raise {
    Raise::type_error(format!("no implicit conversion of {} into {class}", described(value)))
}

/// Converts a value to an integer where one is needed.
pub(crate) fn to_int(value: &Value) -> Eval<i128> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Float(value) => float_to_int(*value),
        Value::Nil => Err(Raise::type_error("no implicit conversion from nil to integer").into()),
        other => Err(no_conversion(other, "Integer").into()),
    }
}

/// Cuts the digits after the point off.
pub(crate) fn float_to_int(value: f64) -> Eval<i128> {
    if !value.is_finite() {
        return Err(Raise::new(Class::FloatDomainError, pp_types::float_text(value)).into());
    }
    if value.abs() >= 1.0e38 {
        return Err(too_large());
    }
    Ok(value.trunc() as i128)
}

/// The error of an integer that has more digits than templates can use.
pub(crate) fn too_large() -> Stop {
    Stop::limit("an integer of more than 127 bits")
}

/// Converts a value to a string where one is needed.
pub(crate) fn to_str(value: &Value) -> Eval<Text<'_>> {
    match value {
        Value::Str(text) => Ok(Text::Borrowed(text.get())),
        other => Err(no_conversion(other, "String").into()),
    }
}

/// Converts a value to an array where one is needed.
pub(crate) fn to_ary(value: &Value) -> Eval<Rc<Array>> {
    match value {
        Value::Array(array) => Ok(Rc::clone(array)),
        other => Err(no_conversion(other, "Array").into()),
    }
}

/// Converts a value to a hash where one is needed.
pub(crate) fn to_hash(value: &Value) -> Eval<Rc<Hash>> {
    match value {
        Value::Hash(hash) => Ok(Rc::clone(hash)),
        other => Err(no_conversion(other, "Hash").into()),
    }
}

/// What an iterating method without a block gives.
pub(crate) fn enumerator(receiver: &Value, method: &str, args: Args<'_>) -> Eval {
    Ok(Value::Enumerator(Rc::new(Enumerator {
        receiver: receiver.clone(),
        method: method.into(),
        arguments: args.list.to_vec(),
    })))
}

/// Returns the string of a receiver that is changed.
///
/// # Errors
/// A frozen string.
pub(crate) fn changeable_str<'v>(vm: &mut Interpreter<'_>, value: &'v Value) -> Eval<&'v Rc<Str>> {
    let Value::Str(string) = value else { return Err(frozen(vm, value)) };
    if let Some(text) = string.shared() {
        let shared = Puppet::String(Arc::clone(&text));
        let mutability = match (string.frozen.get(), string.parameter) {
            (Frozen::Yes, _) => Mutability::Frozen,
            (_, Some(_)) => Mutability::Shared,
            (_, None) => vm.scope.mutability(&shared),
        };
        if mutability == Mutability::Frozen {
            string.frozen.set(Frozen::Yes);
        } else {
            string.frozen.set(Frozen::No);
            vm.objects.0.change_string(string, text, mutability == Mutability::Shared);
        }
    }
    if string.frozen.get() == Frozen::No { Ok(string) } else { Err(frozen(vm, value)) }
}

/// Returns the array of a receiver that is changed.
///
/// # Errors
/// A frozen array.
pub(crate) fn changeable_array<'v>(vm: &mut Interpreter<'_>, value: &'v Value) -> Eval<&'v Rc<Array>> {
    let Value::Array(array) = value else { return Err(frozen(vm, value)) };
    if is_frozen(vm, value) { Err(frozen(vm, value)) } else { Ok(array) }
}

/// Returns the hash of a receiver that is changed.
///
/// # Errors
/// A frozen hash.
pub(crate) fn changeable_hash<'v>(vm: &mut Interpreter<'_>, value: &'v Value) -> Eval<&'v Rc<Hash>> {
    let Value::Hash(hash) = value else { return Err(frozen(vm, value)) };
    if is_frozen(vm, value) { Err(frozen(vm, value)) } else { Ok(hash) }
}

/// `value.frozen?`
pub(crate) fn is_frozen(vm: &mut Interpreter<'_>, value: &Value) -> bool {
    let (frozen, source) = match value {
        Value::Str(text) => (&text.frozen, text.shared().map(Puppet::String)),
        Value::Array(array) => (&array.frozen, array.link.get().map(|(source, _)| Puppet::Array(source))),
        Value::Hash(hash) => (&hash.frozen, hash.link.get().map(|(source, _)| Puppet::Hash(source))),
        Value::Proc(_) | Value::Enumerator(_) | Value::Exception(_) | Value::Class(_) | Value::Main | Value::Scope => {
            return false;
        }
        _ => return true,
    };
    if frozen.get() == Frozen::Unknown {
        let is_frozen = source.is_some_and(|source| vm.scope.mutability(&source) == Mutability::Frozen);
        frozen.set(if is_frozen { Frozen::Yes } else { Frozen::No });
    }
    frozen.get() == Frozen::Yes
}

fn frozen(vm: &Interpreter<'_>, value: &Value) -> Stop {
    let class = class_of(value).name();
    let message = format!("can't modify frozen {class}: {}", crate::show::inspect(&vm.work, value));
    let mut raise = Raise::new(Class::FrozenError, message);
    if matches!(value, Value::Str(_)) {
        raise.help = Some(
            "literal strings and facts cannot be changed; make a new string, for example with `+` or `gsub`".to_owned(),
        );
    }
    raise.into()
}

/// A range of positions in a sequence: the start and the length, or nothing if it starts outside.
pub(crate) fn span(from: i128, length: i128, size: usize) -> Option<(usize, usize)> {
    let size = size as i128;
    let start = if from < 0 { from + size } else { from };
    if start < 0 || start > size || length < 0 {
        return None;
    }
    let length = length.min(size - start);
    Some((start as usize, length as usize))
}

/// The positions that a range stands for in a sequence.
pub(crate) fn range_span(range: &crate::value::Range, size: usize) -> Eval<Option<(usize, usize)>> {
    let from = match &range.from {
        Value::Nil => 0,
        from => to_int(from)?,
    };
    let to = match &range.to {
        Value::Nil => -1,
        to => to_int(to)?,
    };
    let is_exclusive = range.is_exclusive && !matches!(range.to, Value::Nil);
    let length = size as i128;
    let start = if from < 0 { from + length } else { from };
    let end = if to < 0 { to + length } else { to };
    let end = if is_exclusive { end } else { end.saturating_add(1) };
    Ok(span(from, end.saturating_sub(start).max(0), size))
}
