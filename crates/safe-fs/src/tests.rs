//! Edits and writes on the simulated kernel, with a fault at a random system call.

use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;
use test_support::{RandomChoice, Rng, for_each_seed};

use crate::error::Error;
use crate::resolve::locate;
use crate::simulated::{Fault, Simulated};
use crate::{Decision, EditError, FileSystem, Files, LastLink, NewAttributes, is_temporary_name};

const FILE: &str = "/etc/conf/file";
/// More system calls than an operation makes.
const MAX_CALLS: u64 = 60;
const RUNS: u64 = 10_000;

fn machine(rng: &mut Rng, old: Option<&[u8]>) -> Arc<Simulated> {
    let machine = Simulated::new(rng.u64(..));
    machine.make_directory("/state");
    machine.make_directory("/etc/conf");
    if let Some(old) = old {
        machine.put(FILE, old);
        if rng.one_in(3) {
            machine.mount_on(FILE);
        }
    }
    machine.sync_all();
    Arc::new(machine)
}

fn files(machine: &Arc<Simulated>) -> Result<Files, Error> {
    let fs: Arc<dyn FileSystem> = Arc::clone(machine) as Arc<dyn FileSystem>;
    Files::with_state(fs, "0123456789abcdef", Path::new("/state"))
}

/// Adds a line to a file, as the providers do.
fn add_line(files: &Files, line: &str) -> Result<bool, EditError<Error>> {
    files.edit(Path::new(FILE), &NewAttributes::default(), |before| {
        let mut after = before.unwrap_or_default().to_vec();
        if after.split(|byte| *byte == b'\n').any(|found| found == line.as_bytes()) {
            return Ok(Decision::Keep);
        }
        after.extend_from_slice(format!("{line}\n").as_bytes());
        Ok(Decision::Write(after))
    })
}

fn left_temporaries(machine: &Simulated) -> Vec<String> {
    let mut names = machine.names("/etc/conf");
    names.retain(|name| is_temporary_name(name.as_ref()));
    names
}

fn random_old(rng: &mut Rng) -> Option<&'static [u8]> {
    *rng.pick(&[None, Some(&b""[..]), Some(b"old\n"), Some(b"a much longer line than the new one\nold\n")])
}

#[test]
fn a_crash_leaves_the_old_or_the_new_content_and_nothing_else() {
    for_each_seed(RUNS, |rng| {
        let old = random_old(rng);
        let machine = machine(rng, old);
        let crash_at = machine.calls() + rng.u64(1..MAX_CALLS);
        machine.inject(crash_at, Fault::Crash);
        let done = files(&machine).is_ok_and(|files| add_line(&files, "new").is_ok());
        machine.restart();
        let again = files(&machine).expect("the state is readable after a crash");
        let mut new = old.unwrap_or_default().to_vec();
        new.extend_from_slice(b"new\n");
        let found = machine.get(FILE);
        let is_new = found.as_deref() == Some(&new);
        assert!(is_new || !done && found.as_deref() == old, "{old:?} became {found:?}, done: {done}");
        assert_eq!(left_temporaries(&machine), [""; 0]);
        add_line(&again, "new").expect("a second attempt succeeds");
        assert_eq!(machine.get(FILE), Some(new));
        assert_eq!(left_temporaries(&machine), [""; 0]);
    });
}

#[test]
fn a_failing_call_leaves_the_old_or_the_new_content() {
    for_each_seed(RUNS, |rng| {
        let old = random_old(rng);
        let machine = machine(rng, old);
        let call = machine.calls() + rng.u64(1..MAX_CALLS);
        machine.inject(call, Fault::Fail(*rng.pick(&[Errno::NOSPC, Errno::IO, Errno::MFILE, Errno::NOMEM])));
        let done = files(&machine).is_ok_and(|files| add_line(&files, "new").is_ok());
        machine.withdraw_fault();
        let mut new = old.unwrap_or_default().to_vec();
        new.extend_from_slice(b"new\n");
        let found = machine.get(FILE);
        assert!(found.as_deref() == Some(&new) || !done && found.as_deref() == old, "{old:?} became {found:?}");
        let again = files(&machine).expect("the state is readable");
        add_line(&again, "new").expect("a second attempt succeeds");
        assert_eq!(machine.get(FILE), Some(new));
        assert_eq!(left_temporaries(&machine), [""; 0]);
    });
}

#[test]
fn what_another_program_writes_meanwhile_is_kept() {
    for_each_seed(RUNS, |rng| {
        let machine = machine(rng, None);
        machine.put(FILE, b"old\n");
        let by_renaming = rng.bool();
        let act = move |machine: &Simulated| {
            let mut text = machine.get(FILE).unwrap_or_default();
            text.extend_from_slice(b"foreign\n");
            if by_renaming { machine.replace(FILE, &text) } else { machine.put(FILE, &text) }
        };
        let files = files(&machine).expect("an empty state");
        let call = machine.calls() + rng.u64(1..MAX_CALLS);
        machine.inject(call, Fault::Foreign(Box::new(act)));
        add_line(&files, "new").expect("nothing fails");
        // The other program may act after the edit.
        while machine.calls() <= call {
            let _ = files.read(Path::new(FILE));
        }
        let text = String::from_utf8(machine.get(FILE).expect("the file exists")).expect("text");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["foreign", "new", "old"]);
        assert_eq!(left_temporaries(&machine), [""; 0]);
    });
}

#[test]
fn written_files_have_the_old_or_the_new_content_after_a_crash() {
    for_each_seed(RUNS, |rng| {
        let old = random_old(rng);
        let machine = machine(rng, old);
        let crash_at = machine.calls() + rng.u64(1..MAX_CALLS);
        machine.inject(crash_at, Fault::Crash);
        let done = files(&machine).is_ok_and(|files| files.write(Path::new(FILE), b"new\n", 0o600).is_ok());
        machine.restart();
        files(&machine).expect("the state is readable after a crash");
        let found = machine.get(FILE);
        assert!(found.as_deref() == Some(b"new\n") || !done && found.as_deref() == old, "{old:?} became {found:?}");
        assert_eq!(left_temporaries(&machine), [""; 0]);
    });
}

#[test]
fn a_failing_call_does_not_hide_a_link() {
    for failing in 1..MAX_CALLS {
        let machine = machine(&mut Rng::with_seed(failing), None);
        machine.put("/etc/conf/target", b"");
        machine.put_link(FILE, "/etc/conf/target");
        machine.inject(machine.calls() + failing, Fault::Fail(Errno::MFILE));
        for last in [LastLink::Follow, LastLink::FollowTrusted] {
            if let Ok(location) = locate(&*machine, Path::new(FILE), last) {
                assert_eq!(location.path(), Path::new("/etc/conf/target"), "call {failing} failed");
            }
        }
    }
}

/// Creates temporary files in directories, and crashes the machine before they get their names.
fn crash_with_temporaries(machine: &Arc<Simulated>, files: &Files, directories: &[&str]) {
    let paths: Vec<String> = directories.iter().map(|directory| format!("{directory}/file")).collect();
    let lock = |path: &String| files.lock(Path::new(path), LastLink::Keep).expect("a target");
    let targets: Vec<_> = paths.iter().map(lock).collect();
    let create = |target: &crate::Target<'_>| target.create(NewAttributes::default()).map(drop);
    let temporaries: Vec<_> = targets.iter().map(|target| target.create(NewAttributes::default())).collect();
    assert!(temporaries.iter().all(Result::is_ok));
    machine.sync_all();
    machine.inject(machine.calls() + 1, Fault::Crash);
    drop(temporaries);
    assert!(targets.iter().all(|target| create(target).is_err()), "the machine has crashed");
    machine.restart();
    for directory in directories {
        assert!(machine.names(directory).iter().any(|name| is_temporary_name(name.as_ref())), "{directory}");
    }
}

#[test]
fn temporary_files_are_removed_from_every_directory_after_a_crash() {
    let machine = machine(&mut Rng::with_seed(1), None);
    let directories = ["/etc/conf", "/etc/more", "/etc/a", "/etc/longer/than/others"];
    directories.iter().for_each(|directory| machine.make_directory(directory));
    machine.sync_all();
    let first = files(&machine).expect("an empty state");
    crash_with_temporaries(&machine, &first, &directories);
    files(&machine).expect("a readable state");
    for directory in directories {
        assert_eq!(machine.names(directory).iter().filter(|name| is_temporary_name(name.as_ref())).count(), 0);
    }
}

#[test]
fn directory_whose_record_failed_is_recorded_with_the_next_temporary_file() {
    for call in 1..20 {
        let machine = machine(&mut Rng::with_seed(call), None);
        let files = files(&machine).expect("an empty state");
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        let target = files.lock(Path::new(FILE), LastLink::Keep);
        drop(target.map(|target| target.create(NewAttributes::default()).map(drop)));
        machine.withdraw_fault();
        crash_with_temporaries(&machine, &files, &["/etc/conf"]);
        super::tests::files(&machine).expect("a readable state");
        assert_eq!(left_temporaries(&machine), [""; 0], "call {call}");
    }
}

#[test]
fn temporary_files_that_could_not_be_removed_are_removed_by_the_next_process() {
    for call in 1..40 {
        let machine = machine(&mut Rng::with_seed(call), None);
        let first = files(&machine).expect("an empty state");
        crash_with_temporaries(&machine, &first, &["/etc/conf"]);
        machine.inject(machine.calls() + call, Fault::Fail(Errno::IO));
        let is_opened = files(&machine).is_ok();
        machine.withdraw_fault();
        files(&machine).expect("a readable state");
        assert_eq!(left_temporaries(&machine), [""; 0], "call {call}, opened: {is_opened}");
        files(&machine).expect("a readable state");
        assert_eq!(machine.get("/state/temporaries"), Some(Vec::new()), "nothing is left to look at");
    }
}

#[test]
fn removed_temporary_files_do_not_come_back_in_a_crash() {
    for seed in 0..40 {
        let machine = machine(&mut Rng::with_seed(seed), None);
        let first = files(&machine).expect("an empty state");
        crash_with_temporaries(&machine, &first, &["/etc/conf"]);
        files(&machine).expect("a readable state");
        machine.restart();
        files(&machine).expect("a readable state");
        assert_eq!(left_temporaries(&machine), [""; 0]);
    }
}

#[test]
fn temporary_directories_are_removed_unless_something_is_in_them() {
    let machine = machine(&mut Rng::with_seed(1), None);
    let first = files(&machine).expect("an empty state");
    crash_with_temporaries(&machine, &first, &["/etc/conf"]);
    machine.make_directory("/etc/conf/.mgmt-tmp-0123456789abcdef-empty");
    machine.put("/etc/conf/.mgmt-tmp-0123456789abcdef-full/file", b"1");
    machine.put("/etc/conf/.mgmt-tmp-another", b"of another state directory");
    files(&machine).expect("a readable state");
    assert_eq!(left_temporaries(&machine), [".mgmt-tmp-0123456789abcdef-full", ".mgmt-tmp-another"]);
    assert_eq!(machine.get("/state/temporaries"), Some(Vec::new()), "nothing is tried again");
}

/// After a crash, a file has another content only because of the interrupted process, or it stays.
#[test]
fn mount_point_that_somebody_else_changed_meanwhile_is_not_restored() {
    for change in [
        |machine: &Simulated| machine.put(FILE, b"foreign, and longer than both\n"),
        |machine: &Simulated| {
            machine.remove(FILE);
            // A part of the new content, in another object.
            machine.put(FILE, b"ol");
            machine.mount_on(FILE);
        },
    ] {
        let mut crashed = 0;
        for call in 1..MAX_CALLS {
            let machine = machine(&mut Rng::with_seed(call), None);
            machine.put(FILE, b"old\n");
            machine.mount_on(FILE);
            machine.sync_all();
            let first = files(&machine).expect("an empty state");
            machine.inject(machine.calls() + call, Fault::Crash);
            if first.write(Path::new(FILE), b"new\n", 0o600).is_ok() {
                break;
            }
            machine.restart();
            change(&machine);
            machine.sync_all();
            let before = machine.get(FILE);
            files(&machine).expect("a readable state");
            assert_eq!(machine.get(FILE), before, "call {call}");
            crashed += 1;
        }
        assert!(crashed > 10, "{crashed}");
    }
}

#[test]
fn link_that_takes_the_place_of_a_file_while_its_lock_is_waited_for_is_followed() {
    let target = "/etc/conf/target";
    let mut followed = 0;
    for call in 1..MAX_CALLS {
        let machine = machine(&mut Rng::with_seed(call), Some(b"old\n"));
        machine.put(target, b"");
        let files = files(&machine).expect("an empty state");
        let act = |machine: &Simulated| {
            machine.remove(FILE);
            machine.put_link(FILE, "/etc/conf/target");
        };
        let before = machine.calls();
        machine.inject(before + call, Fault::Foreign(Box::new(act)));
        let locked = files.lock(Path::new(FILE), LastLink::Follow).expect("nothing fails");
        if !machine.is_faulty() {
            break;
        }
        // When the lock only looks at the entry, it has opened it already.
        if machine.calls() - before > call {
            assert_eq!(locked.path(), Path::new(target), "call {call}");
            followed += 1;
        }
    }
    assert!(followed > 0, "no call is between");
}

#[test]
fn names_of_one_file_share_its_lock() {
    let scratch = tempfile::tempdir().expect("a directory");
    let [one, other] = ["one", "other"].map(|name| scratch.path().join(name));
    std::fs::write(&one, "x").expect("a file");
    std::fs::hard_link(&one, &other).expect("a second name");
    let files = Files::of_kernel();
    let held = files.lock(&one, LastLink::Keep).expect("a target");
    let (sender, got) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let locked = files.lock(&other, LastLink::Keep).is_ok();
            sender.send(locked).expect("a receiver");
        });
        assert!(got.recv_timeout(std::time::Duration::from_millis(200)).is_err(), "the file is locked");
        drop(held);
        assert_eq!(got.recv(), Ok(true));
    });
}

/// A record names directories. Who may change what is above one can put something else in its place.
#[test]
fn temporary_files_are_not_looked_for_behind_a_link_in_place_of_the_directory() {
    let precious = "/victim/.mgmt-tmp-0123456789abcdef-1";
    let places: [fn(&Simulated); 3] =
        [|machine| machine.put_link("/etc/conf", "/victim"), |machine| machine.put("/etc/conf", b"a file"), |_| {}];
    for put in places {
        let machine = machine(&mut Rng::with_seed(1), None);
        machine.put(precious, b"1");
        let first = files(&machine).expect("an empty state");
        crash_with_temporaries(&machine, &first, &["/etc/conf"]);
        machine.put(precious, b"1");
        machine.remove("/etc/conf");
        put(&machine);
        files(&machine).expect("a readable state");
        assert!(machine.get(precious).is_some());
        assert_eq!(machine.get("/state/temporaries"), Some(Vec::new()), "nothing is tried again");
    }
}
