//! What systemd runs: `svc`, `cron`, `nspawn` (spec 05 §6.3, 6.12, 6.24).

use crate::validate::{Params, ValidationError, nothing_more};
use crate::{Field, ResourceKind, Traits};

pub(super) const SVC: ResourceKind = ResourceKind {
    name: "svc",
    doc: "A systemd service: whether it runs, and whether it starts at boot. The unit is `NAME.service`.",
    fields: &[
        Field::new("state", "str", "Whether it runs; not set leaves it alone.").one_of(&["running", "stopped", ""]),
        Field::new("startup", "str", "Whether it starts at boot; not set leaves it alone.")
            .one_of(&["enabled", "disabled", ""]),
        Field::new("session", "bool", "Use the user's manager instead of the system's."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, refresh: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const CRON: ResourceKind = ResourceKind {
    name: "cron",
    doc: "A systemd timer: its unit file `NAME.timer`, and whether it is enabled and active.",
    fields: &[
        Field::new("unit", "str", "The unit to start, with its suffix.").default("NAME.service"),
        Field::new("state", "str", "Whether it exists.").default("\"exists\"").one_of(&["exists", "absent"]),
        Field::new("startup", "str", "Whether it starts at boot; an empty text leaves it alone.")
            .default("\"enabled\"")
            .one_of(&["enabled", "disabled", ""]),
        Field::new("session", "bool", "Use the user's manager instead of the system's."),
        Field::new("trigger", "str", "What `time` means.").one_of(&[
            "OnCalendar",
            "OnActiveSec",
            "OnBootSec",
            "OnStartupSec",
            "OnUnitActiveSec",
            "OnUnitInactiveSec",
            "",
        ]),
        Field::new("time", "str", "When, in the form that the trigger needs."),
        Field::new("accuracysec", "str", "How exactly it must be met."),
        Field::new("randomizeddelaysec", "str", "A random delay to add, at most this."),
        Field::new("persistent", "bool", "Start at once if the last time was missed."),
        Field::new("wakesystem", "bool", "Wake the system for it."),
        Field::new("remainafterelapse", "bool", "Keep the timer loaded after it elapsed.").default("true"),
        Field::new("description", "str", "The unit's description; an empty text leaves the line out.").optional(),
    ],
    sends: &[],
    traits: Traits { autoedge: true, refresh: true, receive: true, ..Traits::NONE },
    validate: validate_cron,
};

fn validate_cron(p: &Params<'_>) -> Result<(), ValidationError> {
    let (trigger, time) = (p.text("trigger"), p.text("time"));
    if p.text("state") == "absent" && trigger.is_empty() {
        return Ok(());
    }
    for (param, value, other) in [("trigger", &trigger, "time"), ("time", &time, "trigger")] {
        if value.is_empty() {
            return Err(ValidationError::of(param, format!("`cron` needs `{param}` together with `{other}`"))
                .help("for example: trigger => \"OnCalendar\", time => \"daily\""));
        }
    }
    Ok(())
}

pub(super) const NSPAWN: ResourceKind = ResourceKind {
    name: "nspawn",
    doc: "A systemd-nspawn machine: whether it runs. The name is the machine.",
    fields: &[Field::new("state", "str", "Whether it runs.").default("\"running\"").one_of(&["running", "stopped"])],
    sends: &[],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: |p| match p.name().chars().count() {
        0..=64 => Ok(()),
        length => Err(ValidationError::new(format!(
            "the name of a machine may have 64 characters, and this one has {length}"
        ))),
    },
};
