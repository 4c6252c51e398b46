//! Firmware and management controllers: `fwupd:*`, `fwattr`, `bmc:*` (spec 08 §12, §13).

use super::cloud::needs_poll;
use crate::syntax;
use crate::validate::{Params, ValidationError, nothing_more};
use crate::{Check, Field, ResourceKind, Traits};

pub(super) const FWUPD_DEVICE: ResourceKind = ResourceKind {
    name: "fwupd:device",
    doc: "The firmware version of one device.",
    fields: &[
        Field::new("device", "str", "The device: its GUID or identifier.").default_name(),
        Field::new("version", "str", "The exact version.").required().check(Check::NotEmpty),
        Field::new("allow_downgrade", "bool", "Allow to go back to an older version."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const FWUPD_SYSTEM: ResourceKind = ResourceKind {
    name: "fwupd:system",
    doc: "The firmware of all devices.",
    fields: &[
        Field::new("state", "str", "Which version.").required().one_of(&["newest"]),
        Field::new("exclude", "[]str", "Devices to leave alone.").check(Check::NotEmpty),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: nothing_more,
};

pub(super) const FWUPD_REMOTE: ResourceKind = ResourceKind {
    name: "fwupd:remote",
    doc: "A place that firmware comes from. The name is its identifier.",
    fields: &[
        Field::new("enabled", "bool", "Whether it is used; not set leaves it alone.").optional(),
        Field::new("refresh_age", "str", "Fetch what it offers when that is older: `24h`; never when empty."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_remote,
};

fn validate_remote(p: &Params<'_>) -> Result<(), ValidationError> {
    let age = p.text("refresh_age");
    if age.is_empty() {
        if p.is_set("enabled") {
            return Ok(());
        }
        return Err(ValidationError::new("there is nothing to manage").help("set `enabled` or `refresh_age`"));
    }
    if syntax::duration(&age).is_none_or(|nanoseconds| nanoseconds <= 0) {
        return Err(ValidationError::of(
            "refresh_age",
            format!("`refresh_age` must be a positive duration, not {age:?}"),
        )
        .help("write it like `24h`"));
    }
    if p.is_set("enabled") && !p.bool("enabled") {
        return Err(ValidationError::of("refresh_age", "`refresh_age` has no meaning for what is not enabled"));
    }
    Ok(())
}

pub(super) const FWATTR: ResourceKind = ResourceKind {
    name: "fwattr",
    doc: "A firmware attribute that the kernel offers.",
    fields: &[
        Field::new("driver", "str", "The driver.").default("the only one"),
        Field::new("key", "str", "The attribute.").default_name(),
        Field::new("value", "str", "The value, without a line end."),
        Field::new("check", "bool", "Check the value against what the kernel says is possible.").default("true"),
        Field::new("strict", "bool", "Allow no other spelling of the value."),
        Field::new("skip", "bool", "Do nothing where the attribute does not exist."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| {
        let key = p.text_or_name("key");
        for (param, text) in [("key", &key), ("driver", &p.text("driver"))] {
            if text.contains('/') || text == ".." || text == "." {
                return Err(ValidationError::of(param, format!("`{param}` must not be a path: {text:?}")));
            }
        }
        if p.text("value").contains('\n') {
            return Err(ValidationError::of("value", "`value` must be one line"));
        }
        Ok(())
    },
};

const HOSTNAME: Field = Field::new("hostname", "str", "The controller.").default("from the name");
const PORT: Field = Field::new("port", "int", "Its port.").default("from the name, else 443");
const USERNAME: Field = Field::new("username", "str", "The user.").default("from the name");
const PASSWORD: Field = Field::new("password", "str", "The password.").sensitive();
const INSECURE_PASSWORD: Field = Field::new("insecure_password", "bool", "Allow a password in the name.");

pub(super) const BMC_POWER: ResourceKind = ResourceKind {
    name: "bmc:power",
    doc: "The power of a machine, through its management controller. The name may be `driver://user@host:port`.",
    fields: &[
        HOSTNAME,
        PORT,
        USERNAME,
        PASSWORD,
        INSECURE_PASSWORD,
        Field::new("driver", "str", "`rpc` or `gofish`; with a final `s` over TLS.").default("from the name"),
        Field::new("state", "str", "Whether it is on; not set leaves it alone.").one_of(&["on", "off", ""]),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: |p| {
        validate_bmc(p)?;
        let name = syntax::url(p.name());
        let driver = match p.text("driver") {
            driver if driver.is_empty() => name.map_or("", |u| u.scheme).into(),
            driver => driver,
        };
        match &*driver {
            "rpc" | "rpcs" | "gofish" | "gofishs" => Ok(()),
            "" => Err(ValidationError::of("driver", "`driver` is missing").help("set it to \"rpc\" or \"gofish\"")),
            _ => Err(ValidationError::of("driver", format!("`driver` must be `rpc` or `gofish`, not {driver:?}"))),
        }
    },
};

fn validate_bmc(p: &Params<'_>) -> Result<(), ValidationError> {
    needs_poll(p, i32::MIN)?;
    if p.text("hostname").is_empty() && syntax::url(p.name()).is_none_or(|u| u.host.is_empty()) {
        return Err(ValidationError::of("hostname", "`hostname` is missing, and the name has none")
            .help("set it, or name the resource like \"driver://user@host\""));
    }
    Ok(())
}

pub(super) const BMC_FIRMWARE: ResourceKind = ResourceKind {
    name: "bmc:firmware",
    doc: "The firmware of a management controller. The name may be `driver://user@host:port`.",
    fields: &[
        HOSTNAME,
        PORT,
        USERNAME,
        PASSWORD,
        INSECURE_PASSWORD,
        Field::new("provider", "str", "The maker: `supermicro`.").required().check(Check::NotEmpty),
        Field::new("file", "str", "The image: an absolute path.").required().check(Check::AbsoluteFile),
        Field::new("hash", "str", "The image's SHA-256."),
        Field::new("version", "str", "The version that it has.").required().check(Check::NotEmpty),
        Field::new("block", "str", "A `bmc:power` that must wait meanwhile."),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_bmc,
};
