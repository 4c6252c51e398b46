//! Functions that find and read files, and templates.

use std::sync::Arc;

use pp_types::{Value, interpolate};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::{FileKind, Interrupt, Template};

/// What some editors begin a file with. It does not belong to the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(crate) static FILE: Function = Function::counted(
    "file",
    1,
    None,
    "Returns the contents of the first of the files that exists. A file is given by its absolute path, or as `module/path` for \
     a file in the folder `files` of a module.",
    file,
);

fn file(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let names: Vec<String> = call.arguments.iter().map(interpolate).collect();
    for (name, argument) in names.iter().zip(call.arguments) {
        if !matches!(argument, Value::String(_)) {
            return Err(reject(format!("file(): expects paths of files as strings, got '{name}'")));
        }
        let Some(path) = call.host.find_file(FileKind::Files, name)? else { continue };
        let contents = call.host.read_file(&path)?;
        return match std::str::from_utf8(&contents) {
            Ok(text) => Ok(Value::from(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))),
            Err(_) => Err(fail(format!("file(): '{path}' is not encoded in UTF-8; use binary_file() to read it"))),
        };
    }
    Err(fail(format!("Could not find any files from {}", names.join(", "))))
}

pub(crate) static BINARY_FILE: Function = Function::typed(
    "binary_file",
    &["String path"],
    "Returns the contents of a file as a `Binary`. The file is given by its absolute path, or as `module/path` for a file in \
     the folder `files` of a module.",
    |call| {
        let name = call.string(0);
        match call.host.find_file(FileKind::Files, name)? {
            Some(path) => Ok(Value::Binary(call.host.read_file(&path)?)),
            None => Err(fail(format!("binary_file(): The given file '{name}' does not exist"))),
        }
    },
);

const PATHS: &[&str] = &["String *paths", "Array[String] *paths_array"];

pub(crate) static FIND_FILE: Function = Function::typed(
    "find_file",
    PATHS,
    "Returns the absolute path of the first of the files that exists, `undef` if none does. A file is given by its absolute \
     path, or as `module/path` for a file in the folder `files` of a module.",
    |call| find(call, FileKind::Files),
);

pub(crate) static FIND_TEMPLATE: Function = Function::typed(
    "find_template",
    PATHS,
    "Returns the absolute path of the first of the templates that exists, `undef` if none does. A template is given by its \
     absolute path, or as `module/path` for a file in the folder `templates` of a module.",
    |call| find(call, FileKind::Templates),
);

/// Returns the strings of the arguments, which are strings or arrays of them.
fn strings<'a>(call: &Call<'a>) -> impl Iterator<Item = &'a Arc<str>> + use<'a> {
    let inner = call.arguments.iter().flat_map(|argument| match argument {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    });
    inner.filter_map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    })
}

fn find(call: &mut Call<'_>, kind: FileKind) -> Result<Value, Interrupt> {
    for name in strings(call) {
        if let Some(path) = call.host.find_file(kind, name)? {
            return Ok(Value::String(path));
        }
    }
    Ok(Value::Undef)
}

pub(crate) static MODULE_DIRECTORY: Function = Function::typed(
    "module_directory",
    &["String *names", "Array[String] *names"],
    "Returns the directory of the first of the modules that exists, `undef` if none does.",
    |call| {
        let directory = strings(call).find_map(|name| call.host.module_directory(name));
        Ok(directory.map_or(Value::Undef, Value::String))
    },
);

pub(crate) static EPP: Function = Function::typed(
    "epp",
    &[r"String path, Hash[Pattern[/^\w+$/], Any] ?parameters"],
    "Evaluates a template in EPP, Puppet's own template language, and returns its text. The template is given by its absolute \
     path, or as `module/path` for a file in the folder `templates` of a module; the hash has its parameters.",
    |call| call.host.epp(Template::Named(call.string(0)), call.hash(1)),
);

pub(crate) static INLINE_EPP: Function = Function::typed(
    "inline_epp",
    &[r"String template, Hash[Pattern[/^\w+$/], Any] ?parameters"],
    "Evaluates a string as a template in EPP, Puppet's own template language, and returns its text. The template sees the \
     variables of the caller; the hash has its parameters.",
    |call| call.host.epp(Template::Text(call.string(0)), call.hash(1)),
);

pub(crate) static TEMPLATE: Function = Function::counted(
    "template",
    1,
    None,
    "Renders templates in ERB, the template language of Ruby, and returns the results one after the other. A template is given by \
     its absolute path, or as `module/path` for a file in the folder `templates` of a module. It sees the variables of the \
     caller as `@name`.",
    |call| concatenate(call, |call, name| call.host.erb(Template::Named(name))),
);

pub(crate) static INLINE_TEMPLATE: Function = Function::counted(
    "inline_template",
    1,
    None,
    "Renders strings as templates in ERB, the template language of Ruby, and returns the results one after the other. They see \
     the variables of the caller as `@name`.",
    |call| concatenate(call, |call, text| call.host.erb(Template::Text(text))),
);

fn concatenate(
    call: &mut Call<'_>,
    render: impl Fn(&mut Call<'_>, &str) -> Result<Value, Interrupt>,
) -> Result<Value, Interrupt> {
    let mut result = String::new();
    for argument in call.arguments {
        let Value::String(template) = argument else {
            let got = interpolate(argument);
            return Err(reject(format!("Failed to parse template: expects templates as strings, got '{got}'")));
        };
        result.push_str(&interpolate(&render(call, template)?));
    }
    Ok(Value::from(result))
}
