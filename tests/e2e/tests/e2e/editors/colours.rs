//! What each byte of the sample is for the server, and whether an editor's own grammar agrees.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::editors;
use crate::support::bin;

/// Returns the sample, and the type of the server's semantic token at each of its bytes; "" where there is none.
pub fn sample() -> (String, Vec<String>) {
    let path = editors().join("sample.mcl");
    let text = std::fs::read_to_string(&path).expect("it is in the tree");
    let uri = format!("file://{}", path.display());
    let document = json!({"uri": uri, "languageId": "mcl", "version": 1, "text": text});
    let capabilities = json!({"general": {"positionEncodings": ["utf-8"]}});
    let mut server = Server::start();
    let initialized = server.ask("initialize", json!({"processId": null, "capabilities": capabilities}));
    server.send(json!({"method": "initialized", "params": {}}));
    server.send(json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
    let tokens = server.ask("textDocument/semanticTokens/full", json!({"textDocument": {"uri": uri}}));
    let legend = &initialized["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"];
    let numbers: Vec<usize> = tokens["data"]
        .as_array()
        .expect("a list of numbers")
        .iter()
        .map(|number| usize::try_from(number.as_u64().expect("a number")).expect("a small one"))
        .collect();
    let line_starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut types = vec![String::new(); text.len()];
    let (mut line, mut column) = (0, 0);
    for token in numbers.chunks_exact(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let start = line_starts[line] + column;
        let name = legend[token[3]].as_str().expect("the legend has the type");
        types[start..start + token[2]].fill(name.to_owned());
    }
    (text, types)
}

/// A language server, killed on drop.
struct Server {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Server {
        let mut command = Command::new(bin().join("mclc"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Server { process, output }
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        let input = self.process.stdin.as_mut().expect("it is piped");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
    }

    /// Sends a request and returns its result.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({"id": method, "method": method, "params": params}));
        loop {
            let mut message = self.receive();
            if message["id"] == method && message.get("method").is_none() {
                return message["result"].take();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut header = String::new();
            assert!(self.output.read_line(&mut header).expect("readable") > 0, "the server has ended");
            match header.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the server writes whole messages");
        serde_json::from_slice(&body).expect("a message")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Compares what an editor's grammar says of each byte with what the server says. `agree` says whether a name of the
/// grammar may be shown where the server has a type.
#[track_caller]
pub fn compare(text: &str, server: &[String], grammar: &[String], agree: impl Fn(&str, &str) -> bool) {
    let mut differences = Vec::new();
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let ends = |other: usize| other == text.len() || server[other] != server[at] || grammar[other] != grammar[at];
        if ends(at + 1) || byte == b'\n' {
            let shown = text[start..=at].trim();
            if !shown.is_empty() && !agree(&server[at], &grammar[at]) {
                let line = text[..at].matches('\n').count() + 1;
                differences.push(format!("{line}: `{shown}` is `{}`, not `{}`", server[at], grammar[at]));
            }
            start = at + 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
