//! The example of docs/migration.md with a real module: each console block gives what it shows, as an ordinary user.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use test_support::skip;

use crate::support::{bin, is_root};

/// The account that has no rights, by its number.
const NOBODY: u32 = 65534;

/// The commands in the console blocks of a section, with the output below each.
fn commands(document: &str, section: &str) -> Vec<(String, String)> {
    let section = document.split("\n## ").find(|part| part.contains(section)).expect("the section");
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in section.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("output before the first command: {line}"),
            }
        }
    }
    commands
}

/// Copies a directory; paths in its files that begin with `/SCRATCH` are below another one.
fn copy(from: &Path, to: &Path, scratch: &str) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a directory").map(|entry| entry.expect("readable")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target, scratch);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            std::fs::write(&target, text.replace("/SCRATCH", scratch)).expect("writable");
        }
    }
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).expect("root may do that");
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a directory") {
            give_away(&entry.expect("readable").path());
        }
    }
}

#[test]
fn a_real_module_is_compiled_applied_and_one_class_moves_to_mcl() {
    let Some(modules) = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from) else {
        return skip("MCL_PUPPET_MODULES does not name a directory of modules");
    };
    let root = tempfile::tempdir().expect("a temporary directory");
    let machine = root.path().join("machine");
    let scratch = machine.to_str().expect("UTF-8").to_owned();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    copy(&top.join("examples/migration"), root.path(), &scratch);
    // Another user may not be able to read the directories of the tools and of the modules.
    for module in ["ntp", "stdlib"] {
        copy(&modules.join(module), &root.path().join("modules").join(module), &scratch);
    }
    let tools = root.path().join("bin");
    for directory in [&tools, &machine] {
        std::fs::create_dir(directory).expect("writable");
    }
    for tool in ["mclc", "mgmt-rt"] {
        std::fs::copy(bin().join(tool), tools.join(tool)).expect("the tool is built");
    }
    std::fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).expect("our own directory");
    if is_root() {
        give_away(root.path());
    }
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let duration = Regex::new(r"\([0-9.]+ m?s\)").expect("valid");
    let document = std::fs::read_to_string(top.join("docs/migration.md")).expect("the document");
    let commands = commands(&document, "An example with a real module");
    assert!(commands.len() > 10, "{} commands", commands.len());
    for (line, expected) in commands {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{{ {}; }} 2>&1", line.replace("/SCRATCH", &scratch))]);
        command.current_dir(root.path()).env("PATH", &path).env("NO_COLOR", "1").env("HOME", root.path());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().expect("sh starts");
        let shown = String::from_utf8_lossy(&output.stdout).replace(&scratch, "/SCRATCH");
        let shown = duration.replace_all(&shown, "(0.1 s)");
        assert_eq!(shown, expected, "$ {line}");
    }
}
