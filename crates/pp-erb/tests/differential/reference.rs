//! A Ruby in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use test_support::skip;

/// What rendering a template gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The text.
    Text(String),
    /// The message of an exception.
    Error(String),
    /// It is not Ruby.
    Syntax,
}

/// A running Ruby, which ends with its input.
pub struct Reference {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// Starts Ruby; `None` where it is not installed.
    pub fn start() -> Option<Reference> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/reference.rb");
        let has_ruby = Command::new("ruby").args(["-e", "require 'erb'"]).stderr(Stdio::null()).status();
        if !has_ruby.is_ok_and(|status| status.success()) {
            skip("no Ruby is installed");
            return None;
        }
        let mut process =
            Command::new("ruby").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ruby starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Some(Reference { process, input, output })
    }

    /// Renders a template.
    pub fn render(&mut self, template: &str, variables: &Value) -> Answer {
        let input = self.input.as_mut().expect("Ruby is running");
        writeln!(input, "{}", json!({"template": template, "variables": variables})).expect("Ruby reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("Ruby answers");
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?} for\n{template}"));
        match (answer["text"].as_str(), answer["error"].as_str()) {
            (Some(text), _) => Answer::Text(text.to_owned()),
            (None, Some(error)) => Answer::Error(error.to_owned()),
            (None, None) => Answer::Syntax,
        }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.wait();
    }
}
