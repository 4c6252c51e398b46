//! Functions of strings and of paths.

use pp_types::{Value, interpolate, ruby_text};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect;

/// Changes a string, or the strings of an array.
fn each_string(call: &mut Call<'_>, message: &str, change: fn(&str) -> String) -> Result<Value, Interrupt> {
    let change_value = |value: &Value| match value {
        Value::String(text) => Value::string(change(text)),
        other => other.clone(),
    };
    match call.argument(0) {
        value @ Value::String(text) => {
            call.charge(1, text.len() * 3)?;
            Ok(change_value(value))
        }
        Value::Array(values) => {
            call.charge(values.len(), values.len() * size_of::<Value>())?;
            Ok(Value::array(values.iter().map(change_value).collect()))
        }
        _ => Err(reject(message)),
    }
}

pub(crate) static SWAPCASE: Function = Function::counted(
    "swapcase",
    1,
    None,
    "Returns a string, or the strings of an array, with upper and lower case exchanged.",
    |call| {
        each_string(call, "swapcase(): Requires either array or string to work with", |text| {
            let swap = |character: char| -> String {
                if character.is_lowercase() {
                    character.to_uppercase().collect()
                } else {
                    character.to_lowercase().collect()
                }
            };
            text.chars().map(swap).collect()
        })
    },
);

pub(crate) static REGEXPESCAPE: Function = Function::counted(
    "regexpescape",
    1,
    None,
    "Returns a string, or the strings of an array, with a backslash before each character that is special in regular \
     expressions.",
    |call| {
        each_string(call, "regexpescape(): Requires either array or string to work with", |text| {
            let mut escaped = String::with_capacity(text.len());
            for character in text.chars() {
                let special = match character {
                    '\n' => "\\n",
                    '\t' => "\\t",
                    '\r' => "\\r",
                    '\u{b}' => "\\v",
                    '\u{c}' => "\\f",
                    _ => {
                        if "[]{}()|-*.\\?+^$# ".contains(character) {
                            escaped.push('\\');
                        }
                        escaped.push(character);
                        continue;
                    }
                };
                escaped.push_str(special);
            }
            escaped
        })
    },
);

pub(crate) static URIESCAPE: Function = Function::counted(
    "uriescape",
    1,
    None,
    "Returns a string, or the strings of an array, with percent encoding of what a URI cannot contain.",
    |call| {
        each_string(call, "uriescape(): Requires either array or string to work with", |text| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&byte);
            let mut escaped = String::with_capacity(text.len());
            for byte in text.bytes() {
                if is_plain(byte) { escaped.push(char::from(byte)) } else { escaped.push_str(&format!("%{byte:02X}")) }
            }
            escaped
        })
    },
);

pub(crate) static REVERSE: Function =
    Function::counted("reverse", 1, None, "Returns a string or an array in reverse order.", |call| {
        match call.argument(0) {
            Value::Array(values) => Ok(Value::array(values.iter().rev().cloned().collect())),
            Value::String(text) => Ok(Value::string(text.chars().rev().collect::<String>())),
            _ => Err(reject("reverse(): Requires either array or string to work with")),
        }
    });

pub(crate) static DOS2UNIX: Function =
    Function::counted("dos2unix", 1, Some(1), "Returns a string with the line endings of Unix.", |call| {
        match call.argument(0) {
            Value::String(text) => Ok(Value::string(text.replace("\r\n", "\n"))),
            _ => Err(reject("dos2unix(): Requires string as argument")),
        }
    });

pub(crate) static UNIX2DOS: Function =
    Function::counted("unix2dos", 1, Some(1), "Returns a string with the line endings of Windows.", |call| match call
        .argument(0)
    {
        Value::String(text) => Ok(Value::string(text.replace("\r\n", "\n").replace('\n', "\r\n"))),
        _ => Err(reject("unix2dos(): Requires string as argument")),
    });

pub(crate) static SHELL_ESCAPE: Function =
    Function::counted("shell_escape", 1, Some(1), "Returns a string as one word of a POSIX shell.", |call| {
        Ok(Value::string(shell_word(&ruby_text(call.argument(0)))))
    });

pub(crate) static SHELL_JOIN: Function = Function::counted(
    "shell_join",
    1,
    Some(1),
    "Returns the strings of an array as words of one command line of a POSIX shell.",
    |call| match call.argument(0) {
        Value::Array(words) => {
            let words: Vec<String> = words.iter().map(|word| shell_word(&ruby_text(word))).collect();
            Ok(Value::string(words.join(" ")))
        }
        other => Err(fail(format!("First argument is not an Array: {}", inspect(other)))),
    },
);

fn shell_word(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut word = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' {
            word.push_str("'\n'");
            continue;
        }
        if !character.is_ascii_alphanumeric() && !"_-.,:+/@".contains(character) {
            word.push('\\');
        }
        word.push(character);
    }
    word
}

pub(crate) static DIRNAME: Function =
    Function::counted("dirname", 0, None, "Returns the directory of a path.", |call| {
        let path = match call.arguments {
            [] => return Err(reject("dirname(): No arguments given")),
            [Value::String(path)] if path.is_empty() => {
                return Err(reject("dirname(): Requires a non-empty string as argument"));
            }
            [Value::String(path)] => path,
            [_] => return Err(reject("dirname(): Requires string as argument")),
            _ => return Err(reject("dirname(): Too many arguments given")),
        };
        Ok(Value::from(dirname(path)))
    });

/// Returns the path of the directory that a path is in.
pub(crate) fn dirname(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        _ if trimmed.is_empty() => "/",
        None => ".",
        Some(at) => match trimmed[..at].trim_end_matches('/') {
            "" => "/",
            directory => directory,
        },
    }
}

pub(crate) static BASENAME: Function = Function::counted(
    "basename",
    1,
    Some(2),
    "Returns the last part of a path, without the extension that is the second argument; `.*` is any extension.",
    |call| match call.arguments {
        [Value::String(path)] => Ok(Value::from(basename(path))),
        [Value::String(path), Value::String(extension)] => {
            let name = basename(path);
            let stem = if &**extension == ".*" {
                &name[..name.len() - extname(name).len()]
            } else {
                name.strip_suffix(&**extension).filter(|stem| !stem.is_empty()).unwrap_or(name)
            };
            Ok(Value::from(stem))
        }
        _ => Err(reject("basename(): Requires string as argument")),
    },
);

/// Returns the last part of a path.
pub(crate) fn basename(path: &str) -> &str {
    if path.is_empty() {
        return "";
    }
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return "/";
    }
    &trimmed[trimmed.rfind('/').map_or(0, |at| at + 1)..]
}

pub(crate) static EXTNAME: Function = Function::typed(
    "stdlib::extname",
    &["String filename"],
    "Returns the extension of a path with its dot, or an empty string.",
    |call| Ok(Value::from(extname(basename(call.string(0))))),
);

/// Returns the extension of a file's name with its dot.
pub(crate) fn extname(name: &str) -> &str {
    let stem = name.trim_start_matches('.');
    let dots = name.len() - stem.len();
    match stem.rfind('.') {
        Some(at) => &name[dots + at..],
        None => "",
    }
}

/// The signatures of `stdlib::start_with` and `stdlib::end_with`.
const START_WITH: &[&str] = &["String test_string, Variant[String[1], Array[String[1], 1]] prefixes"];
const END_WITH: &[&str] = &["String test_string, Variant[String[1], Array[String[1], 1]] suffixes"];

pub(crate) static STARTS_WITH: Function = Function::typed(
    "stdlib::start_with",
    START_WITH,
    "Returns whether a string starts with a string, or with one of an array.",
    |call| any_affix(call, |text, affix| text.starts_with(affix)),
);

pub(crate) static ENDS_WITH: Function = Function::typed(
    "stdlib::end_with",
    END_WITH,
    "Returns whether a string ends with a string, or with one of an array.",
    |call| any_affix(call, |text, affix| text.ends_with(affix)),
);

fn any_affix(call: &mut Call<'_>, test: fn(&str, &str) -> bool) -> Result<Value, Interrupt> {
    let text = call.string(0);
    let affixes = match call.argument(1) {
        Value::Array(affixes) => affixes.as_slice(),
        affix => std::slice::from_ref(affix),
    };
    Ok(Value::Boolean(affixes.iter().any(|affix| test(text, &interpolate(affix)))))
}
