//! Packages, through apt and through a real PackageKit, from a local repository of two test packages.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use test_support::eventually;

use crate::killed_machine::Contradiction;
use crate::machine::Machine;

/// Number of kills of each program in a test run. `RUNS_FACTOR` multiplies it.
const KILLS: u64 = 4;
/// The same with PackageKit, which takes longer.
const PACKAGEKIT_KILLS: u64 = 2;

const TOOLS: &[&str] = &["/usr/bin/dpkg-deb", "/usr/bin/apt-get", "/usr/bin/sha256sum"];

/// Adds a version of a package to the repository in the scratch directory.
fn publish(machine: &Machine, name: &str, version: &str) {
    let scratch = &machine.scratch;
    let tree = format!("{name}-{version}");
    let control = format!(
        "Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Nobody <nobody@example.com>\n\
         Description: a package of a test\n"
    );
    for directory in ["repo", &tree, &format!("{tree}/DEBIAN"), &format!("{tree}/usr"), &format!("{tree}/usr/share")] {
        std::fs::create_dir_all(scratch.path(directory)).expect("writable");
        std::fs::set_permissions(scratch.path(directory), PermissionsExt::from_mode(0o755)).expect("ours");
    }
    std::fs::write(scratch.path(&tree).join("DEBIAN/control"), &control).expect("writable");
    std::fs::write(scratch.path(&tree).join(format!("usr/share/{name}")), version).expect("writable");
    let deb = format!("repo/{tree}.deb");
    let build = Command::new("dpkg-deb")
        .args(["--build", "--root-owner-group"])
        .args([scratch.path(&tree), scratch.path(&deb)])
        .output()
        .expect("dpkg-deb is there");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let sum = Command::new("sha256sum").arg(scratch.path(&deb)).output().expect("sha256sum is there").stdout;
    let sum = String::from_utf8_lossy(&sum).split(' ').next().unwrap_or_default().to_owned();
    let size = std::fs::metadata(scratch.path(&deb)).expect("built").len();
    let mut index = scratch.read("repo/Packages").unwrap_or_default();
    index.push_str(&format!("{control}Filename: ./{tree}.deb\nSize: {size}\nSHA256: {sum}\n\n"));
    std::fs::write(scratch.path("repo/Packages"), index).expect("writable");
}

fn boot(tools: &[&str]) -> Option<Machine> {
    let machine = Machine::boot_with("", &[TOOLS, tools].concat())?;
    // apt reads the repository as another user.
    std::fs::set_permissions(machine.scratch.path("."), PermissionsExt::from_mode(0o755)).expect("ours");
    publish(&machine, "mcl-test-one", "1.0");
    publish(&machine, "mcl-test-two", "1.0");
    machine.must(&["sh", "-c", "rm -rf /etc/apt/sources.list* /var/lib/apt/lists/*"]);
    machine.write("/etc/apt/sources.list", "deb [trusted=yes] file:/test/repo ./\n");
    Some(machine)
}

fn boot_with_packagekit() -> Option<Machine> {
    let machine = boot(&["/usr/libexec/packagekitd", "/usr/sbin/ip"])?;
    // PackageKit refreshes only when it believes to be online.
    machine.must(&[
        "sh",
        "-c",
        "ip link add net0 type bridge && ip link set net0 up && ip addr add 192.0.2.2/24 dev net0",
    ]);
    machine.must(&["ip", "route", "add", "default", "via", "192.0.2.1"]);
    Some(machine)
}

/// A program with one package.
fn one(rest: &str) -> String {
    format!("pkg \"mcl-test-one\" {{\n\t{rest},\n\tallownonfree => true,\n\tallowunsupported => true,\n}}\n")
}

fn install_upgrade_and_remove(machine: &Machine) {
    let version = |name: &str| {
        let status = machine.run(&["dpkg-query", "-W", "-f=${db:Status-Abbrev} ${Version}", name]);
        status.out.strip_prefix("ii").map(|version| version.trim().to_owned())
    };
    let both = one("state => \"installed\"") + &one("state => \"installed\"").replace("one", "two");
    machine.converges(&both);
    assert_eq!((version("mcl-test-one").as_deref(), version("mcl-test-two").as_deref()), (Some("1.0"), Some("1.0")));
    // A newer version is published: only `newest` installs it.
    publish(machine, "mcl-test-one", "2.0");
    machine.must(&["apt-get", "update"]);
    machine.converges(&both);
    assert_eq!(version("mcl-test-one").as_deref(), Some("1.0"));
    machine.converges(&one("state => \"newest\""));
    assert_eq!(version("mcl-test-one").as_deref(), Some("2.0"));
    // A downgrade needs `allowdowngrade`.
    let back = machine.apply(&one("state => \"1.0\""));
    assert_eq!(back.status, 1, "{}{}", back.out, back.err);
    assert!(back.err.contains("allowdowngrade"), "{}", back.err);
    machine.converges(&one("state => \"1.0\",\n\tallowdowngrade => true"));
    assert_eq!(version("mcl-test-one").as_deref(), Some("1.0"));
    // Removal, also of a package that is not installed.
    let gone = one("state => \"uninstalled\"");
    machine.converges(&(gone.clone() + &gone.replace("one", "two") + &gone.replace("one", "never")));
    assert_eq!((version("mcl-test-one"), version("mcl-test-two")), (None, None));
    // An unknown package is an error that names it; other packages are still installed.
    let unknown = machine.apply(&(both.replace("mcl-test-two", "mcl-test-none")));
    assert_eq!(unknown.status, 1, "{}{}", unknown.out, unknown.err);
    assert!(unknown.err.contains("there is no package named `mcl-test-none`"), "{}", unknown.err);
    // A package that somebody else removes is installed again.
    machine.converges(&both);
    machine.agent();
    machine.must(&["dpkg", "--remove", "mcl-test-two"]);
    eventually("the removed package is back", || version("mcl-test-two").is_some());
}

#[test]
fn apt_installs_replaces_and_removes() {
    let Some(machine) = boot(&[]) else { return };
    // Without a bus there is no PackageKit.
    machine.must(&["systemctl", "stop", "dbus.socket", "dbus.service"]);
    install_upgrade_and_remove(&machine);
}

#[test]
fn packagekit_installs_replaces_and_removes() {
    let Some(machine) = boot_with_packagekit() else { return };
    install_upgrade_and_remove(&machine);
    assert!(machine.succeeds(&["systemctl", "--quiet", "is-active", "packagekit"]), "PackageKit did it");
}

#[test]
fn installation_by_apt_whose_agent_is_killed_is_completed_by_the_next() {
    let Some(machine) = boot(&[]) else { return };
    machine.must(&["systemctl", "stop", "dbus.socket", "dbus.service"]);
    kill_installations(&machine, KILLS);
}

#[test]
fn installation_by_packagekit_whose_agent_is_killed_is_completed_by_the_next() {
    let Some(machine) = boot_with_packagekit() else { return };
    kill_installations(&machine, PACKAGEKIT_KILLS);
    assert!(machine.succeeds(&["systemctl", "--quiet", "is-active", "packagekit"]), "PackageKit did it");
}

/// Kills agents that install two packages, and agents that remove them.
fn kill_installations(machine: &Machine, kills: u64) {
    let with = |package: &str| package.to_owned() + &package.replace("one", "two");
    let programs = [with(&one("state => \"installed\"")), with(&one("state => \"uninstalled\""))];
    let shown = "dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' 'mcl-test-*' | grep ' i'; dpkg --audit";
    let results: [&[(&str, &str)]; 2] = [&[(shown, "mcl-test-one ii \nmcl-test-two ii \n")], &[(shown, "")]];
    Contradiction::new(machine, [&programs[0], &programs[1]], results).check(kills);
}
