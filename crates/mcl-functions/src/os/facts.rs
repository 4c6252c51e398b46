//! Properties of the operating system.

use go_compat::os::{error_text, path_error};
use mcl_value::Value;

use crate::FunctionError;
use crate::table::{Outcome, fatal, ok};

/// The distribution families with the file that identifies them; the first match counts.
pub(super) const FAMILIES: [(&str, &str); 3] =
    [("redhat", "/etc/redhat-release"), ("debian", "/etc/debian_version"), ("archlinux", "/etc/arch-release")];

/// Returns whether a path exists. Follows symbolic links.
pub(super) fn exists(path: &str) -> Result<bool, FunctionError> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FunctionError::fatal(format!("stat {path}: {}", error_text(&error)))),
    }
}

pub(super) fn release() -> Outcome {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| path_error(path, &error));
    match read("/etc/os-release").or_else(|_| read("/usr/lib/os-release")) {
        Ok(text) => ok(parse_release(&text)),
        Err(error) => fatal(format!("ParseOSRelease failed: {error}")),
    }
}

fn parse_release(text: &str) -> Value {
    let find = |wanted: &str| {
        let mut lines = text.lines().rev();
        let value = lines.find_map(|line| {
            let (key, rest) = line.split_once('=')?;
            let value = rest.split('=').next().unwrap_or("");
            (key == wanted).then_some(value)
        });
        let value = value.unwrap_or("");
        let value = value.strip_prefix('"').unwrap_or(value);
        Value::str(value.strip_suffix('"').unwrap_or(value))
    };
    Value::strukt([("id", find("ID")), ("variant_id", find("VARIANT_ID")), ("version_id", find("VERSION_ID"))])
}

/// Substrings of the DMI data that identify hypervisors and clouds.
const VIRTUAL_VENDORS: [&str; 15] = [
    "Amazon EC2",
    "Apple Virtualization",
    "BHYVE",
    "Bochs",
    "Google Computer Engine",
    "Hyper-V",
    "innotek GmbH",
    "KubeVirt",
    "KVM",
    "OpenStack",
    "Oracle Corporation",
    "Parallels",
    "QEMU",
    "VMware",
    "Xen",
];

pub(super) fn is_virtual() -> Result<bool, FunctionError> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo");
    if cpu.as_ref().is_ok_and(|text| text.contains("hypervisor")) {
        return Ok(true);
    }
    let mut readable = false;
    for file in ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"] {
        let Ok(text) = std::fs::read_to_string(format!("/sys/class/dmi/id/{file}")) else { continue };
        readable = true;
        if VIRTUAL_VENDORS.iter().any(|vendor| text.contains(vendor)) {
            return Ok(true);
        }
    }
    match cpu {
        Err(error) if !readable => Err(FunctionError::fatal(path_error("/proc/cpuinfo", &error))),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_files_are_read_leniently() {
        let text = "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"12\"\nURL=\"https://a?b=c\"\n";
        assert_eq!(parse_release(text).to_string(), r#"struct{id: "debian"; variant_id: ""; version_id: "12"}"#);
    }
}
