//! Functions that read data: texts in YAML, JSON and HOCON, files, and the metadata of modules.

use pp_types::{Value, from_json, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;
use crate::stdlib::json::parse_json;

pub(crate) static PARSEYAML: Function = Function::counted(
    "parseyaml",
    0,
    None,
    "Reads a value from YAML. A second argument is returned instead if the YAML is invalid.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("Wrong number of arguments. 1 or 2 arguments should be provided."));
        }
        let default = call.arguments.get(1);
        let parsed = match call.argument(0) {
            // What is not a document counts as broken if there is a default.
            Value::String(text) if text.is_empty() && default.is_some() => Err(fail("an empty text")),
            Value::String(text) => {
                call.charge(1, text.len() * 4)?;
                parse_yaml(text, "<unknown>")
            }
            other => Err(reject(format!("no implicit conversion of {} into String", class_name(other)))),
        };
        or_default(parsed, default)
    },
);

fn parse_yaml(text: &str, name: &str) -> Result<Value, Interrupt> {
    pp_hiera::parse_yaml(text).map_err(|mut error| {
        if !error.message.starts_with("Tried") {
            error.message = format!("({name}): {}", error.message);
        }
        error.into()
    })
}

/// Returns a value, or what stands for one that is invalid.
fn or_default(parsed: Result<Value, Interrupt>, default: Option<&Value>) -> Result<Value, Interrupt> {
    match (parsed, default) {
        (Err(_), Some(default)) => Ok(default.clone()),
        (parsed, _) => parsed,
    }
}

pub(crate) static PARSEHOCON: Function = Function::typed(
    "parsehocon",
    &["String hocon_string, Optional[Any] ?default"],
    "Reads a value from HOCON. A second argument is returned instead if the HOCON is invalid.",
    |call| {
        let text = call.string(0);
        call.charge(1, text.len() * 4)?;
        or_default(pp_hiera::parse_hocon(text).map_err(Interrupt::from), call.arguments.get(1))
    },
);

pub(crate) static PARSEPSON: Function = Function::typed(
    "parsepson",
    &["String[1] pson_string, Optional[Any] ?default"],
    "Reads a hash or an array from JSON. A second argument is returned instead if the JSON is invalid.",
    |call| {
        let text = call.string(0);
        call.charge(1, text.len() * 4)?;
        or_default(parse_pson(text), call.arguments.get(1))
    },
);

/// Reads JSON whose value is a hash or an array.
fn parse_pson(text: &str) -> Result<Value, Interrupt> {
    if text.trim().is_empty() {
        return Err(fail("source did not contain any PSON!"));
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(fail(format!("source '{text}' not in PSON!")));
    }
    parse_json(text).map_err(Interrupt::from)
}

pub(crate) static LOADYAML: Function = Function::counted(
    "loadyaml",
    0,
    None,
    "Reads a value from a file of YAML. A second argument is returned instead if there is no such file, or if it is invalid.",
    |call| load(call, "loadyaml", parse_yaml),
);

pub(crate) static LOADJSON: Function = Function::counted(
    "loadjson",
    0,
    None,
    "Reads a value from a file of JSON. A second argument is returned instead if there is no such file, or if it is invalid.",
    |call| load(call, "loadjson", |text, _| parse_pson(text)),
);

fn load(
    call: &mut Call<'_>,
    name: &str,
    parse: fn(&str, &str) -> Result<Value, Interrupt>,
) -> Result<Value, Interrupt> {
    let default = call.arguments.get(1);
    let path = match call.argument(0) {
        _ if call.arguments.is_empty() => {
            return Err(reject(format!("{name}(): Wrong number of arguments given (0 for minimum 1)")));
        }
        Value::String(path) => path,
        other => return Err(reject(format!("{name}(): expects the path of a file, got {}", class_name(other)))),
    };
    if path.starts_with("http://") || path.starts_with("https://") {
        return Err(fail(format!(
            "{name}(): the address '{path}' is not read: a compilation opens no network connections"
        )));
    }
    let Some(found) = call.host.find_path(path) else {
        call.host.log(crate::host::LogLevel::Warning, &format!("Can't load '{path}' File does not exist!"));
        return Ok(default.cloned().unwrap_or(Value::Undef));
    };
    let bytes = match (call.host.read_file(&found), default) {
        (Ok(bytes), _) => bytes,
        (Err(_), Some(default)) => return Ok(default.clone()),
        (Err(error), None) => return Err(error),
    };
    let parsed = std::str::from_utf8(&bytes)
        .map_err(|error| fail(format!("{path}: {error}")))
        .and_then(|text| parse(text, path));
    match parsed {
        // An empty document is as good as none.
        Ok(Value::Undef | Value::Boolean(false)) => Ok(default.cloned().unwrap_or(Value::Undef)),
        parsed => or_default(parsed, default),
    }
}

pub(crate) static LOAD_MODULE_METADATA: Function = Function::counted(
    "load_module_metadata",
    0,
    None,
    "Returns what the file `metadata.json` of a module has.",
    |call| {
        if !matches!(call.arguments.len(), 1 | 2) {
            return Err(reject("load_module_metadata(): Wrong number of arguments, expects one or two"));
        }
        let module = interpolate(call.argument(0));
        let directory = module_directory(call, &module)?;
        let Some(path) = call.host.find_path(&format!("{directory}/metadata.json")) else {
            if call.argument(1).is_true() {
                return Ok(Value::hash(pp_types::Hash::default()));
            }
            return Err(fail(format!("load_module_metadata(): No metadata.json file for module {module}")));
        };
        let bytes = call.host.read_file(&path)?;
        match serde_json::from_slice(&bytes) {
            Ok(json) => Ok(from_json(&json)),
            Err(error) => {
                Err(fail(format!("load_module_metadata(): the metadata.json of {module} is invalid: {error}")))
            }
        }
    },
);

pub(crate) static GET_MODULE_PATH: Function =
    Function::counted("get_module_path", 0, None, "Returns the directory of a module.", |call| {
        if call.arguments.len() != 1 {
            return Err(reject("get_module_path(): Wrong number of arguments, expects one"));
        }
        let module = interpolate(call.argument(0));
        module_directory(call, &module).map(Value::String)
    });

fn module_directory(call: &mut Call<'_>, module: &str) -> Result<std::sync::Arc<str>, Interrupt> {
    let environment =
        call.host.variable("::environment").map_or_else(|| "production".to_owned(), |name| interpolate(&name));
    call.host
        .module_directory(module)
        .ok_or_else(|| fail(format!("Could not find module {module} in environment {environment}")))
}
