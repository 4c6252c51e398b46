//! Functions that write to the log, and `fail`.

use pp_types::{Error, ErrorKind, Value, interpolate};

use crate::function::{Call, Function};
use crate::host::{Interrupt, LogLevel};
use crate::ruby::inspect::inspect;

const VALUES: &[&str] = &["Any *values"];

/// Declares a function that logs its arguments.
macro_rules! log_function {
    ($function:ident, $name:literal, $level:ident, $article:literal) => {
        pub(crate) static $function: Function = Function::typed(
            $name,
            VALUES,
            concat!("Writes ", $article, " message to the log: the arguments, with spaces between them."),
            |call| log(call, LogLevel::$level),
        );
    };
}

log_function!(DEBUG, "debug", Debug, "a debug");
log_function!(INFO, "info", Info, "an informational");
log_function!(NOTICE, "notice", Notice, "a notice");
log_function!(WARNING, "warning", Warning, "a warning");
log_function!(ERR, "err", Err, "an error");
log_function!(ALERT, "alert", Alert, "an alert");
log_function!(CRIT, "crit", Crit, "a critical");
log_function!(EMERG, "emerg", Emerg, "an emergency");

fn log(call: &mut Call<'_>, level: LogLevel) -> Result<Value, Interrupt> {
    let mut message = String::new();
    for (at, value) in call.arguments.iter().enumerate() {
        if at > 0 {
            message.push(' ');
        }
        message.push_str(&interpolate(value));
        call.charge(1, 0)?;
    }
    call.host.log(level, &message);
    Ok(Value::Undef)
}

pub(crate) static FAIL: Function = Function::counted(
    "fail",
    0,
    None,
    "Ends the compilation with an error: the arguments, with spaces between them.",
    |call| {
        let words: Vec<String> = call.arguments.iter().map(word).collect();
        Err(Error::new(ErrorKind::Fail, words.join(" ")).into())
    },
);

/// Returns a value as the message of `fail` shows it: arrays, hashes and references as Ruby writes them.
fn word(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Hash(_) | Value::Type(_) => inspect(value),
        other => interpolate(other),
    }
}
