//! Kinds that store values: `kv`, `value`, `password`, `schedule`, `consul:kv` (spec 05 §6.16, §6.17, §6.21, §6.22; spec 08
//! §8).

use crate::kinds::syntax;
use crate::{Claim, Demand, Field, Params, Repr, ResourceKind, SendField, Traits, ValidationError};

pub(super) const KV: ResourceKind = ResourceKind {
    name: "kv",
    doc: "A key of the string store that all hosts share.",
    example: r#"kv "address" {
	key => "address",
	value => "192.0.2.5",
}"#,
    fields: &[
        Field::new("key", "str", "The key.").default_name(),
        Field::new("value", "str", "The value; if not set, the key must not exist.").optional(),
        Field::new("mapped", "bool", "Use this host's own entry of the key."),
        Field::new("skiplessthan", "bool", "Keep a stored value that is greater."),
        Field::new("skipcmpstyle", "int", "How `skiplessthan` compares: 0 as integers, 1 as strings.").default("0"),
    ],
    traits: Traits { refresh: true, receive: true, ..Traits::NONE },
    validate: validate_kv,
    claims: kv_claims,
    ..ResourceKind::BASE
};

fn kv_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    if p.bool("skiplessthan") {
        // The value grows.
        return Vec::new();
    }
    let key = p.string_or_name("key");
    let object = if p.bool("mapped") { format!("own key:{key}") } else { format!("key:{key}") };
    let demand = match p.given_string("value") {
        Some(state) => Demand::Whole { form: "value", state },
        None => Demand::whole("absent"),
    };
    vec![Claim { object: object.into(), aspect: "value", demand }]
}

fn validate_kv(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.bool("skiplessthan") {
        return Ok(());
    }
    match p.int("skipcmpstyle") {
        0 => match p.given_string("value") {
            Some(value) if value.parse::<i64>().is_err() => Err(ValidationError::of_value(
                "value",
                format!("invalid `value` {value:?}: `skiplessthan` expects an integer"),
            )
            .help("compare strings with `skipcmpstyle => 1`")),
            _ => Ok(()),
        },
        1 => Ok(()),
        style => Err(ValidationError::of_value(
            "skipcmpstyle",
            format!("`skipcmpstyle` is out of range: expected 0 or 1, found {style}"),
        )),
    }
}

pub(super) const VALUE: ResourceKind = ResourceKind {
    name: "value",
    doc: "Holds a value, sends it, and publishes it to the functions that read local values.",
    example: r#"value "answer" {
	any => 42,
}"#,
    fields: &[Field::new("any", "any", "The value.").optional()],
    sends: &[SendField::optional("any", "any")],
    traits: Traits { receive: true, ..Traits::NONE },
    ..ResourceKind::BASE
};

pub(super) const PASSWORD: ResourceKind = ResourceKind {
    name: "password",
    doc: "A random password for other resources to receive.",
    example: r#"password "database" {
	length => 20,
}"#,
    fields: &[
        Field::new("length", "int", "The number of characters.").default("64").repr(Repr::Uint16),
        Field::new("saved", "bool", "Save the password in the state directory."),
        Field::new("check_recovery", "bool", "Replace an invalid saved password instead of failing."),
    ],
    sends: &[SendField::optional("password", "str").sensitive()],
    traits: Traits { refresh: true, ..Traits::NONE },
    ..ResourceKind::BASE
};

pub(super) const SCHEDULE: ResourceKind = ResourceKind {
    name: "schedule",
    doc: "Adds this host to a pool from which hosts are scheduled.",
    example: r#"schedule "web" {
	strategy => "rr",
	max => 2,
}"#,
    fields: &[
        Field::new("namespace", "str", "The pool.").default_name(),
        Field::new("strategy", "str", "The scheduling strategy.")
            .optional()
            .default("\"rr\"")
            .one_of(&["rr", "alpha", ""]),
        Field::new("max", "int", "The number of hosts to schedule.").optional().default("1"),
        Field::new("persist", "bool", "Keep the vote after the run has ended."),
        Field::new("ttl", "int", "Seconds until the vote of a lost host expires.").optional().default("10"),
        Field::new("withdraw", "bool", "Remove this host from the pool."),
    ],
    validate: validate_schedule,
    claims: |p| {
        let vote = if p.bool("withdraw") { "withdrawn" } else { "given" };
        let object = format!("the pool {}", p.string_or_name("namespace"));
        vec![Claim { object: object.into(), aspect: "vote", demand: Demand::whole(vote) }]
    },
    ..ResourceKind::BASE
};

fn validate_schedule(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("persist") && p.is_set("ttl") && p.int("ttl") > 0 {
        return Err(ValidationError::of("persist", "`persist` and a positive `ttl` are mutually exclusive"));
    }
    if p.bool("withdraw") {
        let set = |param: &&&str| p.is_set(param) && (**param != "persist" || p.bool("persist"));
        if let Some(param) = ["strategy", "max", "persist", "ttl"].iter().find(set) {
            return Err(ValidationError::of(param, format!("`{param}` and `withdraw` are mutually exclusive")));
        }
    }
    Ok(())
}

pub(super) const CONSUL_KV: ResourceKind = ResourceKind {
    name: "consul:kv",
    doc: "A key of a Consul store.",
    example: r#"consul:kv "web/port" {
	value => "80",
}"#,
    implemented: false,
    fields: &[
        Field::new("key", "str", "The key.").default("from the name"),
        Field::new("value", "str", "The value."),
        Field::new("scheme", "str", "`http` or `https`.")
            .default("from the name, else \"http\"")
            .one_of(&["http", "https", ""]),
        Field::new("address", "str", "The host and port of the server.")
            .default("from the name, else \"127.0.0.1:8500\""),
        Field::new("token", "str", "The access token.").sensitive(),
    ],
    validate: validate_consul_kv,
    ..ResourceKind::BASE
};

fn validate_consul_kv(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.string("key").is_empty() {
        return Ok(());
    }
    let Some(url) = syntax::url(p.name()) else {
        return Err(ValidationError::new(format!("invalid name {:?}: expected a key or a URL", p.name())));
    };
    if url.path.trim_start_matches('/').is_empty() || (!url.scheme.is_empty() && url.host.is_empty()) {
        return Err(
            ValidationError::new(format!("invalid name {:?}: missing key", p.name())).help("set the parameter `key`")
        );
    }
    if !["", "http", "https"].contains(&url.scheme) {
        return Err(ValidationError::new(format!(
            "invalid name {:?}: expected the scheme `http` or `https`",
            p.name()
        )));
    }
    Ok(())
}
