//! A journal of pending notifications, so that a crash loses none.
//!
//! The file is append-only: `+FROM\tTO` is written before `FROM` is changed, `-FROM\tTO` after `TO` was refreshed. Names are
//! JSON strings, so they contain no line breaks. An incomplete last line, left by a crash, is ignored because its change had
//! not begun. The file is compacted when it is opened and when most of its lines are obsolete.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use resource_graph::ResourceId;
use safe_fs::Files;

/// Minimum number of lines before the journal is compacted.
const COMPACTION_THRESHOLD: usize = 1000;

type Pair = (ResourceId, ResourceId);

/// The journal file and the pending notifications.
#[derive(Debug)]
pub struct RefreshJournal {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    pairs: BTreeSet<Pair>,
    file: Option<File>,
    lines: usize,
}

impl RefreshJournal {
    /// Opens the journal; a missing file is an empty journal.
    ///
    /// # Errors
    /// The file cannot be read or compacted.
    pub fn open(engine: &Path) -> io::Result<RefreshJournal> {
        let path = engine.join("refresh");
        let Stored { pairs, lines } = Stored::read(&path)?;
        let journal = RefreshJournal { path, inner: Mutex::new(Inner { pairs, file: None, lines }) };
        if lines > 0 {
            journal.rewrite(&mut journal.lock())?;
        }
        Ok(journal)
    }

    /// Returns the pending notifications without opening the journal.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stored_pairs(engine: &Path) -> io::Result<Vec<Pair>> {
        Ok(Stored::read(&engine.join("refresh"))?.pairs.into_iter().collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the pending notifications.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        self.lock().pairs.iter().cloned().collect()
    }

    /// Records that `from` is about to change and must notify `targets`. The record is on disk when this returns.
    ///
    /// # Errors
    /// The record is not on disk; the change must not be made.
    pub fn record(&self, from: &ResourceId, targets: &[ResourceId]) -> io::Result<()> {
        let mut inner = self.lock();
        let new: Vec<Pair> =
            targets.iter().map(|to| (from.clone(), to.clone())).filter(|pair| !inner.pairs.contains(pair)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let text: String = new.iter().map(|pair| line('+', pair)).collect();
        self.append(&mut inner, &text, new.len(), true)?;
        inner.pairs.extend(new);
        Ok(())
    }

    /// Removes a delivered notification. Not synced, because delivering it again after a crash is harmless.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn forget(&self, from: &ResourceId, to: &ResourceId) -> io::Result<()> {
        let mut inner = self.lock();
        let pair = (from.clone(), to.clone());
        if !inner.pairs.remove(&pair) {
            return Ok(());
        }
        self.append(&mut inner, &line('-', &pair), 1, false)?;
        if inner.lines > COMPACTION_THRESHOLD && inner.lines > 4 * inner.pairs.len() {
            self.rewrite(&mut inner)?;
        }
        Ok(())
    }

    fn append(&self, inner: &mut Inner, text: &str, lines: usize, sync: bool) -> io::Result<()> {
        let file = match &mut inner.file {
            Some(file) => file,
            empty => empty.insert(OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?),
        };
        let result = file.write_all(text.as_bytes()).and_then(|()| if sync { file.sync_data() } else { Ok(()) });
        if result.is_err() {
            // An incomplete line must not corrupt the next one.
            inner.file = None;
            let _ = self.rewrite(inner);
            return result;
        }
        inner.lines += lines;
        Ok(())
    }

    fn rewrite(&self, inner: &mut Inner) -> io::Result<()> {
        inner.file = None;
        let text: String = inner.pairs.iter().map(|pair| line('+', pair)).collect();
        Files::of_kernel().write(&self.path, text.as_bytes(), 0o600).map_err(safe_fs::Error::into_io)?;
        inner.lines = inner.pairs.len();
        Ok(())
    }
}

/// The content of the file.
struct Stored {
    pairs: BTreeSet<Pair>,
    lines: usize,
}

impl Stored {
    fn read(path: &Path) -> io::Result<Stored> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut stored = Stored { pairs: BTreeSet::new(), lines: 0 };
        // Only complete lines end in a newline.
        for line in text.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n')) {
            stored.lines += 1;
            match parse(line) {
                Some(('+', pair)) => drop(stored.pairs.insert(pair)),
                Some((_, pair)) => drop(stored.pairs.remove(&pair)),
                None => {}
            }
        }
        Ok(stored)
    }
}

fn line(sign: char, (from, to): &Pair) -> String {
    let fields = [&from.kind, &from.name, &to.kind, &to.name].map(|s| serde_json::Value::from(&**s).to_string());
    format!("{sign}{}\n", fields.join("\t"))
}

fn parse(line: &str) -> Option<(char, Pair)> {
    let (sign, rest) = line.split_at_checked(1)?;
    let fields: Vec<String> = rest.split('\t').map(|f| serde_json::from_str(f).ok()).collect::<Option<_>>()?;
    let [from_kind, from_name, to_kind, to_name] = fields.try_into().ok()?;
    let id = |kind: String, name: String| ResourceId { kind: kind.into(), name: name.into() };
    let sign = sign.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    Some((sign, (id(from_kind, from_name), id(to_kind, to_name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ResourceId {
        ResourceId { kind: "svc".into(), name: name.into() }
    }

    #[test]
    fn what_was_recorded_and_not_forgotten_is_there_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let journal = RefreshJournal::open(dir.path()).unwrap();
        journal.record(&id("a\tb\n"), &[id("x"), id("y")]).unwrap();
        journal.forget(&id("a\tb\n"), &id("x")).unwrap();
        drop(journal);
        let again = RefreshJournal::open(dir.path()).unwrap();
        assert_eq!(again.pairs(), [(id("a\tb\n"), id("y"))]);
    }

    #[test]
    fn torn_last_line_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let whole = line('+', &(id("a"), id("b")));
        std::fs::write(dir.path().join("refresh"), format!("{whole}{}", &whole[..9])).unwrap();
        assert_eq!(RefreshJournal::open(dir.path()).unwrap().pairs(), [(id("a"), id("b"))]);
    }
}
