use std::collections::BTreeMap;

use rustix::io::Errno;
use safe_fs::FileSystem;
use safe_fs::simulated::{MachineFault, Simulated};
use test_support::{RandomChoice, Rng, for_each_case, shorter};

use super::*;

fn export(kind: &str, name: &str, to: &str) -> Export {
    Export { kind: kind.to_owned(), name: name.to_owned(), to: to.to_owned() }
}

fn exported(name: &str, data: &str) -> Exported {
    Exported { name: name.to_owned(), host: "h1".to_owned(), data: data.to_owned() }
}

#[test]
fn strings_and_persistent_candidacies_survive_the_agent() -> std::io::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = SharedStore::new(dir.path(), "h1");
    assert_eq!(store.string("a")?, None);
    store.set_string("a", Some(b"1"), false)?;
    store.set_string("a/b c", Some(b"2"), false)?;
    store.set_string(&store.host_key("a"), Some(b"3"), false)?;
    store.set_candidacy("s", Some(Candidacy::Persistent))?;
    store.set_candidacy("t", Some(Candidacy::Lease))?;

    let again = SharedStore::new(dir.path(), "h1");
    assert_eq!(again.string("a")?, Some(b"1".to_vec()));
    assert_eq!(again.host_strings("a")?, [("b c".to_owned(), b"2".to_vec()), ("h1".to_owned(), b"3".to_vec())]);
    assert_eq!((again.scheduled("s")?, again.scheduled("t")?), (vec!["h1".to_owned()], vec!["h1".to_owned()]));
    again.end_leases()?;
    assert_eq!((again.candidacy("s")?, again.candidacy("t")?), (Some(Candidacy::Persistent), None));

    again.set_string("a", None, false)?;
    again.set_candidacy("s", None)?;
    assert_eq!((store.string("a")?, store.scheduled("s")?), (None, vec![]));
    Ok(())
}

#[test]
fn exports_are_visible_to_their_target_hosts_only() -> std::io::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = SharedStore::new(dir.path(), "h1");
    let (all, own, other) = (export("file", "/x", "*"), export("file", "/x", "h1"), export("file", "/y", "h2"));
    store.export(&all, "data\nmore")?;
    store.export(&other, "secret")?;
    assert_eq!(store.exported("file")?, [exported("/x", "data\nmore")]);
    assert_eq!(SharedStore::new(dir.path(), "h2").exported("file")?.len(), 2);
    store.export(&own, "for h1")?;
    assert_eq!(store.exported("file")?, [exported("/x", "for h1")]);
    assert_eq!(store.own_exports()?, [all.clone(), own.clone(), other.clone()]);
    assert!(SharedStore::new(dir.path(), "h2").own_exports()?.is_empty());
    assert!(store.is_exported(&own, "for h1")? && !store.is_exported(&own, "for h2")?);

    for export in [all, own, other] {
        store.withdraw(&export)?;
        store.withdraw(&export)?;
    }
    assert!(store.own_exports()?.is_empty());
    assert!(store.directories(&dir.path().join("world/exports"))?.is_empty());
    Ok(())
}

#[test]
fn corrupted_records_are_errors() -> std::io::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = SharedStore::new(dir.path(), "h1");
    let export = export("file", "/x", "*");
    store.export(&export, "data")?;
    for corrupted in ["", "1 file", "2 file %2fx h1 *\ndata", "1 file %2fx h1 * more\ndata"] {
        std::fs::write(store.export_file(&export), corrupted)?;
        assert!(store.exported("file").is_err(), "{corrupted:?}");
        assert!(store.own_exports()?.is_empty(), "{corrupted:?}");
    }
    Ok(())
}

#[test]
fn names_are_encoded_as_file_names_and_decoded() -> std::io::Result<()> {
    for name in ["a/b", "..", "", "é%", "web-1.example.com"] {
        let encoded = encode(name);
        assert!(!encoded.contains(['/', '~', ' ']) && !encoded.starts_with('.') && !encoded.is_empty());
        assert_eq!(decode(&encoded), name);
    }
    let dir = tempfile::tempdir()?;
    let (store, long) = (SharedStore::new(dir.path(), "h1"), "/".repeat(4000));
    store.export(&export("file", &long, &"h".repeat(250)), "data")?;
    store.export(&export("file", &long, "*"), "data")?;
    assert_eq!(store.exported("file")?, [exported(&long, "data")]);
    store.set_string(&"k".repeat(4000), Some(b"v"), false)?;
    assert_eq!(store.string(&"k".repeat(4000))?, Some(b"v".to_vec()));
    Ok(())
}

#[test]
fn a_copy_has_the_same_contents() -> std::io::Result<()> {
    let dir = tempfile::tempdir()?;
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    SharedStore::copy(&from, &to)?;
    let store = SharedStore::new(&from, "h1");
    store.set_string("a/b", Some(b"1"), false)?;
    store.export(&export("file", "/x", "*"), "data")?;
    SharedStore::copy(&from, &to)?;
    let copy = SharedStore::new(&to, "h1");
    assert_eq!((copy.string("a/b")?, copy.own_exports()?), (store.string("a/b")?, store.own_exports()?));
    Ok(())
}

const ENGINE: &str = "/state/engine";
const RUNS: u64 = 10_000;
const KEYS: [&str; 4] = ["a", "b", "dir/a", "dir/sub/a"];

/// What happens to a store.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A string is set, or removed.
    String { key: &'static str, value: Option<u8>, sensitive: bool },
    /// This host takes part in a schedule, or withdraws.
    Candidacy(Option<Candidacy>),
    /// A resource is exported, or its export is withdrawn.
    Export { name: u8, data: Option<u8> },
}

#[derive(Clone, Debug)]
struct History {
    machine: u64,
    steps: Vec<Step>,
    /// The number of the system call with the fault, counted from the first step.
    at: u64,
    fault: MachineFault,
}

fn history(random: &mut Rng) -> History {
    let maybe = |random: &mut Rng| random.bool().then(|| random.u8(..3));
    let step = |random: &mut Rng| match random.u8(..6) {
        0..=3 => Step::String { key: random.pick::<&str>(&KEYS), value: maybe(random), sensitive: random.bool() },
        4 => Step::Candidacy(*random.pick(&[None, Some(Candidacy::Lease), Some(Candidacy::Persistent)])),
        _ => Step::Export { name: random.u8(..2), data: maybe(random) },
    };
    let fault = match random.u8(..5) {
        0 => MachineFault::Full,
        1 => MachineFault::Fail(*random.pick(&[Errno::IO, Errno::NOSPC, Errno::MFILE])),
        _ => MachineFault::Crash,
    };
    let steps = (0..1 + random.usize(..6)).map(|_| step(random)).collect();
    History { machine: random.u64(..), steps, at: random.u64(1..300), fault }
}

fn smaller(history: &History) -> Vec<History> {
    let cut = shorter(&history.steps).into_iter().map(|steps| History { steps, ..history.clone() });
    // With fewer steps, the same place is at another call.
    let cut = cut.flat_map(|cut| (1..=history.at).rev().map(move |at| History { at, ..cut.clone() }));
    cut.collect()
}

fn store(machine: &Arc<Simulated>) -> Result<SharedStore, Error> {
    let fs: Arc<dyn FileSystem> = Arc::clone(machine) as Arc<dyn FileSystem>;
    let files = Files::with_state(fs, "0123456789abcdef", Path::new(ENGINE))?;
    Ok(SharedStore::with_files(Arc::new(files), Path::new("/state/local"), "h1"))
}

/// The state of each thing that a step sets: the last that is on the disk, and those of failed steps since.
type Possible<K, V> = BTreeMap<K, Vec<V>>;

/// Records the result of a step: what it set is there, or may be there if it failed.
fn note<K: Ord, V>(possible: &mut Possible<K, V>, key: K, value: V, result: &std::io::Result<()>) {
    let values = possible.entry(key).or_default();
    if result.is_ok() {
        values.clear();
    }
    values.push(value);
}

/// Whatever happens, each value is the last one that was set, or one of a step that failed since.
fn check(history: &History) {
    let machine = Arc::new(Simulated::new(history.machine));
    machine.make_directory(ENGINE);
    machine.sync_all();
    machine.inject(machine.calls() + history.at, history.fault);
    let mut strings: Possible<&str, Option<(u8, bool)>> = KEYS.iter().map(|key| (*key, vec![None])).collect();
    let mut candidacies: Possible<(), Option<Candidacy>> = BTreeMap::from([((), vec![None])]);
    let mut exports: Possible<u8, Option<u8>> = (0..2).map(|name| (name, vec![None])).collect();
    let exported = |name: u8| export("file", &format!("/{name}"), "*");
    if let Ok(store) = store(&machine) {
        for step in &history.steps {
            match *step {
                Step::String { key, value, sensitive } => {
                    let result = store.set_string(key, value.as_ref().map(std::slice::from_ref), sensitive);
                    note(&mut strings, key, value.map(|value| (value, sensitive)), &result);
                }
                Step::Candidacy(candidacy) => {
                    note(&mut candidacies, (), candidacy, &store.set_candidacy("pool", candidacy));
                }
                Step::Export { name, data } => {
                    let result = match data {
                        Some(data) => store.export(&exported(name), &data.to_string()),
                        None => store.withdraw(&exported(name)),
                    };
                    note(&mut exports, name, data, &result);
                }
            }
        }
    }
    machine.end(history.fault);
    let again = store(&machine).expect("the state is readable after a fault");
    let left = machine.tree("/state").into_keys().filter(|path| path.contains(".mgmt-tmp-"));
    assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
    for (key, possible) in &strings {
        let found = again.string(key).expect("a readable string");
        let is_marked = again.is_sensitive(key);
        let value = found.map(|bytes| bytes[0]);
        let fits = |wanted: &Option<(u8, bool)>| match wanted {
            // A mark that is left over does no harm.
            Some((wanted, sensitive)) => value == Some(*wanted) && (is_marked || !sensitive),
            None => value.is_none(),
        };
        assert!(possible.iter().any(fits), "{key} is {value:?} (sensitive: {is_marked}), not one of {possible:?}");
    }
    let candidacy = again.candidacy("pool").expect("a readable candidacy");
    assert!(candidacies[&()].contains(&candidacy), "{candidacy:?} is not one of {candidacies:?}");
    let found = again.exported("file").expect("readable exports");
    for (name, possible) in &exports {
        let data = found.iter().find(|export| export.name == format!("/{name}")).map(|export| &export.data);
        let data = data.and_then(|data| data.parse().ok());
        assert!(possible.contains(&data), "the export {name} is {data:?}, not one of {possible:?}");
    }
    for key in KEYS {
        again.set_string(key, Some(b"last"), true).expect("there is no fault any more");
    }
    machine.restart();
    let last = store(&machine).expect("a readable state");
    for key in KEYS {
        assert_eq!(last.string(key).expect("a readable string").as_deref(), Some(&b"last"[..]));
        assert!(last.is_sensitive(key));
    }
}

#[test]
fn values_are_old_or_new_on_the_simulated_kernel() {
    for_each_case(RUNS, history, smaller, check);
}
