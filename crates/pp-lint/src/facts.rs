//! Lints about facts: old names, and facts as variables of the top scope.

use mcl_diagnostics::Code;
use pp_ast::{AssignOp, Expr};
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};

/// Old names of facts, sorted, and how to write them now. Puppet 8 does not have them.
const LEGACY: &[(&str, &str)] = &[
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("blockdevices", "disks"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("dhcp_servers", "networking.dhcp"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("interfaces", "networking.interfaces"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("macaddress", "networking.mac"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memoryfree_mb", "memory.system.available_bytes"),
    ("memorysize", "memory.system.total"),
    ("memorysize_mb", "memory.system.total_bytes"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("swapfree", "memory.swap.available"),
    ("swapfree_mb", "memory.swap.available_bytes"),
    ("swapsize", "memory.swap.total"),
    ("swapsize_mb", "memory.swap.total_bytes"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("xendomains", "xen.domains"),
];

/// Facts of Facter that are not structured under another name, and are not legacy.
const CORE: &[&str] = &[
    "augeas",
    "disks",
    "dmi",
    "filesystems",
    "fips_enabled",
    "hypervisors",
    "identity",
    "is_virtual",
    "kernel",
    "kernelmajversion",
    "kernelrelease",
    "kernelversion",
    "load_averages",
    "memory",
    "mountpoints",
    "networking",
    "os",
    "partitions",
    "path",
    "processors",
    "ruby",
    "ssh",
    "system_uptime",
    "timezone",
    "virtual",
];

/// Variables of the top scope that are not facts.
const NOT_FACTS: &[&str] =
    &["environment", "facts", "module_name", "name", "server_facts", "servername", "title", "trusted"];

/// Returns the expression for a legacy fact, e.g. `$facts['os']['family']`.
fn modern(name: &str) -> Option<String> {
    let at = LEGACY.binary_search_by(|(legacy, _)| legacy.cmp(&name)).ok()?;
    Some(LEGACY[at].1.split('.').fold("$facts".to_owned(), |path, part| format!("{path}['{part}']")))
}

/// Whether a variable has the old name of a fact.
pub(crate) fn is_legacy(name: &str) -> bool {
    modern(name).is_some()
}

/// Returns how to write a fact, given a variable that has its name; `None` if no fact of Facter has this name.
pub(crate) fn better_fact(name: &str) -> Option<String> {
    modern(name).or_else(|| CORE.contains(&name).then(|| format!("$facts['{name}']")))
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    let own = own_variables(context);
    for (id, expr) in &tree.exprs {
        match expr {
            Expr::Variable(name) => {
                let name = tree.str(*name);
                let range = context.range(id);
                match name.strip_prefix("::") {
                    Some(fact) if !fact.contains("::") && !NOT_FACTS.contains(&fact) => {
                        let better = modern(fact).unwrap_or_else(|| format!("$facts['{fact}']"));
                        let message = format!("fact `$::{fact}` as a variable of the top scope");
                        findings.add(Code::W0333, range, message, format!("write `{better}`"));
                        if let Some(better) = modern(fact) {
                            legacy(findings, range, fact, &better);
                        }
                    }
                    None if !own.contains(&**name) => {
                        if let Some(better) = modern(name) {
                            legacy(findings, range, name, &better);
                        }
                    }
                    _ => {}
                }
            }
            Expr::Access(left, keys) => {
                if let (Expr::Variable(name), Some(key)) = (&tree.exprs[*left], tree.list(*keys).first())
                    && tree.str(*name).trim_start_matches("::") == "facts"
                    && let Some(fact) = context.string(*key)
                    && let Some(better) = modern(fact)
                {
                    legacy(findings, context.range(id), fact, &better);
                }
            }
            _ => {}
        }
    }
}

fn legacy(findings: &mut Findings<'_>, range: pp_ast::TextRange, fact: &str, better: &str) {
    let help = format!("write `{better}`: Puppet 8 does not have the old name");
    findings.add(Code::W0334, range, format!("legacy fact `{fact}`"), help);
}

/// Returns the names of the parameters and of the variables that are assigned in the file: these are not facts.
fn own_variables<'a>(context: &Context<'a>) -> FxHashSet<&'a str> {
    let tree = context.tree;
    let mut names: FxHashSet<&str> = tree.parameters.iter().map(|parameter| &**tree.str(parameter.name)).collect();
    for expr in tree.exprs.values() {
        if let Expr::Assign(AssignOp::Assign, left, _) = expr {
            let mut targets = vec![*left];
            while let Some(target) = targets.pop() {
                match &tree.exprs[target] {
                    Expr::Variable(name) => {
                        names.insert(&**tree.str(*name));
                    }
                    Expr::Array(elements) => targets.extend(tree.list(*elements)),
                    _ => {}
                }
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_facts_are_sorted() {
        assert!(LEGACY.is_sorted_by(|a, b| a.0 < b.0));
    }
}
