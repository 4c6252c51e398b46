//! Groups of facts that are gathered together, so that a question for one fact reads no more than it has to.

use pp_types::Value;

use crate::fact::FactSet;
use crate::machine::Machine;
use crate::mounts::{mountpoints, mounts};
use crate::storage::{disks, partitions};
use crate::{dmi, memory, networking, os, processors, ssh, system, virtualization};

/// The version of Facter whose facts these are.
pub const EMULATED_FACTER_VERSION: &str = "4.3.0";

/// What makes the facts of a group change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Only another start of the machine or of this process.
    Restart,
    /// The kernel announces changes of links, addresses and routes, and of the host name.
    Network,
    /// The kernel announces changes of the table of mounts.
    Mounts,
    /// Always: the facts are measurements.
    Always,
    /// Files change.
    Files,
}

/// A group of facts.
pub struct Group {
    /// The name.
    pub name: &'static str,
    /// The names of its structured facts, and how those of its legacy facts start.
    names: &'static [&'static str],
    /// What makes them change.
    pub change: Change,
    /// The files that they are read from, where these change in a running system.
    pub files: &'static [&'static str],
    gather: fn(&Machine) -> FactSet,
}

impl Group {
    /// Whether a fact with this name may be in the group.
    #[must_use]
    pub fn may_have(&self, fact: &str) -> bool {
        self.names.iter().any(|name| match name.strip_suffix('*') {
            Some(prefix) => fact.starts_with(prefix),
            None => fact == *name,
        })
    }
}

/// All groups.
pub const GROUPS: &[Group] = &[
    Group {
        name: "augeas",
        names: &["augeas", "augeasversion"],
        change: Change::Files,
        files: &["/var/lib/dpkg/status"],
        gather: system::augeas,
    },
    Group { name: "disks", names: &["disks", "blockdevice*"], change: Change::Restart, files: &[], gather: disks },
    Group {
        name: "dmi",
        names: &["dmi", "bios*", "board*", "chassis*", "manufacturer", "productname", "serialnumber", "uuid"],
        change: Change::Restart,
        files: &[],
        gather: dmi::dmi,
    },
    Group { name: "facter", names: &["facterversion"], change: Change::Restart, files: &[], gather: facter },
    Group {
        name: "filesystems",
        names: &["filesystems"],
        change: Change::Restart,
        files: &[],
        gather: system::filesystems,
    },
    Group { name: "fips", names: &["fips_enabled"], change: Change::Restart, files: &[], gather: system::fips },
    Group {
        name: "identity",
        names: &["identity", "id", "gid"],
        change: Change::Files,
        files: &["/etc/passwd", "/etc/group"],
        gather: system::identity,
    },
    Group { name: "kernel", names: &["kernel*"], change: Change::Restart, files: &[], gather: os::kernel },
    Group { name: "load", names: &["load_averages"], change: Change::Always, files: &[], gather: system::load },
    Group { name: "memory", names: &["memory*", "swap*"], change: Change::Always, files: &[], gather: memory::memory },
    Group { name: "mountpoints", names: &["mountpoints"], change: Change::Mounts, files: &[], gather: gather_mounts },
    Group {
        name: "networking",
        names: &[
            "networking",
            "domain",
            "fqdn",
            "hostname",
            "interfaces",
            "dhcp_servers",
            "ipaddress*",
            "netmask*",
            "network*",
            "macaddress*",
            "mtu_*",
            "scope6*",
        ],
        change: Change::Network,
        files: &["/etc/hosts", "/etc/resolv.conf"],
        gather: networking::networking,
    },
    Group {
        name: "os",
        names: &["os", "osfamily", "operatingsystem*", "architecture", "hardwaremodel", "lsb*", "selinux*"],
        change: Change::Files,
        files: &[
            "/etc/os-release",
            "/etc/debian_version",
            "/etc/redhat-release",
            "/etc/selinux/config",
            "/sys/fs/selinux/enforce",
        ],
        gather: os::os,
    },
    Group { name: "partitions", names: &["partitions"], change: Change::Mounts, files: &[], gather: gather_partitions },
    Group { name: "path", names: &["path"], change: Change::Restart, files: &[], gather: system::path },
    Group {
        name: "processors",
        names: &["processors", "processor*", "physicalprocessorcount", "hardwareisa"],
        change: Change::Restart,
        files: &[],
        gather: processors::processors,
    },
    Group {
        name: "ssh",
        names: &["ssh", "sshrsakey", "sshdsakey", "sshecdsakey", "sshed25519key", "sshfp_*"],
        change: Change::Files,
        files: &[
            "/etc/ssh/ssh_host_rsa_key.pub",
            "/etc/ssh/ssh_host_dsa_key.pub",
            "/etc/ssh/ssh_host_ecdsa_key.pub",
            "/etc/ssh/ssh_host_ed25519_key.pub",
        ],
        gather: ssh::ssh,
    },
    Group {
        name: "timezone",
        names: &["timezone"],
        change: Change::Files,
        files: &["/etc/localtime"],
        gather: system::timezone,
    },
    Group {
        name: "uptime",
        names: &["system_uptime", "uptime*"],
        change: Change::Always,
        files: &[],
        gather: system::uptime,
    },
    Group {
        name: "virtualization",
        names: &["virtual", "is_virtual", "hypervisors", "cloud"],
        change: Change::Restart,
        files: &[],
        gather: virtualization::virtualization,
    },
];

/// Gathers the facts of all groups.
#[must_use]
pub fn gather(machine: &Machine) -> FactSet {
    gather_groups(machine, |_| true)
}

/// Gathers the facts of the groups that a condition holds for.
#[must_use]
pub fn gather_groups(machine: &Machine, wanted: impl Fn(&Group) -> bool) -> FactSet {
    let mut facts = FactSet::default();
    refresh(&mut facts, machine, wanted);
    facts
}

/// Gathers the facts of some groups anew, and leaves the others as they are.
pub fn refresh(facts: &mut FactSet, machine: &Machine, wanted: impl Fn(&Group) -> bool) {
    let groups: Vec<&Group> = GROUPS.iter().filter(|group| wanted(group)).collect();
    facts.retain(|name| !groups.iter().any(|group| group.may_have(name)));
    groups.iter().for_each(|group| facts.extend((group.gather)(machine)));
}

fn facter(_: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    facts.set("facterversion", Value::from(EMULATED_FACTER_VERSION));
    facts
}

fn gather_mounts(machine: &Machine) -> FactSet {
    mountpoints(machine, &mounts(machine))
}

fn gather_partitions(machine: &Machine) -> FactSet {
    let mounted: Vec<(String, String)> = mounts(machine).into_iter().map(|mount| (mount.device, mount.path)).collect();
    partitions(machine, &mounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_knows_the_names_of_its_facts() {
        let machine = Machine::local();
        for group in GROUPS {
            for (name, _) in (group.gather)(&machine).iter() {
                let groups: Vec<&str> =
                    GROUPS.iter().filter(|group| group.may_have(name)).map(|group| group.name).collect();
                assert_eq!(groups, [group.name], "{name}");
            }
        }
    }
}
