//! A real Puppet in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use test_support::skip;

use crate::catalog;
use crate::drivers::Driver;

/// What compiling a program gave.
#[derive(Debug, Default)]
pub struct Answer {
    /// The messages of `notice`, in order.
    pub log: Vec<String>,
    /// The catalog, reduced to what is compared.
    pub catalog: Option<catalog::Essence>,
    /// The error.
    pub error: Option<String>,
    /// The lines that the error names.
    pub lines: Vec<u64>,
    /// The error is an accident of Ruby.
    pub is_crash: bool,
    /// The evaluation exceeded its budget.
    pub is_limit: bool,
}

/// A running Puppet, which ends with its input.
pub struct Reference {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// Starts Puppet; `None` where it is not installed.
    pub fn start(facts: &str) -> Option<Reference> {
        let has_puppet = Command::new("ruby").args(["-e", "require 'puppet'"]).stderr(Stdio::null()).status();
        if !has_puppet.is_ok_and(|status| status.success()) {
            skip("no Ruby with Puppet is installed");
            return None;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/reference.rb");
        let mut process = Command::new("ruby")
            .args([script, facts])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("ruby starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Some(Reference { process, input, output })
    }

    /// Compiles a program.
    pub fn compile(&mut self, code: &str) -> Answer {
        self.ask(code, &json!({"code": code, "strict": false}))
    }

    /// Compiles a program that uses modules and the data of an environment, with the facts of a file.
    pub fn compile_with_modules(
        &mut self,
        driver: &Driver,
        environment: &Path,
        modules: &Path,
        facts: &Path,
    ) -> Answer {
        let Driver { code, is_strict, .. } = driver;
        let request = json!({
            "code": code, "strict": is_strict, "environment": environment, "modulepath": [modules], "facts": facts,
        });
        self.ask(code, &request)
    }

    /// Compiles a program that uses modules. Returns the catalog and its relationship graph; `None` if the program or its catalog
    /// is refused by accident or with an error.
    pub fn graph_with_modules(&mut self, code: &str, modules: &Path, facts: &Path) -> Option<(Value, Value)> {
        let request = json!({"code": code, "strict": false, "modulepath": [modules], "facts": facts, "graph": true});
        let mut answer = self.answer(code, &request);
        Some((answer.get_mut("catalog")?.take(), answer.get_mut("graph")?.take()))
    }

    fn ask(&mut self, code: &str, request: &Value) -> Answer {
        let answer = self.answer(code, request);
        let strings = answer["log"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // The addresses of Ruby objects, where a container of types is printed by Ruby.
        let shows_objects = answer.to_string().contains("#<Puppet::Pops");
        Answer {
            log: strings.map(str::to_owned).collect(),
            catalog: answer.get("catalog").map(catalog::essence),
            error: answer["error"].as_str().map(str::to_owned),
            lines: answer["lines"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
            is_crash: shows_objects || answer["crash"].as_bool().unwrap_or(false),
            is_limit: false,
        }
    }

    fn answer(&mut self, code: &str, request: &Value) -> Value {
        let input = self.input.as_mut().expect("Puppet is running");
        writeln!(input, "{request}").expect("Puppet reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("Puppet answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?} for\n{code}"))
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.wait();
    }
}
