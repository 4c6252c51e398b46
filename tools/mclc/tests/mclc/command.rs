//! Running the tool in a scratch directory.

use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run said.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A scratch directory.
pub struct Scratch(test_support::Scratch);

impl Deref for Scratch {
    type Target = test_support::Scratch;

    fn deref(&self) -> &test_support::Scratch {
        &self.0
    }
}

impl Scratch {
    /// With these files.
    pub fn new(files: &[(&str, &[u8])]) -> Scratch {
        Scratch(test_support::Scratch::with_files(files.iter().copied()))
    }

    pub fn mclc(&self, args: &[&str]) -> Ran {
        self.mclc_with_input(args, b"")
    }

    /// With these environment variables.
    pub fn mclc_in(&self, environment: &[(&str, &str)], args: &[&str]) -> Ran {
        run_in(self.dir(), environment, args, b"")
    }

    pub fn mclc_with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        run(self.dir(), args, input)
    }
}

/// Runs the tool in a directory.
pub fn run(directory: &Path, args: &[&str], input: &[u8]) -> Ran {
    run_in(directory, &[], args, input)
}

fn run_in(directory: &Path, environment: &[(&str, &str)], args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mclc"))
        .args(args)
        .current_dir(directory)
        .env_remove("MGMT_MODULE_PATH")
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // The tool may not read it at all.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let out = child.wait_with_output().expect("the tool ends");
    writer.join().expect("the input is written");
    let text = |bytes| String::from_utf8(bytes).expect("the tool writes UTF-8");
    Ran {
        status: out.status.code().expect("the tool was not killed"),
        stdout: text(out.stdout),
        stderr: text(out.stderr),
    }
}
