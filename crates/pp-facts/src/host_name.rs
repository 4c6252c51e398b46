//! The host name and the domain.

use crate::machine::Machine;

/// The name of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostName {
    pub(crate) host: String,
    pub(crate) domain: Option<String>,
}

impl HostName {
    /// Takes the domain from the name of the kernel, else from the canonical name in `/etc/hosts`, else from
    /// `/etc/resolv.conf`. Name servers are not asked: facts must not wait for a network.
    pub(crate) fn of(machine: &Machine) -> HostName {
        let node = &machine.uname.node;
        if let Some((host, domain)) = node.split_once('.') {
            return HostName { host: host.to_owned(), domain: non_empty(domain) };
        }
        let hosts = machine.read("/etc/hosts").unwrap_or_default();
        let domain = canonical_name(&hosts, node).and_then(|name| non_empty(name.split_once('.')?.1));
        let resolver = || resolver_domain(&machine.read("/etc/resolv.conf")?);
        HostName { host: node.clone(), domain: domain.or_else(resolver) }
    }

    pub(crate) fn fqdn(&self) -> Option<String> {
        let domain = self.domain.as_ref().map_or(String::new(), |domain| format!(".{domain}"));
        non_empty(&format!("{}{domain}", self.host))
    }
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the first name of the first line that names a host.
fn canonical_name<'a>(hosts: &'a str, host: &str) -> Option<&'a str> {
    let mut lines = hosts.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.find_map(|line| {
        let mut names = line.split_whitespace().skip(1);
        let canonical = names.next()?;
        std::iter::once(canonical).chain(names).any(|name| name.eq_ignore_ascii_case(host)).then_some(canonical)
    })
}

/// Returns the domain, or the first one that is searched.
fn resolver_domain(text: &str) -> Option<String> {
    let value = |key: &str| {
        let mut lines = text.lines().map(str::split_whitespace);
        lines.find_map(|mut words| words.next().filter(|word| *word == key).and_then(|_| words.next()))
    };
    let domain = value("domain").or_else(|| value("search"))?;
    non_empty(domain.trim_matches('.'))
}
