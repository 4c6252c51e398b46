//! A small client of the Language Server Protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// A server and its streams. It is killed with the client, unless it has ended.
pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: i64,
    /// The notifications that came before a response.
    pub notifications: Vec<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Client {
    /// Starts a server and sends nothing.
    pub fn new() -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mclc"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Client { process, input, output, next_id: 1, notifications: Vec::new() }
    }

    /// Starts a server that counts characters in this encoding.
    pub fn with_encoding(encoding: &str) -> Client {
        let mut client = Client::new();
        let capabilities = json!({
            "general": {"positionEncodings": [encoding]},
            "workspace": {"workspaceEdit": {"documentChanges": true}},
            "textDocument": {
                "rename": {"prepareSupport": true},
                "hover": {"contentFormat": ["markdown"]},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                "completion": {"completionItem": {"snippetSupport": true}},
                "publishDiagnostics": {"relatedInformation": true},
            },
        });
        let result = client.request("initialize", json!({"processId": null, "capabilities": capabilities}));
        assert_eq!(result["result"]["capabilities"]["positionEncoding"], encoding);
        client.notify("initialized", json!({}));
        client
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Reads the next message; `None` at the end.
    pub fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).expect("it can be read") == 0 {
                return None;
            }
            match line.trim().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the whole message");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    /// Reads up to the response with this id, and keeps the notifications before it.
    pub fn response(&mut self, id: &Value) -> Value {
        loop {
            let message = self.read().expect("a response");
            if message.get("method").is_none() && message["id"] == *id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.response(&id.into())
    }

    /// Returns the result of a request about a place.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        let context = json!({"includeDeclaration": true});
        let params = json!({"textDocument": {"uri": uri}, "position": position, "context": context});
        self.request(method, params)["result"].take()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "mcl", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces a part of a text; all of it without a range.
    pub fn change(&mut self, uri: &str, version: i32, range: Option<[u32; 4]>, text: &str) {
        let mut change = json!({"text": text});
        if let Some([line, character, to_line, to_character]) = range {
            change["range"] = json!({
                "start": {"line": line, "character": character},
                "end": {"line": to_line, "character": to_character},
            });
        }
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
    }

    /// Reads up to the diagnostics of a version of a document; `None` for any, also of files that are not open.
    pub fn diagnostics(&mut self, uri: &str, version: Option<i32>) -> Value {
        loop {
            let message = if self.notifications.is_empty() {
                self.read().expect("diagnostics")
            } else {
                self.notifications.remove(0)
            };
            let params = &message["params"];
            let is_wanted = message["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri;
            if is_wanted && version.is_none_or(|version| params["version"] == version) {
                return params["diagnostics"].clone();
            }
        }
    }

    /// Ends the server as clients do.
    pub fn end(mut self) -> ExitStatus {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        self.process.wait().expect("it ends")
    }

    /// Waits for the end of the server after the end of its input.
    pub fn wait(mut self) -> ExitStatus {
        self.input = None;
        self.process.wait().expect("it ends")
    }
}
