//! A journal of pending notifications, so that a crash loses none.
//!
//! Lines are appended: `+FROM\tTO` is written before `FROM` is changed, `-FROM\tTO` after `TO` was refreshed. Names are JSON
//! strings, so they contain no line breaks. A line that a crash left incomplete is ignored, because its change had not begun.
//! Other lines that are not valid are counted, so that the agent can say that notifications may be lost.
//! The journal is replaced by one without obsolete lines when it is opened, and when most of its lines are obsolete.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use resource_graph::ResourceId;
use safe_fs::{AppendFile, Error, Files};

/// Minimum number of lines before the journal is replaced.
const COMPACTION_THRESHOLD: usize = 1000;

type Pair = (ResourceId, ResourceId);

/// The journal file and the pending notifications.
#[derive(Debug)]
pub struct RefreshJournal {
    files: Arc<Files>,
    path: PathBuf,
    /// The number of complete lines that were not valid when the journal was opened.
    invalid_lines: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    pairs: BTreeSet<Pair>,
    /// `None` until the first record, and after a failure to replace the file.
    file: Option<AppendFile>,
    lines: usize,
}

impl RefreshJournal {
    /// Opens the journal in a state directory; a missing file is an empty journal.
    ///
    /// # Errors
    /// The file cannot be read or replaced.
    pub fn open(files: Arc<Files>, engine: &Path) -> Result<RefreshJournal, Error> {
        let path = engine.join("refresh");
        let content = files.read(&path)?.unwrap_or_default();
        let is_empty = content.is_empty();
        let Decoded { pairs, invalid_lines } = decode(&content);
        let inner = Mutex::new(Inner { pairs, file: None, lines: 0 });
        let journal = RefreshJournal { files, path, invalid_lines, inner };
        if !is_empty {
            journal.replace(&mut journal.lock())?;
        }
        Ok(journal)
    }

    /// Returns the pending notifications without opening the journal.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stored_pairs(files: &Files, engine: &Path) -> Result<Vec<Pair>, Error> {
        let content = files.read(&engine.join("refresh"))?.unwrap_or_default();
        Ok(decode(&content).pairs.into_iter().collect())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many lines were not valid when the journal was opened. What they recorded is lost.
    #[must_use]
    pub fn invalid_lines(&self) -> usize {
        self.invalid_lines
    }

    /// Returns the pending notifications.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        self.lock().pairs.iter().cloned().collect()
    }

    /// Records that `from` is about to change and must notify `targets`. The record is on the disk when this returns.
    ///
    /// # Errors
    /// The record may not be on the disk; the change must not be made.
    pub fn record(&self, from: &ResourceId, targets: &[ResourceId]) -> Result<(), Error> {
        let mut inner = self.lock();
        let new: Vec<Pair> =
            targets.iter().map(|to| (from.clone(), to.clone())).filter(|pair| !inner.pairs.contains(pair)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let text: String = new.iter().map(|pair| line('+', pair)).collect();
        let file = self.file(&mut inner)?;
        file.append(text.as_bytes())?;
        if let Err(error) = file.sync() {
            // Nobody knows what is on the disk after a failed sync, and a later one may hide that.
            inner.file = None;
            return Err(error);
        }
        inner.lines += new.len();
        inner.pairs.extend(new);
        Ok(())
    }

    /// Removes a delivered notification. Not synced, because delivering it again after a crash is harmless.
    ///
    /// # Errors
    /// The journal cannot be written: the notification is delivered again by the next process.
    pub fn forget(&self, from: &ResourceId, to: &ResourceId) -> Result<(), Error> {
        let mut inner = self.lock();
        let pair = (from.clone(), to.clone());
        if !inner.pairs.remove(&pair) {
            return Ok(());
        }
        self.file(&mut inner)?.append(line('-', &pair).as_bytes())?;
        inner.lines += 1;
        if inner.lines > COMPACTION_THRESHOLD && inner.lines > 4 * inner.pairs.len() {
            self.replace(&mut inner)?;
        }
        Ok(())
    }

    fn file<'i>(&self, inner: &'i mut Inner) -> Result<&'i mut AppendFile, Error> {
        match inner.file.take() {
            Some(file) => Ok(inner.file.insert(file)),
            None => self.replace(inner),
        }
    }

    /// Replaces the file by one without obsolete lines.
    fn replace<'i>(&self, inner: &'i mut Inner) -> Result<&'i mut AppendFile, Error> {
        let text: String = inner.pairs.iter().map(|pair| line('+', pair)).collect();
        inner.file = None;
        let file = self.files.append_to(&self.path, text.as_bytes(), 0o600)?;
        inner.lines = inner.pairs.len();
        Ok(inner.file.insert(file))
    }
}

/// The content of the file.
struct Decoded {
    /// The pending notifications.
    pairs: BTreeSet<Pair>,
    /// The number of complete lines that are not valid.
    invalid_lines: usize,
}

fn decode(content: &[u8]) -> Decoded {
    let (mut pairs, mut invalid_lines) = (BTreeSet::new(), 0);
    // Only complete lines end in a newline.
    let lines = content.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
    for line in lines {
        match std::str::from_utf8(line).ok().and_then(parse) {
            Some((Sign::Recorded, pair)) => drop(pairs.insert(pair)),
            Some((Sign::Delivered, pair)) => drop(pairs.remove(&pair)),
            None => invalid_lines += 1,
        }
    }
    Decoded { pairs, invalid_lines }
}

fn line(sign: char, (from, to): &Pair) -> String {
    let fields = [&from.kind, &from.name, &to.kind, &to.name].map(|s| serde_json::Value::from(&**s).to_string());
    format!("{sign}{}\n", fields.join("\t"))
}

/// What a line says.
enum Sign {
    Recorded,
    Delivered,
}

fn parse(line: &str) -> Option<(Sign, Pair)> {
    let (sign, rest) = match line.split_at_checked(1)? {
        ("+", rest) => (Sign::Recorded, rest),
        ("-", rest) => (Sign::Delivered, rest),
        _ => return None,
    };
    let fields: Vec<String> = rest.split('\t').map(|f| serde_json::from_str(f).ok()).collect::<Option<_>>()?;
    let [from_kind, from_name, to_kind, to_name] = fields.try_into().ok()?;
    let id = |kind: String, name: String| ResourceId { kind: kind.into(), name: name.into() };
    Some((sign, (id(from_kind, from_name), id(to_kind, to_name))))
}

#[cfg(test)]
mod tests;
