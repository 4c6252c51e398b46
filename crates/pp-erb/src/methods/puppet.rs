//! Methods of values of Puppet that Ruby's own classes have nothing for.

use pp_types::{Type, Value as Puppet};

use crate::interpreter::Interpreter;
use crate::methods::method::{Method, method};
use crate::stop::{Eval, Raise};
use crate::value::Value;

pub(super) static PUPPET: &[Method] = &[
    method("[]", 1, 1, |vm, this, args| {
        let name = crate::show::to_s(&vm.work, args.get(0));
        match name.as_str() {
            "title" | "type" => reference_part(vm, this, &name),
            _ => Ok(Value::Nil),
        }
    }),
    method("title", 0, 0, |vm, this, _| reference_part(vm, this, "title")),
    method("type_name", 0, 0, |vm, this, _| reference_part(vm, this, "type")),
    method("to_f", 0, 0, |vm, this, _| match this {
        Value::Puppet(Puppet::Timestamp(time)) => Ok(Value::Float(time.0 as f64 / 1e9)),
        Value::Puppet(Puppet::Timespan(span)) => Ok(Value::Float(span.0 as f64 / 1e9)),
        other => Err(missing(vm, other, "to_f").into()),
    }),
    method("to_i", 0, 0, |vm, this, _| match this {
        Value::Puppet(Puppet::Timestamp(time)) => Ok(Value::Int(time.0.div_euclid(1_000_000_000))),
        Value::Puppet(Puppet::Timespan(span)) => Ok(Value::Int(span.0.div_euclid(1_000_000_000))),
        other => Err(missing(vm, other, "to_i").into()),
    }),
    method("unwrap", 0, 0, |vm, this, args| match this {
        Value::Puppet(Puppet::Sensitive(inner)) => {
            let inner = vm.result(inner);
            match args.block {
                Some(block) => vm.yield_one(block, inner),
                None => Ok(inner),
            }
        }
        other => Err(missing(vm, other, "unwrap").into()),
    }),
];

fn missing(vm: &Interpreter<'_>, value: &Value, name: &str) -> Raise {
    let message = format!("undefined method `{name}' for {}", crate::show::subject(&vm.work, value));
    Raise::new(crate::classes::Class::NoMethodError, message)
}

/// The type or the title of a reference to a resource.
fn reference_part(vm: &Interpreter<'_>, value: &Value, part: &str) -> Eval {
    let Value::Puppet(Puppet::Type(ty)) = value else { return Err(missing(vm, value, part).into()) };
    let (ty, title) = match ty {
        Type::Resource(ty, title) => (ty.clone(), title.clone()),
        Type::Class(title) => (Some("Class".into()), title.clone()),
        _ => return Err(missing(vm, value, part).into()),
    };
    let found = if part == "title" { title } else { ty };
    Ok(found.map_or(Value::Nil, |text| Value::str(&*text)))
}
