//! The previous state of a file, which `Meta:reverse` restores (spec 06 §4.4).

use std::path::{Path, PathBuf};

use mcl_value::Value;
use resource_graph::{Params, Resource, file_path};
use safe_fs::{Error, FileKind, Files, LastLink};

use crate::Failure;
use crate::file_access::failure;

/// Adds the current content, owner, group, mode and label to the inverse of a `file`, as far as the resource manages them.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn capture(files: &Files, resource: &Resource, inverse: &mut Resource) -> Result<(), Failure> {
    let Some(params) = Params::of(resource) else { return Ok(()) };
    let path = file_path(&params);
    let path = Path::new(&*path);
    let has = |param: &str| resource.params.contains_key(param);
    let was_absent = params.string("state") == "absent";
    inverse.params.shift_remove("fragments");
    if let Some(target) = target_of_link(files, path)? {
        // The content goes to the target of a link, so that is what changes back.
        inverse.params.shift_remove("dirname");
        inverse.params.shift_remove("basename");
        inverse.params.insert("path".into(), Value::str(target.into_os_string().into_encoded_bytes()));
    }
    let mut found = match files.open(path, LastLink::FollowTrusted) {
        // A name that a user could have made for something else, and that the resource replaces.
        Err(Error::WrongKind { found: FileKind::Link, .. } | Error::ForeignHardLink { .. }) => None,
        // `force` replaces a directory, which cannot be restored.
        Err(Error::WrongKind { found: FileKind::Directory, .. }) if params.bool("force") => None,
        result => result.map_err(failure)?,
    };
    if params.string("state") == "exists" {
        if found.is_none() {
            // An absent file has neither content nor owner.
            for param in ["content", "owner", "group", "mode", "mode_change", "selinux"] {
                inverse.params.shift_remove(param);
            }
            return Ok(());
        }
        // What was there before is not removed.
        inverse.params.insert("state".into(), Value::str("exists"));
    }
    if has("content") || has("fragments") || was_absent {
        inverse.params.shift_remove("content");
        match &mut found {
            Some(file) => {
                let content = file.read_all().map_err(Failure::on("read", path))?;
                inverse.params.insert("content".into(), Value::str(content));
            }
            // It did not exist before, so the inverse must not create it.
            None if was_absent => drop(inverse.params.insert("state".into(), Value::str("absent"))),
            None => {}
        }
    }
    if inverse.params.shift_remove("mode_change").is_some() {
        inverse.params.insert("mode".into(), Value::str(""));
    }
    let stat = found.as_ref().map(|file| file.stat());
    for (param, value) in [
        ("owner", stat.map(|stat| stat.uid.to_string())),
        ("group", stat.map(|stat| stat.gid.to_string())),
        ("mode", stat.map(|stat| format!("0{:o}", stat.mode))),
    ] {
        match value {
            Some(value) if inverse.params.contains_key(param) => {
                drop(inverse.params.insert(param.into(), Value::str(value)))
            }
            Some(_) | None => drop(inverse.params.shift_remove(param)),
        }
    }
    if inverse.params.shift_remove("selinux").is_some()
        && let Some(file) = &found
        && let Some(label) = files.file_system().label(file.handle()).ok().flatten()
    {
        inverse.params.insert("selinux".into(), Value::str(label));
    }
    Ok(())
}

/// Returns where a link leads that only trusted users could have made; `None` if the path is not such a link.
fn target_of_link(files: &Files, path: &Path) -> Result<Option<PathBuf>, Failure> {
    let Some(entry) = files.find(path, LastLink::Keep).map_err(failure)? else { return Ok(None) };
    if !entry.stat.is_link() {
        return Ok(None);
    }
    // A missing target is trusted if it can be located.
    match files.find(path, LastLink::FollowTrusted) {
        Ok(Some(found)) if found.is_untrusted_link => Ok(None),
        Ok(_) => Ok(files.real_paths(path).pop().filter(|target| *target != entry.path)),
        Err(_) => Ok(None),
    }
}
