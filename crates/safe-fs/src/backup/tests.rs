//! Backups on a simulated kernel: whatever fails or crashes, old content is where it was or in the store.

mod age;
mod attributes;
mod durability;
mod races;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use test_support::{RandomChoice as _, Rng, for_each_seed};

use super::*;
use crate::edit::{Decision, EditError};
use crate::error::Error;
use crate::files::Files;
use crate::resolve::LastLink;
use crate::simulated::{Fault, Simulated};
use crate::system::FileSystem;

const LIMITS: Limits = Limits { total: 1 << 20, file: 1 << 16, age: Duration::from_secs(3600) };
const STATE: &str = "/state";
const FILE: &str = "/etc/conf/file";
const RUNS: u64 = 2_000;
/// More system calls than an operation makes.
const MAX_CALLS: u64 = 160;

fn share(machine: &Arc<Simulated>) -> Arc<dyn FileSystem> {
    Arc::clone(machine) as Arc<dyn FileSystem>
}

fn open(machine: &Arc<Simulated>, limits: Limits) -> Result<(Files, Arc<Backups>), Error> {
    let files = Files::with_state(share(machine), "0123456789abcdef", Path::new(STATE))?;
    let backups = Arc::new(Backups::open(share(machine), Path::new(STATE), limits)?);
    Ok((files.backed_up(&backups, "file[/etc/conf/file]".to_owned()), backups))
}

fn machine(seed: u64) -> Arc<Simulated> {
    let machine = Simulated::new(seed);
    machine.make_directory(STATE);
    machine.make_directory("/etc/conf");
    machine.sync_all();
    Arc::new(machine)
}

/// Returns all contents that the store has of a path.
fn stored(machine: &Arc<Simulated>, path: &str) -> Vec<Vec<u8>> {
    let records = Backups::records(&**machine, Path::new(STATE)).expect("a readable index");
    let parts = records.iter().filter_map(|record| record.part(Path::new(path)));
    let contents = parts.filter_map(|part| match part.entries[0].object {
        Object::File { sha256, .. } => {
            let copy = machine.get(&format!("{STATE}/backups/contents/{sha256}")).expect("a record names its copy");
            assert_eq!(Digest(<sha2::Sha256 as sha2::Digest>::digest(&copy).into()), sha256, "a torn copy");
            Some(copy)
        }
        Object::Directory | Object::Link { .. } | Object::Special => None,
    });
    contents.collect()
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Write,
    Edit,
    Link,
    RemoveFile,
    RemoveTree,
    EditAway,
    Purge,
}

const OPERATIONS: [Operation; 7] = [
    Operation::Write,
    Operation::Edit,
    Operation::Link,
    Operation::RemoveFile,
    Operation::RemoveTree,
    Operation::EditAway,
    Operation::Purge,
];

fn run(files: &Files, operation: Operation) -> Result<(), Error> {
    let edit = |decide: fn(&[u8]) -> Decision| {
        let edited = files.edit(Path::new(FILE), &crate::NewAttributes::default(), |before| {
            Ok::<Decision, Error>(decide(before.unwrap_or_default()))
        });
        edited.map(drop).map_err(|error| match error {
            EditError::File(error) | EditError::Decision(error) => error,
        })
    };
    let target = |path: &str| files.lock(Path::new(path), LastLink::Keep);
    match operation {
        Operation::Write => files.write(Path::new(FILE), b"new\n", 0o600),
        Operation::Edit => edit(|before| Decision::Write([before, b"new\n"].concat())),
        Operation::EditAway => edit(|_| Decision::Remove),
        Operation::Link => target(FILE)?.make_link(Path::new("elsewhere")),
        Operation::RemoveFile => target(FILE)?.remove_file(),
        Operation::RemoveTree => target("/etc/conf")?.remove_tree(),
        Operation::Purge => purge(files, Path::new("/etc/conf")),
    }
}

/// Removes all entries of a directory after they were backed up together.
fn purge(files: &Files, directory: &Path) -> Result<(), Error> {
    let names = files.list(directory)?.unwrap_or_default();
    for (name, backup) in names.iter().zip(files.back_up_trees(directory, &names)) {
        let target = files.lock(&directory.join(name), LastLink::Keep)?;
        target.use_backup(backup);
        target.remove_tree()?;
    }
    Ok(())
}

/// The files that exist before, some of them equal.
fn prepare(machine: &Simulated, rng: &mut Rng) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![(FILE.to_owned(), b"old\n".to_vec())];
    for i in 0..rng.u64(..8) {
        let directory = if rng.bool() { "/etc/conf" } else { "/etc/conf/sub/deep" };
        let content = vec![b'a' + (i % 3) as u8; rng.usize(..40)];
        files.push((format!("{directory}/{i}"), content));
    }
    for (path, content) in &files {
        machine.put(path, content);
    }
    machine.sync_all();
    files
}

fn assert_nothing_is_lost(machine: &Arc<Simulated>, old: &[(String, Vec<u8>)], operation: Operation) {
    for (path, content) in old {
        let is_there = machine.get(path).as_ref() == Some(content);
        assert!(is_there || stored(machine, path).contains(content), "{operation:?} lost {path}");
    }
}

#[test]
fn a_crash_loses_no_old_content() {
    for_each_seed(RUNS, |rng| {
        let machine = machine(rng.u64(..));
        let old = prepare(&machine, rng);
        let operation = *rng.pick(&OPERATIONS);
        machine.inject(machine.calls() + rng.u64(1..MAX_CALLS), Fault::Crash);
        let done = open(&machine, LIMITS).is_ok_and(|(files, _)| run(&files, operation).is_ok());
        machine.restart();
        assert_nothing_is_lost(&machine, &old, operation);
        let (files, _) = open(&machine, LIMITS).expect("the store is readable after a crash");
        assert_nothing_is_lost(&machine, &old, operation);
        run(&files, operation).expect("a second attempt succeeds");
        assert_nothing_is_lost(&machine, &old, operation);
        assert!(!done || !stored(&machine, FILE).is_empty());
    });
}

#[test]
fn a_failing_call_loses_no_old_content() {
    for_each_seed(RUNS, |rng| {
        let machine = machine(rng.u64(..));
        let old = prepare(&machine, rng);
        let operation = *rng.pick(&OPERATIONS);
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        let errors = [Errno::NOSPC, Errno::IO, Errno::MFILE, Errno::NOMEM];
        machine.inject(machine.calls() + rng.u64(1..MAX_CALLS), Fault::Fail(*rng.pick(&errors)));
        let _ = run(&files, operation);
        machine.withdraw_fault();
        assert_nothing_is_lost(&machine, &old, operation);
        run(&files, operation).expect("a second attempt succeeds");
        assert_nothing_is_lost(&machine, &old, operation);
    });
}

#[test]
fn what_another_program_writes_meanwhile_is_backed_up_or_stays() {
    for_each_seed(RUNS, |rng| {
        let machine = machine(rng.u64(..));
        let mut old = prepare(&machine, rng);
        let operation = *rng.pick(&OPERATIONS);
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        let act = |machine: &Simulated| machine.replace(FILE, b"foreign\n");
        let call = machine.calls() + rng.u64(1..MAX_CALLS);
        machine.inject(call, Fault::Foreign(Box::new(act)));
        let _ = run(&files, operation);
        if machine.calls() >= call {
            let edited = [&b"foreign\n"[..], b"new\n"].concat();
            let is_edited = machine.get(FILE) == Some(edited);
            old.retain(|(path, _)| path != FILE);
            let is_kept = machine.get(FILE).as_deref() == Some(b"foreign\n") || is_edited;
            // Between the last look at a file in a tree and its removal, nothing can be noticed.
            let is_tree = matches!(operation, Operation::RemoveTree);
            assert!(is_tree || is_kept || stored(&machine, FILE).contains(&b"foreign\n".to_vec()), "{operation:?}");
        }
        machine.withdraw_fault();
        assert_nothing_is_lost(&machine, &old, operation);
    });
}

#[test]
fn records_are_restored_with_contents_links_and_attributes() {
    for_each_seed(200, |rng| {
        let machine = machine(rng.u64(..));
        let old = prepare(&machine, rng);
        let (files, backups) = open(&machine, LIMITS).expect("an empty store");
        files.lock(Path::new("/etc/conf/link"), LastLink::Keep).unwrap().make_link(Path::new("../x")).unwrap();
        let modes = |path: &str| files.find(Path::new(path), LastLink::Keep).unwrap().unwrap().stat.mode;
        let found = files.find(Path::new(FILE), LastLink::Keep).unwrap().unwrap();
        machine.set_mode(&found.handle, 0o4750).unwrap();
        run(&files, Operation::RemoveTree).unwrap();
        assert_eq!(machine.get(FILE), None);
        let records = Backups::records(&*machine, Path::new(STATE)).unwrap();
        let record = records.last().unwrap();
        let restored = files.restore(&backups, record, Path::new("/etc/conf")).unwrap();
        assert_eq!(restored, record.destinations(Path::new("/etc/conf")));
        for (path, content) in &old {
            assert_eq!(machine.get(path).as_ref(), Some(content), "{path}");
        }
        assert_eq!((modes(FILE), modes("/etc/conf")), (0o4750, 0o755));
        let link = files.find(Path::new("/etc/conf/link"), LastLink::Keep).unwrap().unwrap();
        assert_eq!(machine.read_link(&link.handle).unwrap(), PathBuf::from("../x"));
    });
}

#[test]
fn restoring_backs_up_what_is_there_now() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, backups) = open(&machine, LIMITS).unwrap();
    files.write(Path::new(FILE), b"second", 0o600).unwrap();
    let records = Backups::records(&*machine, Path::new(STATE)).unwrap();
    files.restore(&backups, &records[0], Path::new(FILE)).unwrap();
    assert_eq!(machine.get(FILE).as_deref(), Some(&b"first"[..]));
    assert_eq!(stored(&machine, FILE), [b"first".to_vec(), b"second".to_vec()]);
}

#[test]
fn changed_copies_are_not_restored() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, backups) = open(&machine, LIMITS).unwrap();
    files.write(Path::new(FILE), b"second", 0o600).unwrap();
    let name = machine.names("/state/backups/contents").remove(0);
    machine.put(&format!("/state/backups/contents/{name}"), b"first, changed");
    let records = Backups::records(&*machine, Path::new(STATE)).unwrap();
    assert!(matches!(files.restore(&backups, &records[0], Path::new(FILE)), Err(Error::InvalidBackup { .. })));
    assert_eq!(machine.get(FILE).as_deref(), Some(&b"second"[..]));
}

#[test]
fn oldest_records_go_first_and_the_limit_holds() {
    let machine = machine(1);
    let limits = Limits { total: 200_000, ..LIMITS };
    let (files, _) = open(&machine, limits).unwrap();
    for i in 0..100u8 {
        machine.put(FILE, &[i; 10_000]);
        files.write(Path::new(FILE), b"new", 0o600).unwrap();
        let names = machine.names("/state/backups/contents");
        assert!(names.len() * 12_288 <= 200_000, "{} copies", names.len());
        assert_eq!(stored(&machine, FILE).last(), Some(&vec![i; 10_000]));
    }
    assert!(stored(&machine, FILE).len() >= 10);
    drop(files);
    open(&machine, Limits { total: 50_000, ..LIMITS }).unwrap();
    assert_eq!(stored(&machine, FILE).last(), Some(&vec![99; 10_000]));
    assert!(machine.names("/state/backups/contents").len() <= 4);
}

#[test]
fn old_records_are_removed_at_the_start() {
    // As long as a record is kept, it is also kept when it is found to be too old. At the greatest age it is not.
    let times: [&[(u64, usize)]; 2] =
        [&[(3500, 1), (3700, 1), (7200, 1), (7400, 0)], &[(3600, 1), (7250, 1), (10_900, 0)]];
    for times in times {
        let machine = machine(1);
        machine.put(FILE, b"first");
        let (files, _) = open(&machine, LIMITS).unwrap();
        files.write(Path::new(FILE), b"second", 0o600).unwrap();
        let start = machine.now();
        for (seconds, expected) in times {
            machine.set_clock(start + Duration::from_secs(*seconds));
            Backups::open(share(&machine), Path::new(STATE), LIMITS).unwrap();
            assert_eq!(stored(&machine, FILE).len(), *expected, "after {seconds} s");
        }
        assert_eq!(machine.names("/state/backups/contents"), [""; 0]);
    }
}

#[test]
fn what_exceeds_the_limits_is_not_changed() {
    for limits in [Limits { file: 1000, ..LIMITS }, Limits { total: 5000, ..LIMITS }] {
        let machine = machine(1);
        machine.put(FILE, &[7; 5000]);
        let (files, _) = open(&machine, limits).unwrap();
        for operation in OPERATIONS {
            assert!(matches!(run(&files, operation), Err(Error::TooLargeForBackup { .. })), "{operation:?}");
            assert_eq!(machine.get(FILE), Some(vec![7; 5000]));
        }
        assert_eq!(machine.names("/state/backups/contents"), [""; 0]);
    }
}

#[test]
fn what_has_the_size_of_the_limit_is_kept() {
    let machine = machine(1);
    machine.put(FILE, &[7; 1000]);
    let (files, _) = open(&machine, Limits { file: 1000, ..LIMITS }).unwrap();
    run(&files, Operation::Write).unwrap();
    assert_eq!(stored(&machine, FILE), [vec![7; 1000]]);
}

#[test]
fn only_what_is_too_large_is_said_to_be() {
    for call in 1..MAX_CALLS {
        let machine = machine(call);
        machine.put(FILE, b"old\n");
        let (files, _) = open(&machine, LIMITS).unwrap();
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        let result = run(&files, Operation::Write);
        assert!(!matches!(result, Err(Error::TooLargeForBackup { .. })), "{result:?}");
        if !machine.is_faulty() {
            break;
        }
    }
}

#[test]
fn equal_contents_are_stored_once_and_own_files_are_not() {
    let machine = machine(1);
    let (files, _) = open(&machine, LIMITS).unwrap();
    for _ in 0..3 {
        machine.put(FILE, b"same");
        files.write(Path::new(FILE), b"new", 0o600).unwrap();
    }
    assert_eq!(machine.names("/state/backups/contents").len(), 1);
    assert_eq!(stored(&machine, FILE).len(), 3);
    files.write(Path::new("/state/value"), b"1", 0o600).unwrap();
    files.write(Path::new("/state/value"), b"2", 0o600).unwrap();
    assert_eq!(Backups::records(&*machine, Path::new(STATE)).unwrap().len(), 3);
}

#[test]
fn a_partial_last_line_of_the_index_is_ignored() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, _) = open(&machine, LIMITS).unwrap();
    files.write(Path::new(FILE), b"second", 0o600).unwrap();
    files.write(Path::new(FILE), b"third", 0o600).unwrap();
    let index = machine.get("/state/backups/index").unwrap();
    machine.put("/state/backups/index", &index[..index.len() - 3]);
    assert_eq!(stored(&machine, FILE), [b"first".to_vec()]);
    let (files, _) = open(&machine, LIMITS).unwrap();
    files.write(Path::new(FILE), b"fourth", 0o600).unwrap();
    assert_eq!(stored(&machine, FILE), [b"first".to_vec(), b"third".to_vec()]);
}

/// Stores this many contents of a file, of which each takes a block. Returns the bytes that the store needs for them.
fn fill(machine: &Arc<Simulated>, limits: Limits, count: u8) -> u64 {
    let (files, _) = open(machine, limits).unwrap();
    for i in 0..count {
        machine.put(FILE, &[b'a' + i; 100]);
        files.write(Path::new(FILE), b"new", 0o600).unwrap();
    }
    let index = machine.get("/state/backups/index").map_or(0, |index| index.len() as u64);
    index + 4096 * machine.names("/state/backups/contents").len() as u64
}

#[test]
fn what_fits_exactly_is_kept() {
    let needed = fill(&machine(1), LIMITS, 3);
    for (total, expected) in [(needed, 3), (needed - 1, 2)] {
        let limits = Limits { total, ..LIMITS };
        let machine = machine(1);
        fill(&machine, LIMITS, 3);
        Backups::open(share(&machine), Path::new(STATE), limits).unwrap();
        assert_eq!(stored(&machine, FILE).len(), expected, "opened with {total} bytes");
    }
    // The last one is stored when it is time to look for records that are too old.
    let machine = machine(1);
    fill(&machine, Limits { total: needed, ..LIMITS }, 2);
    let (files, backups) =
        open(&machine, Limits { total: needed, age: Duration::from_secs(1 << 30), ..LIMITS }).unwrap();
    assert_eq!(backups.invalid_lines(), 0);
    machine.set_clock(machine.now() + Duration::from_secs(1 << 20));
    machine.put(FILE, &[b'c'; 100]);
    files.write(Path::new(FILE), b"new", 0o600).unwrap();
    assert_eq!(stored(&machine, FILE).len(), 3);
    let one = fill(&self::machine(1), LIMITS, 1);
    for (total, expected) in [(one, true), (one - 1, false)] {
        let machine = self::machine(1);
        let (files, _) = open(&machine, Limits { total, ..LIMITS }).unwrap();
        machine.put(FILE, &[b'a'; 100]);
        assert_eq!(files.write(Path::new(FILE), b"new", 0o600).is_ok(), expected, "{total} bytes");
    }
}

#[test]
fn full_store_is_not_rewritten_with_each_change() {
    let machine = machine(1);
    let limits = Limits { total: 200_000, ..LIMITS };
    let (files, _) = open(&machine, limits).unwrap();
    let mut syncs = Vec::new();
    for i in 0..200u8 {
        machine.put(FILE, &[i; 1000]);
        let before = machine.syncs();
        files.write(Path::new(FILE), b"new", 0o600).unwrap();
        syncs.push(machine.syncs() - before);
    }
    // Of the 200 changes, 150 find the store full; a tenth of it is made free at once.
    let least = *syncs.iter().min().unwrap();
    let rewritten = syncs.iter().filter(|count| **count > least).count();
    assert!((20..60).contains(&rewritten), "rewritten {rewritten} times");
    let before = machine.syncs();
    Backups::open(share(&machine), Path::new(STATE), limits).unwrap();
    assert_eq!(machine.syncs(), before, "what is complete is not rewritten at the start");
}

#[test]
fn a_failing_call_at_the_start_or_when_the_store_is_full_loses_no_record() {
    for call in 1..MAX_CALLS {
        let machine = machine(call);
        fill(&machine, LIMITS, 3);
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        drop(Backups::open(share(&machine), Path::new(STATE), LIMITS));
        let was_faulty = machine.is_faulty();
        machine.withdraw_fault();
        assert_eq!(stored(&machine, FILE).len(), 3, "call {call}");
        if !was_faulty {
            break;
        }
    }
    for call in 1..10 {
        let machine = machine(call);
        fill(&machine, LIMITS, 3);
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        let found = Backups::records(&*machine, Path::new(STATE));
        assert!(found.is_err() || found.is_ok_and(|records| records.len() == 3), "call {call}");
    }
    let total = fill(&machine(1), LIMITS, 3);
    for call in 1..MAX_CALLS {
        let machine = machine(call);
        let limits = Limits { total, ..LIMITS };
        fill(&machine, limits, 3);
        let (files, _) = open(&machine, limits).unwrap();
        machine.put(FILE, &[b'd'; 100]);
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        drop(files.write(Path::new(FILE), b"new", 0o600));
        let was_faulty = machine.is_faulty();
        machine.withdraw_fault();
        // Each record has its copy, and what is not in the store stays where it is.
        let kept = stored(&machine, FILE);
        assert!(kept.contains(&vec![b'd'; 100]) || machine.get(FILE) == Some(vec![b'd'; 100]), "call {call}");
        if !was_faulty {
            break;
        }
    }
}
