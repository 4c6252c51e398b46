//! systemd, over D-Bus (spec 05 §5.6).
//!
//! Where the bus cannot be reached, root uses `systemctl`, which talks to systemd's private socket. So services are managed
//! on machines without a message bus and while it is down.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::geteuid;
use zbus::{Message, OwnedObjectPath};

use crate::bus::{Bus, BusError, MatchRule, Object};
use crate::process::find_program;
use crate::tool::Tool;
use crate::{Cancel, Failure, Scope, Watch};

const SERVICE: &str = "org.freedesktop.systemd1";
const MANAGER: Object<'static> =
    Object { service: SERVICE, path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager" };
const UNIT: &str = "org.freedesktop.systemd1.Unit";
const UNITS: &str = "/org/freedesktop/systemd1/unit";

/// Jobs, unit files and reloads. systemd sends signals only after a call of `Subscribe`.
const MANAGER_SIGNALS: MatchRule = MatchRule {
    service: SERVICE,
    interface: MANAGER.interface,
    path_namespace: MANAGER.path,
    subscribe_method: Some((MANAGER.path, MANAGER.interface, "Subscribe")),
};
/// Changes of all units: a bus limits the number of rules per connection, so units share one.
const UNIT_SIGNALS: MatchRule =
    MatchRule { interface: "org.freedesktop.DBus.Properties", path_namespace: UNITS, ..MANAGER_SIGNALS };

/// How often the state of a job is queried while no signal arrives.
const JOB_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time for systemd to reload all unit files.
const DAEMON_RELOAD_TIMEOUT: Duration = Duration::from_secs(90);
/// How long to retry while systemd re-executes itself and its bus is gone.
const REEXEC_RETRY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for a conflicting job on the same unit.
const JOB_CONFLICT_TIMEOUT: Duration = Duration::from_secs(90);
/// Delay between two attempts that failed temporarily.
const CONFLICT_RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Part of systemd's message for a job that conflicts with a queued one.
const JOB_CONFLICT_MESSAGE: &str = "is destructive";
/// The result of a successful job.
const JOB_DONE: &str = "done";
const SYSTEMCTL: &str = "systemctl";
/// Exists while systemd is the init system.
const RUNTIME_DIRECTORY: &str = "/run/systemd/system";

/// The manager of the system, or of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    System,
    Session,
}

/// The state of a unit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    /// `loaded`, `not-found`, `masked`…
    pub(crate) load: String,
    /// `active`, `inactive`, `failed`…
    pub(crate) active: String,
    /// `enabled`, `disabled`, `static`…; empty for a unit without a file.
    pub(crate) file: String,
}

/// A job that systemd runs on a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Start,
    Stop,
    Restart,
    /// Reloads the unit if it supports that, else restarts it; does nothing if it is not running.
    Reload,
}

/// Returns whether systemd is the init system of this machine.
pub(crate) fn is_running() -> bool {
    std::fs::symlink_metadata(RUNTIME_DIRECTORY).is_ok_and(|m| m.is_dir())
}

impl Manager {
    pub(crate) fn of(session: bool) -> Manager {
        if session { Manager::Session } else { Manager::System }
    }

    fn bus(self) -> Bus {
        match self {
            Manager::System => Bus::system(),
            Manager::Session => Bus::session(),
        }
    }

    /// Performs an action over the bus or, if the bus is unreachable, with `systemctl`.
    fn bus_or_systemctl<T>(
        self,
        (verb, object): (&str, &str),
        cancel: &Cancel,
        over_bus: impl Fn(&Bus) -> Result<T, BusError>,
        by_tool: impl Fn(Tool) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let end = Instant::now() + REEXEC_RETRY_TIMEOUT;
        loop {
            if !is_running() {
                return Err(Failure::Unavailable("systemd is not running on this machine".to_owned()));
            }
            let result = match over_bus(&self.bus()) {
                Err(BusError::Unreachable(_)) if self.has_tool() => {
                    let mut tool = Tool::new(SYSTEMCTL)?;
                    tool.args(["--no-pager", "--no-ask-password"]);
                    by_tool(tool)
                }
                Err(error @ BusError::MethodError { .. }) if !error.is_disconnect() => {
                    Err(Failure::Command(format!("cannot {verb} {object}: {error}")))
                }
                result => result.map_err(Failure::from),
            };
            // While systemd re-executes itself, its connections are closed.
            match result {
                Err(Failure::Command(text)) if is_disconnect_message(&text) && Instant::now() < end => {
                    wait_before_retry(cancel)?;
                }
                result => return result,
            }
        }
    }

    fn has_tool(self) -> bool {
        self == Manager::System && geteuid().is_root() && find_program(SYSTEMCTL).is_some()
    }

    pub(crate) fn unit(self, unit: &str, cancel: &Cancel) -> Result<Unit, Failure> {
        let over_bus = |bus: &Bus| {
            let path: OwnedObjectPath = bus.query(MANAGER, "LoadUnit", &(unit,), cancel)?;
            let object = Object { service: SERVICE, path: path.as_str(), interface: UNIT };
            Ok(Unit {
                load: bus.string_property(object, "LoadState", cancel)?,
                active: bus.string_property(object, "ActiveState", cancel)?,
                file: bus.string_property(object, "UnitFileState", cancel)?,
            })
        };
        let by_tool = |mut tool: Tool| {
            let words = ["show", "--property=LoadState,ActiveState,UnitFileState", "--", unit];
            Ok(Unit::parse(&tool.args(words).run(cancel)?))
        };
        self.bus_or_systemctl(("look at", unit), cancel, over_bus, by_tool)
    }

    /// Returns whether a service has `Type=oneshot`.
    pub(crate) fn is_one_shot(self, unit: &str, cancel: &Cancel) -> Result<bool, Failure> {
        let over_bus = |bus: &Bus| {
            let path: OwnedObjectPath = bus.query(MANAGER, "LoadUnit", &(unit,), cancel)?;
            let interface = "org.freedesktop.systemd1.Service";
            bus.string_property(Object { service: SERVICE, path: path.as_str(), interface }, "Type", cancel)
        };
        let by_tool = |mut tool: Tool| tool.args(["show", "--property=Type", "--value", "--", unit]).run(cancel);
        Ok(self.bus_or_systemctl(("look at", unit), cancel, over_bus, by_tool)?.trim() == "oneshot")
    }

    /// Enables or disables the unit.
    pub(crate) fn set_enabled(self, unit: &str, enabled: bool, cancel: &Cancel) -> Result<(), Failure> {
        let verb = if enabled { "enable" } else { "disable" };
        let over_bus = |bus: &Bus| {
            let units = [unit];
            if enabled {
                bus.call(MANAGER, "EnableUnitFiles", &(&units[..], false, true), cancel)?;
            } else {
                bus.call(MANAGER, "DisableUnitFiles", &(&units[..], false), cancel)?;
            }
            bus.call_within(DAEMON_RELOAD_TIMEOUT, MANAGER, "Reload", &(), cancel).map(drop)
        };
        self.bus_or_systemctl((verb, unit), cancel, over_bus, |mut tool| {
            tool.args([verb, "--", unit]).run(cancel).map(drop)
        })
    }

    /// Makes systemd reload its unit files.
    pub(crate) fn reload(self, cancel: &Cancel) -> Result<(), Failure> {
        let over_bus = |bus: &Bus| bus.call_within(DAEMON_RELOAD_TIMEOUT, MANAGER, "Reload", &(), cancel).map(drop);
        self.bus_or_systemctl(("reload", "unit files"), cancel, over_bus, |mut tool| {
            tool.args(["daemon-reload"]).run(cancel).map(drop)
        })
    }

    /// Runs a job and waits until it has ended.
    pub(crate) fn run(self, job: Job, unit: &str, cancel: &Cancel) -> Result<(), Failure> {
        let by_tool = |mut tool: Tool| {
            tool.args(["--job-mode=fail", job.systemctl_command(), "--", unit]).run(cancel).map(|_| JOB_DONE.to_owned())
        };
        let end = Instant::now() + JOB_CONFLICT_TIMEOUT;
        let result = loop {
            match self.bus_or_systemctl(
                (job.verb(), unit),
                cancel,
                |bus| self.run_over_bus(bus, job, unit, cancel),
                by_tool,
            ) {
                // Another job on the unit has not ended yet: its stop was signalled before it completed.
                Err(Failure::Command(text)) if text.contains(JOB_CONFLICT_MESSAGE) && Instant::now() < end => {
                    wait_before_retry(cancel)?;
                }
                result => break result?,
            }
        };
        match &*result {
            JOB_DONE => return Ok(()),
            "canceled" => {
                let text = format!("cannot {} {unit}: the job was canceled by another one", job.verb());
                return Err(Failure::Disturbed(text));
            }
            _ => {}
        }
        Err(Failure::Command(format!(
            "cannot {} {unit}: the systemd job ended with `{result}`; see `systemctl status {unit}`",
            job.verb()
        )))
    }

    fn run_over_bus(self, bus: &Bus, job: Job, unit: &str, cancel: &Cancel) -> Result<String, BusError> {
        let (sender, ended_jobs) = channel();
        let subscription = bus.subscribe(MANAGER_SIGNALS, move |message| {
            // The receiver is gone once the job has ended.
            let _ = sender.send(message.and_then(ended_job));
        });
        bus.wait_until_active(&subscription, cancel)?;
        // Mode `fail` refuses a job that conflicts with a queued one.
        let path: OwnedObjectPath = bus.query(MANAGER, job.method(), &(unit, "fail"), cancel)?;
        let object = Object { service: SERVICE, path: path.as_str(), interface: "org.freedesktop.systemd1.Job" };
        let mut idle = Duration::ZERO;
        loop {
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            let step = Duration::from_millis(20);
            match ended_jobs.recv_timeout(step) {
                Ok(Some(ended)) if ended.path == path => return Ok(ended.result),
                Ok(Some(_)) => {}
                Err(RecvTimeoutError::Timeout) if idle < JOB_POLL_INTERVAL => idle += step,
                Ok(None) | Err(_) => {
                    idle = Duration::ZERO;
                    match bus.string_property(object, "State", cancel) {
                        Ok(_) => {}
                        // The job has ended and its signal is on the way. Without one, the next check finds out the unit's state.
                        Err(BusError::MethodError { .. }) => {
                            let end = Instant::now() + JOB_POLL_INTERVAL;
                            let left = || end.saturating_duration_since(Instant::now());
                            let mut rest = std::iter::from_fn(|| ended_jobs.recv_timeout(left()).ok()).flatten();
                            let result = rest.find(|ended| ended.path == path).map(|ended| ended.result);
                            return Ok(result.unwrap_or_else(|| JOB_DONE.to_owned()));
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }

    /// Returns the directory of the administrator's unit files.
    pub(crate) fn unit_directory(self) -> Result<PathBuf, Failure> {
        match self {
            Manager::System => Ok(PathBuf::from("/etc/systemd/system")),
            Manager::Session => match std::env::var_os("HOME").filter(|home| !home.is_empty()) {
                Some(home) => Ok(Path::new(&home).join(".config/systemd/user")),
                None => Err(Failure::Unavailable("units of a user require `HOME` to be set".to_owned())),
            },
        }
    }

    /// Returns watches for the state, the enablement and the file of a unit, and for the start of systemd where it is not
    /// running.
    pub(crate) fn watches(self, unit: &str) -> Vec<Watch> {
        let mut watches = vec![Watch::Path(PathBuf::from(RUNTIME_DIRECTORY), Scope::Entry)];
        if let Ok(directory) = self.unit_directory() {
            watches.push(Watch::Path(directory.join(unit), Scope::Entry));
        }
        if !is_running() {
            return watches;
        }
        if self == Manager::System {
            // systemd keeps a link for each running unit, so this also works without a bus.
            let link = format!("/run/systemd/units/invocation:{unit}");
            watches.push(Watch::Path(PathBuf::from(link), Scope::Entry));
        }
        let unit = unit.to_owned();
        watches.push(Watch::Listen(Box::new(move |wake| {
            let wake: std::sync::Arc<dyn Fn() + Send + Sync> = wake.into();
            let wake_for_unit = wake.clone();
            let path = unit_path(&unit);
            let bus = self.bus();
            let units = bus.subscribe(UNIT_SIGNALS, move |message| {
                if message.is_none_or(|m| m.header().path().is_some_and(|p| p.as_str() == path)) {
                    wake_for_unit();
                }
            });
            let manager = bus.subscribe(MANAGER_SIGNALS, move |message| {
                if message.is_none_or(|message| may_affect(message, &unit)) {
                    wake();
                }
            });
            Box::new((units, manager))
        })));
        watches
    }
}

impl Job {
    fn method(self) -> &'static str {
        match self {
            Job::Start => "StartUnit",
            Job::Stop => "StopUnit",
            Job::Restart => "RestartUnit",
            Job::Reload => "ReloadOrTryRestartUnit",
        }
    }

    /// Returns the `systemctl` command.
    fn systemctl_command(self) -> &'static str {
        if self == Job::Reload { "try-reload-or-restart" } else { self.verb() }
    }

    pub(crate) fn verb(self) -> &'static str {
        match self {
            Job::Start => "start",
            Job::Stop => "stop",
            Job::Restart => "restart",
            Job::Reload => "reload",
        }
    }
}

impl Unit {
    fn parse(text: &str) -> Unit {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or("").trim().to_owned()
        };
        Unit { load: value("LoadState"), active: value("ActiveState"), file: value("UnitFileState") }
    }

    pub(crate) fn is_active(&self) -> bool {
        matches!(&*self.active, "active" | "reloading" | "refreshing")
    }
}

/// Returns whether an error message of `systemctl` means that the connection to systemd was lost.
fn is_disconnect_message(text: &str) -> bool {
    let messages =
        ["endpoint is not connected", "Connection reset", "Failed to connect to bus", "disconnected from the bus"];
    messages.iter().any(|message| text.contains(message))
}

fn wait_before_retry(cancel: &Cancel) -> Result<(), Failure> {
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    std::thread::sleep(CONFLICT_RETRY_INTERVAL);
    Ok(())
}

struct EndedJob {
    path: OwnedObjectPath,
    unit: String,
    result: String,
}

fn ended_job(message: &Message) -> Option<EndedJob> {
    if message.header().member()?.as_str() != "JobRemoved" {
        return None;
    }
    let (_, path, unit, result) = message.body().deserialize::<(u32, OwnedObjectPath, String, String)>().ok()?;
    Some(EndedJob { path, unit, result })
}

/// Returns whether a signal of the manager may mean that the unit changed. `UnitNew` and `UnitRemoved` do not: queries make
/// systemd load and unload units.
fn may_affect(message: &Message, unit: &str) -> bool {
    let header = message.header();
    match header.member().map(|member| member.as_str()) {
        Some("JobRemoved") => ended_job(message).is_none_or(|ended| ended.unit == unit),
        Some("UnitFilesChanged") => true,
        // Sent before and after a reload; only the end matters.
        Some("Reloading") => !message.body().deserialize::<bool>().unwrap_or(false),
        _ => false,
    }
}

/// Returns the object path of a unit, with its name escaped as systemd does.
fn unit_path(unit: &str) -> String {
    let mut path = format!("{UNITS}/");
    for (i, byte) in unit.bytes().enumerate() {
        if byte.is_ascii_alphabetic() || (i > 0 && byte.is_ascii_digit()) {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("_{byte:02x}"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_names_are_escaped() {
        assert_eq!(unit_path("a-b@1.service"), "/org/freedesktop/systemd1/unit/a_2db_401_2eservice");
        assert_eq!(unit_path("7z.service"), "/org/freedesktop/systemd1/unit/_37z_2eservice");
    }

    #[test]
    fn properties_are_read_in_any_order() {
        let unit = Unit::parse("ActiveState=active\nUnitFileState=\nLoadState=loaded\n");
        assert_eq!(unit, Unit { load: "loaded".into(), active: "active".into(), file: String::new() });
        assert!(unit.is_active());
    }

    #[test]
    fn without_systemd_the_error_says_so() {
        if is_running() {
            eprintln!("skipped: systemd is running here");
            return;
        }
        let error = Manager::System.unit("x.service", &Cancel::new()).unwrap_err();
        assert_eq!(error.to_string(), "systemd is not running on this machine");
    }
}
