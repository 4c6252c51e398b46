//! The hooks of `.pre-commit-hooks.yaml`, with the real pre-commit in a repository of a user.

use std::path::Path;
use std::process::{Command, Output};

use test_support::{Scratch, skip};

use crate::support::bin;

/// Runs a command with the tools in its path. The user's configuration of git plays no part.
fn run(directory: &Path, scratch: &Scratch, program: &str, args: &[&str]) -> Output {
    let tools = bin();
    let path = std::env::var("PATH").expect("there is a path");
    Command::new(program)
        .args(args)
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", tools.display()))
        .env("HOME", scratch.dir().join("home"))
        .env("PRE_COMMIT_HOME", scratch.dir().join("cache"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn succeeds(directory: &Path, scratch: &Scratch, program: &str, args: &[&str]) -> String {
    let output = run(directory, scratch, program, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{program} {args:?}: {out}{error}");
    out
}

#[test]
fn a_commit_is_refused_until_its_programs_are_valid_and_formatted() {
    if Command::new("pre-commit").arg("--version").output().is_err() {
        skip("pre-commit (package `pre-commit`) is not installed");
        return;
    }
    let hooks = include_str!("../../../../.pre-commit-hooks.yaml");
    let scratch = Scratch::with_files([("hooks/.pre-commit-hooks.yaml", hooks)]);
    let hooks = scratch.dir().join("hooks");
    for args in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message", "hooks"]] {
        succeeds(&hooks, &scratch, "git", args);
    }
    let revision = succeeds(&hooks, &scratch, "git", &["rev-parse", "HEAD"]);
    let site = scratch.dir().join("site");
    std::fs::create_dir_all(site.join("lib")).expect("writable");
    let write = |name: &str, content: &str| std::fs::write(site.join(name), content).expect("writable");
    let (repository, revision) = (hooks.display(), revision.trim());
    let configuration = format!(
        "repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: mclc-fmt-system
      - id: mclc-check-system
        args: [--deny, warnings]
"
    );
    write(".pre-commit-config.yaml", &configuration);
    succeeds(&site, &scratch, "git", &["init", "--quiet"]);
    succeeds(&site, &scratch, "pre-commit", &["install"]);
    write("metadata.yaml", "main: start.mcl\n");
    write("start.mcl", "import \"lib/web.mcl\"\ninclude web.nginx\n");
    write("lib/web.mcl", "class   nginx {}\n");
    let commit = |message: &str| {
        succeeds(&site, &scratch, "git", &["add", "--all"]);
        run(&site, &scratch, "git", &["commit", "--message", message])
    };
    // The formatter changes a file, so the commit is refused; the second one contains the change.
    let refused = commit("unformatted");
    let printed = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert!(!refused.status.success() && printed.contains("lib/web.mcl"), "{printed}");
    assert_eq!(std::fs::read_to_string(site.join("lib/web.mcl")).expect("it is there"), "class nginx {}\n");
    assert!(commit("formatted").status.success());
    // Only the library is committed, and the error is in the program that it is part of.
    write("lib/web.mcl", "class apache {}\n");
    let refused = commit("renamed");
    let printed = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert!(!refused.status.success() && printed.contains("start.mcl:2:9") && printed.contains("E0604"), "{printed}");
    let log = succeeds(&site, &scratch, "git", &["log", "--format=%s"]);
    assert_eq!(log, "formatted\n");
}
