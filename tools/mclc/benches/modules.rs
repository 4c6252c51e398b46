//! The whole process of `mclc puppet --emit catalog` for a role that uses ten public modules, and how many times as long
//! `puppet catalog compile` takes for it in the same run. Both gather the facts of this machine. Then `mclc check` of all
//! manifests of the modules, with its lints, against `puppet parser validate`, which only parses them.
//!
//! `.ci/puppet-modules DIR; MCL_PUPPET_MODULES=DIR/modules cargo bench -p mclc --bench modules`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use test_support::{Scratch, min_time, ratio, skip};

/// What a server with a web site and a database has.
const ROLE: &str = include_str!("role.pp");

/// The promises about the role.
const MAX_TIME: Duration = Duration::from_millis(100);
const MIN_RATIO: f64 = 50.0;

/// The promise about checking: how many times as long Puppet takes.
const MIN_CHECK_RATIO: f64 = 10.0;

fn compile(manifest: &Path, modules: &Path) -> Duration {
    min_time(20, || {
        let output = Command::new(env!("CARGO_BIN_EXE_mclc"))
            .arg("puppet")
            .arg(manifest)
            .args(["--emit", "catalog", "--node", "agent.example.com", "--modulepath"])
            .arg(modules)
            .stdout(Stdio::null())
            .output()
            .expect("mclc starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    })
}

/// Compiles the role with Puppet; `None` where that does not work.
fn compile_with_puppet(manifest: &Path, modules: &Path, state: &Path) -> Option<Duration> {
    let run = || {
        Command::new("puppet")
            .args(["catalog", "compile", "--render-as", "rich_data_json", "--log_level", "err", "--manifest"])
            .arg(manifest)
            .args(["--certname", "agent.example.com", "--modulepath"])
            .arg(modules)
            .arg("--vardir")
            .arg(state)
            .arg("--confdir")
            .arg(state)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
    };
    let mut works = true;
    let time = min_time(2, || works &= run().is_ok_and(|status| status.success()));
    works.then_some(time)
}

/// Lists the manifests of all modules.
fn manifests(modules: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending: Vec<PathBuf> = std::fs::read_dir(modules)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("manifests"))
        .collect();
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pp") {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Runs a command over the manifests; `None` where it does not start. Errors in old modules do not matter.
fn over(manifests: &[PathBuf], program: &str, args: &[&str], rounds: usize) -> Option<Duration> {
    let run = || Command::new(program).args(args).args(manifests).stdin(Stdio::null()).output();
    let mut starts = true;
    let time = min_time(rounds, || starts &= run().is_ok_and(|output| matches!(output.status.code(), Some(0 | 1))));
    starts.then_some(time)
}

/// Prints how long checking takes; returns whether the promise is kept.
fn check(modules: &Path, state: &Path) -> bool {
    let manifests = manifests(modules);
    let Some(time) = over(&manifests, env!("CARGO_BIN_EXE_mclc"), &["check", "--format", "short"], 5) else {
        println!("`mclc check` does not start");
        return false;
    };
    println!("checking {} manifests: {time:.2?}", manifests.len());
    let state = state.to_string_lossy();
    let Some(puppet) = over(&manifests, "puppet", &["parser", "validate", "--vardir", &state, "--confdir", &state], 2)
    else {
        println!("Puppet is not installed: nothing to compare with");
        return true;
    };
    let ratio = ratio(puppet, time);
    println!("`puppet parser validate` takes {puppet:.2?}, {ratio:.0} times as long (at least {MIN_CHECK_RATIO:.0})");
    ratio >= MIN_CHECK_RATIO
}

fn main() {
    let Some(modules) = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from) else {
        return skip("MCL_PUPPET_MODULES does not name a directory of modules");
    };
    let scratch = Scratch::with_files([("role.pp", ROLE), ("empty.pp", "")]);
    let (role, empty) = (scratch.path("role.pp"), scratch.path("empty.pp"));
    let time = compile(&role, &modules);
    println!("an empty manifest: {:.2?}", compile(&empty, &modules));
    println!("a role with ten modules: {time:.2?} (at most {MAX_TIME:?})");
    let mut is_kept = time <= MAX_TIME;
    match compile_with_puppet(&role, &modules, scratch.dir()) {
        Some(puppet) => {
            let ratio = ratio(puppet, time);
            println!("Puppet takes {puppet:.2?}, {ratio:.0} times as long (at least {MIN_RATIO:.0})");
            is_kept &= ratio >= MIN_RATIO;
        }
        None => println!("Puppet is not installed, or does not compile the role"),
    }
    is_kept &= check(&modules, scratch.dir());
    assert!(is_kept, "a promise is broken");
}
