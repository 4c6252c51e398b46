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
    let of_group = control_groups("pids").into_iter().filter_map(|group| available(&group, &TASKS));
    let free = of_user.into_iter().chain(of_group).min()?;
    Some(free.saturating_sub(RESERVED_TASKS) / TASKS_PER_COMMAND)
}

fn by_memory() -> Option<u64> {
    let groups = control_groups("memory");
    let of_group = groups.iter().flat_map(|group| MEMORY.iter().filter_map(|files| available(group, files)));
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

/// The files of a control group that limit something.
struct GroupFiles {
    limit: &'static str,
    current: &'static str,
    /// A file, and the start of its line with the part of what is used that the kernel gives back when it is needed.
    reclaimable: Option<(&'static str, &'static str)>,
}

const TASKS: GroupFiles = GroupFiles { limit: "pids.max", current: "pids.current", reclaimable: None };

/// Those of both versions of control groups. Content of files that nobody used lately counts as free.
const MEMORY: [GroupFiles; 2] = [
    GroupFiles { limit: "memory.max", current: "memory.current", reclaimable: Some(("memory.stat", "inactive_file ")) },
    GroupFiles {
        limit: "memory.limit_in_bytes",
        current: "memory.usage_in_bytes",
        reclaimable: Some(("memory.stat", "total_inactive_file ")),
    },
];

/// Returns the directories of the control group of this process that a controller uses, and of those above it.
fn control_groups(controller: &str) -> Vec<PathBuf> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    directories_of_groups(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"), controller)
}

/// Finds the directories with the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`. In the first version of control
/// groups each controller has a tree of its own; in the second all share one.
fn directories_of_groups(groups: &str, mounts: &str, controller: &str) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let mut add = |group: &str, is_tree: &dyn Fn(&str, &str) -> bool| {
        let Some((root, mount)) = mounts.lines().find_map(|line| tree_of(line, is_tree)) else { return };
        // With another root, the group is above what is mounted here.
        let below = Path::new(group).strip_prefix(root).unwrap_or(Path::new(""));
        let own = Path::new(mount).join(below);
        directories.extend(own.ancestors().take_while(|path| path.starts_with(mount)).map(Path::to_path_buf));
    };
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        if controllers.is_empty() {
            add(group, &|kind, _| kind == "cgroup2");
        } else if controllers.split(',').any(|found| found == controller) {
            add(group, &|kind, options| kind == "cgroup" && options.split(',').any(|found| found == controller));
        }
    }
    directories
}

/// Returns root and mount point of a line of `mountinfo`, if type and options of the file system are those of a tree.
fn tree_of<'l>(line: &'l str, is_tree: &dyn Fn(&str, &str) -> bool) -> Option<(&'l str, &'l str)> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mut file_system = file_system.split(' ');
    let (kind, options) = (file_system.next()?, file_system.nth(1)?);
    let mut mount = mount.split(' ').skip(3);
    is_tree(kind, options).then_some((mount.next()?, mount.next()?))
}

/// Returns what a control group has left of something; `None` without a limit.
fn available(group: &Path, files: &GroupFiles) -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(group.join(file)).ok();
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    let reclaimable = files.reclaimable.and_then(|(file, start)| field(&read(file)?, start)).unwrap_or(0);
    let used = number(files.current).unwrap_or(0).saturating_sub(reclaimable);
    Some(number(files.limit)?.saturating_sub(used))
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
        let write = |file: &str, text: &str| std::fs::write(group.path().join(file), text).expect("writable");
        assert_eq!(available(group.path(), &TASKS), None);
        write("pids.max", "max\n");
        assert_eq!(available(group.path(), &TASKS), None);
        write("pids.max", "50\n");
        write("pids.current", "8\n");
        assert_eq!(available(group.path(), &TASKS), Some(42));
    }

    #[test]
    fn memory_that_the_kernel_gives_back_is_free() {
        let [new, old] = MEMORY;
        for (files, line) in [(new, "inactive_file 30"), (old, "total_inactive_file 30")] {
            let group = tempfile::tempdir().expect("a directory");
            let write = |file: &str, text: &str| std::fs::write(group.path().join(file), text).expect("writable");
            write(files.limit, "100\n");
            write(files.current, "90\n");
            assert_eq!(available(group.path(), &files), Some(10));
            write("memory.stat", &format!("anon 60\nfile 30\n{line}\nactive_file 0\n"));
            assert_eq!(available(group.path(), &files), Some(40));
        }
    }

    #[track_caller]
    fn check_directories(groups: &str, mounts: &str, expected: &[&str]) {
        let found = directories_of_groups(groups, mounts, "pids");
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn control_groups_of_both_versions_are_found_where_they_are_mounted() {
        let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let up = ["/sys/fs/cgroup/system.slice/mgmt.service", "/sys/fs/cgroup/system.slice", "/sys/fs/cgroup"];
        check_directories("0::/system.slice/mgmt.service\n", unified, &up);
        check_directories("0::/\n", unified, &["/sys/fs/cgroup"]);
        let first = "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                     32 23 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
        check_directories("8:pids:/a\n4:memory:/b\n", first, &["/sys/fs/cgroup/pids/a", "/sys/fs/cgroup/pids"]);
        // Both at once, and several controllers in one tree.
        let hybrid = "33 23 0:29 / /c/cpu,pids rw - cgroup cgroup rw,cpu,pids\n\
                      34 23 0:30 / /c/unified rw - cgroup2 cgroup2 rw\n";
        check_directories(
            "3:cpu,pids:/a\n0::/x\n",
            hybrid,
            &["/c/cpu,pids/a", "/c/cpu,pids", "/c/unified/x", "/c/unified"],
        );
    }

    #[test]
    fn only_a_part_of_the_tree_may_be_mounted() {
        // A container without a namespace for control groups.
        let mounts = "30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        check_directories("0::/docker/1/job\n", mounts, &["/sys/fs/cgroup/job", "/sys/fs/cgroup"]);
        check_directories("0::/docker/1\n", mounts, &["/sys/fs/cgroup"]);
        check_directories("0::/../other\n", mounts, &["/sys/fs/cgroup"]);
        for (groups, mounts) in
            [("", ""), ("0::/", ""), ("garbage", "garbage\n - \n"), ("1:pids", "1 2 3 / - cgroup\n")]
        {
            check_directories(groups, mounts, &[]);
        }
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
