//! A second process that ends what this process has started when this process is gone.
//!
//! A process that is killed cannot end its children. The guard can: it holds the reading end of a pipe, on which it learns
//! which process groups run, and which the kernel closes with its only writer. Then the guard kills the groups that
//! are left. A process that has left its group (a daemon that called `setsid`) is not one of them. A group that was being
//! started when the process was killed is found among the orphans of the session: its start was announced.

use std::io::{self, PipeWriter, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group};
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// The connection to the guard of this process.
static GUARD: OnceLock<PipeWriter> = OnceLock::new();

/// A message to the guard: what happened, and a number.
const MESSAGE_LENGTH: usize = 5;
/// A group is about to be started. The number is the time, in seconds since the machine started.
const STARTING: u8 = b'?';
/// It could not be started. The number means nothing.
const NOT_STARTED: u8 = b'!';
/// A group was started; its id.
const STARTED: u8 = b'+';
/// A group has ended; its id.
const ENDED: u8 = b'-';
/// How often to check whether a process that has closed its files has left its children to another one.
const ADOPTION_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Starts the guard: `command` runs a program that calls [`run_guard`] with its standard input and the id of this process,
/// which is added to the arguments. Groups that [`crate::spawn`] starts from now on are guarded. A second call does nothing.
///
/// # Errors
/// The program cannot be started.
pub fn start_guard(mut command: Command) -> io::Result<()> {
    if GUARD.get().is_some() {
        return Ok(());
    }
    let (reader, writer) = io::pipe()?;
    // A guard that does not read must not hold this process up.
    fcntl_setfl(&writer, fcntl_getfl(&writer)? | OFlags::NONBLOCK)?;
    // It may start to run after this process has ended, and could not ask for its parent then.
    command.arg(getpid().to_string());
    // In a group of its own, so that ^C does not end it first.
    command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()?;
    let _ = GUARD.set(writer);
    Ok(())
}

/// Kills the groups that `guarded`, the parent of this process, has started and that have not ended when the input ends. This is
/// all that the guard does.
///
/// # Errors
/// The signals that would end it cannot be blocked.
pub fn run_guard(input: impl Read, guarded: Pid) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::default())?;
    }
    if let Some(start) = kill_left_groups(input) {
        kill_orphans_since(start, guarded);
    }
    Ok(())
}

/// Kills the groups that the parent of this process has started since a time, in seconds since the machine started. They have
/// been adopted by the process that adopted this one, and are in the same session. None of them is starting any more: the
/// input ends when the last one has become its command.
fn kill_orphans_since(start: i64, parent: Pid) {
    let Some(guard) = Process::own() else { return };
    // A process that ends closes its files first.
    while getppid() == Some(parent) {
        std::thread::sleep(ADOPTION_POLL_INTERVAL);
    }
    let Some(adopter) = getppid() else { return };
    for process in processes() {
        let is_orphan = process.parent == adopter.as_raw_pid() && process.session == guard.session;
        let is_new = process.started >= start;
        if is_orphan && is_new && process.group == process.id && process.id != guard.id {
            let _ = Pid::from_raw(process.group).map(|group| kill_process_group(group, Signal::KILL));
        }
    }
}

/// A process, as `/proc/PID/stat` describes it.
struct Process {
    id: i32,
    parent: i32,
    group: i32,
    /// 0 for every session that was started outside of the PID namespace, as the first one of a container often is. `getsid` of
    /// rustix must not be used: it takes the answer for an id without a check.
    session: i32,
    /// In seconds since the machine started.
    started: i64,
}

impl Process {
    /// Returns this process, or `None` if `/proc` describes another PID namespace, whose ids mean other processes here.
    fn own() -> Option<Process> {
        Process::read(Path::new("/proc/self")).filter(|process| process.id == getpid().as_raw_pid())
    }

    /// Reads the description of a process from its directory in `/proc`.
    fn read(directory: &Path) -> Option<Process> {
        let stat = std::fs::read_to_string(directory.join("stat")).ok()?;
        // The name of the program, in parentheses, may contain anything.
        let id = stat.split(' ').next()?.parse().ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<i64>().ok();
        let id_field = |number: usize| field(number).and_then(|id| i32::try_from(id).ok());
        let ticks = i64::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100).max(1);
        let started = field(22)? / ticks;
        Some(Process { id, parent: id_field(4)?, group: id_field(5)?, session: id_field(6)?, started })
    }
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit));
    directories.filter_map(|entry| Process::read(&entry.path()))
}

/// Reads to the end of the input, and kills the groups that are left then. Returns since when groups may have been started that
/// were not reported; `None` if all were.
fn kill_left_groups(mut input: impl Read) -> Option<i64> {
    let mut groups: Vec<i32> = Vec::new();
    // When groups were about to be started.
    let mut starts: Vec<i32> = Vec::new();
    let mut message = [0; MESSAGE_LENGTH];
    while input.read_exact(&mut message).is_ok() {
        let [change, number @ ..] = message;
        let number = i32::from_le_bytes(number);
        // Several threads start groups, so it is unknown which start this is the result of: the earliest ones remain.
        if matches!(change, STARTED | NOT_STARTED) {
            starts.pop();
        }
        match change {
            STARTING => starts.push(number),
            STARTED => groups.push(number),
            _ => groups.retain(|group| *group != number),
        }
    }
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        // Fails if the group has ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
    starts.first().map(|start| i64::from(*start))
}

/// Tells the guard that a group is about to be started: [`Registration::new`] or [`not_started`] follows.
pub(crate) fn starting() {
    let now = i32::try_from(clock_gettime(ClockId::Boottime).tv_sec).unwrap_or(i32::MAX);
    tell(STARTING, now);
}

/// Tells the guard that a group could not be started.
pub(crate) fn not_started() {
    tell(NOT_STARTED, 0);
}

/// A group that the guard knows.
#[derive(Debug)]
pub(crate) struct Registration(Option<Pid>);

impl Registration {
    pub(crate) fn new(group: Pid) -> Registration {
        tell(STARTED, group.as_raw_pid());
        Registration(Some(group))
    }

    /// Ends the registration: the leader of the group has ended.
    pub(crate) fn end(&mut self) {
        if let Some(group) = self.0.take() {
            tell(ENDED, group.as_raw_pid());
        }
    }
}

fn tell(change: u8, number: i32) {
    let Some(mut guard) = GUARD.get() else { return };
    let mut message = [change; MESSAGE_LENGTH];
    message[1..].copy_from_slice(&number.to_le_bytes());
    // Fails if the guard was killed, or does not read. A write of a few bytes to a pipe is never partial.
    let _ = guard.write_all(&message);
}

#[cfg(test)]
mod tests {
    use test_support::eventually;

    use super::*;

    fn message(change: u8, group: Pid) -> Vec<u8> {
        [&[change], &group.as_raw_pid().to_le_bytes()[..]].concat()
    }

    #[test]
    fn groups_that_have_not_ended_are_killed_with_all_their_members() {
        let start = || {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "sleep 1000 & sleep 1000"]).process_group(0);
            command.spawn().expect("a shell")
        };
        let (mut killed, mut kept) = (start(), start());
        let (killed_group, kept_group) = (Pid::from_child(&killed), Pid::from_child(&kept));
        let input = [message(STARTED, killed_group), message(STARTED, kept_group), message(ENDED, kept_group)].concat();
        assert_eq!(kill_left_groups(&input[..]), None);
        killed.wait().expect("a child");
        let is_alive = |group| rustix::process::test_kill_process_group(group).is_ok();
        eventually("its child is gone too", || !is_alive(killed_group));
        assert!(is_alive(kept_group));
        let _ = kill_process_group(kept_group, Signal::KILL);
        kept.wait().expect("a child");
    }

    #[test]
    fn starts_without_a_result_are_known_with_their_time() {
        let message = |change: u8, number: i32| [&[change], &number.to_le_bytes()[..]].concat();
        let (gone, not_started) = (message(ENDED, i32::MAX), message(NOT_STARTED, 0));
        let started = message(STARTED, i32::MAX);
        let since = |messages: &[&Vec<u8>]| {
            kill_left_groups(&messages.iter().copied().cloned().collect::<Vec<_>>().concat()[..])
        };
        let (first, second) = (message(STARTING, 100), message(STARTING, 110));
        assert_eq!(since(&[&first, &started, &second, &not_started, &gone]), None);
        assert_eq!(since(&[&first, &second, &started, &gone]), Some(100));
        assert_eq!(since(&[&first, &started, &second, &gone]), Some(110));
    }
}
