//! Shared by the end-to-end tests: the two tools, a scratch directory, and waiting with a deadline.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use test_support::eventually;

/// Builds both tools with the profile of this test and returns their directory; or returns `MCL_TOOLS`, the path of another.
pub fn bin() -> &'static Path {
    static BIN: OnceLock<PathBuf> = OnceLock::new();
    BIN.get_or_init(|| {
        if let Some(tools) = std::env::var_os("MCL_TOOLS") {
            return PathBuf::from(tools).canonicalize().expect("`MCL_TOOLS` is a directory");
        }
        // …/target/PROFILE/deps/e2e-HASH
        let test = std::env::current_exe().expect("a test has a path");
        let bin = test.parent().and_then(Path::parent).expect("two directories above").to_owned();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "-p", "mclc", "-p", "mgmt-rt"]).current_dir(env!("CARGO_MANIFEST_DIR"));
        if bin.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().expect("cargo runs").success(), "the tools build");
        bin
    })
}

/// A scratch directory with a program in it.
pub struct Scratch {
    dir: tempfile::TempDir,
}

/// The result of a finished command.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Scratch {
    /// Creates a directory with `program` as `main.mcl`. `@` in files stands for the path of the directory.
    pub fn new(program: &str) -> Scratch {
        let scratch = Scratch { dir: tempfile::tempdir().expect("a temporary directory") };
        scratch.write("main.mcl", program);
        scratch
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let text = text.replace('@', &self.dir.path().display().to_string());
        std::fs::write(self.path(name), text).expect("the scratch directory is writable");
    }

    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    pub fn command(&self, tool: &str, args: &[&str]) -> Command {
        let mut command = Command::new(bin().join(tool));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null()).env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, tool: &str, args: &[&str]) -> Ran {
        ran(self.command(tool, args).output().expect("the tool starts"))
    }

    /// Builds `main.mcl` to `main.bin`.
    #[track_caller]
    pub fn build(&self) {
        let ran = self.run("mclc", &["build", "main.mcl", "-o", "main.bin"]);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    }

    /// Builds `main.mcl` and applies it once, with its state in the scratch directory.
    #[track_caller]
    pub fn apply_once(&self, more: &[&str]) -> Ran {
        self.build();
        let args = [&["apply", "main.bin", "--once", "--prefix", "state"], more].concat();
        self.run("mgmt-rt", &args)
    }

    /// Starts an agent on `main.bin`.
    pub fn apply(&self, more: &[&str]) -> Agent {
        let args = [&["apply", "main.bin", "--prefix", "state"], more].concat();
        let mut command = self.command("mgmt-rt", &args);
        Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"))
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A running agent, killed on drop.
pub struct Agent(pub Child);

impl Agent {
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, signal).expect("the agent runs");
    }

    /// Waits for the agent to end and returns its exit status.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        let mut status = None;
        eventually("the agent ends", || {
            status = self.0.try_wait().expect("a child of ours");
            status.is_some()
        });
        status.and_then(|s| s.code()).unwrap_or(-1)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
