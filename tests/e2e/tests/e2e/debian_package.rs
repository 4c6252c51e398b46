//! The Debian package: what is in it, installed into a scratch root, upgraded and purged by the real `dpkg`, and its
//! service in a machine with systemd.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use test_support::{Scratch, eventually, skip};

use crate::machine::Machine;
use crate::sources::root;
use crate::support::{bin, is_root, ran};

/// Returns the package of the tools that this test built. It is made once. Returns nothing where Debian's tools are missing.
fn package() -> Option<&'static Path> {
    static PACKAGE: OnceLock<Option<(Scratch, PathBuf)>> = OnceLock::new();
    let built = PACKAGE.get_or_init(|| {
        if Command::new("dpkg-shlibdeps").arg("--version").output().is_err() {
            skip("dpkg-shlibdeps (package `dpkg-dev`) is not installed");
            return None;
        }
        let scratch = Scratch::new();
        let mut build = Command::new(root().join("packaging/build-deb"));
        // To compress what is thrown away takes minutes.
        build.arg(scratch.dir()).env("MCL_BUILT", bin()).env("DPKG_DEB_COMPRESSOR_TYPE", "none");
        let ran = ran(build.output().expect("it starts"));
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        let mut files =
            std::fs::read_dir(scratch.dir()).expect("a directory").map(|entry| entry.expect("an entry").path());
        let path = files.next().expect("the package was built");
        drop(files);
        Some((scratch, path))
    });
    built.as_ref().map(|(_, path)| path.as_path())
}

/// A root without anything but an empty database of packages.
fn empty_root() -> Scratch {
    Scratch::with_files([
        ("var/lib/dpkg/status", ""),
        ("var/lib/dpkg/available", ""),
        ("var/lib/dpkg/info/format", "1\n"),
    ])
}

#[track_caller]
fn dpkg(scratch: &Scratch, arguments: &[&str]) -> String {
    std::fs::create_dir_all(scratch.path("var/lib/dpkg/updates")).expect("writable");
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", scratch.dir().display()));
    // The scripts of the package run outside of the root, which has no shell, and find it in DPKG_ROOT.
    dpkg.args(["--force-script-chrootless", "--force-depends", "--force-confdef", "--force-confold"]).args(arguments);
    dpkg.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("DEBIAN_FRONTEND", "noninteractive");
    let ran = ran(dpkg.output().expect("dpkg is there"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    ran.out + &ran.err
}

/// The pages of commands and of the book, each of which the list has as one line.
fn listed(file: &str) -> String {
    let pages =
        Regex::new(r"(man1/(?:mclc|mgmt-rt))-[a-z-]+\.1\.gz$|(doc/mclc)/[a-z0-9/-]+\.md$").expect("a valid pattern");
    pages
        .replace(file, |found: &Captures<'_>| {
            found.get(1).map_or_else(|| format!("{}/*.md", &found[2]), |command| format!("{}-*.1.gz", command.as_str()))
        })
        .into_owned()
}

/// Returns mode and path of everything below a root, without dpkg's own files.
fn contents(scratch: &Scratch) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![scratch.dir().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(scratch.dir()).expect("below it").display().to_string();
            if name == "var/lib/dpkg" {
                continue;
            }
            let metadata = path.symlink_metadata().expect("it exists");
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
            if metadata.is_dir() {
                directories.push(path);
            } else {
                found.push(format!("{mode:04o} {name}"));
            }
        }
    }
    found.sort_by(|a, b| a[5..].cmp(&b[5..]));
    found
}

/// Returns the names of the libraries in the bill of materials.
fn libraries(scratch: &Scratch) -> BTreeSet<String> {
    let bill = scratch.read("usr/share/doc/mclc/sbom.cdx.json").expect("it is installed");
    let bill: serde_json::Value = serde_json::from_str(&bill).expect("it is JSON");
    let components = bill["components"].as_array().expect("a list").iter();
    let libraries = components.filter(|component| component["type"] == "library");
    libraries.map(|library| library["name"].as_str().expect("a name").to_owned()).collect()
}

/// Returns the names of the crates that THIRD-PARTY-NOTICES.md lists.
fn linked_crates() -> BTreeSet<String> {
    let notices = std::fs::read_to_string(root().join("THIRD-PARTY-NOTICES.md")).expect("it is in the tree");
    let names = notices.lines().filter_map(|line| line.strip_prefix("* `")?.split_once('`'));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_package_has_the_listed_files_and_purge_leaves_nothing() {
    let Some(package) = package() else { return };
    if !is_root() {
        return skip("dpkg needs root");
    }
    let scratch = empty_root();
    let package = package.display().to_string();
    dpkg(&scratch, &["--install", &package]);
    // Its links are those of an enabled service, and the marks of deb-systemd-helper.
    let installed =
        contents(&scratch).into_iter().filter(|file| !file.contains(" etc/systemd/") && !file.contains(" var/"));
    let mut installed: Vec<String> = installed.map(|file| listed(&file)).collect();
    installed.sort_by(|a, b| a[5..].cmp(&b[5..]));
    installed.dedup();
    let list = root().join("packaging/files");
    let text = installed.join("\n") + "\n";
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&list, &text).expect("writable");
    }
    assert_eq!(text, std::fs::read_to_string(list).expect("it is in the tree"), "BLESS=1 writes packaging/files");
    let unit = scratch.read("usr/lib/systemd/system/mgmt-rt.service").expect("the unit is installed");
    assert!(unit.contains("ConditionPathExists=/etc/mgmt/main.bin"));

    assert_eq!(libraries(&scratch), linked_crates(), "packaging/linked-crates finds what THIRD-PARTY-NOTICES.md lists");

    // What the administrator changed survives an upgrade.
    scratch.write("etc/default/mgmt-rt", "MGMT_RT_OPTIONS=--noop\n");
    scratch.write("var/lib/mgmt/engine/unused", "");
    dpkg(&scratch, &["--install", &package]);
    assert_eq!(scratch.read("etc/default/mgmt-rt").as_deref(), Some("MGMT_RT_OPTIONS=--noop\n"));
    dpkg(&scratch, &["--remove", "mclc"]);
    assert_eq!(scratch.read("etc/default/mgmt-rt").as_deref(), Some("MGMT_RT_OPTIONS=--noop\n"));
    dpkg(&scratch, &["--purge", "mclc"]);
    assert_eq!(contents(&scratch), [""; 0], "purge leaves nothing");
}

#[test]
fn purge_keeps_backups_and_programs() {
    let Some(package) = package() else { return };
    if !is_root() {
        return skip("dpkg needs root");
    }
    let scratch = empty_root();
    dpkg(&scratch, &["--install", &package.display().to_string()]);
    scratch.write("var/lib/mgmt/engine/backups/contents/aa", "old");
    scratch.write("etc/mgmt/main.bin", "");
    let printed = dpkg(&scratch, &["--purge", "mclc"]);
    assert!(printed.contains("backups"), "{printed}");
    assert_eq!(scratch.read("var/lib/mgmt/engine/backups/contents/aa").as_deref(), Some("old"));
    assert!(scratch.path("etc/mgmt/main.bin").exists());
}

#[test]
fn lintian_finds_no_errors() {
    let Some(package) = package() else { return };
    if Command::new("lintian").arg("--version").output().is_err() {
        return skip("lintian (package `lintian`) is not installed");
    }
    // The package of this test is not compressed.
    let compression = "uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball";
    let mut lintian = Command::new("lintian");
    lintian
        .args(["--fail-on", "error", "--allow-root", "--suppress-tags", compression])
        .arg(package)
        .env("LC_ALL", "C.UTF-8");
    let ran = ran(lintian.output().expect("it is there"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

const PROGRAM: &str = "file \"/srv/made\" {\n\tstate => \"exists\",\n\tcontent => \"one\\n\",\n}\n";

#[test]
fn the_service_starts_with_a_program_reloads_it_and_reports_its_state() {
    let Some(machine) = Machine::boot(PROGRAM) else { return };
    let unit = std::fs::read_to_string(root().join("packaging/mgmt-rt.service")).expect("it is in the tree");
    machine.scratch.write("mgmt-rt.service", &unit);
    let defaults = std::fs::read_to_string(root().join("packaging/mgmt-rt.default")).expect("it is in the tree");
    machine.scratch.write("mgmt-rt.default", &defaults);
    machine.must(&["cp", "/tools/mgmt-rt", "/usr/bin/mgmt-rt"]);
    machine.must(&["cp", "/test/mgmt-rt.service", "/etc/systemd/system/mgmt-rt.service"]);
    machine.must(&["cp", "/test/mgmt-rt.default", "/etc/default/mgmt-rt"]);
    machine.must(&["mkdir", "-p", "/etc/mgmt"]);
    let verified = machine.run(&["systemd-analyze", "--man=no", "verify", "/etc/systemd/system/mgmt-rt.service"]);
    assert_eq!((verified.status, verified.err.as_str()), (0, ""), "{}", verified.out);
    machine.must(&["systemctl", "daemon-reload"]);
    let show =
        |property: &str| machine.must(&["systemctl", "show", "--value", "-p", property, "mgmt-rt"]).trim().to_owned();

    // Without a program nothing is started, and that does not count as a failure.
    machine.must(&["systemctl", "start", "mgmt-rt"]);
    assert_eq!((show("ActiveState"), show("ConditionResult")), ("inactive".to_owned(), "no".to_owned()));

    machine.must(&["cp", "/test/main.bin", "/etc/mgmt/main.bin"]);
    machine.must(&["systemctl", "start", "mgmt-rt"]);
    assert_eq!(show("ActiveState"), "active");
    eventually("the state is shown", || show("StatusText") == "1/1 resource converged");
    assert_eq!(machine.must(&["cat", "/srv/made"]), "one\n");
    assert_eq!(machine.must(&["stat", "-c", "%a", "/var/lib/mgmt"]), "700\n");

    machine.scratch.write("main.mcl", &PROGRAM.replace("one", "two"));
    machine.scratch.build();
    machine.must(&["cp", "/test/main.bin", "/etc/mgmt/main.bin"]);
    let process = show("MainPID");
    machine.must(&["systemctl", "reload", "mgmt-rt"]);
    eventually("the new program is applied", || machine.run(&["grep", "-qx", "two", "/srv/made"]).status == 0);
    assert_eq!(show("MainPID"), process);

    machine.must(&["systemctl", "stop", "mgmt-rt"]);
    assert_eq!((show("ActiveState"), show("Result")), ("inactive".to_owned(), "success".to_owned()));
}
