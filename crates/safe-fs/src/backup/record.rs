//! Records of backups, as they are stored in the index: one JSON object per line.

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::system::FileKind;

/// What was at a path before a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Distinguishes the record from all others of its store; grows with time.
    pub id: u64,
    /// The time of the change, in milliseconds since 1970.
    pub time_ms: u64,
    /// The resource that made the change, such as `file[/etc/motd]`.
    pub resource: String,
    /// What happened.
    pub action: Action,
    /// The path without symbolic links.
    pub path: StoredPath,
    /// The object, and after it what was in it if it was a directory. A directory precedes its entries.
    pub entries: Vec<Entry>,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Something else has its name now, or it has new content.
    Replaced,
    /// It was removed.
    Removed,
}

/// A file system object in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The path below that of the record; empty for the object itself.
    pub path: StoredPath,
    /// The permissions with setuid, setgid and sticky bits.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The security label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Vec<u8>>,
    /// What it is.
    pub object: Object,
}

/// The class of an object, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Object {
    /// A regular file.
    File {
        /// The size in bytes.
        size: u64,
        /// The checksum of the content, which names its copy.
        sha256: Digest,
    },
    /// A directory. Its entries follow.
    Directory,
    /// A symbolic link.
    Link {
        /// Its target.
        target: StoredPath,
    },
    /// A fifo, socket or device, which is not restored.
    Special,
}

impl Object {
    /// Returns the class.
    #[must_use]
    pub fn kind(&self) -> Option<FileKind> {
        match self {
            Object::File { .. } => Some(FileKind::File),
            Object::Directory => Some(FileKind::Directory),
            Object::Link { .. } => Some(FileKind::Link),
            Object::Special => None,
        }
    }
}

impl Record {
    /// Returns the time of the change.
    #[must_use]
    pub fn time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.time_ms)
    }

    /// Returns the size of all files in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files().map(|(size, _)| size).sum()
    }

    /// Returns size and checksum of each file.
    pub(crate) fn files(&self) -> impl Iterator<Item = (u64, Digest)> + '_ {
        self.entries.iter().filter_map(|entry| match entry.object {
            Object::File { size, sha256 } => Some((size, sha256)),
            Object::Directory | Object::Link { .. } | Object::Special => None,
        })
    }

    /// Returns the part of this record that a path names: the record itself for its own path, or what was at or below that
    /// path in a directory. `None` if the record has nothing of it.
    #[must_use]
    pub fn part(&self, path: &Path) -> Option<Record> {
        let below = path.strip_prefix(&self.path.0).ok()?;
        let entries = self.entries.iter().filter_map(|entry| {
            let path = entry.path.0.strip_prefix(below).ok()?.to_path_buf();
            Some(Entry { path: StoredPath(path), ..entry.clone() })
        });
        let entries: Vec<Entry> = entries.collect();
        (!entries.is_empty()).then(|| Record { path: StoredPath(path.to_path_buf()), entries, ..self.clone() })
    }
}

/// A path in a record: a JSON string, or an array of bytes if it is not UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoredPath(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Encoded<'a> {
    Text(std::borrow::Cow<'a, str>),
    Bytes(std::borrow::Cow<'a, [u8]>),
}

impl Serialize for StoredPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = match self.0.to_str() {
            Some(text) => Encoded::Text(text.into()),
            None => Encoded::Bytes(self.0.as_os_str().as_bytes().into()),
        };
        encoded.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StoredPath, D::Error> {
        Ok(StoredPath(match Encoded::deserialize(deserializer)? {
            Encoded::Text(text) => PathBuf::from(text.into_owned()),
            Encoded::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes.into_owned())),
        }))
    }
}

/// A SHA-256 checksum; 64 hexadecimal digits in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    /// Returns the checksum with these digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Digest> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
        }
        Some(Digest(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(64);
        // Writing to a string cannot fail.
        let _ = write!(text, "{self}");
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Digest::parse(&text).ok_or_else(|| serde::de::Error::custom("not a SHA-256 checksum"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &[u8], object: Object) -> Entry {
        let path = StoredPath(PathBuf::from(OsString::from_vec(path.to_vec())));
        Entry { path, mode: 0o644, uid: 1, gid: 2, label: None, object }
    }

    fn tree() -> Record {
        let file = Object::File { size: 3, sha256: Digest([7; 32]) };
        Record {
            id: 4,
            time_ms: 5,
            resource: "file[/d/]".to_owned(),
            action: Action::Removed,
            path: StoredPath("/d".into()),
            entries: vec![
                entry(b"", Object::Directory),
                entry(b"sub", Object::Directory),
                entry(b"sub/\xff", file),
                entry(b"subway", Object::Link { target: StoredPath("x".into()) }),
            ],
        }
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let record = tree();
        let line = serde_json::to_string(&record).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
    }

    #[test]
    fn a_part_has_what_was_below_a_path() {
        let part = tree().part(Path::new("/d/sub")).unwrap();
        let paths: Vec<&[u8]> = part.entries.iter().map(|entry| entry.path.0.as_os_str().as_bytes()).collect();
        assert_eq!(paths, [&b""[..], b"\xff"]);
        assert_eq!(part.path.0, Path::new("/d/sub"));
        assert_eq!(tree().part(Path::new("/d")), Some(tree()));
        assert_eq!(tree().part(Path::new("/d/other")), None);
        assert_eq!(tree().part(Path::new("/")), None);
    }

    #[test]
    fn a_record_knows_when_and_how_much() {
        let mut record = tree();
        record.entries.push(entry(b"other", Object::File { size: 40, sha256: Digest([8; 32]) }));
        assert_eq!((record.time(), record.size()), (UNIX_EPOCH + Duration::from_millis(5), 43));
    }

    #[test]
    fn only_checksums_are_parsed() {
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(Digest::parse(&digits).map(|digest| digest.to_string()), Some(digits.clone()));
        for text in ["", "0", &digits[1..], &format!("{digits}0"), &digits.to_uppercase(), &digits.replace('0', "é")] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
