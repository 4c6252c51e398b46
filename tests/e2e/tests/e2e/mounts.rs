//! Mounts and network interfaces, on a disposable machine.

use test_support::eventually;

use crate::machine::Machine;

const SCRATCH: &str = r#"
mount "/srv/scratch" {
	state => "exists",
	device => "tmpfs",
	type => "tmpfs",
	options => {"size" => "1m", "nosuid" => "",},
}
"#;

fn options(machine: &Machine, point: &str) -> String {
    machine.run(&["findmnt", "--noheadings", "--output", "FSTYPE,OPTIONS", point]).out
}

#[test]
fn mount_is_made_and_kept() {
    let Some(machine) = Machine::boot(SCRATCH) else { return };
    machine.must(&["mkdir", "-p", "/srv/scratch", "/srv/one", "/srv/two"]);
    machine.write("/etc/fstab", "# kept\n");
    machine.converges(SCRATCH);
    assert_eq!(machine.must(&["cat", "/etc/fstab"]), "# kept\ntmpfs /srv/scratch tmpfs nosuid,size=1m 0 0\n");
    let has = |words: &str| options(&machine, "/srv/scratch").contains(words);
    assert!(has("tmpfs") && has("nosuid") && has("size=1024k"), "{}", options(&machine, "/srv/scratch"));
    // A changed option is applied by a remount: the content stays.
    machine.must(&["touch", "/srv/scratch/kept"]);
    machine.converges(&SCRATCH.replace("1m", "2m"));
    assert!(has("size=2048k"), "{}", options(&machine, "/srv/scratch"));
    assert!(machine.succeeds(&["test", "-e", "/srv/scratch/kept"]));
    // Changes by somebody else are reverted.
    machine.agent();
    machine.must(&["mount", "-o", "remount,ro", "/srv/scratch"]);
    eventually("it is writable again", || !has("ro,"));
    machine.must(&["umount", "/srv/scratch"]);
    eventually("it is mounted again", || has("tmpfs"));
    machine.must(&["mount", "-t", "ramfs", "none", "/srv/scratch"]);
    eventually("nothing else is mounted over it", || {
        has("tmpfs") && options(&machine, "/srv/scratch").lines().count() == 1
    });
    machine.write("/etc/fstab", "# lost\n");
    eventually("the line is back", || machine.must(&["cat", "/etc/fstab"]).contains("/srv/scratch"));
}

#[test]
fn bind_mount_is_made_changed_and_removed() {
    let bind = r#"
mount "/srv/two" {
	state => "exists",
	device => "/srv/one",
	type => "none",
	options => {"bind" => "", "ro" => "",},
}
"#;
    let Some(machine) = Machine::boot("") else { return };
    machine.must(&["mkdir", "-p", "/srv/one", "/srv/two"]);
    machine.must(&["touch", "/srv/one/file"]);
    machine.converges(bind);
    assert!(machine.succeeds(&["test", "-e", "/srv/two/file"]));
    assert!(!machine.succeeds(&["touch", "/srv/two/file"]), "it is mounted read-only");
    machine.converges(&bind.replace("\"ro\" => \"\",", ""));
    assert!(machine.succeeds(&["touch", "/srv/two/file"]), "and now writable");
    machine.converges(bind);
    assert!(!machine.succeeds(&["touch", "/srv/two/file"]), "and read-only again");
    assert!(machine.succeeds(&["touch", "/srv/one/file"]), "what it is a mount of stays as it is");
    machine.converges(&bind.replace("\"ro\" => \"\",", ""));
    machine.converges("mount \"/srv/two\" {\n\tstate => \"absent\",\n}\n");
    assert!(!machine.succeeds(&["mountpoint", "--quiet", "/srv/two"]));
    assert_eq!(machine.must(&["cat", "/etc/fstab"]), "");
    let missing = machine.apply(&bind.replace("/srv/one", "/srv/none"));
    assert_eq!(missing.status, 1, "{}{}", missing.out, missing.err);
    assert!(missing.err.contains("mount[/srv/two]"), "{}", missing.err);
}

const LINK: &str = r#"
net "lab0" {
	state => "up",
	addrs => ["192.0.2.7/24", "2001:db8::7/64",],
	gateway => "192.0.2.1",
}
"#;

#[test]
fn interface_keeps_addresses_and_route() {
    let Some(machine) = Machine::boot_with(LINK, &["/usr/sbin/ip"]) else { return };
    let missing = machine.apply_once();
    assert!(missing.err.contains("there is no network interface lab0 on this machine"), "{}", missing.err);
    machine.must(&["ip", "link", "add", "lab0", "type", "bridge"]);
    machine.must(&["ip", "address", "add", "198.51.100.1/24", "dev", "lab0"]);
    machine.must(&["mkdir", "-p", "/etc/systemd/network"]);
    machine.converges(LINK);
    let shown = || machine.must(&["ip", "-brief", "address", "show", "dev", "lab0"]);
    let route = || machine.must(&["ip", "route", "show", "default"]);
    assert!(shown().contains("192.0.2.7/24") && shown().contains("2001:db8::7/64"), "{}", shown());
    assert!(!shown().contains("198.51.100.1"), "{}", shown());
    assert!(route().contains("via 192.0.2.1"), "{}", route());
    let file = machine.must(&["cat", "/etc/systemd/network/mgmt-lab0.network"]);
    assert!(file.contains("Address=192.0.2.7/24"), "{file}");
    machine.agent();
    machine.must(&["ip", "address", "del", "192.0.2.7/24", "dev", "lab0"]);
    eventually("the address and the route are back", || {
        shown().contains("192.0.2.7/24") && route().contains("via 192.0.2.1")
    });
    machine.must(&["ip", "link", "set", "lab0", "down"]);
    eventually("it is up again", || machine.must(&["ip", "link", "show", "lab0"]).contains(",UP"));
    machine.must(&["ip", "route", "replace", "default", "via", "192.0.2.99"]);
    eventually("the route is back", || route().contains("via 192.0.2.1 "));
}

#[test]
fn interface_is_taken_down() {
    let Some(machine) = Machine::boot_with("", &["/usr/sbin/ip"]) else { return };
    machine.must(&["ip", "link", "add", "lab0", "type", "bridge"]);
    machine.must(&["ip", "link", "set", "lab0", "up"]);
    machine.converges("net \"lab0\" {\n\tstate => \"down\",\n}\n");
    assert!(!machine.must(&["ip", "link", "show", "lab0"]).contains(",UP"));
}

#[test]
fn nothing_is_mounted_where_a_user_could_exchange_the_directory() {
    let at = |point: &str| SCRATCH.replace("/srv/scratch", point);
    let Some(machine) = Machine::boot("") else { return };
    machine.must(&[
        "mkdir",
        "-p",
        "/srv/home/mnt",
        "/srv/home/deep/mnt",
        "/srv/own",
        "/srv/shared/mnt",
        "/srv/sticky/mnt",
    ]);
    machine.must(&["chown", "65534:65534", "/srv/home", "/srv/home/mnt", "/srv/own"]);
    machine.must(&["chmod", "0777", "/srv/shared"]);
    machine.must(&["chmod", "1777", "/srv/sticky"]);
    for point in ["/srv/home/mnt", "/srv/home/deep/mnt", "/srv/shared/mnt"] {
        let refused = machine.apply(&at(point));
        assert!(refused.status == 1 && refused.err.contains("R0403"), "{point}: {}{}", refused.out, refused.err);
        assert!(!machine.succeeds(&["mountpoint", "--quiet", point]));
    }
    for point in ["/srv/own", "/srv/sticky/mnt"] {
        machine.converges(&at(point));
    }
    machine.must(&["mount", "-t", "tmpfs", "none", "/srv/home/mnt"]);
    let absent = machine.apply("mount \"/srv/home/mnt\" {\n\tstate => \"absent\",\n}\n");
    assert!(absent.status == 1 && machine.succeeds(&["mountpoint", "--quiet", "/srv/home/mnt"]), "{}", absent.err);
}

#[test]
fn absent_mount_is_unmounted_however_often_it_was_mounted() {
    let Some(machine) = Machine::boot("") else { return };
    machine.must(&["mkdir", "-p", "/srv/twice"]);
    for _ in 0..3 {
        machine.must(&["mount", "-t", "tmpfs", "none", "/srv/twice"]);
    }
    machine.converges("mount \"/srv/twice\" {\n\tstate => \"absent\",\n}\n");
    assert!(!machine.succeeds(&["mountpoint", "--quiet", "/srv/twice"]));
}
