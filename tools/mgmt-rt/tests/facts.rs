//! `mgmt-rt facts` as a user runs it.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mgmt-rt"));
    command.arg("facts").args(arguments).env("FACTER_role", "web").output().expect("mgmt-rt runs")
}

fn text(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stdout).expect("UTF-8")
}

#[test]
fn one_fact_is_printed_alone_and_several_with_names() {
    assert_eq!(text(&["kernel"]), "Linux\n");
    assert_eq!(text(&["role", "nosuch", "kernel"]), "kernel => Linux\nnosuch => \nrole => web\n");
    assert_eq!(text(&["--json", "identity.uid", "nosuch"]).lines().count(), 4);
}

#[test]
fn a_missing_fact_is_an_error_if_asked_for() {
    assert_eq!(run(&["nosuch"]).status.code(), Some(0));
    assert_eq!(run(&["nosuch", "--strict"]).status.code(), Some(1));
    assert_eq!(run(&["--bogus"]).status.code(), Some(2));
}

#[test]
fn legacy_names_are_shown_on_request() {
    let shown = |arguments: &[&str]| text(arguments).lines().any(|line| line.starts_with("hardwaremodel => "));
    assert!(!shown(&[]) && shown(&["--show-legacy"]));
}

/// Facts that change while the two programs run, and those of Ruby.
fn is_comparable(path: &str) -> bool {
    const OTHER: [&str; 9] =
        ["ruby", "memory", "load_averages", "system_uptime", "uptime", "swap", "mountpoints", "augeas", "path"];
    !OTHER.iter().any(|start| path.starts_with(start))
}

fn leaves(path: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Null => {}
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| {
                leaves(&format!("{path}{}{name}", if path.is_empty() { "" } else { "." }), value, out)
            });
        }
        value => out.push((path.to_owned(), value.to_string())),
    }
}

#[test]
fn facts_are_those_of_an_installed_facter() {
    let Ok(facter) = Command::new("facter").args(["--json", "--show-legacy"]).env("FACTER_role", "web").output() else {
        test_support::skip("facter is not installed");
        return;
    };
    let parse = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).expect("JSON");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    leaves("", &parse(&run(&["--json", "--show-legacy"]).stdout), &mut ours);
    leaves("", &parse(&facter.stdout), &mut theirs);
    // Without `virt-what` it takes most virtual machines for physical ones (docs/facts.md).
    let finds_no_hypervisor = theirs.contains(&("virtual".to_owned(), "\"physical\"".to_owned()));
    let is_comparable =
        |path: &str| is_comparable(path) && !(finds_no_hypervisor && matches!(path, "virtual" | "is_virtual"));
    let wrong: Vec<String> = theirs
        .iter()
        .filter(|(path, _)| is_comparable(path))
        .filter_map(|(path, value)| {
            let found = ours.iter().find(|(known, _)| known == path).map(|(_, value)| value);
            (found != Some(value)).then(|| format!("{path}: facter {value}, found {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(theirs.len() > 50, "{theirs:?}");
}
