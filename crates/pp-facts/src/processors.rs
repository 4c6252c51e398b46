//! The facts about processors.

use std::collections::BTreeSet;

use pp_types::Value;

use crate::distribution::{Distribution, Family};
use crate::fact::{FactSet, Fields, integer, strings};
use crate::machine::Machine;

/// The facts about processors.
pub(crate) fn processors(machine: &Machine) -> FactSet {
    let info = machine.read("/proc/cpuinfo").unwrap_or_default();
    let fields_of = |name: &'static str| {
        let lines = info.lines().filter_map(|line| line.split_once(':'));
        lines.filter(move |(key, _)| key.trim() == name).map(|(_, value)| value.trim())
    };
    let count = fields_of("processor").count() as u64;
    let is_power = machine.uname.machine.starts_with("ppc");
    let models: Vec<&str> = fields_of(if is_power { "cpu" } else { "model name" }).collect();
    let mut packages: BTreeSet<&str> = fields_of("physical id").collect();
    let topology = Topology::read(machine);
    let packages_of_topology: BTreeSet<String> = topology.iter().map(|cpu| cpu.package.clone()).collect();
    if packages.is_empty() {
        packages.extend(packages_of_topology.iter().map(String::as_str));
    }
    let mut facts = FactSet::default();
    let mut fields = Fields::default();
    if let Some((cores, threads)) = Topology::cores_and_threads(&topology) {
        fields.set("cores", integer(cores));
        fields.set("threads", integer(threads));
    }
    let isa = instruction_set(machine);
    fields.set("isa", &*isa);
    facts.legacy("hardwareisa", Value::from(&*isa));
    if count > 0 {
        fields.set("count", integer(count));
        fields.set("models", strings(models.iter().copied()));
        fields.set("physicalcount", integer(packages.len() as u64));
        facts.legacy("physicalprocessorcount", integer(packages.len() as u64));
        facts.legacy("processorcount", integer(count));
    }
    for (number, model) in models.iter().enumerate() {
        facts.legacy(&format!("processor{number}"), Value::from(*model));
    }
    let clock = fields_of("clock").next().map(|clock| clock.trim_end_matches("MHz"));
    let megahertz = fields_of("cpu MHz").next().or(clock).and_then(|speed| speed.parse::<f64>().ok());
    // Facter drops the fraction.
    let megahertz = megahertz.filter(|speed| speed.is_finite() && *speed >= 1.0);
    fields.maybe("speed", megahertz.map(|speed| human_speed(speed.trunc() * 1e6)));
    facts.set("processors", fields.finish());
    facts
}

/// Returns a frequency as people read it: `2.60 GHz`.
fn human_speed(hertz: f64) -> String {
    const UNITS: [&str; 5] = ["Hz", "kHz", "MHz", "GHz", "THz"];
    let mut value = hertz;
    let mut unit = 0;
    while (value * 100.0).round() >= 100_000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.2} {}", UNITS[unit])
}

/// Returns what `uname -p` prints, which distributions changed from the `unknown` of its authors.
fn instruction_set(machine: &Machine) -> String {
    let distribution = Distribution::of(machine);
    let says_hardware = matches!(distribution.rules, "ubuntu" | "linuxmint" | "pop")
        || matches!(distribution.family, Some(Family::Suse))
        || matches!(distribution.family, Some(Family::RedHat)) && distribution.id != "fedora";
    if says_hardware { machine.uname.machine.clone() } else { "unknown".to_owned() }
}

/// Where a processor is.
struct Topology {
    package: String,
    core: String,
}

impl Topology {
    fn read(machine: &Machine) -> Vec<Topology> {
        const ROOT: &str = "/sys/devices/system/cpu";
        let is_cpu = |name: &String| {
            name.strip_prefix("cpu").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let cpus = machine.list(ROOT).into_iter().filter(is_cpu);
        cpus.filter_map(|cpu| {
            let field = |name| machine.read_line(&format!("{ROOT}/{cpu}/topology/{name}"));
            Some(Topology { package: field("physical_package_id")?, core: field("core_id").unwrap_or_default() })
        })
        .collect()
    }

    /// Returns the number of cores of a package and of threads of a core.
    fn cores_and_threads(topology: &[Topology]) -> Option<(u64, u64)> {
        let packages: BTreeSet<&str> = topology.iter().map(|cpu| cpu.package.as_str()).collect();
        let cores: BTreeSet<(&str, &str)> =
            topology.iter().map(|cpu| (cpu.package.as_str(), cpu.core.as_str())).collect();
        if packages.is_empty() || topology.iter().any(|cpu| cpu.core.is_empty()) {
            return None;
        }
        Some(((cores.len() / packages.len()) as u64, (topology.len() / cores.len()) as u64))
    }
}
