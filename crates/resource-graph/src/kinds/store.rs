//! Kinds that keep values: `kv`, `value`, `password`, `schedule`, `consul:kv` (spec 05 §6.16, 6.17, 6.21, 6.22; spec 08 §8).

use crate::syntax;
use crate::validate::{Params, ValidationError, nothing_more};
use crate::{Field, Repr, ResourceKind, SendField, Traits};

pub(super) const KV: ResourceKind = ResourceKind {
    name: "kv",
    doc: "One key of the string store that all hosts share.",
    fields: &[
        Field::new("key", "str", "The key.").default_name(),
        Field::new("value", "str", "The value; when not set the key must not exist.").optional(),
        Field::new("mapped", "bool", "Use this host's own entry under the key."),
        Field::new("skiplessthan", "bool", "Keep the stored value if it is greater."),
        Field::new("skipcmpstyle", "int", "How `skiplessthan` compares: 0 as integers, 1 as texts.").default("0"),
    ],
    sends: &[],
    traits: Traits { refresh: true, receive: true, ..Traits::NONE },
    validate: validate_kv,
};

fn validate_kv(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.bool("skiplessthan") {
        return Ok(());
    }
    match p.int("skipcmpstyle") {
        0 => match p.set_text("value") {
            Some(value) if value.parse::<i64>().is_err() => Err(ValidationError::of(
                "value",
                format!("`value` must be an integer to be compared as one by `skiplessthan`, not {value:?}"),
            )
            .help("compare as texts with `skipcmpstyle => 1`")),
            _ => Ok(()),
        },
        1 => Ok(()),
        style => Err(ValidationError::of("skipcmpstyle", format!("`skipcmpstyle` must be 0 or 1, not {style}"))),
    }
}

pub(super) const VALUE: ResourceKind = ResourceKind {
    name: "value",
    doc: "Holds any value, passes it on, and publishes it to the functions that read local values.",
    fields: &[Field::new("any", "any", "The value.").optional()],
    sends: &[SendField::optional("any", "any")],
    traits: Traits { receive: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const PASSWORD: ResourceKind = ResourceKind {
    name: "password",
    doc: "A random password for other resources to receive.",
    fields: &[
        Field::new("length", "int", "The number of characters.").default("64").repr(Repr::Uint16),
        Field::new("saved", "bool", "Keep the password in the state directory."),
        Field::new("check_recovery", "bool", "Make a new one instead of failing when the kept one does not fit."),
    ],
    sends: &[SendField::optional("password", "str")],
    traits: Traits { refresh: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const SCHEDULE: ResourceKind = ResourceKind {
    name: "schedule",
    doc: "Takes part in choosing hosts from a pool.",
    fields: &[
        Field::new("namespace", "str", "The pool.").default_name(),
        Field::new("strategy", "str", "How hosts are chosen.")
            .optional()
            .default("\"rr\"")
            .one_of(&["rr", "alpha", ""]),
        Field::new("max", "int", "How many hosts to choose.").optional().default("1"),
        Field::new("persist", "bool", "Leave the vote behind when the run ends."),
        Field::new("ttl", "int", "Seconds until the vote of a lost host expires.").optional().default("10"),
        Field::new("withdraw", "bool", "Take this host out of the pool."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_schedule,
};

fn validate_schedule(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("persist") && p.is_set("ttl") && p.int("ttl") > 0 {
        return Err(ValidationError::of("persist", "`persist` and a positive `ttl` contradict each other"));
    }
    if p.bool("withdraw") {
        let set = |param: &&&str| p.is_set(param) && (**param != "persist" || p.bool("persist"));
        if let Some(param) = ["strategy", "max", "persist", "ttl"].iter().find(set) {
            return Err(ValidationError::of(param, format!("`{param}` has no meaning together with `withdraw`")));
        }
    }
    Ok(())
}

pub(super) const CONSUL_KV: ResourceKind = ResourceKind {
    name: "consul:kv",
    doc: "One key of a Consul store.",
    fields: &[
        Field::new("key", "str", "The key.").default("from the name"),
        Field::new("value", "str", "The value."),
        Field::new("scheme", "str", "`http` or `https`.")
            .default("from the name, else \"http\"")
            .one_of(&["http", "https", ""]),
        Field::new("address", "str", "Host and port of the server.").default("from the name, else \"127.0.0.1:8500\""),
        Field::new("token", "str", "The access token.").sensitive(),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_consul_kv,
};

fn validate_consul_kv(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.text("key").is_empty() {
        return Ok(());
    }
    let Some(url) = syntax::url(p.name()) else {
        return Err(ValidationError::new(format!("the name {:?} is neither a key nor a URL", p.name())));
    };
    if url.path.trim_start_matches('/').is_empty() || (!url.scheme.is_empty() && url.host.is_empty()) {
        return Err(ValidationError::new(format!("the name {:?} has no key", p.name())).help("set the parameter `key`"));
    }
    if !["", "http", "https"].contains(&url.scheme) {
        return Err(ValidationError::new(format!("the scheme of {:?} must be `http` or `https`", p.name())));
    }
    Ok(())
}
