//! The facts about disks and partitions.

use pp_types::Value;

use crate::fact::{FactSet, Fields, human_size, integer};
use crate::machine::Machine;

/// The unit of sizes in `/sys/block`, in bytes, whatever the device has.
const SECTOR: u64 = 512;

/// The facts about disks: block devices that are hardware.
pub(crate) fn disks(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let mut disks = Fields::default();
    let mut names = Vec::new();
    for name in machine.list("/sys/block") {
        let directory = format!("/sys/block/{name}");
        if !machine.exists(&format!("{directory}/device")) {
            continue;
        }
        let text = |file: &str| machine.read_line(&format!("{directory}/{file}"));
        let udev = udev(machine, &directory);
        let property = |keys: &[&str]| keys.iter().find_map(|key| udev_property(&udev, key));
        let (model, vendor) = (text("device/model"), text("device/vendor"));
        let kind = text("queue/rotational").map(|rotational| if rotational == "0" { "ssd" } else { "hdd" });
        let mut disk = Fields::default();
        disk.maybe("model", model.as_deref());
        disk.maybe("serial", property(&["ID_SERIAL_SHORT"]));
        if let Some(bytes) = size(machine, &directory) {
            disk.set("size", human_size(bytes));
            disk.set("size_bytes", integer(bytes));
            facts.legacy(&format!("blockdevice_{name}_size"), integer(bytes));
        }
        disk.maybe("type", kind);
        disk.maybe("vendor", vendor.as_deref());
        disk.maybe("wwn", property(&["ID_WWN_WITH_EXTENSION", "ID_WWN"]));
        facts.legacy(&format!("blockdevice_{name}_model"), model.as_deref().map(Value::from));
        facts.legacy(&format!("blockdevice_{name}_vendor"), vendor.as_deref().map(Value::from));
        disks.maybe(&name, disk.finish());
        names.push(name);
    }
    facts.legacy("blockdevices", (!names.is_empty()).then(|| Value::from(names.join(","))));
    facts.set("disks", disks.finish());
    facts
}

/// Returns `partitions`. `mounts` are the devices that are mounted, and where.
pub(crate) fn partitions(machine: &Machine, mounts: &[(String, String)]) -> FactSet {
    let mut facts = FactSet::default();
    if !machine.exists("/sys/block") {
        return facts;
    }
    let mut partitions = Fields::default();
    for name in machine.list("/sys/block") {
        let directory = format!("/sys/block/{name}");
        let text = |file: &str| machine.read_line(&format!("{directory}/{file}"));
        if let Some(mapped) = text("dm/name") {
            partitions.maybe(
                &format!("/dev/mapper/{mapped}"),
                partition(machine, &directory, &format!("/dev/mapper/{mapped}"), mounts),
            );
        } else if let Some(file) = text("loop/backing_file") {
            let device = format!("/dev/{name}");
            let mut fields = described(machine, &directory, &device, mounts);
            fields.set("backing_file", file);
            partitions.maybe(&device, fields.finish());
        } else {
            for part in machine.list(&directory) {
                let inner = format!("{directory}/{part}");
                if part.starts_with(&name) && machine.exists(&format!("{inner}/partition")) {
                    let device = format!("/dev/{}", part.replace('!', "/"));
                    partitions.maybe(&device, partition(machine, &inner, &device, mounts));
                }
            }
        }
    }
    facts.set("partitions", partitions.finish().unwrap_or_else(|| Value::hash(pp_types::Hash::default())));
    facts
}

fn partition(machine: &Machine, directory: &str, device: &str, mounts: &[(String, String)]) -> Option<Value> {
    described(machine, directory, device, mounts).finish()
}

/// Describes a partition from the kernel, the mounts, and what udev found on it.
fn described(machine: &Machine, directory: &str, device: &str, mounts: &[(String, String)]) -> Fields {
    let mut fields = Fields::default();
    let udev = udev(machine, directory);
    let properties = [
        ("filesystem", "ID_FS_TYPE"),
        ("label", "ID_FS_LABEL_ENC"),
        ("partlabel", "ID_PART_ENTRY_NAME"),
        ("partuuid", "ID_PART_ENTRY_UUID"),
        ("uuid", "ID_FS_UUID_ENC"),
    ];
    let mount = mounts.iter().find(|(mounted, _)| mounted == device);
    fields.maybe("mount", mount.map(|(_, path)| path.as_str()));
    for (name, key) in properties {
        fields.maybe(name, udev_property(&udev, key));
    }
    if let Some(bytes) = size(machine, directory) {
        fields.set("size", human_size(bytes));
        fields.set("size_bytes", integer(bytes));
    }
    fields
}

fn size(machine: &Machine, directory: &str) -> Option<u64> {
    machine.read_line(&format!("{directory}/size"))?.parse::<u64>().ok()?.checked_mul(SECTOR)
}

/// Returns what udev stored about a device. It has asked the hardware, so nobody else has to.
fn udev(machine: &Machine, directory: &str) -> String {
    let number = machine.read_line(&format!("{directory}/dev"));
    number.and_then(|number| machine.read(&format!("/run/udev/data/b{number}"))).unwrap_or_default()
}

/// Returns a property in udev's database. Bytes that are unusual in names are escaped as `\x20`.
fn udev_property(data: &str, key: &str) -> Option<String> {
    let value =
        data.lines().filter_map(|line| line.strip_prefix("E:")?.split_once('=')).find(|(name, _)| *name == key)?.1;
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend_from_slice(before.as_bytes());
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(b"\\x"),
        }
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_udev_are_unescaped() {
        let data = "S:disk/by-id/x\nE:ID_FS_LABEL_ENC=my\\x20disk\\xzz\\xc3\\xa4\nE:EMPTY=\n";
        assert_eq!(udev_property(data, "ID_FS_LABEL_ENC").as_deref(), Some("my disk\\xzzä"));
        assert_eq!((udev_property(data, "EMPTY"), udev_property(data, "NONE")), (None, None));
    }
}
