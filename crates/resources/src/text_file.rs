//! Reads and replaces configuration files that other programs edit too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::{Change, Context, Diff, Failure, write_atomically};

/// Returns the content of a file, or `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::io("read", path, error)),
    }
}

/// Returns a change of a file's content, with a diff if the agent requests one.
pub(crate) fn change(
    cx: &Context<'_>,
    text: String,
    path: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Change {
    let diff = cx.wants_diffs().then(|| Diff {
        path: path.to_path_buf(),
        before: before.map(<[u8]>::to_vec),
        after: after.map(<[u8]>::to_vec),
    });
    Change { text, diff }
}

/// Replaces the content of a file atomically. Keeps the owner and the permissions of an existing file and follows symbolic
/// links. A mount point or a file with several hard links is written in place, because it cannot be renamed over.
pub(crate) fn replace(path: &Path, content: &[u8], mode_if_new: u32) -> Result<(), Failure> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = match fs::metadata(&target) {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return Err(Failure::Refused(format!("{} is not a regular file", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return write_atomically(&target, content, mode_if_new).map_err(Failure::on("write", path));
        }
        Err(error) => return Err(Failure::io("read", path, error)),
    };
    let replaced =
        if old.nlink() > 1 { Err(io::ErrorKind::ResourceBusy.into()) } else { rename_over(&target, content, &old) };
    match replaced {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            let write = || {
                let mut file = OpenOptions::new().write(true).truncate(true).open(&target)?;
                file.write_all(content)?;
                file.sync_all()
            };
            write().map_err(Failure::on("write", path))
        }
        Err(error) => Err(Failure::io("write", path, error)),
    }
}

fn rename_over(path: &Path, content: &[u8], old: &fs::Metadata) -> io::Result<()> {
    let temporary = beside(path);
    let result = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let short: String = name.chars().take(40).collect();
    path.with_file_name(format!(".{short}.mgmt-{}-{:?}", std::process::id(), std::thread::current().id()))
}

/// Replaces a leading `~/` or `~user/` by the home directory (spec 05 §5.4).
pub(crate) fn expand_home(path: &str) -> Result<PathBuf, Failure> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(PathBuf::from(path)) };
    let Some((user, below)) = rest.split_once('/') else { return Ok(PathBuf::from(path)) };
    let home = if user.is_empty() {
        match std::env::var_os("HOME").filter(|home| !home.is_empty()) {
            Some(home) => PathBuf::from(home),
            None => home_of(&rustix::process::geteuid().as_raw().to_string(), 2)?,
        }
    } else {
        home_of(user, 0)?
    };
    Ok(home.join(below))
}

/// Returns the home directory of the account with this value in this field.
fn home_of(key: &str, field: usize) -> Result<PathBuf, Failure> {
    let text = fs::read_to_string("/etc/passwd").map_err(Failure::on("read", Path::new("/etc/passwd")))?;
    let home = text.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|f| f.get(field) == Some(&key));
    match home.as_deref() {
        Some([_, _, _, _, _, home, ..]) if !home.is_empty() => Ok(PathBuf::from(home)),
        _ => Err(Failure::Unavailable(format!("unknown home directory of user `{key}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_and_links_survive_a_replacement() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, link) = (scratch.path().join("f"), scratch.path().join("l"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();
        replace(&link, b"new", 0o600).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2, "no leftovers");
    }

    #[test]
    fn other_names_of_a_file_see_the_new_content() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, other) = (scratch.path().join("f"), scratch.path().join("g"));
        fs::write(&file, "old").unwrap();
        fs::hard_link(&file, &other).unwrap();
        replace(&file, b"new", 0o600).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"new");
    }

    #[test]
    fn homes_are_expanded() {
        assert_eq!(expand_home("/a/~/b").unwrap(), PathBuf::from("/a/~/b"));
        assert_eq!(expand_home("~root/x").unwrap(), home_of("0", 2).unwrap().join("x"));
        assert!(expand_home("~no-such-user/x").is_err());
        assert_eq!(expand_home("~root").unwrap(), PathBuf::from("~root"));
    }
}
