//! The facts about memory and swap.

use pp_types::Value;

use crate::fact::{FactSet, Fields, human_size, integer};
use crate::machine::Machine;

/// A kind of memory, in bytes.
struct Memory {
    total: u64,
    available: u64,
}

/// The facts about memory and swap. Swap that does not exist has none.
pub(crate) fn memory(machine: &Machine) -> FactSet {
    let mut facts = FactSet::default();
    let text = machine.read("/proc/meminfo").unwrap_or_default();
    let bytes = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        let value = lines.find(|(key, _)| *key == name)?.1;
        value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    };
    let parts = || {
        let parts = ["MemFree", "Buffers", "Cached"].map(|name| bytes(name).unwrap_or(0));
        parts.iter().fold(0_u64, |sum, part| sum.saturating_add(*part))
    };
    let system =
        bytes("MemTotal").map(|total| Memory { total, available: bytes("MemAvailable").unwrap_or_else(parts) });
    let swap = bytes("SwapTotal").map(|total| Memory { total, available: bytes("SwapFree").unwrap_or(0) });
    let mut fields = Fields::default();
    for (name, legacy, memory) in [("swap", "swap", swap), ("system", "memory", system)] {
        let Some(memory) = memory.filter(|memory| memory.total > 0) else { continue };
        fields.maybe(name, memory.value());
        for (what, bytes) in [("free", memory.available), ("size", memory.total)] {
            facts.legacy(&format!("{legacy}{what}"), Value::from(human_size(bytes)));
            facts.legacy(&format!("{legacy}{what}_mb"), Value::from(bytes as f64 / 1_048_576.0));
        }
    }
    facts.set("memory", fields.finish());
    facts
}

impl Memory {
    fn value(&self) -> Option<Value> {
        let used = self.total.saturating_sub(self.available);
        let mut fields = Fields::default();
        fields.set("available", human_size(self.available));
        fields.set("available_bytes", integer(self.available));
        fields.set("capacity", format!("{:.2}%", used as f64 * 100.0 / self.total as f64));
        fields.set("total", human_size(self.total));
        fields.set("total_bytes", integer(self.total));
        fields.set("used", human_size(used));
        fields.set("used_bytes", integer(used));
        fields.finish()
    }
}
