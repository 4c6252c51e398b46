//! Values of Puppet to values of Ruby, and back.

use std::rc::Rc;
use std::sync::Arc;

use pp_types::Value as Puppet;
use pp_types::with_stack;

use crate::key::{Key, Walk};
use crate::link::Origin;
use crate::stop::Raise;
use crate::value::{Array, Frozen, Hash, Regexp, Str, Value};
use crate::work::Work;

/// Makes a value of Ruby. Containers are taken apart later.
pub(crate) fn from_puppet(value: &Puppet, origin: &Origin) -> Value {
    match value {
        Puppet::Undef => Value::Nil,
        Puppet::Default => Value::symbol("default"),
        Puppet::Boolean(value) => Value::Bool(*value),
        Puppet::Integer(value) => Value::Int(i128::from(*value)),
        Puppet::Float(value) => Value::Float(value.0),
        Puppet::String(text) => Value::Str(
            origin.changed_string(text).unwrap_or_else(|| Rc::new(Str::of_puppet(Arc::clone(text), origin.parameter))),
        ),
        Puppet::Array(values) => {
            origin.object(value, || Value::Array(Rc::new(Array::of_puppet(Arc::clone(values), origin.clone()))))
        }
        Puppet::Hash(entries) => {
            origin.object(value, || Value::Hash(Rc::new(Hash::of_puppet(Arc::clone(entries), origin.clone()))))
        }
        Puppet::Iterator(iterator) => {
            Value::array(iterator.all().iter().map(|item| from_puppet(item, origin)).collect())
        }
        Puppet::Regexp(regexp) => Value::Regexp(Rc::new(Regexp {
            source: (**regexp.source()).into(),
            options: "".into(),
            compiled: regexp.clone(),
        })),
        other => Value::Puppet(other.clone()),
    }
}

/// Makes the key of a hash. Strings that are keys cannot be changed.
pub(crate) fn key_from_puppet(key: &Puppet) -> Value {
    let made = from_puppet(key, &Origin::default());
    if let Value::Str(text) = &made {
        text.frozen.set(Frozen::Yes);
    }
    made
}

/// Makes a value of Puppet.
///
/// # Errors
/// A value that Puppet has no type for, or that contains itself.
pub(crate) fn to_puppet(work: &Work, value: &Value) -> Result<Puppet, Raise> {
    convert(value, &mut Walk::new(work), work)
}

/// The error of a value that has no end.
pub(crate) fn nested_too_deeply() -> Raise {
    Raise::argument("the value is nested too deeply, or contains itself")
}

fn convert(value: &Value, walk: &mut Walk<'_>, work: &Work) -> Result<Puppet, Raise> {
    if !walk.enter(0) || !work.charge(size_of::<Puppet>()) {
        return Err(nested_too_deeply());
    }
    let converted = match value {
        Value::Array(array) => match array.link.unchanged() {
            Some(source) => Ok(Puppet::Array(source)),
            None => {
                let items = array.items();
                with_stack(|| items.iter().map(|item| convert(item, walk, work)).collect::<Result<_, Raise>>())
                    .map(Puppet::array)
            }
        },
        Value::Hash(hash) => match hash.link.unchanged() {
            Some(source) => Ok(Puppet::Hash(source)),
            None => {
                let entries = hash.entries();
                let pair =
                    |(key, value): (&Key, &Value)| Ok((convert(key.value(), walk, work)?, convert(value, walk, work)?));
                with_stack(|| entries.iter().map(pair).collect::<Result<_, Raise>>()).map(Puppet::hash)
            }
        },
        other => plain_to_puppet(other),
    };
    walk.leave();
    converted
}

/// Makes a value of Puppet of one that has no elements.
///
/// # Errors
/// A value that Puppet has no type for.
pub(crate) fn plain_to_puppet(value: &Value) -> Result<Puppet, Raise> {
    Ok(match value {
        Value::Nil => Puppet::Undef,
        Value::Bool(value) => Puppet::Boolean(*value),
        Value::Int(value) => match i64::try_from(*value) {
            Ok(value) => Puppet::Integer(value),
            Err(_) => return Err(Raise::range(format!("the integer {value} is outside the range of Puppet"))),
        },
        Value::Float(value) => Puppet::from(*value),
        Value::Symbol(name) => match &**name {
            "undef" => Puppet::Undef,
            "default" => Puppet::Default,
            name => Puppet::from(name),
        },
        Value::Str(text) => Puppet::String(text.to_shared()),
        Value::Regexp(regexp) => Puppet::Regexp(regexp.compiled.clone()),
        Value::Puppet(value) => value.clone(),
        other => {
            let class = crate::classes::class_of(other).name();
            return Err(Raise::type_error(format!("Puppet has no values of the class {class}")));
        }
    })
}
