//! Catalogs follow the facts of the machine: external facts, the network, the host name, mounts. Agents run in namespaces of their
//! own, which the tests change.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use test_support::{eventually, skip};

use crate::support::{Agent, Scratch, bin, is_root};

/// Where external facts are, on a file system of the namespace.
const FACTS: &str = "/opt/puppetlabs/facter/facts.d";

/// An agent in namespaces of its own.
struct Isolated {
    scratch: Scratch,
    agent: Agent,
}

impl Isolated {
    /// Starts an agent with a manifest. `None` where namespaces cannot be made.
    fn start(manifest: &str) -> Option<Isolated> {
        if !unshare("true").status().is_ok_and(|status| status.success()) || !has("ip") || !has("nsenter") {
            skip("namespaces need root or user namespaces, and `unshare`, `nsenter` and `ip`");
            return None;
        }
        let scratch = Scratch::new("");
        scratch.write("site.pp", manifest);
        let apply = format!(
            "mount -t tmpfs -o mode=755 none /opt && mkdir -p {FACTS} && cd {} && touch inside && exec {} apply --puppet site.pp --prefix state",
            scratch.path("").display(),
            bin().join("mgmt-rt").display()
        );
        let mut command = unshare(&apply);
        let agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
        // Before that, commands would change the machine.
        eventually("the namespaces are there", || scratch.path("inside").exists());
        Some(Isolated { scratch, agent })
    }

    /// Runs a command of the shell in the namespaces.
    #[track_caller]
    fn run(&self, script: &str) {
        let mut command = Command::new("nsenter");
        let namespaces: &[&str] =
            if is_root() { &["-n", "-m", "-u"] } else { &["-U", "-n", "-m", "-u", "--preserve-credentials"] };
        command.arg("--target").arg(self.agent.0.id().to_string()).args(namespaces).args(["sh", "-c", script]);
        assert!(command.status().expect("nsenter starts").success(), "{script}");
    }

    /// Waits until the page is as expected.
    #[track_caller]
    fn shows(&self, event: &str, expected: &str) {
        let mut last = None;
        let is_expected = || {
            last = self.scratch.read("page");
            last.as_deref() == Some(expected)
        };
        eventually(event, is_expected);
    }

    /// Returns how many times the program `counted` ran.
    fn runs(&self) -> usize {
        self.scratch.read("runs").map_or(0, |text| text.lines().count())
    }

    /// Installs a program whose runs are counted, and which prints the fact `printed`.
    fn install_program(&self) {
        self.scratch.write("counted", "#!/bin/sh\necho run >> @/runs\necho printed=yes\n");
        let from = self.scratch.path("counted").display().to_string();
        self.run(&format!("cp {from} {FACTS}/.new && chmod 755 {FACTS}/.new && mv {FACTS}/.new {FACTS}/counted"));
    }
}

/// Makes a command that runs a script of the shell in new namespaces.
fn unshare(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(if is_root() { &[][..] } else { &["--map-root-user"] });
    command.args(["--net", "--mount", "--uts", "sh", "-c", script]).stdin(Stdio::null()).env("NO_COLOR", "1");
    command
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok() || Command::new(program).arg("-V").output().is_ok()
}

#[test]
fn files_follow_the_facts_that_they_are_made_of() {
    let manifest = "\
$mounted = $facts['mountpoints']['/opt/data'] ? { undef => 'no', default => 'yes' }
file { '@/page':
  ensure  => file,
  content => \"${facts['role']} ${facts['zone']} ${facts['networking']['ip']} ${facts['networking']['hostname']} ${mounted}\",
}
";
    let Some(isolated) = Isolated::start(manifest) else { return };
    eventually("the first page", || isolated.scratch.read("page").is_some());
    isolated.run("echo first > /proc/sys/kernel/hostname; ip link set lo up");
    isolated.shows("the host name", "   first no");
    isolated.run(&format!("echo role=web > {FACTS}/role.txt"));
    isolated.shows("an external fact", "web   first no");
    isolated.run("ip addr add 10.9.8.7/32 dev lo");
    isolated.shows("an address", "web  10.9.8.7 first no");
    isolated.run("mkdir /opt/data && mount -t tmpfs none /opt/data");
    isolated.shows("a mount", "web  10.9.8.7 first yes");
    isolated.run(&format!("echo '{{\"zone\": \"a\"}}' > {FACTS}/zone.json"));
    isolated.shows("an external fact in JSON", "web a 10.9.8.7 first yes");
    // Half of a file changes nothing of what it said, and other changes are followed meanwhile.
    isolated.run(&format!("printf '{{\"zone\": ' > {FACTS}/zone.json; echo role=db > {FACTS}/role.txt"));
    isolated.shows("a change beside a file that is half written", "db a 10.9.8.7 first yes");
    isolated.run(&format!("printf '\"b\"}}' >> {FACTS}/zone.json; umount /opt/data"));
    isolated.shows("the rest of the file, and a mount that is gone", "db b 10.9.8.7 first no");
    isolated
        .run(&format!("rm {FACTS}/role.txt; ip addr del 10.9.8.7/32 dev lo; echo second > /proc/sys/kernel/hostname"));
    isolated.shows("facts that are gone", " b  second no");
    // A program that others may change is not started; the same program is, once they may not.
    isolated.run(&format!("printf '#!/bin/sh\\necho role=program\\n' > {FACTS}/run; chmod 777 {FACTS}/run"));
    isolated.run(&format!("echo zone=c > {FACTS}/zone.txt"));
    isolated.shows("a change beside a program that others can change", " c  second no");
    isolated.run(&format!("chmod 755 {FACTS}/run; touch {FACTS}/run"));
    isolated.shows("a fact of a program", "program c  second no");
}

#[test]
fn facts_that_nobody_reads_wake_nobody() {
    let manifest = "file { '@/page': ensure => file, content => \"${facts['printed']} ${facts['os']['family']}\" }\n";
    let Some(isolated) = Isolated::start(manifest) else { return };
    isolated.install_program();
    eventually("the fact of a program", || isolated.scratch.read("page").is_some_and(|text| text.starts_with("yes ")));
    // Until nothing is pending.
    let mut before = 0;
    eventually("a pause", || {
        std::thread::sleep(Duration::from_secs(2));
        std::mem::replace(&mut before, isolated.runs()) == isolated.runs()
    });
    isolated.run("ip link set lo up; for n in $(seq 200); do ip addr add 10.9.8.$n/32 dev lo; done; hostname other");
    isolated.run("mkdir /opt/data && mount -t tmpfs none /opt/data");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(isolated.runs(), before, "the catalog was compiled again");
    isolated.run(&format!("echo other=1 > {FACTS}/other.txt"));
    eventually("a file beside that of a fact that was read", || isolated.runs() > before);
}

#[test]
fn a_storm_of_changes_is_damped() {
    let manifest =
        "file { '@/page': ensure => file, content => \"${facts['printed']} ${facts['networking']['ip']}\" }\n";
    let Some(isolated) = Isolated::start(manifest) else { return };
    isolated.install_program();
    isolated.shows("the fact of a program", "yes ");
    let (before, start) = (isolated.runs(), Instant::now());
    let changes: String = (0..1_000)
        .map(|n| format!("addr flush dev lo\naddr add 10.9.{}.{}/32 dev lo\n", n / 250, n % 250 + 1))
        .collect();
    isolated.scratch.write("changes", &changes);
    let batch = isolated.scratch.path("changes").display().to_string();
    isolated.run(&format!("ip link set lo up; ip -batch {batch}"));
    isolated.shows("the last address", "yes 10.9.3.250");
    // The program runs once per compilation. Each second has at most one, and one may have been pending.
    let (runs, seconds) = (isolated.runs() - before, start.elapsed().as_secs() as usize);
    assert!(runs <= seconds + 2, "{runs} compilations in {seconds} seconds");
}
