//! The files below `editors/`, each with the editor that reads them.
//!
//! `editors/sample.mcl` has every construct once. Each way to colour it is compared with the semantic tokens of the server,
//! byte by byte.

mod colours;
mod emacs;
mod helix;
mod neovim;
mod programs;
mod tree_sitter;
mod vim;
mod vs_code;

use std::path::PathBuf;
use std::process::{Command, Output};

use test_support::skip_without;

use crate::sources::root;
use crate::support::bin;

/// The directory of the files for editors.
fn editors() -> PathBuf {
    root().join("editors").canonicalize().expect("it is in the tree")
}

/// Returns a command that finds the tools in its path, or says that the test is skipped, because `program` cannot be started.
fn installed(program: &str, package: &str) -> Option<Command> {
    if Command::new(program).arg("--version").output().is_err() {
        skip_without(program, package);
        return None;
    }
    let mut command = Command::new(program);
    let path = std::env::var("PATH").expect("there is a path");
    command.env("PATH", format!("{}:{path}", bin().display())).current_dir(editors());
    Some(command)
}

/// Runs a command that must succeed, and returns what it prints to standard output and error.
#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let printed = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{command:?}: {status}\n{printed}");
    printed
}
