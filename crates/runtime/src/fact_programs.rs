//! Programs that print external facts.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::time::{Duration, Instant};

use child_process::{ProcessGroup, command_as, spawn};
use pp_environment::Printed;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use safe_fs::Files;

/// How long a program may run.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two looks at whether a program that closed its output has ended.
const END_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Maximum size of what it prints, in bytes.
const MAX_OUTPUT_BYTES: usize = 16 << 20;
/// Size of one reading, in bytes.
const CHUNK_BYTES: usize = 64 << 10;
/// Time between two looks at whether a program whose output is open has ended.
const OUTPUT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Starts a program that prints external facts, unless another user can change it, and returns what it printed.
#[must_use]
pub fn run_fact_program(program: &Path) -> Printed {
    run_within(program, TIMEOUT)
}

/// Returns why another user can change a file of external facts; `None` if nobody else can.
#[must_use]
pub fn why_unprotected(file: &Path) -> Option<String> {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    Files::of_kernel().check_path_protected(&path).err().map(|error| error.to_string())
}

fn run_within(program: &Path, timeout: Duration) -> Printed {
    let failed = |problem: String| Printed { text: String::new(), problem: Some(problem) };
    let path = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    if let Some(reason) = why_unprotected(&path) {
        return failed(format!("it is not started: {reason}"));
    }
    let mut command = command_as(None, &path, &path.to_string_lossy());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut group = match spawn(&mut command, &|| false) {
        Ok(group) => group,
        Err(error) => return failed(format!("it cannot be started: {error}")),
    };
    let Some(output) = group.child().stdout.take() else { return failed("it has no output".to_owned()) };
    let deadline = Instant::now() + timeout;
    let printed = match read_until(output, &group, deadline) {
        Ok(printed) => printed,
        Err(problem) => {
            group.kill();
            return failed(match problem {
                OutputProblem::TimedOut => format!("it was ended after {} seconds", timeout.as_secs_f32()),
                OutputProblem::TooLarge => format!("it printed more than {MAX_OUTPUT_BYTES} bytes"),
                OutputProblem::Io(error) => format!("its output cannot be read: {error}"),
            });
        }
    };
    let text = String::from_utf8_lossy(&printed).into_owned();
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

/// Why there is no output.
enum OutputProblem {
    TimedOut,
    TooLarge,
    Io(io::Error),
}

/// Reads what a program prints until it has ended. What it leaves in the background may keep the output open.
fn read_until(mut output: ChildStdout, group: &ProcessGroup, deadline: Instant) -> Result<Vec<u8>, OutputProblem> {
    let set = || fcntl_setfl(&output, fcntl_getfl(&output)? | OFlags::NONBLOCK);
    set().map_err(|error| OutputProblem::Io(error.into()))?;
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        // What was printed before the end is there after it.
        let has_ended = group.has_ended();
        match output.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && has_ended => return Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= deadline {
                    return Err(OutputProblem::TimedOut);
                }
                let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(OUTPUT_POLL_INTERVAL.subsec_nanos()) };
                let _ = poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&wait));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(OutputProblem::Io(error)),
        }
        if bytes.len() > MAX_OUTPUT_BYTES {
            return Err(OutputProblem::TooLarge);
        }
        if Instant::now() >= deadline {
            return Err(OutputProblem::TimedOut);
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
    fn what_a_program_leaves_in_the_background_does_not_hold_it_up() {
        let start = Instant::now();
        let printed = run("sleep 600 & echo a=1", 0o755, Duration::from_secs(300));
        assert_eq!(printed, Printed { text: "a=1\n".to_owned(), problem: None });
        assert!(start.elapsed() < Duration::from_secs(120));
    }

    #[test]
    fn a_program_that_prints_without_an_end_is_ended() {
        let printed = run("exec head -c 100000000 /dev/zero", 0o755, Duration::from_secs(600));
        assert_eq!(printed.text, "", "half of an output may mean something else");
        assert!(printed.problem.is_some_and(|problem| problem.starts_with("it printed more than")));
    }

    #[test]
    fn a_link_is_as_good_as_what_it_leads_to() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (program, link) = (directory.path().join("program"), directory.path().join("link"));
        std::fs::write(&program, "#!/bin/sh\necho a=1\n").expect("writable");
        std::os::unix::fs::symlink(&program, &link).expect("writable");
        for (mode, text) in [(0o755, "a=1\n"), (0o777, "")] {
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).expect("writable");
            assert_eq!(run_within(&link, Duration::from_secs(60)).text, text);
            assert_eq!(why_unprotected(&link).is_some(), text.is_empty());
        }
    }

    #[test]
    fn a_program_that_others_can_change_is_not_started() {
        let printed = run("echo a=1", 0o777, Duration::from_secs(60));
        assert_eq!(printed.text, "");
        assert!(printed.problem.is_some_and(|problem| problem.starts_with("it is not started")));
    }
}
