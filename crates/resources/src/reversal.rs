//! Reverts resources that are removed from the program (spec 05 §4.5, spec 06 §4.4).
//!
//! Before the first check of a resource with `Meta:reverse`, its inverse is computed from the present state and stored below
//! `PREFIX/engine/reversals`. When a later graph lacks the resource, its inverse joins the graph, without edges, until it has
//! succeeded once. The file survives restarts, and a restart does not replace a stored inverse.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcl_value::{Type, Value};
use resource_graph::{Params, Resource, ResourceId};
use safe_fs::{Files, LastLink, is_temporary_name};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use crate::file_access::failure;
use crate::providers::capture_state;
use crate::{Failure, StateDir};

/// Returns the resource that undoes another one in the current state of the host; `None` for kinds that cannot be undone.
fn inverse(files: &Files, resource: &Resource) -> Result<Option<Resource>, Failure> {
    let Some(params) = Params::of(resource) else { return Ok(None) };
    let Some(reversal) = params.kind().reversal else { return Ok(None) };
    (reversal.check)(&params)
        .map_err(|error| Failure::Refused(format!("`Meta:reverse` cannot undo {}: {error}", resource.id)))?;
    let mut inverse = resource.clone();
    inverse.meta.reverse = false;
    let [one, other] = reversal.opposite_states;
    let state = params.string("state");
    if state == one {
        inverse.params.insert("state".into(), Value::str(other));
    } else if state == other {
        inverse.params.insert("state".into(), Value::str(one));
    }
    capture_state(files, resource, &mut inverse)?;
    Ok(Some(inverse))
}

/// The stored inverses.
#[derive(Clone, Debug)]
pub struct Reversals {
    directory: PathBuf,
    files: Arc<Files>,
}

impl Reversals {
    /// Returns the inverses in this state directory.
    #[must_use]
    pub fn new(state: &StateDir) -> Reversals {
        Reversals { directory: state.engine().join("reversals"), files: state.shared_files() }
    }

    fn file(&self, id: &ResourceId) -> PathBuf {
        let name = URL_SAFE_NO_PAD.encode(Sha256::digest(&*id.name));
        self.directory.join(format!("{}-{name}", id.kind.replace(':', "-")))
    }

    /// Stores the inverse of a resource, unless one is stored already.
    ///
    /// # Errors
    /// The resource cannot be reverted, or the inverse cannot be stored.
    pub fn remember(&self, resource: &Resource) -> Result<(), Failure> {
        let file = self.file(&resource.id);
        if self.files.find(&file, LastLink::Keep).map_err(failure)?.is_some() {
            return Ok(());
        }
        let Some(inverse) = inverse(&self.files, resource)? else { return Ok(()) };
        self.files.make_directories(&self.directory, 0o700).map_err(failure)?;
        self.files.write(&file, encode(&inverse).to_string().as_bytes(), 0o600).map_err(failure)
    }

    /// Returns whether an inverse of a resource is stored.
    #[must_use]
    pub fn is_stored(&self, id: &ResourceId) -> bool {
        self.files.find(&self.file(id), LastLink::Keep).is_ok_and(|found| found.is_some())
    }

    /// Removes the inverse of a resource after it has succeeded.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget(&self, id: &ResourceId) -> Result<(), Failure> {
        self.files.remove(&self.file(id)).map_err(failure)
    }

    /// Returns all stored inverses, sorted by id, and a failure for each file that cannot be read or is invalid.
    pub fn pending(&self) -> (Vec<Resource>, Vec<Failure>) {
        let (mut resources, mut failures) = (Vec::new(), Vec::new());
        let checked = match self.files.check_protected(&self.directory) {
            Err(error) if error.is_missing() => return (resources, failures),
            result => result,
        };
        let names = match checked.and_then(|()| self.files.list(&self.directory)) {
            Ok(names) => names.unwrap_or_default(),
            Err(error) => {
                failures.push(failure(error));
                return (resources, failures);
            }
        };
        for name in names.into_iter().filter(|name| !is_temporary_name(name)) {
            let path = self.directory.join(name);
            match self.files.read(&path) {
                Ok(None) => {}
                Ok(Some(text)) => match serde_json::from_slice(&text).ok().as_ref().and_then(decode) {
                    Some(resource) => resources.push(resource),
                    None => failures.push(invalid(&path)),
                },
                Err(error) => failures.push(failure(error)),
            }
        }
        resources.sort_by(|a, b| a.id.cmp(&b.id));
        (resources, failures)
    }
}

/// Returns the failure for a stored inverse that is corrupted. What it would restore may still be readable for a person.
fn invalid(path: &Path) -> Failure {
    let path = path.display();
    Failure::Refused(format!(
        "invalid stored reversal {path}: the old state that it describes is not restored; move the file away to silence this"
    ))
}

fn encode(resource: &Resource) -> Json {
    let params: Map<String, Json> = resource.params.iter().map(|(k, v)| (k.to_string(), v.to_json())).collect();
    let sensitive: Vec<&str> = resource.sensitive.iter().map(|name| &**name).collect();
    json!({"kind": *resource.id.kind, "name": *resource.id.name, "params": params, "sensitive": sensitive})
}

fn decode(json: &Json) -> Option<Resource> {
    let text = |key: &str| json.get(key)?.as_str();
    // Only inverses of reversible resources are ever stored.
    let kind = resource_graph::kind(text("kind")?).filter(|kind| kind.reversal.is_some())?;
    let mut resource = Resource::new(ResourceId::new(kind.name, text("name")?));
    for (name, value) in json.get("params")?.as_object()? {
        let ty = Type::parse(kind.field(name)?.ty)?;
        resource.params.insert(name.as_str().into(), Value::from_json(value, &ty).ok()?);
    }
    let sensitive = json.get("sensitive")?.as_array()?.iter().filter_map(Json::as_str);
    resource.sensitive = sensitive.map(Arc::from).collect();
    resource.origin = Some(ORIGIN.into());
    Some(resource)
}

/// The origin of stored inverses.
const ORIGIN: &str = "undoing a resource that left the program";

/// Returns whether a resource of the running graph is a stored inverse.
#[must_use]
pub fn is_reversal(resource: &Resource) -> bool {
    resource.origin.as_deref() == Some(ORIGIN)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    fn scratch() -> (tempfile::TempDir, Reversals, String) {
        let scratch = tempfile::tempdir().unwrap();
        let state = StateDir::open(&scratch.path().join("prefix")).unwrap();
        let reversals = Reversals::new(&state);
        let file = scratch.path().join("f").to_str().unwrap().to_owned();
        (scratch, reversals, file)
    }

    #[test]
    fn the_previous_content_is_restored() {
        let (_scratch, reversals, path) = scratch();
        fs::write(&path, b"old \xff").unwrap();
        let mut file = resource("file", &path).with("content", "new").with("mode", "0600");
        file.meta.reverse = true;
        let mode = fs::metadata(&path).unwrap().mode() & 0o7777;
        reversals.remember(&file).unwrap();
        ProviderTest::new(&file).run(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // A second process sees the managed content, and must keep the first inverse.
        reversals.remember(&file).unwrap();
        let (pending, failures) = reversals.pending();
        assert!(failures.is_empty());
        assert!(!pending[0].meta.reverse);
        ProviderTest::new(&pending[0]).run(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old \xff");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        reversals.forget(&file.id).unwrap();
        assert!(reversals.pending().0.is_empty());
    }

    #[test]
    fn creation_and_removal_are_reverted() {
        let (_scratch, reversals, path) = scratch();
        let exists = resource("file", &path).with("state", "exists").with("content", "x").with("owner", "root");
        reversals.remember(&exists).unwrap();
        let inverse = reversals.pending().0.remove(0);
        assert_eq!(inverse.params.len(), 1);
        assert_eq!(inverse.params["state"], Value::str("absent"));
        reversals.forget(&exists.id).unwrap();
        fs::write(&path, "precious").unwrap();
        let absent = resource("file", &path).with("state", "absent");
        reversals.remember(&absent).unwrap();
        let inverse = reversals.pending().0.remove(0);
        ProviderTest::new(&absent).run(true).unwrap();
        assert!(!Path::new(&path).exists());
        ProviderTest::new(&inverse).run(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
    }

    #[test]
    fn a_file_that_existed_before_is_not_removed() {
        let (_scratch, reversals, path) = scratch();
        fs::write(&path, "precious").unwrap();
        let file = resource("file", &path).with("state", "exists").with("content", "managed");
        reversals.remember(&file).unwrap();
        ProviderTest::new(&file).run(true).unwrap();
        ProviderTest::new(&reversals.pending().0[0]).run(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
    }

    #[test]
    fn a_file_that_was_created_through_a_link_is_removed_and_the_link_kept() {
        let (_scratch, reversals, path) = scratch();
        let target = format!("{path}-target");
        std::os::unix::fs::symlink(&target, &path).unwrap();
        let file = resource("file", &path).with("state", "exists").with("content", "managed");
        reversals.remember(&file).unwrap();
        ProviderTest::new(&file).run(true).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"managed");
        ProviderTest::new(&reversals.pending().0[0]).run(true).unwrap();
        assert!(!Path::new(&target).exists());
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    }

    #[test]
    fn resources_that_cannot_be_reverted_are_refused() {
        let (_scratch, reversals, path) = scratch();
        assert!(reversals.remember(&resource("file", &format!("{path}/"))).is_err());
        assert!(reversals.remember(&resource("file", &path).with("source", "/x")).is_err());
        reversals.remember(&resource("noop", "n")).unwrap();
        assert!(reversals.pending().0.is_empty());
    }

    #[test]
    fn invalid_files_are_reported_and_others_are_read() {
        let (_scratch, reversals, path) = scratch();
        reversals.remember(&resource("file", &path).with("state", "absent")).unwrap();
        fs::write(reversals.directory.join("file-x"), "{").unwrap();
        let (pending, failures) = reversals.pending();
        assert_eq!((pending.len(), failures.len()), (1, 1));
        let failure = failures[0].to_string();
        assert!(failure.contains("file-x") && failure.contains("move the file away"), "{failure}");
    }
}
