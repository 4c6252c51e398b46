//! Kinds about the run itself: `timer`, `exit`, `msg` (spec 05 §6.10, 6.18, 6.19).

use mcl_value::Value;

use crate::validate::{Params, ValidationError};
use crate::{Field, Repr, ResourceKind, Traits};

pub(super) const EXIT: ResourceKind = ResourceKind {
    name: "exit",
    doc: "Ends the run with an exit status.",
    fields: &[Field::new("code", "int", "The exit status, at most 125.").default("0").repr(Repr::Uint8)],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| match p.int("code") {
        0..=125 => Ok(()),
        code => Err(ValidationError::of("code", format!("`code` must be at most 125, not {code}"))),
    },
};

pub(super) const MSG: ResourceKind = ResourceKind {
    name: "msg",
    doc: "Writes a message to the log and, if wanted, to the systemd journal.",
    fields: &[
        Field::new("body", "str", "The text."),
        Field::new("priority", "str", "How urgent it is.")
            .required()
            .one_of(&["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"]),
        Field::new("fields", "map{str: str}", "More fields for the journal."),
        Field::new("journal", "bool", "Write to the systemd journal too."),
        Field::new("syslog", "bool", "Accepted, and without effect."),
    ],
    sends: &[],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: validate_msg,
};

fn validate_msg(p: &Params<'_>) -> Result<(), ValidationError> {
    for key in p.entries("fields").filter_map(|(key, _)| match key {
        Value::Str(s) => Some(s.to_text()),
        _ => None,
    }) {
        if key.starts_with('_') {
            return Err(ValidationError::of(
                "fields",
                format!("the journal field {key:?} starts with `_`, and those are reserved"),
            ));
        }
        if !key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(ValidationError::of(
                "fields",
                format!("the journal field {key:?} may only have letters, digits and `_`"),
            ));
        }
    }
    Ok(())
}

pub(super) const TIMER: ResourceKind = ResourceKind {
    name: "timer",
    doc: "An event at regular intervals.",
    fields: &[Field::new("interval", "int", "Seconds between events, at least 1.").required().repr(Repr::Uint32)],
    sends: &[],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: |p| match p.int("interval") {
        1.. => Ok(()),
        _ => Err(ValidationError::of("interval", "`interval` must be at least 1 second")),
    },
};
