//! What kinds ask of systemd, through `systemctl` (spec 05 §5.6).

use std::path::{Path, PathBuf};

use crate::kinds::tool::Tool;
use crate::kinds::{Cancel, Failure, Scope, Watch};

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

/// Whether systemd runs this machine.
pub(crate) fn is_running() -> bool {
    std::fs::symlink_metadata("/run/systemd/system").is_ok_and(|m| m.is_dir())
}

impl Manager {
    pub(crate) fn of(session: bool) -> Manager {
        if session { Manager::Session } else { Manager::System }
    }

    /// Runs `systemctl` with these words.
    ///
    /// # Errors
    /// systemd is not running, or the command failed.
    pub(crate) fn ctl(self, words: &[&str], cancel: &Cancel) -> Result<String, Failure> {
        if !is_running() {
            return Err(Failure::Unavailable("systemd is not running on this machine".to_owned()));
        }
        let mut tool = Tool::new("systemctl")?;
        if self == Manager::Session {
            tool.args(["--user"]);
        }
        tool.args(["--no-pager", "--no-ask-password"]).args(words).run(cancel)
    }

    pub(crate) fn unit(self, unit: &str, cancel: &Cancel) -> Result<Unit, Failure> {
        let text = self.ctl(&["show", "--property=LoadState,ActiveState,UnitFileState", "--", unit], cancel)?;
        Ok(Unit::parse(&text))
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

    /// Events for a unit that starts, stops, or is enabled: systemd keeps a link for each unit that runs.
    pub(crate) fn watches(self, unit: &str) -> Vec<Watch> {
        let mut watches = Vec::new();
        if let Ok(directory) = self.unit_directory() {
            watches.push(Watch::Path(directory.join("multi-user.target.wants"), Scope::Children));
            watches.push(Watch::Path(directory.join(unit), Scope::Entry));
        }
        let running = match self {
            Manager::System => Some(PathBuf::from("/run")),
            Manager::Session => std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
        };
        let link = running.map(|run| run.join("systemd/units").join(format!("invocation:{unit}")));
        watches.extend(link.map(|link| Watch::Path(link, Scope::Entry)));
        watches
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

#[cfg(test)]
mod tests {
    use super::*;

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
