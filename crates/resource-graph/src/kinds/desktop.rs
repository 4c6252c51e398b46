//! `firewalld` and `gsettings` (spec 08 §5, §6).

use mcl_value::Value;

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, ResourceKind, Traits};

pub(super) const FIREWALLD: ResourceKind = ResourceKind {
    name: "firewalld",
    doc: "Services and ports of a firewalld zone, in the running configuration.",
    fields: &[
        Field::new("zone", "str", "The zone; the daemon's default when empty."),
        Field::new("state", "str", "Whether they are there; not set means that they are.")
            .one_of(&["exists", "absent", ""]),
        Field::new("services", "[]str", "Names of services.").check(Check::NotEmpty),
        Field::new("ports", "[]str", "Ports: `8443/tcp`."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_firewalld,
};

fn validate_firewalld(p: &Params<'_>) -> Result<(), ValidationError> {
    for text in p.texts("ports") {
        let wrong = |why: &str| {
            ValidationError::of("ports", format!("{text:?} in `ports` {why}")).help("write it like \"8443/tcp\"")
        };
        match text.split_once('/') {
            None => return Err(wrong("has no protocol")),
            Some((_, protocol)) if protocol.contains('/') => return Err(wrong("has more than one `/`")),
            Some((_, "")) => return Err(wrong("has no protocol")),
            Some((port, _)) if !port.parse::<u32>().is_ok_and(|n| (1..=65535).contains(&n)) => {
                return Err(wrong("is not a port between 1 and 65535"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

pub(super) const GSETTINGS: ResourceKind = ResourceKind {
    name: "gsettings",
    doc: "One GSettings key of a user. The name may be `SCHEMA KEY`.",
    fields: &[
        Field::new("schema", "str", "The schema, or `schema:path`.").default("from the name"),
        Field::new("key", "str", "The key.").default("from the name"),
        Field::new("type", "str", "What the value is.").required().one_of(&["bool", "str", "int", "custom"]),
        Field::new("value", "any", "The value: a bool for `bool`, an int for `int`, else a str.").required(),
        Field::new("user", "str", "The user: a name or a number."),
        Field::new("group", "str", "The group: a name or a number."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_gsettings,
};

fn validate_gsettings(p: &Params<'_>) -> Result<(), ValidationError> {
    let (mut schema, mut key) = (p.text("schema"), p.text("key"));
    if schema.is_empty() && key.is_empty() {
        let mut words = p.name().split(' ');
        schema = words.next().unwrap_or("").into();
        key = words.next().unwrap_or("").into();
        if words.next().is_some() {
            return Err(ValidationError::new(format!("the name {:?} is not `SCHEMA KEY`", p.name()))
                .help("set `schema` and `key`"));
        }
    }
    for (param, text) in [("schema", schema), ("key", key)] {
        if text.is_empty() {
            return Err(ValidationError::of(param, format!("`{param}` is missing, and the name has none")));
        }
    }
    let ty = p.text("type");
    let fits = match (&*ty, p.value("value")) {
        ("bool", Some(Value::Bool(_))) | ("int", Some(Value::Int(_))) => true,
        ("str" | "custom", Some(Value::Str(_))) => true,
        (_, value) => value.is_none(),
    };
    if !fits {
        return Err(ValidationError::of("value", format!("`value` does not fit the `type` {ty:?}")));
    }
    Ok(())
}
