//! Root follows code and data only if nobody else can change them, and reads nothing for the user who made a link.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::Path;

use test_support::{eventually, skip};

use crate::support::{Agent, Scratch, is_root};

const NOBODY: u32 = 65534;

/// Makes an environment with a module and data that writes `page`; `None` without root's rights.
fn environment() -> Option<Scratch> {
    if !is_root() {
        skip("needs root");
        return None;
    }
    let scratch = Scratch::new("");
    for directory in ["env/manifests", "env/data/nodes", "env/modules/web/manifests", "env/modules/web/files"] {
        fs::create_dir_all(scratch.path(directory)).expect("writable");
    }
    scratch.write("env/manifests/site.pp", "include web\n");
    scratch.write(
        "env/modules/web/manifests/init.pp",
        "class web(String $text) {
           file { '@/page': content => $text }
           file { '@/copy': source => 'puppet:///modules/web/copy' }
         }\n",
    );
    scratch.write("env/modules/web/files/copy", "copy");
    let hierarchy = "version: 5\nhierarchy: [{name: all, paths: [nodes/a.yaml, common.yaml]}]\n";
    scratch.write("env/hiera.yaml", hierarchy);
    scratch.write("env/data/common.yaml", "web::text: one\n");
    Some(scratch)
}

const ONCE: [&str; 6] = ["apply", "--puppet", "env", "--once", "--prefix", "state"];

#[test]
fn code_and_data_that_others_can_change_are_not_applied() {
    let Some(scratch) = environment() else { return };
    let files = [
        "env/manifests",
        "env/manifests/site.pp",
        "env/modules",
        "env/modules/web/manifests/init.pp",
        "env/modules/web/files",
        "env/modules/web/files/copy",
        "env/hiera.yaml",
        "env/data/common.yaml",
        // Where a file could appear.
        "env/data/nodes",
    ];
    for file in files {
        let path = scratch.path(file);
        let assert_refused = |why: &str| {
            let ran = scratch.run("mgmt-rt", &ONCE);
            assert_eq!(ran.status, 1, "{file} {why}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("R0414") && ran.err.contains(file), "{file} {why}: {}", ran.err);
            assert!(!scratch.path("page").exists(), "{file} {why}");
        };
        chown(&path, Some(NOBODY), None).expect("given away");
        assert_refused("of another user");
        chown(&path, Some(0), None).expect("taken back");
        let mode = fs::metadata(&path).expect("it exists").permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode.mode() | 0o002)).expect("opened");
        assert_refused("writable for all");
        fs::set_permissions(&path, mode).expect("closed");
    }
    let ran = scratch.run("mgmt-rt", &ONCE);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("page").as_deref(), Some("one"));
}

#[test]
fn an_agent_keeps_its_graph_when_data_is_given_away() {
    let Some(scratch) = environment() else { return };
    let mut command = scratch.command("mgmt-rt", &["apply", "--puppet", "env", "--prefix", "state"]);
    let log = fs::File::create(scratch.path("log")).expect("writable");
    let errors = log.try_clone().expect("a descriptor");
    let _agent = Agent(command.stdout(log).stderr(errors).spawn().expect("the tool starts"));
    eventually("the page is written", || scratch.read("page").as_deref() == Some("one"));
    chown(scratch.path("env/data/common.yaml"), Some(NOBODY), None).expect("given away");
    scratch.write("env/data/common.yaml", "web::text: evil\n");
    eventually("it is refused", || scratch.read("log").is_some_and(|log| log.contains("R0414")));
    assert_eq!(scratch.read("page").as_deref(), Some("one"));
    chown(scratch.path("env/data/common.yaml"), Some(0), None).expect("taken back");
    scratch.write("env/data/common.yaml", "web::text: two\n");
    eventually("root's own data is followed", || scratch.read("page").as_deref() == Some("two"));
}

#[test]
fn functions_do_not_read_through_links_of_users() {
    let Some(scratch) = environment() else { return };
    let home = scratch.path("home");
    fs::create_dir(&home).expect("writable");
    scratch.write("secret", "hidden");
    fs::set_permissions(scratch.path("secret"), fs::Permissions::from_mode(0o600)).expect("closed");
    symlink(scratch.path("secret"), home.join("link")).expect("a link");
    for path in [home.as_path(), &home.join("link")] {
        lchown(path, Some(NOBODY), Some(NOBODY)).expect("given away");
    }
    for read in
        ["file('@/home/link')", "template('@/home/link')", "epp('@/home/link')", "file('@/home/no', '@/home/link')"]
    {
        scratch.write("env/manifests/site.pp", &format!("file {{ '@/page': content => {read} }}\n"));
        let ran = scratch.run("mgmt-rt", &ONCE);
        assert_eq!(ran.status, 1, "{read}: {}{}", ran.out, ran.err);
        assert!(!format!("{}{}", ran.out, ran.err).contains("hidden"), "{read}: {}", ran.err);
        assert!(!Path::new(&scratch.path("page")).exists(), "{read}");
    }
}
