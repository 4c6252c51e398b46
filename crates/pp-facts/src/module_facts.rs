//! Facts that common modules define in Ruby, computed natively (spec 09 §10). Those of other modules are missing.

use pp_types::Value;

use crate::fact::{FactSet, integer};
use crate::machine::Machine;

/// A fact that a module defines: the module, the file below `lib/facter`, the name, and how it is computed.
struct ModuleFact {
    module: &'static str,
    file: &'static str,
    name: &'static str,
    value: fn(&Machine, &FactSet) -> Option<Value>,
}

macro_rules! module_facts {
    ($($module:literal $file:literal $name:literal $value:expr;)*) => {
        &[$(ModuleFact { module: $module, file: $file, name: $name, value: $value }),*]
    };
}

const MODULE_FACTS: &[ModuleFact] = module_facts! {
    "mysql" "mysql_server_id.rb" "mysql_server_id" |_, facts| mysql_server_id(facts);
    "openstacklib" "os_service_default.rb" "os_service_default" |_, _| Some(Value::from("<SERVICE DEFAULT>"));
    "openstacklib" "os_workers.rb" "os_workers" |_, facts| workers(facts, 2, 2, 12);
    "openstacklib" "os_workers.rb" "os_workers_heat_engine" |_, facts| workers(facts, 2, 4, 24);
    "openstacklib" "os_workers.rb" "os_workers_keystone" |_, facts| workers(facts, 1, 4, 24);
    "openstacklib" "os_workers.rb" "os_workers_large" |_, facts| workers(facts, 2, 1, u64::MAX);
    "openstacklib" "os_workers.rb" "os_workers_small" |_, facts| workers(facts, 4, 2, 8);
    "staging" "staging_http_get.rb" "staging_http_get" |machine, _| http_client(machine);
    "stdlib" "package_provider.rb" "package_provider" |_, facts| package_provider(facts);
    "stdlib" "pe_version.rb" "is_pe" |_, _| Some(Value::Boolean(false));
    "stdlib" "puppet_settings.rb" "puppet_environmentpath" |machine, _| Some(puppet_paths(machine).1.into());
    "stdlib" "puppet_settings.rb" "puppet_server" |_, _| Some(Value::from("puppet"));
    "stdlib" "puppet_settings.rb" "puppet_vardir" |machine, _| Some(puppet_paths(machine).0.into());
    "stdlib" "root_home.rb" "root_home" |machine, _| root_home(machine);
    "stdlib" "service_provider.rb" "service_provider" |machine, facts| service_provider(machine, facts);
    "systemd" "systemd.rb" "systemd" |machine, _| Some(Value::Boolean(runs_systemd(machine)));
    "systemd" "systemd.rb" "systemd_version" |machine, _| systemd_version(machine);
};

/// Returns the facts of modules. `defines` says whether a module has a file below `lib/facter`.
#[must_use]
pub fn module_facts(machine: &Machine, facts: &FactSet, defines: &dyn Fn(&str, &str) -> bool) -> FactSet {
    let mut found = FactSet::default();
    for fact in MODULE_FACTS.iter().filter(|fact| defines(fact.module, fact.file)) {
        found.set(fact.name, (fact.value)(machine, facts));
    }
    found
}

/// Whether a file of a module below `lib/facter` defines nothing but facts that are computed natively.
pub(crate) fn is_native_module_fact(module: &str, file: &str) -> bool {
    MODULE_FACTS.iter().any(|fact| fact.module == module && fact.file == file)
}

/// Returns a share of the number of processors, within bounds.
fn workers(facts: &FactSet, divisor: u64, min: u64, max: u64) -> Option<Value> {
    let Some(Value::Integer(count)) = facts.find("processors.count") else { return None };
    Some(integer((u64::try_from(count).ok()? / divisor).clamp(min, max)))
}

/// Returns a number that follows from the last four bytes of the hardware address.
fn mysql_server_id(facts: &FactSet) -> Option<Value> {
    let Some(Value::String(mac)) = facts.find("networking.mac") else { return None };
    let bytes = mac.split(':').skip(2).map(|byte| u64::from_str_radix(byte, 16).ok());
    let id = bytes.take(4).try_fold(0_u64, |id, byte| Some((id << 6) + byte?))?;
    Some(integer(id))
}

fn http_client(machine: &Machine) -> Option<Value> {
    ["curl", "wget"].into_iter().find(|program| machine.has_program(program)).map(Value::from)
}

fn package_provider(facts: &FactSet) -> Option<Value> {
    let text = |path| match facts.find(path) {
        Some(Value::String(text)) => text.to_string(),
        _ => String::new(),
    };
    let (name, major) = (text("os.name"), text("os.release.major").parse::<u32>().unwrap_or(u32::MAX));
    let uses_yum = match &*name {
        "Fedora" => major < 22,
        "Amazon" => major < 2023,
        _ => major < 8,
    };
    Some(Value::from(match &*text("os.family") {
        "Debian" => "apt",
        "RedHat" if uses_yum => "yum",
        "RedHat" => "dnf",
        "Suse" => "zypper",
        "Archlinux" => "pacman",
        "Alpine" => "apk",
        "Gentoo" => "portage",
        _ => return None,
    }))
}

/// Returns Puppet's directories for state and for environments: those of Debian's package, or of Puppet's own.
fn puppet_paths(machine: &Machine) -> (&'static str, &'static str) {
    if machine.exists("/etc/puppet") && !machine.exists("/opt/puppetlabs") {
        ("/var/cache/puppet", "/etc/puppet/code/environments")
    } else {
        ("/opt/puppetlabs/puppet/cache", "/etc/puppetlabs/code/environments")
    }
}

fn root_home(machine: &Machine) -> Option<Value> {
    let accounts = machine.read("/etc/passwd")?;
    let root = accounts.lines().find(|line| line.split(':').nth(2) == Some("0"))?;
    root.split(':').nth(5).filter(|home| !home.is_empty()).map(Value::from)
}

fn service_provider(machine: &Machine, facts: &FactSet) -> Option<Value> {
    if runs_systemd(machine) {
        return Some(Value::from("systemd"));
    }
    let Some(Value::String(family)) = facts.find("os.family") else { return None };
    Some(Value::from(match &*family {
        "Debian" => "debian",
        "RedHat" | "Suse" => "redhat",
        "Alpine" | "Gentoo" => "openrc",
        "Archlinux" => "systemd",
        _ => return None,
    }))
}

fn runs_systemd(machine: &Machine) -> bool {
    machine.exists("/run/systemd/system")
}

/// Returns the version of systemd, which names its library.
fn systemd_version(machine: &Machine) -> Option<Value> {
    if !runs_systemd(machine) {
        return None;
    }
    let lib = "/usr/lib";
    let multiarch = machine
        .list(lib)
        .into_iter()
        .filter(|name| name.contains("-linux-"))
        .map(|name| format!("{lib}/{name}/systemd"));
    let mut directories = [format!("{lib}/systemd"), "/usr/lib64/systemd".to_owned()].into_iter().chain(multiarch);
    directories.find_map(|directory| {
        machine.list(&directory).iter().find_map(|name| {
            let version: String =
                name.strip_prefix("libsystemd-shared-")?.chars().take_while(char::is_ascii_digit).collect();
            (!version.is_empty()).then(|| Value::from(version))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fields;
    use crate::{NetworkState, ProcessState, Uname};

    fn facts(count: i64, mac: &str) -> FactSet {
        let mut facts = FactSet::default();
        let mut processors = Fields::default();
        processors.set("count", Value::Integer(count));
        facts.set("processors", processors.finish());
        let mut networking = Fields::default();
        networking.set("mac", mac);
        facts.set("networking", networking.finish());
        facts
    }

    fn of(count: i64, mac: &str, name: &str) -> Option<Value> {
        let root = tempfile::tempdir().expect("a temporary directory");
        let machine =
            Machine::with_root(root.path(), Uname::default(), NetworkState::default(), ProcessState::default());
        module_facts(&machine, &facts(count, mac), &|_, _| true).find(name)
    }

    /// As recorded with the module's own facts.
    #[test]
    fn workers_follow_from_processors() {
        let names =
            ["os_workers", "os_workers_heat_engine", "os_workers_keystone", "os_workers_large", "os_workers_small"];
        for (count, expected) in
            [(1, [2, 4, 4, 1, 2]), (8, [4, 4, 8, 4, 2]), (20, [10, 10, 20, 10, 5]), (64, [12, 24, 24, 32, 8])]
        {
            assert_eq!(names.map(|name| of(count, "", name)), expected.map(|n| Some(Value::Integer(n))), "{count}");
        }
    }

    #[test]
    fn server_id_follows_from_the_hardware_address() {
        assert_eq!(of(1, "02:fc:00:00:00:01", "mysql_server_id"), Some(Value::Integer(1)));
        assert_eq!(of(1, "02:fc:00:zz:00:01", "mysql_server_id"), None);
    }

    #[test]
    fn only_modules_that_are_there_define_facts() {
        let machine = Machine::local();
        let found = module_facts(&machine, &facts(1, ""), &|module, _| module == "openstacklib");
        assert!(found.get("os_service_default").is_some() && found.get("root_home").is_none());
    }
}
