//! `mclc check --watch` (spec 11 §5).

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::command::Scratch;

/// A check that goes on. It is killed with the test.
struct Watch {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Watch {
    fn new(scratch: &Scratch, args: &[&str]) -> Watch {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mclc"));
        command.args(["check", "--watch", "--format", "short"]).args(args).current_dir(scratch.dir());
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the tool starts");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Watch { process, output }
    }

    /// Returns the findings of the next check, and how many files are watched.
    fn next(&mut self) -> (Vec<String>, String) {
        let mut findings = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it can be read") > 0, "it ended after {findings:?}");
            if let Some(watched) = line.strip_prefix("watching ") {
                let (files, _) = watched.split_once(" (").expect("the time");
                return (findings, files.to_owned());
            }
            findings.push(line.split(':').take(4).collect::<Vec<_>>().join(":"));
        }
    }

    #[track_caller]
    fn expect(&mut self, findings: &[&str], files: &str) {
        assert_eq!(self.next(), (findings.iter().map(ToString::to_string).collect(), files.to_owned()));
    }

    fn interrupt(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.process), Signal::INT).expect("it runs");
        self.process.wait().expect("it ends").code()
    }
}

#[test]
fn a_change_is_checked_again() {
    let scratch = Scratch::new(&[("main.mcl", b"import \"lib.mcl\"\n$x = $nope\n")]);
    let path = |name: &str| scratch.dir().join(name);
    let mut watch = Watch::new(&scratch, &["."]);
    watch.expect(&["main.mcl:1:8: error[E0503]", "main.mcl:2:6: error[E0601]"], "1 file");
    // A file that was missing appears.
    fs::write(path("lib.mcl"), "class c {\n}\n").expect("it is written");
    watch.expect(&["main.mcl:2:6: error[E0601]"], "2 files");
    // As editors save: another file takes the name.
    fs::write(path(".main.mcl.swp"), "import \"lib.mcl\"\ninclude lib.d\n").expect("it is written");
    fs::rename(path(".main.mcl.swp"), path("main.mcl")).expect("it is renamed");
    watch.expect(&["main.mcl:2:9: error[E0604]"], "2 files");
    fs::write(path("lib.mcl"), "class d {\n}\n").expect("it is written");
    watch.expect(&[], "2 files");
    assert_eq!(watch.interrupt(), Some(0));
}

#[test]
fn the_exit_status_is_that_of_the_last_check() {
    let scratch = Scratch::new(&[("a.mcl", b"$x = $nope\n")]);
    let mut watch = Watch::new(&scratch, &["a.mcl"]);
    watch.expect(&["a.mcl:1:6: error[E0601]"], "1 file");
    assert_eq!(watch.interrupt(), Some(1));
    let ran = scratch.mclc_with_input(&["check", "--watch", "-"], b"$x = 1\n");
    assert_eq!((ran.status, ran.stderr.contains("cannot be watched")), (2, true), "{ran:?}");
}
