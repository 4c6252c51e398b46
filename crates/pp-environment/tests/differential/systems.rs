//! The facts of several systems, as modules look at them.

use std::path::PathBuf;

use serde_json::{Value, json};
use test_support::Scratch;

use crate::FACTS;

/// What custom facts of the modules give on any machine, and the older names of facts, which modules still read.
fn common_facts() -> Value {
    json!({
        "os_service_default": "<SERVICE DEFAULT>",
        "os_workers": 2,
        "os_workers_small": 2,
        "os_workers_large": 2,
        "root_home": "/root",
        "service_provider": "systemd",
        "puppet_vardir": "/var/cache/puppet",
        "puppetversion": "7.23.0",
        "systemd": true,
        "systemd_version": "252",
        "iptables_version": "1.8.9",
        "fqdn": "agent.example.com",
        "hostname": "agent",
        "domain": "example.com",
        "ipaddress": "192.0.2.10",
        "memorysize_mb": "4096",
        "processorcount": 2,
        "path": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    })
}

/// A system: family, name, release, and the name of the release.
struct System(&'static str, &'static str, &'static str, Option<&'static str>);

/// The systems. The first ones are those that most modules support.
const SYSTEMS: [System; 9] = [
    System("Debian", "Debian", "12.5", Some("bookworm")),
    System("RedHat", "CentOS", "8.5", None),
    System("Debian", "Debian", "11.9", Some("bullseye")),
    System("Debian", "Ubuntu", "22.04", Some("jammy")),
    System("Debian", "Ubuntu", "18.04", Some("bionic")),
    System("RedHat", "CentOS", "7.9", None),
    System("RedHat", "Rocky", "9.3", None),
    System("Suse", "SLES", "15.4", None),
    System("Archlinux", "Archlinux", "rolling", None),
];

impl System {
    fn facts(&self) -> Value {
        let System(family, name, release, code) = *self;
        let is_debian = family == "Debian";
        let (architecture, package, provider) = match family {
            "Debian" => ("amd64", "debian", "apt"),
            "Suse" => ("x86_64", "rpm", "zypper"),
            "Archlinux" => ("x86_64", "unknown", "pacman"),
            _ => ("x86_64", "rpm", if release.starts_with('7') { "yum" } else { "dnf" }),
        };
        // A release of Ubuntu is its year and month.
        let major = if name == "Ubuntu" { release } else { release.split('.').next().unwrap_or(release) };
        let minor = release.split('.').nth(1);
        let mut facts = json!({
            "os": {
                "architecture": architecture,
                "family": family,
                "hardware": "x86_64",
                "name": name,
                "release": { "full": release, "major": major },
                "selinux": { "enabled": !is_debian },
            },
            "architecture": architecture,
            "hardwaremodel": "x86_64",
            "os_package_type": package,
            "osfamily": family,
            "operatingsystem": name,
            "operatingsystemrelease": release,
            "operatingsystemmajrelease": major,
            "package_provider": provider,
            "selinux": !is_debian,
        });
        if let Some(minor) = minor.filter(|_| name != "Ubuntu") {
            facts["os"]["release"]["minor"] = minor.into();
        }
        if !is_debian {
            facts["os"]["selinux"]["current_mode"] = "enforcing".into();
        }
        if let Some(code) = code {
            facts["os"]["distro"] = json!({
                "codename": code, "id": name, "description": format!("{name} {release}"),
                "release": { "full": release, "major": major },
            });
            facts["lsbdistcodename"] = code.into();
            facts["lsbdistid"] = name.into();
            facts["lsbdistrelease"] = release.into();
            facts["lsbmajdistrelease"] = major.into();
        }
        facts
    }
}

/// Writes the facts of each system to a file.
pub fn facts_files(scratch: &Scratch) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(FACTS).expect("facts");
    let (_, text) = text.split_once('\n').expect("lines");
    let base: Value = serde_norway::from_str(text).expect("YAML");
    let write = |(index, system): (usize, &System)| {
        let mut facts = base.clone();
        for (key, value) in [common_facts(), system.facts()].iter().filter_map(Value::as_object).flatten() {
            facts["values"][key] = value.clone();
        }
        let name = format!("system{index}.json");
        scratch.write(&name, facts.to_string());
        scratch.path(name)
    };
    SYSTEMS.iter().enumerate().map(write).collect()
}
