//! Programs that print external facts.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use child_process::{command_as, spawn};
use pp_environment::Printed;
use safe_fs::Files;

/// How long a program may run.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two looks at whether a program that closed its output has ended.
const END_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Maximum size of what it prints, in bytes.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// Starts a program that prints external facts, unless another user can change it, and returns what it printed.
#[must_use]
pub fn run_fact_program(program: &Path) -> Printed {
    run_within(program, TIMEOUT)
}

fn run_within(program: &Path, timeout: Duration) -> Printed {
    let failed = |problem: String| Printed { text: String::new(), problem: Some(problem) };
    let path = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    if let Err(error) = Files::of_kernel().check_path_protected(&path) {
        return failed(format!("it is not started: {error}"));
    }
    let mut command = command_as(None, &path, &path.to_string_lossy());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut group = match spawn(&mut command, &|| false) {
        Ok(group) => group,
        Err(error) => return failed(format!("it cannot be started: {error}")),
    };
    let Some(output) = group.child().stdout.take() else { return failed("it has no output".to_owned()) };
    let (sender, read) = channel();
    let reader = std::thread::Builder::new().name("fact-program".to_owned()).spawn(move || {
        let mut bytes = Vec::new();
        let result = output.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let _ = sender.send(result.map(|_| bytes));
    });
    let deadline = Instant::now() + timeout;
    let printed = match reader {
        Ok(_) => read.recv_timeout(timeout),
        Err(error) => {
            group.kill();
            return failed(format!("its output cannot be read: {error}"));
        }
    };
    let Ok(printed) = printed else {
        group.kill();
        return failed(format!("it was ended after {} seconds", timeout.as_secs_f32()));
    };
    let text = printed.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    loop {
        match group.try_wait() {
            Ok(Some(status)) if status.success() => return Printed { text, problem: None },
            Ok(Some(status)) => return Printed { text, problem: Some(format!("it ended with {status}")) },
            Ok(None) if Instant::now() < deadline => std::thread::sleep(END_POLL_INTERVAL),
            Ok(None) | Err(_) => {
                group.kill();
                return Printed { text, problem: Some("it closed its output and did not end".to_owned()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn run(script: &str, mode: u32, timeout: Duration) -> Printed {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("facts");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("writable");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("writable");
        run_within(&path, timeout)
    }

    #[test]
    fn what_a_program_prints_counts_even_if_it_fails() {
        let minute = Duration::from_secs(60);
        assert_eq!(run("echo a=1", 0o755, minute), Printed { text: "a=1\n".to_owned(), problem: None });
        let failing = run("echo a=1; exit 3", 0o755, minute);
        assert_eq!(failing.text, "a=1\n");
        assert!(failing.problem.is_some_and(|problem| problem.contains('3')));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let printed = run("echo a=1; sleep 1000", 0o755, Duration::from_millis(200));
        assert!(printed.problem.is_some_and(|problem| problem.contains("ended after")));
    }

    #[test]
    fn a_program_that_others_can_change_is_not_started() {
        let printed = run("echo a=1", 0o777, Duration::from_secs(60));
        assert_eq!(printed.text, "");
        assert!(printed.problem.is_some_and(|problem| problem.starts_with("it is not started")));
    }
}
