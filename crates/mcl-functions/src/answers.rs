//! What a test says about the machine (spec 11 §6): the values of the functions that depend on it.
//!
//! `mclc test` writes it, `mgmt-rt graph --answers` reads it. A function without an answer fails: no value of the machine that
//! runs the test may get into its result.

use std::collections::BTreeMap;
use std::io;

use go_compat::os::path_error;
use mcl_value::{FuncType, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::FunctionError;
use crate::args::Args;

/// The number of the error of a file that does not exist (`ENOENT`).
const NO_SUCH_FILE: i32 = 2;

/// The values of functions that depend on the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answers {
    /// The host name, that of `$hostname` included.
    pub hostname: Option<String>,
    /// The contents of files by their paths; `None` for one that does not exist.
    pub files: BTreeMap<String, Option<String>>,
    /// What commands print.
    pub commands: BTreeMap<String, String>,
    /// The environment variables; `None` for one that is not set.
    pub environment: BTreeMap<String, Option<String>>,
    /// The results of other calls.
    pub calls: Vec<AnsweredCall>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnsweredCall {
    /// The registered name of the function, such as `os.user_exists`.
    pub function: String,
    /// The arguments, as [`Value::to_json`] gives them.
    pub arguments: Vec<Json>,
    /// The result.
    pub result: Json,
}

impl Answers {
    /// Returns the error of a program that needs `$hostname` where no host name is given.
    #[must_use]
    pub fn no_hostname() -> FunctionError {
        missing("$hostname", "# test: hostname = \"…\"".to_owned())
    }

    /// Returns the value of a call.
    ///
    /// # Errors
    /// The function fails on the machine that the test describes, or the test does not give a value of the right type.
    pub fn call(&self, function: &str, ty: &FuncType, args: &[Value]) -> Result<Value, FunctionError> {
        let arguments: Vec<Json> = args.iter().map(Value::to_json).collect();
        let call = || {
            let arguments: Vec<String> = args.iter().map(Value::to_string).collect();
            format!("{function}({})", arguments.join(", "))
        };
        let given = self.calls.iter().find(|given| given.function == function && given.arguments == arguments);
        if let Some(given) = given {
            return Value::from_json(&given.result, &ty.result).map_err(|error| FunctionError::Unanswered {
                message: format!("the test gives a wrong value for `{}`: {error}", call()),
                directive: format!("# test: call {} = …", call()),
            });
        }
        self.special(function, args)?.ok_or_else(|| missing(&call(), directive(function, args, &call())))
    }

    /// Returns the value of a function that reads files, environment variables or the host name, or runs a command.
    fn special(&self, function: &str, args: &[Value]) -> Result<Option<Value>, FunctionError> {
        let no_such_file = |path: &str| path_error(path, &io::Error::from_raw_os_error(NO_SUCH_FILE));
        Ok(match function {
            "os.readfile" | "golang/os.read_file" => {
                let path = args.text(0)?;
                match self.files.get(&*path) {
                    None => None,
                    Some(Some(content)) => Some(content.as_str().into()),
                    Some(None) if function == "os.readfile" => {
                        return Err(FunctionError::catchable(format!("error reading file: {}", no_such_file(&path))));
                    }
                    Some(None) => return Err(FunctionError::fatal(no_such_file(&path))),
                }
            }
            "os.file_exists" => self.file_exists(&args.text(0)?).map(Value::Bool),
            "os.system" => {
                let output = self.commands.get(&*args.text(0)?);
                output.map(|output| output.lines().next_back().unwrap_or_default().into())
            }
            "sys.env" if !self.environment.is_empty() => {
                let set = self.environment.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
                Some(Value::map(set.map(|(name, value)| (name.as_str().into(), value.as_str().into()))))
            }
            "sys.hasenv" => self.environment.get(&*args.text(0)?).map(|value| Value::Bool(value.is_some())),
            "sys.getenv" => match self.environment.get(&*args.text(0)?) {
                Some(None) => {
                    let message = format!("environment variable not set: {}", args.text(0)?);
                    return Err(FunctionError::catchable(message));
                }
                given => given.and_then(|value| Some(value.as_deref()?.into())),
            },
            "golang/os.getenv" => {
                self.environment.get(&*args.text(0)?).map(|value| value.as_deref().unwrap_or_default().into())
            }
            "sys.hostname" | "golang/os.hostname" => self.hostname.as_deref().map(Value::str),
            _ => None,
        })
    }

    /// Returns whether a file or directory exists, if the test says so. The directories of a file exist.
    fn file_exists(&self, path: &str) -> Option<bool> {
        if let Some(content) = self.files.get(path) {
            return Some(content.is_some());
        }
        let directory = format!("{}/", path.trim_end_matches('/'));
        let below = self.files.iter().any(|(file, content)| content.is_some() && file.starts_with(&directory));
        below.then_some(true)
    }
}

/// Returns the error about a call or variable whose value the test does not give.
fn missing(what: &str, directive: String) -> FunctionError {
    FunctionError::Unanswered { message: format!("the test does not give a value for `{what}`"), directive }
}

/// Returns what a test has to say about a call.
fn directive(function: &str, args: &[Value], call: &str) -> String {
    let about = |what: &str| {
        let argument = args.first().map(Value::to_string).unwrap_or_default();
        format!("# test: {what} {argument} = \"…\"")
    };
    match function {
        "os.readfile" | "golang/os.read_file" | "os.file_exists" => about("file"),
        "os.system" => about("exec"),
        "sys.hasenv" | "sys.getenv" | "golang/os.getenv" => about("env"),
        "sys.env" => "# test: env \"NAME\" = \"…\"".to_owned(),
        "sys.hostname" | "golang/os.hostname" => "# test: hostname = \"…\"".to_owned(),
        _ => format!("# test: call {call} = …"),
    }
}
