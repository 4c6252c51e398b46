//! The DHCP servers that interfaces have their addresses from.

use crate::machine::Machine;

/// Directories where `dhclient` and NetworkManager keep leases.
const DIRECTORIES: [&str; 5] =
    ["/var/lib/dhclient", "/var/lib/dhcp", "/var/lib/dhcp3", "/var/lib/NetworkManager", "/var/db"];

/// Returns the server that an interface has its lease from.
pub(crate) fn dhcp_server(machine: &Machine, interface: &str, index: u32) -> Option<String> {
    let networkd = machine.read(&format!("/run/systemd/netif/leases/{index}"));
    if let Some(server) = networkd.as_deref().and_then(server_address) {
        return Some(server);
    }
    DIRECTORIES.iter().find_map(|directory| {
        let names = machine.list(directory);
        names.iter().filter(|name| is_lease(name)).find_map(|name| {
            let text = machine.read(&format!("{directory}/{name}"))?;
            if directory.ends_with("NetworkManager") {
                // The files of NetworkManager say the interface in their names only.
                let of_interface = name.trim_end_matches(".lease").ends_with(&format!("-{interface}"));
                return server_address(&text).filter(|_| of_interface);
            }
            dhclient_server(&text, interface)
        })
    })
}

fn is_lease(name: &str) -> bool {
    name.starts_with("dhclient") && name.contains("lease") || name.ends_with(".lease")
}

/// Returns `SERVER_ADDRESS` of a lease of systemd-networkd or NetworkManager.
fn server_address(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("SERVER_ADDRESS=")).map(|address| address.trim().to_owned())
}

/// Returns the server of the first lease of an interface.
fn dhclient_server(text: &str, interface: &str) -> Option<String> {
    let quoted = format!("\"{interface}\"");
    let leases = text.split("lease {").filter(|lease| {
        lease.lines().any(|line| line.trim().strip_prefix("interface").is_some_and(|rest| rest.contains(&quoted)))
    });
    let mut servers = leases.filter_map(|lease| {
        let rest = lease.split_once("dhcp-server-identifier")?.1;
        Some(rest.split(';').next()?.trim().to_owned())
    });
    servers.next()
}
