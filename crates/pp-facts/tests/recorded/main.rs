//! The facts of some 140 machines, compared with what Facter 4.3 said about the same files, interfaces and kernels
//! (tests/puppet/facts).

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pp_facts::{Address, FactSet, Link, Machine, NetworkState, ProcessState, Route, Uname, gather};
use pp_types::Value;
use serde_json::Value as Json;

/// Where the facts are meant to differ: how the name of the machine and the path of the fact start, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("", "hardwareisa", "the recorder stood in for `uname`, whose authors and distributions disagree about it"),
    ("", "processors.isa", "as above"),
    ("misc-chassis-x", "chassistype", "Facter takes what is not a number for -1"),
    ("misc-chassis-x", "dmi.chassis", "as above"),
    ("debian12-kvm", "is_virtual", "the firmware says QEMU; Facter asks `virt-what`, which was missing"),
    ("debian12-kvm", "virtual", "as above"),
    ("ubuntu", "is_virtual", "as above"),
    ("ubuntu", "virtual", "as above"),
    ("virtual-qemu", "is_virtual", "as above"),
    ("virtual-qemu", "virtual", "as above"),
    ("virtual-openstack", "is_virtual", "as above"),
    ("virtual-openstack", "virtual", "as above"),
    ("virtual-docker-cgroup", "system_uptime", "Facter asks `ps` for the age of process 1 of a container"),
    ("virtual-docker-cgroup", "uptime", "as above"),
    ("virtual-docker-slice", "", "a container of cgroup version 2, which Facter takes for a physical machine"),
    ("virtual-containerd", "", "as above"),
    ("virtual-kubepods", "", "as above"),
    ("virtual-lxc-", "", "as above"),
    ("virtual-crio-env", "", "a kind of container that Facter 4.3 does not know"),
    ("virtual-oci-env", "", "as above"),
    ("virtual-other-env", "", "as above"),
    ("virtual-podman-env", "", "as above"),
];

/// What Facter does not have: the start of the machine's name and of the fact's path, and why.
const ADDITIONS: &[(&str, &str, &str)] = &[
    ("", "identity", "not recorded"),
    ("", "timezone", "not recorded"),
    ("", "hypervisors.kvm", "follows from `virtual`"),
    ("cumulus", "", "the version in `os-release`"),
    ("elementary", "", "as above"),
    ("unknown-debian", "", "as above"),
    ("unknown-suse", "os.distro", "as above"),
    ("", "lsb", "Facter has some only where `lsb_release` is installed"),
    ("misc-", "processor", "single processors have names wherever `processors.models` does"),
    ("virtual-hyperv", "cloud", "the firmware says Azure"),
];

/// One recorded machine.
struct Recorded {
    name: String,
    files: BTreeMap<String, Json>,
    machine: Json,
}

fn recorded() -> Vec<Recorded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/facts/machines.jsonl");
    let text = std::fs::read_to_string(path).expect("the recorded machines");
    let mut rows = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let files = |row: &Json| -> BTreeMap<String, Json> {
        row["files"].as_object().expect("files").iter().map(|(path, text)| (path.clone(), text.clone())).collect()
    };
    let common = files(&rows.next().expect("the files that the machines have in common"));
    rows.map(|row| {
        let mut all = common.clone();
        all.extend(files(&row));
        all.retain(|_, text| !text.is_null());
        Recorded { name: row["name"].as_str().expect("a name").to_owned(), files: all, machine: row }
    })
    .collect()
}

/// Makes the files of a machine below a directory.
fn build(recorded: &Recorded, root: &Path) -> Machine {
    for (path, text) in &recorded.files {
        let path = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
        let bytes = match (text.as_str(), text["base64"].as_str()) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(base64)) => STANDARD.decode(base64).expect("Base64"),
            (None, None) => panic!("{}: the content of {}", recorded.name, path.display()),
        };
        std::fs::write(path, bytes).expect("writable");
    }
    let text = |value: &Json| value.as_str().expect("a string").to_owned();
    let list = |key: &str| recorded.machine[key].as_array().cloned().unwrap_or_default();
    let number = |value: &Json| u32::try_from(value.as_u64().expect("a number")).expect("a small number");
    let links = list("links").into_iter().map(|link| Link {
        name: text(&link["name"]),
        index: number(&link["index"]),
        mac: link["mac"].as_str().map(str::to_owned),
        mtu: Some(number(&link["mtu"])),
    });
    let inet6 = recorded.files.get("/proc/net/if_inet6").and_then(Json::as_str).unwrap_or_default();
    let addresses = list("addresses").into_iter().map(|address| {
        let ip: std::net::IpAddr = text(&address[1]).parse().expect("an address");
        let hex = match ip {
            std::net::IpAddr::V6(ip) => format!("{:032x}", u128::from(ip)),
            std::net::IpAddr::V4(_) => "-".to_owned(),
        };
        let line = inet6.lines().find(|line| line.starts_with(&hex));
        let flags = line.and_then(|line| u8::from_str_radix(line.split_whitespace().nth(4)?, 16).ok());
        let prefix = u8::try_from(number(&address[2])).expect("a prefix");
        Address { label: text(&address[0]), ip, prefix, flags: flags.unwrap_or(0) }
    });
    let routes = list("routes").into_iter().map(|route| Route {
        interface: text(&route[0]),
        is_v4: route[1].as_bool().expect("a boolean"),
        is_default: true,
        metric: number(&route[2]),
    });
    let network = NetworkState { links: links.collect(), addresses: addresses.collect(), routes: routes.collect() };
    let uname = &recorded.machine["uname"];
    let [system, node, release, machine] = [0, 1, 2, 3].map(|index| text(&uname[index]));
    let process = ProcessState::default();
    Machine::with_root(root, Uname { system, node, release, machine }, network, process)
}

/// Collects the leaves of a value by their dotted paths.
fn leaves(path: &str, value: &Json, out: &mut BTreeMap<String, String>) {
    match value {
        Json::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, value)| leaves(&format!("{path}.{name}"), value, out));
        }
        // Lists of names are in the order of a directory.
        Json::String(text) if path == "blockdevices" => {
            let mut names: Vec<&str> = text.split(',').collect();
            names.sort_unstable();
            out.insert(path.to_owned(), names.join(","));
        }
        value => {
            out.insert(path.to_owned(), value.to_string());
        }
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(boolean) => Json::from(*boolean),
        Value::Integer(integer) => Json::from(*integer),
        Value::Float(float) => Json::from(float.0),
        Value::String(text) => Json::from(&**text),
        Value::Array(array) => array.iter().map(json).collect(),
        Value::Hash(hash) => {
            hash.iter().map(|(key, value)| (json(key).as_str().expect("a name").to_owned(), json(value))).collect()
        }
        other => panic!("not a value of a fact: {other:?}"),
    }
}

fn differences(name: &str, facts: &FactSet, facter: &Json) -> Vec<String> {
    let (mut ours, mut theirs) = (BTreeMap::new(), BTreeMap::new());
    facts.iter().for_each(|(name, fact)| leaves(name, &json(&fact.value), &mut ours));
    facter.as_object().expect("facts").iter().for_each(|(name, value)| leaves(name, value, &mut theirs));
    let is_meant =
        |path: &str| DIFFERENCES.iter().any(|(machine, start, _)| name.starts_with(machine) && path.starts_with(start));
    let is_added =
        |path: &str| ADDITIONS.iter().any(|(machine, start, _)| name.starts_with(machine) && path.starts_with(start));
    let wrong = theirs.iter().filter(|(path, value)| ours.get(*path) != Some(value) && !is_meant(path));
    let mut wrong: Vec<String> =
        wrong.map(|(path, value)| format!("{name}: {path}: facter {value}, found {:?}", ours.get(path))).collect();
    let more = ours.iter().filter(|(path, _)| !theirs.contains_key(*path) && !is_added(path) && !is_meant(path));
    wrong.extend(more.map(|(path, value)| format!("{name}: {path}: facter does not have it, found {value}")));
    wrong
}

#[test]
fn facts_are_those_of_facter() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for recorded in recorded() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let facts = gather(&build(&recorded, root.path()));
        if recorded.machine["facts"].is_object() {
            compared += 1;
            wrong.extend(differences(&recorded.name, &facts, &recorded.machine["facts"]));
        }
    }
    assert!(compared > 120, "only {compared} machines have facts to compare with");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files_that_are_cut_off_anywhere_do_no_harm() {
    for recorded in recorded().iter().step_by(7) {
        let root = tempfile::tempdir().expect("a temporary directory");
        let machine = build(recorded, root.path());
        for (number, path) in recorded.files.keys().enumerate() {
            let path = root.path().join(path.trim_start_matches('/'));
            let bytes = std::fs::read(&path).expect("readable");
            let mut cut = bytes[..bytes.len() * (number % 5) / 5].to_vec();
            cut.extend_from_slice(b"\xff\0=:\n");
            std::fs::write(&path, cut).expect("writable");
        }
        let facts = gather(&machine);
        assert!(facts.get("kernel").is_some(), "{}", recorded.name);
    }
}
