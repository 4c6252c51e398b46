//! `svc`: whether a service runs, and starts at boot (spec 05 §6.3).

use resource_graph::Resource;

use crate::retry::undisturbed;
use crate::systemd::{Job, Manager, Unit};
use crate::{Cancel, Context, Failure, Kind, Load, Params, Watch};

struct Svc {
    unit: String,
    manager: Manager,
    /// Whether it is to run, if that is managed.
    running: Option<bool>,
    /// Whether it is to start at boot, if that is managed.
    enabled: Option<bool>,
    /// We started it, it did its work and ended, as it is meant to: it is not started again for nothing.
    ran: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    Ok(Box::new(Svc::read(&resources[0])?))
}

/// Something that has to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Enable,
    Disable,
    Run(Job),
}

impl Step {
    fn verb(self) -> &'static str {
        match self {
            Step::Enable => "enable",
            Step::Disable => "disable",
            Step::Run(job) => job.verb(),
        }
    }
}

impl Svc {
    fn read(resource: &Resource) -> Result<Svc, Failure> {
        let params = Params::new(resource);
        let choice = |key: &str, yes: &str| {
            let text = params.str(key)?;
            Ok::<_, Failure>((!text.is_empty()).then_some(text == yes))
        };
        Ok(Svc {
            unit: format!("{}.service", params.name()),
            manager: Manager::of(params.bool("session")?),
            running: choice("state", "running")?,
            enabled: choice("startup", "enabled")?,
            ran: false,
        })
    }

    /// What has to be done, in this order.
    fn steps(&self, unit: &Unit, refresh: bool, apply: bool) -> Result<Vec<Step>, Failure> {
        // What is only planned may still bring the unit: a package, a file.
        if unit.load == "not-found" && apply {
            return Err(Failure::Unavailable(format!("there is no service {} on this machine", self.unit)));
        }
        let mut steps = Vec::new();
        match (self.enabled, &*unit.file) {
            (Some(true), "enabled") | (Some(false), "disabled") | (None, _) => {}
            // What cannot be enabled does not start by itself either.
            (Some(false), "static" | "indirect" | "generated" | "transient" | "masked" | "") => {}
            (Some(true), state @ ("static" | "indirect" | "generated" | "transient" | "masked" | "alias")) => {
                return Err(Failure::Refused(format!("{} cannot be enabled: its unit file is {state}", self.unit)));
            }
            (Some(true), _) => steps.push(Step::Enable),
            (Some(false), _) => steps.push(Step::Disable),
        }
        match self.running {
            Some(true) if self.ran && unit.active == "inactive" && !refresh => {}
            Some(true) if !unit.is_active() => steps.push(Step::Run(Job::Start)),
            Some(false) if unit.is_active() => steps.push(Step::Run(Job::Stop)),
            // A start or a stop makes a reload needless.
            _ if refresh => steps.push(Step::Run(Job::Reload)),
            _ => {}
        }
        Ok(steps)
    }

    /// After a start: whether it stays, or has done what it is for.
    fn check_start(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        let unit = self.manager.unit(&self.unit, cancel)?;
        self.ran = unit.active == "inactive" && self.manager.is_one_shot(&self.unit, cancel)?;
        if self.ran || !matches!(&*unit.active, "inactive" | "failed") {
            return Ok(());
        }
        let text = format!("{0} ended right after it was started; `systemctl status {0}` says more", self.unit);
        // Or it was stopped by somebody.
        Err(if unit.active == "inactive" { Failure::Disturbed(text) } else { Failure::Command(text) })
    }

    fn bring(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let unit = self.manager.unit(&self.unit, cx.cancel())?;
        for step in self.steps(&unit, cx.refresh(), cx.apply)? {
            if cx.change(format!("{} {}", step.verb(), self.unit))? {
                match step {
                    Step::Enable | Step::Disable => {
                        self.manager.set_enabled(&self.unit, step == Step::Enable, cx.cancel())?;
                    }
                    Step::Run(job) => self.manager.run(job, &self.unit, cx.cancel())?,
                }
                if step == Step::Run(Job::Start) {
                    self.check_start(cx.cancel())?;
                }
            }
        }
        Ok(())
    }
}

impl Kind for Svc {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        undisturbed(|| self.bring(cx))
    }

    fn watches(&self) -> Vec<Watch> {
        self.manager.watches(&self.unit)
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Svc { ran: self.ran, ..Svc::read(&resources[0])? };
        Ok(())
    }

    fn load(&self) -> Load {
        Load::Waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::resource;

    #[track_caller]
    fn check(state: &str, startup: &str, active: &str, file: &str, refresh: bool, expected: &[&str]) {
        let svc = Svc::read(&resource("svc", "web").with("state", state).with("startup", startup)).unwrap();
        let unit = Unit { load: "loaded".into(), active: active.into(), file: file.into() };
        let steps: Vec<&str> = svc.steps(&unit, refresh, true).unwrap().iter().map(|step| step.verb()).collect();
        assert_eq!(steps, expected);
    }

    #[test]
    fn what_is_done_depends_on_what_is() {
        check("running", "enabled", "active", "enabled", false, &[]);
        check("running", "enabled", "inactive", "disabled", false, &["enable", "start"]);
        check("stopped", "disabled", "active", "enabled", true, &["disable", "stop"]);
        check("running", "", "failed", "static", true, &["start"]);
        check("running", "", "active", "enabled", true, &["reload"]);
        check("", "", "inactive", "enabled", true, &["reload"]);
        check("stopped", "disabled", "inactive", "static", false, &[]);
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let svc = Svc::read(&resource("svc", "web").with("startup", "enabled")).unwrap();
        let unit = |load: &str, file: &str| Unit { load: load.into(), active: "inactive".into(), file: file.into() };
        assert!(svc.steps(&unit("loaded", "static"), false, true).is_err());
        let missing = svc.steps(&unit("not-found", ""), false, true).unwrap_err().to_string();
        assert_eq!(missing, "there is no service web.service on this machine");
        let planned = svc.steps(&unit("not-found", ""), false, false).unwrap();
        assert_eq!(planned, [Step::Enable], "a package of the same plan may bring it");
    }
}
