//! The limits of the machine on what runs at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};

/// Maximum number of commands that run at a time, whatever the machine allows.
const MAX_COMMANDS: u64 = 512;
/// Descriptors that one running command takes: two pipes, two for its end, and one on average while it starts. A command that
/// finds none left waits.
const DESCRIPTORS_PER_COMMAND: u64 = 5;
/// Descriptors that remain for everything else: files, watches, sockets.
const RESERVED_DESCRIPTORS: u64 = 8;
/// A soft limit that is too low for anything but a few commands.
const LOW_DESCRIPTOR_LIMIT: u64 = 1024;
/// Tasks that one running command takes: the thread that waits for it, a shell, its child and one more.
const TASKS_PER_COMMAND: u64 = 4;
/// Tasks that remain for other threads of the agent.
const RESERVED_TASKS: u64 = 12;
/// Memory that one running command is expected to take, in bytes.
const MEMORY_PER_COMMAND: u64 = 8 << 20;

/// The limit on descriptors before it was raised.
static ORIGINAL_DESCRIPTOR_LIMIT: OnceLock<Rlimit> = OnceLock::new();

/// Raises the soft limit on descriptors to the hard limit if it is low. A higher one is raised when many commands run.
/// Processes that [`crate::spawn`] starts get the old one: some programs cannot handle descriptors above 1024.
///
/// # Errors
/// The system refuses.
pub fn raise_low_descriptor_limit() -> io::Result<()> {
    match getrlimit(Resource::Nofile).current {
        Some(current) if current < LOW_DESCRIPTOR_LIMIT => raise_descriptor_limit(),
        Some(_) | None => Ok(()),
    }
}

/// Raises the soft limit on descriptors before this number of running commands takes most of them.
pub(crate) fn raise_descriptor_limit_for(commands: usize) {
    let needed = (commands as u64).saturating_mul(2 * DESCRIPTORS_PER_COMMAND);
    if getrlimit(Resource::Nofile).current.is_some_and(|current| needed > current) {
        // If the system refuses, commands wait for each other.
        let _ = raise_descriptor_limit();
    }
}

fn raise_descriptor_limit() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return Ok(());
    }
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    let _ = ORIGINAL_DESCRIPTOR_LIMIT.set(limit);
    Ok(())
}

/// Returns the limit on descriptors that commands get, if it is not that of this process.
pub(crate) fn descriptor_limit_of_commands() -> Option<Rlimit> {
    ORIGINAL_DESCRIPTOR_LIMIT.get().copied()
}

/// Gives a process that was started without [`crate::command_as`] the limit on descriptors that this process had at its start.
pub(crate) fn restore_descriptor_limit(pid: Pid) {
    if let Some(limit) = ORIGINAL_DESCRIPTOR_LIMIT.get() {
        // Fails if the process has ended already.
        let _ = prlimit(Some(pid), Resource::Nofile, *limit);
    }
}

/// Whether an error says that the machine has no descriptor, process, thread or memory left, which passes when something
/// else ends.
#[must_use]
pub fn is_exhausted(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM))
}

/// Returns how many commands should run at a time: at least 1 and at most 512. Depends on the limits of this process and its
/// control group, and on what they use now.
#[must_use]
pub fn max_parallel_commands() -> usize {
    let bounds = [by_descriptors(), by_tasks(), by_memory()];
    let bound = bounds.into_iter().flatten().min().unwrap_or(MAX_COMMANDS).clamp(1, MAX_COMMANDS);
    usize::try_from(bound).unwrap_or(1)
}

fn by_descriptors() -> Option<u64> {
    // The soft limit is raised when it is needed.
    let limit = getrlimit(Resource::Nofile).maximum?;
    let used = std::fs::read_dir("/proc/self/fd").map_or(RESERVED_DESCRIPTORS, |entries| entries.count() as u64);
    Some(limit.saturating_sub(used + RESERVED_DESCRIPTORS) / DESCRIPTORS_PER_COMMAND)
}

fn by_tasks() -> Option<u64> {
    let limit = getrlimit(Resource::Nproc).current.filter(|_| !rustix::process::geteuid().is_root());
    let of_user = limit.map(|limit| limit.saturating_sub(tasks_of_user()));
    let of_group = control_groups().into_iter().filter_map(|group| available(&group, "pids.max", "pids.current"));
    let free = of_user.into_iter().chain(of_group).min()?;
    Some(free.saturating_sub(RESERVED_TASKS) / TASKS_PER_COMMAND)
}

fn by_memory() -> Option<u64> {
    let of_group = control_groups().into_iter().filter_map(|group| available(&group, "memory.max", "memory.current"));
    let free = available_memory().into_iter().chain(of_group).min()?;
    Some(free / MEMORY_PER_COMMAND)
}

/// Returns the number of tasks of the user of this process.
fn tasks_of_user() -> u64 {
    let user = format!("\nUid:\t{}\t", rustix::process::getuid().as_raw());
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let is_number = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let processes = processes.flatten().filter(|entry| is_number(&entry.file_name()));
    let status = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("status")).ok());
    status.filter(|status| status.contains(&user)).map(|status| field(&status, "Threads:").unwrap_or(1)).sum()
}

/// Returns the memory that the machine has available, in bytes.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    field(&text, "MemAvailable:").map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// Returns the number after a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the directories of the control group of this process and those above it.
fn control_groups() -> Vec<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let Some(own) = text.lines().find_map(|line| line.strip_prefix("0::/")) else { return Vec::new() };
    let own = root.join(own);
    own.ancestors().take_while(|path| path.starts_with(root)).map(Path::to_path_buf).collect()
}

/// Returns what a control group has left of something; `None` without a limit.
fn available(group: &Path, limit: &str, current: &str) -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
    Some(read(limit)?.saturating_sub(read(current).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_this_process_are_counted() {
        assert!((1..=512).contains(&max_parallel_commands()));
        assert!(tasks_of_user() >= 1);
        assert!(available_memory().is_some_and(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn control_group_without_a_limit_bounds_nothing() {
        let group = tempfile::tempdir().expect("a directory");
        assert_eq!(available(group.path(), "pids.max", "pids.current"), None);
        std::fs::write(group.path().join("pids.max"), "max\n").expect("writable");
        assert_eq!(available(group.path(), "pids.max", "pids.current"), None);
        std::fs::write(group.path().join("pids.max"), "50\n").expect("writable");
        std::fs::write(group.path().join("pids.current"), "8\n").expect("writable");
        assert_eq!(available(group.path(), "pids.max", "pids.current"), Some(42));
    }

    #[test]
    fn only_errors_that_pass_are_exhaustion() {
        for errno in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM] {
            assert!(is_exhausted(&errno.into()), "{errno:?}");
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::NOSPC] {
            assert!(!is_exhausted(&errno.into()), "{errno:?}");
        }
    }
}
