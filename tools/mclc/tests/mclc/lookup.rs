//! `mclc puppet lookup`, compared with what `puppet lookup` printed.

use std::path::Path;

use serde_json::Value;
use test_support::Scratch;

use crate::command::{Ran, run};

/// Cases whose answers differ for a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("lookup-0124", "keys are symbols of Ruby there"),
    ("lookup-0222", "a sensitive value is never printed"),
    ("lookup-0223", "a sensitive value is never printed"),
    ("lookup-0224", "options that are not a hash are ignored, as for `lookup`; there they crash"),
    ("lookup-0228", "the merge there changes the value that was found"),
    ("lookup-0232", "a type is shown as an object of Ruby there"),
    ("lookup-0235", "a sensitive value is never printed"),
    ("lookup-0238", "a sensitive value is never printed"),
    ("lookup-0239", "options that are not a hash are ignored, as for `lookup`; there they crash"),
    ("lookup-0240", "an error of the configuration is explained, too"),
    ("lookup-0250", "the merge there changes the value that was found"),
    ("lookup-0255", "a sensitive value is never printed"),
    ("lookup-0256", "the merge there changes the value that was found"),
    ("lookup-0278", "the text of another parser of JSON"),
    ("lookup-0279", "the text of another parser of JSON"),
    ("lookup-0280", "the text of another parser of JSON"),
    ("lookup-0281", "the text of another parser of JSON"),
    ("lookup-0282", "the text of another parser of JSON"),
    ("lookup-0283", "the text of another parser of JSON"),
    ("lookup-0285", "the text of another parser of YAML"),
    ("lookup-0287", "the message has the line"),
    ("lookup-0289", "the message has the line"),
    ("lookup-0291", "the message has the line"),
    ("lookup-0293", "an error of the configuration is explained, too"),
    ("lookup-0297", "the message has the line"),
    ("lookup-0303", "an error of the configuration is explained, too"),
    ("lookup-0307", "an error of the configuration is explained, too"),
    ("lookup-0309", "values of eyaml need no gem"),
    ("lookup-0310", "values of eyaml need no gem"),
    ("lookup-0324", "there are facts of the server"),
    ("lookup-0325", "messages of manifests are not output"),
    ("lookup-0326", "messages of manifests are not output"),
    ("lookup-0327", "messages of manifests are not output"),
    ("lookup-0328", "messages of manifests are not output, and there are facts of the server"),
    ("lookup-0329", "messages of manifests are not output"),
    ("lookup-0330", "messages of manifests are not output"),
];

fn recordings() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet")
}

/// An environment and what it was asked.
struct World {
    scratch: Scratch,
    has_global: bool,
    cases: Vec<Value>,
}

fn worlds() -> Vec<World> {
    let text = std::fs::read_to_string(recordings().join("modules/lookup.jsonl")).expect("records");
    let mut worlds: Vec<World> = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        match record["files"].as_object() {
            Some(files) => {
                let bytes = files.iter().map(|(name, text)| (name.as_str(), text.as_str().expect("text").as_bytes()));
                let scratch = Scratch::with_files(bytes);
                worlds.push(World { scratch, has_global: files.contains_key("global/hiera.yaml"), cases: Vec::new() });
            }
            None => worlds.last_mut().expect("a world").cases.push(record),
        }
    }
    worlds
}

fn ask(world: &World, arguments: &[&str]) -> Ran {
    let directory = world.scratch.dir().canonicalize().expect("a directory");
    let path = directory.to_str().expect("UTF-8");
    let facts = recordings().join("facts.yaml");
    let mut args = vec!["puppet", "lookup", "--environment", path, "--node", "agent.example.com", "--facts"];
    args.push(facts.to_str().expect("UTF-8"));
    let global = format!("{path}/global/hiera.yaml");
    if world.has_global {
        args.extend(["--hiera-config", &global]);
    }
    args.extend(arguments);
    let mut ran = run(&directory, &args, b"");
    for text in [&mut ran.stdout, &mut ran.stderr] {
        *text = text.replace(&format!("{path}/"), "").replace(path, ".");
    }
    ran
}

/// Returns what differs from the record. Puppet's exit status is 1 for everything that is wrong.
fn judge(world: &World, record: &Value) -> Option<String> {
    let arguments: Vec<&str> = record["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
    let ran = ask(world, &arguments);
    let is_same = ran.stdout == record["stdout"] && (ran.status == 0) == (record["exit"] == 0);
    // An error always has a message here.
    let is_silent = ran.status != 0 && ran.stderr.is_empty();
    (!is_same || is_silent).then(|| {
        format!(
            "{} {arguments:?}\n--- exit {}\n{}{}--- expected exit {}\n{}",
            record["id"],
            ran.status,
            ran.stdout,
            ran.stderr,
            record["exit"],
            record["stdout"].as_str().unwrap_or_default()
        )
    })
}

#[test]
fn recorded_lookups() {
    let worlds = worlds();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let judge_all = |world: &World| {
            let is_known = |case: &&Value| !DIFFERENT.iter().any(|(id, _)| case["id"] == *id);
            world.cases.iter().filter(is_known).filter_map(|case| judge(world, case)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = worlds.iter().map(|world| scope.spawn(move || judge_all(world))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let count: usize = worlds.iter().map(|world| world.cases.len()).sum();
    assert!(count > 300, "{count} records");
    assert!(failures.is_empty(), "{} of {count} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn differences_are_real() {
    for world in worlds() {
        for case in &world.cases {
            if let Some((id, why)) = DIFFERENT.iter().find(|(id, _)| case["id"] == *id) {
                assert!(judge(&world, case).is_some(), "{id} does not differ any more ({why})");
            }
        }
    }
}

fn scratch(files: &[(&str, &str)]) -> crate::command::Scratch {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    crate::command::Scratch::new(&files)
}

#[test]
fn an_artifact_holds_the_data_of_all_layers() {
    let files = [
        ("global/hiera.yaml", "version: 5\nhierarchy: [{name: g, path: 'g/%{environment}.yaml'}]\n"),
        ("global/data/g/production.yaml", "g: global\nboth: global\n"),
        ("env/hiera.yaml", "version: 5\nhierarchy: [{name: up, path: '../up/%{trusted.certname}.yaml'}]\n"),
        ("env/up/n.yaml", "e: environment\nboth: environment\n"),
        ("env/manifests/site.pp", "notify { lookup('both'): }\n"),
        ("env/modules/m/hiera.yaml", "version: 5\n"),
        ("env/modules/m/data/common.yaml", "m::k: module\n"),
    ];
    let scratch = scratch(&files);
    let ran = scratch.mclc(&["puppet", "env", "--hiera-config", "global/hiera.yaml", "-o", "site.bin"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for directory in ["global", "env"] {
        std::fs::remove_dir_all(scratch.path(directory)).expect("a directory");
    }
    for (key, value) in [("g", "global"), ("e", "environment"), ("m::k", "module"), ("both", "global")] {
        let ran = scratch.mclc(&["puppet", "lookup", "--environment", "site.bin", "--node", "n", key]);
        assert_eq!((ran.status, ran.stdout), (0, format!("--- {value}\n")), "{key} {}", ran.stderr);
    }
    let ran = scratch.mclc(&["puppet", "site.bin", "--node", "n", "--emit", "catalog"]);
    assert!(ran.stdout.contains("\"title\":\"global\""), "{ran:?}");
}

#[test]
fn data_that_an_artifact_cannot_hold_is_an_error() {
    let scratch = scratch(&[
        ("env/hiera.yaml", "version: 5\ndefaults: {datadir: ../shared, data_hash: yaml_data}\n"),
        ("env/manifests/site.pp", ""),
        ("shared/common.yaml", "k: v\n"),
    ]);
    let ran = scratch.mclc(&["puppet", "env", "-o", "site.bin"]);
    assert_ne!(ran.status, 0);
    assert!(ran.stderr.contains("leads to data in `../shared`"), "{ran:?}");
    let ran = scratch.mclc(&["puppet", "lookup", "--environment", "env", "k"]);
    assert_eq!(ran.stdout, "--- v\n", "the administrator may share data between environments: {ran:?}");
}

#[test]
fn a_missing_global_configuration_is_an_error() {
    let scratch = scratch(&[("env/manifests/site.pp", "")]);
    let ran = scratch.mclc(&["puppet", "lookup", "--environment", "env", "--hiera-config", "nosuch.yaml", "k"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.contains("cannot read"), "{ran:?}");
}

#[test]
fn facts_of_a_file_come_before_those_of_this_machine() {
    let scratch = scratch(&[
        ("env/hiera.yaml", "version: 5\n"),
        ("env/data/common.yaml", "k: '%{facts.kernel} %{facts.role}'\n"),
        ("facts.yaml", "role: web\n"),
    ]);
    let lookup = |more: &[&str]| {
        let mut args = vec!["puppet", "lookup", "--environment", "env", "--facts", "facts.yaml", "k"];
        args.extend(more);
        scratch.mclc(&args).stdout
    };
    assert_eq!(lookup(&[]), "--- Linux web\n");
    assert_eq!(lookup(&["--node", "another.example.com"]), "--- \" web\"\n");
}

#[test]
fn wrong_options_are_usage_errors() {
    let scratch = scratch(&[("env/hiera.yaml", "version: 5\n")]);
    for args in [&["k", "--sort-merged-arrays"][..], &["k", "--merge", "nosuch"], &[], &["k", "--render-as", "x"]] {
        let args: Vec<&str> = ["puppet", "lookup", "--environment", "env"].iter().chain(args).copied().collect();
        let ran = scratch.mclc(&args);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{args:?} {ran:?}");
        assert!(!ran.stderr.is_empty());
    }
}
