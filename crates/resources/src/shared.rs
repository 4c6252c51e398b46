//! Values that resources share with the functions of the program (spec 05 §6.21, spec 06 §3.11).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcl_value::{Type, Value};
use rustc_hash::FxHashMap;
use safe_fs::Files;
use sha2::{Digest, Sha256};

use crate::StateDir;

/// Called with the kind and the name of the resource after its value changed.
pub type Subscriber = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A value that a resource offers to functions.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedValue {
    /// The value.
    pub value: Value,
    /// Whether it must not be shown.
    pub sensitive: bool,
}

/// Values by kind and name of the resource that offers them. Kept in memory and, with a directory, on disk: one file per
/// value, read by later processes only.
#[derive(Default)]
pub struct SharedValues {
    stored: Option<(PathBuf, Arc<Files>)>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    values: FxHashMap<(String, String), Option<OfferedValue>>,
    subscribers: Vec<Subscriber>,
}

impl SharedValues {
    /// Returns values that are also stored in a state directory.
    #[must_use]
    pub fn stored(state: &StateDir) -> SharedValues {
        SharedValues { stored: Some((state.engine().join("shared"), state.shared_files())), inner: Mutex::default() }
    }

    /// Adds a subscriber, which is called after each change on the thread that made it.
    pub fn subscribe(&self, subscriber: Subscriber) {
        self.lock().subscribers.push(subscriber);
    }

    /// Returns the value of a resource.
    #[must_use]
    pub fn get(&self, kind: &str, name: &str) -> Option<OfferedValue> {
        let mut inner = self.lock();
        let key = (kind.to_owned(), name.to_owned());
        inner.values.entry(key).or_insert_with(|| self.load(kind, name)).clone()
    }

    /// Sets the value of a resource, or deletes it with `None`. Setting an equal value has no effect.
    ///
    /// # Errors
    /// The value cannot be stored on disk; it is set in memory nevertheless.
    pub fn set(&self, kind: &str, name: &str, value: Option<OfferedValue>) -> std::io::Result<()> {
        if self.get(kind, name) == value {
            return Ok(());
        }
        let stored = self.store(kind, name, value.as_ref());
        let subscribers = {
            let mut inner = self.lock();
            inner.values.insert((kind.to_owned(), name.to_owned()), value);
            inner.subscribers.clone()
        };
        for subscriber in subscribers {
            subscriber(kind, name);
        }
        stored
    }

    /// Locks the table. A panic while it is locked leaves it consistent, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, kind: &str, name: &str) -> Option<(PathBuf, &Files)> {
        let (directory, files) = self.stored.as_ref()?;
        // Names may have any characters and any length.
        let encoded = match URL_SAFE_NO_PAD.encode(name) {
            short if short.len() <= 200 => short,
            _ => format!("sha256-{}", URL_SAFE_NO_PAD.encode(Sha256::digest(name))),
        };
        Some((directory.join(kind.replace(':', "-")).join(encoded), files))
    }

    /// Reads a stored value. An invalid one counts as missing, because its resource writes it again.
    fn load(&self, kind: &str, name: &str) -> Option<OfferedValue> {
        let (file, files) = self.file(kind, name)?;
        let text = files.read_protected(&file).ok()??;
        let stored: serde_json::Value = serde_json::from_slice(&text).ok()?;
        let ty = Type::parse(stored.get("type")?.as_str()?)?;
        let value = Value::from_json(stored.get("value")?, &ty).ok()?;
        let sensitive = stored.get("sensitive").and_then(serde_json::Value::as_bool).unwrap_or(false);
        Some(OfferedValue { value, sensitive })
    }

    fn store(&self, kind: &str, name: &str, offered: Option<&OfferedValue>) -> std::io::Result<()> {
        let Some((file, files)) = self.file(kind, name) else { return Ok(()) };
        let stored = offered.and_then(|offered| {
            let ty = offered.value.type_of()?;
            let mut stored = serde_json::json!({"type": ty.to_string(), "value": offered.value.to_json()});
            if offered.sensitive {
                stored["sensitive"] = true.into();
            }
            Some(stored.to_string())
        });
        match stored {
            Some(text) => {
                if let Some(directory) = file.parent() {
                    files.make_directories(directory, 0o700).map_err(safe_fs::Error::into_io)?;
                }
                files.write(&file, text.as_bytes(), 0o600).map_err(safe_fs::Error::into_io)
            }
            None => files.remove(&file).map_err(safe_fs::Error::into_io),
        }
    }
}

impl std::fmt::Debug for SharedValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedValues").field("stored", &self.stored).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_process_and_changes_are_reported_once() {
        let scratch = tempfile::tempdir().unwrap();
        let reported = Arc::new(Mutex::new(Vec::new()));
        // The state is locked by one process at a time.
        let open = || SharedValues::stored(&StateDir::read_only(scratch.path()));
        let values = open();
        let log = Arc::clone(&reported);
        values.subscribe(Arc::new(move |kind, name| log.lock().unwrap().push(format!("{kind} {name}"))));
        let list = OfferedValue { value: Value::list([1, 2]), sensitive: true };
        values.set("value", "a/b", Some(list.clone())).unwrap();
        values.set("value", "a/b", Some(list.clone())).unwrap();
        assert_eq!(*reported.lock().unwrap(), ["value a/b"]);
        let later = open();
        assert_eq!(later.get("value", "a/b"), Some(list));
        later.set("value", "a/b", None).unwrap();
        assert_eq!(open().get("value", "a/b"), None);
    }
}
