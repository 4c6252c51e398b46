//! The facts of this machine that are known without Facter: kernel, host name, operating system (spec 07 §5.15).

use std::path::Path;

use pp_types::{Hash, Value};
use rustix::system::uname;

use crate::facts::Facts;
use crate::read::read_file;

/// Operating system families, by the ids that `os-release` uses for a distribution or what it is like.
const FAMILIES: &[(&str, &str)] = &[
    ("alpine", "Alpine"),
    ("amzn", "RedHat"),
    ("arch", "Archlinux"),
    ("centos", "RedHat"),
    ("debian", "Debian"),
    ("fedora", "RedHat"),
    ("gentoo", "Gentoo"),
    ("rhel", "RedHat"),
    ("sles", "Suse"),
    ("suse", "Suse"),
    ("ubuntu", "Debian"),
];

/// Distributions whose name as a fact differs from their id with a capital letter.
const NAMES: &[(&str, &str)] = &[
    ("almalinux", "AlmaLinux"),
    ("amzn", "Amazon"),
    ("arch", "Archlinux"),
    ("centos", "CentOS"),
    ("linuxmint", "LinuxMint"),
    ("ol", "OracleLinux"),
    ("opensuse-leap", "OpenSuSE"),
    ("rhel", "RedHat"),
    ("sles", "SLES"),
];

/// The files that the facts of this machine depend on.
pub const HOST_FACT_FILES: &[&str] =
    &["/etc/os-release", "/usr/lib/os-release", "/etc/debian_version", "/etc/hostname"];

/// Returns the facts of this machine.
#[must_use]
pub fn host_facts() -> Facts {
    let kernel = uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let release = ["/etc/os-release", "/usr/lib/os-release"]
        .into_iter()
        .find_map(|path| read_file(Path::new(path)).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let debian_version = read_file(Path::new("/etc/debian_version")).ok();
    let machine = Machine {
        system: text(kernel.sysname()),
        release: text(kernel.release()),
        name: text(kernel.nodename()),
        hardware: text(kernel.machine()),
        os_release: release,
        debian_version: debian_version.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()),
    };
    machine.facts()
}

/// What the facts are computed from.
struct Machine {
    system: String,
    release: String,
    name: String,
    hardware: String,
    os_release: String,
    debian_version: Option<String>,
}

impl Machine {
    fn facts(&self) -> Facts {
        let (host, domain) = self.name.split_once('.').unwrap_or((&self.name, ""));
        let version = self.release.split('-').next().unwrap_or_default();
        let major = version.split('.').take(2).collect::<Vec<_>>().join(".");
        let os = self.operating_system();
        let id = os_release(&self.os_release, "ID").unwrap_or_default();
        let architecture = match (self.hardware.as_str(), os.family) {
            ("x86_64", "Debian") => "amd64",
            ("aarch64", "Debian") => "arm64",
            (hardware, _) => hardware,
        };
        let mut distribution = vec![
            ("architecture", Value::from(architecture)),
            ("family", Value::from(os.family)),
            ("hardware", Value::from(&*self.hardware)),
            ("name", Value::from(&*os.name)),
        ];
        let mut facts = vec![
            ("kernel", Value::from(&*self.system)),
            ("kernelrelease", Value::from(&*self.release)),
            ("kernelversion", Value::from(version)),
            ("kernelmajversion", Value::from(&*major)),
        ];
        let mut networking = vec![("fqdn", Value::from(&*self.name)), ("hostname", Value::from(host))];
        if !domain.is_empty() {
            networking.push(("domain", Value::from(domain)));
            facts.push(("domain", Value::from(domain)));
        }
        if let Some(version) = self.os_version(&id) {
            let major = version.split('.').next().unwrap_or_default().to_owned();
            let mut release = vec![("full", Value::from(&*version)), ("major", Value::from(&*major))];
            if let Some(minor) = version.split('.').nth(1) {
                release.push(("minor", Value::from(minor)));
            }
            distribution.push(("release", hash(release)));
            facts.push(("operatingsystemrelease", Value::from(&*version)));
            facts.push(("operatingsystemmajrelease", Value::from(&*major)));
        }
        facts.extend([
            ("os", hash(distribution)),
            ("networking", hash(networking)),
            ("architecture", Value::from(architecture)),
            ("fqdn", Value::from(&*self.name)),
            ("hardwaremodel", Value::from(&*self.hardware)),
            ("hostname", Value::from(host)),
            ("operatingsystem", Value::from(&*os.name)),
            ("osfamily", Value::from(os.family)),
        ]);
        let values = facts.into_iter().map(|(name, value)| (Value::from(name), value)).collect();
        Facts { node: Some(self.name.to_lowercase().into()), values }
    }

    /// Returns the version of the operating system. Debian has its minor version in a file of its own.
    fn os_version(&self, id: &str) -> Option<String> {
        let is_number = |version: &String| version.starts_with(|first: char| first.is_ascii_digit());
        let debian = self.debian_version.clone().filter(|version| id == "debian" && is_number(version));
        debian.or_else(|| os_release(&self.os_release, "VERSION_ID"))
    }

    fn operating_system(&self) -> OperatingSystem {
        let id = os_release(&self.os_release, "ID").unwrap_or_default();
        let like = os_release(&self.os_release, "ID_LIKE").unwrap_or_default();
        let of =
            |table: &[(&str, &'static str)], id: &str| table.iter().find(|(known, _)| *known == id).map(|(_, v)| *v);
        let family = std::iter::once(id.as_str()).chain(like.split_whitespace()).find_map(|id| of(FAMILIES, id));
        let mut letters = id.chars();
        let capitalized = letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str());
        let name = of(NAMES, &id).map(str::to_owned).or(capitalized).unwrap_or_else(|| self.system.clone());
        OperatingSystem { name, family: family.unwrap_or("Linux") }
    }
}

struct OperatingSystem {
    name: String,
    family: &'static str,
}

fn hash(entries: Vec<(&str, Value)>) -> Value {
    Value::hash(entries.into_iter().map(|(name, value)| (Value::from(name), value)).collect::<Hash>())
}

/// Returns a variable of an `os-release` file.
fn os_release(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let value = lines.into_iter().find(|(key, _)| key.trim() == name)?.1.trim();
    Some(value.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(facts: &Facts, path: &[&str]) -> String {
        let mut value = facts.values.get(&Value::from(path[0])).cloned();
        for name in &path[1..] {
            value = match value {
                Some(Value::Hash(hash)) => hash.get(&Value::from(*name)).cloned(),
                _ => None,
            };
        }
        match value {
            Some(Value::String(text)) => text.to_string(),
            other => format!("{other:?}"),
        }
    }

    fn machine(os_release: &str, debian_version: Option<&str>) -> Facts {
        let machine = Machine {
            system: "Linux".into(),
            release: "6.1.0-18-amd64".into(),
            name: "Web1.example.com".into(),
            hardware: "x86_64".into(),
            os_release: os_release.into(),
            debian_version: debian_version.map(str::to_owned),
        };
        machine.facts()
    }

    #[test]
    fn debian_has_its_own_names_of_architectures_and_versions() {
        let facts = machine("ID=debian\nVERSION_ID=\"12\"\n", Some("12.5"));
        let expected = [
            (&["os", "name"][..], "Debian"),
            (&["os", "family"], "Debian"),
            (&["os", "release", "full"], "12.5"),
            (&["os", "release", "major"], "12"),
            (&["os", "architecture"], "amd64"),
            (&["networking", "hostname"], "Web1"),
            (&["networking", "domain"], "example.com"),
            (&["kernelmajversion"], "6.1"),
            (&["osfamily"], "Debian"),
        ];
        for (path, value) in expected {
            assert_eq!(fact(&facts, path), value, "{path:?}");
        }
        assert_eq!(facts.node.as_deref(), Some("web1.example.com"));
    }

    #[test]
    fn a_distribution_is_of_the_family_of_what_it_is_like() {
        let facts = machine("ID='rocky'\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=9.3\n", None);
        assert_eq!([fact(&facts, &["os", "name"]), fact(&facts, &["os", "family"])], ["Rocky", "RedHat"]);
        assert_eq!(fact(&facts, &["os", "release", "minor"]), "3");
        assert_eq!(fact(&machine("", None), &["os", "name"]), "Linux");
    }
}
