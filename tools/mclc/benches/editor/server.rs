//! `mclc lsp` as a process, and its streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A server. It is killed at the end.
pub struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: i64,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a server for a folder, up to its answer to `initialize`.
    pub fn start(folder: &Path) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mclc"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("it starts");
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut server = Server { process, input, output, next_id: 1 };
        let folder = json!({"uri": format!("file://{}", folder.display()), "name": "bench"});
        let capabilities = json!({"general": {"positionEncodings": ["utf-16"]}});
        server.request("initialize", json!({"capabilities": capabilities, "workspaceFolders": [folder]}));
        server
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.read_until(|message| message.get("method").is_none() && message["id"] == id)
    }

    /// Opens a file with a text.
    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "mcl", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Waits for the diagnostics of a version.
    pub fn diagnostics(&mut self, uri: &str, version: i32) {
        self.read_until(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
    }

    /// Returns the resident memory, in KiB.
    pub fn memory(&self) -> f64 {
        let status = self.proc_file("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the system counts");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Returns the processor time that was used, in ticks of the system.
    pub fn ticks(&self) -> u64 {
        let stat = self.proc_file("stat");
        let (_, after_name) = stat.rsplit_once(") ").expect("a name in parentheses");
        let number = |at: usize| after_name.split(' ').nth(at).and_then(|word| word.parse::<u64>().ok());
        number(11).zip(number(12)).map(|(user, system)| user + system).expect("numbers")
    }

    fn proc_file(&self, name: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.process.id())).expect("the server runs")
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn read_until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("it can be read"), 0, "the server ended");
            match line.trim().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the whole message");
        serde_json::from_slice(&body).expect("JSON")
    }
}
