//! Kinds that change more than files, killed before any of their system calls, on a disposable machine.

use test_support::{Rng, for_each_seed};

use crate::machine::Machine;
use crate::traced::{End, run_until};

/// Number of kills of each program in a test run. `RUNS_FACTOR` multiplies it.
const KILLS: u64 = 4;

/// Programs that contradict each other, so that each finds something to do after the other.
const PROGRAMS: [&str; 2] = [
    r#"
group "crew" { state => "exists", gid => 4711, }
user "ann" { state => "exists", uid => 4711, group => "crew", groups => ["games",], homedir => "/srv/ann/", shell => "/bin/sh", }
mount "/srv/scratch" { state => "exists", device => "tmpfs", type => "tmpfs", options => {"size" => "1m",}, }
hostname "web1" { pretty_hostname => "Web 1", }
sysctl "net.ipv4.ip_default_ttl" { value => "70", }
svc "web" { state => "running", startup => "enabled", }
cron "backup" { state => "exists", trigger => "OnCalendar", time => "daily", unit => "web.service", }
"#,
    r#"
user "ann" { state => "absent", }
group "crew" { state => "absent", Depend => User["ann"], }
mount "/srv/scratch" { state => "absent", }
hostname "db1" { pretty_hostname => "Database 1", }
sysctl "net.ipv4.ip_default_ttl" { value => "65", }
svc "web" { state => "stopped", startup => "disabled", }
cron "backup" { state => "absent", }
"#,
];

/// What has to be on the machine after each program: a command, and what it prints.
const RESULTS: [&[(&str, &str)]; 2] = [
    &[
        ("getent passwd ann", "ann:x:4711:4711::/srv/ann:/bin/sh\n"),
        ("getent group crew", "crew:x:4711:\n"),
        ("getent shadow ann | cut -d: -f1,2", "ann:!\n"),
        ("id -Gn ann", "crew games\n"),
        ("findmnt --noheadings --output FSTYPE /srv/scratch", "tmpfs\n"),
        ("cat /etc/fstab", "# kept\ntmpfs /srv/scratch tmpfs size=1m 0 0\n"),
        ("uname -n; cat /etc/hostname", "web1\nweb1\n"),
        ("cat /proc/sys/net/ipv4/ip_default_ttl", "70\n"),
        ("systemctl is-active web; systemctl is-enabled web", "active\nenabled\n"),
        ("systemctl is-active backup.timer; systemctl is-enabled backup.timer", "active\nenabled\n"),
    ],
    &[
        ("getent passwd ann; getent shadow ann; getent group crew", ""),
        ("grep ann /etc/group /etc/gshadow", ""),
        ("findmnt --noheadings --output FSTYPE /srv/scratch", ""),
        ("cat /etc/fstab", "# kept\n"),
        ("uname -n; cat /etc/hostname", "db1\ndb1\n"),
        ("cat /proc/sys/net/ipv4/ip_default_ttl", "65\n"),
        ("systemctl is-active web; systemctl is-enabled web", "inactive\ndisabled\n"),
        ("ls /etc/systemd/system | grep backup", ""),
    ],
];

const APPLY: [&str; 6] = ["/tools/mgmt-rt", "apply", "/test/main.bin", "--once", "--prefix", "/srv/state"];

fn kill_and_complete(machine: &Machine, random: &mut Rng, stops: &mut [u64; 2]) {
    for (i, program) in PROGRAMS.iter().enumerate() {
        machine.scratch.write("main.mcl", program);
        machine.scratch.build();
        for _ in 0..1 + random.usize(..2) {
            if let End::Completed { stops: all } = run_until(&machine.command(&APPLY), random.u64(1..=stops[i])) {
                stops[i] = stops[i].min(all.max(1));
            }
        }
        let completed = machine.run(&APPLY);
        assert_eq!(completed.status, 0, "{}{}", completed.out, completed.err);
        for (command, expected) in RESULTS[i] {
            assert_eq!(machine.run(&["sh", "-c", command]).out, *expected, "{command}");
        }
        let plan = machine.run(&["/tools/mgmt-rt", "plan", "/test/main.bin", "--prefix", "/srv/state"]);
        assert_eq!(plan.status, 0, "{}{}", plan.out, plan.err);
        let left = machine.run(&[
            "sh",
            "-c",
            "find /etc /srv -name '.mgmt-tmp-*' -o -name '*.lock' -size -1k -newer /srv/start",
        ]);
        let locks = left.out.lines().filter(|path| !path.ends_with("engine/lock") && !path.ends_with(".pwd.lock"));
        assert_eq!(locks.collect::<Vec<_>>(), [""; 0], "temporary files or locks are left");
    }
}

#[test]
fn accounts_mounts_names_parameters_and_services() {
    let Some(machine) = Machine::boot("") else { return };
    machine.must(&["mkdir", "-p", "/srv/scratch", "/srv/ann"]);
    machine.must(&["touch", "/srv/start"]);
    machine.write("/etc/fstab", "# kept\n");
    machine.write(
        "/etc/systemd/system/web.service",
        "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n",
    );
    machine.must(&["systemctl", "daemon-reload"]);
    // Its network is its own, and so is this parameter.
    machine.must(&["mount", "-o", "remount,bind,rw", "/proc/sys"]);
    let mut stops = PROGRAMS.map(|program| {
        machine.scratch.write("main.mcl", program);
        machine.scratch.build();
        match run_until(&machine.command(&APPLY), u64::MAX) {
            End::Completed { stops } => stops,
            End::Killed => panic!("nothing was to be killed"),
        }
    });
    for_each_seed(KILLS, |random| kill_and_complete(&machine, random, &mut stops));
}
