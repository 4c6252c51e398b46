//! `mclc check --watch`: checks again whenever a file changes (spec 11 §5).
//!
//! Directories are watched, not files: editors replace files by renaming, and a file that is missing may appear.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io::{self, IsTerminal};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::cli::Check;
use crate::output::{self, unusable};
use crate::report::{self, Checked};
use crate::status::UNUSABLE;

/// How long nothing must change before a check: an editor may save several files at once.
const QUIET_INTERVAL: Duration = Duration::from_millis(50);

/// The size of the buffer for events.
const BUFFER_BYTES: usize = 16 << 10;

/// Sequence that clears a terminal, and moves to its start.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// Checks until it is interrupted, and returns the exit status of the last check.
pub fn watch(args: &Check, mut check: impl FnMut() -> (Vec<Checked>, u8)) -> u8 {
    let watcher = match Watcher::new() {
        Ok(watcher) => watcher,
        Err(error) => return unusable(format_args!("cannot watch files: {}", output::reason(&error))),
    };
    let is_terminal = io::stdout().is_terminal();
    watcher.watch(&directories(&[], &args.paths));
    let mut files = BTreeSet::new();
    loop {
        let (start, time) = (Instant::now(), SystemTime::now());
        if is_terminal && output::stdout(CLEAR.as_bytes()) != 0 {
            return UNUSABLE;
        }
        let (checked, status) = check();
        watcher.watch(&directories(&checked, &args.paths));
        let known = std::mem::replace(&mut files, checked.iter().flat_map(Checked::file_names).collect());
        // What changed before its directory was watched is checked at once.
        if files.difference(&known).any(|file| is_newer(file, time)) {
            continue;
        }
        let count = report::file_count(&checked);
        let count = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        if output::stdout(format!("watching {count} ({:.1?})\n", start.elapsed()).as_bytes()) != 0 {
            return status;
        }
        match watcher.wait() {
            Ok(Woken::Changed) => {}
            Ok(Woken::Interrupted) => return status,
            Err(error) => return unusable(format_args!("cannot watch files: {}", output::reason(&error))),
        }
    }
}

/// Whether a file was changed after a time.
fn is_newer(file: &str, time: SystemTime) -> bool {
    Path::new(file).metadata().and_then(|file| file.modified()).is_ok_and(|modified| modified > time)
}

/// Returns the directories whose files a check depends on.
fn directories(checked: &[Checked], paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut directories = BTreeSet::new();
    let mut add = |directory: &Path| {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        // A directory that is missing appears in one that exists.
        if let Some(existing) = directory.ancestors().find(|ancestor| ancestor.is_dir()) {
            directories.insert(existing.to_owned());
        }
    };
    for path in paths {
        if path.is_dir() {
            let below = ignore::WalkBuilder::new(path).build().filter_map(Result::ok);
            below
                .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()))
                .for_each(|entry| add(entry.path()));
        } else if let Some(parent) = path.parent() {
            add(parent);
        }
    }
    for checked in checked {
        for file in checked.file_names() {
            // The directories up to that of the module may get a `metadata.yaml`.
            Path::new(&file).ancestors().skip(1).for_each(&mut add);
        }
    }
    directories
}

/// What ended a wait.
enum Woken {
    Changed,
    Interrupted,
}

/// Watches of directories, and signals.
struct Watcher {
    inotify: OwnedFd,
    signals: UnixStream,
}

impl Watcher {
    fn new() -> io::Result<Watcher> {
        let (signals, write) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
        }
        Ok(Watcher { inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?, signals })
    }

    /// Adds watches. One that exists stays as it is.
    fn watch(&self, directories: &BTreeSet<PathBuf>) {
        let flags = WatchFlags::CREATE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        for directory in directories {
            // A directory that cannot be watched is looked at with the next change.
            let _ = inotify::add_watch(&self.inotify, directory, flags);
        }
    }

    /// Waits for a change of a file that concerns a check, and until nothing has changed for a moment.
    fn wait(&self) -> io::Result<Woken> {
        let mut has_changed = false;
        loop {
            let timeout = has_changed.then_some(QUIET_INTERVAL);
            let timeout = timeout.map(|timeout| Timespec::try_from(timeout).unwrap_or_default());
            let mut fds = [
                PollFd::new(&self.inotify, PollFlags::IN),
                PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) => return Ok(Woken::Changed),
                Ok(_) if !fds[1].revents().is_empty() => return Ok(Woken::Interrupted),
                Ok(_) => has_changed |= self.read_events()?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads all events, and returns whether one concerns a check.
    fn read_events(&self) -> io::Result<bool> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        let mut concerns = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let is_directory = event.events().contains(ReadFlags::ISDIR);
                    let is_lost = event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                    concerns |= is_directory || is_lost || event.file_name().is_some_and(is_source);
                }
                Err(Errno::AGAIN) => return Ok(concerns),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether a check reads files of this name.
fn is_source(name: &CStr) -> bool {
    let name = name.to_bytes();
    let extensions: [&[u8]; 5] = [b".mcl", b".pp", b".epp", b".yaml", b".json"];
    extensions.iter().any(|extension| name.ends_with(extension)) && !name.starts_with(b".")
}
