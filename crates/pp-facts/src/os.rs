//! Kernel and operating system: `os`, `kernel*`, and their legacy names. What Facter 4.3 gives was recorded on the files of some
//! forty distributions (`tests/puppet/facts`).

use pp_types::Value;

use crate::distribution::{Distribution, Family};
use crate::fact::{FactSet, Fields};
use crate::machine::Machine;
use crate::release::{Distro, Release, distro, release};

/// The facts about the kernel.
pub(crate) fn kernel(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let release = &machine.uname.release;
    let version: String = release.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let major = version.split('.').take(2).collect::<Vec<_>>().join(".");
    facts.set("kernel", Value::from(&*machine.uname.system));
    facts.set("kernelrelease", Value::from(&**release));
    facts.set("kernelversion", Value::from(&*version));
    facts.set("kernelmajversion", Value::from(major));
    facts
}

/// The facts about the operating system.
pub(crate) fn os(machine: &Machine) -> FactSet {
    let distribution = Distribution::of(machine);
    let hardware = &machine.uname.machine;
    let architecture = match (distribution.family, hardware.as_str()) {
        (Some(Family::Debian), "x86_64") => "amd64",
        (Some(Family::Debian), "i386" | "i486" | "i586" | "i686") => "i386",
        (_, hardware) => hardware,
    };
    let mut os = Fields::default();
    let mut facts = FactSet::default();
    os.set("architecture", architecture);
    facts.legacy("architecture", Value::from(architecture));
    if let Some(distro) = distro(machine, &distribution) {
        lsb(&mut facts, &distro, machine.has_program("lsb_release"));
        let mut fields = Fields::default();
        fields.maybe("codename", distro.codename.as_deref());
        fields.maybe("description", distro.description.as_deref());
        fields.maybe("id", distro.id.as_deref());
        fields.maybe("release", distro.release.as_ref().and_then(fields_of));
        os.maybe("distro", fields.finish());
    }
    let family = distribution.family_name();
    os.maybe("family", family.as_deref());
    facts.legacy("osfamily", family.as_deref().map(Value::from));
    os.set("hardware", &**hardware);
    facts.legacy("hardwaremodel", Value::from(&**hardware));
    os.maybe("name", distribution.name.as_deref());
    facts.legacy("operatingsystem", distribution.name.as_deref().map(Value::from));
    if let Some(release) = release(machine, &distribution) {
        facts.legacy("operatingsystemmajrelease", Value::from(&*release.major));
        facts.legacy("operatingsystemrelease", Value::from(&*release.full));
        os.maybe("release", fields_of(&release));
    }
    let selinux = crate::selinux::selinux(machine, &mut facts);
    os.maybe("selinux", selinux);
    facts.set("os", os.finish());
    facts
}

fn fields_of(release: &Release) -> Option<Value> {
    let mut fields = Fields::default();
    fields.set("full", &*release.full);
    fields.set("major", &*release.major);
    fields.maybe("minor", release.minor.as_deref());
    fields.finish()
}

/// The facts whose names start with `lsb`. Facter has some of them from the program `lsb_release`, which reads the same files.
fn lsb(facts: &mut FactSet, distro: &Distro, has_program: bool) {
    let text = |text: &str| Value::from(text);
    if has_program {
        let codename = distro.codename.as_deref().map(|name| name.replace(' ', ""));
        facts.legacy("lsbdistcodename", codename.as_deref().map(text));
        facts.legacy("lsbdistdescription", distro.description.as_deref().map(text));
        facts.legacy("lsbdistid", distro.id.as_deref().map(text));
    }
    if let Some(release) = &distro.release {
        facts.legacy("lsbdistrelease", text(&release.full));
        facts.legacy("lsbmajdistrelease", text(&release.major));
        facts.legacy("lsbminordistrelease", release.minor.as_deref().map(text));
    }
}
