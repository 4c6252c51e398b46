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

const LINKS: [&str; 2] = [
    r#"net "lab0" { state => "up", addrs => ["192.0.2.7/24", "2001:db8::7/64",], gateway => "192.0.2.1", }"#,
    r#"net "lab0" { state => "up", addrs => ["198.51.100.7/24",], gateway => "198.51.100.1", }"#,
];

const LINK_RESULTS: [&[(&str, &str)]; 2] = [
    &[
        ("ip -brief address show dev lab0 scope global | tr -s ' ' | cut -d' ' -f3-", "192.0.2.7/24 2001:db8::7/64 \n"),
        ("ip route show default | cut -d' ' -f1-5", "default via 192.0.2.1 dev lab0\n"),
        ("grep ^Address /etc/systemd/network/mgmt-lab0.network", "Address=192.0.2.7/24\nAddress=2001:db8::7/64\n"),
    ],
    &[
        ("ip -brief address show dev lab0 scope global | tr -s ' ' | cut -d' ' -f3-", "198.51.100.7/24 \n"),
        ("ip route show default | cut -d' ' -f1-5", "default via 198.51.100.1 dev lab0\n"),
        ("grep ^Address /etc/systemd/network/mgmt-lab0.network", "Address=198.51.100.7/24\n"),
    ],
];

const APPLY: [&str; 6] = ["/tools/mgmt-rt", "apply", "/test/main.bin", "--once", "--prefix", "/srv/state"];

/// Programs that contradict each other, what has to be on the machine after each, and how many stops each has.
pub struct Contradiction<'a> {
    machine: &'a Machine,
    programs: [&'a str; 2],
    /// Commands, and what they print.
    results: [&'a [(&'a str, &'a str)]; 2],
    stops: [u64; 2],
}

impl<'a> Contradiction<'a> {
    /// Applies each program once, without a kill.
    pub fn new(
        machine: &'a Machine,
        programs: [&'a str; 2],
        results: [&'a [(&'a str, &'a str)]; 2],
    ) -> Contradiction<'a> {
        machine.must(&["touch", "/srv/start"]);
        let stops = programs.map(|program| {
            machine.scratch.write("main.mcl", program);
            machine.scratch.build();
            match run_until(&machine.command(&APPLY), u64::MAX) {
                End::Completed { stops } => stops,
                End::Killed => panic!("nothing was to be killed"),
            }
        });
        Contradiction { machine, programs, results, stops }
    }

    /// Kills runs of each program, and completes it.
    pub fn check(&mut self, kills: u64) {
        for_each_seed(kills, |random| (0..2).for_each(|program| self.kill_and_complete(program, random)));
    }

    fn kill_and_complete(&mut self, i: usize, random: &mut Rng) {
        let machine = self.machine;
        machine.scratch.write("main.mcl", self.programs[i]);
        machine.scratch.build();
        for _ in 0..1 + random.usize(..2) {
            if let End::Completed { stops: all } = run_until(&machine.command(&APPLY), random.u64(1..=self.stops[i])) {
                self.stops[i] = self.stops[i].min(all.max(1));
            }
        }
        let completed = machine.run(&APPLY);
        assert_eq!(completed.status, 0, "{}{}", completed.out, completed.err);
        for (command, expected) in self.results[i] {
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
    machine.write("/etc/fstab", "# kept\n");
    machine.write(
        "/etc/systemd/system/web.service",
        "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n",
    );
    machine.must(&["systemctl", "daemon-reload"]);
    // Its network is its own, and so is this parameter.
    machine.must(&["mount", "-o", "remount,bind,rw", "/proc/sys"]);
    Contradiction::new(&machine, PROGRAMS, RESULTS).check(KILLS);
}

#[test]
fn addresses_and_routes() {
    let Some(machine) = Machine::boot_with("", &["/usr/sbin/ip"]) else { return };
    machine.must(&["mkdir", "-p", "/etc/systemd/network"]);
    machine.must(&["ip", "link", "add", "lab0", "type", "bridge"]);
    Contradiction::new(&machine, LINKS, LINK_RESULTS).check(KILLS * 2);
}
