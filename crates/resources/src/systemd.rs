//! systemd, over D-Bus (spec 05 §5.6).
//!
//! A bus that cannot be reached leaves root another way: `systemctl` talks to systemd's own socket. So services are kept
//! on machines without a message bus, and while it is down.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::geteuid;
use zbus::{Message, OwnedObjectPath};

use crate::bus::{Bus, BusError, Object, Rule};
use crate::tool::{Tool, find};
use crate::{Cancel, Failure, Scope, Watch};

const SERVICE: &str = "org.freedesktop.systemd1";
const MANAGER: Object<'static> =
    Object { service: SERVICE, path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager" };
const UNIT: &str = "org.freedesktop.systemd1.Unit";
const UNITS: &str = "/org/freedesktop/systemd1/unit";

/// Jobs, unit files and reloads; systemd sends signals only to those who asked it to.
const MANAGER_SIGNALS: Rule = Rule {
    service: SERVICE,
    interface: MANAGER.interface,
    below: MANAGER.path,
    opening: Some((MANAGER.path, MANAGER.interface, "Subscribe")),
};
/// One rule for all units: a bus allows each of its users only so many.
const UNIT_SIGNALS: Rule = Rule { interface: "org.freedesktop.DBus.Properties", below: UNITS, ..MANAGER_SIGNALS };

/// How often a job is looked at whose end was not told.
const LOOK: Duration = Duration::from_secs(2);
/// How long reading all unit files may take.
const RELOAD: Duration = Duration::from_secs(90);
/// How long systemd may be out of reach while it runs.
const BREATH: Duration = Duration::from_secs(5);
/// How long another job on the same unit may take before it is an error, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(50);
/// What systemd says of a job that would undo one that waits.
const CONFLICT: &str = "is destructive";
/// The result of a job that did what it had to.
const DONE: &str = "done";
/// The way without a bus.
const TOOL: &str = "systemctl";

/// The manager of the system, or of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    System,
    Session,
}

/// What is known of a unit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    /// `loaded`, `not-found`, `masked`…
    pub(crate) load: String,
    /// `active`, `inactive`, `failed`…
    pub(crate) active: String,
    /// `enabled`, `disabled`, `static`…; empty for a unit without a file.
    pub(crate) file: String,
}

/// What is done to a unit that may take a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Start,
    Stop,
    Restart,
    /// Reload if the unit can do that, else restart; nothing if it does not run.
    Reload,
}

/// Whether systemd runs this machine.
pub(crate) fn is_running() -> bool {
    std::fs::symlink_metadata(RUNNING).is_ok_and(|m| m.is_dir())
}

const RUNNING: &str = "/run/systemd/system";

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

    /// Does it over the bus or, if that is out of reach, with `systemctl`.
    fn either<T>(
        self,
        (verb, object): (&str, &str),
        cancel: &Cancel,
        over_bus: impl Fn(&Bus) -> Result<T, BusError>,
        by_tool: impl Fn(Tool) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let end = Instant::now() + BREATH;
        loop {
            if !is_running() {
                return Err(Failure::Unavailable("systemd is not running on this machine".to_owned()));
            }
            let result = match over_bus(&self.bus()) {
                Err(BusError::Unreachable(_)) if self.has_tool() => {
                    let mut tool = Tool::new(TOOL)?;
                    tool.args(["--no-pager", "--no-ask-password"]);
                    by_tool(tool)
                }
                Err(error @ BusError::Refused { .. }) if !error.is_of_transport() => {
                    Err(Failure::Command(format!("cannot {verb} {object}: {error}")))
                }
                result => result.map_err(Failure::from),
            };
            // systemd that is executed anew is silent for a moment.
            match result {
                Err(Failure::Command(text)) if is_of_transport(&text) && Instant::now() < end => {
                    pause(cancel)?;
                }
                result => return result,
            }
        }
    }

    fn has_tool(self) -> bool {
        self == Manager::System && geteuid().is_root() && find(TOOL).is_some()
    }

    pub(crate) fn unit(self, unit: &str, cancel: &Cancel) -> Result<Unit, Failure> {
        let over_bus = |bus: &Bus| {
            let path: OwnedObjectPath = bus.ask(MANAGER, "LoadUnit", &(unit,), cancel)?;
            let object = Object { service: SERVICE, path: path.as_str(), interface: UNIT };
            Ok(Unit {
                load: bus.text(object, "LoadState", cancel)?,
                active: bus.text(object, "ActiveState", cancel)?,
                file: bus.text(object, "UnitFileState", cancel)?,
            })
        };
        let by_tool = |mut tool: Tool| {
            let words = ["show", "--property=LoadState,ActiveState,UnitFileState", "--", unit];
            Ok(Unit::parse(&tool.args(words).run(cancel)?))
        };
        self.either(("look at", unit), cancel, over_bus, by_tool)
    }

    /// Whether a service is one that does its work and ends.
    pub(crate) fn is_one_shot(self, unit: &str, cancel: &Cancel) -> Result<bool, Failure> {
        let over_bus = |bus: &Bus| {
            let path: OwnedObjectPath = bus.ask(MANAGER, "LoadUnit", &(unit,), cancel)?;
            let interface = "org.freedesktop.systemd1.Service";
            bus.text(Object { service: SERVICE, path: path.as_str(), interface }, "Type", cancel)
        };
        let by_tool = |mut tool: Tool| tool.args(["show", "--property=Type", "--value", "--", unit]).run(cancel);
        Ok(self.either(("look at", unit), cancel, over_bus, by_tool)?.trim() == "oneshot")
    }

    /// Makes the unit start, or not start, by itself; its file says when.
    pub(crate) fn set_enabled(self, unit: &str, enabled: bool, cancel: &Cancel) -> Result<(), Failure> {
        let verb = if enabled { "enable" } else { "disable" };
        let over_bus = |bus: &Bus| {
            let units = [unit];
            if enabled {
                bus.call(MANAGER, "EnableUnitFiles", &(&units[..], false, true), cancel)?;
            } else {
                bus.call(MANAGER, "DisableUnitFiles", &(&units[..], false), cancel)?;
            }
            bus.call_within(RELOAD, MANAGER, "Reload", &(), cancel).map(drop)
        };
        self.either((verb, unit), cancel, over_bus, |mut tool| tool.args([verb, "--", unit]).run(cancel).map(drop))
    }

    /// Makes systemd read its unit files again.
    pub(crate) fn reload(self, cancel: &Cancel) -> Result<(), Failure> {
        let over_bus = |bus: &Bus| bus.call_within(RELOAD, MANAGER, "Reload", &(), cancel).map(drop);
        self.either(("reload", "unit files"), cancel, over_bus, |mut tool| {
            tool.args(["daemon-reload"]).run(cancel).map(drop)
        })
    }

    /// Starts a job and waits for its end.
    pub(crate) fn run(self, job: Job, unit: &str, cancel: &Cancel) -> Result<(), Failure> {
        let by_tool = |mut tool: Tool| {
            tool.args(["--job-mode=fail", job.word(), "--", unit]).run(cancel).map(|_| DONE.to_owned())
        };
        let end = Instant::now() + PATIENCE;
        let result = loop {
            match self.either((job.verb(), unit), cancel, |bus| self.result(bus, job, unit, cancel), by_tool) {
                // Somebody else's job has not ended: the unit stops just now, and we were told of it.
                Err(Failure::Command(text)) if text.contains(CONFLICT) && Instant::now() < end => {
                    pause(cancel)?;
                }
                result => break result?,
            }
        };
        match &*result {
            DONE => return Ok(()),
            "canceled" => {
                let text = format!("cannot {} {unit}: somebody else wants something else of it", job.verb());
                return Err(Failure::Disturbed(text));
            }
            _ => {}
        }
        Err(Failure::Command(format!(
            "cannot {} {unit}: the job of systemd ended with `{result}`; `systemctl status {unit}` says more",
            job.verb()
        )))
    }

    fn result(self, bus: &Bus, job: Job, unit: &str, cancel: &Cancel) -> Result<String, BusError> {
        let (sender, ends) = channel();
        let listening = bus.listen(MANAGER_SIGNALS, move |message| {
            // Nobody waits any more: not our concern.
            let _ = sender.send(message.and_then(ended_job));
        });
        bus.await_listening(&listening, cancel)?;
        // A job that would undo another one that is waiting is not started.
        let path: OwnedObjectPath = bus.ask(MANAGER, job.method(), &(unit, "fail"), cancel)?;
        let object = Object { service: SERVICE, path: path.as_str(), interface: "org.freedesktop.systemd1.Job" };
        let mut silence = Duration::ZERO;
        loop {
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            let step = Duration::from_millis(20);
            match ends.recv_timeout(step) {
                Ok(Some(ended)) if ended.path == path => return Ok(ended.result),
                Ok(Some(_)) => {}
                Err(RecvTimeoutError::Timeout) if silence < LOOK => silence += step,
                Ok(None) | Err(_) => {
                    silence = Duration::ZERO;
                    match bus.text(object, "State", cancel) {
                        Ok(_) => {}
                        // It ended, and we are told in this moment how. If not, the unit itself tells at the next check.
                        Err(BusError::Refused { .. }) => {
                            let end = Instant::now() + LOOK;
                            let left = || end.saturating_duration_since(Instant::now());
                            let mut told = std::iter::from_fn(|| ends.recv_timeout(left()).ok()).flatten();
                            let result = told.find(|ended| ended.path == path).map(|ended| ended.result);
                            return Ok(result.unwrap_or_else(|| DONE.to_owned()));
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }

    /// Where the administrator's unit files are.
    pub(crate) fn unit_directory(self) -> Result<PathBuf, Failure> {
        match self {
            Manager::System => Ok(PathBuf::from("/etc/systemd/system")),
            Manager::Session => match std::env::var_os("HOME").filter(|home| !home.is_empty()) {
                Some(home) => Ok(Path::new(&home).join(".config/systemd/user")),
                None => Err(Failure::Unavailable("units of a user need HOME to be set".to_owned())),
            },
        }
    }

    /// Events for a unit that starts, stops, fails, is enabled, or gets another file. Without systemd, for its coming.
    pub(crate) fn watches(self, unit: &str) -> Vec<Watch> {
        let mut watches = vec![Watch::Path(PathBuf::from(RUNNING), Scope::Entry)];
        if let Ok(directory) = self.unit_directory() {
            watches.push(Watch::Path(directory.join(unit), Scope::Entry));
        }
        if !is_running() {
            return watches;
        }
        if self == Manager::System {
            // systemd keeps a link for each unit that runs: that tells us even without a bus.
            let link = format!("/run/systemd/units/invocation:{unit}");
            watches.push(Watch::Path(PathBuf::from(link), Scope::Entry));
        }
        let unit = unit.to_owned();
        watches.push(Watch::Listen(Box::new(move |wake| {
            let wake: std::sync::Arc<dyn Fn() + Send + Sync> = wake.into();
            let ours = wake.clone();
            let path = unit_path(&unit);
            let bus = self.bus();
            let units = bus.listen(UNIT_SIGNALS, move |message| {
                if message.is_none_or(|m| m.header().path().is_some_and(|p| p.as_str() == path)) {
                    ours();
                }
            });
            let manager = bus.listen(MANAGER_SIGNALS, move |message| {
                if message.is_none_or(|message| concerns(message, &unit)) {
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

    /// For `systemctl`.
    fn word(self) -> &'static str {
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

/// Whether it was not systemd that refused, but the way to it that was cut. The words are those of `systemctl`.
fn is_of_transport(text: &str) -> bool {
    let words =
        ["endpoint is not connected", "Connection reset", "Failed to connect to bus", "disconnected from the bus"];
    words.iter().any(|words| text.contains(words))
}

fn pause(cancel: &Cancel) -> Result<(), Failure> {
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    std::thread::sleep(PAUSE);
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

/// Whether a signal of the manager may mean that the unit changed. The coming and going of units in systemd's memory does
/// not: our own questions make them come and go.
fn concerns(message: &Message, unit: &str) -> bool {
    let header = message.header();
    match header.member().map(|member| member.as_str()) {
        Some("JobRemoved") => ended_job(message).is_none_or(|ended| ended.unit == unit),
        Some("UnitFilesChanged") => true,
        // It is told before and after; what counts is the end.
        Some("Reloading") => !message.body().deserialize::<bool>().unwrap_or(false),
        _ => false,
    }
}

/// The object of a unit: systemd's way to write a name as a path.
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
    fn names_of_units_become_paths() {
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
