//! `firewalld` and `gsettings` (spec 08 §5, §6).

use mcl_value::Value;

use crate::{Check, Field, KindConstant, Params, ResourceKind, ValidationError};

pub(super) const FIREWALLD: ResourceKind = ResourceKind {
    name: "firewalld",
    doc: "Services and ports of a firewalld zone, in the running configuration.",
    example: r#"firewalld "web" {
	state => "exists",
	services => ["http", "https"],
}"#,
    implemented: false,
    fields: &[
        Field::new("zone", "str", "The zone; the daemon's default when empty."),
        Field::new("state", "str", "Whether they are enabled; if not set, they are.").one_of(&["exists", "absent", ""]),
        Field::new("services", "[]str", "The names of services.").check(Check::NotEmpty),
        Field::new("ports", "[]str", "Ports such as `8443/tcp`."),
    ],
    constants: &[
        KindConstant::str("state", "exists", "exists"),
        KindConstant::str("state", "absent", "absent"),
        KindConstant::str("state", "undefined", ""),
    ],
    validate: validate_firewalld,
    ..ResourceKind::BASE
};

fn validate_firewalld(p: &Params<'_>) -> Result<(), ValidationError> {
    for port in p.strings("ports") {
        let invalid = |why: &str| {
            ValidationError::of_value("ports", format!("invalid entry {port:?} in `ports`: {why}"))
                .help("write it like \"8443/tcp\"")
        };
        match port.split_once('/') {
            None => return Err(invalid("missing protocol")),
            Some((_, protocol)) if protocol.contains('/') => return Err(invalid("unexpected `/`")),
            Some((_, "")) => return Err(invalid("missing protocol")),
            Some((number, _)) if !number.parse::<u32>().is_ok_and(|n| (1..=65535).contains(&n)) => {
                return Err(invalid("expected a port between 1 and 65535"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

pub(super) const GSETTINGS: ResourceKind = ResourceKind {
    name: "gsettings",
    doc: "One GSettings key of a user. The name may be `SCHEMA KEY`.",
    example: r#"gsettings "clock" {
	schema => "org.gnome.desktop.interface",
	key => "clock-show-seconds",
	type => "bool",
	value => true,
}"#,
    implemented: false,
    fields: &[
        Field::new("schema", "str", "The schema, or `schema:path`.").default("from the name"),
        Field::new("key", "str", "The key.").default("from the name"),
        Field::new("type", "str", "The type of the value.").required().one_of(&["bool", "str", "int", "custom"]),
        Field::new("value", "any", "The value: a `bool` for `bool`, an `int` for `int`, otherwise a `str`.").required(),
        Field::new("user", "str", "The user: a name or a number."),
        Field::new("group", "str", "The group: a name or a number."),
    ],
    validate: validate_gsettings,
    ..ResourceKind::BASE
};

fn validate_gsettings(p: &Params<'_>) -> Result<(), ValidationError> {
    let (mut schema, mut key) = (p.string("schema"), p.string("key"));
    if schema.is_empty() && key.is_empty() {
        let mut words = p.name().split(' ');
        schema = words.next().unwrap_or("").into();
        key = words.next().unwrap_or("").into();
        if words.next().is_some() {
            return Err(ValidationError::new(format!("invalid name {:?}: expected `SCHEMA KEY`", p.name()))
                .help("set `schema` and `key`"));
        }
    }
    for (param, value) in [("schema", schema), ("key", key)] {
        if value.is_empty() {
            return Err(ValidationError::of(
                param,
                format!("missing parameter `{param}`: the name does not contain it"),
            ));
        }
    }
    let ty = p.string("type");
    let fits = match (&*ty, p.value("value")) {
        ("bool", Some(Value::Bool(_))) | ("int", Some(Value::Int(_))) => true,
        ("str" | "custom", Some(Value::Str(_))) => true,
        (_, value) => value.is_none(),
    };
    if !fits {
        return Err(ValidationError::of("value", format!("mismatched types: `value` does not have the `type` {ty:?}")));
    }
    Ok(())
}
