//! Kinds about the run itself: `timer`, `exit`, `msg` (spec 05 §6.10, §6.18, §6.19).

use mcl_value::Value;

use crate::{Field, Params, Repr, ResourceKind, Traits, ValidationError};

pub(super) const EXIT: ResourceKind = ResourceKind {
    name: "exit",
    doc: "Ends the run with the given exit status.",
    example: r#"exit "failed" {
	code => 1,
}"#,
    fields: &[Field::new("code", "int", "The exit status, at most 125.").default("0").repr(Repr::Uint8)],
    validate: |p| match p.int("code") {
        0..=125 => Ok(()),
        code => {
            Err(ValidationError::of_value("code", format!("`code` is out of range: expected 0 to 125, found {code}")))
        }
    },
    ..ResourceKind::BASE
};

pub(super) const MSG: ResourceKind = ResourceKind {
    name: "msg",
    doc: "Writes a message to the log and optionally to the systemd journal.",
    example: r#"msg "started" {
	body => "the site is up",
	priority => "Info",
	journal => true,
}"#,
    fields: &[
        Field::new("body", "str", "The message."),
        Field::new("priority", "str", "The priority.")
            .required()
            .one_of(&["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"]),
        Field::new("fields", "map{str: str}", "Additional journal fields."),
        Field::new("journal", "bool", "Also write to the systemd journal."),
        Field::new("syslog", "bool", "Accepted for compatibility, without effect."),
    ],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: validate_msg,
    ..ResourceKind::BASE
};

fn validate_msg(p: &Params<'_>) -> Result<(), ValidationError> {
    for key in p.entries("fields").filter_map(|(key, _)| match key {
        Value::Str(s) => Some(s.to_text()),
        _ => None,
    }) {
        if key.starts_with('_') {
            return Err(ValidationError::of(
                "fields",
                format!("invalid journal field {key:?}: names that start with `_` are reserved"),
            ));
        }
        if !key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(ValidationError::of(
                "fields",
                format!("invalid journal field {key:?}: expected letters, digits and `_`"),
            ));
        }
    }
    Ok(())
}

pub(super) const TIMER: ResourceKind = ResourceKind {
    name: "timer",
    doc: "Triggers an event at regular intervals.",
    example: r#"timer "hourly" {
	interval => 3600,
}"#,
    fields: &[Field::new("interval", "int", "Seconds between events, at least 1.").required().repr(Repr::Uint32)],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: |p| match p.int("interval") {
        1.. => Ok(()),
        _ => Err(ValidationError::of_value("interval", "`interval` is out of range: expected at least 1 second")),
    },
    ..ResourceKind::BASE
};
