//! What users with a directory of their own can try. The tests run as root; each file is checked as the agent would.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use mcl_value::Value;
use resource_graph::Resource;

use crate::Failure;
use crate::provider_test::{Outcome, ProviderTest, resource};

/// A user who owns a directory, and a file of root that nobody else may read.
struct Attack {
    scratch: tempfile::TempDir,
}

/// The account `nobody`.
const USER: u32 = 65534;
const SECRET: &str = "secret\n";

impl Attack {
    /// Returns `None` where the test cannot run.
    fn new() -> Option<Attack> {
        if !rustix::process::geteuid().is_root() {
            test_support::skip("needs root");
            return None;
        }
        let scratch = tempfile::tempdir().unwrap();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let attack = Attack { scratch };
        fs::create_dir_all(attack.path("root")).unwrap();
        fs::write(attack.path("root/secret"), SECRET).unwrap();
        fs::set_permissions(attack.path("root/secret"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::create_dir(attack.path("home")).unwrap();
        chown(attack.path("home"), Some(USER), Some(USER)).unwrap();
        Some(attack)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Creates a link as the user.
    fn link(&self, target: &str, name: &str) {
        symlink(target, self.path(name)).unwrap();
        std::os::unix::fs::lchown(self.path(name), Some(USER), Some(USER)).unwrap();
    }

    fn file(&self, name: &str) -> Resource {
        resource("file", &self.text(name))
    }

    fn apply(&self, resource: &Resource) -> Result<Outcome, Failure> {
        ProviderTest::new(resource).run(true)
    }

    #[track_caller]
    fn assert_refused(&self, resource: &Resource) {
        let error = self.apply(resource).unwrap_err();
        assert!(matches!(error, Failure::Refused(_)), "{error}");
        self.assert_secret_is_safe();
    }

    #[track_caller]
    fn assert_secret_is_safe(&self) {
        let found = fs::metadata(self.path("root/secret")).unwrap();
        assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (0, 0, 0o600));
        assert_eq!(fs::read_to_string(self.path("root/secret")).unwrap(), SECRET);
        assert_eq!(fs::read_dir(self.path("root")).unwrap().count(), 1, "nothing is created beside it");
    }
}

#[test]
fn a_link_of_a_user_is_replaced_by_the_content() {
    let Some(attack) = Attack::new() else { return };
    for target in ["../root/secret", &*attack.text("root/secret"), "nowhere", "../root"] {
        attack.link(target, "home/rc");
        let file = attack.file("home/rc").with("content", "x\n").with("state", "exists").with("owner", "65534");
        let outcome = attack.apply(&file.clone().with("mode", "0644")).unwrap();
        assert_eq!(outcome.changes, ["replace the symbolic link by a file (2 bytes)"]);
        attack.assert_secret_is_safe();
        let found = fs::symlink_metadata(attack.path("home/rc")).unwrap();
        assert!(found.is_file());
        assert_eq!((found.uid(), found.mode() & 0o7777), (USER, 0o644));
        assert_eq!(attack.apply(&file).unwrap().changes, [""; 0]);
        fs::remove_file(attack.path("home/rc")).unwrap();
    }
}

#[test]
fn a_hard_link_of_a_user_is_replaced_by_the_content() {
    let Some(attack) = Attack::new() else { return };
    fs::hard_link(attack.path("root/secret"), attack.path("home/rc")).unwrap();
    let file = attack.file("home/rc").with("content", "x\n").with("owner", "65534");
    assert_eq!(attack.apply(&file).unwrap().changes, ["replace the hard link by a file (2 bytes)"]);
    attack.assert_secret_is_safe();
    assert_eq!(fs::metadata(attack.path("home/rc")).unwrap().uid(), USER);
}

#[test]
fn attributes_are_not_changed_through_links() {
    let Some(attack) = Attack::new() else { return };
    attack.link("../root/secret", "home/soft");
    attack.link("../root", "home/dir");
    fs::hard_link(attack.path("root/secret"), attack.path("home/hard")).unwrap();
    for name in ["home/soft", "home/hard", "home/dir/secret"] {
        attack.assert_refused(&attack.file(name).with("owner", "65534"));
        attack.assert_refused(&attack.file(name).with("group", "65534"));
        attack.assert_refused(&attack.file(name).with("mode", "0666"));
    }
    attack.assert_refused(&attack.file("home/dir/").with("state", "exists").with("owner", "65534"));
    attack.assert_refused(&attack.file("home/dir/").with("mode", "0777"));
}

#[test]
fn directories_are_not_entered_through_links() {
    let Some(attack) = Attack::new() else { return };
    attack.link("../root", "home/dir");
    attack.assert_refused(&attack.file("home/dir/secret").with("content", "x"));
    attack.assert_refused(&attack.file("home/dir/new").with("content", "x").with("state", "exists"));
    attack.assert_refused(&attack.file("home/dir/secret").with("state", "absent"));
    let purge = attack.file("home/dir/").with("recurse", true).with("purge", true);
    attack.assert_refused(&purge);
    attack.assert_refused(&purge.with("state", "exists"));
    fs::create_dir_all(attack.path("source/dir")).unwrap();
    fs::write(attack.path("source/dir/new"), "x").unwrap();
    let copy = attack.file("home/").with("source", attack.text("source/")).with("recurse", true);
    attack.assert_refused(&copy);
    attack.apply(&copy.with("force", true)).unwrap();
    attack.assert_secret_is_safe();
    assert!(fs::symlink_metadata(attack.path("home/dir")).unwrap().is_dir());
}

#[test]
fn removing_a_link_spares_its_target() {
    let Some(attack) = Attack::new() else { return };
    fs::create_dir(attack.path("home/d")).unwrap();
    attack.link("../../root", "home/d/dir");
    attack.link("../root/secret", "home/rc");
    attack.apply(&attack.file("home/rc").with("state", "absent")).unwrap();
    attack.apply(&attack.file("home/d/").with("state", "absent").with("recurse", true)).unwrap();
    attack.assert_secret_is_safe();
    assert_eq!(fs::read_dir(attack.path("home")).unwrap().count(), 0);
}

#[test]
fn edits_do_not_follow_links_to_files_of_others() {
    let Some(attack) = Attack::new() else { return };
    attack.link("../root/secret", "home/soft");
    attack.link("../root", "home/dir");
    attack.link("soft", "home/twice");
    fs::hard_link(attack.path("root/secret"), attack.path("home/hard")).unwrap();
    for name in ["home/soft", "home/hard", "home/twice", "home/dir/secret", "home/dir/new"] {
        let file = attack.text(name);
        attack.assert_refused(&resource("line", "l").with("file", &*file).with("content", "x").with("state", "exists"));
        attack.assert_refused(
            &resource("line", "l").with("file", &*file).with("content", "secret").with("state", "absent"),
        );
        let setting = resource("ini:setting", "a").with("path", &*file).with("value", "x");
        attack.assert_refused(&setting);
        attack.assert_refused(&resource("cron:job", "j").with("file", &*file).with("command", "x"));
        if name != "home/dir/new" {
            attack.assert_refused(&resource("json:edit", &file).with("edits", Value::list([".a = 1"])));
        }
    }
    attack.link("../root", "home/.ssh");
    let key = resource(
        "ssh:authorized_key",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh",
    )
    .with("state", "exists")
    .with("user", "nobody")
    .with("file", attack.text("home/.ssh/authorized_keys"));
    attack.assert_refused(&key);
}

#[test]
fn a_user_may_link_to_files_of_his_own() {
    let Some(attack) = Attack::new() else { return };
    fs::create_dir(attack.path("home/dotfiles")).unwrap();
    chown(attack.path("home/dotfiles"), Some(USER), Some(USER)).unwrap();
    fs::write(attack.path("home/dotfiles/rc"), "").unwrap();
    chown(attack.path("home/dotfiles/rc"), Some(USER), Some(USER)).unwrap();
    attack.link(&attack.text("home/dotfiles/rc"), "home/rc");
    let line = resource("line", "l").with("file", attack.text("home/rc")).with("content", "x").with("state", "exists");
    ProviderTest::new(&line).assert_converges();
    assert_eq!(fs::read_to_string(attack.path("home/dotfiles/rc")).unwrap(), "x\n");
    assert!(fs::symlink_metadata(attack.path("home/rc")).unwrap().is_symlink());
}

#[test]
fn secrets_are_not_copied_through_links() {
    let Some(attack) = Attack::new() else { return };
    fs::create_dir(attack.path("home/tree")).unwrap();
    chown(attack.path("home/tree"), Some(USER), Some(USER)).unwrap();
    attack.link("../../root/secret", "home/tree/leak");
    let out = attack.text("out");
    let copy = |name: &str| resource("file", name).with("state", "exists");
    attack.assert_refused(&copy(&out).with("source", attack.text("home/tree/leak")));
    attack.assert_refused(&copy(&out).with("fragments", Value::list([&*attack.text("home/tree/")])));
    attack.assert_refused(&copy(&out).with("fragments", Value::list([&*attack.text("home/tree/leak")])));
    attack.assert_refused(&copy(&format!("{out}dir/")).with("source", attack.text("home/tree/")).with("recurse", true));
    let archive = |kind: &str| resource(kind, &out);
    attack.assert_refused(&archive("gzip").with("input", attack.text("home/tree/leak")));
    attack.assert_refused(&archive("tar").with("inputs", Value::list([&*attack.text("home/tree/leak")])));
    assert!(!Path::new(&out).exists());
    fs::remove_file(attack.path("home/tree/leak")).unwrap();
    fs::hard_link(attack.path("root/secret"), attack.path("home/tree/leak")).unwrap();
    attack.assert_refused(&copy(&out).with("source", attack.text("home/tree/leak")));
    attack.assert_refused(&archive("gzip").with("input", attack.text("home/tree/leak")));
}

#[test]
fn what_is_made_of_a_private_file_is_private() {
    let Some(attack) = Attack::new() else { return };
    let mode = |name: &str| fs::metadata(attack.path(name)).unwrap().mode() & 0o7777;
    let secret = attack.text("root/secret");
    let out = |name: &str| attack.text(name);
    attack.apply(&resource("gzip", &out("a.gz")).with("input", &*secret)).unwrap();
    attack.apply(&resource("tar", &out("a.tar")).with("inputs", Value::list([&*secret]))).unwrap();
    let joined = attack.file("joined").with("state", "exists").with("fragments", Value::list([&*secret]));
    attack.apply(&joined).unwrap();
    assert_eq!((mode("a.gz"), mode("a.tar"), mode("joined")), (0o600, 0o600, 0o600));
    attack.apply(&joined.with("mode", "0644")).unwrap();
    assert_eq!(mode("joined"), 0o644);
}

#[test]
fn a_new_file_with_sensitive_content_is_private_unless_its_mode_is_set() {
    let scratch = tempfile::tempdir().unwrap();
    let (new, old, open) = (scratch.path().join("new"), scratch.path().join("old"), scratch.path().join("open"));
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    fs::write(&old, "old").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
    let secret = |path: &Path| {
        let mut file = resource("file", path.to_str().unwrap()).with("state", "exists").with("content", "secret");
        file.sensitive.push("content".into());
        file
    };
    for file in [secret(&new), secret(&old), secret(&open).with("mode", "0644")] {
        ProviderTest::new(&file).assert_converges();
    }
    assert_eq!(
        (mode(&new), mode(&old), mode(&open)),
        (0o600, 0o640, 0o644),
        "an administrator may have opened the old one"
    );
}

#[test]
fn a_setuid_program_of_a_user_does_not_become_one_of_root() {
    let Some(attack) = Attack::new() else { return };
    let path = attack.path("home/program");
    for (owner, kept) in [(Some("root"), 0o755), (None, 0o6755)] {
        fs::write(&path, "old").unwrap();
        chown(&path, Some(USER), Some(USER)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
        let file = attack.file("home/program").with("content", "new");
        let file = owner.map_or(file.clone(), |owner| file.with("owner", owner));
        ProviderTest::new(&file).assert_converges();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, kept, "{owner:?}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn commands_do_not_run_where_a_link_of_a_user_leads() {
    let Some(attack) = Attack::new() else { return };
    attack.link("../root", "home/cwd");
    fs::create_dir(attack.path("home/own")).unwrap();
    chown(attack.path("home/own"), Some(USER), Some(USER)).unwrap();
    attack.link("own", "home/to-own");
    let command = |cwd: &str| resource("exec", "e").with("cmd", "/bin/touch made").with("cwd", attack.text(cwd));
    attack.assert_refused(&command("home/cwd"));
    for cwd in ["home/own", "home/to-own"] {
        attack.apply(&command(cwd)).unwrap();
        fs::remove_file(attack.path("home/own/made")).unwrap();
    }
    let error = attack.apply(&command("home/no")).unwrap_err().to_string();
    assert!(error.starts_with("cannot use the working directory"), "{error}");
}

/// A file of any size takes no time to make, and no space.
#[test]
fn huge_files_are_refused_at_once() {
    let Some(attack) = Attack::new() else { return };
    let huge = attack.text("home/huge");
    fs::File::create(&huge).unwrap().set_len(1 << 42).unwrap();
    chown(&huge, Some(USER), Some(USER)).unwrap();
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh";
    let refused = [
        resource("line", "l").with("file", &*huge).with("content", "x").with("state", "exists"),
        resource("line", "l").with("file", &*huge).with("match", "x").with("content", "y").with("state", "exists"),
        resource("json:edit", &huge).with("edits", Value::list([".a = 1"])),
        resource("ini:setting", "a").with("path", &*huge).with("value", "x"),
        resource("cron:job", "j").with("file", &*huge).with("command", "x"),
        resource("ssh:authorized_key", key).with("state", "exists").with("user", "nobody").with("file", &*huge),
        attack.file("joined").with("state", "exists").with("fragments", Value::list([&*huge])),
    ];
    for resource in refused {
        let error = attack.apply(&resource).unwrap_err().to_string();
        assert!(error.contains("larger than 256 MiB"), "{}: {error}", resource.id);
    }
    // Content replaces it, whatever it is.
    let mut replaced = ProviderTest::new(&attack.file("home/huge").with("content", "x\n"));
    replaced.assert_converges();
    assert!(!attack.path("joined").exists());
}

#[test]
fn a_file_of_many_lines_takes_no_more_memory_than_its_size() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("f");
    fs::write(&file, vec![b'\n'; 5_000_000]).unwrap();
    let path = file.to_str().unwrap();
    for resource in [
        resource("ini:setting", "a").with("path", path).with("value", "x"),
        resource("cron:job", "j").with("file", path).with("command", "x"),
    ] {
        let error = ProviderTest::new(&resource).run(true).unwrap_err().to_string();
        assert!(error.contains("more than 4000000 lines"), "{error}");
    }
    let line = resource("line", "l").with("file", path).with("content", "x").with("state", "exists");
    ProviderTest::new(&line).assert_converges();
}

#[test]
fn fifos_and_devices_are_refused_at_once() {
    let Some(attack) = Attack::new() else { return };
    let fifo = attack.text("home/q");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let refused = [
        resource("line", "l").with("file", &*fifo).with("content", "x").with("state", "exists"),
        resource("json:edit", &fifo).with("edits", Value::list([".a = 1"])),
        resource("ini:setting", "a").with("path", &*fifo).with("value", "x"),
        resource("cron:job", "j").with("file", &*fifo).with("command", "x"),
        resource("file", &fifo).with("content", "x"),
        attack.file("out").with("state", "exists").with("source", &*fifo),
        attack.file("out").with("state", "exists").with("fragments", Value::list([&*fifo])),
        resource("gzip", &attack.text("out.gz")).with("input", &*fifo),
        resource("gzip", &fifo).with("content", "x"),
    ];
    for resource in refused {
        let error = attack.apply(&resource).unwrap_err().to_string();
        assert!(error.ends_with("home/q is a fifo, not a regular file"), "{}: {error}", resource.id);
    }
}

#[test]
fn nobody_can_block_or_predict_temporary_names() {
    let Some(attack) = Attack::new() else { return };
    fs::create_dir(attack.path("home/..bashrc.mgmt-new")).unwrap();
    fs::create_dir(attack.path("home/.mgmt-tmp-")).unwrap();
    attack.apply(&attack.file("home/.bashrc").with("content", "x").with("state", "exists")).unwrap();
    assert_eq!(fs::read_to_string(attack.path("home/.bashrc")).unwrap(), "x");
}

/// An entry that somebody made so that it cannot be removed or replaced does not protect others.
#[test]
fn entry_that_cannot_be_removed_or_replaced_spares_no_other() {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    for directory in ["source", "target", "target/b"] {
        fs::create_dir(path(directory)).unwrap();
    }
    for file in ["source/a", "source/b", "source/c", "target/stray", "target/b/inside"] {
        fs::write(path(file), file).unwrap();
    }
    let [target, source] = ["target", "source"].map(|name| format!("{}/", path(name).display()));
    let tree = resource("file", &target).with("state", "exists").with("source", &*source);
    let mut test = ProviderTest::new(&tree.with("recurse", true).with("purge", true));
    let error = test.run(true).expect_err("a directory has the name of a file").to_string();
    assert!(error.contains("target/b"), "{error}");
    let mut names: Vec<_> = fs::read_dir(path("target")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "b", "c"]);
}

/// The permissions of a group seem to be those of root's group, and are those of a user.
#[test]
fn links_are_not_trusted_where_an_access_control_list_lets_a_user_write() {
    let Some(attack) = Attack::new() else { return };
    let shared = attack.path("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o750)).unwrap();
    std::os::unix::fs::symlink(attack.path("root/secret"), shared.join("link")).unwrap();
    let found = || {
        let files = safe_fs::Files::of_kernel();
        files.find(&shared.join("link"), safe_fs::LastLink::FollowTrusted).unwrap().unwrap()
    };
    assert!(found().stat.is_file());
    // The owner, user 65534, the group, the mask, others: tag, permissions, id.
    let entries: [(u16, u16, u32); 5] = [(1, 7, !0), (2, 7, 65534), (4, 0, !0), (0x10, 7, !0), (0x20, 0, !0)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend([tag.to_le_bytes(), permissions.to_le_bytes()].concat());
        list.extend(id.to_le_bytes());
    }
    let set = rustix::fs::setxattr(&shared, "system.posix_acl_access", &list, rustix::fs::XattrFlags::empty());
    if set == Err(rustix::io::Errno::NOTSUP) {
        return test_support::skip("the file system has no access control lists");
    }
    set.unwrap();
    assert_eq!(fs::metadata(&shared).unwrap().permissions().mode() & 0o777, 0o770);
    assert!(found().is_untrusted_link);
    assert!(safe_fs::Files::of_kernel().check_protected(&shared).is_err());
}
