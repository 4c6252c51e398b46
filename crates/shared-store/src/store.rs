//! The shared state of a single host: one file for each value, below the state directory.
//!
//! ```text
//! world/strings/KEY.value                  the text under a key; each part of a key but the last is a directory
//! world/schedule/NAMESPACE/HOST.value      who takes part in a schedule
//! world/exports/KIND/NAME/FROM~TO.value    an exported resource: a line that says whose it is, and the data
//! ```
//!
//! Names are encoded, so any text is a file name. Files are replaced, never changed: a reader, also one after a crash,
//! sees the old value or the new one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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

/// A resource that a host exports, with the host that may collect it. Each is a record of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Export {
    /// The kind of the resource.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The host that may collect it; `*` for every host.
    pub to: String,
}

/// For how long a host takes part in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidacy {
    /// While its agent runs.
    Lease,
    /// Until it withdraws.
    Persistent,
}

/// The shared state, as one host sees it.
#[derive(Clone, Debug)]
pub struct SharedStore {
    root: PathBuf,
    hostname: String,
}

/// The directory below the state directory.
const DIRECTORY: &str = "world";
/// File names of values end so; directories have no ending, so a key can be a part of another one.
const VALUE: &str = ".value";
/// What a candidate that outlives its agent says.
const PERSISTENT: &[u8] = b"persistent";
/// The layout of the records of exports.
const VERSION: &str = "1";
/// A file name has at most 255 bytes, and those of temporary files are longer than what they stand for.
const LONGEST: usize = 200;

impl SharedStore {
    /// The world whose state lies below `state_dir`, seen by the host of that name.
    #[must_use]
    pub fn new(state_dir: &Path, hostname: &str) -> SharedStore {
        SharedStore { root: state_dir.join(DIRECTORY), hostname: hostname.to_owned() }
    }

    /// Copies the world of one state directory into another one, which has none.
    ///
    /// # Errors
    /// When one cannot be read, or the other cannot be written.
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
                } else if let Some(contents) = read(&entry.path())? {
                    write_atomically(&target, &contents, 0o600)?;
                }
            }
        }
        Ok(())
    }

    /// The text under a key.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn string(&self, key: &str) -> std::io::Result<Option<Vec<u8>>> {
        read(&self.string_file(key))
    }

    /// Sets the text under a key, or removes it.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn set_string(&self, key: &str, value: Option<&[u8]>) -> std::io::Result<()> {
        write_for_good(&self.string_file(key), value)
    }

    /// The key that holds the text of this host in a namespace.
    #[must_use]
    pub fn host_key(&self, namespace: &str) -> String {
        format!("{namespace}/{}", self.hostname)
    }

    /// The text of each host in a namespace.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn host_strings(&self, namespace: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
        let mut found = Vec::new();
        for (host, path) in list(&self.strings_dir(namespace))? {
            found.extend(read(&path)?.map(|value| (host, value)));
        }
        Ok(found)
    }

    /// The hosts chosen in a namespace: of one host, that one, if it takes part.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn scheduled(&self, namespace: &str) -> std::io::Result<Vec<String>> {
        Ok(list(&self.schedule_dir(namespace))?.into_iter().map(|(host, _)| host).collect())
    }

    /// How this host takes part in the schedule of a namespace, if it does.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn candidacy(&self, namespace: &str) -> std::io::Result<Option<Candidacy>> {
        let persists = |text: Vec<u8>| if text == PERSISTENT { Candidacy::Persistent } else { Candidacy::Lease };
        Ok(read(&self.candidate_file(namespace))?.map(persists))
    }

    /// Says how this host takes part in the schedule of a namespace, or that it does not.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn set_candidacy(&self, namespace: &str, candidacy: Option<Candidacy>) -> std::io::Result<()> {
        let text: Option<&[u8]> = candidacy.map(|candidacy| match candidacy {
            Candidacy::Lease => b"lease".as_slice(),
            Candidacy::Persistent => PERSISTENT,
        });
        write_for_good(&self.candidate_file(namespace), text)
    }

    /// The agent of this host starts: what an earlier one took part in is over, unless it was meant to outlive it.
    ///
    /// # Errors
    /// When the state cannot be read or written.
    pub fn end_leases(&self) -> std::io::Result<()> {
        for directory in directories(&self.root.join("schedule"))? {
            let file = value_file(&directory, &self.hostname);
            if read(&file)?.is_some_and(|text| text != PERSISTENT) {
                write(&file, None)?;
            }
        }
        Ok(())
    }

    /// The file that says how this host takes part in the schedule of a namespace.
    #[must_use]
    pub fn candidate_file(&self, namespace: &str) -> PathBuf {
        value_file(&self.schedule_dir(namespace), &self.hostname)
    }

    /// The exported resources of a kind that this host may see, sorted by name and host. What is meant for this host alone
    /// hides what the same host exports to all.
    ///
    /// # Errors
    /// When the state cannot be read, or holds something else.
    pub fn exported(&self, kind: &str) -> std::io::Result<Vec<Exported>> {
        let mut found = Vec::new();
        for directory in directories(&self.exports_dir(kind))? {
            for path in files(&directory)? {
                let Some(record) = read(&path)? else { continue };
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

    /// What this host exports.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn own_exports(&self) -> std::io::Result<Vec<Export>> {
        let mut found = Vec::new();
        for kind in directories(&self.exports())? {
            for name in directories(&kind)? {
                for path in files(&name)? {
                    let record = read(&path)?.and_then(|record| Record::parse(&record));
                    found.extend(record.filter(|record| record.from == self.hostname).map(|record| record.export));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Whether exactly this is exported.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn is_exported(&self, export: &Export, data: &str) -> std::io::Result<bool> {
        Ok(read(&self.export_file(export))?.is_some_and(|stored| stored == self.record(export, data).as_bytes()))
    }

    /// Exports a resource, in place of what was exported so before. A power failure may take it back: the next check of the
    /// resource exports it again.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn export(&self, export: &Export, data: &str) -> std::io::Result<()> {
        write(&self.export_file(export), Some(self.record(export, data).as_bytes()))
    }

    /// Takes an export back, if it is there.
    ///
    /// # Errors
    /// When the state cannot be written.
    pub fn take_back(&self, export: &Export) -> std::io::Result<()> {
        let file = self.export_file(export);
        write(&file, None)?;
        // The directories of the name and the kind stay if something else is in them.
        for directory in file.ancestors().skip(1).take(2) {
            if std::fs::remove_dir(directory).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn record(&self, export: &Export, data: &str) -> String {
        let [kind, name, from, to] = [&export.kind, &export.name, &self.hostname, &export.to].map(|text| encode(text));
        format!("{VERSION} {kind} {name} {from} {to}\n{data}")
    }

    /// The file of the text under a key, which changes when that text does.
    #[must_use]
    pub fn string_file(&self, key: &str) -> PathBuf {
        match key.rsplit_once('/') {
            Some((dir, name)) => value_file(&self.strings_dir(dir), name),
            None => value_file(&self.root.join("strings"), key),
        }
    }

    /// The directory of the texts of the hosts in a namespace, which changes when one of them does.
    #[must_use]
    pub fn strings_dir(&self, namespace: &str) -> PathBuf {
        namespace.split('/').fold(self.root.join("strings"), |dir, part| dir.join(shortened(encode(part))))
    }

    /// The directory of those that take part in the schedule of a namespace.
    #[must_use]
    pub fn schedule_dir(&self, namespace: &str) -> PathBuf {
        self.root.join("schedule").join(shortened(encode(namespace)))
    }

    /// The directory of all exports.
    #[must_use]
    pub fn exports(&self) -> PathBuf {
        self.root.join("exports")
    }

    fn exports_dir(&self, kind: &str) -> PathBuf {
        self.exports().join(shortened(encode(kind)))
    }

    /// The directories that change when exports of a kind do.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn exports_dirs(&self, kind: &str) -> std::io::Result<Vec<PathBuf>> {
        let directory = self.exports_dir(kind);
        let mut all = directories(&directory)?;
        all.push(directory);
        Ok(all)
    }

    fn export_file(&self, export: &Export) -> PathBuf {
        let directory = self.exports_dir(&export.kind).join(shortened(encode(&export.name)));
        let name = shortened(format!("{}~{}", encode(&self.hostname), encode(&export.to)));
        directory.join(name + VALUE)
    }
}

/// An exported resource as it is stored.
struct Record {
    export: Export,
    from: String,
    data: String,
}

impl Record {
    fn parse(bytes: &[u8]) -> Option<Record> {
        let (head, data) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        let mut head = head.split(' ');
        head.next().filter(|version| *version == VERSION)?;
        let [kind, name, from, to] = [head.next()?, head.next()?, head.next()?, head.next()?].map(decode);
        let export = Export { kind, name, to };
        head.next().is_none().then(|| Record { export, from, data: data.to_owned() })
    }
}

fn value_file(directory: &Path, name: &str) -> PathBuf {
    directory.join(shortened(encode(name)) + VALUE)
}

/// A text as a file name: letters, digits and `_` stay, also `-` and `.` but at the start.
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

/// An encoded name that is too long for a file goes by its hash, behind a character that no encoded name begins with.
fn shortened(name: String) -> String {
    if name.len() <= LONGEST {
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

fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(contents) => Ok(Some(contents)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, value: Option<&[u8]>) -> std::io::Result<()> {
    let Some(value) = value else {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    if read(path)?.as_deref() == Some(value) {
        return Ok(());
    }
    let directory = path.parent().unwrap_or(Path::new("/"));
    let once = || {
        create_private_dir(directory)?;
        write_atomically(path, value, 0o600)
    };
    // Another thread may remove a directory that is still empty.
    once().or_else(|error| if error.kind() == ErrorKind::NotFound { once() } else { Err(error) })
}

/// Like [`write`], and sees to it that what was written is still there after a power failure.
fn write_for_good(path: &Path, value: Option<&[u8]>) -> std::io::Result<()> {
    write(path, value)?;
    match path.parent().map(std::fs::File::open) {
        Some(Ok(directory)) => directory.sync_all(),
        // There is no directory when there is nothing in it.
        Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
        Some(Err(_)) | None => Ok(()),
    }
}

/// The values in a directory whose names are known: name and path, sorted by name.
fn list(directory: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let name = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_suffix(VALUE)?;
        (!name.starts_with('~')).then(|| decode(name))
    };
    let mut found: Vec<_> = files(directory)?.into_iter().filter_map(|path| Some((name(&path)?, path))).collect();
    found.sort();
    Ok(found)
}

/// The files of values in a directory.
fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    entries(directory, |name| name.ends_with(VALUE))
}

/// The directories in a directory.
fn directories(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    entries(directory, |name| !name.ends_with(VALUE))
}

fn entries(directory: &Path, wanted: impl Fn(&str) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let read = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let mut found = Vec::new();
    for entry in read {
        let entry = entry?;
        let name = entry.file_name();
        // Names that start with a dot are files being written.
        if name.to_str().is_some_and(|name| !name.starts_with('.') && wanted(name)) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn export(kind: &str, name: &str, to: &str) -> Export {
        Export { kind: kind.to_owned(), name: name.to_owned(), to: to.to_owned() }
    }

    fn exported(name: &str, data: &str) -> Exported {
        Exported { name: name.to_owned(), host: "h1".to_owned(), data: data.to_owned() }
    }

    #[test]
    fn the_world_of_one_host_persists() -> std::io::Result<()> {
        let dir = tempfile::tempdir()?;
        let world = SharedStore::new(dir.path(), "h1");
        assert_eq!(world.string("a")?, None);
        world.set_string("a", Some(b"1"))?;
        world.set_string("a/b c", Some(b"2"))?;
        world.set_string(&world.host_key("a"), Some(b"3"))?;
        world.set_candidacy("s", Some(Candidacy::Persistent))?;
        world.set_candidacy("t", Some(Candidacy::Lease))?;

        let again = SharedStore::new(dir.path(), "h1");
        assert_eq!(again.string("a")?, Some(b"1".to_vec()));
        assert_eq!(again.host_strings("a")?, [("b c".to_owned(), b"2".to_vec()), ("h1".to_owned(), b"3".to_vec())]);
        assert_eq!((again.scheduled("s")?, again.scheduled("t")?), (vec!["h1".to_owned()], vec!["h1".to_owned()]));
        again.end_leases()?;
        assert_eq!((again.candidacy("s")?, again.candidacy("t")?), (Some(Candidacy::Persistent), None));

        again.set_string("a", None)?;
        again.set_candidacy("s", None)?;
        assert_eq!((world.string("a")?, world.scheduled("s")?), (None, vec![]));
        Ok(())
    }

    #[test]
    fn exports_are_seen_by_those_they_are_meant_for() -> std::io::Result<()> {
        let dir = tempfile::tempdir()?;
        let world = SharedStore::new(dir.path(), "h1");
        let (all, own, other) = (export("file", "/x", "*"), export("file", "/x", "h1"), export("file", "/y", "h2"));
        world.export(&all, "data\nmore")?;
        world.export(&other, "secret")?;
        assert_eq!(world.exported("file")?, [exported("/x", "data\nmore")]);
        assert_eq!(SharedStore::new(dir.path(), "h2").exported("file")?.len(), 2);
        world.export(&own, "for h1")?;
        assert_eq!(world.exported("file")?, [exported("/x", "for h1")]);
        assert_eq!(world.own_exports()?, [all.clone(), own.clone(), other.clone()]);
        assert!(SharedStore::new(dir.path(), "h2").own_exports()?.is_empty());
        assert!(world.is_exported(&own, "for h1")? && !world.is_exported(&own, "for h2")?);

        for export in [all, own, other] {
            world.take_back(&export)?;
            world.take_back(&export)?;
        }
        assert!(world.own_exports()?.is_empty());
        assert!(directories(&dir.path().join("world/exports"))?.is_empty());
        Ok(())
    }

    #[test]
    fn what_is_no_record_is_not_taken_for_one() -> std::io::Result<()> {
        let dir = tempfile::tempdir()?;
        let world = SharedStore::new(dir.path(), "h1");
        let export = export("file", "/x", "*");
        world.export(&export, "data")?;
        for corrupted in ["", "1 file", "2 file %2fx h1 *\ndata", "1 file %2fx h1 * more\ndata"] {
            std::fs::write(world.export_file(&export), corrupted)?;
            assert!(world.exported("file").is_err(), "{corrupted:?}");
            assert!(world.own_exports()?.is_empty(), "{corrupted:?}");
        }
        Ok(())
    }

    #[test]
    fn names_are_file_names_and_back() -> std::io::Result<()> {
        for name in ["a/b", "..", "", "é%", "web-1.example.com"] {
            let encoded = encode(name);
            assert!(!encoded.contains(['/', '~', ' ']) && !encoded.starts_with('.') && !encoded.is_empty());
            assert_eq!(decode(&encoded), name);
        }
        let dir = tempfile::tempdir()?;
        let (world, long) = (SharedStore::new(dir.path(), "h1"), "/".repeat(4000));
        world.export(&export("file", &long, &"h".repeat(250)), "data")?;
        world.export(&export("file", &long, "*"), "data")?;
        assert_eq!(world.exported("file")?, [exported(&long, "data")]);
        world.set_string(&"k".repeat(4000), Some(b"v"))?;
        assert_eq!(world.string(&"k".repeat(4000))?, Some(b"v".to_vec()));
        Ok(())
    }

    #[test]
    fn a_copy_has_everything() -> std::io::Result<()> {
        let dir = tempfile::tempdir()?;
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        SharedStore::copy(&from, &to)?;
        let world = SharedStore::new(&from, "h1");
        world.set_string("a/b", Some(b"1"))?;
        world.export(&export("file", "/x", "*"), "data")?;
        SharedStore::copy(&from, &to)?;
        let copy = SharedStore::new(&to, "h1");
        assert_eq!((copy.string("a/b")?, copy.own_exports()?), (world.string("a/b")?, world.own_exports()?));
        Ok(())
    }
}
