//! Methods of `scope`: variables and functions of Puppet.

use pp_types::Value as Puppet;

use crate::classes::{Class, class_of};
use crate::convert::{key_from_puppet, to_puppet};
use crate::interpreter::Interpreter;
use crate::methods::args::Args;
use crate::methods::method::{Method, method};
use crate::show::{inspect, to_s};
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Entries, Value};

pub(super) static SCOPE: &[Method] = &[
    method("[]", 1, 2, lookup),
    method("[]=", 2, 3, set),
    method("call_function", 2, 2, |vm, _, args| {
        if args.block.is_some() {
            return Err(Stop::refused("a block for `scope.call_function`"));
        }
        let name = to_s(&vm.work, args.get(0));
        let arguments = match args.get(1) {
            Value::Array(array) => array.items().clone(),
            other => vec![other.clone()],
        };
        vm.write_back()?;
        let arguments =
            arguments.iter().map(|value| to_puppet(&vm.work, value)).collect::<Result<Vec<Puppet>, Raise>>()?;
        call(vm, &name, &arguments)
    }),
    method("exist?", 1, 1, exists),
    method("include?", 1, 1, exists),
    method("lookupvar", 1, 2, lookup),
    method("setvar", 2, 3, set),
    method("to_hash", 0, 2, |vm, _, _| {
        let mut entries = Entries::default();
        for (name, found) in vm.scope.variables() {
            if found.value != Puppet::Undef {
                let value = vm.object(&found);
                entries.insert(crate::key::Key::known(key_from_puppet(&Puppet::String(name))), value);
            }
        }
        vm.charge(entries.len() * 64)?;
        Ok(Value::hash(entries))
    }),
];

/// The error of a function of Puppet, as an exception.
fn raise(error: pp_types::Error) -> Stop {
    if error.kind == pp_types::ErrorKind::Limit {
        return error.into();
    }
    let mut raise = Raise::new(Class::ParseError, error.message.clone());
    raise.help = error.help.clone();
    raise.puppet = Some(error);
    raise.into()
}

/// Calls a function of Puppet.
pub(super) fn call(vm: &mut Interpreter<'_>, name: &str, arguments: &[Puppet]) -> Eval {
    vm.report()?;
    let value = vm.scope.call_function(name, arguments).map_err(raise)?;
    Ok(vm.result(&value))
}

/// Converts a value with a function of Puppet.
pub(super) fn convert(vm: &mut Interpreter<'_>, function: &str, value: &Puppet) -> Eval {
    vm.report()?;
    let value = vm.scope.convert(function, value).map_err(raise)?;
    // The result is a new string.
    match value {
        Puppet::String(text) => vm.string(text.to_string()),
        other => Ok(vm.result(&other)),
    }
}

/// `scope.function_name([arguments])`
pub(crate) fn call_legacy(vm: &mut Interpreter<'_>, name: &str, arguments: &[Value]) -> Eval {
    if !vm.scope.has_legacy_function(name) {
        let message =
            format!("undefined method `function_{name}' for Scope({}):Puppet::Parser::Scope", vm.scope.resource());
        let mut raise = Raise::new(Class::NoMethodError, message);
        raise.help =
            Some(format!("functions of the newer interface are called with `scope.call_function('{name}', [...])`"));
        return Err(raise.into());
    }
    let [Value::Array(list)] = arguments else {
        let message = "custom functions must be called with a single array that contains the arguments. For example, \
                       function_example([1]) instead of function_example(1)";
        return Err(Raise::argument(message).into());
    };
    let list = list.items().clone();
    vm.write_back()?;
    let converted = list.iter().map(|value| to_puppet(&vm.work, value)).collect::<Result<Vec<Puppet>, Raise>>()?;
    call(vm, name, &converted)
}

fn name(vm: &Interpreter<'_>, value: &Value) -> Eval<String> {
    match value {
        Value::Str(name) => Ok(name.get().to_owned()),
        other => {
            let class = class_of(other).name();
            let message = format!("Scope variable name {} is a {class}, not a string", inspect(&vm.work, other));
            Err(Raise::new(Class::ParseError, message).into())
        }
    }
}

fn lookup(vm: &mut Interpreter<'_>, _: &Value, args: Args<'_>) -> Eval {
    let name = name(vm, args.get(0))?;
    vm.step(1)?;
    let found = vm.scope.lookup(&name).map_err(raise)?;
    Ok(vm.object(&found))
}

fn exists(vm: &mut Interpreter<'_>, _: &Value, args: Args<'_>) -> Eval {
    let name = name(vm, args.get(0))?;
    Ok(Value::Bool(vm.scope.variable(&name).is_some_and(|found| found.value != Puppet::Undef)))
}

fn set(vm: &mut Interpreter<'_>, _: &Value, args: Args<'_>) -> Eval {
    let name = name(vm, args.get(0))?;
    vm.write_back()?;
    let value = to_puppet(&vm.work, args.get(1))?;
    vm.scope.set_variable(&name, value.clone()).map_err(raise)?;
    vm.objects.0.keep(&value, args.get(1));
    Ok(args.get(1).clone())
}
