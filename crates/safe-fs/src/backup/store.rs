//! The store of backups: copies of contents, named after their checksums, and an index of records.
//!
//! A record is written after the copies that it names are on the disk, and a change is made after its record is. So a crash
//! leaves copies without a record, which the next process removes, or a record of a change that was not made, which does no
//! harm; but never a change without its backup.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashMap;

use super::age::{milliseconds, too_old};
use super::record::{Digest, Record};
use crate::error::{Error, done_if_missing};
use crate::open_file::Reader;
use crate::system::{Access, FileSystem, Handle, Rename};
use crate::temporaries::write_all;
use crate::trust::Trust;

const DIRECTORY: &str = "backups";
const CONTENTS: &str = "contents";
const INDEX: &str = "index";
const NEW_INDEX: &str = "index.new";
/// How the names of copies start that are not complete.
const UNFINISHED: &str = "unfinished-";
/// The unit in which file systems allocate space, in bytes.
const BLOCK: u64 = 4096;
/// How often records are removed because of their age.
const AGE_INTERVAL: Duration = Duration::from_secs(3600);

/// What a store may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of all copies and of the index, in bytes. The oldest records go first.
    pub total: u64,
    /// The size of one file, in bytes.
    pub file: u64,
    /// The age of records.
    pub age: Duration,
}

/// The backups of a state directory, for the process that holds its lock.
#[derive(Debug)]
pub struct Backups {
    pub(super) fs: Arc<dyn FileSystem>,
    /// The state directory, whose own files are not backed up.
    pub(super) state: PathBuf,
    pub(super) limits: Limits,
    directory: Handle,
    contents: Handle,
    /// The number of complete lines of the index that were not valid when it was opened.
    invalid_lines: usize,
    index: Mutex<Index>,
}

#[derive(Debug)]
struct Index {
    file: Handle,
    next_id: u64,
    totals: Totals,
    /// When records were last removed because of their age.
    aged: SystemTime,
    /// Whether names of copies may not be on the disk yet.
    has_new_names: bool,
}

/// What records need.
#[derive(Debug, Default)]
struct Totals {
    /// The size of the index, in bytes.
    length: u64,
    /// The copies, with their sizes.
    contents: FxHashMap<Digest, u64>,
    /// The space of the copies, in bytes.
    space: u64,
}

impl Totals {
    fn bytes(&self) -> u64 {
        self.length.saturating_add(self.space)
    }

    /// Adds a copy. Returns whether it is new.
    fn add(&mut self, digest: Digest, size: u64) -> bool {
        let is_new = self.contents.insert(digest, size).is_none();
        if is_new {
            self.space = self.space.saturating_add(space_of(size));
        }
        is_new
    }

    /// Removes a copy.
    fn remove(&mut self, digest: Digest) {
        if let Some(size) = self.contents.remove(&digest) {
            self.space = self.space.saturating_sub(space_of(size));
        }
    }
}

/// A copy that does not have its name yet.
#[derive(Debug)]
pub(super) struct NewContent {
    pub(super) name: OsString,
    pub(super) size: u64,
    pub(super) digest: Digest,
}

fn space_of(size: u64) -> u64 {
    size.div_ceil(BLOCK).saturating_mul(BLOCK)
}

fn encode(record: &Record) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line)
}

/// The content of an index.
#[derive(Default)]
struct Decoded {
    records: Vec<Record>,
    /// The number of complete lines that are not valid.
    invalid_lines: usize,
    /// Whether the last line is incomplete: a crash can leave a part of it.
    is_torn: bool,
}

fn decode(bytes: &[u8]) -> Decoded {
    let mut decoded = Decoded::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n").map(serde_json::from_slice) {
            Some(Ok(record)) => decoded.records.push(record),
            Some(Err(_)) => decoded.invalid_lines += 1,
            None => decoded.is_torn = true,
        }
    }
    decoded
}

fn read_all(fs: &dyn FileSystem, handle: &Handle) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Reader { fs, handle, offset: 0 }.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn index_of(state: &Path) -> PathBuf {
    state.join(DIRECTORY).join(INDEX)
}

/// Opens the index in a state directory to read it; `None` if there is none.
///
/// # Errors
/// Others can change it, or it cannot be opened.
fn open_index(fs: &dyn FileSystem, state: &Path) -> Result<Option<Handle>, Error> {
    let path = index_of(state);
    let file = match fs.open_direct(&path, Access::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        result => result.map_err(Error::on("read", &path))?,
    };
    let stat = fs.stat(&file).map_err(Error::on("look at", &path))?;
    Trust::of(fs.user()).check(&path, &stat)?;
    Ok(Some(file))
}

fn open_or_create(fs: &dyn FileSystem, parent: &Handle, name: &str) -> io::Result<Handle> {
    let name = OsStr::new(name);
    match fs.create_directory(parent, name, 0o700) {
        Ok(()) => fs.sync(parent)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    // A directory that only this user may change; the state directory is checked before.
    fs.open_at(parent, name, Access::Directory)
}

impl Backups {
    /// Opens or creates the store in a state directory, whose lock the caller holds. Removes what exceeds the limits, and what
    /// a crash left. `state` is the path without symbolic links.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn open(fs: Arc<dyn FileSystem>, state: &Path, limits: Limits) -> Result<Backups, Error> {
        let path = state.join(DIRECTORY);
        open_index(&*fs, state)?;
        let now = fs.now();
        let open = || {
            let parent = fs.open_direct(state, Access::Path)?;
            let directory = open_or_create(&*fs, &parent, DIRECTORY)?;
            let contents = open_or_create(&*fs, &directory, CONTENTS)?;
            let (decoded, file) = match fs.open_at(&directory, OsStr::new(INDEX), Access::ReadWrite) {
                Ok(file) => (decode(&read_all(&*fs, &file)?), Some(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => (Decoded::default(), None),
                Err(error) => return Err(error),
            };
            let Decoded { records, invalid_lines, is_torn } = decoded;
            let is_valid = invalid_lines == 0 && !is_torn;
            let next_id = records.iter().map(|record| record.id.saturating_add(1)).max().unwrap_or(1);
            let too_old = too_old(&*fs, &directory, &records, limits.age, now);
            let (kept, totals) = within(&records[too_old..], &limits, 0)?;
            let file = match file.filter(|_| is_valid && kept.len() == records.len()) {
                Some(file) => file,
                None => {
                    let free = || remove_others(&*fs, &contents, &totals);
                    replace_index(&*fs, &directory, kept, free)?
                }
            };
            let index = Index { file, next_id, totals, aged: now, has_new_names: false };
            let backups = Backups {
                fs: Arc::clone(&fs),
                state: state.to_path_buf(),
                limits,
                directory,
                contents,
                invalid_lines,
                index: Mutex::new(index),
            };
            remove_others(&*fs, &backups.contents, &backups.lock().totals)?;
            Ok(backups)
        };
        open().map_err(Error::on("open the backups in", &path))
    }

    /// Returns how many records were not valid when the store was opened. Their backups are lost.
    #[must_use]
    pub fn invalid_lines(&self) -> usize {
        self.invalid_lines
    }

    /// Returns the records of a store, from old to new, without its lock.
    ///
    /// # Errors
    /// The store cannot be read. A store that does not exist is empty.
    pub fn records(fs: &dyn FileSystem, state: &Path) -> Result<Vec<Record>, Error> {
        match open_index(fs, state)? {
            None => Ok(Vec::new()),
            Some(file) => Ok(decode(&read_all(fs, &file).map_err(Error::on("read", &index_of(state)))?).records),
        }
    }

    pub(crate) fn file_system(&self) -> &dyn FileSystem {
        &*self.fs
    }

    fn lock(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a file for a copy and returns it with its name.
    pub(super) fn create(&self) -> io::Result<(OsString, Handle)> {
        let name = OsString::from(format!("{UNFINISHED}{:016x}", self.fs.random()));
        let file = self.fs.create_file(&self.contents, &name, 0o600)?;
        Ok((name, file))
    }

    /// Removes a copy that is not needed.
    pub(super) fn discard(&self, name: &OsStr) {
        // The next process removes what is left.
        let _ = self.fs.remove_file(&self.contents, name);
    }

    /// Writes the copies to the disk, all at once.
    pub(super) fn sync_all(&self) -> io::Result<()> {
        self.fs.sync_file_system(&self.contents)
    }

    /// Opens the copy of a content.
    ///
    /// # Errors
    /// The copy does not exist, or the system call failed.
    pub(crate) fn open_content(&self, digest: Digest) -> io::Result<Handle> {
        self.fs.open_at(&self.contents, OsStr::new(&digest.to_string()), Access::Read)
    }

    /// Stores records, whose copies are on the disk. They get their ids and time here.
    ///
    /// # Errors
    /// The disk is full, or a system call failed. [`io::ErrorKind::FileTooLarge`] if the limits do not allow it.
    pub(super) fn append<'c>(
        &self,
        mut records: Vec<Record>,
        contents: impl Iterator<Item = &'c NewContent>,
    ) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let now = self.fs.now();
        let mut index = self.lock();
        let mut lines = Vec::new();
        let mut next_id = index.next_id;
        for record in &mut records {
            (record.id, record.time_ms) = (next_id, milliseconds(now));
            lines.extend(encode(record)?);
            next_id += 1;
        }
        // What they share with older records may go with them, so their space is counted in full here.
        let files = records.iter().flat_map(Record::files);
        let all = files.map(|(size, _)| space_of(size)).fold(lines.len() as u64, u64::saturating_add);
        if all > self.limits.total {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let is_due = now.duration_since(index.aged).is_ok_and(|elapsed| elapsed >= AGE_INTERVAL);
        if is_due || index.totals.bytes().saturating_add(all) > self.limits.total {
            self.prune(&mut index, all, now)?;
        }
        let length = index.totals.length;
        let mut named = Vec::new();
        let written = self
            .name_copies(&mut index, contents, &mut named)
            .and_then(|()| write_all(&*self.fs, &index.file, &lines, length))
            .and_then(|()| self.fs.sync(&index.file));
        if let Err(error) = written {
            // What was written of these records is overwritten by the next one, and ignored until then.
            if self.fs.set_length(&index.file, length).is_ok() {
                // Their copies would fill the disk.
                for digest in named {
                    self.discard(OsStr::new(&digest.to_string()));
                    index.totals.remove(digest);
                }
            }
            return Err(error);
        }
        index.totals.length += lines.len() as u64;
        index.next_id = next_id;
        Ok(())
    }

    /// Gives copies their own names, on the disk, too. Adds those that are new to `named`.
    fn name_copies<'c>(
        &self,
        index: &mut Index,
        contents: impl Iterator<Item = &'c NewContent>,
        named: &mut Vec<Digest>,
    ) -> io::Result<()> {
        for NewContent { name, size, digest } in contents {
            if index.totals.contents.contains_key(digest) {
                self.discard(name);
                continue;
            }
            let own_name = OsString::from(digest.to_string());
            self.fs.rename((&self.contents, name), (&self.contents, &own_name), Rename::Replace)?;
            index.totals.add(*digest, *size);
            named.push(*digest);
            index.has_new_names = true;
        }
        if index.has_new_names {
            self.fs.sync(&self.contents)?;
            index.has_new_names = false;
        }
        Ok(())
    }

    /// Removes the records that are too old, and the oldest ones until `new` more bytes fit.
    fn prune(&self, index: &mut Index, new: u64, now: SystemTime) -> io::Result<()> {
        let Decoded { records, .. } = decode(&read_all(&*self.fs, &index.file)?);
        let needed = index.totals.bytes().saturating_add(new) > self.limits.total;
        // Somewhat more than needed, so that not every change rewrites the index.
        let reserve = if needed { new.saturating_add(self.limits.total / 10).min(self.limits.total) } else { 0 };
        let too_old = too_old(&*self.fs, &self.directory, &records, self.limits.age, now);
        let (kept, totals) = within(&records[too_old..], &self.limits, reserve)?;
        index.aged = now;
        if kept.len() == records.len() {
            return Ok(());
        }
        let remove_others = || {
            let old = index.totals.contents.keys().filter(|digest| !totals.contents.contains_key(digest));
            old.for_each(|digest| self.discard(OsStr::new(&digest.to_string())));
        };
        let free = || {
            remove_others();
            Ok(())
        };
        let file = replace_index(&*self.fs, &self.directory, kept, free)?;
        remove_others();
        (index.file, index.totals) = (file, totals);
        Ok(())
    }
}

/// Returns the newest records that leave space for `reserve` bytes, and what they need.
fn within<'r>(records: &'r [Record], limits: &Limits, reserve: u64) -> io::Result<(&'r [Record], Totals)> {
    let mut totals = Totals::default();
    for (i, record) in records.iter().enumerate().rev() {
        let added = record.files().filter(|(_, digest)| !totals.contents.contains_key(digest));
        let added = added.map(|(size, _)| space_of(size)).fold(encode(record)?.len() as u64, u64::saturating_add);
        if totals.bytes().saturating_add(added).saturating_add(reserve) > limits.total {
            return Ok((&records[i + 1..], totals));
        }
        totals.length += encode(record)?.len() as u64;
        for (size, digest) in record.files() {
            totals.add(digest, size);
        }
    }
    Ok((records, totals))
}

/// Removes the copies that these records do not need.
fn remove_others(fs: &dyn FileSystem, contents: &Handle, needed: &Totals) -> io::Result<()> {
    for name in fs.entries(contents)? {
        let digest = name.to_str().and_then(Digest::parse);
        if !digest.is_some_and(|digest| needed.contents.contains_key(&digest)) {
            fs.remove_file(contents, &name)?;
        }
    }
    Ok(())
}

/// Replaces the index, and returns the new file. If the disk is full, `free` removes the copies that the new index does not need
/// before; a crash then leaves records without copies, which are over the limit anyway and cannot be restored.
fn replace_index(
    fs: &dyn FileSystem,
    directory: &Handle,
    records: &[Record],
    free: impl FnOnce() -> io::Result<()>,
) -> io::Result<Handle> {
    match write_index(fs, directory, records) {
        Err(error) if error.kind() == io::ErrorKind::StorageFull => {
            done_if_missing(fs.remove_file(directory, OsStr::new(NEW_INDEX)))?;
            free()?;
            write_index(fs, directory, records)
        }
        result => result,
    }
}

/// Replaces the index, and returns the new file.
fn write_index(fs: &dyn FileSystem, directory: &Handle, records: &[Record]) -> io::Result<Handle> {
    let (name, new_name) = (OsStr::new(INDEX), OsStr::new(NEW_INDEX));
    done_if_missing(fs.remove_file(directory, new_name))?;
    let file = fs.create_file(directory, new_name, 0o600)?;
    let lines = records.iter().map(encode).collect::<io::Result<Vec<Vec<u8>>>>()?;
    write_all(fs, &file, &lines.concat(), 0)?;
    fs.sync(&file)?;
    fs.rename((directory, new_name), (directory, name), Rename::Replace)?;
    fs.sync(directory)?;
    Ok(file)
}
