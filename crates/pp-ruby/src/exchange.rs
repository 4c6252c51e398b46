//! One request: what the helper asks for is answered until it has a result.

use std::time::{Duration, Instant};

use pp_evaluator::{RubyFailure, RubyHost};
use pp_functions::LogLevel;
use pp_types::{Error, Value};
use serde_json::{Value as Json, json};

use crate::pipes::{MessageKind, PipeError, Pipes};
use crate::values::{decode, encode};

/// Why a request has no result.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    /// The program failed; the helper is fine.
    Failure(RubyFailure),
    /// The helper ended before it sent anything: it may have ended before the request came.
    Unanswered,
    /// The helper must not be used again.
    Broken(String),
}

/// The message for a helper that ended.
pub(crate) const ENDED: &str = "the helper process has ended";

/// What is said of a program that uses the helper's pipe.
const GARBAGE: &str = "the helper process sent what is not a message: does the program write to its pipe?";

/// Sends a request, and answers questions until its result is there. `limit` is the time without that of the answers.
pub(crate) fn exchange(
    pipes: &mut Pipes,
    request: &Json,
    limit: Duration,
    host: &mut dyn RubyHost,
) -> Result<Value, ExchangeError> {
    let broken = |error: PipeError| {
        ExchangeError::Broken(match error {
            PipeError::Closed => ENDED.to_owned(),
            PipeError::TimedOut => format!("there is no result after {} seconds", limit.as_secs_f32()),
            PipeError::Invalid => GARBAGE.to_owned(),
            PipeError::TooLarge => "the values are too large for the helper process".to_owned(),
            PipeError::Io(error) => format!("the helper process cannot be reached: {error}"),
        })
    };
    let mut left = limit;
    let mut passed: Option<Error> = None;
    let mut message = request.clone();
    let mut is_answered = false;
    loop {
        let start = Instant::now();
        let deadline = start + left;
        let (kind, question) = match pipes.write(&message, deadline).and_then(|()| pipes.read(deadline)) {
            Err(PipeError::Closed) if !is_answered => return Err(ExchangeError::Unanswered),
            question => question.map_err(broken)?,
        };
        is_answered = true;
        if kind == MessageKind::Result {
            return result(&question, passed).map_err(ExchangeError::Failure);
        }
        left = left.saturating_sub(start.elapsed());
        message = match answer(&question, host) {
            Ok(value) => json!({"kind": "answer", "value": value}),
            Err(error) => {
                let message = error.message.clone();
                passed = Some(error);
                json!({"kind": "error", "message": message})
            }
        };
    }
}

/// Returns the result of the program.
fn result(message: &Json, passed: Option<Error>) -> Result<Value, RubyFailure> {
    match text(message, "kind") {
        "result" => decode(&message["value"]).map_err(RubyFailure::Passed),
        "failed" => Err(failure(message, passed)),
        "died" => Err(RubyFailure::Helper(match text(message, "status") {
            "exit" => "the program calls `exit`".to_owned(),
            "garbage" => GARBAGE.to_owned(),
            status => format!("the program ended with {status}"),
        })),
        _ => Err(RubyFailure::Helper(GARBAGE.to_owned())),
    }
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

/// Returns why the program failed: an error of the compiler keeps what it knows.
fn failure(message: &Json, passed: Option<Error>) -> RubyFailure {
    let is_passed = text(message, "class") == "McLHelper::CompilerError";
    match passed {
        Some(error) if is_passed && error.message == text(message, "message") => RubyFailure::Passed(error),
        _ => RubyFailure::Raised {
            class: text(message, "class").to_owned(),
            message: text(message, "message").to_owned(),
            line: message["line"].as_u64().and_then(|line| u32::try_from(line).ok()),
        },
    }
}

/// Answers a question of the program.
fn answer(question: &Json, host: &mut dyn RubyHost) -> Result<Json, Error> {
    let name = text(question, "name");
    let arguments =
        || question["arguments"].as_array().into_iter().flatten().map(decode).collect::<Result<Vec<_>, _>>();
    match text(question, "kind") {
        "variable" => host.variable(name).map(|value| encode(&value)),
        "has_variable" => Ok(Json::Bool(host.has_variable(name))),
        "variables" => {
            let entries = host.variables().into_iter().map(|(name, value)| json!([&*name, encode(&value)]));
            Ok(json!({"t": "hash", "v": entries.collect::<Vec<_>>()}))
        }
        "set_variable" => host.set_variable(name, decode(&question["value"])?).map(|()| Json::Null),
        "resource" => Ok(Json::from(host.resource())),
        "call" => host.call_function(name, &arguments()?).map(|value| encode(&value)),
        "knows_function" => Ok(Json::Bool(host.knows_function(name))),
        "block" => host.call_block(&arguments()?).map(|value| encode(&value)),
        "choose" => {
            let signatures = question["signatures"].as_array().into_iter().flatten();
            let signatures: Vec<String> = signatures.filter_map(|s| Some(s.as_str()?.to_owned())).collect();
            host.choose(&signatures).map(Json::from)
        }
        "log" => {
            host.log(level(text(question, "level")), text(question, "message"));
            Ok(Json::Null)
        }
        "library" => Ok(host.library(text(question, "path")).map_or(Json::Null, Json::from)),
        other => Err(Error::new(pp_types::ErrorKind::Evaluation, format!("the helper asks for `{other}`"))),
    }
}

fn level(name: &str) -> LogLevel {
    match name {
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "notice" => LogLevel::Notice,
        "err" => LogLevel::Err,
        "alert" => LogLevel::Alert,
        "emerg" => LogLevel::Emerg,
        "crit" => LogLevel::Crit,
        _ => LogLevel::Warning,
    }
}
