//! Functions that look into values and at their types.

use pp_types::{Type, Value, interpolate};

use crate::arguments::{fail, reject};
use crate::function::Function;
use crate::host::{Interrupt, LogLevel};
use crate::ruby::inspect::{class_name, inspect, inspect_with_symbols};
use crate::ruby::titlecase::capitalize;
use crate::stdlib::validation::deprecate;

pub(crate) static DIG44: Function = Function::counted(
    "dig44",
    0,
    None,
    "Returns what an array of keys and indexes leads to in a hash or an array, or the third argument.",
    |call| {
        if call.arguments.len() < 2 {
            let count = call.arguments.len();
            return Err(reject(format!("dig44(): Wrong number of arguments given ({count} for at least 2)")));
        }
        let data = call.argument(0);
        if !matches!(data, Value::Hash(_) | Value::Array(_)) {
            let class = class_name(data);
            return Err(reject(format!("dig44(): first argument must be a hash or an array, given {class}")));
        }
        let Value::Array(path) = call.argument(1) else {
            let class = class_name(call.argument(1));
            return Err(reject(format!("dig44(): second argument must be an array, given {class}")));
        };
        Ok(dig(data, path.iter()).unwrap_or_else(|| call.argument(2).clone()))
    },
);

/// Follows a path; `None` where it ends before its last part.
fn dig<'a>(data: &Value, path: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let mut found = data;
    for part in path {
        found = match found {
            Value::Hash(entries) => entries.get(part)?,
            Value::Array(values) => values.as_slice().get(index(part, values.len())?)?,
            _ => return None,
        };
    }
    if *found == Value::Undef { None } else { Some(found.clone()) }
}

fn index(part: &Value, length: usize) -> Option<usize> {
    let index = match part {
        Value::Integer(integer) => *integer,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

pub(crate) static TRY_GET_VALUE: Function = Function::counted(
    "try_get_value",
    1,
    None,
    "Returns what a path such as `a/b/0` leads to, or the third argument. The fourth argument separates the parts of the path. \
     Use `dig`.",
    |call| {
        let message = "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.";
        call.host.log(LogLevel::Warning, message);
        let path = match call.argument(1) {
            Value::Undef => return Ok(call.argument(0).clone()),
            Value::String(path) => path,
            other => return Err(reject(format!("try_get_value(): the path is a String, got {}", class_name(other)))),
        };
        let separator = match call.argument(3) {
            Value::String(separator) if !separator.is_empty() => separator,
            _ => "/",
        };
        if path.is_empty() {
            return Ok(call.arguments.get(2).unwrap_or(call.argument(0)).clone());
        }
        let parts: Vec<Value> = path.split(separator).map(Value::from).collect();
        Ok(dig(call.argument(0), parts.iter()).unwrap_or_else(|| call.argument(2).clone()))
    },
);

pub(crate) static TYPE3X: Function = Function::counted(
    "type3x",
    0,
    None,
    "Returns the name of the kind of a value, as Puppet 3 knew it. Strings that are numbers count as numbers.",
    |call| {
        let [value] = call.arguments else {
            let count = call.arguments.len();
            return Err(reject(format!("type3x(): Wrong number of arguments given ({count} for 1)")));
        };
        let name = match value {
            Value::Boolean(_) => "boolean",
            Value::Integer(_) => "integer",
            Value::Float(_) => "float",
            Value::Array(_) => "array",
            Value::Hash(_) => "hash",
            Value::String(text) => match text.strip_prefix('-').unwrap_or(text) {
                digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => "integer",
                _ if crate::core::decimal(text).is_some() => "float",
                _ => "string",
            },
            Value::Regexp(_) | Value::Timestamp(_) | Value::Timespan(_) => "string",
            _ => return Err(reject("type3x(): Unknown type")),
        };
        Ok(name.into())
    },
);

pub(crate) static IS_FUNCTION_AVAILABLE: Function = Function::counted(
    "is_function_available",
    0,
    None,
    "Returns whether a function exists: one of Puppet, or one of a module whose name has no `::`.",
    |call| match call.arguments {
        [name] => {
            let name = interpolate(name);
            Ok(Value::Boolean(!name.contains("::") && call.host.knows_function(&name)))
        }
        _ => {
            let count = call.arguments.len();
            Err(reject(format!("is_function_available?(): Wrong number of arguments given {count} for 1")))
        }
    },
);

pub(crate) static OS_VERSION_GTE: Function = Function::typed(
    "os_version_gte",
    &["String[1] os, String[1] version"],
    "Returns whether the operating system has a name, and its major release is not less than a version.",
    |call| {
        let facts = call.host.variable("::facts").unwrap_or(Value::Undef);
        let fact = |path: [&str; 2]| {
            let os = dig(&facts, [Value::from("os")].iter())?;
            dig(
                &os,
                path.iter().filter(|part| !part.is_empty()).map(|part| Value::from(*part)).collect::<Vec<_>>().iter(),
            )
        };
        let name = fact(["name", ""]).unwrap_or(Value::Undef);
        let major = fact(["release", "major"]).unwrap_or(Value::Undef);
        if name != *call.argument(0) {
            return Ok(Value::Boolean(false));
        }
        let order = call.host.call_function(
            "versioncmp",
            &[Value::string(interpolate(&major)), call.argument(1).clone()],
            None,
        )?;
        Ok(Value::Boolean(matches!(order, Value::Integer(order) if order >= 0)))
    },
);

pub(crate) static STR2RESOURCE: Function = Function::typed(
    "stdlib::str2resource",
    &["String res_string"],
    "Returns the reference to a resource that a string such as `File[/etc/hosts]` names. The resource must have been declared.",
    |call| {
        let text = call.string(0);
        let Some((type_name, title)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) else {
            let quoted = inspect(call.argument(0));
            return Err(fail(format!("No title provided and {quoted} is not a valid resource reference")));
        };
        let is_class = type_name.eq_ignore_ascii_case("class");
        if is_class || call.host.resource_attributes(type_name, title).is_none() {
            return Err(fail(format!(
                "stdlib::str2resource(): could not find {text}, this is parse order dependent and values should not be quoted"
            )));
        }
        let name: Vec<String> = type_name.split("::").map(capitalize).collect();
        Ok(Value::Type(Type::Resource(Some(name.join("::").into()), Some(title.into()))))
    },
);

pub(crate) static DEPRECATION: Function = Function::typed(
    "deprecation",
    &["String key, String message"],
    "Warns about something deprecated, once per key. With the setting `strict=error` it is an error.",
    |call| {
        let (key, message) = (call.string(0).to_owned(), call.string(1).to_owned());
        deprecate(call, &key, &message)?;
        Ok(Value::Undef)
    },
);

/// Formats the values of a hash by their names. A directive without a name gets the hash, whose keys are symbols to Ruby.
pub(crate) fn format_named(format: &str, values: &Value) -> Result<String, Interrupt> {
    let has_names = format.contains(['<', '{']);
    let unnamed = ["%s", "%p"].into_iter().filter_map(|directive| format.find(directive)).min();
    match (unnamed, values) {
        (Some(at), Value::Hash(entries)) if !has_names => {
            let symbols = inspect_with_symbols(entries).replace('%', "%%");
            let format = format!("{}{symbols}{}", &format[..at], &format[at + 2..]);
            Ok(pp_types::sprintf(&format, &[])?)
        }
        _ => Ok(pp_types::sprintf(format, std::slice::from_ref(values))?),
    }
}

pub(crate) static SPRINTF_HASH: Function = Function::typed(
    "sprintf_hash",
    &["String format, Hash arguments"],
    "Formats the values of a hash by their names: `%<name>s`. Use `sprintf`.",
    |call| {
        let message = "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead";
        deprecate(call, "sprintf_hash", message)?;
        let formatted = format_named(call.string(0), call.argument(1))?;
        call.charge(1, formatted.len())?;
        Ok(Value::string(formatted))
    },
);
