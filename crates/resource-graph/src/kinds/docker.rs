//! `docker:container` and `docker:image` (spec 08 §7).

use std::borrow::Cow;

use mcl_value::Value;

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, Identity, Offers};
use crate::{AutoEdges, Check, Comparison, Field, Params, ResourceKind, Traits, ValidationError};

const APIVERSION: Field = Field::new("apiversion", "str", "The version of the Docker API, such as `v1.41`.");

pub(super) const CONTAINER: ResourceKind = ResourceKind {
    name: "docker:container",
    doc: "A Docker container.",
    example: r#"docker:container "web" {
	state => "running",
	image => "nginx",
	ports => {"tcp" => {80 => 8080}},
}"#,
    implemented: false,
    fields: &[
        Field::new("state", "str", "Whether it exists and runs.")
            .default("\"running\"")
            .one_of(&["running", "stopped", "removed"]),
        Field::new("image", "str", "The image, with or without a tag.").required().check(Check::NotEmpty),
        Field::new("cmd", "[]str", "The command."),
        Field::new("env", "[]str", "The environment: entries of the form `NAME=value`.")
            .compared(Comparison::Unordered),
        Field::new(
            "ports",
            "map{str: map{int: int}}",
            "For each protocol, the ports of the host and the container's ports that they forward to.",
        ),
        APIVERSION,
        Field::new("force", "bool", "Replace a container that was created from another image."),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_container,
    autoedges: AutoEdges { is_removed: |p| p.string("state") == "removed", wants: want_image, ..AutoEdges::NONE },
    ..ResourceKind::BASE
};

pub(super) const IMAGE: ResourceKind = ResourceKind {
    name: "docker:image",
    doc: "A Docker image.",
    example: r#"docker:image "nginx:1.27" {
	state => "exists",
}"#,
    implemented: false,
    fields: &[
        Field::new("state", "str", "Whether it exists.").default("\"exists\"").one_of(&["exists", "absent"]),
        APIVERSION,
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_apiversion,
    autoedges: AutoEdges { is_removed: |p| p.string("state") == "absent", offers: offer_image, ..AutoEdges::NONE },
    ..ResourceKind::BASE
};

fn validate_container(p: &Params<'_>) -> Result<(), ValidationError> {
    if let Some(entry) = p.strings("env").find(|e| e.find('=').is_none_or(|at| at == 0)) {
        return Err(ValidationError::of_value(
            "env",
            format!("invalid entry {entry:?} in `env`: expected `NAME=value`"),
        ));
    }
    for (protocol, ports) in p.entries("ports") {
        if let Value::Str(name) = protocol
            && !matches!(name.as_bytes(), b"tcp" | b"udp" | b"sctp")
        {
            return Err(ValidationError::of(
                "ports",
                format!("invalid protocol {:?} in `ports`: expected `tcp`, `udp` or `sctp`", name.to_text()),
            ));
        }
        let Value::Map(ports) = ports else { continue };
        for port in ports.iter().flat_map(|(host, container)| [host, container]) {
            if let Value::Int(port) = port
                && !(1..=65535).contains(port)
            {
                return Err(ValidationError::of(
                    "ports",
                    format!("invalid port {port} in `ports`: expected 1 to 65535"),
                ));
            }
        }
    }
    validate_apiversion(p)
}

/// Returns the identity of an image. Without a tag it is the one tagged `latest`; a colon before a slash belongs to the
/// registry's port.
fn image_identity(image: Cow<'_, str>) -> Identity<'_> {
    let last = image.rsplit('/').next().unwrap_or("");
    Identity::new("docker:image", if last.contains(':') { image } else { Cow::Owned(format!("{image}:latest")) })
}

fn offer_image<'a>(input: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    offers.add(image_identity(Cow::Borrowed(input.params.name())));
    Ok(())
}

/// A container comes after its image, and before it if it is removed.
fn want_image(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let p = &input.params;
    let image = image_identity(p.string("image"));
    if p.string("state") == "removed" {
        edges.before(&image)
    } else {
        edges.needs(&image)
    };
    Ok(())
}

fn validate_apiversion(p: &Params<'_>) -> Result<(), ValidationError> {
    let version = p.string("apiversion");
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let well_formed = version
        .strip_prefix('v')
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(major, minor)| matches!(major.as_bytes(), [b'1'..=b'9']) && digits(minor));
    if version.is_empty() || well_formed {
        return Ok(());
    }
    Err(ValidationError::of_value(
        "apiversion",
        format!("invalid `apiversion` {version:?}: expected a version such as `v1.41`"),
    ))
}
