//! `plan` shows exactly what `apply` then does, for kinds that change more than files: random programs on a disposable machine.

use std::fmt::Write as _;

use test_support::{RandomChoice, Rng, for_each_seed};

use crate::machine::Machine;
use crate::plan_report::{applied as changes_of, check};
use crate::support::Ran;

/// Number of programs of a test run. `RUNS_FACTOR` multiplies it.
const PROGRAMS: u64 = 12;
const UNIT: &str = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n";
const STATE: &str = "/test/state";

/// Makes a program, in which each resource has objects of its own, but for the accounts that others name.
fn program(random: &mut Rng) -> String {
    let mut text = String::new();
    let mut declared: Vec<String> = Vec::new();
    for i in 0..3 {
        if random.bool() {
            add(random, &mut text, &mut declared, "group", &format!("crew{i}"), |random| {
                group(random, "exists", if i == 2 { 4710 } else { 0 })
            });
        }
        if random.bool() {
            // A program that removes the accounts that it uses contradicts itself.
            add(random, &mut text, &mut declared, "group", &format!("old{i}"), |random| {
                group(random, "absent", 4720 + i)
            });
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "user", &format!("ann{i}"), |random| user(random, i));
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "user", &format!("gone{i}"), |_| "state => \"absent\",".to_owned());
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "group", &format!("clan{i}"), contested_group);
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "user", &format!("bob{i}"), contested_user);
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "mount", &format!("/srv/m{i}"), mount);
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "svc", &format!("web{i}"), service);
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "cron", &format!("timer{i}"), timer);
        }
        if random.bool() {
            add(random, &mut text, &mut declared, "file", &format!("/srv/f{i}"), |random| owned_file(random, i));
        }
    }
    if random.one_in(3) {
        add(random, &mut text, &mut declared, "hostname", "web", |random| {
            pick(random, &["", "pretty_hostname => \"Web\",", "static_hostname => \"\","]).to_owned()
        });
    }
    if random.one_in(3) {
        add(random, &mut text, &mut declared, "sysctl", "net.ipv4.ip_default_ttl", |random| {
            pick(
                random,
                &["value => \"64\",", "value => \"70\",", "value => \"70\", path => \"/etc/sysctl.d/x.conf\","],
            )
            .to_owned()
        });
    }
    text
}

/// Adds a resource, with an edge to or from an earlier one at times.
fn add(
    random: &mut Rng,
    text: &mut String,
    declared: &mut Vec<String>,
    kind: &str,
    name: &str,
    body: impl FnOnce(&mut Rng) -> String,
) {
    let mut body = body(random);
    // A change before it could make the group of a user, or remove the user of a group.
    if !["user", "group"].contains(&kind) && !declared.is_empty() && random.one_in(4) {
        let edge = pick(random, &["Depend", "Listen"]);
        let _ = write!(body, " {edge} => {},", random.pick(declared));
    }
    if random.one_in(12) {
        body += " Meta:noop => true,";
    }
    let _ = writeln!(text, "{kind} {name:?} {{ {body} }}");
    let (first, rest) = kind.split_at(1);
    declared.push(format!("{}{rest}[{name:?}]", first.to_uppercase()));
}

fn pick<'t>(random: &mut Rng, items: &[&'t str]) -> &'t str {
    random.pick::<&str>(items)
}

/// A group, which may have a number: that of a group that files name stays, because a plan shows the present one.
fn group(random: &mut Rng, state: &str, gid: usize) -> String {
    let id = if gid > 0 && random.bool() { format!("gid => {gid},") } else { String::new() };
    format!("state => \"{state}\", {id}")
}

fn user(random: &mut Rng, i: usize) -> String {
    // A plan shows the present number of the owner of a file.
    let mut body = format!("state => \"exists\", uid => {},", 5000 + i);
    for attribute in [
        format!("group => \"crew{i}\","),
        "groups => [\"games\", \"audio\",],".to_owned(),
        "shell => \"/bin/sh\",".to_owned(),
        "comment => \"Ann\",".to_owned(),
        format!("homedir => \"/srv/ann{i}/\", managehome => true,"),
    ] {
        if random.one_in(3) {
            body += &attribute;
        }
    }
    body
}

/// A group whose number others may have, or want, and that users of the program may be in. The numbers are above `GID_MAX`, so
/// that no group without a number gets one of them by chance; so are those of [`contested_user`].
fn contested_group(random: &mut Rng) -> String {
    let state = if random.one_in(3) { "absent" } else { "exists" };
    let id = if random.one_in(3) { format!("gid => {},", 61730 + random.usize(..4)) } else { String::new() };
    format!("state => \"{state}\", {id}")
}

/// A user whose number others may have, or want, in groups that the program may remove, and that may be missing.
fn contested_user(random: &mut Rng) -> String {
    let state = if random.one_in(4) { "absent" } else { "exists" };
    let mut body = format!("state => \"{state}\",");
    if random.one_in(3) {
        let _ = write!(body, " uid => {},", 61100 + random.usize(..6));
    }
    let [primary, other] = [0, 0].map(|_| format!("clan{}", random.usize(..4)));
    match random.usize(..6) {
        0 | 1 => body += &format!(" group => \"{primary}\","),
        // The number of a group that the program does not have: others may get another number at any time.
        2 => body += &format!(" gid => {},", 61734 + random.usize(..2)),
        _ => {}
    }
    if random.one_in(4) && !body.contains(&format!("\"{other}\"")) {
        body += &format!(" groups => [\"{other}\",],");
    }
    body
}

fn mount(random: &mut Rng) -> String {
    let options =
        pick(random, &["", "options => {\"size\" => \"1m\",},", "options => {\"ro\" => \"\", \"noexec\" => \"\",},"]);
    match pick(random, &["tmpfs", "bind", "missing", "absent"]) {
        "tmpfs" => format!("state => \"exists\", device => \"tmpfs\", type => \"tmpfs\", {options}"),
        "bind" => {
            let flags = pick(random, &["\"bind\" => \"\",", "\"bind\" => \"\", \"ro\" => \"\","]);
            format!("state => \"exists\", device => \"/srv/source\", type => \"none\", options => {{{flags}}},")
        }
        "missing" => "state => \"exists\", device => \"/srv/no-such-device\", type => \"ext4\",".to_owned(),
        _ => "state => \"absent\",".to_owned(),
    }
}

fn service(random: &mut Rng) -> String {
    let state = pick(random, &["", "state => \"running\",", "state => \"stopped\","]);
    let startup = pick(random, &["", "startup => \"enabled\",", "startup => \"disabled\","]);
    format!("{state} {startup}")
}

fn timer(random: &mut Rng) -> String {
    if random.one_in(3) {
        return "state => \"absent\",".to_owned();
    }
    let time = pick(random, &["daily", "weekly", "*-*-* 04:00:00"]);
    let more = pick(random, &["", "startup => \"disabled\",", "persistent => true,", "description => \"Timer\","]);
    format!("state => \"exists\", trigger => \"OnCalendar\", time => \"{time}\", unit => \"web0.service\", {more}")
}

/// A file of an account that the program may make or remove.
fn owned_file(random: &mut Rng, i: usize) -> String {
    let group = pick(random, &["", "group => \"games\",", "group => \"crew0\","]);
    let owner = if random.bool() { format!("owner => \"ann{i}\",") } else { String::new() };
    format!("state => \"exists\", content => \"x\", {owner} {group}")
}

/// Changes what an earlier program made.
fn disturb(random: &mut Rng, machine: &Machine) {
    for i in 0..3 {
        let commands = [
            format!("umount /srv/m{i}"),
            format!("mount -t ramfs none /srv/m{i}"),
            format!("mount -o remount,bind,ro /srv/m{i}"),
            format!("usermod -c Other ann{i}"),
            format!("userdel ann{i}"),
            format!("groupadd crew{i}"),
            format!("groupadd old{i}"),
            // Not the next free number, which the program may give to another user.
            format!("useradd --uid 610{i} --gid old{i} other{i}"),
            format!("userdel other{i}"),
            format!("groupadd --gid 6173{i} clan{i}"),
            format!("groupadd --gid 6173{} taken{i}", 5 - i),
            format!("groupdel taken{i}"),
            format!("useradd --uid 6110{i} bob{i}"),
            format!("useradd --uid 6110{} --gid clan{i} rival{i}", 5 - i),
            format!("userdel rival{i}"),
            format!("usermod --gid clan{} bob{i}", 2 - i),
            format!("usermod --append --groups clan{} bob{i}", 2 - i),
            format!("useradd --uid 620{i} gone{i}"),
            format!("systemctl stop web{i}"),
            format!("systemctl disable web{i}"),
            format!("systemctl stop timer{i}.timer"),
            format!("rm -f /srv/f{i}"),
            format!("systemctl stop timer{i}.timer; rm -f /etc/systemd/system/timer{i}.timer; systemctl daemon-reload"),
        ];
        for command in commands {
            if random.one_in(5) {
                machine.run(&["sh", "-c", &command]);
            }
        }
    }
}

#[test]
fn random_programs_on_a_machine_do_what_was_planned() {
    let Some(machine) = Machine::boot("") else { return };
    let directories = ["/srv/m0", "/srv/m1", "/srv/m2", "/srv/source", "/etc/sysctl.d"];
    machine.must(&[&["mkdir", "-p"][..], &directories].concat());
    for i in 0..3 {
        machine.write(&format!("/etc/systemd/system/web{i}.service"), UNIT);
    }
    machine.must(&["systemctl", "daemon-reload"]);
    // Its network is its own, and so is this parameter.
    machine.must(&["mount", "-o", "remount,bind,rw", "/proc/sys"]);
    for_each_seed(PROGRAMS, |random| {
        disturb(random, &machine);
        let program = program(random);
        machine.scratch.write("main.mcl", &program);
        machine.scratch.build();
        let run = |command: &[&str]| -> Ran {
            machine.run(&[&["/tools/mgmt-rt"], command, &["/test/main.bin", "--prefix", STATE]].concat())
        };
        let plan = || run(&["plan", "--format", "json", "--run-commands"]);
        let planned = plan();
        let noop = run(&["apply", "--once", "--noop", "--log-format", "json"]);
        let applied = run(&["apply", "--once", "--log-format", "json"]);
        if planned.err.contains("R0304") {
            // Nothing runs, so there is nothing to compare.
            for ran in [&planned, &noop, &applied] {
                assert!(ran.status == 1 && ran.err.contains("R0304"), "{program}{}{}", ran.out, ran.err);
            }
            assert!(changes_of(&applied.out).changes.is_empty(), "{program}");
            return;
        }
        check(&program, &planned, &noop, &applied, plan);
    });
}
