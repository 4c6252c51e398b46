//! PackageKit, over the system bus (spec 05 §6.4).
//!
//! Each question and each change is a transaction: an object of its own that answers with signals, of which `Finished`
//! is the last.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use zbus::{DynamicType, Message, OwnedObjectPath};

use crate::bus::{Bus, BusError, Object, Rule};
use crate::providers::pkg::{Pkg, State, Versions, unknown};
use crate::{Cancel, Failure, Watch};

const SERVICE: &str = "org.freedesktop.PackageKit";
const DAEMON: Object<'static> = Object { service: SERVICE, path: "/org/freedesktop/PackageKit", interface: SERVICE };
const TRANSACTION: &str = "org.freedesktop.PackageKit.Transaction";
const DAEMON_SIGNALS: Rule = Rule { service: SERVICE, interface: SERVICE, below: DAEMON.path, opening: None };
const TRANSACTION_SIGNALS: Rule = Rule { service: SERVICE, interface: TRANSACTION, below: "/", opening: None };

/// Bits of a filter: the index of its name in PackageKit's list.
const FREE: u64 = 1 << 8;
const SUPPORTED: u64 = 1 << 12;
const NEWEST: u64 = 1 << 16;
const ARCH: u64 = 1 << 18;
/// Bits of the flags of a change.
const ONLY_TRUSTED: u64 = 1 << 1;
const SIMULATE: u64 = 1 << 2;
const ALLOW_DOWNGRADE: u64 = 1 << 6;
/// Codes of errors.
const GPG_FAILURE: u32 = 5;
const ALREADY_INSTALLED: u32 = 9;
const BAD_SIGNATURE: u32 = 30;
const NO_SIGNATURE: u32 = 31;
/// What a package is to this machine.
const INSTALLED: u32 = 1;
const DOWNGRADING: u32 = 20;
/// How a transaction ends that did what it had to.
const SUCCESS: u32 = 1;

/// After so much silence the daemon is asked whether the transaction goes on.
const SILENCE: Duration = Duration::from_secs(10);
/// How long a transaction that was cancelled may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// The bus, if PackageKit is there.
pub(super) fn reached(cancel: &Cancel) -> Result<Option<Bus>, Failure> {
    let bus = Bus::system();
    match bus.has(SERVICE, cancel) {
        Ok(true) => Ok(Some(bus)),
        Ok(false) => Ok(None),
        Err(error) if error.is_away() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn watch() -> Watch {
    Watch::Listen(Box::new(|wake| {
        let concerns =
            |message: &Message| message.header().member().is_some_and(|member| member.as_str() == "UpdatesChanged");
        Box::new(Bus::system().listen(DAEMON_SIGNALS, move |message| {
            if message.is_none_or(concerns) {
                wake();
            }
        }))
    }))
}

pub(super) fn installed(bus: &Bus, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    let packages = resolve(bus, ARCH, names, cancel)?;
    Ok(packages.into_iter().filter(|p| p.is_installed).map(|p| (p.name, p.version)).collect())
}

/// The versions of those of the packages for which there is a newer one than the installed one.
pub(super) fn updates(bus: &Bus, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    let updates = run(bus, "GetUpdates", &(ARCH,), cancel)?.packages.into_iter();
    let ours = updates.filter(|package| names.contains(&package.name) && package.is_ours());
    Ok(ours.map(|package| (package.name, package.version)).collect())
}

pub(super) fn install(bus: &Bus, pkg: &Pkg, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    // Without a network what is known already may do.
    match run(bus, "RefreshCache", &(false,), cancel) {
        Ok(_) | Err(Failed::Told { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let exact = match &pkg.state {
        State::Version(version) => Some(version),
        State::Installed | State::Uninstalled | State::Newest => None,
    };
    let mut filter = ARCH | if exact.is_some() { 0 } else { NEWEST };
    filter |= if pkg.allow_nonfree { 0 } else { FREE };
    filter |= if pkg.allow_unsupported { 0 } else { SUPPORTED };
    let available = resolve(bus, filter, &names, cancel)?;
    let mut ids = Vec::with_capacity(names.len());
    for name in &names {
        let fits = |p: &&Package| p.name == *name && !p.is_installed && exact.is_none_or(|v| p.version == *v);
        match available.iter().rev().find(fits) {
            Some(package) => ids.push(package.id.clone()),
            None => ids.push(unlisted(bus, pkg, name, exact, cancel)?),
        }
    }
    let mut flags = if pkg.allow_untrusted { 0 } else { ONLY_TRUSTED };
    flags |= if pkg.allow_downgrade && exact.is_some() { ALLOW_DOWNGRADE } else { 0 };
    // Not every backend asks for the flag.
    if exact.is_some() && !pkg.allow_downgrade {
        let plan = run(bus, "InstallPackages", &(flags | SIMULATE, &ids), cancel)?.packages;
        if let Some(package) = plan.iter().find(|p| p.info == DOWNGRADING && names.contains(&p.name)) {
            let text = format!("a higher version of `{}` than {} is installed", package.name, package.version);
            return Err(pkg.explained(Failure::Refused(text), true, false));
        }
    }
    // That installs what is not there and replaces what is.
    match run(bus, "InstallPackages", &(flags, ids), cancel) {
        Ok(_) => Ok(()),
        Err(Failed::Told { code, text }) => {
            let is_downgrade = exact.is_some() && (code == ALREADY_INSTALLED || text.contains("downgrad"));
            let is_untrusted = matches!(code, GPG_FAILURE | BAD_SIGNATURE | NO_SIGNATURE);
            Err(pkg.explained(Failed::Told { code, text }.into(), is_downgrade, is_untrusted))
        }
        Err(error) => Err(error.into()),
    }
}

/// The id of a version that PackageKit does not list (some backends list only the newest), or why there is none.
fn unlisted(bus: &Bus, pkg: &Pkg, name: &str, exact: Option<&String>, cancel: &Cancel) -> Result<String, Failure> {
    let all = resolve(bus, ARCH, &[name.to_owned()], cancel)?;
    let Some(any) = all.last() else { return Err(unknown(name)) };
    let is_refused = |p: &Package| !p.is_installed && exact.is_none_or(|version| p.version == *version);
    match exact {
        _ if all.iter().any(is_refused) => {
            let allow = [(pkg.allow_nonfree, "allownonfree"), (pkg.allow_unsupported, "allowunsupported")];
            let words: Vec<String> =
                allow.iter().filter(|(set, _)| !set).map(|(_, name)| format!("`{name} => true`")).collect();
            let text = format!("the package `{name}` is not free, or not supported: it needs {}", words.join(" or "));
            Err(Failure::Refused(text))
        }
        Some(version) => Ok(format!("{name};{version};{};", any.arch)),
        None => Err(unknown(name)),
    }
}

pub(super) fn remove(bus: &Bus, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let packages = resolve(bus, ARCH, &names, cancel)?;
    let ids: Vec<&str> = packages.iter().filter(|p| p.is_installed).map(|p| p.id.as_str()).collect();
    // What needs them goes with them; what only they needed stays.
    run(bus, "RemovePackages", &(0_u64, ids, true, false), cancel)?;
    Ok(())
}

fn resolve(bus: &Bus, filter: u64, names: &[String], cancel: &Cancel) -> Result<Vec<Package>, Failed> {
    let mut packages = run(bus, "Resolve", &(filter, names), cancel)?.packages;
    packages.retain(Package::is_ours);
    Ok(packages)
}

/// A version of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    /// `name;version;arch;data`
    id: String,
    name: String,
    version: String,
    arch: String,
    is_installed: bool,
    /// What is, or would be, done to it.
    info: u32,
}

impl Package {
    /// From the answer about it: what it is to this machine, and its id. Some backends say only in the id that it is
    /// installed, others only in the answer.
    fn parse(info: u32, id: &str) -> Option<Package> {
        let mut fields = id.split(';').map(str::to_owned);
        let [name, version, arch, data] = std::array::from_fn(|_| fields.next());
        let is_installed = info == INSTALLED || data?.split(':').any(|part| part == "installed");
        Some(Package { id: id.to_owned(), name: name?, version: version?, arch: arch?, is_installed, info })
    }

    /// Whether it is for this machine.
    fn is_ours(&self) -> bool {
        let ours: &[&str] = match std::env::consts::ARCH {
            "x86_64" => &["x86_64", "amd64"],
            "aarch64" => &["aarch64", "arm64"],
            "x86" => &["i386", "i486", "i586", "i686"],
            other => &[other],
        };
        matches!(&*self.arch, "noarch" | "any" | "all" | "") || ours.contains(&&*self.arch)
    }
}

/// What a transaction told.
#[derive(Debug, Default)]
struct Told {
    packages: Vec<Package>,
}

/// Why a transaction failed.
#[derive(Debug)]
enum Failed {
    Bus(BusError),
    /// PackageKit's own error.
    Told {
        code: u32,
        text: String,
    },
}

impl From<BusError> for Failed {
    fn from(error: BusError) -> Failed {
        Failed::Bus(error)
    }
}

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Failure {
        match failed {
            Failed::Bus(error) => error.into(),
            Failed::Told { text, .. } => {
                let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                Failure::Command(format!("PackageKit: {}", lines.join("; ")))
            }
        }
    }
}

/// Runs one transaction to its end.
fn run<B: Serialize + DynamicType>(bus: &Bus, method: &str, body: &B, cancel: &Cancel) -> Result<Told, Failed> {
    let (sender, signals): (Sender<Option<Message>>, _) = channel();
    let listening = bus.listen(TRANSACTION_SIGNALS, move |message| {
        // Nobody waits any more: not our concern.
        let _ = sender.send(message.cloned());
    });
    bus.await_listening(&listening, cancel)?;
    let path: OwnedObjectPath = bus.ask(DAEMON, "CreateTransaction", &(), cancel)?;
    let transaction = Object { service: SERVICE, path: path.as_str(), interface: TRANSACTION };
    let hints = ["locale=C", "background=false", "interactive=false"];
    bus.call(transaction, "SetHints", &(&hints[..],), cancel)?;
    bus.call(transaction, method, body, cancel)?;
    let result = collect(bus, transaction, &signals, cancel);
    if matches!(result, Err(Failed::Bus(BusError::Cancelled))) {
        // It may be past the point where it can be.
        let patient = Cancel::new();
        let _ = bus.call(transaction, "Cancel", &(), &patient);
        let end = Instant::now() + FAREWELL;
        let mut rest = std::iter::from_fn(|| signals.recv_timeout(end.saturating_duration_since(Instant::now())).ok());
        let _ = rest.find(|signal| signal.as_ref().is_some_and(|signal| is(signal, &path, "Finished")));
    }
    result
}

fn is(signal: &Message, path: &OwnedObjectPath, member: &str) -> bool {
    let header = signal.header();
    header.path().is_some_and(|p| p.as_str() == path.as_str()) && header.member().is_some_and(|m| m.as_str() == member)
}

fn collect(
    bus: &Bus,
    transaction: Object<'_>,
    signals: &Receiver<Option<Message>>,
    cancel: &Cancel,
) -> Result<Told, Failed> {
    let step = Duration::from_millis(20);
    let mut told = Told::default();
    let mut error = None;
    let mut silence = Duration::ZERO;
    loop {
        if cancel.is_cancelled() {
            return Err(BusError::Cancelled.into());
        }
        let signal = match signals.recv_timeout(step) {
            Ok(Some(signal)) => signal,
            Err(RecvTimeoutError::Timeout) if silence < SILENCE => {
                silence += step;
                continue;
            }
            // Something may have been missed: a transaction that ended is no object any more.
            Ok(None) | Err(_) => {
                silence = Duration::ZERO;
                let properties = Object { interface: "org.freedesktop.DBus.Properties", ..transaction };
                bus.call(properties, "Get", &(TRANSACTION, "Status"), cancel)?;
                continue;
            }
        };
        let header = signal.header();
        if header.path().is_none_or(|path| path.as_str() != transaction.path) {
            continue;
        }
        silence = Duration::ZERO;
        let body = signal.body();
        match header.member().map(|member| member.as_str()) {
            Some("Package") => {
                if let Some(package) =
                    body.deserialize::<(u32, &str, &str)>().ok().and_then(|(info, id, _)| Package::parse(info, id))
                    && !told.packages.contains(&package)
                {
                    told.packages.push(package);
                }
            }
            Some("ErrorCode") => error = body.deserialize::<(u32, String)>().ok(),
            Some("Finished") => {
                let how = body.deserialize::<(u32, u32)>().map_or(0, |(how, _)| how);
                return match error {
                    None if how == SUCCESS => Ok(told),
                    None => Err(Failed::Told { code: 0, text: format!("the transaction ended with code {how}") }),
                    Some((code, text)) => Err(Failed::Told { code, text }),
                };
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AVAILABLE: u32 = 2;

    #[test]
    fn an_id_tells_whether_a_package_is_installed_and_ours() {
        let package = Package::parse(AVAILABLE, "bash;5.2;amd64;installed:debian").unwrap();
        assert_eq!((&*package.name, &*package.version, package.is_installed), ("bash", "5.2", true));
        assert!(!Package::parse(AVAILABLE, "bash;5.2;all;debian-installed").unwrap().is_installed);
        assert!(Package::parse(INSTALLED, "bash;5.2;all;manual:local").unwrap().is_installed);
        assert!(Package::parse(AVAILABLE, "fonts;1;all;debian").unwrap().is_ours());
        assert!(!Package::parse(AVAILABLE, "bash;5.2;s390x;debian").unwrap().is_ours());
        assert_eq!(Package::parse(AVAILABLE, "no id"), None);
    }
}
