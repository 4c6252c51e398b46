use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;
use safe_fs::simulated::{MachineFault, Simulated};
use safe_fs::{FileSystem, Files};
use test_support::{RandomChoice, Rng, for_each_case, shorter};

use super::*;

const ENGINE: &str = "/state/engine";
const RUNS: u64 = 10_000;

fn id(name: &str) -> ResourceId {
    ResourceId { kind: "svc".into(), name: name.into() }
}

fn open(directory: &Path) -> RefreshJournal {
    RefreshJournal::open(Arc::clone(Files::of_kernel()), directory).expect("a readable journal")
}

#[test]
fn what_was_recorded_and_not_forgotten_is_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    journal.record(&id("a\tb\n"), &[id("x"), id("y")]).unwrap();
    journal.forget(&id("a\tb\n"), &id("x")).unwrap();
    // Without opening the journal, as plans do.
    let stored = RefreshJournal::stored_pairs(Files::of_kernel(), dir.path()).unwrap();
    assert_eq!(stored, [(id("a\tb\n"), id("y"))]);
    drop(journal);
    assert_eq!(open(dir.path()).pairs(), [(id("a\tb\n"), id("y"))]);
}

#[test]
fn pending_notification_is_recorded_once() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    for _ in 0..3 {
        journal.record(&id("a"), &[id("x"), id("y")]).unwrap();
    }
    assert_eq!(lines(dir.path()), 2);
}

/// Nobody knows what a disk has after it failed to write something.
#[test]
fn file_is_replaced_after_a_record_that_failed() {
    let mut failed = 0;
    for call in 1..20 {
        let machine = Arc::new(Simulated::new(call));
        machine.make_directory(ENGINE);
        let journal = journal(&machine).expect("an empty journal");
        journal.record(&id("first"), &[id("x")]).expect("nothing fails");
        machine.inject(machine.calls() + call, MachineFault::Fail(Errno::IO));
        failed += u32::from(journal.record(&id("a"), &[id("x")]).is_err());
        machine.withdraw_fault();
        journal.record(&id("a"), &[id("x")]).expect("nothing fails");
        let content = machine.get(&format!("{ENGINE}/refresh")).expect("a journal");
        assert_eq!(String::from_utf8_lossy(&content).lines().count(), 2, "call {call}");
    }
    assert!(failed >= 2, "writing and syncing fail");
}

#[test]
fn invalid_lines_are_counted_and_cost_no_other_line() {
    let valid = line('+', &(id("a"), id("b")));
    let other = line('+', &(id("c"), id("d")));
    for (invalid, count) in [
        (&b"\n"[..], 1),
        (b"+\n", 1),
        (b"\0\0\0\n\xff\n", 2),
        (b"+\"svc\"\t\"a\"\t\"svc\"\n", 1),
        (b"*\"svc\"\t\"a\"\t\"svc\"\t\"b\"\n", 1),
        (b"+\"svc\"\t\"a\"\t\"svc\"\t7\n", 1),
        (b"", 0),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let content = [valid.as_bytes(), invalid, other.as_bytes()].concat();
        std::fs::write(dir.path().join("refresh"), content).unwrap();
        let journal = open(dir.path());
        assert_eq!((journal.invalid_lines(), journal.pairs().len()), (count, 2), "{invalid:?}");
        drop(journal);
        assert_eq!(open(dir.path()).invalid_lines(), 0, "they are said once");
    }
}

#[test]
fn torn_line_is_ignored_and_does_not_reach_into_the_next_record() {
    let whole = line('+', &(id("ä"), id("b")));
    let other = line('+', &(id("c"), id("d")));
    // Also within a character.
    for end in 1..whole.len() {
        for before in ["", &other] {
            let dir = tempfile::tempdir().unwrap();
            let torn = [before.as_bytes(), &whole.as_bytes()[..end]].concat();
            std::fs::write(dir.path().join("refresh"), torn).unwrap();
            let journal = open(dir.path());
            assert_eq!(journal.pairs().len(), before.lines().count());
            journal.record(&id("e"), &[id("f")]).unwrap();
            drop(journal);
            assert!(open(dir.path()).pairs().contains(&(id("e"), id("f"))), "{end} {before:?}");
        }
    }
}

fn lines(directory: &Path) -> usize {
    std::fs::read_to_string(directory.join("refresh")).expect("a journal").lines().count()
}

#[test]
fn obsolete_lines_go_when_they_are_many_or_the_journal_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    journal.record(&id("kept"), &[id("x")]).unwrap();
    let mut most = 0;
    for number in 0..3 * COMPACTION_THRESHOLD {
        let from = id(&number.to_string());
        journal.record(&from, &[id("y")]).unwrap();
        journal.forget(&from, &id("y")).unwrap();
        most = most.max(lines(dir.path()));
    }
    assert!((COMPACTION_THRESHOLD - 4..COMPACTION_THRESHOLD + 4).contains(&most), "{most} lines");
    journal.record(&id("a"), &[id("b")]).unwrap();
    journal.forget(&id("a"), &id("b")).unwrap();
    assert!(lines(dir.path()) > 2);
    drop(journal);
    assert_eq!(open(dir.path()).pairs(), [(id("kept"), id("x"))]);
    assert_eq!(lines(dir.path()), 1);
}

#[test]
fn journal_with_many_pending_lines_is_not_replaced_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let targets: Vec<ResourceId> = (0..2 * COMPACTION_THRESHOLD).map(|number| id(&number.to_string())).collect();
    journal.record(&id("from"), &targets).unwrap();
    let inode = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(dir.path().join("refresh")).unwrap());
    let first = inode();
    for target in &targets[..10] {
        journal.forget(&id("from"), target).unwrap();
    }
    assert_eq!((inode(), lines(dir.path())), (first, targets.len() + 10));
}

#[test]
fn invalid_line_costs_nothing_but_itself() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        [line('+', &(id("a"), id("b"))), "+\"half\n".to_owned(), "?\n\n".to_owned(), line('+', &(id("c"), id("d")))];
    std::fs::write(dir.path().join("refresh"), text.concat()).unwrap();
    assert_eq!(open(dir.path()).pairs(), [(id("a"), id("b")), (id("c"), id("d"))]);
}

#[test]
fn nobody_else_can_read_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).record(&id("a"), &[id("b")]).unwrap();
    let metadata = std::fs::metadata(dir.path().join("refresh")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777, 0o600);
}

#[test]
fn record_that_fails_is_not_pending() {
    for call in 1..60 {
        let machine = Arc::new(Simulated::new(call));
        machine.make_directory(ENGINE);
        machine.sync_all();
        let journal = journal(&machine).expect("an empty state");
        machine.inject(machine.calls() + call, MachineFault::Fail(Errno::IO));
        let result = journal.record(&id("a"), &[id("b")]);
        assert_eq!(journal.pairs().len(), usize::from(result.is_ok()), "call {call}");
        if !machine.is_faulty() {
            return;
        }
    }
    panic!("a record makes fewer calls");
}

/// What happens to a journal.
#[derive(Clone, Copy, Debug)]
enum Step {
    Record(u8, u8),
    Forget(u8, u8),
    /// A new process opens it.
    Reopen,
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
    let step = |random: &mut Rng| {
        let (from, to) = (random.u8(..3), random.u8(..3));
        match random.u8(..8) {
            0..=3 => Step::Record(from, to),
            4..=6 => Step::Forget(from, to),
            _ => Step::Reopen,
        }
    };
    let fault = match random.u8(..5) {
        0 => MachineFault::Full,
        1 => MachineFault::Fail(*random.pick(&[Errno::IO, Errno::NOSPC, Errno::MFILE])),
        _ => MachineFault::Crash,
    };
    let steps = (0..1 + random.usize(..10)).map(|_| step(random)).collect();
    History { machine: random.u64(..), steps, at: random.u64(1..200), fault }
}

fn smaller(history: &History) -> Vec<History> {
    let cut = shorter(&history.steps).into_iter().map(|steps| History { steps, ..history.clone() });
    // With fewer steps, the same place is at another call.
    let cut = cut.flat_map(|cut| (1..=history.at).rev().map(move |at| History { at, ..cut.clone() }));
    cut.collect()
}

fn journal(machine: &Arc<Simulated>) -> Result<RefreshJournal, Error> {
    let fs: Arc<dyn FileSystem> = Arc::clone(machine) as Arc<dyn FileSystem>;
    let files = Files::with_state(fs, "0123456789abcdef", Path::new(ENGINE))?;
    RefreshJournal::open(Arc::new(files), Path::new(ENGINE))
}

/// Whatever happens, a notification that was recorded and not delivered is not lost, and one whose recording failed is
/// recorded by a later attempt.
fn check(history: &History) {
    let machine = Arc::new(Simulated::new(history.machine));
    machine.make_directory(ENGINE);
    machine.sync_all();
    machine.inject(machine.calls() + history.at, history.fault);
    let pair = |from: u8, to: u8| (id(&from.to_string()), id(&to.to_string()));
    let mut owed = BTreeSet::new();
    let mut open = journal(&machine).ok();
    for step in &history.steps {
        match *step {
            Step::Record(from, to) => {
                let (from, to) = pair(from, to);
                if open.as_ref().is_some_and(|journal| journal.record(&from, std::slice::from_ref(&to)).is_ok()) {
                    owed.insert((from, to));
                }
            }
            Step::Forget(from, to) => {
                let (from, to) = pair(from, to);
                owed.remove(&(from.clone(), to.clone()));
                // It is delivered, whether or not that is recorded.
                let _ = open.as_ref().map(|journal| journal.forget(&from, &to));
            }
            Step::Reopen => {
                drop(open.take());
                open = journal(&machine).ok();
            }
        }
        if let Some(journal) = &open {
            let pairs: BTreeSet<Pair> = journal.pairs().into_iter().collect();
            assert!(owed.is_subset(&pairs), "{owed:?} is not in {pairs:?}");
        }
    }
    drop(open);
    machine.end(history.fault);
    let again = journal(&machine).expect("the journal is readable after a fault");
    let left = machine.names(ENGINE).into_iter().filter(|name| safe_fs::is_temporary_name(name.as_ref()));
    assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
    let pairs: BTreeSet<Pair> = again.pairs().into_iter().collect();
    assert!(owed.is_subset(&pairs), "{owed:?} is lost: {pairs:?}");
    let (from, to) = pair(7, 7);
    again.record(&from, std::slice::from_ref(&to)).expect("there is no fault any more");
    machine.restart();
    let last = journal(&machine).expect("a readable journal");
    assert!(last.pairs().contains(&(from, to)));
}

#[test]
fn no_notification_is_lost_on_the_simulated_kernel() {
    for_each_case(RUNS, history, smaller, check);
}
