//! Values of Puppet to values of Ruby, and back.

use std::rc::Rc;

use pp_functions::ruby::inspect::with_stack;
use pp_types::Value as Puppet;

use crate::key::{Key, Walk};
use crate::stop::Raise;
use crate::value::{Array, Hash, Regexp, Str, Value};

/// Makes a value of Ruby. Containers are taken apart later.
pub(crate) fn from_puppet(value: &Puppet) -> Value {
    match value {
        Puppet::Undef => Value::Nil,
        Puppet::Default => Value::symbol("default"),
        Puppet::Boolean(value) => Value::Bool(*value),
        Puppet::Integer(value) => Value::Int(i128::from(*value)),
        Puppet::Float(value) => Value::Float(value.0),
        Puppet::String(text) => Value::Str(Rc::new(Str::shared(text.clone()))),
        Puppet::Array(values) => Value::Array(Rc::new(Array::of_puppet(values.clone()))),
        Puppet::Hash(entries) => Value::Hash(Rc::new(Hash::of_puppet(entries.clone()))),
        Puppet::Iterator(iterator) => Value::array(iterator.all().iter().map(from_puppet).collect()),
        Puppet::Regexp(regexp) => Value::Regexp(Rc::new(Regexp {
            source: (**regexp.source()).into(),
            options: "".into(),
            compiled: regexp.clone(),
        })),
        other => Value::Puppet(other.clone()),
    }
}

/// Makes a value of Puppet.
///
/// # Errors
/// A value that Puppet has no type for, or that contains itself.
pub(crate) fn to_puppet(value: &Value) -> Result<Puppet, Raise> {
    convert(value, &mut Walk::default())
}

fn convert(value: &Value, walk: &mut Walk) -> Result<Puppet, Raise> {
    let converted = if walk.enter() { convert_inside(value, walk) } else { Err(nested_too_deeply()) };
    walk.leave();
    converted
}

fn nested_too_deeply() -> Raise {
    Raise::argument("the value is nested too deeply, or contains itself")
}

fn convert_inside(value: &Value, walk: &mut Walk) -> Result<Puppet, Raise> {
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
        Value::Array(array) => match array.source() {
            Some(source) => Puppet::Array(source),
            None => {
                let items = array.items();
                with_stack(|| items.iter().map(|item| convert(item, walk)).collect::<Result<_, Raise>>())
                    .map(Puppet::array)?
            }
        },
        Value::Hash(hash) => match hash.source() {
            Some(source) => Puppet::Hash(source),
            None => {
                let entries = hash.entries();
                let pair = |(key, value): (&Key, &Value)| Ok((convert(&key.0, walk)?, convert(value, walk)?));
                Puppet::hash(with_stack(|| entries.iter().map(pair).collect::<Result<_, Raise>>())?)
            }
        },
        Value::Regexp(regexp) => Puppet::Regexp(regexp.compiled.clone()),
        Value::Puppet(value) => value.clone(),
        other => {
            let class = crate::classes::class_of(other).name();
            return Err(Raise::type_error(format!("Puppet has no values of the class {class}")));
        }
    })
}
