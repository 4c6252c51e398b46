//! What the firmware says about the machine.

use pp_types::Value;

use crate::fact::{FactSet, Fields};
use crate::machine::Machine;

/// The parts of `dmi`: a group, a field, the file in `/sys/class/dmi/id`, and the legacy name.
const FIELDS: &[(&str, &str, &str, &str)] = &[
    ("bios", "release_date", "bios_date", "bios_release_date"),
    ("bios", "vendor", "bios_vendor", "bios_vendor"),
    ("bios", "version", "bios_version", "bios_version"),
    ("board", "asset_tag", "board_asset_tag", "boardassettag"),
    ("board", "manufacturer", "board_vendor", "boardmanufacturer"),
    ("board", "product", "board_name", "boardproductname"),
    ("board", "serial_number", "board_serial", "boardserialnumber"),
    ("chassis", "asset_tag", "chassis_asset_tag", "chassisassettag"),
    ("chassis", "type", "chassis_type", "chassistype"),
    ("", "manufacturer", "sys_vendor", "manufacturer"),
    ("product", "name", "product_name", "productname"),
    ("product", "serial_number", "product_serial", "serialnumber"),
    ("product", "uuid", "product_uuid", "uuid"),
];

/// The kinds of chassis of the SMBIOS specification, from 1 on.
const CHASSIS: [&str; 32] = [
    "Other",
    "Unknown",
    "Desktop",
    "Low Profile Desktop",
    "Pizza Box",
    "Mini Tower",
    "Tower",
    "Portable",
    "Laptop",
    "Notebook",
    "Hand Held",
    "Docking Station",
    "All in One",
    "Sub Notebook",
    "Space-Saving",
    "Lunch Box",
    "Main System Chassis",
    "Expansion Chassis",
    "SubChassis",
    "Bus Expansion Chassis",
    "Peripheral Chassis",
    "Storage Chassis",
    "Rack Mount Chassis",
    "Sealed-Case PC",
    "Multi-system",
    "CompactPCI",
    "AdvancedTCA",
    "Blade",
    "Blade Enclosure",
    "Tablet",
    "Convertible",
    "Detachable",
];

/// Returns a file of the firmware's tables.
pub(crate) fn field(machine: &Machine, file: &str) -> Option<String> {
    machine.read_line(&format!("/sys/class/dmi/id/{file}"))
}

/// The facts about the firmware.
pub(crate) fn dmi(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let mut dmi = Fields::default();
    let mut group = ("", Fields::default());
    for (name, key, file, legacy) in FIELDS {
        let value = match *file {
            "chassis_type" => field(machine, file).and_then(|number| chassis(&number)).map(str::to_owned),
            _ => field(machine, file),
        };
        facts.legacy(legacy, value.as_deref().map(Value::from));
        if group.0 != *name {
            let (name, fields) = std::mem::replace(&mut group, (name, Fields::default()));
            dmi.maybe(name, fields.finish());
        }
        if name.is_empty() {
            dmi.maybe(key, value);
        } else {
            group.1.maybe(key, value);
        }
    }
    dmi.maybe(group.0, group.1.finish());
    facts.set("dmi", dmi.finish());
    facts
}

fn chassis(number: &str) -> Option<&'static str> {
    let index = number.parse::<usize>().ok()?.checked_sub(1)?;
    CHASSIS.get(index).copied()
}
