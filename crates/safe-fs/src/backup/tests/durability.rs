//! What the store has after crashes, failures and restarts.

use std::ffi::OsString;

use super::*;

const BLOCKS: usize = 10_000;
/// About sixteen contents of that size.
const SMALL: Limits = Limits { total: 200_000, ..LIMITS };

fn records(machine: &Simulated) -> Vec<Record> {
    Backups::records(machine, Path::new(STATE)).expect("a readable index")
}

#[test]
fn crash_while_old_records_are_removed_keeps_the_others() {
    for_each_seed(400, |rng| {
        let machine = machine(rng.u64(..));
        let (files, _) = open(&machine, SMALL).expect("an empty store");
        machine.put(FILE, &[0; BLOCKS]);
        machine.sync_all();
        let change = |number: u8| files.write(Path::new(FILE), &[number; BLOCKS], 0o600);
        let before = rng.u8(8..30);
        (1..before).for_each(|number| change(number).expect("nothing fails"));
        machine.inject(machine.calls() + rng.u64(1..MAX_CALLS), Fault::Crash);
        let done = (before..before + 8).take_while(|number| change(*number).is_ok()).last().unwrap_or(before - 1);
        machine.restart();
        let kept = |machine: &Arc<Simulated>| -> Vec<u8> { stored(machine, FILE).iter().map(|copy| copy[0]).collect() };
        // The change that crashed may have its record.
        let all = kept(&machine);
        let newest = all.iter().filter(|number| **number < done).count();
        let expected: Vec<u8> = (done - newest as u8..done).collect();
        assert!(newest >= usize::from(done.min(8)), "{all:?} of {done}");
        assert_eq!(all[..newest], expected, "one after the other up to the last change");
        open(&machine, SMALL).expect("a readable store");
        assert!(kept(&machine).ends_with(&all), "nothing is lost by the start: {all:?}");
    });
}

#[test]
fn failing_call_and_a_crash_afterwards_lose_no_old_content() {
    for operation in OPERATIONS {
        for (call, seed) in (1..MAX_CALLS).flat_map(|call| (0..4).map(move |seed| (call, seed))) {
            let machine = machine(seed);
            let old = prepare(&machine, &mut Rng::with_seed(seed));
            let (files, _) = open(&machine, LIMITS).expect("an empty store");
            machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
            let _ = run(&files, operation);
            if !machine.is_faulty() {
                break;
            }
            machine.restart();
            assert_nothing_is_lost(&machine, &old, operation);
        }
    }
}

#[test]
fn numbers_of_records_grow_over_restarts_and_removals() {
    let machine = machine(1);
    let mut last = 0;
    for start in 0..4u8 {
        let (files, _) = open(&machine, SMALL).expect("a readable store");
        for i in 0..12u8 {
            machine.put(FILE, &[start * 16 + i; BLOCKS]);
            files.write(Path::new(FILE), b"new", 0o600).expect("nothing fails");
            let ids: Vec<u64> = records(&machine).iter().map(|record| record.id).collect();
            assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
            assert!(ids.last() > Some(&last), "{ids:?} after {last}");
            last = ids[ids.len() - 1];
        }
    }
}

#[test]
fn part_of_a_record_is_overwritten_by_the_next_one() {
    for cut in 1..200 {
        let machine = machine(1);
        machine.put(FILE, b"first");
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        files.write(Path::new(FILE), b"second", 0o600).expect("nothing fails");
        files.write(Path::new(FILE), b"third", 0o600).expect("nothing fails");
        let index = machine.get("/state/backups/index").expect("an index");
        machine.put("/state/backups/index", &index[..index.len() - cut]);
        let (files, _) = open(&machine, LIMITS).expect("a readable store");
        assert_eq!(records(&machine).len(), 1, "without the last {cut} bytes");
        files.write(Path::new(FILE), b"fourth", 0o600).expect("nothing fails");
        assert_eq!(stored(&machine, FILE), [b"first".to_vec(), b"third".to_vec()]);
    }
}

#[test]
fn records_after_an_invalid_one_are_not_overwritten() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    for content in [b"second", b"third.", b"fourth"] {
        files.write(Path::new(FILE), content, 0o600).expect("nothing fails");
    }
    let mut index = machine.get("/state/backups/index").expect("an index");
    index[0] = b'!';
    machine.put("/state/backups/index", &index);
    let (files, backups) = open(&machine, LIMITS).expect("a readable store");
    assert_eq!(backups.invalid_lines(), 1);
    files.write(Path::new(FILE), b"fifth", 0o600).expect("nothing fails");
    assert_eq!(stored(&machine, FILE), [b"second".to_vec(), b"third.".to_vec(), b"fourth".to_vec()]);
    assert_eq!(machine.get("/state/backups/index").expect("an index").iter().filter(|byte| **byte == b'\n').count(), 3);
}

#[test]
fn record_that_could_not_be_written_leaves_nothing() {
    for call in 1..MAX_CALLS {
        let machine = machine(call);
        machine.put(FILE, b"first");
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        files.write(Path::new(FILE), b"second", 0o600).expect("nothing fails");
        let index = machine.get("/state/backups/index").expect("an index");
        machine.inject(machine.calls() + call, Fault::Full);
        let result = run(&files, Operation::Write);
        if !machine.is_faulty() {
            return;
        }
        machine.withdraw_fault();
        if result.is_err() {
            assert_eq!(machine.get("/state/backups/index"), Some(index), "call {call}");
            assert_eq!(machine.get(FILE).as_deref(), Some(&b"second"[..]), "call {call}");
        }
        run(&files, Operation::Write).expect("there is space again");
        assert_eq!(stored(&machine, FILE)[..2], [b"first".to_vec(), b"second".to_vec()], "call {call}");
    }
    panic!("a change makes fewer calls");
}

#[test]
fn file_over_the_limit_is_refused_before_it_is_copied() {
    let machine = machine(1);
    machine.put(FILE, &[7; 5000]);
    let (files, _) = open(&machine, Limits { file: 1000, ..LIMITS }).expect("an empty store");
    machine.inject(machine.calls() + 1, Fault::Full);
    let result = files.lock(Path::new(FILE), LastLink::Keep).and_then(|target| target.remove_file());
    assert!(matches!(result, Err(Error::TooLargeForBackup { limit: 1000, .. })), "{result:?}");
}

#[test]
fn copies_that_nobody_needs_are_removed_by_the_next_process() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    files.write(Path::new(FILE), b"second", 0o600).expect("nothing fails");
    let needed = machine.names("/state/backups/contents");
    let contents = "/state/backups/contents";
    machine.put(&format!("{contents}/unfinished-0123456789abcdef"), b"half");
    machine.put(&format!("{contents}/{}", Digest([7; 32])), b"of no record");
    open(&machine, LIMITS).expect("a readable store");
    assert_eq!(machine.names(contents), needed);
    assert_eq!(stored(&machine, FILE), [b"first".to_vec()]);
}

/// Each level is a directory that is open while the tree is copied.
#[test]
fn tree_that_is_too_deep_to_be_backed_up_stays() {
    for (levels, expected) in [(500, true), (520, false)] {
        let machine = machine(1);
        let file = format!("/etc/conf/{}file", "d/".repeat(levels));
        machine.put(&file, b"1");
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        let result = run(&files, Operation::RemoveTree);
        assert_eq!(result.is_ok(), expected, "{result:?}");
        assert_eq!(machine.get(&file).is_none(), expected);
    }
}

/// A purge removes one file after the other.
#[test]
fn removing_one_of_many_files_takes_as_many_calls_as_removing_the_first() {
    let machine = machine(1);
    let paths: Vec<String> = (0..400).map(|number| format!("/etc/conf/{number}")).collect();
    paths.iter().for_each(|path| machine.put(path, path.as_bytes()));
    let (files, _) = open(&machine, Limits { total: 1 << 24, ..LIMITS }).expect("an empty store");
    let mut calls = Vec::new();
    for path in &paths {
        let before = machine.calls();
        files.lock(Path::new(path), LastLink::Keep).and_then(|target| target.remove_tree()).expect("nothing fails");
        calls.push(machine.calls() - before);
    }
    assert_eq!(records(&machine).len(), paths.len());
    // Short writes are repeated, at random.
    let most = |calls: &[u64]| calls.iter().max().copied().unwrap_or(0);
    assert!(most(&calls[300..]) <= most(&calls[1..100]) + 8, "{calls:?}");
}

#[test]
fn entries_that_are_backed_up_together_cost_one_wait_for_the_disk() {
    let syncs = |entries: usize| {
        let machine = machine(1);
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        for i in 0..entries {
            machine.put(&format!("/etc/conf/{i}"), format!("{i}").as_bytes());
            machine.put(&format!("/etc/conf/d{i}/file"), b"");
        }
        let before = machine.syncs();
        purge(&files, Path::new("/etc/conf")).expect("nothing fails");
        assert_eq!(machine.names("/etc/conf"), [""; 0]);
        assert_eq!(Backups::records(&*machine, Path::new(STATE)).expect("a readable index").len(), 2 * entries);
        machine.syncs() - before
    };
    assert_eq!(syncs(200), syncs(20));
}

/// An entry that cannot be backed up stays, and the others go.
#[test]
fn entry_that_is_too_large_does_not_keep_others_from_being_backed_up_together() {
    let machine = machine(1);
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    machine.put("/etc/conf/a", b"a");
    machine.put("/etc/conf/large/file", &vec![b'x'; LIMITS.file as usize + 1]);
    machine.put("/etc/conf/z", b"z");
    let names: Vec<_> = ["a", "large", "z"].map(Into::into).to_vec();
    let backups = files.back_up_trees(Path::new("/etc/conf"), &names);
    let results: Vec<bool> = names
        .iter()
        .zip(backups)
        .map(|(name, backup)| {
            let target = files.lock(&Path::new("/etc/conf").join(name), LastLink::Keep).expect("a target");
            target.use_backup(backup);
            target.remove_tree().is_ok()
        })
        .collect();
    assert_eq!(results, [true, false, true]);
    assert_eq!(machine.names("/etc/conf"), ["large"]);
    assert_eq!(
        (stored(&machine, "/etc/conf/a"), stored(&machine, "/etc/conf/z")),
        (vec![b"a".to_vec()], vec![b"z".to_vec()])
    );
    assert_eq!(machine.names("/state/backups/contents").len(), 2);
}

/// What fits into the store entry by entry, but not together.
#[test]
fn entries_that_exceed_the_store_together_are_backed_up_one_by_one() {
    let machine = machine(1);
    let (files, _) = open(&machine, Limits { total: 40_000, ..LIMITS }).expect("an empty store");
    for i in 0..20 {
        machine.put(&format!("/etc/conf/{i}"), format!("{i}").as_bytes());
    }
    purge(&files, Path::new("/etc/conf")).expect("nothing fails");
    assert_eq!(machine.names("/etc/conf"), [""; 0]);
    assert_eq!(stored(&machine, "/etc/conf/9"), [b"9"], "the last one is in the store");
}

/// Copies without a record would fill the disk, so that nothing could be backed up one by one.
#[test]
fn backup_on_a_full_disk_leaves_no_copies() {
    let mut failures = 0;
    for call in 1..MAX_CALLS {
        let machine = machine(call);
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        let names: Vec<OsString> = (0..8).map(|i| format!("{i}").into()).collect();
        for name in &names {
            machine.put(&format!("/etc/conf/{}", name.display()), name.as_encoded_bytes());
        }
        machine.sync_all();
        machine.inject(machine.calls() + call, Fault::Full);
        let _ = files.back_up_trees(Path::new("/etc/conf"), &names);
        if !machine.is_faulty() {
            break;
        }
        machine.withdraw_fault();
        let (copies, kept) = (machine.names("/state/backups/contents").len(), records(&machine).len());
        assert_eq!(copies, kept, "call {call}");
        failures += usize::from(kept < names.len());
    }
    assert!(failures > 8, "{failures} backups failed");
}
