//! Which changes of facts matter to a catalog: of those that its compilation read (spec 07 §5.15).

use std::path::{Path, PathBuf};

use pp_evaluator::FactReads;
use pp_facts::{Change, EXTERNAL_DIRECTORIES, GROUPS, Group};
use pp_types::{Hash, Value};

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
        old != new && (measurements == Measurements::Count || !same(old, new, &mut path.clone()))
    });
    // What read everything is not about measurements.
    let all = || {
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        names.filter_map(name_of).any(|name| !same(find(old, &[name]), find(new, &[name]), &mut vec![name]))
    };
    named || reads.all && all()
}

/// Whether facts that change all the time were read by their names.
#[must_use]
pub fn reads_measurements(reads: &FactReads) -> bool {
    reads.paths.iter().any(|path| {
        MEASUREMENTS.iter().any(|measured| {
            path.iter().zip(measured.iter()).all(|(name, pattern)| *pattern == "*" || *pattern == &**name)
        })
    })
}

/// Whether facts were read that the kernel announces changes of: of the network, the host name, and mounts.
#[must_use]
pub fn reads_kernel_state(reads: &FactReads) -> bool {
    groups(reads).any(|group| matches!(group.change, Change::Network | Change::Mounts))
}

/// Returns the files and directories that the facts which were read come from, as far as these change in a running system.
#[must_use]
pub fn fact_files(reads: &FactReads) -> Vec<PathBuf> {
    let files = groups(reads).flat_map(|group| group.files).map(|file| Path::new(*file).to_owned());
    // Any fact may be an external one.
    let external = EXTERNAL_DIRECTORIES.iter().map(PathBuf::from).filter(|_| reads.all || !reads.paths.is_empty());
    files.chain(external).collect()
}

fn groups(reads: &FactReads) -> impl Iterator<Item = &'static Group> {
    let names: Vec<&str> = reads.paths.iter().filter_map(|path| path.first().map(|name| &**name)).collect();
    let all = reads.all;
    GROUPS.iter().filter(move |group| all || names.iter().any(|name| group.may_have(name)))
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

/// Whether values at a path are equal but for measurements.
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
        let measured = |path: &str| reads_measurements(&reads(&[path], false));
        assert!(measured("uptime") && measured("memory") && measured("memory.swap.used"));
        assert!(!measured("memory.system.total") && !measured("os.family"));
    }

    #[test]
    fn files_are_those_of_the_facts_that_were_read() {
        let of = |path: &str| fact_files(&reads(&[path], false));
        assert!(of("os.family").contains(&PathBuf::from("/etc/os-release")));
        assert!(!of("timezone").contains(&PathBuf::from("/etc/os-release")));
        assert!(fact_files(&reads(&[], false)).is_empty());
        assert!(
            reads_kernel_state(&reads(&["ipaddress_eth0"], false)) && !reads_kernel_state(&reads(&["kernel"], false))
        );
    }
}
