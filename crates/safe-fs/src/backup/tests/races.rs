//! Other programs that act between two system calls of a change.

use super::*;

const LARGE: usize = 5_000;
const ACTED: &str = "/acted";

/// Lets another program act before each system call of each operation in turn.
fn at_each_call(limits: Limits, act: fn(&Simulated), check: impl Fn(&Arc<Simulated>, Operation, Result<(), Error>)) {
    for operation in OPERATIONS {
        for call in 1..MAX_CALLS {
            let machine = machine(call);
            machine.put(FILE, b"old\n");
            machine.sync_all();
            let (files, _) = open(&machine, limits).expect("an empty store");
            machine.inject(machine.calls() + call, Fault::Foreign(Box::new(act)));
            let result = run(&files, operation);
            if !machine.is_faulty() {
                break;
            }
            check(&machine, operation, result);
        }
    }
}

fn is_edited(machine: &Simulated, foreign: &[u8]) -> bool {
    machine.get(FILE) == Some([foreign, b"new\n"].concat())
}

#[test]
fn what_is_written_in_place_meanwhile_is_backed_up_or_stays() {
    at_each_call(
        LIMITS,
        |machine| {
            // What is written through a link is at another path.
            if machine.get(FILE).is_some() {
                machine.put(FILE, b"new\t");
                machine.put(ACTED, b"");
            }
        },
        |machine, operation, _| {
            if machine.get(ACTED).is_none() {
                return;
            }
            let foreign = b"new\t".to_vec();
            let is_kept = machine.get(FILE).as_ref() == Some(&foreign) || is_edited(machine, &foreign);
            // Between the last look at a file in a tree and its removal, nothing can be noticed.
            let is_tree = matches!(operation, Operation::RemoveTree);
            assert!(is_tree || is_kept || stored(machine, FILE).contains(&foreign), "{operation:?}");
        },
    );
}

#[test]
fn attributes_in_a_record_are_those_of_the_object_with_its_content() {
    let act = |machine: &Simulated| {
        machine.replace(FILE, b"foreign\n");
        machine.set_attributes(FILE, 0o640, 7);
    };
    at_each_call(LIMITS, act, |machine, operation, _| {
        for record in Backups::records(&**machine, Path::new(STATE)).expect("a readable index") {
            let Some(part) = record.part(Path::new(FILE)) else { continue };
            let Entry { mode, uid, object: Object::File { size, .. }, .. } = part.entries[0] else { continue };
            let expected = if size == 4 { (0o644, 0) } else { (0o640, 7) };
            assert_eq!((mode, uid), expected, "{operation:?} with {size} bytes");
        }
    });
}

#[test]
fn file_that_grows_beyond_the_limit_while_it_is_copied_is_not_stored() {
    let limits = Limits { file: 1_000, ..LIMITS };
    let act = |machine: &Simulated| machine.put(FILE, &[7; LARGE]);
    at_each_call(limits, act, |machine, operation, result| {
        let sizes: Vec<usize> = stored(machine, FILE).iter().map(Vec::len).collect();
        assert!(sizes.iter().all(|size| *size <= 1_000), "{operation:?} stored {sizes:?} bytes");
        assert!(result.is_ok() || machine.get(FILE) == Some(vec![7; LARGE]), "{operation:?} lost it: {result:?}");
    });
}

#[test]
fn displaced_file_that_cannot_be_backed_up_gets_its_name_back() {
    let limits = Limits { file: 1_000, ..LIMITS };
    let act = |machine: &Simulated| machine.replace(FILE, &[7; LARGE]);
    at_each_call(limits, act, |machine, operation, result| {
        if matches!(operation, Operation::RemoveTree) {
            return;
        }
        assert_eq!(machine.get(FILE), Some(vec![7; LARGE]), "{operation:?}: {result:?}");
        assert_eq!(machine.names("/etc/conf"), ["file"], "{operation:?}");
    });
}

/// Whatever cannot be undone stays under its temporary name.
#[test]
fn displaced_file_that_cannot_get_its_name_back_is_not_removed() {
    let limits = Limits { file: 1_000, ..LIMITS };
    for operation in OPERATIONS.into_iter().filter(|operation| !matches!(operation, Operation::RemoveTree)) {
        for (call, failing) in (1..60).flat_map(|call| (1..12).map(move |failing| (call, failing))) {
            let machine = machine(call);
            machine.put(FILE, b"old\n");
            let (files, _) = open(&machine, limits).expect("an empty store");
            let act = move |machine: &Simulated| {
                machine.replace(FILE, &[7; LARGE]);
                machine.inject(machine.calls() + failing, Fault::Fail(Errno::IO));
            };
            machine.inject(machine.calls() + call, Fault::Foreign(Box::new(act)));
            let result = run(&files, operation);
            let is_there = machine.tree("/etc/conf").into_values().any(|shown| shown.content == [7; LARGE]);
            let is_before = !machine.is_faulty() && result.is_ok();
            assert!(is_there || is_before, "{operation:?}, call {call}, then {failing}: {result:?}");
        }
    }
}

/// With what is added to it, a name must not become longer than names can be.
#[test]
fn displaced_file_with_a_long_name_is_not_removed() {
    let path = format!("/etc/conf/{}", "n".repeat(255));
    let mut kept = 0;
    for (call, failing) in (1..40).flat_map(|call| (1..12).map(move |failing| (call, failing))) {
        let machine = machine(call);
        machine.put(&path, b"old\n");
        let (files, _) = open(&machine, Limits { file: 1_000, ..LIMITS }).expect("an empty store");
        let foreign = path.clone();
        let act = move |machine: &Simulated| {
            machine.replace(&foreign, &[7; LARGE]);
            machine.inject(machine.calls() + failing, Fault::Fail(Errno::IO));
        };
        machine.inject(machine.calls() + call, Fault::Foreign(Box::new(act)));
        let result = files.write(Path::new(&path), b"new\n", 0o600);
        let names = machine.names("/etc/conf");
        assert!(names.iter().all(|name| name.len() <= 255));
        kept += usize::from(names.iter().any(|name| name.contains(".mgmt-kept-")));
        machine.withdraw_fault();
        // The next process removes what is temporary.
        drop(files);
        open(&machine, LIMITS).expect("a readable store");
        let is_there = machine.tree("/etc/conf").into_values().any(|shown| shown.content == [7; LARGE]);
        assert!(is_there || !machine.is_faulty() && result.is_ok(), "call {call}, then {failing}: {result:?}");
    }
    assert!(kept > 0, "it always gets its name back");
}

#[test]
fn what_disappears_from_a_tree_meanwhile_is_no_error() {
    at_each_call(
        LIMITS,
        |machine| {
            if machine.get(FILE).is_some() {
                machine.remove(FILE);
            }
        },
        |machine, operation, result| {
            if matches!(operation, Operation::RemoveTree | Operation::Purge) {
                result.expect("it is gone, as it should be");
                assert_eq!(machine.get(FILE), None, "{operation:?}");
            }
        },
    );
}

#[test]
fn directory_that_takes_the_name_meanwhile_is_not_removed() {
    let act = |machine: &Simulated| {
        machine.remove(FILE);
        machine.put(&format!("{FILE}/inside"), b"foreign\n");
    };
    at_each_call(LIMITS, act, |machine, operation, result| {
        if matches!(operation, Operation::RemoveTree | Operation::Purge) {
            return;
        }
        let inside = machine.get(&format!("{FILE}/inside"));
        assert_eq!(inside.as_deref(), Some(&b"foreign\n"[..]), "{operation:?}: {result:?}");
    });
}

#[test]
fn link_that_takes_the_name_meanwhile_is_backed_up_instead() {
    let act = |machine: &Simulated| machine.put_link(FILE, "foreign");
    at_each_call(LIMITS, act, |machine, operation, result| {
        if matches!(operation, Operation::RemoveFile | Operation::Link) {
            result.expect("nothing fails");
            let records = Backups::records(&**machine, Path::new(STATE)).expect("a readable index");
            let is_link = |record: &Record| matches!(record.entries[0].object, Object::Link { .. });
            let is_last = machine.tree("/etc/conf").get("/etc/conf/file").is_some_and(|now| now.content == b"foreign");
            assert!(is_last || records.iter().any(is_link), "{operation:?}");
        }
    });
}

#[test]
fn directory_in_place_of_a_file_is_neither_replaced_nor_backed_up() {
    for operation in [Operation::Write, Operation::Edit, Operation::Link, Operation::RemoveFile] {
        let machine = machine(1);
        machine.put(&format!("{FILE}/inside"), b"1");
        let (files, _) = open(&machine, LIMITS).expect("an empty store");
        let error = run(&files, operation).expect_err("a directory");
        let is_about_kind = match &error {
            Error::Io { error, .. } => error.kind() == std::io::ErrorKind::IsADirectory,
            error => matches!(error, Error::WrongKind { .. }),
        };
        assert!(is_about_kind, "{operation:?}: {error}");
        assert_eq!(machine.get(&format!("{FILE}/inside")).as_deref(), Some(&b"1"[..]));
        assert_eq!(Backups::records(&*machine, Path::new(STATE)).expect("a readable index"), [], "{operation:?}");
        assert_eq!(machine.names("/etc/conf"), ["file"], "{operation:?}");
    }
}

/// Two programs after each other: what the second one writes stays.
#[test]
fn second_replacement_is_not_undone_with_the_change() {
    for operation in [Operation::Edit, Operation::Write, Operation::Link] {
        for (call, second) in (1..60).flat_map(|call| (1..12).map(move |second| (call, second))) {
            let machine = machine(call);
            machine.put(FILE, b"old\n");
            let (files, _) = open(&machine, Limits { file: 1_000, ..LIMITS }).expect("an empty store");
            let act = move |machine: &Simulated| {
                machine.replace(FILE, &[7; LARGE]);
                let again = |machine: &Simulated| machine.replace(FILE, &[8; LARGE]);
                machine.inject(machine.calls() + second, Fault::Foreign(Box::new(again)));
            };
            machine.inject(machine.calls() + call, Fault::Foreign(Box::new(act)));
            let result = run(&files, operation);
            if machine.is_faulty() {
                let now = machine.get(FILE);
                assert_eq!(now, Some(vec![8; LARGE]), "{operation:?}, call {call}, then {second}: {result:?}");
                // The second one would have removed the first one anyway.
                assert_eq!(
                    machine.names("/etc/conf").len(),
                    1,
                    "{operation:?}, call {call}, then {second}: {result:?}"
                );
            }
        }
    }
}
