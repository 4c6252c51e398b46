//! `svc`: the running state and the enablement of a service (spec 05 §6.3).

use resource_graph::Resource;

use crate::retry::retry_if_disturbed;
use crate::systemd::{Job, Manager, Unit};
use crate::{Cancel, Context, Failure, Params, Provider, Watch, WorkerClass};

struct Svc {
    unit: String,
    manager: Manager,
    /// Whether the service must be running; `None` if unmanaged.
    running: Option<bool>,
    /// Whether the service must start at boot; `None` if unmanaged.
    enabled: Option<bool>,
    /// A one-shot service was started and has exited, so it is not started again.
    ran: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Svc::read(&resources[0])?))
}

/// A change of the service.
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

    /// Returns the required changes, in order. `may_be_missing` says that another resource, such as a package, may provide the
    /// unit first.
    fn steps(&self, unit: &Unit, refresh: bool, may_be_missing: bool) -> Result<Vec<Step>, Failure> {
        if unit.load == "not-found" && !may_be_missing {
            return Err(Failure::Unavailable(format!("there is no service {} on this machine", self.unit)));
        }
        let mut steps = Vec::new();
        match (self.enabled, &*unit.file) {
            (Some(true), "enabled") | (Some(false), "disabled") | (None, _) => {}
            // A unit that cannot be enabled does not start at boot.
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
            // A start or a stop makes a reload unnecessary.
            _ if refresh => steps.push(Step::Run(Job::Reload)),
            _ => {}
        }
        Ok(steps)
    }

    /// Checks after a start whether the service is running, or is a one-shot service that has finished.
    fn check_start(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        let unit = self.manager.unit(&self.unit, cancel)?;
        self.ran = unit.active == "inactive" && self.manager.is_one_shot(&self.unit, cancel)?;
        if self.ran || !matches!(&*unit.active, "inactive" | "failed") {
            return Ok(());
        }
        let text = format!("{0} exited immediately after it was started; see `systemctl status {0}`", self.unit);
        // An inactive unit may have been stopped by another process.
        Err(if unit.active == "inactive" { Failure::Disturbed(text) } else { Failure::Command(text) })
    }

    fn apply_once(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let unit = self.manager.unit(&self.unit, cx.cancel())?;
        // A plan knows what comes first. A run in noop does not.
        let may_be_missing = !cx.apply && cx.plan().is_none();
        for step in self.steps(&unit, cx.refresh(), may_be_missing)? {
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

impl Provider for Svc {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        retry_if_disturbed(|| self.apply_once(cx))
    }

    fn watches(&self) -> Vec<Watch> {
        self.manager.watches(&self.unit)
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Svc { ran: self.ran, ..Svc::read(&resources[0])? };
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::resource;

    #[track_caller]
    fn check(state: &str, startup: &str, active: &str, file: &str, refresh: bool, expected: &[&str]) {
        let svc = Svc::read(&resource("svc", "web").with("state", state).with("startup", startup)).unwrap();
        let unit = Unit { load: "loaded".into(), active: active.into(), file: file.into() };
        let steps: Vec<&str> = svc.steps(&unit, refresh, false).unwrap().iter().map(|step| step.verb()).collect();
        assert_eq!(steps, expected);
    }

    #[test]
    fn steps_depend_on_the_unit_state() {
        check("running", "enabled", "active", "enabled", false, &[]);
        check("running", "enabled", "inactive", "disabled", false, &["enable", "start"]);
        check("stopped", "disabled", "active", "enabled", true, &["disable", "stop"]);
        check("running", "", "failed", "static", true, &["start"]);
        check("running", "", "active", "enabled", true, &["reload"]);
        check("", "", "inactive", "enabled", true, &["reload"]);
        check("stopped", "disabled", "inactive", "static", false, &[]);
    }

    #[test]
    fn impossible_states_are_errors() {
        let svc = Svc::read(&resource("svc", "web").with("startup", "enabled")).unwrap();
        let unit = |load: &str, file: &str| Unit { load: load.into(), active: "inactive".into(), file: file.into() };
        assert!(svc.steps(&unit("loaded", "static"), false, false).is_err());
        let missing = svc.steps(&unit("not-found", ""), false, false).unwrap_err().to_string();
        assert_eq!(missing, "there is no service web.service on this machine");
        let planned = svc.steps(&unit("not-found", ""), false, true).unwrap();
        assert_eq!(planned, [Step::Enable], "another resource may bring it");
    }
}
