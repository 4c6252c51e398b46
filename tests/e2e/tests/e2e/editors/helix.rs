//! `editors/helix`: its configuration and queries, read, and used by the real editor.

use std::process::Command;

use test_support::{Scratch, eventually};
use tree_sitter::Query;

use super::{editors, installed, succeeds};

#[test]
fn the_configuration_names_the_server_and_the_grammar() {
    let Some(mut python) = installed("python3", "python3") else { return };
    // Python has read TOML since 3.11.
    let script = "import json, tomllib; print(json.dumps(tomllib.load(open('helix/languages.toml', 'rb'))))";
    let printed = succeeds(python.args(["-c", script]));
    let configuration: serde_json::Value = serde_json::from_str(&printed).expect("Python prints JSON");
    let [language, puppet] = [0, 1].map(|index| &configuration["language"][index]);
    assert_eq!(language["name"], "mcl");
    assert_eq!(language["file-types"], serde_json::json!(["mcl"]));
    assert_eq!(puppet["language-servers"], language["language-servers"]);
    for server in language["language-servers"].as_array().expect("a list") {
        let server = &configuration["language-server"][server.as_str().expect("a name")];
        let command = super::bin().join(server["command"].as_str().expect("a command"));
        let name = server["args"][0].as_str().expect("a command of the tool");
        succeeds(Command::new(command).args([name, "--help"]));
    }
}

#[test]
fn queries_name_only_what_the_grammar_has() {
    let directory = editors().join("helix/queries/mcl");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let query = std::fs::read_to_string(&path).expect("readable");
        let result = Query::new(&tree_sitter_mcl::LANGUAGE.into(), &query);
        result.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count >= 5, "{count} queries");
}

/// A terminal of tmux, which ends with the value.
struct Terminal<'a> {
    scratch: &'a Scratch,
}

impl Terminal<'_> {
    /// Returns what tmux prints for a command.
    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = installed("tmux", "tmux").expect("it started before");
        tmux.arg("-S").arg(self.scratch.path("socket")).args(arguments).current_dir(self.scratch.dir());
        // The server of tmux gives its environment to the program.
        succeeds(with_configuration(&mut tmux, self.scratch).env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8"))
    }

    /// Presses keys, by tmux's names of them.
    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Waits until the screen shows a text.
    fn shows(&self, text: &str) {
        eventually(&format!("the screen shows `{text}`"), || self.screen().contains(text));
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // The server has ended if the program did.
        let _ = Command::new("tmux").arg("-S").arg(self.scratch.path("socket")).arg("kill-server").output();
    }
}

fn with_configuration<'a>(command: &'a mut Command, scratch: &Scratch) -> &'a mut Command {
    command.env("XDG_CONFIG_HOME", scratch.path("config")).env("XDG_CACHE_HOME", scratch.path("cache"))
}

/// Installs the configuration as `docs/editors.md` says.
fn install(scratch: &Scratch) {
    let configuration = scratch.path("config/helix");
    let [queries, grammars] = ["queries/mcl", "grammars"].map(|name| configuration.join("runtime").join(name));
    for directory in [&queries, &grammars] {
        std::fs::create_dir_all(directory).expect("the scratch directory is writable");
    }
    std::fs::copy(editors().join("helix/languages.toml"), configuration.join("languages.toml")).expect("it is copied");
    for entry in std::fs::read_dir(editors().join("helix/queries/mcl")).expect("a directory") {
        let query = entry.expect("an entry");
        std::fs::copy(query.path(), queries.join(query.file_name())).expect("it is copied");
    }
    let source = editors().join("tree-sitter-mcl/src");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-I"]).arg(&source).arg("-o").arg(grammars.join("mcl.so"));
    succeeds(compiler.arg(source.join("parser.c")));
}

#[test]
fn a_session_with_the_server_and_the_parser() {
    let Some(mut helix) = installed("hx", "hx") else { return };
    for (program, package) in [("tmux", "tmux"), ("cc", "gcc")] {
        if installed(program, package).is_none() {
            return;
        }
    }
    let program = "$greeting = \"hello\"\n\nfile \"/tmp/greeting\" {\n  content => $greting,\n}\n";
    let manifest = "file { '/tmp/greeting' ensure => present }\n";
    let scratch = Scratch::with_files([("main.mcl", program), ("manifest.pp", manifest)]);
    install(&scratch);

    let health = succeeds(with_configuration(helix.args(["--health", "mcl"]), &scratch));
    // It is green.
    let found = "\u{1b}[38;5;10m✓\u{1b}[39m";
    for part in ["Tree-sitter parser", "Highlight queries", "Textobject queries", "Indent queries"] {
        assert!(health.contains(&format!("{part}: {found}")), "{part}: {health}");
    }
    assert!(health.contains("mclc: ") && !health.contains('✘'), "{health}");

    let terminal = Terminal { scratch: &scratch };
    terminal.tmux(&["new-session", "-d", "-x", "120", "-y", "30", "hx", "main.mcl"]);
    terminal.shows("● 1");
    terminal.press(&["]", "d"]);
    terminal.shows("no variable `$greting` in this scope");
    terminal.press(&["Space", "a"]);
    terminal.shows("replace with `$greeting`");
    terminal.press(&["Enter"]);
    terminal.shows("content => $greeting");
    terminal.press(&["Space", "k"]);
    terminal.shows("$greeting str");
    // With a key soon after it, Escape would mean Alt.
    terminal.press(&["Escape"]);
    eventually("the documentation is closed", || !terminal.screen().contains("$greeting str"));
    terminal.press(&[":", "w", "Enter"]);
    // The file is formatted when it is saved.
    let expected = program.replace("  content => $greting", "\tcontent => $greeting");
    eventually("the program is written", || scratch.read("main.mcl").as_deref() == Some(expected.as_str()));
    terminal.press(&[":", "o", "Space", "manifest.pp", "Enter"]);
    terminal.shows("● 1");
    terminal.press(&[":", "q", "a", "Enter"]);
}
