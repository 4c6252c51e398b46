//! PackageKit, over the system bus (spec 05 §6.4).
//!
//! Each query and each change is a transaction: an object that reports its results by signals, `Finished` being the last.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use zbus::{DynamicType, Message, OwnedObjectPath};

use crate::bus::{Bus, BusError, MatchRule, Object};
use crate::providers::pkg::request::{Pkg, Refused, State, Versions, unknown};
use crate::{Cancel, Failure, Watch};

const SERVICE: &str = "org.freedesktop.PackageKit";
const DAEMON: Object<'static> = Object { service: SERVICE, path: "/org/freedesktop/PackageKit", interface: SERVICE };
const TRANSACTION: &str = "org.freedesktop.PackageKit.Transaction";
const DAEMON_SIGNALS: MatchRule =
    MatchRule { service: SERVICE, interface: SERVICE, path_namespace: DAEMON.path, subscribe_method: None };
const TRANSACTION_SIGNALS: MatchRule =
    MatchRule { service: SERVICE, interface: TRANSACTION, path_namespace: "/", subscribe_method: None };

/// Bits of `PkFilterEnum`.
const FILTER_FREE: u64 = 1 << 8;
const FILTER_SUPPORTED: u64 = 1 << 12;
const FILTER_NEWEST: u64 = 1 << 16;
const FILTER_ARCH: u64 = 1 << 18;
/// Bits of `PkTransactionFlagEnum`.
const FLAG_ONLY_TRUSTED: u64 = 1 << 1;
const FLAG_SIMULATE: u64 = 1 << 2;
const FLAG_ALLOW_DOWNGRADE: u64 = 1 << 6;
/// Values of `PkErrorEnum`.
const ERROR_GPG_FAILURE: u32 = 5;
const ERROR_ALREADY_INSTALLED: u32 = 9;
const ERROR_BAD_SIGNATURE: u32 = 30;
const ERROR_NO_SIGNATURE: u32 = 31;
/// Values of `PkInfoEnum`.
const INFO_INSTALLED: u32 = 1;
const INFO_DOWNGRADING: u32 = 20;
/// The value of `PkExitEnum` for success.
const EXIT_SUCCESS: u32 = 1;

/// How long to wait for a signal before the daemon is asked whether the transaction still exists.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to wait for a cancelled transaction to finish.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the system bus if PackageKit is available on it.
pub(super) fn connect(cancel: &Cancel) -> Result<Option<Bus>, Failure> {
    let bus = Bus::system();
    match bus.is_available(SERVICE, cancel) {
        Ok(true) => Ok(Some(bus)),
        Ok(false) => Ok(None),
        Err(error) if error.is_unavailable() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn watch() -> Watch {
    Watch::Listen(Box::new(|wake| {
        let is_relevant =
            |message: &Message| message.header().member().is_some_and(|member| member.as_str() == "UpdatesChanged");
        Box::new(Bus::system().subscribe(DAEMON_SIGNALS, move |message| {
            if message.is_none_or(is_relevant) {
                wake();
            }
        }))
    }))
}

pub(super) fn installed(bus: &Bus, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    let packages = resolve(bus, FILTER_ARCH, names, cancel)?;
    Ok(packages.into_iter().filter(|p| p.is_installed).map(|p| (p.name, p.version)).collect())
}

/// Returns the available updates of the packages, by name.
pub(super) fn updates(bus: &Bus, names: &[String], cancel: &Cancel) -> Result<Versions, Failure> {
    let updates = run(bus, "GetUpdates", &(FILTER_ARCH,), cancel)?.packages.into_iter();
    let ours = updates.filter(|package| names.contains(&package.name) && package.is_native());
    Ok(ours.map(|package| (package.name, package.version)).collect())
}

pub(super) fn install(bus: &Bus, pkg: &Pkg, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    // Without a network, the cached package lists may suffice.
    match run(bus, "RefreshCache", &(false,), cancel) {
        Ok(_) | Err(TransactionError::PackageKit { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let exact = match &pkg.state {
        State::Version(version) => Some(version),
        State::Installed | State::Uninstalled | State::Newest => None,
    };
    let mut filter = FILTER_ARCH | if exact.is_some() { 0 } else { FILTER_NEWEST };
    filter |= if pkg.allow_nonfree { 0 } else { FILTER_FREE };
    filter |= if pkg.allow_unsupported { 0 } else { FILTER_SUPPORTED };
    let available = resolve(bus, filter, &names, cancel)?;
    let mut ids = Vec::with_capacity(names.len());
    for name in &names {
        let fits = |p: &&Package| p.name == *name && !p.is_installed && exact.is_none_or(|v| p.version == *v);
        match available.iter().rev().find(fits) {
            Some(package) => ids.push(package.id.clone()),
            None => ids.push(unlisted(bus, pkg, name, exact, cancel)?),
        }
    }
    let mut flags = if pkg.allow_untrusted { 0 } else { FLAG_ONLY_TRUSTED };
    flags |= if pkg.allow_downgrade && exact.is_some() { FLAG_ALLOW_DOWNGRADE } else { 0 };
    // Not every backend honors the flag, so a simulation tells whether the version is a downgrade.
    if exact.is_some() && !pkg.allow_downgrade {
        let plan = run(bus, "InstallPackages", &(flags | FLAG_SIMULATE, &ids), cancel)?.packages;
        if let Some(package) = plan.iter().find(|p| p.info == INFO_DOWNGRADING && names.contains(&p.name)) {
            let text = format!("the installed version of `{}` is newer than {}", package.name, package.version);
            return Err(pkg.with_hint(Failure::Refused(text), &Refused { downgrade: true, untrusted: false }));
        }
    }
    // Installs missing packages and replaces other versions.
    match run(bus, "InstallPackages", &(flags, ids), cancel) {
        Ok(_) => Ok(()),
        Err(TransactionError::PackageKit { code, message }) => {
            let refused = Refused {
                downgrade: exact.is_some() && (code == ERROR_ALREADY_INSTALLED || message.contains("downgrad")),
                untrusted: matches!(code, ERROR_GPG_FAILURE | ERROR_BAD_SIGNATURE | ERROR_NO_SIGNATURE),
            };
            Err(pkg.with_hint(TransactionError::PackageKit { code, message }.into(), &refused))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the id of a version that PackageKit does not list, because some backends list only the newest one.
///
/// # Errors
/// The package is unknown, or excluded as non-free or unsupported.
fn unlisted(bus: &Bus, pkg: &Pkg, name: &str, exact: Option<&String>, cancel: &Cancel) -> Result<String, Failure> {
    let all = resolve(bus, FILTER_ARCH, &[name.to_owned()], cancel)?;
    let Some(any) = all.last() else { return Err(unknown(name)) };
    let is_refused = |p: &Package| !p.is_installed && exact.is_none_or(|version| p.version == *version);
    match exact {
        _ if all.iter().any(is_refused) => {
            let allow = [(pkg.allow_nonfree, "allownonfree"), (pkg.allow_unsupported, "allowunsupported")];
            let words: Vec<String> =
                allow.iter().filter(|(set, _)| !set).map(|(_, name)| format!("`{name} => true`")).collect();
            let text = format!("the package `{name}` is non-free or unsupported; set {}", words.join(" or "));
            Err(Failure::Refused(text))
        }
        Some(version) => Ok(format!("{name};{version};{};", any.arch)),
        None => Err(unknown(name)),
    }
}

pub(super) fn remove(bus: &Bus, names: &[&str], cancel: &Cancel) -> Result<(), Failure> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let packages = resolve(bus, FILTER_ARCH, &names, cancel)?;
    let ids: Vec<&str> = packages.iter().filter(|p| p.is_installed).map(|p| p.id.as_str()).collect();
    // Packages that depend on them are removed too; packages that become unused are kept.
    run(bus, "RemovePackages", &(0_u64, ids, true, false), cancel)?;
    Ok(())
}

fn resolve(bus: &Bus, filter: u64, names: &[String], cancel: &Cancel) -> Result<Vec<Package>, TransactionError> {
    let mut packages = run(bus, "Resolve", &(filter, names), cancel)?.packages;
    packages.retain(Package::is_native);
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
    /// A value of `PkInfoEnum`: the state of the package, or what the transaction does to it.
    info: u32,
}

impl Package {
    /// Parses a `Package` signal. Some backends report only in the id that a package is installed, others only in `info`.
    fn parse(info: u32, id: &str) -> Option<Package> {
        let mut fields = id.split(';').map(str::to_owned);
        let [name, version, arch, data] = std::array::from_fn(|_| fields.next());
        let is_installed = info == INFO_INSTALLED || data?.split(':').any(|part| part == "installed");
        Some(Package { id: id.to_owned(), name: name?, version: version?, arch: arch?, is_installed, info })
    }

    /// Returns whether the package is for the architecture of this machine.
    fn is_native(&self) -> bool {
        let ours: &[&str] = match std::env::consts::ARCH {
            "x86_64" => &["x86_64", "amd64"],
            "aarch64" => &["aarch64", "arm64"],
            "x86" => &["i386", "i486", "i586", "i686"],
            other => &[other],
        };
        matches!(&*self.arch, "noarch" | "any" | "all" | "") || ours.contains(&&*self.arch)
    }
}

/// The results of a transaction.
#[derive(Debug, Default)]
struct TransactionOutput {
    packages: Vec<Package>,
}

/// Why a transaction failed.
#[derive(Debug)]
enum TransactionError {
    Bus(BusError),
    /// An error that PackageKit reported.
    PackageKit {
        /// A value of `PkErrorEnum`.
        code: u32,
        message: String,
    },
}

impl From<BusError> for TransactionError {
    fn from(error: BusError) -> TransactionError {
        TransactionError::Bus(error)
    }
}

impl From<TransactionError> for Failure {
    fn from(error: TransactionError) -> Failure {
        match error {
            TransactionError::Bus(error) => error.into(),
            TransactionError::PackageKit { message, .. } => {
                let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                Failure::Command(format!("PackageKit: {}", lines.join("; ")))
            }
        }
    }
}

/// Runs a transaction until it has finished.
fn run<B: Serialize + DynamicType>(
    bus: &Bus,
    method: &str,
    body: &B,
    cancel: &Cancel,
) -> Result<TransactionOutput, TransactionError> {
    let (sender, signals): (Sender<Option<Message>>, _) = channel();
    let subscription = bus.subscribe(TRANSACTION_SIGNALS, move |message| {
        // The receiver is gone once the transaction has finished.
        let _ = sender.send(message.cloned());
    });
    bus.wait_until_active(&subscription, cancel)?;
    let path: OwnedObjectPath = bus.query(DAEMON, "CreateTransaction", &(), cancel)?;
    let transaction = Object { service: SERVICE, path: path.as_str(), interface: TRANSACTION };
    let hints = ["locale=C", "background=false", "interactive=false"];
    bus.call(transaction, "SetHints", &(&hints[..],), cancel)?;
    bus.call(transaction, method, body, cancel)?;
    let result = collect(bus, transaction, &signals, cancel);
    if matches!(result, Err(TransactionError::Bus(BusError::Cancelled))) {
        // The call to cancel must not be cancelled itself; the transaction may be past the point of no return.
        let never = Cancel::new();
        let _ = bus.call(transaction, "Cancel", &(), &never);
        let end = Instant::now() + CANCEL_TIMEOUT;
        let mut rest = std::iter::from_fn(|| signals.recv_timeout(end.saturating_duration_since(Instant::now())).ok());
        let _ = rest.find(|signal| signal.as_ref().is_some_and(|signal| is_signal(signal, &path, "Finished")));
    }
    result
}

fn is_signal(signal: &Message, path: &OwnedObjectPath, member: &str) -> bool {
    let header = signal.header();
    header.path().is_some_and(|p| p.as_str() == path.as_str()) && header.member().is_some_and(|m| m.as_str() == member)
}

fn collect(
    bus: &Bus,
    transaction: Object<'_>,
    signals: &Receiver<Option<Message>>,
    cancel: &Cancel,
) -> Result<TransactionOutput, TransactionError> {
    let step = Duration::from_millis(20);
    let mut output = TransactionOutput::default();
    let mut error = None;
    let mut idle = Duration::ZERO;
    loop {
        if cancel.is_cancelled() {
            return Err(BusError::Cancelled.into());
        }
        let signal = match signals.recv_timeout(step) {
            Ok(Some(signal)) => signal,
            Err(RecvTimeoutError::Timeout) if idle < PROGRESS_TIMEOUT => {
                idle += step;
                continue;
            }
            // Signals may have been lost. The object of a finished transaction no longer exists, so this call fails then.
            Ok(None) | Err(_) => {
                idle = Duration::ZERO;
                let properties = Object { interface: "org.freedesktop.DBus.Properties", ..transaction };
                bus.call(properties, "Get", &(TRANSACTION, "Status"), cancel)?;
                continue;
            }
        };
        let header = signal.header();
        if header.path().is_none_or(|path| path.as_str() != transaction.path) {
            continue;
        }
        idle = Duration::ZERO;
        let body = signal.body();
        match header.member().map(|member| member.as_str()) {
            Some("Package") => {
                if let Some(package) =
                    body.deserialize::<(u32, &str, &str)>().ok().and_then(|(info, id, _)| Package::parse(info, id))
                    && !output.packages.contains(&package)
                {
                    output.packages.push(package);
                }
            }
            Some("ErrorCode") => error = body.deserialize::<(u32, String)>().ok(),
            Some("Finished") => {
                let exit = body.deserialize::<(u32, u32)>().map_or(0, |(exit, _)| exit);
                return match error {
                    None if exit == EXIT_SUCCESS => Ok(output),
                    None => Err(TransactionError::PackageKit {
                        code: 0,
                        message: format!("the transaction ended with code {exit}"),
                    }),
                    Some((code, message)) => Err(TransactionError::PackageKit { code, message }),
                };
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO_AVAILABLE: u32 = 2;

    #[test]
    fn an_id_has_the_installed_state_and_the_architecture() {
        let package = Package::parse(INFO_AVAILABLE, "bash;5.2;amd64;installed:debian").unwrap();
        assert_eq!((&*package.name, &*package.version, package.is_installed), ("bash", "5.2", true));
        assert!(!Package::parse(INFO_AVAILABLE, "bash;5.2;all;debian-installed").unwrap().is_installed);
        assert!(Package::parse(INFO_INSTALLED, "bash;5.2;all;manual:local").unwrap().is_installed);
        assert!(Package::parse(INFO_AVAILABLE, "fonts;1;all;debian").unwrap().is_native());
        assert!(!Package::parse(INFO_AVAILABLE, "bash;5.2;s390x;debian").unwrap().is_native());
        assert_eq!(Package::parse(INFO_AVAILABLE, "no id"), None);
    }
}
