//! Machines of cloud providers: `aws:ec2`, `hetzner:vm` (spec 08 §10, §11).

use crate::{Check, Field, Params, Repr, ResourceKind, ValidationError};

pub(super) const AWS_EC2: ResourceKind = ResourceKind {
    name: "aws:ec2",
    doc: "An instance of Amazon EC2.",
    example: r#"aws:ec2 "web1" {
	state => "running",
	region => "eu-central-1",
	type => "t3.micro",
	imageid => "ami-0123456789",
}"#,
    implemented: false,
    fields: &[
        Field::new("state", "str", "Whether it exists and runs.").required().one_of(&[
            "running",
            "stopped",
            "terminated",
        ]),
        Field::new("region", "str", "The region.").required().one_of(&[
            "ap-northeast-1",
            "ap-northeast-2",
            "ap-south-1",
            "ap-southeast-1",
            "ap-southeast-2",
            "ca-central-1",
            "cn-north-1",
            "eu-central-1",
            "eu-west-1",
            "eu-west-2",
            "sa-east-1",
            "us-east-1",
            "us-east-2",
            "us-gov-west-1",
            "us-west-1",
            "us-west-2",
        ]),
        Field::new("type", "str", "The instance type.").required().check(Check::NotEmpty),
        Field::new("imageid", "str", "The image.").required().check(Check::NotEmpty),
        Field::new("watchendpoint", "str", "The public URL for notifications; requires `watchlistenaddr`."),
        Field::new("watchlistenaddr", "str", "The local address or port that `watchendpoint` leads to."),
        Field::new("erroronmalformedpost", "bool", "Fail on a malformed notification."),
        Field::new("userdata", "str", "The script for the first boot."),
    ],
    validate: |p| {
        if p.string("watchendpoint").is_empty() != p.string("watchlistenaddr").is_empty() {
            return Err(ValidationError::of(
                "watchendpoint",
                "`watchendpoint` and `watchlistenaddr` require each other",
            ));
        }
        Ok(())
    },
    ..ResourceKind::BASE
};

pub(super) const HETZNER_VM: ResourceKind = ResourceKind {
    name: "hetzner:vm",
    doc: "A server of Hetzner Cloud.",
    example: r#"hetzner:vm "web1" {
	apitoken => "a token",
	state => "running",
	servertype => "cx22",
	datacenter => "fsn1-dc14",
	image => "debian-12",

	Meta:poll => 60,
}"#,
    implemented: false,
    fields: &[
        Field::new("apitoken", "str", "The project's API token.").required().sensitive().check(Check::NotEmpty),
        Field::new("state", "str", "Whether it exists and runs; if not set, this is not managed.")
            .one_of(&["exists", "running", "off", "absent", ""]),
        Field::new(
            "allowrebuild",
            "str",
            "Whether to rebuild it if a change requires that; if not set, this is an error.",
        )
        .one_of(&["ignore", "ifneeded", ""]),
        Field::new("servertype", "str", "The server type."),
        Field::new("datacenter", "str", "The data center."),
        Field::new("image", "str", "The image."),
        Field::new("userdata", "str", "The data for the first boot."),
        Field::new("serverrescuemode", "str", "The rescue system; if not set, none.").one_of(&[
            "linux32",
            "linux64",
            "freebsd64",
            "",
        ]),
        Field::new("serverrescuekeys", "[]str", "The project's SSH keys that the rescue system accepts."),
        Field::new("waitinterval", "int", "Seconds between requests while waiting.").default("5").repr(Repr::Uint32),
        Field::new("waittimeout", "int", "The maximum number of seconds to wait.").default("300").repr(Repr::Uint32),
    ],
    validate: |p| require_poll(p, 1),
    ..ResourceKind::BASE
};

/// Checks `Meta:poll` of a kind that cannot watch: it must be at least `least`, and not 0.
pub(super) fn require_poll(p: &Params<'_>, least: i32) -> Result<(), ValidationError> {
    if p.meta().poll == 0 || p.meta().poll < least {
        return Err(ValidationError::of(
            "Meta:poll",
            format!("`{}` requires `Meta:poll`, because it cannot watch", p.kind().name),
        )
        .help("`Meta:poll => 60` checks once a minute"));
    }
    Ok(())
}
