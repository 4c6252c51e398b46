//! Every kind that writes, killed before any of its system calls: the next run completes what is described, nothing is lost,
//! and nothing temporary stays.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use test_support::{Rng, for_each_seed_in_parallel};

use crate::support::Scratch;
use crate::traced::{End, run_until};

/// Number of kills of each scenario in a test run. `RUNS_FACTOR` multiplies it.
const KILLS: u64 = 8;

/// A program, and what it finds.
struct Scenario {
    program: &'static str,
    /// The program of the runs before, if there is one: it is applied completely first.
    before: Option<&'static str>,
    options: &'static [&'static str],
    prepare: fn(&Path),
    /// Checks what has to hold right after a kill, besides what holds for all.
    killed: fn(&Scratch),
    /// Checks what has to hold at the end.
    done: fn(&Scratch),
}

impl Scenario {
    const fn new(program: &'static str) -> Scenario {
        Scenario { program, before: None, options: &[], prepare: |_| {}, killed: |_| {}, done: |_| {} }
    }

    /// Makes a scratch directory in its state before the program.
    fn scratch(&self) -> Scratch {
        let scratch = Scratch::new("");
        fs::create_dir(scratch.path("root")).expect("a new directory");
        (self.prepare)(&scratch.path(""));
        if let Some(before) = self.before {
            scratch.write("main.mcl", before);
            let ran = scratch.apply_once(self.options);
            assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        }
        scratch.write("main.mcl", self.program);
        scratch.build();
        scratch
    }

    fn apply(&self, scratch: &Scratch, at: u64) -> End {
        let args = [&["apply", "main.bin", "--once", "--prefix", "state"], self.options].concat();
        run_until(&scratch.command("mgmt-rt", &args), at)
    }

    /// Kills runs of the program, completes it, and compares the result with that of a run that was not killed.
    #[track_caller]
    fn check(&self, kills: u64) {
        let undisturbed = self.scratch();
        let End::Completed { stops } = self.apply(&undisturbed, u64::MAX) else { panic!("nothing was to be killed") };
        let wanted = tree(&undisturbed);
        (self.done)(&undisturbed);
        let old = tree(&self.scratch());
        for_each_seed_in_parallel(kills, |random| self.kill_and_complete(random, stops, &old, &wanted));
    }

    fn kill_and_complete(&self, random: &mut Rng, stops: u64, old: &Tree, wanted: &Tree) {
        let scratch = self.scratch();
        // The run after a kill may be killed, too.
        for _ in 0..1 + random.usize(..3) {
            self.apply(&scratch, random.u64(1..=stops));
            assert_old_or_new(&scratch, old, wanted);
            (self.killed)(&scratch);
        }
        let completed = scratch.apply_once(self.options);
        assert_eq!(completed.status, 0, "{}{}", completed.out, completed.err);
        let found = tree(&scratch);
        assert_eq!(without_temporaries(&found), found, "temporary files are left");
        assert_eq!(&found, wanted);
        (self.done)(&scratch);
        let again = scratch.apply_once(self.options);
        assert!(again.status == 0 && again.out.contains(" 0 changes"), "{}{}", again.out, again.err);
        let in_state = everything_below(&scratch.path("state"));
        let left: Vec<&PathBuf> = in_state.iter().filter(|path| is_temporary(path)).collect();
        assert!(left.is_empty(), "temporary files are left in the state: {left:?}");
    }
}

/// What is below `root/`: mode, owner, group, and content or target.
type Tree = BTreeMap<PathBuf, (u32, u32, u32, Vec<u8>)>;

fn everything_below(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut todo) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = todo.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.expect("readable").path();
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                todo.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

fn tree(scratch: &Scratch) -> Tree {
    let root = scratch.path("root");
    let describe = |path: PathBuf| {
        let found = fs::symlink_metadata(&path).expect("an entry");
        let content = match () {
            () if found.is_dir() => Vec::new(),
            () if found.is_symlink() => fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes(),
            () => fs::read(&path).expect("readable"),
        };
        // The paths of two scratch directories differ.
        let own = scratch.path("").display().to_string();
        let content = String::from_utf8(content).map(|text| text.replace(own.trim_end_matches('/'), "@").into_bytes());
        let mut content = content.unwrap_or_else(|error| error.into_bytes());
        if path.ends_with("password") {
            // It is another one each time.
            content.fill(b'x');
        }
        let name = path.strip_prefix(&root).expect("below the root").to_owned();
        (name, (found.mode(), found.uid(), found.gid(), content))
    };
    everything_below(&root).into_iter().map(describe).collect()
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".mgmt-tmp-"))
}

fn without_temporaries(tree: &Tree) -> Tree {
    let temporary = |path: &PathBuf| path.ancestors().any(is_temporary);
    tree.iter().filter(|(path, _)| !temporary(path)).map(|(path, found)| (path.clone(), found.clone())).collect()
}

/// Everything is as it was or as it is to be. What several resources edit, or commands write, may be in between.
fn assert_old_or_new(scratch: &Scratch, old: &Tree, wanted: &Tree) {
    for (path, found) in without_temporaries(&tree(scratch)) {
        let is_between = path.to_string_lossy().contains("shared");
        let is_known = old.get(&path) == Some(&found) || wanted.get(&path) == Some(&found);
        assert!(
            is_between || is_known,
            "{} is {found:?}: {:?}, {:?}",
            path.display(),
            old.get(&path),
            wanted.get(&path)
        );
    }
}

/// Makes something of each class at each of the paths that the programs manage.
fn prepare(scratch: &Path) {
    let root = scratch.join("root");
    let write = |name: &str, text: &str| {
        let path = scratch.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    for (name, text) in [("in/a", "1\n"), ("in/tree/a", "new a\n"), ("in/tree/sub/b", "new b\n"), ("in/tree/x", "x")] {
        write(name, text);
    }
    for name in
        ["file", "gone", "tree/a", "tree/stray", "tree/sub/stray", "removed/deep/er/f", "purged/kept", "purged/s"]
    {
        write(&format!("root/{name}"), &format!("old {name}\n"));
    }
    write("root/shared-lines", "first\nsecond\n");
    write("root/settings", "# kept\n[s]\na = 1\nold = 1\n");
    write(
        "root/shared-crontab",
        "# kept\n# Puppet Name: changed\n1 2 * * * /bin/x\n# Puppet Name: old\nA=b\n@daily /bin/y\n",
    );
    write("root/document", "{\"a\": {\"b\": 1}}\n");
    write("root/in-the-way", "a file where a directory is to be\n");
    symlink("nowhere", root.join("link")).expect("a link");
    fs::set_permissions(root.join("gone"), fs::Permissions::from_mode(0o640)).expect("an own file");
}

const FILES: &str = r#"
file "@/root/file" { state => "exists", content => "new\n", mode => "0600", }
file "@/root/new" { state => "exists", content => "new\n", }
file "@/root/empty" { state => "exists", }
file "@/root/copy" { state => "exists", source => "@/in/a", }
file "@/root/joined" { state => "exists", fragments => ["@/in/a", "@/in/tree/",], }
file "@/root/gone" { state => "absent", }
file "@/root/link" { state => "exists", source => "elsewhere", symlink => true, }
file "@/root/other-link" { state => "exists", source => "elsewhere", symlink => true, }
"#;

const TREES: &str = r#"
file "@/root/tree/" { state => "exists", recurse => true, purge => true, force => true, source => "@/in/tree/", }
file "@/root/copied/" { state => "exists", recurse => true, source => "@/in/tree/", mode => "0750", }
file "@/root/purged/" { state => "exists", recurse => true, purge => true, }
file "@/root/purged/kept" { state => "exists", content => "kept\n", }
file "@/root/removed/" { state => "absent", recurse => true, force => true, }
file "@/root/in-the-way/" { state => "exists", force => true, }
"#;

#[test]
fn files_and_links() {
    Scenario { prepare, ..Scenario::new(FILES) }.check(KILLS);
}

#[test]
fn trees_and_purges() {
    Scenario { prepare, ..Scenario::new(TREES) }.check(KILLS);
}

#[test]
fn archives() {
    let program = r#"
tar "@/root/archive.tar" { inputs => ["@/in/tree/",], }
gzip "@/root/file" { input => "@/in/a", }
deploy:tar "@/root/deploy.tar" { }
"#;
    // Archives have the times of their inputs.
    let prepare = |scratch: &Path| {
        prepare(scratch);
        for path in everything_below(&scratch.join("in")) {
            let file = fs::File::open(path).expect("readable");
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).expect("an own file");
        }
    };
    Scenario { prepare, ..Scenario::new(program) }.check(KILLS);
}

#[test]
fn edits_of_shared_files() {
    let program = r#"
line "1" { file => "@/root/shared-lines", state => "exists", content => "third", }
line "2" { file => "@/root/shared-lines", state => "absent", content => "first", Depend => Line["1"], }
line "3" { file => "@/root/shared-lines", state => "exists", content => "fourth", Depend => Line["2"], }
line "4" { file => "@/root/shared-new", state => "exists", content => "only", }
json:edit "@/root/document" { edits => [".a.c = 2", "del(.a.b)",], }
ini:setting "a" { path => "@/root/settings", section => "s", value => "2", }
ini:setting "b" { path => "@/root/settings", section => "t", values => ["1", "2",], }
ini:setting "old" { path => "@/root/settings", section => "s", state => "absent", }
ini:setting "new" { path => "@/root/new-settings", value => "1", }
cron:job "changed" { file => "@/root/shared-crontab", minute => "5", }
cron:job "added" { file => "@/root/shared-crontab", command => "/bin/true", environment => ["A=b",], Depend => Cron:Job["changed"], }
cron:job "old" { file => "@/root/shared-crontab", state => "absent", Depend => Cron:Job["added"], }
cron:job "first" { file => "@/root/new-crontab", command => "/bin/true", special => "daily", }
ssh:authorized_key "me" {
	state => "exists",
	file => "@/root/authorized_keys",
	content => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh me",
}
"#;
    let killed = |scratch: &Scratch| {
        let text = scratch.read("root/shared-lines").expect("the file is never missing");
        assert!(text.contains("second\n") && text.ends_with('\n'), "{text:?}");
        assert!(text.lines().all(|line| ["first", "second", "third", "fourth"].contains(&line)), "{text:?}");
    };
    Scenario { prepare, killed, ..Scenario::new(program) }.check(KILLS);
}

#[test]
fn notified_commands() {
    let program = r#"
file "@/root/config" { state => "exists", content => "new\n", Notify => Exec["reload"], }
exec "reload" { cmd => "echo reloaded >> @/ran; cat @/root/config >> @/ran", shell => "/bin/sh", refreshonly => true, }
exec "make" { cmd => "echo made > @/root/shared-made", shell => "/bin/sh", creates => "@/root/shared-made", Notify => Exec["after"], }
exec "after" { cmd => "echo after >> @/ran", shell => "/bin/sh", refreshonly => true, }
"#;
    let done = |scratch: &Scratch| {
        let ran = scratch.read("ran").expect("the commands ran");
        assert!(ran.contains("reloaded\nnew\n") || ran.contains("new\n"), "the notified command saw the file: {ran:?}");
        assert!(ran.contains("after\n"), "{ran:?}");
    };
    Scenario { done, ..Scenario::new(program) }.check(KILLS * 2);
}

#[test]
fn reversals() {
    let before = r#"
file "@/root/file" { state => "exists", content => "managed\n", Meta:reverse => true, }
file "@/root/new" { state => "exists", content => "managed\n", Meta:reverse => true, }
file "@/root/gone" { state => "absent", Meta:reverse => true, }
"#;
    let done = |scratch: &Scratch| {
        assert_eq!(scratch.read("root/file").as_deref(), Some("old file\n"));
        assert_eq!(scratch.read("root/gone").as_deref(), Some("old gone\n"));
        assert!(!scratch.path("root/new").exists());
    };
    // Killed while it manages, and killed while it restores.
    Scenario { prepare, ..Scenario::new(before) }.check(KILLS);
    Scenario { prepare, before: Some(before), done, ..Scenario::new("") }.check(KILLS);
}

#[test]
fn stores_and_passwords() {
    let program = r#"
kv "key" { value => "value", }
kv "other/key" { value => "other", mapped => true, }
value "v" { any => "offered", }
schedule "pool" { persist => true, }
file "@/root/exported" { state => "exists", content => "x", Meta:export => ["*",], }
password "secret" { length => 20, saved => true, }
file "@/root/password" { state => "exists", mode => "0600", }
Password["secret"].password -> File["@/root/password"].content
"#;
    // A password that was used is never replaced by another one.
    let killed = |scratch: &Scratch| {
        if let Some(used) = scratch.read("root/password") {
            let stored = everything_below(&scratch.path("state/engine/state"));
            let stored = stored.iter().find(|path| path.ends_with("password")).expect("a stored password");
            assert_eq!(fs::read_to_string(stored).expect("readable").trim_end(), used);
        }
    };
    let done = |scratch: &Scratch| {
        let store = everything_below(&scratch.path("state/local/world"));
        let values: Vec<String> = store.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
        for value in ["value", "other", "persistent"] {
            assert!(values.iter().any(|found| found == value), "{value}: {values:?}");
        }
        assert_eq!(values.len(), 4, "and the exported file: {values:?}");
    };
    Scenario { killed, done, ..Scenario::new(program) }.check(KILLS);
}

/// Everything that the files and trees replace or remove is in its place or in the backups.
fn assert_backed_up(scratch: &Scratch) {
    let old = Scratch::new("");
    prepare(&old.path(""));
    let root = old.path("root");
    for path in everything_below(&root) {
        let name = path.strip_prefix(&root).expect("below the root");
        let now = scratch.path("root").join(name);
        let look = |path: &Path| fs::read_link(path).map(PathBuf::into_os_string).ok();
        let is_same = |other: &Path| {
            look(&path) == look(other) && (path.is_dir() || fs::read(&path).ok() == fs::read(other).ok())
        };
        if path.is_dir() || is_same(&now) {
            continue;
        }
        let restored = scratch.path("restored");
        let _ = fs::remove_file(&restored);
        let target = restored.display().to_string();
        let mut args = vec!["restore", "--prefix", "state", "--to", &target];
        let now = now.display().to_string();
        args.push(&now);
        let ran = scratch.run("mgmt-rt", &args);
        assert_eq!(ran.status, 0, "{} is not in the backups: {}", name.display(), ran.err);
        assert!(is_same(&restored), "the backup of {} is another one", name.display());
    }
}

#[test]
fn backups_of_files_and_trees() {
    for program in [FILES, TREES] {
        let scenario = Scenario { prepare, options: &["--backup"], killed: assert_backed_up, ..Scenario::new(program) };
        scenario.check(KILLS);
    }
}
