//! `svc`: the running state and the enablement of a service (spec 05 §6.3).

use resource_graph::Resource;

use crate::retry::retry_if_disturbed;
use crate::systemd::{Job, Manager, Unit};
use crate::tool::Tool;
use crate::{Cancel, Change, Context, Effects, Failure, Params, Provider, Uncertainty, Watch, WorkerClass};

struct Svc {
    unit: String,
    manager: Manager,
    /// Whether the service must be running; `None` if unmanaged.
    running: Option<bool>,
    /// Whether the service must start at boot; `None` if unmanaged.
    enabled: Option<bool>,
    /// What a notification does to a running service.
    refresh: Job,
    commands: Commands,
    /// A one-shot service was started and has exited, so it is not started again.
    ran: bool,
}

/// Commands of a shell that are used instead of systemd.
#[derive(Default)]
struct Commands {
    start: Option<String>,
    stop: Option<String>,
    restart: Option<String>,
    status: Option<String>,
}

/// Whether a service runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Running {
    Yes,
    No,
    /// The command that knows it is not run by this plan.
    Unknown,
}

impl Commands {
    fn read(params: Params<'_>) -> Result<Commands, Failure> {
        let line = |key| params.str(key).map(|line| (!line.is_empty()).then(|| line.to_owned()));
        Ok(Commands {
            start: line("startcmd")?,
            stop: line("stopcmd")?,
            restart: line("restartcmd")?,
            status: line("statuscmd")?,
        })
    }

    fn of(&self, job: Job) -> Option<&str> {
        match job {
            Job::Start => self.start.as_deref(),
            Job::Stop => self.stop.as_deref(),
            Job::Restart | Job::Reload => self.restart.as_deref(),
        }
    }

    fn are_given(&self) -> bool {
        [&self.start, &self.stop, &self.restart, &self.status].into_iter().any(Option::is_some)
    }
}

fn shell(line: &str) -> Result<Tool, Failure> {
    let mut tool = Tool::new("sh")?;
    tool.args(["-c", line]);
    Ok(tool)
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
            refresh: if params.str("refresh")? == "restart" { Job::Restart } else { Job::Reload },
            commands: Commands::read(params)?,
            ran: false,
        })
    }

    /// Fails if the unit does not exist and is needed.
    fn require_unit(&self, unit: &Unit) -> Result<(), Failure> {
        if unit.load == "not-found" && self.needs_unit() {
            return Err(Failure::Unavailable(format!("there is no service {} on this machine", self.unit)));
        }
        Ok(())
    }

    /// Returns the required changes, in order.
    fn steps(&self, unit: &Unit, running: Running, refresh: bool) -> Result<Vec<Step>, Failure> {
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
            Some(true) if running != Running::Yes => steps.push(Step::Run(Job::Start)),
            Some(false) if running != Running::No => steps.push(Step::Run(Job::Stop)),
            // A start or a stop makes it unnecessary. systemd does not reload what is not running.
            _ if refresh && (running != Running::No || self.reloads_by_systemd()) => {
                steps.push(Step::Run(self.refresh));
            }
            _ => {}
        }
        Ok(steps)
    }

    fn reloads_by_systemd(&self) -> bool {
        self.refresh == Job::Reload && self.commands.restart.is_none()
    }

    /// Returns whether systemd must know the service: it does not if commands say and change whether it runs.
    fn needs_unit(&self) -> bool {
        let Commands { start, stop, status, .. } = &self.commands;
        self.enabled.is_some() || status.is_none() || start.is_none() || stop.is_none()
    }

    fn running(&self, cx: &Context<'_>, unit: &Unit) -> Result<Running, Failure> {
        let Some(line) = &self.commands.status else {
            return Ok(if unit.is_active() { Running::Yes } else { Running::No });
        };
        if cx.plan().is_some_and(|plan| !plan.run_commands || cx.unseen().any) {
            return Ok(Running::Unknown);
        }
        let output = shell(line)?.output(cx.cancel())?;
        Ok(if output.status.success() { Running::Yes } else { Running::No })
    }

    fn run(&mut self, job: Job, cancel: &Cancel) -> Result<(), Failure> {
        match self.commands.of(job) {
            Some(line) => shell(line)?.run(cancel).map(drop),
            None => self.manager.run(job, &self.unit, cancel),
        }?;
        if job == Job::Start && self.commands.start.is_none() && self.commands.status.is_none() {
            self.check_start(cancel)?;
        }
        Ok(())
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
        let running = self.running(cx, &unit)?;
        // In noop, another resource, such as a package, may provide the unit first; a plan knows what comes first.
        if cx.apply || cx.plan().is_some() {
            self.require_unit(&unit)?;
        }
        for step in self.steps(&unit, running, cx.refresh())? {
            let is_uncertain = matches!(step, Step::Run(_)) && running == Running::Unknown;
            let uncertainty =
                is_uncertain.then(|| Uncertainty::MayNotHappen("unless `statuscmd` finds it unnecessary".to_owned()));
            if cx.change(Change { uncertainty, ..Change::from(format!("{} {}", step.verb(), self.unit)) })? {
                match step {
                    Step::Enable | Step::Disable => {
                        self.manager.set_enabled(&self.unit, step == Step::Enable, cx.cancel())?;
                    }
                    Step::Run(job) => self.run(job, cx.cancel())?,
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

    fn effects(&self) -> Effects {
        if self.commands.are_given() { Effects::Programs } else { Effects::Machine }
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
        assert_eq!(verbs(&svc, &unit, refresh), expected);
    }

    fn verbs(svc: &Svc, unit: &Unit, refresh: bool) -> Vec<&'static str> {
        let running = if unit.is_active() { Running::Yes } else { Running::No };
        svc.steps(unit, running, refresh).unwrap().iter().map(|step| step.verb()).collect()
    }

    #[test]
    fn a_notification_restarts_only_what_runs() {
        let unit = |active: &str| Unit { load: "loaded".into(), active: active.into(), file: "enabled".into() };
        for fields in [[("refresh", "restart"), ("session", "")], [("refresh", ""), ("restartcmd", "true")]] {
            let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
            let svc = given.fold(resource("svc", "web"), |svc, (field, value)| svc.with(field, value));
            let svc = Svc::read(&svc).unwrap();
            assert_eq!(verbs(&svc, &unit("active"), true).len(), 1);
            assert_eq!(verbs(&svc, &unit("inactive"), true), [""; 0]);
        }
    }

    #[test]
    fn commands_replace_systemd() {
        let scratch = tempfile::tempdir().unwrap();
        let pid = scratch.path().join("pid");
        let line = |verb: &str| format!("{verb} {}", pid.display());
        let svc = resource("svc", "own")
            .with("state", "running")
            .with("startcmd", line("touch"))
            .with("stopcmd", line("rm"))
            .with("statuscmd", line("test -e"));
        let mut svc = Svc::read(&svc).unwrap();
        let missing = Unit { load: "not-found".into(), ..Unit::default() };
        let id = resource_graph::ResourceId::new("svc", "own");
        let (context, cancel) = (crate::ApplyContext::default(), Cancel::new());
        let cx = Context::new(crate::CheckRequest::new(&id, &context, &cancel, true));
        assert_eq!(svc.running(&cx, &missing).unwrap(), Running::No);
        svc.require_unit(&missing).unwrap();
        assert_eq!(svc.steps(&missing, Running::No, false).unwrap(), [Step::Run(Job::Start)]);
        svc.run(Job::Start, &cancel).unwrap();
        assert_eq!(svc.running(&cx, &missing).unwrap(), Running::Yes);
        svc.run(Job::Stop, &cancel).unwrap();
        assert!(svc.run(Job::Stop, &cancel).is_err());
        assert_eq!(svc.effects(), Effects::Programs);
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
        assert!(svc.steps(&unit("loaded", "static"), Running::No, false).is_err());
        let missing = svc.require_unit(&unit("not-found", "")).unwrap_err().to_string();
        assert_eq!(missing, "there is no service web.service on this machine");
        let planned = svc.steps(&unit("not-found", ""), Running::No, false).unwrap();
        assert_eq!(planned, [Step::Enable], "another resource may bring it");
    }
}
