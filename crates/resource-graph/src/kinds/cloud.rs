//! Machines of others: `aws:ec2`, `hetzner:vm` (spec 08 §10, §11).

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, Repr, ResourceKind, Traits};

pub(super) const AWS_EC2: ResourceKind = ResourceKind {
    name: "aws:ec2",
    doc: "An instance of Amazon EC2.",
    fields: &[
        Field::new("state", "str", "What it does.").required().one_of(&["running", "stopped", "terminated"]),
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
        Field::new("watchendpoint", "str", "A public URL to be notified at; together with `watchlistenaddr`."),
        Field::new("watchlistenaddr", "str", "The local address or port behind it."),
        Field::new("erroronmalformedpost", "bool", "Fail on a notification that makes no sense."),
        Field::new("userdata", "str", "The script for the first boot."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| {
        if p.text("watchendpoint").is_empty() != p.text("watchlistenaddr").is_empty() {
            return Err(ValidationError::of("watchendpoint", "`watchendpoint` and `watchlistenaddr` need each other"));
        }
        Ok(())
    },
};

pub(super) const HETZNER_VM: ResourceKind = ResourceKind {
    name: "hetzner:vm",
    doc: "A server of Hetzner Cloud.",
    fields: &[
        Field::new("apitoken", "str", "The project's token.").required().sensitive().check(Check::NotEmpty),
        Field::new("state", "str", "What it does; not set leaves it alone.")
            .one_of(&["exists", "running", "off", "absent", ""]),
        Field::new("allowrebuild", "str", "What to do when it must be made anew; not set is an error.")
            .one_of(&["ignore", "ifneeded", ""]),
        Field::new("servertype", "str", "The server type."),
        Field::new("datacenter", "str", "The data centre."),
        Field::new("image", "str", "The image."),
        Field::new("userdata", "str", "The data for the first boot."),
        Field::new("serverrescuemode", "str", "The rescue system; not set for none.").one_of(&[
            "linux32",
            "linux64",
            "freebsd64",
            "",
        ]),
        Field::new("serverrescuekeys", "[]str", "The project's SSH keys that the rescue system allows in."),
        Field::new("waitinterval", "int", "Seconds between looks while waiting.").default("5").repr(Repr::Uint32),
        Field::new("waittimeout", "int", "Seconds to wait at most.").default("300").repr(Repr::Uint32),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| needs_poll(p, 1),
};

/// Kinds that cannot watch: `Meta:poll` must be at least this, or only different from 0.
pub(super) fn needs_poll(p: &Params<'_>, least: i32) -> Result<(), ValidationError> {
    if p.meta().poll == 0 || p.meta().poll < least {
        return Err(ValidationError::of(
            "Meta:poll",
            format!("`{}` cannot watch, and needs `Meta:poll`", p.kind().name),
        )
        .help("`Meta:poll => 60` checks once a minute"));
    }
    Ok(())
}
