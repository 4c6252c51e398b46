//! Providers on the simulated kernel: crashes between any two system calls, failing calls, a full disk, and other programs.
//!
//! Whatever happens, each path has what it had before or what it is to have, nothing temporary is left, nothing that was
//! to be kept in a backup is lost, and the next attempt brings everything into its declared state.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcl_value::Value;
use resource_graph::Resource;
use rustix::io::Errno;
use safe_fs::simulated::{Fault, MachineFault, Shown, Simulated};
use safe_fs::{Backups, FileSystem, Files, Limits, Object};
use test_support::{RandomChoice, Rng, for_each_case, shorter};

use crate::provider_test::resource;
use crate::{ApplyContext, Cancel, CheckRequest, Context, ManagedPaths, build};

const RUNS: u64 = 4_000;
const STATE: &str = "/state/engine";
const SLOTS: usize = 3;
const CONTENTS: [&str; 3] = ["", "one\n", "one\ntwo\n"];
const LIMITS: Limits = Limits { total: 1 << 20, file: 1 << 16, age: Duration::from_secs(3600) };

/// What the program declares at a path.
#[derive(Clone, Copy, Debug)]
enum Declared {
    Content { content: &'static str, mode: Option<&'static str>, owner: bool },
    Empty,
    Absent,
    Tree { source: bool, purge: bool, child: bool, mode: Option<&'static str> },
    Link,
    Source,
    Fragments,
    Line { absent: bool },
    Setting { absent: bool },
    Job { absent: bool },
    Json,
    Tar,
    Gzip,
}

/// What is at a path before.
#[derive(Clone, Copy, Debug)]
enum Present {
    File(&'static str),
    /// A file on which another one is mounted.
    Mounted(&'static str),
    Link,
    /// A directory with some of the files of the source, strays and directories.
    Tree(u8),
}

#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Machine(MachineFault),
    /// Another program writes, removes, or adds a file where the program declares something.
    Foreign(u8),
}

#[derive(Clone, Debug)]
struct Case {
    machine: u64,
    present: Vec<(usize, Present)>,
    declared: Vec<(usize, Declared)>,
    /// Whether existing things of another class are replaced.
    force: bool,
    with_backups: bool,
    disturbance: Disturbance,
    /// The number of the system call with the fault, counted from the first of the process.
    at: u64,
}

fn case(random: &mut Rng) -> Case {
    let mode = |random: &mut Rng| random.bool().then(|| *random.pick::<&str>(&["0600", "0644", "0755"]));
    let declared = |random: &mut Rng| match random.u8(..15) {
        0 | 1 => {
            Declared::Content { content: random.pick::<&str>(&CONTENTS), mode: mode(random), owner: random.bool() }
        }
        2 => Declared::Empty,
        3 => Declared::Absent,
        4..=6 => {
            let (source, purge, child) = (random.bool(), random.bool(), random.bool());
            Declared::Tree { source, purge, child, mode: mode(random) }
        }
        7 => Declared::Link,
        8 => Declared::Source,
        9 => Declared::Fragments,
        10 => Declared::Line { absent: random.bool() },
        11 => Declared::Json,
        12 => Declared::Setting { absent: random.bool() },
        13 => Declared::Job { absent: random.bool() },
        _ => *random.pick(&[Declared::Tar, Declared::Gzip]),
    };
    let present = |random: &mut Rng| match random.u8(..6) {
        0 | 1 => Present::File(random.pick::<&str>(&[
            "one\n",
            "line\n",
            "{\"a\": 1}\n",
            "# a\na = 2\n",
            "# Puppet Name: /dst/s0\n@daily y\n",
            "no newline",
        ])),
        2 => Present::Mounted("mounted\n"),
        3 => Present::Link,
        _ => Present::Tree(random.u8(..)),
    };
    let disturbance = match random.u8(..8) {
        0 => Disturbance::Machine(MachineFault::Full),
        1 | 2 => Disturbance::Machine(MachineFault::Fail(*random.pick(&[Errno::IO, Errno::NOSPC, Errno::MFILE]))),
        3 => Disturbance::Foreign(random.u8(..)),
        _ => Disturbance::Machine(MachineFault::Crash),
    };
    let slots = |random: &mut Rng| (0..SLOTS).filter(|_| random.bool()).collect::<Vec<_>>();
    Case {
        machine: random.u64(..),
        present: slots(random).into_iter().map(|slot| (slot, present(random))).collect(),
        declared: slots(random).into_iter().map(|slot| (slot, declared(random))).collect(),
        force: !random.one_in(4),
        with_backups: random.bool(),
        disturbance,
        at: random.u64(..),
    }
}

fn smaller(case: &Case) -> Vec<Case> {
    let fewer = shorter(&case.declared).into_iter().map(|declared| Case { declared, ..case.clone() });
    let emptier = shorter(&case.present).into_iter().map(|present| Case { present, ..case.clone() });
    let plainer = case.with_backups.then(|| Case { with_backups: false, ..case.clone() });
    // In another case, the same place is at another call.
    let others = fewer.chain(emptier).chain(plainer);
    others.flat_map(|other| (0..300).map(move |at| Case { at, ..other.clone() })).collect()
}

impl Case {
    fn machine(&self) -> Arc<Simulated> {
        let machine = Simulated::new(self.machine);
        machine.make_directory(STATE);
        machine.make_directory("/dst");
        for (path, content) in [("/src/a", "from the source\n"), ("/src/b", "b"), ("/src/sub/c", "c"), ("/frag", "1\n")]
        {
            machine.put(path, content.as_bytes());
        }
        for (slot, present) in &self.present {
            let path = format!("/dst/s{slot}");
            match present {
                Present::File(content) => machine.put(&path, content.as_bytes()),
                Present::Mounted(content) => {
                    machine.put(&path, content.as_bytes());
                    machine.mount_on(&path);
                }
                Present::Link => {
                    machine.put(&format!("/outside/{slot}"), b"through a link\n");
                    machine.put_link(&path, &format!("/outside/{slot}"));
                }
                Present::Tree(bits) => {
                    machine.make_directory(&path);
                    let entries = ["a", "b", "sub/c", "sub/stray", "stray", "more/deep/stray", "child", "a/below"];
                    for (i, entry) in entries.iter().enumerate() {
                        let is_chosen = bits & (1 << i) != 0 && !(i == 7 && bits & 1 != 0);
                        if is_chosen {
                            machine.put(&format!("{path}/{entry}"), format!("old {entry}\n").as_bytes());
                        }
                    }
                }
            }
        }
        machine.sync_all();
        Arc::new(machine)
    }

    fn resources(&self) -> Vec<Resource> {
        self.declared
            .iter()
            .flat_map(|(slot, declared)| self.resources_at(&format!("/dst/s{slot}"), *declared))
            .collect()
    }

    fn resources_at(&self, path: &str, declared: Declared) -> Vec<Resource> {
        let exists = |path: &str| resource("file", path).with("state", "exists").with("force", self.force);
        let with_mode = |resource: Resource, mode: Option<&str>| match mode {
            Some(mode) => resource.with("mode", mode),
            None => resource,
        };
        vec![match declared {
            Declared::Content { content, mode, owner } => {
                let file = with_mode(exists(path).with("content", content), mode);
                if owner { file.with("owner", "1234") } else { file }
            }
            Declared::Empty => exists(path),
            Declared::Absent => resource("file", path).with("state", "absent").with("recurse", true),
            Declared::Link => exists(path).with("source", "/outside/target").with("symlink", true),
            Declared::Source => exists(path).with("source", "/src/a"),
            Declared::Fragments => exists(path).with("fragments", Value::list(["/frag", "/src/"])),
            Declared::Line { absent } => {
                let state = if absent { "absent" } else { "exists" };
                resource("line", path).with("file", path).with("state", state).with("content", "line")
            }
            Declared::Setting { absent } => {
                let setting = resource("ini:setting", path).with("path", path).with("setting", "a");
                if absent { setting.with("state", "absent") } else { setting.with("value", "1") }
            }
            Declared::Job { absent } => {
                let job = resource("cron:job", path).with("file", path).with("command", "x");
                if absent { job.with("state", "absent") } else { job }
            }
            Declared::Json => resource("json:edit", path).with("edits", Value::list([".x = [1]"])),
            Declared::Tar => resource("tar", path).with("inputs", Value::list(["/src/"])),
            Declared::Gzip => resource("gzip", path).with("input", "/src/a"),
            Declared::Tree { source, purge, child, mode } => {
                let mut tree = exists(&format!("{path}/")).with("recurse", true).with("purge", purge);
                if source {
                    tree = tree.with("source", "/src/");
                }
                let mut both = vec![with_mode(tree, mode)];
                if child {
                    both.push(exists(&format!("{path}/child")).with("content", "managed\n"));
                }
                return both;
            }
        }]
    }
}

/// The agent's part: applies the resources in their order, whether or not others fail.
struct Process {
    files: Arc<Files>,
    backups: Option<Arc<Backups>>,
}

impl Process {
    fn start(machine: &Arc<Simulated>, with_backups: bool) -> Result<Process, safe_fs::Error> {
        let fs: Arc<dyn FileSystem> = Arc::clone(machine) as Arc<dyn FileSystem>;
        let files = Files::with_state(Arc::clone(&fs), "0123456789abcdef", Path::new(STATE))?;
        let backups = with_backups.then(|| Backups::open(fs, Path::new(STATE), LIMITS));
        Ok(Process { files: Arc::new(files), backups: backups.transpose()?.map(Arc::new) })
    }

    /// Returns the number of announced changes of each resource; `None` for one that failed.
    fn apply(&self, resources: &[Resource]) -> Vec<Option<usize>> {
        let context = ApplyContext {
            files: Some(Arc::clone(&self.files)),
            backups: self.backups.clone(),
            managed: Arc::new(ManagedPaths::of(resources.iter())),
            ..ApplyContext::default()
        };
        let apply = |resource: &Resource| {
            let cancel = Cancel::new();
            let files = context.backed_up_files(&resource.id);
            let request = CheckRequest::new(&resource.id, &context, &cancel, true);
            let mut cx = Context::new(CheckRequest { files: files.as_ref(), ..request });
            let mut provider = build(std::slice::from_ref(resource)).expect("valid parameters");
            provider.check_apply(&mut cx).ok().map(|()| cx.changes().len())
        };
        let results = resources.iter().map(apply).collect();
        // The agent syncs what a check changed.
        for directory in context.syncs.take() {
            self.files.sync_directory(&directory);
        }
        results
    }
}

type Tree = BTreeMap<String, Shown>;

fn tree(machine: &Simulated) -> Tree {
    ["/dst", "/src", "/outside"].iter().flat_map(|root| machine.tree(root)).collect()
}

/// Leaves temporary files out if the removal of one may be what failed.
fn without_temporaries(mut tree: Tree, case: &Case) -> Tree {
    if let Disturbance::Machine(MachineFault::Fail(_)) = case.disturbance {
        tree.retain(|path, _| !path.contains(".mgmt-tmp-"));
    }
    tree
}

/// Returns whether the backups have this content of a path.
fn has_backup(machine: &Arc<Simulated>, path: &str, content: &[u8]) -> bool {
    let records = Backups::records(&**machine, Path::new(STATE)).expect("a readable index");
    let mut parts = records.iter().filter_map(|record| record.part(Path::new(path)));
    parts.any(|part| match &part.entries[0].object {
        Object::File { sha256, .. } => {
            machine.get(&format!("{STATE}/backups/contents/{sha256}")).as_deref() == Some(content)
        }
        Object::Link { target } => target.0.as_os_str().as_encoded_bytes() == content,
        Object::Directory | Object::Special => false,
    })
}

fn assert_old_or_new(machine: &Arc<Simulated>, case: &Case, old: &Tree, wanted: &Tree) {
    let now = without_temporaries(tree(machine), case);
    for (path, found) in &now {
        let known = || [old, wanted].into_iter().filter_map(|tree| tree.get(path));
        // Of a file with the right content, owner and mode change one after the other.
        let is_known = known().any(|known| known.content == found.content)
            && known().any(|known| known.mode == found.mode)
            && known().any(|known| known.uid == found.uid);
        assert!(is_known, "{path} is {found:?}, neither {:?} nor {:?}", old.get(path), wanted.get(path));
    }
    for (path, before) in old {
        assert!(!wanted.contains_key(path) || now.contains_key(path), "{path} is gone");
        if case.with_backups && !path.ends_with('/') && now.get(path).is_none_or(|now| now.content != before.content) {
            assert!(has_backup(machine, path, &before.content), "{path} was not backed up");
        }
    }
}

fn assert_no_temporaries(machine: &Simulated) {
    let left = machine.tree("").into_keys().filter(|path| path.contains(".mgmt-tmp-"));
    assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
}

/// Does what another program might do to one of the declared paths.
fn interfere(machine: &Simulated, resources: &[Resource], number: u8) {
    let Some(resource) = resources.get(usize::from(number >> 4) % resources.len().max(1)) else { return };
    let path = resource.id.name.trim_end_matches('/');
    let is_tree = machine.tree("/dst").contains_key(&format!("{path}/"));
    match (is_tree, number & 1) {
        (true, _) => machine.put(&format!("{path}/a/stray"), b"foreign\n"),
        (false, 0) => machine.replace(path, b"foreign\n"),
        (false, _) => machine.remove(path),
    }
}

fn check(case: &Case) {
    let resources = case.resources();
    let undisturbed = case.machine();
    let old = tree(&undisturbed);
    let first = undisturbed.calls();
    let process = Process::start(&undisturbed, case.with_backups).expect("an empty state");
    let results = process.apply(&resources);
    let calls = undisturbed.calls() - first;
    let wanted = tree(&undisturbed);
    let settled: Vec<Option<usize>> = results.iter().map(|result| result.map(|_| 0)).collect();
    assert_eq!(process.apply(&resources), settled, "a second check finds nothing to change");
    assert_no_temporaries(&undisturbed);

    let machine = case.machine();
    let others = resources.clone();
    let fault = match case.disturbance {
        Disturbance::Machine(fault) => fault.into(),
        Disturbance::Foreign(number) => Fault::Foreign(Box::new(move |machine| interfere(machine, &others, number))),
    };
    machine.inject(first + 1 + case.at % calls, fault);
    let mut process = Process::start(&machine, case.with_backups);
    if let Ok(process) = &process {
        process.apply(&resources);
    }
    match case.disturbance {
        Disturbance::Machine(MachineFault::Crash) => {
            machine.restart();
            process = Process::start(&machine, case.with_backups);
            assert_no_temporaries(&machine);
        }
        Disturbance::Machine(fault) => machine.end(fault),
        Disturbance::Foreign(_) => machine.withdraw_fault(),
    }
    let process = process.or_else(|_| Process::start(&machine, case.with_backups)).expect("a readable state");
    let is_foreign = matches!(case.disturbance, Disturbance::Foreign(_));
    if !is_foreign {
        assert_old_or_new(&machine, case, &old, &wanted);
    }
    let completed = process.apply(&resources);
    if is_foreign {
        // What another program did may be in the way, or may stay.
        let settled: Vec<Option<usize>> = completed.iter().map(|result| result.map(|_| 0)).collect();
        assert_eq!(process.apply(&resources), settled, "nothing is left to change");
    } else {
        let failed = |results: &[Option<usize>]| results.iter().map(Option::is_none).collect::<Vec<_>>();
        assert_eq!(failed(&completed), failed(&results), "the same resources fail");
        assert_eq!(without_temporaries(tree(&machine), case), wanted);
        assert_old_or_new(&machine, case, &old, &wanted);
    }
    // What could not be removed because of the fault is removed by the next process.
    drop(process);
    Process::start(&machine, case.with_backups).expect("a readable state");
    assert_no_temporaries(&machine);
}

#[test]
fn files_are_old_or_new_and_then_as_declared() {
    for_each_case(RUNS, case, smaller, check);
}
