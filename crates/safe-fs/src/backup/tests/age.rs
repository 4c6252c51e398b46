//! Records that become too old, on clocks that are right and wrong.

use std::time::{SystemTime, UNIX_EPOCH};

use super::*;

const DAY: Duration = Duration::from_secs(24 * 3600);
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
const MONTHS: Limits = Limits { age: Duration::from_secs(90 * 24 * 3600), ..LIMITS };

/// A change, at a time of the clock, by a process that then ends.
fn change_at(machine: &Arc<Simulated>, time: SystemTime, content: &[u8]) {
    machine.set_clock(time);
    let (files, _) = open(machine, MONTHS).expect("a store");
    files.write(Path::new(FILE), content, 0o600).expect("nothing fails");
}

fn is_marked(machine: &Simulated) -> bool {
    machine.names("/state/backups").contains(&"too-old-since".to_owned())
}

#[test]
fn records_become_too_old_while_the_agent_runs() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    let start = machine.now();
    let mut kept = Vec::new();
    for (hours, content) in [b"a", b"b", b"c", b"d", b"e", b"f"].into_iter().enumerate() {
        machine.set_clock(start + Duration::from_secs(3610 * hours as u64));
        files.write(Path::new(FILE), content, 0o600).expect("nothing fails");
        kept.push(stored(&machine, FILE).len());
    }
    // Too old after an hour, each is removed another hour later, with what is too old by then.
    assert_eq!(kept, [1, 2, 1, 2, 1, 2]);
}

#[test]
fn clock_that_starts_in_1970_removes_nothing() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let now = machine.now();
    change_at(&machine, now, b"second");
    change_at(&machine, UNIX_EPOCH + Duration::from_secs(10), b"third");
    for days in 0..80 {
        change_at(&machine, now + DAY * days, format!("{days}").as_bytes());
    }
    assert_eq!(stored(&machine, FILE)[..3], [b"first".to_vec(), b"second".to_vec(), b"third".to_vec()]);
    for days in 80..100 {
        change_at(&machine, now + DAY * days, format!("{days}").as_bytes());
    }
    assert!(!stored(&machine, FILE).contains(&b"first".to_vec()));
}

#[test]
fn clock_that_is_ahead_for_less_than_a_day_removes_nothing() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let now = machine.now();
    change_at(&machine, now, b"second");
    for hours in [0, 5, 23] {
        change_at(&machine, now + 2 * YEAR + Duration::from_secs(3600 * hours), b"ahead");
        machine.put(FILE, b"x");
    }
    assert!(is_marked(&machine));
    change_at(&machine, now + DAY, b"right again");
    assert!(!is_marked(&machine));
    // What was made while it was wrong is as old as what came after it.
    change_at(&machine, now + 80 * DAY, b"last");
    assert!(stored(&machine, FILE).starts_with(&[b"first".to_vec(), b"second".to_vec()]));
    for days in [92, 94] {
        change_at(&machine, now + days * DAY, b"later");
    }
    assert_eq!(stored(&machine, FILE).first().map(Vec::as_slice), Some(&b"right again"[..]));
}

#[test]
fn mark_that_a_crash_tore_is_made_again() {
    let machine = machine(1);
    machine.put(FILE, b"first");
    let now = machine.now();
    change_at(&machine, now, b"second");
    for mark in [&b"1"[..], b"", b"18446744073709551616\n", b"\xff\n", b"9999999999999\n"] {
        machine.put("/state/backups/too-old-since", mark);
        machine.set_clock(now + 100 * DAY);
        open(&machine, MONTHS).expect("a store");
        assert_eq!(stored(&machine, FILE).len(), 1, "{mark:?}");
    }
    machine.set_clock(now + 101 * DAY);
    open(&machine, MONTHS).expect("a store");
    assert_eq!(stored(&machine, FILE).len(), 0);
}

#[test]
fn index_that_others_can_change_is_not_used() {
    for (mode, owner) in [(0o666, 0), (0o600, 7)] {
        let machine = machine(1);
        machine.put(FILE, b"first");
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        files.write(Path::new(FILE), b"second", 0o600).expect("nothing fails");
        machine.set_attributes("/state/backups/index", mode, owner);
        assert!(matches!(open(&machine, LIMITS), Err(Error::Unprotected { .. })));
        assert!(matches!(Backups::records(&*machine, Path::new(STATE)), Err(Error::Unprotected { .. })));
    }
}
