//! Whether the machine is virtual, and on what it runs.

use pp_types::Value;

use crate::dmi::field;
use crate::fact::{FactSet, Fields};
use crate::hypervisor;
use crate::machine::Machine;

/// Hypervisors by a name of the product, as `virtual` names them. The first match counts.
const PRODUCTS: &[(&str, &str)] = &[
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("Parallels", "parallels"),
    ("KVM", "kvm"),
    ("Virtual Machine", "hyperv"),
    ("RHEV Hypervisor", "rhev"),
    ("oVirt Node", "ovirt"),
    ("HVM domU", "xenhvm"),
    ("Bochs", "bochs"),
    ("OpenBSD", "vmm"),
    ("BHYVE", "bhyve"),
    ("Google Compute Engine", "gce"),
];

/// A container that process 1 runs in.
struct Container {
    kind: &'static str,
    id: Option<String>,
}

/// What the tables of the firmware say.
struct Firmware {
    vendor: String,
    product: String,
    bios: String,
}

impl Firmware {
    fn read(machine: &Machine) -> Firmware {
        let text = |file| field(machine, file).unwrap_or_default();
        Firmware { vendor: text("sys_vendor"), product: text("product_name"), bios: text("bios_vendor") }
    }

    /// Returns the hypervisor that the tables name. QEMU is not a word that Facter looks for in the tables: it runs `virt-what`.
    fn hypervisor(&self) -> Option<&'static str> {
        if self.bios.contains("Google") {
            return Some("gce");
        }
        if self.bios.contains("Amazon EC2") || self.vendor.contains("Amazon EC2") {
            return Some("kvm");
        }
        let product = PRODUCTS.iter().find(|(name, _)| self.product.contains(name)).map(|(_, kind)| *kind);
        product.or_else(|| ["QEMU", "OpenStack"].iter().any(|name| self.vendor.contains(name)).then_some("kvm"))
    }

    /// Whether it is a machine of Azure, which marks the chassis of its machines.
    fn is_azure(&self, machine: &Machine) -> bool {
        const AZURE_ASSET_TAG: &str = "7783-7084-3265-9085-8269-3286-77";
        self.vendor == "Microsoft Corporation"
            && field(machine, "chassis_asset_tag").as_deref() == Some(AZURE_ASSET_TAG)
    }
}

/// The facts about virtualization.
pub(crate) fn virtualization(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let mut hypervisors = Fields::default();
    let empty = || Value::hash(pp_types::Hash::default());
    let container = container(machine);
    let firmware = Firmware::read(machine);
    if let Some(container) = &container {
        let mut fields = Fields::default();
        fields.maybe("id", container.id.as_deref());
        hypervisors.set(container.kind, fields.finish().unwrap_or_else(empty));
    }
    let xen = xen(machine);
    let kind = container
        .as_ref()
        .map(|container| container.kind)
        .or(xen)
        .or_else(|| openvz(machine))
        .or(firmware.hypervisor())
        .or_else(|| hypervisor::with_signature(&machine.hypervisor?));
    for (name, fields) in hypervisor_fields(&firmware, machine.hypervisor.as_ref(), kind) {
        hypervisors.set(name, fields.finish().unwrap_or_else(empty));
    }
    facts.set("virtual", Value::from(kind.unwrap_or("physical")));
    // A privileged domain of Xen and a node of OpenVZ are the machine itself.
    let is_virtual = kind.is_some_and(|kind| !matches!(kind, "xen0" | "openvzhn"));
    facts.set("is_virtual", Value::Boolean(is_virtual));
    facts.set("hypervisors", hypervisors.finish());
    if firmware.is_azure(machine) {
        let mut cloud = Fields::default();
        cloud.set("provider", "azure");
        facts.set("cloud", cloud.finish());
    }
    facts
}

/// Returns what is known about the hypervisors other than containers.
fn hypervisor_fields(
    firmware: &Firmware,
    signature: Option<&[u8; 12]>,
    kind: Option<&str>,
) -> Vec<(&'static str, Fields)> {
    let mut found = Vec::new();
    let mut kvm = Fields::default();
    if firmware.bios.contains("Google") {
        kvm.set("google", true);
    }
    if firmware.bios.contains("Amazon EC2") {
        kvm.set("amazon", true);
    }
    if firmware.vendor.contains("OpenStack") {
        kvm.set("openstack", true);
    }
    let is_kvm = firmware.vendor.contains("QEMU") || signature.and_then(hypervisor::with_signature) == Some("kvm");
    if !kvm.is_empty() || kind == Some("kvm") && is_kvm {
        found.push(("kvm", kvm));
    }
    if firmware.vendor.contains("Microsoft") {
        found.push(("hyperv", Fields::default()));
    }
    if firmware.vendor.contains("VMware") {
        found.push(("vmware", Fields::default()));
    }
    if firmware.product == "VirtualBox" {
        found.push(("virtualbox", Fields::default()));
    }
    if let Some(domain @ ("xenhvm" | "xenu" | "xen0")) = kind {
        let mut xen = Fields::default();
        xen.set("context", if domain == "xenhvm" { "hvm" } else { "pv" });
        xen.set("privileged", domain == "xen0");
        found.push(("xen", xen));
    }
    found
}

/// Returns the container that process 1 runs in.
fn container(machine: &Machine) -> Option<Container> {
    let groups = machine.read("/proc/1/cgroup").unwrap_or_default();
    let id_after = |mark: &str| {
        let line = groups.lines().find(|line| line.contains(mark))?;
        let id: String = line.split_once(mark)?.1.chars().take_while(char::is_ascii_alphanumeric).collect();
        (!id.is_empty()).then_some(id)
    };
    for mark in ["/docker/", "/docker-"] {
        if let Some(id) = id_after(mark) {
            return Some(Container { kind: "docker", id: Some(id) });
        }
    }
    let environment = machine.read("/proc/1/environ").unwrap_or_default();
    let variable = environment.split('\0').find_map(|entry| entry.strip_prefix("container="));
    // `/.dockerenv` says nothing: virtual machines that are made from images of containers have it, too.
    let kind = match variable {
        Some("lxc") => "lxc",
        Some("systemd-nspawn") => "systemd_nspawn",
        Some("podman") => "podman",
        Some("crio") => "crio",
        Some("docker") => "docker",
        Some("") | None if groups.contains("/lxc/") || groups.contains("lxc.payload") => "lxc",
        Some("") | None if groups.contains("/kubepods") => "container_other",
        Some("") | None => return None,
        Some(_) => "container_other",
    };
    let id = (kind == "systemd_nspawn").then(|| machine.read_line("/etc/machine-id")).flatten();
    Some(Container { kind, id })
}

/// Returns the kind of a domain of Xen that shows itself in `/proc/xen`.
fn xen(machine: &Machine) -> Option<&'static str> {
    if machine.exists("/dev/xen/evtchn") && machine.exists("/proc/xen/capabilities") {
        let capabilities = machine.read("/proc/xen/capabilities").unwrap_or_default();
        return Some(if capabilities.contains("control_d") { "xen0" } else { "xenu" });
    }
    let is_hvm = field(machine, "product_name").is_some_and(|product| product.contains("HVM domU"));
    (machine.exists("/proc/xen") && !is_hvm).then_some("xenu")
}

/// Returns whether it is a node or a container of OpenVZ.
fn openvz(machine: &Machine) -> Option<&'static str> {
    if !machine.exists("/proc/vz") || machine.exists("/proc/lve/list") {
        return None;
    }
    let status = machine.read("/proc/self/status")?;
    let id = status.lines().find_map(|line| line.strip_prefix("envID:"))?.trim();
    Some(if id == "0" { "openvzhn" } else { "openvzve" })
}

#[cfg(test)]
mod tests {
    use test_support::Scratch;

    use super::*;
    use crate::machine::{ProcessState, Uname};
    use crate::network_state::NetworkState;

    /// Compares `virtual`, `is_virtual` and `hypervisors` of a machine with these files.
    #[track_caller]
    fn check(files: &[(&str, &str)], signature: &[u8; 12], expected: &str) {
        let root = Scratch::with_files(files.iter().copied());
        let mut machine =
            Machine::with_root(root.dir(), Uname::default(), NetworkState::default(), ProcessState::default());
        machine.hypervisor = Some(*signature);
        let facts = virtualization(&machine);
        let fact = |name: &str| facts.find(name).map(|value| crate::json(&value).to_string()).unwrap_or_default();
        assert_eq!([fact("virtual"), fact("is_virtual"), fact("hypervisors")].join(" "), expected);
    }

    #[test]
    fn the_processor_names_the_hypervisor_where_no_firmware_does() {
        check(&[], b"KVMKVMKVM\0\0\0", r#""kvm" true {"kvm":{}}"#);
        check(&[], b"unknown name", r#""physical" false "#);
    }

    #[test]
    fn the_firmware_decides_before_the_processor() {
        let firmware = ("sys/class/dmi/id/product_name", "VirtualBox");
        check(&[firmware], b"KVMKVMKVM\0\0\0", r#""virtualbox" true {"virtualbox":{}}"#);
    }
}
