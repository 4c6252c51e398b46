//! Functions that look at the catalog or change it.

use pp_types::{Error, ErrorKind, Hash, Value};

use crate::arguments::{fail, reject};
use crate::core::collections::flat_arguments;
use crate::function::{Call, Function};
use crate::host::{DeclareClass, Interrupt};
use crate::ruby::inspect::class_name;

const NAMES: &[&str] = &["Any +names"];

pub(crate) static INCLUDE: Function = Function::typed(
    "include",
    NAMES,
    "Declares classes, once each. The arguments are names of classes, references such as `Class['a']`, or arrays of these. \
     The result is an array of references.",
    |call| declare(call, DeclareClass::Include),
);

pub(crate) static CONTAIN: Function = Function::typed(
    "contain",
    NAMES,
    "Declares classes as `include` does, and makes them part of the current class: what comes before or after it comes before \
     or after them too.",
    |call| declare(call, DeclareClass::Contain),
);

pub(crate) static REQUIRE: Function = Function::typed(
    "require",
    NAMES,
    "Declares classes as `include` does, and applies them before the current class or define.",
    |call| declare(call, DeclareClass::Require),
);

fn declare(call: &mut Call<'_>, how: DeclareClass) -> Result<Value, Interrupt> {
    let names = flat_arguments(call)?;
    call.host.declare_classes(how, &names)
}

pub(crate) static CREATE_RESOURCES: Function = Function::counted(
    "create_resources",
    2,
    None,
    "Declares resources from data: the type, a hash of titles to hashes of attributes, and optionally a hash of attributes \
     for all. `@` before the type makes the resources virtual, `@@` exported; the type `class` declares classes.",
    create_resources,
);

fn create_resources(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    if call.arguments.len() > 3 {
        let count = call.arguments.len();
        return Err(reject(format!("create_resources(): wrong number of arguments ({count}; must be 2 or 3)")));
    }
    let Value::String(type_name) = call.argument(0) else {
        let class = class_name(call.argument(0));
        return Err(reject(format!("create_resources(): first argument must be a string, got {class}")));
    };
    let Some(resources) = call.hash(1) else {
        return Err(reject("create_resources(): second argument must be a hash"));
    };
    let none = Hash::default();
    let defaults = match call.arguments.get(2) {
        None => &none,
        Some(Value::Hash(defaults)) => &defaults.0,
        Some(_) => return Err(reject("create_resources(): third argument, if provided, must be a hash")),
    };
    call.host.create_resources(type_name, resources, defaults)
}

pub(crate) static REALIZE: Function = Function::counted(
    "realize",
    1,
    None,
    "Makes virtual resources real: `realize(User['a'], User['b'])`. It may come before their declaration.",
    |call| {
        let references = flat_arguments(call)?;
        call.host.realize(&references)
    },
);

pub(crate) static DEFINED: Function = Function::typed(
    "defined",
    &["Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] +vals"],
    "Returns whether any of the arguments exists. A string is the name of a class, a define or a resource type, or with a \
     dollar sign of a variable; a reference is a resource, which must have been declared before the call.",
    |call| {
        for argument in call.arguments {
            if call.host.is_defined(argument)? {
                return Ok(Value::Boolean(true));
            }
        }
        Ok(Value::Boolean(false))
    },
);

pub(crate) static TAG: Function = Function::counted(
    "tag",
    1,
    None,
    "Adds tags to the class or define that surrounds the call, and to everything in it.",
    |call| {
        call.host.add_tags(call.arguments)?;
        Ok(Value::Undef)
    },
);

pub(crate) static TAGGED: Function = Function::counted(
    "tagged",
    1,
    None,
    "Returns whether the class or define that surrounds the call has all the tags.",
    |call| Ok(Value::Boolean(call.host.is_tagged(call.arguments))),
);

pub(crate) static IMPORT: Function =
    Function::typed("import", &["Any *args"], "No longer exists: use a directory of manifests.", |_| {
        let message = "Use of 'import' has been discontinued in favor of a manifest directory. See \
                       http://links.puppet.com/puppet-import-deprecation";
        Err(Error::new(ErrorKind::Unavailable, message).into())
    });

pub(crate) static CALL: Function = Function::typed(
    "call",
    &["String function_name, Any *arguments, Callable ?&block", "Deferred deferred"],
    "Calls the function with the given name, or makes the call that a `Deferred` describes.",
    |call| match call.argument(0) {
        Value::String(name) => {
            let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
            call.host.call_function(&name, call.arguments.get(1..).unwrap_or(&[]), call.block)
        }
        deferred => resolve_deferred(call, deferred),
    },
);

/// Makes the calls that a value describes, inside its arrays and hashes too.
fn resolve_deferred(call: &mut Call<'_>, value: &Value) -> Result<Value, Interrupt> {
    pp_types::with_stack(|| match value {
        Value::Deferred(deferred) => {
            let arguments = resolve_all(call, deferred.arguments.as_ref().map_or(&[], |given| given.as_slice()))?;
            match deferred.name.strip_prefix('$') {
                Some(name) => variable_path(call, name, &arguments),
                None => call.host.call_function(&deferred.name, &arguments, None),
            }
        }
        Value::Array(values) => Ok(Value::array(resolve_all(call, values)?)),
        Value::Hash(entries) => {
            let mut resolved = Hash::default();
            for (key, value) in entries.iter() {
                resolved.insert(resolve_deferred(call, key)?, resolve_deferred(call, value)?);
            }
            Ok(Value::hash(resolved))
        }
        other => Ok(other.clone()),
    })
}

fn resolve_all(call: &mut Call<'_>, values: &[Value]) -> Result<Vec<Value>, Interrupt> {
    values.iter().map(|value| resolve_deferred(call, value)).collect()
}

/// Returns what `$name.dig(arguments)` is.
fn variable_path(call: &mut Call<'_>, name: &str, path: &[Value]) -> Result<Value, Interrupt> {
    let Some(value) = call.host.variable(name) else {
        let message = format!("Undefined variable '{name}'");
        if call.host.strict() == crate::host::Strict::Error {
            return Err(fail(message));
        }
        call.host.warn(&message);
        return Ok(Value::Undef);
    };
    if path.is_empty() {
        return Ok(value);
    }
    let mut arguments = vec![value];
    arguments.extend_from_slice(path);
    call.host.call_function("dig", &arguments, None)
}
