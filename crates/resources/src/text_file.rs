//! Reads and edits configuration files that other programs edit too.

use std::path::Path;

use resource_graph::is_private_mode;
use safe_fs::{Decision, LastLink, NewAttributes};

use crate::digest::Digester;
use crate::file_access::{edit_failure, failure};
use crate::{Change, Context, Diff, Digests, Failure};

/// Returns the content of a file, or `None` if it does not exist.
pub(crate) fn read(cx: &Context<'_>, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    cx.files().read(path).map_err(failure)
}

/// A change of a file's content.
#[derive(Default)]
pub(crate) struct Edit {
    /// The description of the change.
    pub(crate) text: String,
    /// The new content; `None` removes the file.
    pub(crate) after: Option<Vec<u8>>,
    /// Whether the contents must not be shown, whatever the file's mode is.
    pub(crate) is_private: bool,
}

impl Edit {
    /// Returns the change that gives a file this content; `None` if it has it.
    pub(crate) fn to(before: Option<&[u8]>, after: &[u8], text: impl FnOnce() -> String) -> Option<Edit> {
        (before != Some(after)).then(|| Edit { text: text(), after: Some(after.to_vec()), is_private: false })
    }
}

/// Maximum number of lines of a file whose lines are listed to edit it.
const MAX_LINES: usize = 4_000_000;

/// Checks that a file has not too many lines to list them.
///
/// # Errors
/// It has.
pub(crate) fn check_lines(content: &[u8], path: &Path) -> Result<(), Failure> {
    match content.iter().filter(|byte| **byte == b'\n').nth(MAX_LINES) {
        Some(_) => Err(Failure::Refused(format!("{} has more than {MAX_LINES} lines", path.display()))),
        None => Ok(()),
    }
}

/// Returns the attributes of a new file with this mode.
pub(crate) fn with_mode(mode: u32) -> NewAttributes {
    NewAttributes { mode: Some(mode), ..NewAttributes::default() }
}

/// Edits a file as `decide` says, which receives its content. While it decides and until the file is replaced, no other
/// resource edits the file; if another program does, `decide` runs again. An existing file keeps its attributes. Returns
/// whether a change was made, or would be in noop mode.
pub(crate) fn edit(
    cx: &mut Context<'_>,
    path: &Path,
    new: &NewAttributes,
    mut decide: impl FnMut(Option<&[u8]>) -> Result<Option<Edit>, Failure>,
) -> Result<bool, Failure> {
    let before = read(cx, path)?;
    let Some(edit) = decide(before.as_deref())? else { return Ok(false) };
    if !cx.apply {
        announce(cx, path, before.as_deref(), &edit, new)?;
        return Ok(true);
    }
    let mut is_announced = false;
    let edited = cx.files().edit(path, new, |before| {
        let Some(edit) = decide(before)? else { return Ok(Decision::Keep) };
        if is_announced && cx.digest_salt().is_some() {
            // What was permitted is an edit of the content that was there before.
            return Err(Failure::Unplanned(format!(
                "the contents have changed since they were planned: {}",
                edit.text
            )));
        }
        if !is_announced && !announce(cx, path, before, &edit, new)? {
            return Ok(Decision::Keep);
        }
        is_announced = true;
        Ok(edit.after.map_or(Decision::Remove, Decision::Write))
    });
    edited.map_err(edit_failure)
}

fn announce(
    cx: &mut Context<'_>,
    path: &Path,
    before: Option<&[u8]>,
    edit: &Edit,
    new: &NewAttributes,
) -> Result<bool, Failure> {
    // An existing file keeps its mode.
    let mode = || match cx.files().find(path, LastLink::FollowTrusted) {
        Ok(Some(found)) => Some(found.stat.mode),
        Ok(None) | Err(_) => new.mode,
    };
    let diff = cx.wants_diffs().then(|| Diff {
        path: path.to_path_buf(),
        before: before.map(<[u8]>::to_vec),
        after: edit.after.clone(),
        is_private: edit.is_private || mode().is_some_and(is_private_mode),
    });
    let digests = cx.digest_salt().map(|salt| Digests {
        before: before.map(|content| Digester::of(salt, content)),
        after: edit.after.as_deref().map(|content| Digester::of(salt, content)),
    });
    cx.change(Change { diff, digests, ..Change::from(edit.text.as_str()) })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;
    use crate::provider_test::resource;
    use crate::{ApplyContext, Cancel, CheckRequest};

    /// Replaces the content of a file.
    fn replace(path: &Path, content: &[u8]) {
        let resource = resource("line", "l");
        let (apply_context, cancel) = (ApplyContext::default(), Cancel::new());
        let mut cx = Context::new(CheckRequest::new(&resource.id, &apply_context, &cancel, true));
        let edit = |before: Option<&[u8]>| Ok(Edit::to(before, content, || "write".to_owned()));
        assert!(super::edit(&mut cx, path, &with_mode(0o600), edit).unwrap());
    }

    #[test]
    fn permissions_and_links_survive_a_replacement() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, link) = (scratch.path().join("f"), scratch.path().join("l"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();
        replace(&link, b"new");
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2, "no leftovers");
    }

    #[test]
    fn other_names_of_a_file_keep_the_old_content() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, other) = (scratch.path().join("f"), scratch.path().join("g"));
        fs::write(&file, "old").unwrap();
        fs::hard_link(&file, &other).unwrap();
        replace(&file, b"new");
        assert_eq!((fs::read(&file).unwrap(), fs::read(&other).unwrap()), (b"new".to_vec(), b"old".to_vec()));
    }
}
