//! `docker:container` and `docker:image` (spec 08 §7).

use mcl_value::Value;

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, ResourceKind, Traits};

const APIVERSION: Field = Field::new("apiversion", "str", "The version of the daemon's interface: `v1.41`.");

pub(super) const CONTAINER: ResourceKind = ResourceKind {
    name: "docker:container",
    doc: "A Docker container.",
    fields: &[
        Field::new("state", "str", "What it does.").default("\"running\"").one_of(&["running", "stopped", "removed"]),
        Field::new("image", "str", "The image, with or without a tag.").required().check(Check::NotEmpty),
        Field::new("cmd", "[]str", "The command."),
        Field::new("env", "[]str", "Its environment: `NAME=value`."),
        Field::new(
            "ports",
            "map{str: map{int: int}}",
            "By protocol: ports of the host, and the container's ports there.",
        ),
        APIVERSION,
        Field::new("force", "bool", "Replace a container that has another image."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_container,
};

pub(super) const IMAGE: ResourceKind = ResourceKind {
    name: "docker:image",
    doc: "A Docker image.",
    fields: &[
        Field::new("state", "str", "Whether it is there.").default("\"exists\"").one_of(&["exists", "absent"]),
        APIVERSION,
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_apiversion,
};

fn validate_container(p: &Params<'_>) -> Result<(), ValidationError> {
    if let Some(entry) = p.texts("env").find(|e| e.find('=').is_none_or(|at| at == 0)) {
        return Err(ValidationError::of("env", format!("{entry:?} in `env` is not of the form `NAME=value`")));
    }
    for (protocol, ports) in p.entries("ports") {
        if let Value::Str(name) = protocol
            && !matches!(name.as_bytes(), b"tcp" | b"udp" | b"sctp")
        {
            return Err(ValidationError::of(
                "ports",
                format!("{:?} in `ports` must be `tcp`, `udp` or `sctp`", name.to_text()),
            ));
        }
        let Value::Map(ports) = ports else { continue };
        for port in ports.iter().flat_map(|(host, container)| [host, container]) {
            if let Value::Int(port) = port
                && !(1..=65535).contains(port)
            {
                return Err(ValidationError::of(
                    "ports",
                    format!("the port {port} in `ports` is not between 1 and 65535"),
                ));
            }
        }
    }
    validate_apiversion(p)
}

fn validate_apiversion(p: &Params<'_>) -> Result<(), ValidationError> {
    let text = p.text("apiversion");
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let well_formed = text
        .strip_prefix('v')
        .and_then(|version| version.split_once('.'))
        .is_some_and(|(major, minor)| matches!(major.as_bytes(), [b'1'..=b'9']) && digits(minor));
    if text.is_empty() || well_formed {
        return Ok(());
    }
    Err(ValidationError::of("apiversion", format!("`apiversion` must be like `v1.41`, not {text:?}")))
}
