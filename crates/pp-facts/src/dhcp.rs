//! The DHCP servers that interfaces have their addresses from.

use crate::machine::Machine;

/// Maximum number of files of a directory that are read.
const MAX_FILES: usize = 1_000;
/// Directories where `dhclient` and NetworkManager keep leases.
const DIRECTORIES: [&str; 5] =
    ["/var/lib/dhclient", "/var/lib/dhcp", "/var/lib/dhcp3", "/var/lib/NetworkManager", "/var/db"];

/// The leases of programs that keep those of all interfaces in one directory, the first of an interface counts.
pub(crate) struct Leases(Vec<Lease>);

struct Lease {
    interface: Interface,
    server: String,
}

/// The interface of a lease.
enum Interface {
    Name(String),
    /// The name of a file of NetworkManager, whose end is the interface.
    File(String),
}

impl Leases {
    pub(crate) fn read(machine: &Machine) -> Leases {
        let mut leases = Vec::new();
        for directory in DIRECTORIES {
            for name in machine.list(directory).into_iter().filter(|name| is_lease(name)).take(MAX_FILES) {
                let Some(text) = machine.read(&format!("{directory}/{name}")) else { continue };
                if directory.ends_with("NetworkManager") {
                    let lease = |server| Lease { interface: Interface::File(name), server };
                    leases.extend(server_address(&text).map(lease));
                } else {
                    leases.extend(dhclient_leases(&text));
                }
            }
        }
        Leases(leases)
    }

    /// Returns the server that an interface has its lease from.
    pub(crate) fn server(&self, machine: &Machine, interface: &str, index: u32) -> Option<String> {
        let networkd = machine.read(&format!("/run/systemd/netif/leases/{index}"));
        let is_of = |lease: &&Lease| match &lease.interface {
            Interface::Name(name) => name == interface,
            Interface::File(name) => {
                let name = name.trim_end_matches(".lease");
                name.strip_suffix(interface).is_some_and(|start| start.ends_with('-'))
            }
        };
        let of_others = || self.0.iter().find(is_of).map(|lease| lease.server.clone());
        networkd.as_deref().and_then(server_address).or_else(of_others)
    }
}

fn is_lease(name: &str) -> bool {
    name.starts_with("dhclient") && name.contains("lease") || name.ends_with(".lease")
}

/// Returns `SERVER_ADDRESS` of a lease of systemd-networkd or NetworkManager.
fn server_address(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("SERVER_ADDRESS=")).map(|address| address.trim().to_owned())
}

/// Returns the leases of a file of `dhclient` that name an interface and a server.
fn dhclient_leases(text: &str) -> impl Iterator<Item = Lease> {
    text.split("lease {").filter_map(|lease| {
        let interface = lease.lines().find_map(|line| line.trim().strip_prefix("interface")?.split('"').nth(1))?;
        let rest = lease.split_once("dhcp-server-identifier")?.1;
        let server = rest.split(';').next()?.trim().to_owned();
        Some(Lease { interface: Interface::Name(interface.to_owned()), server })
    })
}
