//! Commands (spec 11 §3.10): the resource graph of a program, and the explanation of a code.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use lsp_types::ExecuteCommandParams;
use mcl_diagnostics::Code;
use serde_json::Value;

use crate::message::RequestError;
use crate::offered::{EXPLAIN, SHOW_GRAPH};
use crate::requests::{Answer, Context};

/// How many seconds the runtime waits for functions without a value.
const WAIT_SECONDS: &str = "10";

impl Context {
    pub(crate) fn execute(&self, params: &ExecuteCommandParams) -> Answer {
        let argument = params.arguments.first().and_then(Value::as_str).unwrap_or_default();
        match params.command.as_str() {
            EXPLAIN => explain(argument),
            SHOW_GRAPH => self.graph(argument),
            command => Err(RequestError::InvalidParams(format!("unknown command `{command}`"))),
        }
    }

    /// Returns the resource graph of the program that a document belongs to, in the language of Graphviz. Facts are those of this
    /// machine; nothing is applied, and no command is run.
    fn graph(&self, uri: &str) -> Answer {
        let (Some(analysis), Some(path)) = (self.analysis.as_deref(), self.documents.path(uri)) else {
            return Err(RequestError::InvalidParams("expected the address of a document".to_owned()));
        };
        let sources = self.documents.workspace.sources();
        let program = analysis
            .artifact(&sources, &path)
            .ok_or_else(|| RequestError::Failed("the program has errors, so it has no graph".to_owned()))?;
        let failed = |error: std::io::Error| RequestError::Failed(format!("cannot run `mgmt-rt`: {error}"));
        let mut file = tempfile::Builder::new().prefix("mclc-").suffix(".bin").tempfile().map_err(failed)?;
        file.write_all(&program).map_err(failed)?;
        let mut command = Command::new(runtime());
        command.arg("graph").arg(file.path()).args(["--format", "dot", "--wait", WAIT_SECONDS]).stdin(Stdio::null());
        let output = command.output().map_err(failed)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into());
        }
        Err(RequestError::Failed(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()))
    }
}

/// Returns the runtime that was installed with this program, or else that of the path.
fn runtime() -> PathBuf {
    let beside = std::env::current_exe().ok().map(|program| program.with_file_name("mgmt-rt"));
    beside.filter(|program| program.exists()).unwrap_or_else(|| "mgmt-rt".into())
}

/// Returns the explanation of a code as Markdown.
fn explain(name: &str) -> Answer {
    let code = Code::from_name(&name.to_ascii_uppercase())
        .ok_or_else(|| RequestError::InvalidParams(format!("unknown code `{name}`")))?;
    let info = code.info();
    Ok(format!("# {} {}\n\n{}", info.name, info.title, info.explanation).into())
}
