//! Units of systemd: `svc`, `cron`, `nspawn` (spec 05 §6.3, §6.12, §6.24).

use std::borrow::Cow;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, Identity, Offers};
use crate::kinds::file::file_identity;
use crate::{AutoEdges, Claim, Demand, Field, Params, ResourceKind, Traits, ValidationError};

pub(super) const SVC: ResourceKind = ResourceKind {
    name: "svc",
    doc: "A systemd service: whether it runs, and whether it starts at boot. The unit is `NAME.service`.",
    example: r#"svc "nginx" {
	state => "running",
	startup => "enabled",
}"#,
    fields: &[
        Field::new("state", "str", "Whether it runs; if not set, this is not managed.")
            .one_of(&["running", "stopped", ""]),
        Field::new("startup", "str", "Whether it starts at boot; if not set, this is not managed.")
            .one_of(&["enabled", "disabled", ""]),
        Field::new("session", "bool", "Use the user's service manager instead of the system's."),
        Field::new(
            "refresh",
            "str",
            "What a notification does to a running service: reload it, if it supports that, or restart it.",
        )
        .default("\"reload\"")
        .one_of(&["reload", "restart", ""]),
        Field::new("startcmd", "str", "A command of `/bin/sh` that starts it, instead of systemd."),
        Field::new("stopcmd", "str", "A command of `/bin/sh` that stops it, instead of systemd."),
        Field::new("restartcmd", "str", "A command of `/bin/sh` that a notification runs while it is running."),
        Field::new("statuscmd", "str", "A command of `/bin/sh` that succeeds while it is running."),
    ],
    traits: Traits { autoedge: true, autogroup: true, refresh: true, ..Traits::NONE },
    autoedges: AutoEdges { is_removed: is_ended, offers: offer_service, wants: want_unit_file, ..AutoEdges::NONE },
    claims: service_claims,
    ..ResourceKind::BASE
};

/// A service is in one state, whether or not its name has a suffix.
fn service_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let unit = if p.name().contains('.') { p.name().to_owned() } else { format!("{}.service", p.name()) };
    let object = format!("{} {unit}", if p.bool("session") { "service of the session" } else { "service" });
    let wanted = [("state", "state"), ("startup", "start at boot")].map(|(param, aspect)| (p.string(param), aspect));
    let wanted = wanted.into_iter().filter(|(state, _)| !state.is_empty());
    wanted
        .map(|(state, aspect)| Claim {
            object: object.clone().into(),
            aspect,
            demand: Demand::whole(state.into_owned()),
        })
        .collect()
}

pub(super) const CRON: ResourceKind = ResourceKind {
    name: "cron",
    doc: "A systemd timer: its unit file `NAME.timer`, and whether it is enabled and active.",
    example: r#"cron "backup" {
	state => "exists",
	trigger => "OnCalendar",
	time => "*-*-* 03:15:00",
	unit => "backup.service",
}"#,
    fields: &[
        Field::new("unit", "str", "The unit to start, with its suffix.").default("NAME.service"),
        Field::new("state", "str", "Whether it exists.").default("\"exists\"").one_of(&["exists", "absent"]),
        Field::new("startup", "str", "Whether it starts at boot; an empty string leaves this unmanaged.")
            .default("\"enabled\"")
            .one_of(&["enabled", "disabled", ""]),
        Field::new("session", "bool", "Use the user's service manager instead of the system's."),
        Field::new("trigger", "str", "The directive of the timer that `time` is the value of.").one_of(&[
            "OnCalendar",
            "OnActiveSec",
            "OnBootSec",
            "OnStartupSec",
            "OnUnitActiveSec",
            "OnUnitInactiveSec",
            "",
        ]),
        Field::new("time", "str", "The time, in the format of the trigger."),
        Field::new("accuracysec", "str", "The accuracy of the time, as a time span of systemd."),
        Field::new("randomizeddelaysec", "str", "The maximum random delay to add, as a time span of systemd."),
        Field::new("persistent", "bool", "Start immediately if the last time was missed."),
        Field::new("wakesystem", "bool", "Wake the system from suspend."),
        Field::new("remainafterelapse", "bool", "Keep the timer loaded after it has elapsed.").default("true"),
        Field::new("description", "str", "The unit's description; an empty string omits the line.").optional(),
    ],
    traits: Traits { autoedge: true, refresh: true, receive: true, ..Traits::NONE },
    validate: validate_cron,
    autoedges: AutoEdges { is_removed: |p| p.string("state") == "absent", offers: offer_timer, ..AutoEdges::NONE },
    managed_files: |p| {
        let directory = if p.bool("session") { "~/.config/systemd/user" } else { "/etc/systemd/system" };
        vec![format!("{directory}/{}.timer", p.name())]
    },
    ..ResourceKind::BASE
};

fn validate_cron(p: &Params<'_>) -> Result<(), ValidationError> {
    let (trigger, time) = (p.string("trigger"), p.string("time"));
    if p.string("state") == "absent" && trigger.is_empty() {
        return Ok(());
    }
    for (param, value, other) in [("trigger", &trigger, "time"), ("time", &time, "trigger")] {
        if value.is_empty() {
            return Err(ValidationError::of(
                param,
                format!("missing parameter `{param}` of `cron`: `{other}` requires it"),
            )
            .help("for example: trigger => \"OnCalendar\", time => \"daily\""));
        }
    }
    Ok(())
}

/// Returns the identity of a service of the system, which other kinds need or are needed by.
pub(super) fn system_service(name: &str) -> Identity<'_> {
    service_identity(name, false)
}

fn service_identity(name: &str, session: bool) -> Identity<'_> {
    Identity::new(if session { "user service" } else { "service" }, name)
}

/// Returns the identity of a timer: the unit that it starts.
fn timer_identity(unit: Cow<'_, str>, session: bool) -> Identity<'_> {
    Identity::new(if session { "user timer" } else { "timer" }, unit)
}

/// Returns the directory of the administrator's unit files.
fn unit_directory(input: &AutoEdgeInput<'_>) -> Result<Cow<'static, str>, AutoEdgeErrorKind> {
    if !input.params.bool("session") {
        return Ok(Cow::Borrowed("/etc/systemd/system/"));
    }
    let home = input.home.ok_or(AutoEdgeErrorKind::HomeNotSet)?;
    Ok(Cow::Owned(format!("{}/.config/systemd/user/", home.trim_end_matches('/'))))
}

fn offer_service<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    offers.add(service_identity(input.params.name(), input.params.bool("session")));
    Ok(())
}

/// A service that neither runs nor starts does not need its unit file afterwards.
fn is_ended(p: &Params<'_>) -> bool {
    let (state, startup) = (p.string("state"), p.string("startup"));
    let is_ended = |value: &str, ended: &str| value == ended || value.is_empty();
    is_ended(&state, "stopped") && is_ended(&startup, "disabled") && !(state.is_empty() && startup.is_empty())
}

/// A service comes after its unit file, and before the timer that starts it.
fn want_unit_file(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let session = input.params.bool("session");
    let unit = format!("{}.service", input.params.name());
    let own = unit_directory(input)?;
    let system = if session { &[][..] } else { &["/usr/lib/systemd/system/", "/lib/systemd/system/"] };
    for directory in std::iter::once(&*own).chain(system.iter().copied()) {
        if edges.needs(&file_identity(format!("{directory}{unit}"))) {
            break;
        }
    }
    edges.needed_by(&timer_identity(Cow::Owned(unit), session));
    Ok(())
}

/// A timer offers the unit that it starts, and its own unit file.
fn offer_timer<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    let unit = match p.string("unit") {
        unit if unit.is_empty() => Cow::Owned(format!("{}.service", p.name())),
        unit => unit,
    };
    offers.add(timer_identity(unit, p.bool("session")));
    offers.add(file_identity(format!("{}{}.timer", unit_directory(input)?, p.name())));
    Ok(())
}

pub(super) const NSPAWN: ResourceKind = ResourceKind {
    name: "nspawn",
    doc: "A systemd-nspawn machine: whether it runs. The name is the machine.",
    example: r#"nspawn "web1" {
	state => "running",
}"#,
    implemented: false,
    fields: &[Field::new("state", "str", "Whether it runs.").default("\"running\"").one_of(&["running", "stopped"])],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: |p| match p.name().chars().count() {
        0..=64 => Ok(()),
        length => {
            Err(ValidationError::new(format!("machine name too long: expected at most 64 characters, found {length}")))
        }
    },
    ..ResourceKind::BASE
};
