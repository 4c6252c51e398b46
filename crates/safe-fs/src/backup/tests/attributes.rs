//! Owners, modes, labels and classes of objects, in the store and restored.

use super::*;

fn label(machine: &Simulated, files: &Files, path: &str) -> Option<Vec<u8>> {
    let found = files.find(Path::new(path), LastLink::Keep).expect("a path").expect("an object");
    machine.label(&found.handle).expect("it exists")
}

fn owners(files: &Files, path: &str) -> (u32, u32, u32) {
    let stat = files.find(Path::new(path), LastLink::Keep).expect("a path").expect("an object").stat;
    (stat.uid, stat.gid, stat.mode)
}

fn give(machine: &Simulated, files: &Files, path: &str, (uid, gid, mode): (u32, u32, u32), label: &[u8]) {
    let handle = files.find(Path::new(path), LastLink::Keep).expect("a path").expect("an object").handle;
    machine.set_owner(&handle, Some(uid), Some(gid)).expect("it exists");
    machine.set_mode(&handle, mode).expect("it exists");
    machine.set_label(&handle, Some(label)).expect("it exists");
}

fn last_record(machine: &Simulated) -> Record {
    Backups::records(machine, Path::new(STATE)).expect("a readable index").pop().expect("a record")
}

#[test]
fn owners_modes_and_labels_are_kept_and_restored() {
    let machine = machine(1);
    machine.put(FILE, b"old\n");
    machine.put("/etc/conf/sub/below", b"below");
    machine.put_link("/etc/conf/link", "file");
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    let given = [
        ("/etc/conf", (1, 2, 0o2750), &b"label of the directory"[..]),
        (FILE, (3, 4, 0o4711), b"label of the file"),
        ("/etc/conf/sub", (5, 6, 0o500), b"label below"),
        ("/etc/conf/sub/below", (7, 8, 0o400), b"label of the last one"),
    ];
    for (path, attributes, label) in given {
        give(&machine, &files, path, attributes, label);
    }
    give(&machine, &files, "/etc/conf/link", (9, 10, 0o777), b"label of the link");
    run(&files, Operation::RemoveTree).expect("nothing fails");
    let record = last_record(&machine);
    let shown: Vec<(u32, u32, u32, Option<Vec<u8>>)> =
        record.entries.iter().map(|entry| (entry.uid, entry.gid, entry.mode, entry.label.clone())).collect();
    for (_, (uid, gid, mode), label) in given {
        assert!(shown.contains(&(uid, gid, mode, Some(label.to_vec()))), "{shown:?}");
    }
    files.restore(&backups, &record, Path::new("/etc/conf")).expect("nothing fails");
    for (path, attributes, expected) in given {
        assert_eq!(owners(&files, path), attributes, "{path}");
        assert_eq!(label(&machine, &files, path).as_deref(), Some(expected), "{path}");
    }
    let (uid, gid, _) = owners(&files, "/etc/conf/link");
    assert_eq!((uid, gid), (9, 10));
    assert_eq!(label(&machine, &files, "/etc/conf/link").as_deref(), Some(&b"label of the link"[..]));
}

const GIVEN: [(&str, (u32, u32, u32)); 3] =
    [("/etc/conf", (1, 2, 0o2750)), (FILE, (3, 4, 0o4711)), ("/etc/conf/sub", (5, 6, 0o500))];

/// Removes a tree with owners and modes. Returns its record.
fn removed_tree(machine: &Arc<Simulated>, files: &Files) -> Record {
    machine.put(FILE, b"old\n");
    machine.put("/etc/conf/sub/below", b"below");
    machine.put_link("/etc/conf/link", "file");
    for (path, attributes) in GIVEN {
        give(machine, files, path, attributes, b"label");
    }
    run(files, Operation::RemoveTree).expect("nothing fails");
    last_record(machine)
}

#[test]
fn a_user_restores_modes_without_owners_and_the_rights_of_others() {
    let machine = machine(1);
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    let record = removed_tree(&machine, &files);
    machine.run_as(1000);
    files.restore(&backups, &record, Path::new("/etc/conf")).expect("owners are left out");
    for (path, (_, _, mode)) in GIVEN {
        let (_, _, restored) = owners(&files, path);
        assert_eq!(restored, mode & 0o777, "{path}");
    }
    assert_eq!(machine.get(FILE).as_deref(), Some(&b"old\n"[..]));
}

#[test]
fn root_restores_all_attributes_or_fails_and_nothing_is_open_to_others_meanwhile() {
    for error in [Errno::PERM, Errno::IO] {
        for call in 1..MAX_CALLS {
            let machine = machine(call);
            let (files, backups) = open(&machine, LIMITS).expect("an empty store");
            let record = removed_tree(&machine, &files);
            machine.inject(machine.calls() + call, Fault::Fail(error));
            let result = files.restore(&backups, &record, Path::new("/etc/conf"));
            let was_faulty = machine.is_faulty();
            machine.withdraw_fault();
            let find = |path: &str| files.find(Path::new(path), LastLink::Keep).ok().flatten().map(|found| found.stat);
            for (path, (uid, gid, mode)) in GIVEN {
                let Some(stat) = find(path) else { continue };
                assert_eq!(stat.mode & 0o077 & !mode, 0, "{path} is open in call {call}");
                let is_restored = (stat.uid, stat.gid, stat.mode) == (uid, gid, mode);
                assert!(is_restored || result.is_err(), "{path} has {stat:?} after {error} of call {call}");
            }
            if !was_faulty {
                break;
            }
        }
    }
}

#[test]
fn replaced_file_is_kept_with_its_attributes() {
    let machine = machine(1);
    machine.put(FILE, b"old\n");
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    give(&machine, &files, FILE, (3, 4, 0o4711), b"label");
    files.write(Path::new(FILE), b"new\n", 0o600).expect("nothing fails");
    let record = last_record(&machine);
    assert_eq!((record.action, &*record.resource), (Action::Replaced, "file[/etc/conf/file]"));
    files.restore(&backups, &record, Path::new(FILE)).expect("nothing fails");
    assert_eq!((owners(&files, FILE), label(&machine, &files, FILE)), ((3, 4, 0o4711), Some(b"label".to_vec())));
    machine.put("/etc/conf/other", b"1");
    files.lock(Path::new(FILE), LastLink::Keep).expect("a target").remove_file().expect("nothing fails");
    assert_eq!(last_record(&machine).action, Action::Removed);
}

#[test]
fn object_of_another_class_is_replaced_and_kept() {
    let machine = machine(1);
    machine.put(FILE, b"old\n");
    machine.put("/etc/conf/directory/inside", b"inside");
    machine.put_link("/etc/conf/link", "file");
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    run(&files, Operation::RemoveTree).expect("nothing fails");
    let record = last_record(&machine);
    // Each has the class of another one now.
    machine.put(&format!("{FILE}/now"), b"1");
    machine.put("/etc/conf/directory", b"2");
    machine.put("/etc/conf/link/now", b"3");
    files.restore(&backups, &record, Path::new("/etc/conf")).expect("nothing fails");
    assert_eq!(machine.get(FILE).as_deref(), Some(&b"old\n"[..]));
    assert_eq!(machine.get("/etc/conf/directory/inside").as_deref(), Some(&b"inside"[..]));
    for (path, content) in [("/etc/conf/file/now", b"1"), ("/etc/conf/directory", b"2"), ("/etc/conf/link/now", b"3")] {
        assert_eq!(stored(&machine, path), [content.to_vec()], "{path}");
    }
}

#[test]
fn content_of_a_mount_point_is_kept_and_restored_in_place() {
    let machine = machine(1);
    machine.put(FILE, b"old\n");
    machine.mount_on(FILE);
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    for operation in [Operation::Write, Operation::Edit] {
        run(&files, operation).expect("nothing fails");
    }
    assert_eq!(stored(&machine, FILE), [b"old\n".to_vec(), b"new\n".to_vec()]);
    let records = Backups::records(&*machine, Path::new(STATE)).expect("a readable index");
    files.restore(&backups, &records[0], Path::new(FILE)).expect("nothing fails");
    assert_eq!(machine.get(FILE).as_deref(), Some(&b"old\n"[..]));
    assert_eq!(stored(&machine, FILE).last(), Some(&b"new\nnew\n".to_vec()));
}

#[test]
fn what_is_overwritten_in_place_is_kept() {
    let machine = machine(1);
    machine.put(FILE, b"old\n");
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    let target = files.lock(Path::new(FILE), LastLink::Keep).expect("a target");
    target.write_in_place(b"new\n").expect("nothing fails");
    assert_eq!(stored(&machine, FILE), [b"old\n".to_vec()]);
}

#[test]
fn empty_directory_is_kept() {
    let machine = machine(1);
    let (files, backups) = open(&machine, LIMITS).expect("an empty store");
    give(&machine, &files, "/etc/conf", (1, 2, 0o710), b"label");
    machine.put("/etc/full/file", b"1");
    let remove = |path: &str| files.lock(Path::new(path), LastLink::Keep).and_then(|target| target.remove_directory());
    assert!(remove("/etc/full").is_err());
    assert_eq!(Backups::records(&*machine, Path::new(STATE)).expect("a readable index"), []);
    remove("/etc/conf").expect("it is empty");
    files.restore(&backups, &last_record(&machine), Path::new("/etc/conf")).expect("nothing fails");
    assert_eq!(owners(&files, "/etc/conf"), (1, 2, 0o710));
}

#[test]
fn nobody_else_can_read_the_store() {
    let machine = machine(1);
    machine.put(FILE, b"secret");
    let (files, _) = open(&machine, LIMITS).expect("an empty store");
    files.write(Path::new(FILE), b"new", 0o600).expect("nothing fails");
    // The index is replaced when old records are removed.
    for round in 0..3 {
        for (path, shown) in machine.tree("/state") {
            let is_of_backups = path.contains("backups");
            let expected = if path.ends_with('/') { 0o700 } else { 0o600 };
            assert!(!is_of_backups || shown.mode == expected, "{path} has mode {:o} in round {round}", shown.mode);
        }
        machine.set_clock(machine.now() + Duration::from_secs(3700));
        open(&machine, LIMITS).expect("a readable store");
    }
}
