//! A disposable machine for a test: namespaces with a real systemd, message bus and package database (`machine.sh`).
//! Its changes do not reach the host, and it ends with the test.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use test_support::eventually;

use crate::support::{Ran, Scratch, bin, is_root, ran};

/// An ordinary user and group.
pub const NOBODY: &str = "65534:65534";

/// A running machine. It sees the scratch directory as `/test` and the tools in `/tools`.
pub struct Machine {
    pub scratch: Scratch,
    outer: Child,
    inner: String,
}

impl Machine {
    /// Boots a machine and builds the program. Returns `None` where that is not possible.
    #[track_caller]
    pub fn boot(program: &str) -> Option<Machine> {
        Machine::boot_with(program, &[])
    }

    /// Like [`Machine::boot`], for a test that also needs `programs` to be installed.
    #[track_caller]
    pub fn boot_with(program: &str, programs: &[&str]) -> Option<Machine> {
        let needed = ["/lib/systemd/systemd", "/usr/bin/dbus-daemon", "/usr/bin/unshare", "/usr/bin/nsenter"];
        let missing = needed.iter().chain(programs).find(|program| !PathBuf::from(program).exists());
        match (is_root(), missing) {
            (true, None) => {}
            (false, _) => return skip("a disposable machine needs root"),
            (true, Some(program)) => return skip(&format!("{program} is not installed")),
        }
        let scratch = Scratch::new(program);
        scratch.build();
        let mut outer = Command::new("unshare")
            .args(["--mount", "sh", "-c", include_str!("machine.sh"), "machine"])
            .arg(scratch.path("."))
            .arg(bin())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare is there");
        let mut inner = String::new();
        BufReader::new(outer.stdout.take().expect("piped")).read_line(&mut inner).expect("readable");
        let machine = Machine { scratch, outer, inner: inner.trim().to_owned() };
        if machine.inner.is_empty() {
            return skip("namespaces and mounts are not permitted here");
        }
        eventually("the machine boots", || {
            machine.run(&["systemctl", "--quiet", "is-active", "test.target"]).status == 0
        });
        Some(machine)
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.inner, "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--"]);
        command.args(words).stdin(Stdio::null()).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("HOME", "/root").env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        ran(self.command(words).output().expect("nsenter is there"))
    }

    /// Runs a command that has to succeed and returns its output.
    #[track_caller]
    pub fn must(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.status, 0, "{words:?}: {}{}", ran.out, ran.err);
        ran.out
    }

    /// Replaces `main.mcl`, builds it and applies it once.
    #[track_caller]
    pub fn apply(&self, program: &str) -> Ran {
        self.scratch.write("main.mcl", program);
        self.scratch.build();
        self.apply_once()
    }

    pub fn apply_once(&self) -> Ran {
        self.run(&["/tools/mgmt-rt", "apply", "/test/main.bin", "--once", "--prefix", "/test/state"])
    }

    /// Applies a program once, which must succeed, and asserts that a plan then finds nothing to change.
    #[track_caller]
    pub fn converges(&self, program: &str) {
        let first = self.apply(program);
        assert_eq!(first.status, 0, "{}{}", first.out, first.err);
        let plan = self.run(&["/tools/mgmt-rt", "plan", "/test/main.bin"]);
        assert_eq!(plan.status, 0, "{}{}", plan.out, plan.err);
    }

    /// Starts an agent that ends with the machine. Its diagnostics go to the log.
    pub fn agent(&self) {
        self.start(&["/tools/mgmt-rt", "apply", "/test/main.bin", "--prefix", "/test/state"]);
    }

    /// Like [`Machine::agent`], as an ordinary user, who owns the new `directories`.
    pub fn agent_of_nobody(&self, directories: &[&str]) {
        std::fs::set_permissions(self.scratch.path("."), PermissionsExt::from_mode(0o755)).expect("our own directory");
        let directories = [directories, &["/srv/state"]].concat();
        self.must(&[&["mkdir"][..], &directories].concat());
        self.must(&[&["chown", NOBODY][..], &directories].concat());
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
        let apply = ["/tools/mgmt-rt", "apply", "/test/main.bin", "--prefix", "/srv/state"];
        self.start(&[&user[..], &apply].concat());
    }

    fn start(&self, words: &[&str]) {
        let log = std::fs::File::create(self.scratch.path("log")).expect("writable");
        drop(self.command(words).stdout(Stdio::null()).stderr(log).spawn().expect("nsenter is there"));
    }

    pub fn log(&self) -> String {
        self.scratch.read("log").unwrap_or_default()
    }

    /// Writes a file that exists only inside the machine.
    pub fn write(&self, path: &str, text: &str) {
        self.scratch.write("file", text);
        self.must(&["cp", "/test/file", path]);
    }

    pub fn succeeds(&self, words: &[&str]) -> bool {
        self.run(words).status == 0
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the log of the agent:\n{}", self.log());
        }
        // The script ends the machine when its input ends.
        drop(self.outer.stdin.take());
        let _ = self.outer.wait();
    }
}

/// Reports why a test is skipped. Fails instead where `.ci/run` demands that every test runs.
#[track_caller]
pub fn skip<T>(why: &str) -> Option<T> {
    assert!(std::env::var_os("MCL_SKIP_NOTHING").is_none(), "{why}");
    eprintln!("skipped: {why}");
    None
}
