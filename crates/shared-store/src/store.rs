//! The shared state of a single host: one file per value, below the state directory.
//!
//! ```text
//! world/strings/KEY.value                  the string for a key; each part of a key but the last is a directory
//! world/strings/KEY.value~sensitive        exists if the string must not be shown
//! world/schedule/NAMESPACE/HOST.value      a candidate of a schedule
//! world/exports/KIND/NAME/FROM~TO.value    an exported resource: a header line and the data
//! ```
//!
//! Names are encoded, so that any string is a valid file name. Files are replaced, never modified: every reader sees either
//! the old or the new value, even after a crash.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use safe_fs::{Error, Files, LastLink};
use sha2::{Digest as _, Sha256};

use crate::files::{create_private_dir, write_atomically};

/// A resource that a host exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The name of the resource.
    pub name: String,
    /// The host that exported it.
    pub host: String,
    /// The encoded resource.
    pub data: String,
}

/// The identity of an export: a resource and the host that may collect it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Export {
    /// The kind of the resource.
    pub kind: String,
    /// The name of the resource.
    pub name: String,
    /// The host that may collect the resource; `*` for all hosts.
    pub to: String,
}

/// How long a host remains a candidate of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidacy {
    /// Until its agent stops.
    Lease,
    /// Until it is withdrawn.
    Persistent,
}

/// The shared state as seen by one host.
#[derive(Clone, Debug)]
pub struct SharedStore {
    files: Arc<Files>,
    root: PathBuf,
    hostname: String,
}

/// The name of the store's directory below the state directory.
const DIRECTORY: &str = "world";
/// The suffix of the files that hold values. Directories have none, so that a key can be a prefix of another key.
const VALUE_SUFFIX: &str = ".value";
/// The suffix of the mark of a sensitive string, after that of its value. Encoded names do not contain it.
const SENSITIVE_SUFFIX: &str = "~sensitive";
/// The contents of the file of a persistent candidate.
const PERSISTENT: &[u8] = b"persistent";
/// The format version of the records of exports.
const RECORD_VERSION: &str = "1";
/// Maximum length of an encoded name in bytes. File names are limited to 255 bytes, and temporary files need longer names.
const MAX_NAME_LENGTH: usize = 200;

impl SharedStore {
    /// Opens the store below a state directory as the host with this name, to read it. Does no I/O.
    #[must_use]
    pub fn new(state_dir: &Path, hostname: &str) -> SharedStore {
        SharedStore::with_files(Arc::clone(Files::of_kernel()), state_dir, hostname)
    }

    /// Opens the store like [`SharedStore::new`], to write it: with the files of the process that holds the lock of the state
    /// directory, so that what a crash leaves is removed.
    #[must_use]
    pub fn with_files(files: Arc<Files>, state_dir: &Path, hostname: &str) -> SharedStore {
        SharedStore { files, root: state_dir.join(DIRECTORY), hostname: hostname.to_owned() }
    }

    /// Copies the store of one state directory to another one, which must have none.
    ///
    /// # Errors
    /// The source cannot be read, or the target cannot be written.
    pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
        let mut directories = vec![(from.join(DIRECTORY), to.join(DIRECTORY))];
        while let Some((from, to)) = directories.pop() {
            let entries = match std::fs::read_dir(&from) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            create_private_dir(&to)?;
            for entry in entries {
                let entry = entry?;
                let target = to.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    directories.push((entry.path(), target));
                } else {
                    match std::fs::read(entry.path()) {
                        Ok(contents) => write_atomically(&target, &contents, 0o600)?,
                        Err(error) if error.kind() == ErrorKind::NotFound => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the string for a key.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn string(&self, key: &str) -> std::io::Result<Option<Vec<u8>>> {
        self.read(&self.string_file(key))
    }

    /// Sets or removes the string for a key, and records whether it must not be shown. A reader that sees a sensitive string
    /// sees the mark, even after a crash: the mark is older than the string.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn set_string(&self, key: &str, value: Option<&[u8]>, sensitive: bool) -> std::io::Result<()> {
        let (file, mark) = (self.string_file(key), self.sensitive_mark(key));
        if sensitive && value.is_some() {
            self.write(&mark, Some(&[]))?;
            self.write(&file, value)
        } else {
            self.write(&file, value)?;
            self.write(&mark, None)
        }
    }

    /// Returns whether the string for a key must not be shown. Ask before and after reading the string: it may change.
    #[must_use]
    pub fn is_sensitive(&self, key: &str) -> bool {
        !matches!(self.files.find(&self.sensitive_mark(key), LastLink::Follow), Ok(None))
    }

    /// Returns the file to watch for the mark of a sensitive string.
    #[must_use]
    pub fn sensitive_mark(&self, key: &str) -> PathBuf {
        let mut path = self.string_file(key).into_os_string();
        path.push(SENSITIVE_SUFFIX);
        path.into()
    }

    /// Returns whether a string in a namespace must not be shown.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn has_sensitive_strings(&self, namespace: &str) -> std::io::Result<bool> {
        Ok(!self.entries(&self.strings_dir(namespace), |name| name.ends_with(SENSITIVE_SUFFIX))?.is_empty())
    }

    /// Returns the key of this host's string in a namespace.
    #[must_use]
    pub fn host_key(&self, namespace: &str) -> String {
        format!("{namespace}/{}", self.hostname)
    }

    /// Returns the hosts with a string in a namespace, with their strings, sorted by host.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn host_strings(&self, namespace: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
        let mut found = Vec::new();
        for (host, path) in self.list(&self.strings_dir(namespace))? {
            found.extend(self.read(&path)?.map(|value| (host, value)));
        }
        Ok(found)
    }

    /// Returns the hosts that are scheduled in a namespace: all candidates.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn scheduled(&self, namespace: &str) -> std::io::Result<Vec<String>> {
        Ok(self.list(&self.schedule_dir(namespace))?.into_iter().map(|(host, _)| host).collect())
    }

    /// Returns the candidacy of this host in a namespace; `None` if it is not a candidate.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn candidacy(&self, namespace: &str) -> std::io::Result<Option<Candidacy>> {
        let persists = |text: Vec<u8>| if text == PERSISTENT { Candidacy::Persistent } else { Candidacy::Lease };
        Ok(self.read(&self.candidate_file(namespace))?.map(persists))
    }

    /// Sets or withdraws the candidacy of this host in a namespace.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn set_candidacy(&self, namespace: &str, candidacy: Option<Candidacy>) -> std::io::Result<()> {
        let text: Option<&[u8]> = candidacy.map(|candidacy| match candidacy {
            Candidacy::Lease => b"lease".as_slice(),
            Candidacy::Persistent => PERSISTENT,
        });
        self.write(&self.candidate_file(namespace), text)
    }

    /// Withdraws the candidacies of this host that were leases of an earlier agent. Called when an agent starts.
    ///
    /// # Errors
    /// The state cannot be read or written.
    pub fn end_leases(&self) -> std::io::Result<()> {
        for directory in self.directories(&self.root.join("schedule"))? {
            let file = value_file(&directory, &self.hostname);
            if self.read(&file)?.is_some_and(|text| text != PERSISTENT) {
                self.write(&file, None)?;
            }
        }
        Ok(())
    }

    /// Returns the file of this host's candidacy in a namespace.
    #[must_use]
    pub fn candidate_file(&self, namespace: &str) -> PathBuf {
        value_file(&self.schedule_dir(namespace), &self.hostname)
    }

    /// Returns the exported resources of a kind that this host may collect, sorted by name and host. An export for this host
    /// takes precedence over one for all hosts from the same host.
    ///
    /// # Errors
    /// The state cannot be read, or a record is corrupted.
    pub fn exported(&self, kind: &str) -> std::io::Result<Vec<Exported>> {
        let mut found = Vec::new();
        for directory in self.directories(&self.exports_dir(kind))? {
            for path in self.value_files(&directory)? {
                let Some(record) = self.read(&path)? else { continue };
                let record = Record::parse(&record)
                    .ok_or_else(|| std::io::Error::other(format!("{} is not an exported resource", path.display())))?;
                let to_all = record.export.to == "*";
                if to_all || record.export.to == self.hostname {
                    let exported = Exported { name: record.export.name, host: record.from, data: record.data };
                    found.push((exported, to_all));
                }
            }
        }
        found.sort_by(|(a, a_to_all), (b, b_to_all)| (&a.name, &a.host, a_to_all).cmp(&(&b.name, &b.host, b_to_all)));
        found.dedup_by(|(later, _), (first, _)| (&later.name, &later.host) == (&first.name, &first.host));
        Ok(found.into_iter().map(|(exported, _)| exported).collect())
    }

    /// Returns the exports of this host, sorted.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn own_exports(&self) -> std::io::Result<Vec<Export>> {
        let mut found = Vec::new();
        for kind in self.directories(&self.exports())? {
            for name in self.directories(&kind)? {
                for path in self.value_files(&name)? {
                    let record = self.read(&path)?.and_then(|record| Record::parse(&record));
                    found.extend(record.filter(|record| record.from == self.hostname).map(|record| record.export));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Returns whether the resource is exported with exactly this data.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn is_exported(&self, export: &Export, data: &str) -> std::io::Result<bool> {
        Ok(self.read(&self.export_file(export))?.is_some_and(|stored| stored == self.record(export, data).as_bytes()))
    }

    /// Exports a resource, replacing an earlier export with the same identity.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn export(&self, export: &Export, data: &str) -> std::io::Result<()> {
        self.write(&self.export_file(export), Some(self.record(export, data).as_bytes()))
    }

    /// Withdraws an export, if there is one.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn withdraw(&self, export: &Export) -> std::io::Result<()> {
        let file = self.export_file(export);
        self.write(&file, None)?;
        // Removing the directories of the name and the kind fails while they are not empty.
        for directory in file.ancestors().skip(1).take(2) {
            let removed = self.files.lock(directory, LastLink::Keep).and_then(|directory| directory.remove_directory());
            if removed.is_err() {
                break;
            }
        }
        Ok(())
    }

    fn record(&self, export: &Export, data: &str) -> String {
        let [kind, name, from, to] = [&export.kind, &export.name, &self.hostname, &export.to].map(|text| encode(text));
        format!("{RECORD_VERSION} {kind} {name} {from} {to}\n{data}")
    }

    /// Returns the file to watch for the string for a key.
    #[must_use]
    pub fn string_file(&self, key: &str) -> PathBuf {
        match key.rsplit_once('/') {
            Some((dir, name)) => value_file(&self.strings_dir(dir), name),
            None => value_file(&self.root.join("strings"), key),
        }
    }

    /// Returns the directory to watch for the strings of the hosts in a namespace.
    #[must_use]
    pub fn strings_dir(&self, namespace: &str) -> PathBuf {
        namespace.split('/').fold(self.root.join("strings"), |dir, part| dir.join(shortened(encode(part))))
    }

    /// Returns the directory to watch for the candidates in a namespace.
    #[must_use]
    pub fn schedule_dir(&self, namespace: &str) -> PathBuf {
        self.root.join("schedule").join(shortened(encode(namespace)))
    }

    /// Returns the directory of all exports.
    #[must_use]
    pub fn exports(&self) -> PathBuf {
        self.root.join("exports")
    }

    fn exports_dir(&self, kind: &str) -> PathBuf {
        self.exports().join(shortened(encode(kind)))
    }

    /// Returns the directories to watch for the exports of a kind.
    ///
    /// # Errors
    /// The state cannot be read.
    pub fn exports_dirs(&self, kind: &str) -> std::io::Result<Vec<PathBuf>> {
        let directory = self.exports_dir(kind);
        let mut all = self.directories(&directory)?;
        all.push(directory);
        Ok(all)
    }

    fn export_file(&self, export: &Export) -> PathBuf {
        let directory = self.exports_dir(&export.kind).join(shortened(encode(&export.name)));
        let name = shortened(format!("{}~{}", encode(&self.hostname), encode(&export.to)));
        directory.join(name + VALUE_SUFFIX)
    }

    /// Returns the content of a file; `None` if it does not exist.
    fn read(&self, path: &Path) -> std::io::Result<Option<Vec<u8>>> {
        self.files.read_protected(path).map_err(Error::into_io)
    }

    /// Writes or removes a file. The change is on the disk when this returns.
    fn write(&self, path: &Path, value: Option<&[u8]>) -> std::io::Result<()> {
        let Some(value) = value else {
            return match self.files.lock(path, LastLink::Keep) {
                // The last value of a directory was removed together with the directory.
                Err(error) if error.is_missing() => Ok(()),
                Err(error) => Err(error.into_io()),
                Ok(file) => file.remove_file().and_then(|()| file.sync_directory()).map_err(Error::into_io),
            };
        };
        if self.read(path)?.as_deref() == Some(value) {
            return Ok(());
        }
        let directory = path.parent().unwrap_or(Path::new("/"));
        let mode = |mode: u32| mode & !self.files.file_system().umask();
        let once = || {
            self.files.make_directories(directory, mode(0o700))?;
            self.files.write(path, value, mode(0o600))
        };
        // Another thread may remove a directory that is still empty.
        once().or_else(|error| if error.is_missing() { once() } else { Err(error) }).map_err(Error::into_io)
    }

    /// Returns the names and paths of the values in a directory, sorted by name. Names that were replaced by hashes are skipped.
    fn list(&self, directory: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
        let name = |path: &Path| {
            let name = path.file_name()?.to_str()?.strip_suffix(VALUE_SUFFIX)?;
            (!name.starts_with('~')).then(|| decode(name))
        };
        let paths = self.value_files(directory)?;
        let mut found: Vec<_> = paths.into_iter().filter_map(|path| Some((name(&path)?, path))).collect();
        found.sort();
        Ok(found)
    }

    /// Returns the value files in a directory, sorted.
    fn value_files(&self, directory: &Path) -> std::io::Result<Vec<PathBuf>> {
        self.entries(directory, |name| name.ends_with(VALUE_SUFFIX))
    }

    /// Returns the subdirectories of a directory, sorted.
    fn directories(&self, directory: &Path) -> std::io::Result<Vec<PathBuf>> {
        self.entries(directory, |name| !name.ends_with(VALUE_SUFFIX))
    }

    fn entries(&self, directory: &Path, wanted: impl Fn(&str) -> bool) -> std::io::Result<Vec<PathBuf>> {
        let names = self.files.list(directory).map_err(Error::into_io)?.unwrap_or_default();
        // Names that start with a dot belong to temporary files.
        let is_wanted = |name: &OsStr| name.to_str().is_some_and(|name| !name.starts_with('.') && wanted(name));
        Ok(names.into_iter().filter(|name| is_wanted(name)).map(|name| directory.join(name)).collect())
    }
}

/// The contents of the file of an export.
struct Record {
    export: Export,
    from: String,
    data: String,
}

impl Record {
    fn parse(bytes: &[u8]) -> Option<Record> {
        let (head, data) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        let mut head = head.split(' ');
        head.next().filter(|version| *version == RECORD_VERSION)?;
        let [kind, name, from, to] = [head.next()?, head.next()?, head.next()?, head.next()?].map(decode);
        let export = Export { kind, name, to };
        head.next().is_none().then(|| Record { export, from, data: data.to_owned() })
    }
}

fn value_file(directory: &Path, name: &str) -> PathBuf {
    directory.join(shortened(encode(name)) + VALUE_SUFFIX)
}

/// Encodes a string as a file name: all bytes but letters, digits, `_`, and `-` and `.` after the first byte become `%XX`.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => out.push(char::from(byte)),
            b'-' | b'.' if i > 0 => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02x}")),
        }
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

/// Replaces an encoded name that is too long by its hash, after a character that no encoded name starts with.
fn shortened(name: String) -> String {
    if name.len() <= MAX_NAME_LENGTH {
        return name;
    }
    let hash = Sha256::digest(&name);
    hash.iter().fold("~".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn decode(name: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), name.bytes());
    while let Some(byte) = bytes.next() {
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        match byte {
            b'%' => out.extend(digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())),
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
