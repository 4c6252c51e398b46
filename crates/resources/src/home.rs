//! Home directories in paths.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;

/// Replaces a leading `~/` or `~user/` by the home directory (spec 05 §5.4).
///
/// # Errors
/// The home directory is unknown.
pub fn expand_home(path: &str) -> Result<PathBuf, Failure> {
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
    fn homes_are_expanded() {
        assert_eq!(expand_home("/a/~/b").unwrap(), PathBuf::from("/a/~/b"));
        assert_eq!(expand_home("~root/x").unwrap(), home_of("0", 2).unwrap().join("x"));
        assert!(expand_home("~no-such-user/x").is_err());
        assert_eq!(expand_home("~root").unwrap(), PathBuf::from("~root"));
    }
}
