//! The jobs of `examples/ci` (spec 11 §5.1).

use std::path::{Path, PathBuf};
use std::process::Command;

use test_support::{Scratch, skip};

/// Stricter than the defaults where that finds mistakes; comments may be as long as those of the project.
const RULES: &str =
    "{extends: default, rules: {line-length: {max: 130}, document-start: disable, truthy: {check-keys: false}}}";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn yaml_for_others_passes_the_linter() {
    let mut linter = Command::new("yamllint");
    linter.args(["--strict", "--format", "parsable", "--config-data", RULES]);
    linter.args(["examples/ci/github.yml", "examples/ci/gitlab.yml", ".pre-commit-hooks.yaml"]);
    let Ok(output) = linter.current_dir(repository()).output() else { return skip("needs yamllint") };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_script_for_any_ci_passes_what_is_formatted_and_without_warnings() {
    let tool = Path::new(env!("CARGO_BIN_EXE_mclc"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", tool.parent().expect("a directory").display());
    let status = |text: &str| {
        let scratch = Scratch::with_files([("main.mcl", text)]);
        let script = repository().join("examples/ci/check.sh");
        let output = Command::new("sh").arg(script).arg(scratch.dir()).env("PATH", &path).output().expect("a shell");
        output.status.code()
    };
    assert_eq!(status("print \"a\" {\n\tmsg => \"b\",\n}\n"), Some(0));
    assert_eq!(status("print \"a\" {\n\tmsg => \"b\"  ,\n}\n"), Some(1));
    assert_eq!(status("$unused = 1\nprint \"a\" {\n\tmsg => \"b\",\n}\n"), Some(1));
    assert_eq!(status("print \"a\" {\n\tmsg => 1,\n}\n"), Some(1));
}
