//! Decides which records are too old, although clocks are sometimes wrong.
//!
//! A machine without a battery starts in 1970, and a clock may jump ahead by years until somebody notices. So a record is too old only
//! if all before it are, times in the future do not count, and what is too old is removed only if it was for a while: the time
//! at which that was noticed is in a file of the store.

use std::ffi::OsStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::record::Record;
use crate::open_file::Reader;
use crate::system::{Access, FileSystem, Handle};
use crate::temporaries::write_all;

/// The file with the time since which some record is too old, in milliseconds since 1970.
const MARK: &str = "too-old-since";
/// How long records stay that are too old. Not longer than they would stay anyway.
const MAX_GRACE: Duration = Duration::from_secs(24 * 3600);

/// Returns a time in milliseconds since 1970.
pub(super) fn milliseconds(time: SystemTime) -> u64 {
    in_milliseconds(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn in_milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns how many of the records, from old to new, are to be removed because of their age.
pub(super) fn too_old(
    fs: &dyn FileSystem,
    directory: &Handle,
    records: &[Record],
    age: Duration,
    now: SystemTime,
) -> usize {
    let now = milliseconds(now);
    let oldest = now.saturating_sub(in_milliseconds(age));
    let count = plausible_times(records, now).take_while(|time| *time < oldest).count();
    let mark = OsStr::new(MARK);
    // If this fails, the grace is over sooner.
    let unmark = || drop(fs.remove_file(directory, mark));
    if count == 0 {
        unmark();
        return 0;
    }
    let grace = in_milliseconds(age.min(MAX_GRACE));
    match read_mark(fs, directory).and_then(|since| now.checked_sub(since)) {
        Some(elapsed) if elapsed < grace => 0,
        Some(_) => {
            unmark();
            count
        }
        None => {
            unmark();
            // Without a mark, nothing is removed: the limit on space holds in any case.
            let _ = fs
                .create_file(directory, mark, 0o600)
                .and_then(|file| write_all(fs, &file, format!("{now}\n").as_bytes(), 0));
            0
        }
    }
}

fn read_mark(fs: &dyn FileSystem, directory: &Handle) -> Option<u64> {
    let file = fs.open_at(directory, OsStr::new(MARK), Access::Read).ok()?;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut Reader { fs, handle: &file, offset: 0 }, &mut text).ok()?;
    // A crash may leave a part of the number.
    text.strip_suffix('\n')?.parse().ok()
}

/// Returns the times of records, in milliseconds, as they may have been: none is in the future. A record from the future is as old as
/// the one after it.
fn plausible_times(records: &[Record], now: u64) -> impl Iterator<Item = u64> {
    let mut next = now;
    let time = |record: &Record| {
        if record.time_ms <= now {
            next = record.time_ms;
        }
        next
    };
    let mut times: Vec<u64> = records.iter().rev().map(time).collect();
    times.reverse();
    times.into_iter()
}
