//! `net`: a network interface's state, addresses and default route (spec 05 §6.23), through netlink; and a file for
//! systemd-networkd, where that is installed.

mod address;
mod netlink;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};
use std::path::{Path, PathBuf};

use resource_graph::Resource;
use rustix::event::{PollFd, PollFlags, poll};

use crate::providers::net::address::Address;
use crate::providers::net::netlink::Netlink;
use crate::retry::retry_if_disturbed;
use crate::text_file::{self, Edit, with_mode};
use crate::{Context, Failure, Params, Provider, Scope, TaskHandle, Watch, WorkerClass};

const NETWORKD_DIRECTORY: &str = "/etc/systemd/network";

struct Net {
    name: String,
    up: Option<bool>,
    addresses: Option<BTreeSet<Address>>,
    gateway: Option<IpAddr>,
    forward: Option<bool>,
}

/// The state of an interface in the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Link {
    index: u32,
    up: bool,
    addresses: BTreeSet<Address>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Net::read(&resources[0])?))
}

impl Net {
    fn read(resource: &Resource) -> Result<Net, Failure> {
        let params = Params::new(resource);
        let name = params.name().to_string();
        if name.len() > 15 || name.starts_with('-') || name.contains(|c: char| c == '/' || c.is_whitespace()) {
            return Err(Failure::Invalid(format!("invalid network interface name {name:?}")));
        }
        let address = |text: &String| {
            let parsed =
                text.split_once('/').and_then(|(ip, prefix)| Some(Address(ip.parse().ok()?, prefix.parse().ok()?)));
            parsed.ok_or_else(|| Failure::Invalid(format!("invalid address {text:?}: expected `ADDRESS/PREFIX`")))
        };
        let addresses = params.opt_list("addrs")?;
        let gateway = match params.str("gateway")? {
            "" => None,
            text => Some(text.parse().map_err(|_| Failure::Invalid(format!("invalid address {text:?}")))?),
        };
        Ok(Net {
            name,
            up: match params.str("state")? {
                "up" => Some(true),
                "down" => Some(false),
                _ => None,
            },
            addresses: addresses.map(|list| list.iter().map(address).collect()).transpose()?,
            gateway,
            forward: params.opt_bool("ip_forward")?,
        })
    }

    fn link(&self, netlink: &mut Netlink) -> Result<Link, Failure> {
        let failed = || refused(format!("look at {}", self.name));
        let Some(interface) = netlink.interface(&self.name).map_err(failed())? else {
            return Err(Failure::Unavailable(format!("there is no network interface {} on this machine", self.name)));
        };
        let addresses = netlink.addresses(interface.index).map_err(failed())?;
        Ok(Link { index: interface.index, up: interface.up, addresses: addresses.into_iter().collect() })
    }

    fn networkd_file(&self) -> PathBuf {
        Path::new(NETWORKD_DIRECTORY).join(format!("mgmt-{}.network", self.name))
    }

    /// Writes or removes the file for systemd-networkd, where its directory exists.
    fn check_file(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(up) = self.up.filter(|_| Path::new(NETWORKD_DIRECTORY).is_dir()) else { return Ok(()) };
        let file = self.networkd_file();
        let after = up.then(|| self.networkd_content().into_bytes());
        let text = format!("{} {}", if up { "write" } else { "remove" }, file.display());
        let decide = |before: Option<&[u8]>| {
            Ok((before != after.as_deref()).then(|| Edit {
                text: text.clone(),
                after: after.clone(),
                is_private: false,
            }))
        };
        text_file::edit(cx, &file, &with_mode(0o644), decide).map(drop)
    }

    fn networkd_content(&self) -> String {
        let mut lines = vec!["[Match]".to_owned(), format!("Name={}", self.name), "[Network]".to_owned()];
        lines.extend(self.addresses.iter().flatten().map(|address| format!("Address={address}")));
        lines.extend(self.gateway.map(|gateway| format!("Gateway={gateway}")));
        lines.extend(self.forward.map(|forward| format!("IPForward={forward}")));
        lines.join("\n")
    }

    fn check_gateway(
        &self,
        cx: &mut Context<'_>,
        netlink: &mut Netlink,
        index: u32,
        gateway: IpAddr,
    ) -> Result<(), Failure> {
        let text = format!("set the default route of {} to {gateway}", self.name);
        let routes = netlink.default_routes(index, gateway.is_ipv4()).map_err(refused(text.clone()))?;
        if matches!(routes[..], [only] if only.gateway == gateway) {
            return Ok(());
        }
        if cx.change(text.clone())? {
            for other in routes.into_iter().filter(|route| route.gateway != gateway) {
                netlink.delete_default_route(index, other).map_err(refused(text.clone()))?;
            }
            netlink.replace_default_route(index, gateway).map_err(refused(text))?;
        }
        Ok(())
    }
}

/// The kernel said no; what was tried. Mostly because the link is not as it was a moment ago.
fn refused(text: String) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| {
        let words = error.to_string();
        let words = words.rsplit_once(" (os error ").map_or(words.as_str(), |(words, _)| words);
        Failure::Disturbed(format!("cannot {text}: {}", words.to_lowercase()))
    }
}

/// Addresses that the kernel makes by itself are nobody's business.
fn is_link_local(address: &Address) -> bool {
    matches!(address.0, IpAddr::V6(ip) if (Ipv6Addr::segments(&ip)[0] & 0xffc0) == 0xfe80)
}

impl Net {
    /// Runs one attempt, starting from the current state of the link.
    fn apply_once(&self, cx: &mut Context<'_>, netlink: &mut Netlink) -> Result<(), Failure> {
        let mut link = self.link(netlink)?;
        if let Some(up) = self.up.filter(|up| *up != link.up) {
            let text = format!("set {} {}", self.name, if up { "up" } else { "down" });
            if cx.change(text.clone())? {
                netlink.set_up(link.index, up).map_err(refused(text))?;
                // Some interfaces acquire addresses when they are brought up.
                link = self.link(netlink)?;
            }
        }
        if self.up == Some(false) {
            return Ok(());
        }
        for address in self.addresses.iter().flat_map(|wanted| wanted.difference(&link.addresses)) {
            let text = format!("add the address {address} of {}", self.name);
            if cx.change(text.clone())? {
                netlink.add_address(link.index, *address).map_err(refused(text))?;
            }
        }
        let extra = self.addresses.iter().flat_map(|wanted| link.addresses.difference(wanted));
        for address in extra.filter(|address| !is_link_local(address)) {
            let text = format!("remove the address {address} of {}", self.name);
            if cx.change(text.clone())? {
                netlink.delete_address(link.index, *address).map_err(refused(text))?;
            }
        }
        self.gateway.map_or(Ok(()), |gateway| self.check_gateway(cx, netlink, link.index, gateway))
    }
}

impl Provider for Net {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let mut netlink = Netlink::new().map_err(refused("talk to the kernel about the network".to_owned()))?;
        self.link(&mut netlink)?;
        self.check_file(cx)?;
        retry_if_disturbed(|| self.apply_once(cx, &mut netlink))
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.networkd_file(), Scope::Entry), Watch::Task(Box::new(watch_links))]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Net::read(&resources[0])?;
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }
}

/// Wakes the engine on each change that the kernel announces.
fn watch_links(task: &TaskHandle) -> Result<(), Failure> {
    let failed = || Failure::on("watch", Path::new("the network"));
    let socket = netlink::subscribe_changes().map_err(failed())?;
    let Some(request) = task.cancel.fd() else {
        return Err(Failure::Unavailable("no file descriptors left to watch the network".to_owned()));
    };
    while !task.cancel.is_cancelled() {
        let mut fds = [PollFd::new(&socket, PollFlags::IN), PollFd::new(&request, PollFlags::IN)];
        if poll(&mut fds, None).is_ok() && netlink::drain_changes(&socket).map_err(failed())? {
            (task.wake)();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn link_local_addresses_are_recognized() {
        let address = |text: &str| Address(text.parse().unwrap(), 64);
        assert!(is_link_local(&address("fe80::1")) && is_link_local(&address("febf::1")));
        assert!(!is_link_local(&address("fec0::1")) && !is_link_local(&address("169.254.0.1")));
    }

    #[test]
    fn the_networkd_file_has_the_parameters() {
        let addresses = Value::list(["192.0.2.7/24"]);
        let net = resource("net", "lab0").with("state", "up").with("addrs", addresses).with("gateway", "192.0.2.1");
        let content = Net::read(&net.with("ip_forward", true)).unwrap().networkd_content();
        assert_eq!(content, "[Match]\nName=lab0\n[Network]\nAddress=192.0.2.7/24\nGateway=192.0.2.1\nIPForward=true");
    }

    #[test]
    fn the_loopback_of_this_machine_is_read() {
        let missing =
            ProviderTest::new(&resource("net", "nosuch0").with("state", "up")).run(true).unwrap_err().to_string();
        assert_eq!(missing, "there is no network interface nosuch0 on this machine");
        if !Path::new("/sys/class/net/lo").exists() {
            eprintln!("skipped: there is no loopback interface");
            return;
        }
        ProviderTest::new(&resource("net", "lo")).assert_unchanged();
        let outcome =
            ProviderTest::new(&resource("net", "lo").with("addrs", Value::list(["192.0.2.99/32"]))).run(false).unwrap();
        assert!(outcome.changes.contains(&"add the address 192.0.2.99/32 of lo".to_owned()), "{outcome:?}");
    }
}
