//! Each on a real directory.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::providers::file::parameters::File;
use crate::{ApplyContext, Cancel, CheckRequest, Context, ManagedPaths, build};

struct FileTest {
    dir: tempfile::TempDir,
    apply_context: ApplyContext,
}

impl FileTest {
    fn new() -> FileTest {
        FileTest { dir: tempfile::tempdir().unwrap(), apply_context: ApplyContext::default() }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir.path().display())
    }

    fn file(&self, name: &str) -> Resource {
        Resource::new(ResourceId::new("file", self.path(name)))
    }

    /// Runs one check: the changes announced, or the failure.
    fn run(&self, resource: &Resource, apply: bool) -> Result<Vec<String>, String> {
        let mut kind = build(std::slice::from_ref(resource)).map_err(|e| e.to_string())?;
        let cancel = Cancel::new();
        let mut cx = Context::new(CheckRequest::new(&resource.id, &self.apply_context, &cancel, apply));
        let result = kind.check_apply(&mut cx);
        let dir = format!("{}/", self.dir.path().display());
        result.map_err(|e| e.to_string().replace(&dir, ""))?;
        Ok(cx.changes().iter().map(|c| c.text.replace(&dir, "")).collect())
    }

    /// Applies, expecting these changes; a second run must find nothing to do.
    #[track_caller]
    fn check(&self, resource: &Resource, changes: &[&str]) {
        assert_eq!(self.run(resource, false).unwrap(), changes, "noop tells what apply does");
        assert_eq!(self.run(resource, true).unwrap(), changes);
        assert_eq!(self.run(resource, true).unwrap(), [""; 0], "converges in one run");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().mode() & 0o7777
    }

    fn entries(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn list(items: &[String]) -> Value {
    Value::list(items.iter().map(String::as_str))
}

#[test]
fn a_file_that_exists_is_not_replaced_if_so_declared() {
    let test = FileTest::new();
    let file = || test.file("f").with("state", "exists").with("content", "new\n").with("replace", false);
    test.check(&file(), &["create (4 bytes)"]);
    fs::write(test.path("f"), "changed\n").unwrap();
    test.check(&file(), &[]);
    test.check(&file().with("mode", "0600"), &["change the mode from 0644 to 0600"]);
    assert_eq!((test.read("f").as_str(), test.mode("f")), ("changed\n", 0o600));
    symlink("nowhere", test.path("l")).unwrap();
    let link = test.file("l").with("state", "exists").with("content", "x").with("replace", false);
    test.check(&link, &[]);
    fs::create_dir(test.path("d")).unwrap();
    assert!(test.run(&test.file("d").with("content", "x").with("replace", false), true).is_err());
}

#[test]
fn content_is_created_and_replaced_without_leftovers() {
    let b = FileTest::new();
    let file = b.file("x").with("state", "exists").with("content", "hello\n");
    b.check(&file, &["create (6 bytes)"]);
    assert_eq!(b.read("x"), "hello\n");
    fs::write(b.path("x"), "other").unwrap();
    b.check(&file, &["change the content (5 to 6 bytes)"]);
    assert_eq!(b.entries(""), ["x"]);
}

#[test]
fn content_of_equal_length_is_compared() {
    let b = FileTest::new();
    fs::write(b.path("x"), "aaaaa").unwrap();
    b.check(&b.file("x").with("content", "aaaab"), &["change the content (5 bytes)"]);
}

#[test]
fn replacing_keeps_the_mode_that_is_not_managed() {
    let b = FileTest::new();
    fs::write(b.path("x"), "old").unwrap();
    fs::set_permissions(b.path("x"), fs::Permissions::from_mode(0o4751)).unwrap();
    b.check(&b.file("x").with("content", "new!"), &["change the content (3 to 4 bytes)"]);
    assert_eq!(b.mode("x"), 0o4751);
}

#[test]
fn new_file_has_its_final_mode_whatever_the_umask() {
    let b = FileTest::new();
    for (mode, expected) in [("0666", 0o666), ("4755", 0o4755), ("u=rw,g=r,o=", 0o640), ("0", 0)] {
        let name = format!("f{expected}");
        let file = b.file(&name).with("state", "exists").with("content", "x").with("mode", mode);
        assert_eq!(b.run(&file, true).unwrap(), ["create (1 byte)"]);
        assert_eq!(b.mode(&name), expected, "{mode}");
    }
}

#[test]
fn mode_of_a_directory_converges() {
    let b = FileTest::new();
    b.check(&b.file("d/").with("state", "exists").with("mode", "0750"), &["create the directory"]);
    assert_eq!(b.mode("d"), 0o750);
    b.check(&b.file("d/").with("mode", "1777"), &["change the mode from 0750 to 1777"]);
}

#[test]
fn noop_on_a_missing_file_with_attributes_is_a_change_not_an_error() {
    let b = FileTest::new();
    let file = b.file("x").with("state", "exists").with("content", "").with("mode", "0600").with("owner", "0");
    assert_eq!(b.run(&file, false).unwrap(), ["create (0 bytes)"]);
    assert!(!Path::new(&b.path("x")).exists());
    let directory = b.file("d/").with("state", "exists").with("mode", "0700");
    assert_eq!(b.run(&directory, false).unwrap(), ["create the directory"]);
}

#[test]
fn undefined_state_never_creates() {
    let b = FileTest::new();
    let error = b.run(&b.file("x").with("content", "c"), true).unwrap_err();
    assert_eq!(error, "x does not exist; set `state => \"exists\"` to create it");
    assert!(b.entries("").is_empty());
}

#[test]
fn absent_removes_files_links_and_only_empty_directories() {
    let b = FileTest::new();
    fs::write(b.path("x"), "").unwrap();
    symlink("nowhere", b.path("dangling")).unwrap();
    fs::create_dir_all(b.path("d/e")).unwrap();
    b.check(&b.file("x").with("state", "absent").with("mode", "0644"), &["remove"]);
    b.check(&b.file("dangling").with("state", "absent"), &["remove"]);
    let error = b.run(&b.file("d/").with("state", "absent"), true).unwrap_err();
    assert_eq!(error, "cannot remove d: directory not empty");
    b.check(&b.file("d/").with("state", "absent").with("recurse", true), &["remove the directory"]);
    b.check(&b.file("never/there").with("state", "absent"), &[]);
}

#[test]
fn kinds_are_converted_only_by_force() {
    let b = FileTest::new();
    fs::create_dir_all(b.path("d/sub")).unwrap();
    fs::write(b.path("f"), "").unwrap();
    let to_file = b.file("d").with("state", "exists").with("content", "c");
    let error = b.run(&to_file, true).unwrap_err();
    assert_eq!(error, "d is a directory; set `force => true` to replace it with everything in it");
    b.check(&to_file.with("force", true), &["replace the directory by a file"]);
    let to_dir = b.file("f/").with("state", "exists");
    let error = b.run(&to_dir, true).unwrap_err();
    assert_eq!(error, "f is not a directory; set `force => true` to replace it");
    b.check(&to_dir.with("force", true), &["replace a file by the directory"]);
    let error = b.run(&b.file("f").with("state", "exists"), true).unwrap_err();
    assert!(error.starts_with("f is a directory"), "{error}");
}

#[test]
fn directories_are_made_with_their_parents_where_asked() {
    let b = FileTest::new();
    let deep = b.file("a/b/c/").with("state", "exists");
    let error =
        "cannot create a/b/c: a does not exist; declare the directory too: `file \"a/\" { state => \"exists\", }`";
    assert_eq!(b.run(&deep, true).unwrap_err(), error);
    for content in [None, Some("c")] {
        let mut file = b.file("a/f").with("state", "exists");
        if let Some(content) = content {
            file = file.with("content", content);
        }
        let error = b.run(&file, true).unwrap_err();
        assert!(error.starts_with("cannot create a/f: a does not exist; declare"), "{error}");
    }
    let link = b.file("a/l").with("state", "exists").with("symlink", true).with("source", "/etc");
    let error = b.run(&link, true).unwrap_err();
    assert!(error.starts_with("cannot create a/l: a does not exist; declare"), "{error}");
    b.check(&deep.with("recurse", true), &["create the directory"]);
    assert!(Path::new(&b.path("a/b/c")).is_dir());
}

#[test]
fn content_goes_through_a_link_and_leaves_it() {
    let b = FileTest::new();
    fs::write(b.path("target"), "old").unwrap();
    symlink("target", b.path("link")).unwrap();
    b.check(&b.file("link").with("content", "new!"), &["change the content (3 to 4 bytes)"]);
    assert_eq!(b.read("target"), "new!");
    assert!(fs::symlink_metadata(b.path("link")).unwrap().is_symlink());
}

#[test]
fn other_names_of_a_replaced_file_keep_the_old_content() {
    let b = FileTest::new();
    fs::write(b.path("x"), "old").unwrap();
    fs::hard_link(b.path("x"), b.path("y")).unwrap();
    b.check(&b.file("x").with("content", "new!"), &["change the content (3 to 4 bytes)"]);
    assert_eq!((b.read("x"), b.read("y")), ("new!".to_owned(), "old".to_owned()));
}

#[test]
fn link_is_made_changed_and_removed() {
    let b = FileTest::new();
    let link = |to: &str| b.file("l").with("state", "exists").with("source", to).with("symlink", true);
    b.check(&link("releases/1"), &["create the link to releases/1"]);
    b.check(&link("releases/2"), &["change the link from releases/1 to releases/2"]);
    assert_eq!(fs::read_link(b.path("l")).unwrap(), Path::new("releases/2"));
    b.check(&b.file("l").with("state", "absent").with("symlink", true), &["remove the link"]);
    fs::write(b.path("l"), "").unwrap();
    let error = b.run(&link("x"), true).unwrap_err();
    assert_eq!(error, "l is a file, not a symbolic link; set `force => true` to replace it");
    b.check(&link("x").with("force", true), &["create the link to x"]);
}

#[test]
fn fragments_are_joined_in_order() {
    let b = FileTest::new();
    fs::create_dir(b.path("parts")).unwrap();
    for (name, text) in [("parts/b", "B"), ("parts/a", "A"), ("last", "Z")] {
        fs::write(b.path(name), text).unwrap();
    }
    let fragments = list(&[b.path("parts/"), b.path("last")]);
    b.check(&b.file("x").with("state", "exists").with("fragments", fragments), &["create (3 bytes)"]);
    assert_eq!(b.read("x"), "ABZ");
    let error = b.run(&b.file("x").with("fragments", list(&[b.path("none")])), true).unwrap_err();
    assert_eq!(error, "cannot read the fragment none: no such file or directory");
}

#[test]
fn source_file_is_copied_with_its_mode() {
    let b = FileTest::new();
    fs::write(b.path("from"), "data").unwrap();
    fs::set_permissions(b.path("from"), fs::Permissions::from_mode(0o755)).unwrap();
    b.check(&b.file("to").with("state", "exists").with("source", b.path("from")), &["create (4 bytes)"]);
    assert_eq!((b.read("to"), b.mode("to")), ("data".to_owned(), 0o755));
}

#[test]
fn source_directory_is_copied_and_foreign_files_stay_without_purge() {
    let b = FileTest::new();
    fs::create_dir_all(b.path("from/sub")).unwrap();
    fs::write(b.path("from/sub/x"), "1").unwrap();
    fs::create_dir(b.path("to")).unwrap();
    fs::write(b.path("to/foreign"), "").unwrap();
    let copy = b.file("to/").with("state", "exists").with("source", b.path("from/")).with("recurse", true);
    b.check(&copy, &["create the directory sub", "create sub/x (1 byte)"]);
    assert_eq!(b.entries("to"), ["foreign", "sub"]);
    b.check(&copy.with("purge", true), &["remove foreign (unmanaged)"]);
    assert_eq!(b.entries("to"), ["sub"]);
}

#[test]
fn purge_spares_what_others_manage_and_looks_beside_it() {
    let mut b = FileTest::new();
    fs::create_dir_all(b.path("d/sub/deep")).unwrap();
    for name in ["d/stray", "d/mine", "d/sub/mine", "d/sub/stray", "d/sub/deep/stray"] {
        fs::write(b.path(name), "").unwrap();
    }
    b.apply_context.managed = Arc::new(ManagedPaths::new([b.path("d/"), b.path("d/mine"), b.path("d/sub/mine")]));
    let purge = b.file("d/").with("state", "exists").with("recurse", true).with("purge", true);
    b.check(&purge, &["remove stray (unmanaged)", "remove sub/deep (unmanaged)", "remove sub/stray (unmanaged)"]);
    assert_eq!((b.entries("d"), b.entries("d/sub")), (vec!["mine".into(), "sub".into()], vec!["mine".into()]));
}

#[test]
fn purge_spares_directories_that_managed_paths_leave() {
    let mut b = FileTest::new();
    fs::create_dir_all(b.path("d/sub/deep")).unwrap();
    for name in ["d/stray", "d/sub/stray", "d/sub/deep/stray"] {
        fs::write(b.path(name), "").unwrap();
    }
    let managed = [b.path("d/"), b.path("d/sub/deep/../../k")];
    b.apply_context.managed = Arc::new(ManagedPaths::new(managed));
    let purge = b.file("d/").with("state", "exists").with("recurse", true).with("purge", true);
    let strays = ["remove stray (unmanaged)", "remove sub/stray (unmanaged)", "remove sub/deep/stray (unmanaged)"];
    b.check(&purge, &strays);
    b.check(&b.file("d/sub/deep/../../k").with("state", "exists").with("content", ""), &["create (0 bytes)"]);
    assert_eq!(b.entries("d"), ["k", "sub"]);
}

#[test]
fn copy_of_a_tree_leaves_files_of_other_resources_alone() {
    let b = FileTest::new();
    fs::create_dir(b.path("source")).unwrap();
    for name in ["mine", "copied"] {
        fs::write(format!("{}/{name}", b.path("source")), "from the source").unwrap();
    }
    let tree =
        b.file("d/").with("state", "exists").with("source", format!("{}/", b.path("source"))).with("recurse", true);
    let spelled_otherwise = format!("{}//mine", b.path("d"));
    let mut test = crate::provider_test::ProviderTest::new(&tree);
    test.apply_context.managed = std::sync::Arc::new(crate::ManagedPaths::new([spelled_otherwise]));
    test.run(true).unwrap();
    assert_eq!(b.entries("d"), ["copied"]);
}

#[test]
fn special_files_are_left_alone() {
    let b = FileTest::new();
    let _socket = std::os::unix::net::UnixListener::bind(b.path("socket")).unwrap();
    let error = b.run(&b.file("socket").with("content", "c"), true).unwrap_err();
    assert!(error.contains("socket"), "{error}");
    assert!(fs::symlink_metadata(b.path("socket")).is_ok());
}

#[test]
fn unknown_owner_is_named_and_nothing_is_written() {
    let b = FileTest::new();
    let file = b.file("x").with("state", "exists").with("content", "c").with("owner", "no-such-user");
    assert_eq!(b.run(&file, true).unwrap_err(), "there is no user `no-such-user` on this machine");
    assert!(b.entries("").is_empty());
}

#[test]
fn owner_and_group_are_set_by_root() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root may give files away");
        return;
    }
    let b = FileTest::new();
    let file = b.file("x").with("state", "exists").with("content", "c").with("owner", "1").with("group", "daemon");
    b.check(&file, &["create (1 byte)"]);
    let found = fs::metadata(b.path("x")).unwrap();
    assert_eq!((found.uid(), found.gid()), (1, 1));
    b.check(
        &file.with("owner", "root").with("mode", "4755"),
        &["change the owner from 1 to 0", "change the mode from 0644 to 4755"],
    );
}

#[test]
fn file_without_managed_attributes_needs_little_memory() {
    // There is one for each resource, up to hundreds of thousands.
    assert!(size_of::<File>() <= 112, "{} bytes", size_of::<File>());
}

#[test]
fn nothing_is_replaced_for_an_account_that_does_not_exist() {
    let mut b = FileTest::new();
    for name in ["d/", "f"] {
        let is_directory = name.ends_with('/');
        let path = b.path(name.trim_end_matches('/'));
        if is_directory { fs::write(&path, "precious") } else { fs::create_dir(&path) }.unwrap();
        let wanted = b.file(name).with("state", "exists").with("force", true).with("owner", "no-such-account");
        let wanted = if is_directory { wanted } else { wanted.with("content", "x") };
        let failure = b.run(&wanted, true).unwrap_err();
        assert_eq!(failure, "there is no user `no-such-account` on this machine");
        assert_eq!(Path::new(&path).is_dir(), !is_directory, "{name} is still there");
        // Whether a diff is shown does not decide what noop reports.
        let noop = b.run(&wanted, false).unwrap();
        b.apply_context.want_diffs = true;
        assert_eq!(b.run(&wanted, false).unwrap(), noop);
        b.apply_context.want_diffs = false;
    }
}
