//! The figures of spec 11 §2.7 and §5: what an editor and a hook wait for, with the bound of each, and a baseline of the same run.
//! Baselines are a request of an unknown method (the way there and back), and `cat` of the same files.
//!
//! `cargo bench -p mclc --bench editor`; with `-- quick`, a hundredth of the edits; with `-- server`, `memory` or `hooks`, only that
//! part. It prints `over` where a bound is not met, and
//! does not fail, because the bounds are for an idle machine.

mod server;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_support::{Scratch, min_of, min_time};

use crate::server::Server;

/// A statement of the main file whose text the edits change.
const EDITED: &str = "$edited = \"0\"\n";

/// Returns classes of 8 lines.
fn classes(lines: usize) -> String {
    let mut text = format!("{EDITED}import \"fmt\"\n");
    for i in 0..lines / CLASS_LINES {
        let _ = write!(
            text,
            "class c{i}($a, $b) {{\n\t$x = fmt.printf(\"%s-%d\", $a, $b)\n\tfile \"/srv/${{x}}-{i}\" {{\n\
             \t\tstate => \"exists\",\n\t\tcontent => \"hello ${{a}} and ${{x}}\",\n\t}}\n}}\n"
        );
    }
    text
}

/// The lines of a class, and of its include.
const CLASS_LINES: usize = 9;

/// A module of 20 files with 20,000 lines, or one file. It has no errors: imported files contain no resources or includes.
fn module(files: usize) -> Scratch {
    let scratch = Scratch::new();
    let lines = 20_000 / files;
    let mut main = classes(lines);
    let mut includes = String::new();
    for file in 0..files {
        let mut prefix = String::new();
        if file > 0 {
            prefix = format!("part{file}.");
            let _ = writeln!(main, "import \"part{file}.mcl\" as part{file}");
            let part = classes(lines).replace("/srv/", &format!("/srv/{file}-"));
            scratch.write(format!("part{file}.mcl"), part);
        }
        for i in 0..lines / CLASS_LINES {
            let _ = writeln!(includes, "include {prefix}c{i}(\"n{i}\", {i})");
        }
    }
    scratch.write("main.mcl", main + &includes);
    scratch.write("metadata.yaml", "main: main.mcl\n");
    let mclc = env!("CARGO_BIN_EXE_mclc");
    let checked = Command::new(mclc).args(["check", "."]).current_dir(scratch.dir()).output().expect("it starts");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    scratch
}

fn row(what: &str, time: Duration, bound: Duration, baseline: Duration) {
    let verdict = if time > bound { "over" } else { "" };
    let ratio = test_support::ratio(time, baseline);
    println!("{what:<58} {time:>10.1?} {bound:>10.1?} {baseline:>10.1?} {ratio:>8.1}x {verdict}");
}

fn millis(bound: u64) -> Duration {
    Duration::from_millis(bound)
}

/// Returns the median and the 99th percentile.
fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort();
    [times.len() / 2, times.len() * 99 / 100].map(|at| times[at])
}

/// A server with one open file, and its version.
struct Editor {
    server: Server,
    uri: String,
    version: i32,
}

impl Editor {
    fn open(folder: &Path) -> Editor {
        let text = std::fs::read_to_string(folder.join("main.mcl")).expect("it was written");
        let mut server = Server::start(folder);
        server.notify("initialized", json!({}));
        let uri = format!("file://{}", folder.join("main.mcl").display());
        server.open(&uri, &text);
        server.diagnostics(&uri, 1);
        Editor { server, uri, version: 1 }
    }

    /// Changes the string of [`EDITED`].
    fn edit(&mut self) {
        self.version += 1;
        let at = |character: u32| json!({"line": 0, "character": character});
        let range = json!({"start": at(11), "end": at(12)});
        let text = if self.version % 2 == 0 { "1" } else { "2" };
        let document = json!({"uri": self.uri, "version": self.version});
        let changes = json!([{"range": range, "text": text}]);
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.server.notify("textDocument/didChange", params);
    }

    fn edit_and_wait(&mut self) {
        self.edit();
        self.server.diagnostics(&self.uri, self.version);
    }

    /// Asks about the first class, and checks that there is an answer.
    fn ask(&mut self, method: &str, more: &Value) -> Value {
        let position = json!({"line": 3, "character": 10});
        let mut params = json!({"textDocument": {"uri": self.uri}, "position": position});
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        let mut response = self.server.request(method, params);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].take()
    }

    /// The way there and back.
    fn round_trip(&mut self) -> Duration {
        min_time(50, || self.server.request("bench/nothing", json!({})))
    }

    fn times(&mut self, runs: usize, mut work: impl FnMut(&mut Editor)) -> [Duration; 2] {
        let times = (0..runs).map(|_| {
            let start = Instant::now();
            work(self);
            start.elapsed()
        });
        percentiles(times.collect())
    }
}

fn measure_server(name: &str, folder: &Path, edits: usize) {
    let cat = process_time("cat", &[], folder);
    let initialize = min_of(5, || {
        let start = Instant::now();
        let server = Server::start(folder);
        let time = start.elapsed();
        drop(server);
        time
    });
    row(&format!("{name}: start to `initialize`"), initialize, millis(100), cat);
    let first = min_time(3, || Editor::open(folder));
    row(&format!("{name}: start to the first diagnostics"), first, millis(300), cat);

    let mut editor = Editor::open(folder);
    let baseline = editor.round_trip();
    let runs = (edits / 50).max(3);
    let [p50, p99] = editor.times(runs, Editor::edit_and_wait);
    row(&format!("{name}: change to diagnostics, p50"), p50, millis(15), baseline);
    row(&format!("{name}: change to diagnostics, p99"), p99, millis(50), baseline);
    for (request, method) in [
        ("hover", "textDocument/hover"),
        ("definition", "textDocument/definition"),
        ("signature", "textDocument/signatureHelp"),
        ("completion", "textDocument/completion"),
    ] {
        let [p50, p99] = editor.times(runs, |editor| {
            editor.edit();
            editor.ask(method, &json!({}));
        });
        row(&format!("{name}: {request} after a change, p50"), p50, millis(5), baseline);
        row(&format!("{name}: {request} after a change, p99"), p99, millis(50), baseline);
    }
    editor.edit_and_wait();
    let full = min_time(5, || editor.ask("textDocument/semanticTokens/full", &json!({})));
    row(&format!("{name}: semantic tokens, full"), full, millis(30), baseline);
    let delta = min_of(5, || {
        let known = editor.ask("textDocument/semanticTokens/full", &json!({}))["resultId"].take();
        editor.edit_and_wait();
        let start = Instant::now();
        editor.ask("textDocument/semanticTokens/full/delta", &json!({"previousResultId": known}));
        start.elapsed()
    });
    row(&format!("{name}: semantic tokens, delta"), delta, millis(10), baseline);
    let options = json!({"options": {"tabSize": 8, "insertSpaces": false}});
    let format = min_time(5, || editor.ask("textDocument/formatting", &options));
    row(&format!("{name}: formatting"), format, millis(60), baseline);
    let format = min_time(5, || {
        editor.edit();
        editor.ask("textDocument/formatting", &options)
    });
    row(&format!("{name}: formatting while an analysis runs"), format, millis(60), baseline);
}

/// Memory after many edits against that after a few, and processor time while nothing happens.
fn measure_long_run(folder: &Path, edits: usize) {
    let mut editor = Editor::open(folder);
    let mut run = |count: usize| {
        for done in 1..=count {
            editor.edit();
            if done % 10 == 0 || done == count {
                editor.server.diagnostics(&editor.uri, editor.version);
            }
        }
        editor.server.memory()
    };
    let before = run((edits / 100).max(1));
    let after = run(edits);
    let verdict = if after > 1.1 * before { "over" } else { "" };
    let what = format!("memory after {edits} edits against after {}", (edits / 100).max(1));
    println!("{what:<58} {:>9.2}x {:>9.2}x {:>6.0} MiB {verdict}", after / before, 1.1, before / 1024.0);
    // What the last analysis leaves is freed after its diagnostics.
    std::thread::sleep(Duration::from_secs(1));
    let start = editor.server.ticks();
    std::thread::sleep(Duration::from_secs(2));
    let used = editor.server.ticks() - start;
    let verdict = if used > 0 { "over" } else { "" };
    println!("{:<58} {used:>10} {:>10} {verdict}", "idle for two seconds: ticks of processor time", 0);
}

/// Returns the shortest time of several runs of a process on all programs of a folder.
fn process_time(program: &str, args: &[&str], folder: &Path) -> Duration {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "mcl"));
    files.sort();
    min_time(7, || {
        let status = Command::new(program).args(args).args(&files).stdout(Stdio::null()).status().expect("it starts");
        assert!(status.success(), "{program} {args:?}");
    })
}

fn measure_hooks() {
    let scratch = Scratch::new();
    for i in 0..1_000 {
        scratch.write(format!("f{i}.mcl"), classes(45).replace("/srv/", &format!("/srv/{i}-")));
    }
    let tool = env!("CARGO_BIN_EXE_mclc");
    let cat = process_time("cat", &[], scratch.dir());
    // The programs bind what they do not use, which is not what is measured.
    let check = process_time(tool, &["check", "--allow", "all"], scratch.dir());
    row("`mclc check` of 1,000 files of 50 lines", check, millis(60), cat);
    let format = process_time(tool, &["fmt"], scratch.dir());
    row("`mclc fmt` of 1,000 files, first or unchanged", format, millis(60), cat);
    let format = process_time(tool, &["fmt", "--check"], scratch.dir());
    row("`mclc fmt --check` of 1,000 unchanged files", format, millis(50), cat);
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_named = |name: &str| args.iter().any(|arg| arg == name);
    let edits = if is_named("quick") { 100 } else { 10_000 };
    // All parts, unless some are named.
    let is_wanted = |part: &str| is_named(part) || !["server", "memory", "hooks"].into_iter().any(is_named);
    println!("{:<58} {:>10} {:>10} {:>10} {:>9}", "what", "figure", "bound", "baseline", "ratio");
    if is_wanted("server") {
        for (name, files) in [("20 files", 20), ("1 file", 1)] {
            measure_server(name, module(files).dir(), edits);
        }
    }
    if is_wanted("memory") {
        measure_long_run(module(20).dir(), edits);
    }
    if is_wanted("hooks") {
        measure_hooks();
    }
}
