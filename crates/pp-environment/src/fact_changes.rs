//! Which changes of facts matter to a catalog: of those that its compilation read (spec 07 §5.15).

use std::path::{Path, PathBuf};

use pp_evaluator::FactReads;
use pp_facts::{Change, GROUPS, Group};
use pp_types::{Hash, Value};

use crate::host_facts::HostFacts;

/// Facts that are measurements, and the fields of structured facts that are: paths, in which `*` stands for any key.
const MEASUREMENTS: &[&[&str]] = &[
    &["load_averages"],
    &["memory", "*", "available"],
    &["memory", "*", "available_bytes"],
    &["memory", "*", "capacity"],
    &["memory", "*", "used"],
    &["memory", "*", "used_bytes"],
    &["memoryfree"],
    &["memoryfree_mb"],
    &["mountpoints", "*", "available"],
    &["mountpoints", "*", "available_bytes"],
    &["mountpoints", "*", "capacity"],
    &["mountpoints", "*", "used"],
    &["mountpoints", "*", "used_bytes"],
    &["swapfree"],
    &["swapfree_mb"],
    &["system_uptime"],
    &["uptime"],
    &["uptime_days"],
    &["uptime_hours"],
    &["uptime_seconds"],
];

/// Whether facts count that change all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measurements {
    /// They do, where they were read by their names.
    Count,
    /// They do not.
    Ignore,
}

/// Whether a compilation that read these facts could give something else with the new values.
#[must_use]
pub fn facts_differ(reads: &FactReads, old: &Hash, new: &Hash, measurements: Measurements) -> bool {
    let named = reads.paths.iter().any(|path| {
        let path: Vec<&str> = path.iter().map(|name| &**name).collect();
        let (old, new) = (find(old, &path), find(new, &path));
        match measurements {
            Measurements::Count => !alike(old, new, &mut path.clone()),
            Measurements::Ignore => !same(old, new, &mut path.clone()),
        }
    });
    // What read everything is not about measurements.
    let all = || {
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        names.filter_map(name_of).any(|name| !same(find(old, &[name]), find(new, &[name]), &mut vec![name]))
    };
    named || reads.all && all()
}

/// Whether facts that change all the time were read by their names: measurements, and what programs print.
#[must_use]
pub fn reads_measurements(reads: &FactReads, facts: &HostFacts) -> bool {
    reads.paths.iter().any(|path| {
        let is_printed = path.first().is_some_and(|name| facts.is_printed(name));
        is_printed
            || MEASUREMENTS.iter().any(|measured| {
                path.iter().zip(measured.iter()).all(|(name, pattern)| *pattern == "*" || *pattern == &**name)
            })
    })
}

/// Whether facts were read that the kernel announces changes of: of the network, the host name, and mounts.
#[must_use]
pub fn reads_kernel_state(reads: &FactReads) -> bool {
    groups(reads).any(|group| matches!(group.change, Change::Network | Change::Mounts))
}

/// Returns the files that the facts which were read come from, as far as these change in a running system.
#[must_use]
pub fn fact_files(reads: &FactReads) -> Vec<PathBuf> {
    groups(reads).flat_map(|group| group.files).map(|file| Path::new(*file).to_owned()).collect()
}

/// Returns the directories of external facts, if any fact was read: it may be an external one.
#[must_use]
pub fn fact_directories(reads: &FactReads, facts: &HostFacts) -> Vec<PathBuf> {
    let directories = facts.directories().iter().filter(|_| reads.all || !reads.paths.is_empty());
    directories.cloned().collect()
}

/// Whether facts of a group were read.
#[must_use]
pub fn is_read(reads: &FactReads, group: &Group) -> bool {
    reads.all || reads.paths.iter().filter_map(|path| path.first()).any(|name| group.may_have(name))
}

fn groups(reads: &FactReads) -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().filter(|group| is_read(reads, group))
}

fn name_of(value: &Value) -> Option<&str> {
    match value {
        Value::String(name) => Some(name),
        _ => None,
    }
}

fn find<'a>(facts: &'a Hash, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(facts.get(&Value::from(*first))?, |value, name| match value {
        Value::Hash(hash) => hash.get(&Value::from(*name)),
        _ => None,
    })
}

/// Whether values at a path are equal except for what is less than a hundredth of an amount of memory or of a file system: such
/// amounts always change.
fn alike<'a>(old: Option<&'a Value>, new: Option<&'a Value>, path: &mut Vec<&'a str>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return old == new };
    if let (Value::Hash(old), Value::Hash(new)) = (old, new) {
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        return names.into_iter().all(|name| {
            path.push(name_of(name).unwrap_or_default());
            let alike = alike(old.get(name), new.get(name), path);
            path.pop();
            alike
        });
    }
    let is_amount = path.first().is_some_and(|name| AMOUNTS.iter().any(|start| name.starts_with(start)));
    let amounts = amount(old).zip(amount(new)).filter(|_| is_amount);
    old == new || amounts.is_some_and(|(old, new)| (old - new).abs() < old.abs().max(new.abs()) / 100.0)
}

/// How the names of facts start whose measurements are amounts.
const AMOUNTS: [&str; 3] = ["memory", "mountpoints", "swap"];

/// Returns a number, or the number that a string starts with: `3.21 GiB`, `12.34%`. Units that differ make different strings.
fn amount(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) => Some(float.0),
        Value::String(text) => {
            let (number, unit) = text.split_once(' ').or_else(|| Some((text.strip_suffix('%')?, "%")))?;
            let scale =
                ["%", "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].iter().position(|known| *known == unit)?;
            // A percentage is one of the whole: what counts is a hundredth of that.
            let number = number.parse::<f64>().ok()?;
            Some(if scale == 0 { number + 100.0 } else { number * 1024_f64.powi(i32::try_from(scale).ok()?) })
        }
        _ => None,
    }
}

/// Whether values at a path are equal except for measurements.
fn same<'a>(old: Option<&'a Value>, new: Option<&'a Value>, path: &mut Vec<&'a str>) -> bool {
    let is_measured = |pattern: &&&[&str]| {
        pattern.len() == path.len() && pattern.iter().zip(path.iter()).all(|(part, name)| *part == "*" || part == name)
    };
    if old == new || MEASUREMENTS.iter().any(|pattern| is_measured(&pattern)) {
        return true;
    }
    let (Some(Value::Hash(old)), Some(Value::Hash(new))) = (old, new) else { return false };
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for name in names {
        path.push(name_of(name).unwrap_or_default());
        let equal = same(old.get(name), new.get(name), path);
        path.pop();
        if !equal {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Hash {
        pp_facts::parse_document(text).expect("facts").values
    }

    fn reads(paths: &[&str], all: bool) -> FactReads {
        let paths = paths.iter().map(|path| path.split('.').map(Into::into).collect());
        FactReads { all, paths: paths.collect() }
    }

    const OLD: &str = "{a: 1, memory: {system: {total: 5, used: 1}}, uptime: x}";
    const NEW: &str = "{a: 1, memory: {system: {total: 5, used: 2}}, uptime: y}";

    #[track_caller]
    fn differ(reads: &FactReads, new: &str) -> [bool; 2] {
        [Measurements::Ignore, Measurements::Count]
            .map(|measurements| facts_differ(reads, &facts(OLD), &facts(new), measurements))
    }

    #[test]
    fn only_facts_that_were_read_matter() {
        let changed = "{a: 2, memory: {system: {total: 5, used: 1}}, uptime: x}";
        assert_eq!(differ(&reads(&["a"], false), changed), [true; 2]);
        assert_eq!(differ(&reads(&["memory", "b"], false), changed), [false; 2]);
        assert_eq!(differ(&reads(&[], true), changed), [true; 2]);
        assert_eq!(differ(&reads(&[], false), changed), [false; 2]);
    }

    #[test]
    fn a_fact_that_appears_matters_to_those_who_missed_it() {
        let more = "{a: 1, b: 1, memory: {system: {total: 5, used: 1}}, uptime: x}";
        assert_eq!(differ(&reads(&["b"], false), more), [true; 2]);
        assert_eq!(differ(&reads(&["a"], false), more), [false; 2]);
    }

    #[test]
    fn measurements_matter_only_by_their_names_and_at_intervals() {
        assert_eq!(differ(&reads(&["memory.system.total"], false), NEW), [false; 2]);
        assert_eq!(differ(&reads(&["memory.system.used"], false), NEW), [false, true]);
        assert_eq!(differ(&reads(&["memory"], false), NEW), [false, true]);
        assert_eq!(differ(&reads(&["uptime"], false), NEW), [false, true]);
        assert_eq!(differ(&reads(&[], true), NEW), [false; 2]);
        let host = HostFacts::gather(crate::FactModules::In(Vec::new()), pp_facts::Reader::DATA, None);
        let measured = |path: &str| reads_measurements(&reads(&[path], false), &host);
        assert!(measured("uptime") && measured("memory") && measured("memory.swap.used"));
        assert!(!measured("memory.system.total") && !measured("os.family"));
    }

    #[test]
    fn amounts_of_memory_count_from_a_hundredth_on() {
        let differ = |old: &str, new: &str| {
            let parse = |value: &str| facts(&format!("{{memory: {{system: {{used: {value}}}}}, uptime: {value}}}"));
            let changed = |path| facts_differ(&reads(&[path], false), &parse(old), &parse(new), Measurements::Count);
            assert!(changed("uptime"), "other measurements count");
            changed("memory.system.used")
        };
        assert!(!differ("1000", "1009") && differ("1000", "1011"));
        assert!(!differ("1.00 GiB", "1023.00 MiB") && differ("1.00 GiB", "1000.00 MiB"));
        assert!(!differ("3.00%", "3.50%") && differ("3.00%", "5.50%"));
        assert!(differ("1000", "x") && differ("1000", "~"));
    }

    #[test]
    fn files_are_those_of_the_facts_that_were_read() {
        let host = HostFacts::gather(crate::FactModules::In(Vec::new()), pp_facts::Reader::DATA, None);
        let of = |path: &str| fact_files(&reads(&[path], false));
        assert!(of("os.family").contains(&PathBuf::from("/etc/os-release")));
        assert!(!of("timezone").contains(&PathBuf::from("/etc/os-release")));
        assert!(fact_files(&reads(&[], false)).is_empty());
        assert!(fact_directories(&reads(&["role"], false), &host).iter().any(|path| path.ends_with("facts.d")));
        assert!(fact_directories(&reads(&[], false), &host).is_empty());
        assert!(
            reads_kernel_state(&reads(&["ipaddress_eth0"], false)) && !reads_kernel_state(&reads(&["kernel"], false))
        );
    }
}
