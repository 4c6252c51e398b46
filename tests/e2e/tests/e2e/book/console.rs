//! The commands in the pages, and what they print.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process_group};

use super::blocks::blocks;
use super::programs::write_file;
use super::{DIRECTORY, is_blessing, localized, pages, scratch};
use crate::sources::root;
use crate::support::{bin, ran};

/// For as long `cat` may print something else than the page. Nothing waits for it when all is well.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The same while pages are written.
const BLESS_TIMEOUT: Duration = Duration::from_secs(5);

/// A command of a page, and what the page says that it prints.
struct Step<'t> {
    command: &'t str,
    expected: Vec<&'t str>,
}

fn steps(block: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => steps.push(Step { command, expected: Vec::new() }),
            None => steps.last_mut().expect("a block starts with a command").expected.push(line),
        }
    }
    steps
}

/// Commands that run until their page ends, with all that they started.
#[derive(Default)]
struct Background(Vec<Child>);

impl Drop for Background {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
            let _ = child.wait();
        }
    }
}

fn shell(scratch: &Path, command: &str) -> Command {
    let mut shell = Command::new("sh");
    let path = std::env::var("PATH").expect("there is a path");
    shell.arg("-c").arg(format!("exec 2>&1; {}", localized(command, scratch)));
    shell.current_dir(scratch).stdin(Stdio::null());
    shell.env("PATH", format!("{}:{path}", bin().display())).env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
    shell.env("HOME", scratch.join("home")).env("STATE_DIRECTORY", scratch.join("state"));
    shell.env_remove("MGMT_MODULE_PATH");
    shell
}

/// Returns what a command prints, as a page shows it: with its own directory, and without times.
fn printed(scratch: &Path, command: &str) -> Vec<String> {
    let out = ran(shell(scratch, command).output().expect("there is a shell")).out;
    let out = out.replace(&scratch.display().to_string(), DIRECTORY);
    out.lines().map(elided).collect()
}

/// Replaces durations, which are never the same.
fn elided(line: &str) -> String {
    let time = Regex::new(r"\b[0-9]+(\.[0-9]+)? m?s\b").expect("a valid pattern");
    time.replace_all(line.trim_end(), "0.02 s").into_owned()
}

/// Whether lines are those that a page shows, where `...` stands for any.
fn matches(expected: &[&str], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"...", rest)) => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        Some((first, rest)) => found.first().is_some_and(|line| *line == elided(first)) && matches(rest, &found[1..]),
    }
}

/// Runs a command and returns what it printed last.
fn run(scratch: &Path, step: &Step<'_>, background: &mut Background) -> Vec<String> {
    if let Some(command) = step.command.strip_suffix('&') {
        use std::os::unix::process::CommandExt;
        let mut shell = shell(scratch, &format!("exec {command}"));
        shell.process_group(0).stdout(Stdio::null());
        background.0.push(shell.spawn().expect("there is a shell"));
        return Vec::new();
    }
    let deadline = Instant::now() + if is_blessing() { BLESS_TIMEOUT } else { TIMEOUT };
    loop {
        let found = printed(scratch, step.command);
        let may_change = step.command.starts_with("cat ");
        if matches(&step.expected, &found) || !may_change || Instant::now() > deadline {
            return found;
        }
        std::thread::yield_now();
    }
}

#[test]
fn every_command_prints_what_the_page_says() {
    let mut wrong = String::new();
    for page in pages() {
        // `migration.rs` runs the commands of this page, in a copy of examples/migration.
        if page.path == "docs/migration.md" {
            continue;
        }
        let scratch = scratch();
        let mut background = Background::default();
        let mut blessed = page.text.clone();
        for block in blocks(&page.text) {
            write_file(scratch.path(), &block);
            if block.info[0] != "console" {
                continue;
            }
            let mut shown = String::new();
            for step in steps(block.text) {
                let found = run(scratch.path(), &step, &mut background);
                let is_right = matches(&step.expected, &found);
                let lines = step.expected.join("\n");
                let lines = if is_right { lines } else { found.join("\n") };
                let end = if lines.is_empty() { "" } else { "\n" };
                shown += &format!("$ {}\n{lines}{end}", step.command);
                if !is_right {
                    wrong += &format!("{}:{}: $ {}\n{lines}\n", page.path, block.line, step.command);
                }
            }
            let start = blessed.len() - (page.text.len() - block.range.start);
            blessed.replace_range(start..start + block.text.len(), &shown);
        }
        if is_blessing() {
            std::fs::write(root().join(&page.path), blessed).expect("writable");
        }
    }
    assert!(wrong.is_empty() || is_blessing(), "other output than in the page; BLESS=1 writes it:\n{wrong}");
}
