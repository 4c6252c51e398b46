//! Real modules, compiled here and by a real Puppet: the share of drivers whose catalog or refusal is the same.
//!
//! `MCL_PUPPET_MODULES` names a directory of modules; `.ci/puppet-modules` makes one of Debian's packages.
//! `RUNS_FACTOR=20 cargo test -p pp-environment --test differential modules -- --nocapture` prints the causes of differences by the
//! number of drivers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcl_diagnostics::Severity;
use pp_environment::{Facts, Input, compile_path, find};
use serde_json::{Value, json};
use test_support::{Rng, Scratch, seeds, skip};

use crate::drivers::{driver, subjects};
use crate::reference::{Answer, Reference};
use crate::{FACTS, NODE, catalog};

/// The share of drivers that must agree, in percent: a little less than measured. Raise it with every cause that is removed.
const MIN_AGREEMENT: usize = 85;

/// What custom facts of the modules give on any machine, and the older names of facts, which modules still read.
fn common_facts() -> Value {
    json!({
        "os_service_default": "<SERVICE DEFAULT>",
        "os_workers": 2,
        "os_workers_small": 2,
        "os_workers_large": 2,
        "os_package_type": "debian",
        "root_home": "/root",
        "service_provider": "systemd",
        "package_provider": "apt",
        "puppet_vardir": "/var/cache/puppet",
        "puppetversion": "7.23.0",
        "systemd": true,
        "systemd_version": "252",
        "iptables_version": "1.8.9",
        "fqdn": "agent.example.com",
        "hostname": "agent",
        "domain": "example.com",
        "ipaddress": "192.0.2.10",
        "architecture": "amd64",
        "hardwaremodel": "x86_64",
        "memorysize_mb": "4096",
        "processorcount": 2,
        "path": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    })
}

fn debian() -> Value {
    json!({
        "osfamily": "Debian",
        "operatingsystem": "Debian",
        "operatingsystemrelease": "12.5",
        "operatingsystemmajrelease": "12",
        "lsbdistcodename": "bookworm",
        "lsbdistid": "Debian",
        "lsbmajdistrelease": "12",
    })
}

fn red_hat() -> Value {
    json!({
        "os": {
            "architecture": "x86_64",
            "family": "RedHat",
            "hardware": "x86_64",
            "name": "CentOS",
            "release": { "full": "8.5", "major": "8", "minor": "5" },
            "selinux": { "enabled": true, "current_mode": "enforcing" },
        },
        "architecture": "x86_64",
        "os_package_type": "rpm",
        "osfamily": "RedHat",
        "operatingsystem": "CentOS",
        "operatingsystemrelease": "8.5",
        "operatingsystemmajrelease": "8",
        "package_provider": "dnf",
        "selinux": true,
    })
}

/// Writes the facts of a system to a file.
fn facts_file(scratch: &Scratch, name: &str, more: &[Value]) -> PathBuf {
    let text = std::fs::read_to_string(FACTS).expect("facts");
    let (_, text) = text.split_once('\n').expect("lines");
    let mut facts: Value = serde_norway::from_str(text).expect("YAML");
    for (key, value) in more.iter().filter_map(Value::as_object).flatten() {
        facts["values"][key] = value.clone();
    }
    scratch.write(name, facts.to_string());
    scratch.path(name)
}

/// Compiles a driver in this process.
fn compile(manifest: &Path, modules: &Path, facts: &Path) -> Answer {
    let facts = Facts::read(facts).expect("facts");
    let options = pp_environment::node_options(Some(NODE), facts);
    let compiled = match compile_path(manifest, &[modules.to_owned()], &options) {
        Ok(compiled) => compiled,
        Err(error) => return Answer { error: Some(error.message), ..Answer::default() },
    };
    let error = compiled.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let catalog = compiled.catalog.map(|catalog| catalog.to_json(0, "").expect("JSON"));
    Answer {
        catalog: catalog.as_ref().map(catalog::essence),
        error: error.map(|error| error.message.clone()),
        ..Answer::default()
    }
}

/// Writes the facts of two systems to files.
pub(crate) fn systems(scratch: &Scratch) -> [PathBuf; 2] {
    [
        facts_file(scratch, "debian.json", &[common_facts(), debian()]),
        facts_file(scratch, "redhat.json", &[common_facts(), red_hat()]),
    ]
}

/// Returns the cause of a difference, the same for all drivers with that cause, and what differs.
fn difference(ours: &Answer, theirs: &Answer) -> Option<(String, String)> {
    match (&ours.error, &theirs.error) {
        (Some(ours), None) => Some((format!("refused: {}", first_line(ours)), String::new())),
        // Two refusals for different reasons would agree by accident.
        (Some(ours), Some(theirs)) if ours.starts_with("Unknown function") && !theirs.contains("Unknown function") => {
            Some((format!("refused: {}", first_line(ours)), theirs.clone()))
        }
        (None, Some(theirs)) => Some((format!("accepted; Puppet: {}", without_location(theirs)), String::new())),
        (Some(_), Some(_)) => None,
        (None, None) => {
            let what = catalog::difference(ours.catalog.as_ref()?, theirs.catalog.as_ref()?)?;
            let cause = what.split(['[', '(']).next().unwrap_or_default();
            Some((format!("catalog: {cause}"), what))
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

fn without_location(text: &str) -> String {
    first_line(text.split(" (file:").next().unwrap_or_default())
}

#[test]
fn real_modules_compile_to_what_puppet_makes_of_them() {
    let Some(modules) = std::env::var_os("MCL_PUPPET_MODULES").map(PathBuf::from) else {
        return skip("MCL_PUPPET_MODULES does not name a directory of modules");
    };
    let Some(mut reference) = Reference::start(FACTS) else { return };
    let scratch = Scratch::new();
    let systems = systems(&scratch);
    let manifest = scratch.path("site.pp");
    scratch.write("site.pp", "");
    let found = find(&Input::Manifest(manifest.clone()), std::slice::from_ref(&modules)).expect("a module path");
    let subjects = subjects(&found.modules);
    assert!(subjects.len() > 100, "{} classes and defines", subjects.len());
    let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut agreed, mut total) = (0, 0);
    for seed in seeds(60) {
        let mut rng = Rng::with_seed(seed);
        let facts = &systems[usize::from(rng.u8(..4) == 0)];
        let code = driver(&subjects, &mut rng);
        let theirs = reference.compile_with_modules(&code, &modules, facts);
        if theirs.is_crash {
            continue;
        }
        scratch.write("site.pp", &code);
        let ours = compile(&manifest, &modules, facts);
        total += 1;
        match difference(&ours, &theirs) {
            None => agreed += 1,
            Some((cause, what)) => {
                causes.entry(cause).or_default().push(format!("SEED={seed} {}{what}", code.replace('\n', " ")));
            }
        }
    }
    let mut causes: Vec<(String, Vec<String>)> = causes.into_iter().collect();
    causes.sort_by_key(|(_, drivers)| std::cmp::Reverse(drivers.len()));
    for (cause, drivers) in &causes {
        eprintln!("{} {cause}\n    {}", drivers.len(), drivers[0]);
    }
    eprintln!("{agreed} of {total} drivers agree");
    assert!(agreed * 100 >= total * MIN_AGREEMENT, "{agreed} of {total} drivers agree");
}
