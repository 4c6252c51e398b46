//! Firmware and management controllers: `fwupd:*`, `fwattr`, `bmc:*` (spec 08 §12, §13).

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder, Offers};
use crate::kinds::cloud::require_poll;
use crate::kinds::file::file_identity;
use crate::kinds::service::system_service;
use crate::kinds::syntax;
use crate::{AutoEdges, Check, Field, Params, ResourceKind, Traits, ValidationError};

pub(super) const FWUPD_DEVICE: ResourceKind = ResourceKind {
    name: "fwupd:device",
    doc: "The firmware version of one device.",
    example: r#"fwupd:device "disk" {
	version => "1.2.3",
}"#,
    implemented: false,
    fields: &[
        Field::new("device", "str", "The device: its GUID or identifier.").default_name(),
        Field::new("version", "str", "The exact version.").required().check(Check::NotEmpty),
        Field::new("allow_downgrade", "bool", "Allow a downgrade."),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    autoedges: AutoEdges { wants: want_remotes, ..AutoEdges::NONE },
    ..ResourceKind::BASE
};

pub(super) const FWUPD_SYSTEM: ResourceKind = ResourceKind {
    name: "fwupd:system",
    doc: "The firmware of all devices.",
    example: r#"fwupd:system "all" {
	state => "newest",
}"#,
    implemented: false,
    fields: &[
        Field::new("state", "str", "The version.").required().one_of(&["newest"]),
        Field::new("exclude", "[]str", "Devices that are not managed.").check(Check::NotEmpty),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    autoedges: AutoEdges { wants: want_remotes, ..AutoEdges::NONE },
    ..ResourceKind::BASE
};

pub(super) const FWUPD_REMOTE: ResourceKind = ResourceKind {
    name: "fwupd:remote",
    doc: "A remote that firmware is downloaded from. The name is its identifier.",
    example: r#"fwupd:remote "lvfs" {
	enabled => true,
}"#,
    implemented: false,
    fields: &[
        Field::new("enabled", "bool", "Whether it is enabled; if not set, this is not managed.").optional(),
        Field::new(
            "refresh_age",
            "str",
            "Refresh its metadata when they are older than this duration, such as `24h`; never if empty.",
        ),
    ],
    traits: Traits { autoedge: true, ..Traits::NONE },
    validate: validate_remote,
    autoedges: AutoEdges { offers: offer_remote, wants: want_configuration_and_daemon, ..AutoEdges::NONE },
    ..ResourceKind::BASE
};

/// The group of all remotes, which devices come after.
const REMOTES: &str = "fwupd:remote";

fn offer_remote<'a>(_: &AutoEdgeInput<'a>, offers: &mut Offers<'a>) -> Result<(), AutoEdgeErrorKind> {
    offers.join(REMOTES);
    Ok(())
}

fn want_configuration_and_daemon(
    input: &AutoEdgeInput<'_>,
    edges: &mut EdgeFinder<'_>,
) -> Result<(), AutoEdgeErrorKind> {
    edges.needs(&file_identity(format!("/etc/fwupd/remotes.d/{}.conf", input.params.name())));
    edges.needs(&system_service("fwupd"));
    Ok(())
}

fn want_remotes(_: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    edges.needs_all(REMOTES);
    Ok(())
}

fn validate_remote(p: &Params<'_>) -> Result<(), ValidationError> {
    let age = p.string("refresh_age");
    if age.is_empty() {
        if p.is_set("enabled") {
            return Ok(());
        }
        return Err(ValidationError::new("nothing to manage").help("set `enabled` or `refresh_age`"));
    }
    if syntax::duration(&age).is_none_or(|nanoseconds| nanoseconds <= 0) {
        return Err(ValidationError::of_value(
            "refresh_age",
            format!("invalid `refresh_age` {age:?}: expected a positive duration"),
        )
        .help("write it like `24h`"));
    }
    if p.is_set("enabled") && !p.bool("enabled") {
        return Err(ValidationError::of("refresh_age", "`refresh_age` is not allowed for a disabled remote"));
    }
    Ok(())
}

pub(super) const FWATTR: ResourceKind = ResourceKind {
    name: "fwattr",
    doc: "A firmware attribute that the kernel exposes.",
    example: r#"fwattr "boot order" {
	key => "BootOrderLock",
	value => "Enable",
}"#,
    implemented: false,
    fields: &[
        Field::new("driver", "str", "The driver.").default("the only one"),
        Field::new("key", "str", "The attribute.").default_name(),
        Field::new("value", "str", "The value, without a newline."),
        Field::new("check", "bool", "Check the value against the possible values that the kernel reports.")
            .default("true"),
        Field::new("strict", "bool", "Require the exact spelling of the value."),
        Field::new("skip", "bool", "Do nothing if the attribute does not exist."),
    ],
    validate: |p| {
        let key = p.string_or_name("key");
        for (param, text) in [("key", &key), ("driver", &p.string("driver"))] {
            if text.contains('/') || text == ".." || text == "." {
                return Err(ValidationError::of_value(param, format!("invalid `{param}`: unexpected path {text:?}")));
            }
        }
        if p.string("value").contains('\n') {
            return Err(ValidationError::of_value("value", "invalid `value`: unexpected newline"));
        }
        Ok(())
    },
    ..ResourceKind::BASE
};

const HOSTNAME: Field = Field::new("hostname", "str", "The controller.").default("from the name");
const PORT: Field = Field::new("port", "int", "The controller's port.").default("from the name, else 443");
const USERNAME: Field = Field::new("username", "str", "The user.").default("from the name");
const PASSWORD: Field = Field::new("password", "str", "The password.").sensitive();
const INSECURE_PASSWORD: Field = Field::new("insecure_password", "bool", "Allow a password in the name.");

pub(super) const BMC_POWER: ResourceKind = ResourceKind {
    name: "bmc:power",
    doc: "The power of a machine, through its management controller. The name may be `driver://user@host:port`.",
    example: r#"bmc:power "https://192.0.2.9" {
	driver => "gofish",
	state => "on",

	Meta:poll => 60,
}"#,
    implemented: false,
    fields: &[
        HOSTNAME,
        PORT,
        USERNAME,
        PASSWORD,
        INSECURE_PASSWORD,
        Field::new("driver", "str", "`rpc` or `gofish`; with a final `s` over TLS.").default("from the name"),
        Field::new("state", "str", "Whether it is on; if not set, this is not managed.").one_of(&["on", "off", ""]),
    ],
    validate: |p| {
        validate_bmc(p)?;
        let name = syntax::url(p.name());
        let driver = match p.string("driver") {
            driver if driver.is_empty() => name.map_or("", |u| u.scheme).into(),
            driver => driver,
        };
        match &*driver {
            "rpc" | "rpcs" | "gofish" | "gofishs" => Ok(()),
            "" => {
                Err(ValidationError::of("driver", "missing parameter `driver`").help("set it to \"rpc\" or \"gofish\""))
            }
            _ => Err(ValidationError::of_value(
                "driver",
                format!("unknown `driver` {driver:?}: expected `rpc` or `gofish`"),
            )),
        }
    },
    ..ResourceKind::BASE
};

fn validate_bmc(p: &Params<'_>) -> Result<(), ValidationError> {
    require_poll(p, i32::MIN)?;
    if p.string("hostname").is_empty() && syntax::url(p.name()).is_none_or(|u| u.host.is_empty()) {
        return Err(ValidationError::of("hostname", "missing parameter `hostname`: the name contains no host")
            .help("set it, or name the resource like \"driver://user@host\""));
    }
    Ok(())
}

pub(super) const BMC_FIRMWARE: ResourceKind = ResourceKind {
    name: "bmc:firmware",
    doc: "The firmware of a management controller. The name may be `driver://user@host:port`.",
    example: r#"bmc:firmware "https://192.0.2.9" {
	provider => "supermicro",
	file => "/srv/bios.bin",
	version => "3.2",

	Meta:poll => 60,
}"#,
    implemented: false,
    fields: &[
        HOSTNAME,
        PORT,
        USERNAME,
        PASSWORD,
        INSECURE_PASSWORD,
        Field::new("provider", "str", "The vendor, such as `supermicro`.").required().check(Check::NotEmpty),
        Field::new("file", "str", "The image: an absolute path.").required().check(Check::AbsoluteFile),
        Field::new("hash", "str", "The image's SHA-256."),
        Field::new("version", "str", "The version of the image.").required().check(Check::NotEmpty),
        Field::new("block", "str", "The `bmc:power` resource that must wait during the update."),
    ],
    validate: validate_bmc,
    ..ResourceKind::BASE
};
