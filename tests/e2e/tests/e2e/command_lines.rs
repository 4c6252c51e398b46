//! What both command lines offer beside their work: completions in real shells, manual pages, and how they were built.

use std::path::Path;
use std::process::Command;

use test_support::{Scratch, skip};

use crate::support::bin;

/// Returns what a command prints, which must succeed and print nothing to standard error.
fn stdout(command: &mut Command) -> String {
    let output = command.output().expect("the command runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{command:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn is_missing(program: &str) -> bool {
    let missing = Command::new(program).arg("--version").output().is_err();
    if missing {
        skip(&format!("{program} is not installed"));
    }
    missing
}

/// Calls the completion function that the printed script defines, as bash does.
const BASH: &str = r#"
source <("$1" completions bash)
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
"_clap_complete_${1//-/_}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Calls the completion function that the printed script defines, and prints what it would describe.
const ZSH: &str = r#"
compdef() { completer=$1 }
_describe() { print -l -- "${(@P)3}" }
source <("$1" completions zsh)
shift
words=("$@") CURRENT=$#
$completer || true
"#;

/// Returns the completions of the last word, without descriptions and what quotes a colon.
fn completions(shell: &str, directory: &Path, words: &[&str]) -> Vec<String> {
    let path = format!("{}:{}", bin().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(shell);
    match shell {
        "bash" => command.args(["--norc", "-c", BASH, "bash"]),
        _ => command.args(["-f", "-c", ZSH, "zsh"]),
    };
    let printed = stdout(command.args([&words[..1], words].concat()).env("PATH", path).current_dir(directory));
    let quoted = |line: &str| line.replace("\\:", "\u{0}");
    let word = |line: &str| quoted(line).split(':').next().unwrap_or_default().replace('\u{0}', ":");
    let mut found: Vec<String> = match shell {
        "zsh" => printed.lines().map(word).collect(),
        _ => printed.lines().map(|line| line.trim_end().to_owned()).collect(),
    };
    found.iter_mut().for_each(|word| *word = word.trim_end_matches('/').to_owned());
    found.sort();
    found
}

#[test]
fn shells_complete_codes_names_facts_and_the_files_that_fit() {
    let scratch = Scratch::with_files([("main.mcl", ""), ("main.bin", ""), ("notes.txt", ""), ("lib/x.mcl", "")]);
    for shell in ["bash", "zsh"].into_iter().filter(|shell| !is_missing(shell)) {
        let complete = |words: &[&str]| completions(shell, scratch.dir(), words);
        let commands = complete(&["mclc", "co"]);
        assert_eq!(commands, ["completions"], "{shell}");
        assert_eq!(complete(&["mclc", "explain", "E060"]).len(), 9, "{shell}");
        assert_eq!(complete(&["mclc", "doc", "fmt.pr"]), ["fmt.printf"], "{shell}");
        assert_eq!(complete(&["mclc", "check", "--deny", "warn"]), ["warnings"], "{shell}");
        assert_eq!(complete(&["mclc", "build", "ma"]), ["main.mcl"], "{shell}");
        assert_eq!(complete(&["mclc", "check", "l"]), ["lib"], "{shell}");
        assert_eq!(complete(&["mgmt-rt", "plan", "ma"]), ["main.bin"], "{shell}");
        assert_eq!(complete(&["mgmt-rt", "facts", "kernelv"]), ["kernelversion"], "{shell}");
        assert!(complete(&["mclc", "completions", ""]).contains(&"fish".to_owned()), "{shell}");
    }
}

#[test]
fn manual_pages_are_well_formed_and_complete() {
    if is_missing("man") || is_missing("lexgrog") {
        return;
    }
    let scratch = Scratch::new();
    let mut pages = Vec::new();
    for tool in ["mclc", "mgmt-rt"] {
        assert_eq!(stdout(Command::new(bin().join(tool)).arg("man-pages").arg(scratch.dir())), "");
        let help = stdout(Command::new(bin().join(tool)).arg("--help"));
        let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
        let commands = commands.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
        let commands = commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
        pages.extend(commands.map(|command| format!("{tool}-{command}.1")).chain([format!("{tool}.1")]));
    }
    for page in pages {
        let path = scratch.dir().join(&page);
        let name = stdout(Command::new("lexgrog").arg(&path));
        assert!(name.contains(&format!("{} - ", page.trim_end_matches(".1"))), "{name}");
        let mut man = Command::new("man");
        man.args(["--warnings", "--encoding=UTF-8", "--local-file"]).arg(&path).env("LC_ALL", "C.UTF-8");
        let text = stdout(&mut man);
        assert!(text.contains("SYNOPSIS") && text.contains("EXIT STATUS"), "{page}: {text}");
    }
}

#[test]
fn version_says_how_a_tool_was_built() {
    for tool in ["mclc", "mgmt-rt"] {
        let version = |args: &[&str]| stdout(Command::new(bin().join(tool)).args(args));
        let short = version(&["--version"]);
        assert!(short.starts_with(&format!("{tool} {} (", env!("CARGO_PKG_VERSION"))), "{short}");
        let details = version(&["--version", "--verbose"]);
        assert!(details.starts_with(&short), "{details}");
        for fact in ["commit: ", "target: ", "rustc: rustc 1.", "artifact format: "] {
            assert!(details.contains(&format!("\n{fact}")), "{details}");
        }
    }
}
