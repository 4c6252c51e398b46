//! Settings of the host: `hostname`, `sysctl`, `mount`, `net` (spec 05 §6.11, §6.13, §6.15, §6.23).

use std::net::IpAddr;

use crate::claim::parts_of_managed_files;
use crate::kinds::syntax;
use crate::{Claim, Comparison, Demand, Field, KindConstant, Params, ResourceKind, Reversal, ValidationError};

pub(super) const HOSTNAME: ResourceKind = ResourceKind {
    name: "hostname",
    doc: "The pretty, static and transient names of this host.",
    example: r#"hostname "web1" {
	hostname => "web1.example.com",
}"#,
    fields: &[
        Field::new("hostname", "str", "The value of each name that is not set.").default_name(),
        Field::new("pretty_hostname", "str", "The pretty name; an empty string leaves it unmanaged.").optional(),
        Field::new("static_hostname", "str", "The name at boot; an empty string leaves it unmanaged.").optional(),
        Field::new("transient_hostname", "str", "The kernel's name; an empty string leaves it unmanaged.").optional(),
    ],
    managed_files: |_| vec!["/etc/hostname".to_owned(), "/etc/machine-info".to_owned()],
    claims: hostname_claims,
    ..ResourceKind::BASE
};

fn hostname_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let common = p.string_or_name("hostname");
    let names = [
        ("pretty_hostname", "pretty name"),
        ("static_hostname", "static name"),
        ("transient_hostname", "transient name"),
    ];
    let names = names.map(|(param, aspect)| (p.given_string(param).unwrap_or_else(|| common.clone()), aspect));
    let wanted = names.into_iter().filter(|(name, _)| !name.is_empty());
    let claims = wanted.map(|(name, aspect)| Claim { object: "this host".into(), aspect, demand: Demand::whole(name) });
    parts_of_managed_files(p).into_iter().chain(claims).collect()
}

pub(super) const SYSCTL: ResourceKind = ResourceKind {
    name: "sysctl",
    doc: "A kernel parameter, in the running kernel and at boot. The name is the dotted key.",
    example: r#"sysctl "net.ipv4.ip_forward" {
	value => "1",
}"#,
    fields: &[
        Field::new("value", "str", "The exact value, as the kernel prints it, without a newline.").required(),
        Field::new("runtime", "bool", "Set it in the running kernel.").default("true"),
        Field::new("persist", "bool", "Write the file that sets it at boot.").default("true"),
        Field::new("path", "str", "The file that sets it at boot.").default("/etc/sysctl.d/99-NAME.conf"),
    ],
    validate: validate_sysctl,
    managed_files: |p| match &*p.string("path") {
        _ if !p.bool("persist") => Vec::new(),
        "" => vec![format!("/etc/sysctl.d/99-{}.conf", p.name())],
        path => vec![path.to_owned()],
    },
    ..ResourceKind::BASE
};

fn validate_sysctl(p: &Params<'_>) -> Result<(), ValidationError> {
    let name = p.name();
    if let Some(c) = name.chars().find(|c| matches!(c, '/' | '=')) {
        return Err(ValidationError::new(format!("invalid kernel parameter {name:?}: unexpected `{c}`"))
            .help(format!("write the key with dots: {:?}", name.replace('/', "."))));
    }
    if name.starts_with('.') || name.ends_with('.') {
        return Err(ValidationError::new(format!(
            "invalid kernel parameter {name:?}: unexpected leading or trailing dot"
        )));
    }
    if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(ValidationError::new(format!("invalid kernel parameter {name:?}: unexpected whitespace")));
    }
    if name.starts_with(['#', ';', '-']) {
        return Err(ValidationError::new(format!("invalid kernel parameter {name:?}: no line would be read as it")));
    }
    let value = p.string("value");
    if value.is_empty() {
        return Err(ValidationError::of_value("value", "empty `value`"));
    }
    if value.trim() != value {
        return Err(ValidationError::of_value(
            "value",
            format!("invalid `value` {value:?}: unexpected leading or trailing whitespace"),
        ));
    }
    if value.contains(['\n', '\r', '\0']) {
        let text = format!("invalid `value` {value:?}: unexpected line break");
        return Err(ValidationError::of("value", text).help("each parameter is one line of the file"));
    }
    if !p.bool("runtime") && !p.bool("persist") {
        return Err(ValidationError::of("runtime", "nothing to manage: `runtime` and `persist` are both false"));
    }
    let path = p.string("path");
    if p.bool("persist") && p.is_set("path") && !path.is_empty() {
        if !path.starts_with('/') {
            return Err(ValidationError::of_value(
                "path",
                format!("invalid `path`: expected an absolute path, found {path:?}"),
            ));
        }
        if !path.ends_with(".conf") {
            return Err(ValidationError::of_value(
                "path",
                format!("invalid `path`: expected a file name that ends with `.conf`, found {path:?}"),
            ));
        }
    }
    Ok(())
}

pub(super) const MOUNT: ResourceKind = ResourceKind {
    name: "mount",
    doc: "A line of `/etc/fstab`, and whether it is mounted. The name is the mount point.",
    example: r#"mount "/srv" {
	state => "exists",
	device => "/dev/sdb1",
	type => "ext4",
	options => {"noatime" => ""},
}"#,
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("device", "str", "The path of the device, or `UUID=…`, `LABEL=…`, `PARTUUID=…` or `PARTLABEL=…`."),
        Field::new("type", "str", "The type of the file system."),
        Field::new(
            "options",
            "map{str: str}",
            "Options and their values; an empty string for an option without a value.",
        )
        .default("{\"defaults\" => \"\",}"),
        Field::new("freq", "int", "The fifth column: whether `dump` saves the file system.").default("0"),
        Field::new("passno", "int", "The sixth column: the order of checks at boot.").default("0"),
    ],
    validate: validate_mount,
    managed_files: |_| vec!["/etc/fstab".to_owned()],
    claims: mount_claims,
    ..ResourceKind::BASE
};

fn mount_claims<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let wanted = if p.string("state") == "exists" {
        let options = p.value("options").map(ToString::to_string).unwrap_or_default();
        let (freq, passno) = (p.int("freq"), p.int("passno"));
        format!("{} {} {options} {freq} {passno}", p.string("device"), p.string("type"))
    } else {
        "absent".to_owned()
    };
    let mut claims = parts_of_managed_files(p);
    claims.push(Claim::whole(p.name(), "mount", wanted));
    claims
}

fn validate_mount(p: &Params<'_>) -> Result<(), ValidationError> {
    let name = p.name();
    if !name.starts_with('/') {
        return Err(ValidationError::new(format!("invalid mount point: expected an absolute path, found {name:?}")));
    }
    if name.contains("//") {
        return Err(ValidationError::new(format!("invalid mount point {name:?}: unexpected `//`")));
    }
    if let Some(part) = name.split('/').find(|part| matches!(*part, "." | "..")) {
        return Err(ValidationError::new(format!("invalid mount point {name:?}: unexpected `{part}`")));
    }
    Ok(())
}

pub(super) const NET: ResourceKind = ResourceKind {
    name: "net",
    doc: "A network interface: whether it is up, its addresses and its default route. The name is the interface.",
    example: r#"net "eth1" {
	state => "up",
	addrs => ["192.0.2.5/24"],
	gateway => "192.0.2.1",
}"#,
    fields: &[
        Field::new("state", "str", "Whether it is up; if not set, this is not managed.").one_of(&["up", "down", ""]),
        Field::new("addrs", "[]str", "The exact set of addresses, each with a prefix length: `192.0.2.7/24`.")
            .optional()
            .compared(Comparison::Unordered),
        Field::new("gateway", "str", "The address of the default route."),
        Field::new("ip_forward", "bool", "Whether it forwards packets; only written to the network file.").optional(),
    ],
    constants: &[
        KindConstant::str("state", "up", "up"),
        KindConstant::str("state", "down", "down"),
        KindConstant::str("state", "undefined", ""),
    ],
    validate: validate_net,
    reversal: Some(Reversal { opposite_states: ["up", "down"], check: |_| Ok(()) }),
    managed_files: |p| vec![format!("/etc/systemd/network/mgmt-{}.network", p.name())],
    ..ResourceKind::BASE
};

fn validate_net(p: &Params<'_>) -> Result<(), ValidationError> {
    if let Some(address) = p.strings("addrs").find(|a| syntax::cidr(a).is_none()) {
        return Err(ValidationError::of_value(
            "addrs",
            format!("invalid entry {address:?} in `addrs`: expected an address with a prefix length"),
        )
        .help("write it like \"192.0.2.7/24\""));
    }
    let gateway = p.string("gateway");
    if !gateway.is_empty() && gateway.parse::<IpAddr>().is_err() {
        return Err(ValidationError::of_value(
            "gateway",
            format!("invalid `gateway` {gateway:?}: expected an IP address"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Resource, ResourceId, validate};

    #[track_caller]
    fn check(resource: &Resource, part: &str) {
        let error = validate(resource).expect_err("invalid").to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn parameters_that_would_write_other_lines_are_rejected() {
        let parameter = |name: &str, value: &str| Resource::new(ResourceId::new("sysctl", name)).with("value", value);
        assert!(validate(&parameter("net.ipv4.tcp_rmem", "1\t2\t3")).is_ok());
        check(&parameter("a.b", "1\nkernel.modules_disabled = 1"), "unexpected line break");
        check(&parameter("a.b", "1\r2"), "unexpected line break");
        check(&parameter("a.b\nc.d", "1"), "unexpected whitespace");
        check(&parameter("#a.b", "1"), "no line would be read as it");
    }

    #[test]
    fn mount_points_have_one_spelling() {
        let mount = |name: &str| {
            Resource::new(ResourceId::new("mount", name)).with("state", "exists").with("device", "/dev/sdb1")
        };
        assert!(validate(&mount("/srv/a b/..x/")).is_ok());
        for (name, part) in [("srv", "absolute"), ("/srv//a", "`//`"), ("/srv/../etc", "`..`"), ("/srv/./a", "`.`")] {
            check(&mount(name), part);
        }
    }
}
