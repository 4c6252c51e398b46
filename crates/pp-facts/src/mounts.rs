//! The facts about mounted file systems.

use std::collections::VecDeque;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pp_types::Value;
use rustix::fs::statvfs;

use crate::fact::{FactSet, Fields, human_size, integer, strings};
use crate::machine::Machine;

/// How long all file systems of other hosts together may take to answer.
const REMOTE_TIMEOUT: Duration = Duration::from_millis(200);
/// How many threads wait for file systems of other hosts at once.
const MAX_THREADS: usize = 16;
/// The name of such a thread, of at most 15 bytes.
const THREAD_NAME: &str = "facts-statvfs";
/// Kinds of file systems that may be waiting for another host or process.
const REMOTE: [&str; 13] =
    ["9p", "afs", "beegfs", "ceph", "cifs", "coda", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"];

/// A line of the table of mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) device: String,
    pub(crate) path: String,
    kind: String,
    options: String,
}

/// The size of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    total: u64,
    free: u64,
    available: u64,
}

/// Returns the table of mounts.
pub(crate) fn mounts(machine: &Machine) -> Vec<Mount> {
    let text = machine.read("/proc/self/mounts").unwrap_or_default();
    let of = |line: &str| {
        let mut words = line.split(' ').map(unescape);
        Some(Mount { device: words.next()?, path: words.next()?, kind: words.next()?, options: words.next()? })
    };
    let is_shown = |mount: &Mount| {
        let is_kernel = ["/proc", "/sys"].iter().any(|prefix| mount.path.starts_with(prefix));
        mount.kind != "autofs" && (!is_kernel || mount.kind == "tmpfs")
    };
    let root = || {
        let line = machine.read("/proc/cmdline")?;
        line.split_whitespace().filter_map(|word| word.strip_prefix("root=")).next_back().map(str::to_owned)
    };
    let mut mounts: Vec<Mount> = text.lines().filter_map(of).filter(is_shown).collect();
    for mount in mounts.iter_mut().filter(|mount| mount.device == "/dev/root") {
        if let Some(device) = root() {
            mount.device = device;
        }
    }
    mounts
}

/// The facts about mounted file systems.
pub(crate) fn mountpoints(machine: &Machine, mounts: &[Mount]) -> FactSet {
    let mut facts = FactSet::default();
    if machine.is_local() {
        facts.set("mountpoints", value(mounts, &sizes(mounts)));
    }
    facts
}

fn value(mounts: &[Mount], sizes: &[Option<Sizes>]) -> Option<Value> {
    let mut fields = Fields::default();
    for (mount, sizes) in mounts.iter().zip(sizes) {
        let mut entry = Fields::default();
        if let Some(sizes) = sizes {
            let used = sizes.total.saturating_sub(sizes.free);
            entry.set("available", human_size(sizes.available));
            entry.set("available_bytes", integer(sizes.available));
            entry.set("capacity", capacity(used, sizes.available));
        }
        entry.set("device", &*mount.device);
        entry.set("filesystem", &*mount.kind);
        entry.set("options", strings(mount.options.split(',')));
        if let Some(sizes) = sizes {
            let used = sizes.total.saturating_sub(sizes.free);
            entry.set("size", human_size(sizes.total));
            entry.set("size_bytes", integer(sizes.total));
            entry.set("used", human_size(used));
            entry.set("used_bytes", integer(used));
        }
        // What is mounted last at a path hides what was there.
        fields.maybe(&mount.path, entry.finish());
    }
    fields.finish()
}

/// Returns the share of a file system that is used, of what users may use.
fn capacity(used: u64, available: u64) -> String {
    match (used, available) {
        (_, 0) => "100%".to_owned(),
        (0, _) => "0%".to_owned(),
        (used, available) => format!("{:.2}%", used as f64 * 100.0 / (used as f64 + available as f64)),
    }
}

/// Asks the file systems for their sizes. A file system of another host that does not answer in time has none: its server may be
/// gone, and the call would then wait for it without an end.
fn sizes(mounts: &[Mount]) -> Vec<Option<Sizes>> {
    let is_remote = |mount: &Mount| REMOTE.contains(&mount.kind.as_str()) || mount.kind.starts_with("fuse");
    let mut sizes: Vec<Option<Sizes>> = vec![None; mounts.len()];
    let mut remote = VecDeque::new();
    for (number, mount) in mounts.iter().enumerate() {
        if is_remote(mount) {
            remote.push_back((number, mount.path.clone()));
        } else {
            sizes[number] = size_of(&mount.path);
        }
    }
    for (number, size) in within(REMOTE_TIMEOUT, remote, size_of) {
        sizes[number] = size;
    }
    sizes
}

/// Asks for each path on a few threads, and returns the answers that come in time. Threads that still wait for one are left
/// behind. They count for those who ask later, so that there are never more than [`MAX_THREADS`].
fn within<T: Send + 'static>(
    timeout: Duration,
    paths: VecDeque<(usize, String)>,
    ask: fn(&str) -> T,
) -> Vec<(usize, T)> {
    let total = paths.len();
    let threads = total.min(MAX_THREADS.saturating_sub(threads_left_behind()));
    let queue = Arc::new(Mutex::new(paths));
    let next = |queue: &Mutex<VecDeque<(usize, String)>>| queue.lock().ok()?.pop_front();
    let (sender, answers) = channel();
    for _ in 0..threads {
        let (queue, sender) = (Arc::clone(&queue), sender.clone());
        let work = move || {
            while let Some((number, path)) = next(&queue) {
                if sender.send((number, ask(&path))).is_err() {
                    return;
                }
            }
        };
        // Without a thread there is no answer.
        let _ = std::thread::Builder::new().name(THREAD_NAME.to_owned()).stack_size(64 << 10).spawn(work);
    }
    drop(sender);
    let deadline = Instant::now() + timeout;
    let mut found = Vec::new();
    while let Ok(answer) = answers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        found.push(answer);
    }
    if let Ok(mut queue) = queue.lock() {
        queue.clear();
    }
    found
}

/// Returns the number of threads of this process that wait for a file system.
fn threads_left_behind() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter(|thread| {
            std::fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name.trim() == THREAD_NAME)
        })
        .count()
}

fn size_of(path: &str) -> Option<Sizes> {
    let stat = statvfs(path).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    Some(Sizes { total: bytes(stat.f_blocks), free: bytes(stat.f_bfree), available: bytes(stat.f_bavail) })
}

/// Resolves the octal escapes of the table of mounts: `\040` is a space.
fn unescape(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_in_the_table_of_mounts_are_escaped() {
        assert_eq!(unescape(r"/srv/a\040b\134\9"), r"/srv/a b\\9");
    }

    #[test]
    fn shares_are_of_what_users_may_use() {
        assert_eq!(capacity(303_104, 745_472), "28.91%");
        assert_eq!([capacity(0, 1), capacity(0, 0), capacity(1, 1 << 40)], ["0%", "100%", "0.00%"]);
    }

    #[test]
    fn file_systems_that_do_not_answer_hold_up_nobody() {
        fn ask(path: &str) -> bool {
            if path.starts_with("hangs") {
                std::thread::sleep(Duration::from_secs(3600));
            }
            true
        }
        let paths = |name: &str, count: usize| (0..count).map(|number| (number, format!("{name}{number}"))).collect();
        let minute = Duration::from_secs(60);
        assert_eq!(within(minute, paths("answers", 10_000), ask).len(), 10_000);
        assert_eq!(within(minute, VecDeque::new(), ask), []);
        // 20 times as many as there are threads.
        assert_eq!(within(Duration::from_millis(50), paths("hangs", 20 * MAX_THREADS), ask), []);
        // On a busy machine, a thread gets its name late.
        let deadline = Instant::now() + minute;
        while threads_left_behind() != MAX_THREADS && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(threads_left_behind(), MAX_THREADS);
        assert_eq!(within(Duration::from_millis(50), paths("hangs", 1), ask), []);
        assert_eq!(threads_left_behind(), MAX_THREADS, "no other thread waits");
    }

    #[test]
    fn sizes_that_are_unknown_are_left_out() {
        let mount =
            Mount { device: "host:/x".into(), path: "/x".into(), kind: "nfs".into(), options: "rw,hard".into() };
        let Some(Value::Hash(value)) = value(&[mount], &[None]) else { panic!("a value") };
        let Some(Value::Hash(entry)) = value.get(&Value::from("/x")) else { panic!("an entry") };
        assert_eq!(entry.len(), 3);
    }
}
