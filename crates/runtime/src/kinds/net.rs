//! `net`: a network interface's state, addresses and default route (spec 05 §6.23), through the `ip` tool; and a file for
//! systemd-networkd, where that is installed.

use std::collections::BTreeSet;
use std::io::Read;
use std::net::{IpAddr, Ipv6Addr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use resource_graph::Resource;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::Value as Json;

use crate::kinds::text_file::{change, read, replace};
use crate::kinds::tool::{Tool, find};
use crate::kinds::{Cancel, Context, Failure, Kind, Load, Params, Scope, TaskHandle, Watch};

const NETWORKD: &str = "/etc/systemd/network";
/// How often a refusal of the kernel is answered with another look at what is there.
const ATTEMPTS: u32 = 3;

struct Net {
    name: String,
    up: Option<bool>,
    addresses: Option<BTreeSet<Address>>,
    gateway: Option<IpAddr>,
    forward: Option<bool>,
}

/// An address with the length of its network's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Address(IpAddr, u8);

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// What the kernel says of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Link {
    up: bool,
    addresses: BTreeSet<Address>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Net::read(&resources[0])?))
}

impl Net {
    fn read(resource: &Resource) -> Result<Net, Failure> {
        let params = Params::new(resource);
        let name = params.name().to_string();
        if name.len() > 15 || name.starts_with('-') || name.contains(|c: char| c == '/' || c.is_whitespace()) {
            return Err(Failure::Invalid(format!("{name:?} cannot be the name of a network interface")));
        }
        let address = |text: &String| {
            let parsed =
                text.split_once('/').and_then(|(ip, prefix)| Some(Address(ip.parse().ok()?, prefix.parse().ok()?)));
            parsed.ok_or_else(|| Failure::Invalid(format!("{text:?} is not an address with a prefix")))
        };
        let addresses = params.opt_list("addrs")?;
        let gateway = match params.str("gateway")? {
            "" => None,
            text => Some(text.parse().map_err(|_| Failure::Invalid(format!("{text:?} is not an address")))?),
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

    fn ip(&self, words: &[&str], cancel: &Cancel) -> Result<String, Failure> {
        Tool::new("ip")?.args(words).run(cancel)
    }

    fn link(&self, cancel: &Cancel) -> Result<Link, Failure> {
        if !Path::new("/sys/class/net").join(&self.name).exists() {
            return Err(Failure::Unavailable(format!("there is no network interface {} on this machine", self.name)));
        }
        let text = self.ip(&["-json", "address", "show", "dev", &self.name], cancel)?;
        parse_link(&text).ok_or_else(|| Failure::Command("`ip` printed what cannot be understood".to_owned()))
    }

    fn networkd_file(&self) -> PathBuf {
        Path::new(NETWORKD).join(format!("mgmt-{}.network", self.name))
    }

    /// The file for systemd-networkd: only where somebody would read it.
    fn check_file(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(up) = self.up.filter(|_| Path::new(NETWORKD).is_dir()) else { return Ok(()) };
        let file = self.networkd_file();
        let before = read(&file)?;
        let after = up.then(|| self.networkd_content().into_bytes());
        if before == after {
            return Ok(());
        }
        let words = if up { "write" } else { "remove" };
        let text = format!("{words} {}", file.display());
        let change = change(cx, text, &file, before.as_deref(), after.as_deref());
        if cx.change(change)? {
            match after {
                Some(content) => replace(&file, &content, 0o644)?,
                None => std::fs::remove_file(&file).map_err(Failure::on("remove", &file))?,
            }
        }
        Ok(())
    }

    fn networkd_content(&self) -> String {
        let mut lines = vec!["[Match]".to_owned(), format!("Name={}", self.name), "[Network]".to_owned()];
        lines.extend(self.addresses.iter().flatten().map(|address| format!("Address={address}")));
        lines.extend(self.gateway.map(|gateway| format!("Gateway={gateway}")));
        lines.extend(self.forward.map(|forward| format!("IPForward={forward}")));
        lines.join("\n")
    }

    fn check_gateway(&self, cx: &mut Context<'_>, gateway: IpAddr) -> Result<(), Failure> {
        let family = if gateway.is_ipv4() { "-4" } else { "-6" };
        let text = self.ip(&["-json", family, "route", "show", "default", "dev", &self.name], cx.cancel())?;
        let routes: Vec<IpAddr> = parse_gateways(&text);
        if routes == [gateway] {
            return Ok(());
        }
        let gateway = gateway.to_string();
        if cx.change(format!("set the default route of {} to {gateway}", self.name))? {
            for other in routes.iter().map(IpAddr::to_string).filter(|other| *other != gateway) {
                self.ip(&[family, "route", "del", "default", "via", &other, "dev", &self.name], cx.cancel())?;
            }
            self.ip(&[family, "route", "replace", "default", "via", &gateway, "dev", &self.name], cx.cancel())?;
        }
        Ok(())
    }
}

fn parse_link(text: &str) -> Option<Link> {
    let interfaces: Vec<Json> = serde_json::from_str(text).ok()?;
    let interface = interfaces.iter().find(|i| i.get("flags").is_some())?;
    let address = |info: &Json| {
        let prefix = u8::try_from(info.get("prefixlen")?.as_u64()?).ok()?;
        Some(Address(info.get("local")?.as_str()?.parse().ok()?, prefix))
    };
    let infos = interface.get("addr_info").and_then(Json::as_array);
    Some(Link {
        up: interface.get("flags")?.as_array()?.iter().any(|flag| flag == "UP"),
        addresses: infos.into_iter().flatten().filter_map(address).collect(),
    })
}

fn parse_gateways(text: &str) -> Vec<IpAddr> {
    let routes: Vec<Json> = serde_json::from_str(text).unwrap_or_default();
    routes.iter().filter_map(|route| route.get("gateway")?.as_str()?.parse().ok()).collect()
}

/// Addresses that the kernel makes by itself are nobody's business.
fn is_link_local(address: &Address) -> bool {
    matches!(address.0, IpAddr::V6(ip) if (Ipv6Addr::segments(&ip)[0] & 0xffc0) == 0xfe80)
}

impl Net {
    /// One attempt, from what the link is now.
    fn bring(&self, cx: &mut Context<'_>, mut link: Link) -> Result<(), Failure> {
        if let Some(up) = self.up.filter(|up| *up != link.up) {
            let word = if up { "up" } else { "down" };
            if cx.change(format!("set {} {word}", self.name))? {
                self.ip(&["link", "set", "dev", &self.name, word], cx.cancel())?;
                // Some interfaces get addresses when they come up.
                link = self.link(cx.cancel())?;
            }
        }
        if self.up == Some(false) {
            return Ok(());
        }
        if let Some(wanted) = &self.addresses {
            let extra = link.addresses.difference(wanted).filter(|address| !is_link_local(address));
            let steps = wanted.difference(&link.addresses).map(|a| ("add", a)).chain(extra.map(|a| ("del", a)));
            for (word, address) in steps.collect::<Vec<_>>() {
                let verb = if word == "add" { "add" } else { "remove" };
                if cx.change(format!("{verb} the address {address} of {}", self.name))? {
                    self.ip(&["address", word, &address.to_string(), "dev", &self.name], cx.cancel())?;
                }
            }
        }
        self.gateway.map_or(Ok(()), |gateway| self.check_gateway(cx, gateway))
    }
}

impl Kind for Net {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let mut before = self.link(cx.cancel())?;
        self.check_file(cx)?;
        let mut attempts = 0;
        loop {
            let result = self.bring(cx, before.clone());
            attempts += 1;
            // Somebody else changed it in the same moment.
            match result {
                Err(Failure::Command(_)) if attempts < ATTEMPTS => before = self.link(cx.cancel())?,
                result => return result,
            }
        }
    }

    fn watches(&self) -> Vec<Watch> {
        let mut watches = vec![Watch::Path(self.networkd_file(), Scope::Entry)];
        if find("ip").is_some() {
            watches.push(Watch::Task(Box::new(watch_links)));
        }
        watches
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Net::read(&resources[0])?;
        Ok(())
    }

    fn load(&self) -> Load {
        Load::Waits
    }
}

/// The kernel's announcements, one or more lines each.
fn watch_links(task: &TaskHandle) -> Result<(), Failure> {
    let failed = || Failure::on("watch", Path::new("the network"));
    let program = find("ip").ok_or_else(|| Failure::Unavailable("the tool `ip` is not installed".to_owned()))?;
    let mut child = Command::new(program)
        .args(["-oneline", "monitor", "link", "address", "route"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed())?;
    let mut buffer = [0_u8; 4096];
    let result = loop {
        let (Some(stdout), Some(request)) = (child.stdout.as_mut(), task.cancel.fd()) else {
            break Err(Failure::Unavailable("there are no file descriptors left to watch the network with".to_owned()));
        };
        let ready = {
            let mut fds = [PollFd::new(stdout, PollFlags::IN), PollFd::new(&request, PollFlags::IN)];
            poll(&mut fds, None).is_ok() && !fds[0].revents().is_empty()
        };
        if task.cancel.is_cancelled() {
            break Ok(());
        }
        match ready.then(|| stdout.read(&mut buffer)) {
            None => {}
            Some(Ok(0)) => break Err(Failure::Command("`ip monitor` ended".to_owned())),
            Some(Ok(_)) => (task.wake)(),
            Some(Err(error)) => break Err(failed()(error)),
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    result
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::kinds::harness::{Bench, resource};

    #[test]
    fn what_ip_prints_is_understood() {
        let text = r#"[{"ifindex":2,"ifname":"lab0","flags":["BROADCAST","UP"],"addr_info":[
            {"family":"inet","local":"192.0.2.7","prefixlen":24},{"family":"inet6","local":"fe80::1","prefixlen":64}]}]"#;
        let link = parse_link(text).unwrap();
        assert!(link.up);
        let shown: Vec<String> = link.addresses.iter().map(Address::to_string).collect();
        assert_eq!(shown, ["192.0.2.7/24", "fe80::1/64"]);
        assert!(is_link_local(link.addresses.last().unwrap()) && !is_link_local(link.addresses.first().unwrap()));
        let gateways = parse_gateways(r#"[{"dst":"default","gateway":"192.0.2.1","flags":[]},{"dst":"default"}]"#);
        assert_eq!(gateways, ["192.0.2.1".parse::<IpAddr>().unwrap()]);
    }

    #[test]
    fn the_file_has_what_was_given() {
        let addresses = Value::list(["192.0.2.7/24"]);
        let net = resource("net", "lab0").with("state", "up").with("addrs", addresses).with("gateway", "192.0.2.1");
        let content = Net::read(&net.with("ip_forward", true)).unwrap().networkd_content();
        assert_eq!(content, "[Match]\nName=lab0\n[Network]\nAddress=192.0.2.7/24\nGateway=192.0.2.1\nIPForward=true");
    }

    #[test]
    fn the_loopback_of_this_machine_is_read() {
        let missing = Bench::new(&resource("net", "nosuch0").with("state", "up")).run(true).unwrap_err().to_string();
        assert_eq!(missing, "there is no network interface nosuch0 on this machine");
        if find("ip").is_none() || !Path::new("/sys/class/net/lo").exists() {
            eprintln!("skipped: needs the tool `ip` and a loopback interface");
            return;
        }
        Bench::new(&resource("net", "lo")).is_right();
        let outcome =
            Bench::new(&resource("net", "lo").with("addrs", Value::list(["192.0.2.99/32"]))).run(false).unwrap();
        assert!(outcome.changes.contains(&"add the address 192.0.2.99/32 of lo".to_owned()), "{outcome:?}");
    }
}
