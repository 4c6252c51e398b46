//! The previous state of a file, which `Meta:reverse` restores (spec 06 §4.4).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use mcl_value::Value;
use resource_graph::{Params, Resource, file_path};

use crate::Failure;

/// Adds the current content, owner, group, mode and label to the inverse of a `file`, as far as the resource manages them.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn capture(resource: &Resource, inverse: &mut Resource) -> Result<(), Failure> {
    let Some(params) = Params::of(resource) else { return Ok(()) };
    let path = file_path(&params);
    let path = Path::new(&*path);
    let has = |param: &str| resource.params.contains_key(param);
    let was_absent = params.string("state") == "absent";
    inverse.params.shift_remove("fragments");
    if params.string("state") == "exists" {
        // An absent file has neither content nor owner.
        for param in ["content", "owner", "group", "mode", "selinux"] {
            inverse.params.shift_remove(param);
        }
        return Ok(());
    }
    let found = match fs::metadata(path) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::io("read", path, error)),
    };
    if has("content") || has("fragments") || was_absent {
        inverse.params.shift_remove("content");
        if found.is_some() {
            let content = fs::read(path).map_err(Failure::on("read", path))?;
            inverse.params.insert("content".into(), Value::str(content));
        } else if was_absent {
            // It did not exist before, so the inverse must not create it.
            inverse.params.insert("state".into(), Value::str("absent"));
        }
    }
    for (param, value) in [
        ("owner", found.as_ref().map(|f| f.uid().to_string())),
        ("group", found.as_ref().map(|f| f.gid().to_string())),
        ("mode", found.as_ref().map(|f| format!("0{:o}", f.mode() & 0o7777))),
    ] {
        match value {
            Some(value) if has(param) => drop(inverse.params.insert(param.into(), Value::str(value))),
            Some(_) | None => drop(inverse.params.shift_remove(param)),
        }
    }
    if inverse.params.shift_remove("selinux").is_some()
        && let Some(label) = label(path)
    {
        inverse.params.insert("selinux".into(), Value::str(label));
    }
    Ok(())
}

/// Returns the security label; `None` if there is none, or the file system has no labels.
fn label(path: &Path) -> Option<Vec<u8>> {
    let mut buffer = [0_u8; 4096];
    let length = rustix::fs::lgetxattr(path, "security.selinux", &mut buffer[..]).ok()?;
    let label = buffer.get(..length)?;
    Some(label.strip_suffix(b"\0").unwrap_or(label).to_vec())
}
