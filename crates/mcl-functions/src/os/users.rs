//! Accounts, as the name service switch of the machine knows them: `/etc/passwd`, a directory service, `systemd-homed`.

use std::os::unix::ffi::OsStringExt as _;

use nix::unistd::{Uid, User};

use crate::FunctionError;
use crate::golang::os::environment;
use crate::table::{Outcome, fatal, ok};

/// The file to watch for changes: other sources of accounts do not notify of changes.
pub(super) const PASSWD: &str = "/etc/passwd";

/// Returns the account with a name, if there is one.
pub(super) fn find(name: &[u8]) -> Result<Option<User>, FunctionError> {
    // Account names are UTF-8.
    let Ok(name) = std::str::from_utf8(name) else { return Ok(None) };
    if name.is_empty() {
        return Ok(None);
    }
    User::from_name(name).map_err(|error| FunctionError::fatal(format!("user: lookup {name}: {}", error.desc())))
}

/// Returns the account with a name, or an error.
pub(super) fn existing(name: &[u8]) -> Result<User, FunctionError> {
    let unknown = || FunctionError::fatal(format!("user: unknown user {}", String::from_utf8_lossy(name)));
    find(name)?.ok_or_else(unknown)
}

pub(super) fn home(user: User) -> Vec<u8> {
    user.dir.into_os_string().into_vec()
}

fn current_home() -> Option<Vec<u8>> {
    let account = User::from_uid(Uid::current()).ok().flatten();
    account.map(home).or_else(|| environment(b"HOME")).filter(|home| !home.is_empty())
}

pub(super) fn with_slash(mut path: Vec<u8>) -> Vec<u8> {
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path
}

/// Expands `~/x` and `~user/x`. Other paths are unchanged.
pub(super) fn expand_home(text: &[u8]) -> Outcome {
    let Some(slash) = text.iter().position(|&b| b == b'/').filter(|_| text.starts_with(b"~")) else { return ok(text) };
    let (name, rest) = (&text[1..slash], &text[slash + 1..]);
    let home = if name.is_empty() { current_home() } else { find(name)?.map(home) };
    match home {
        Some(home) => ok([&with_slash(home)[..], rest].concat()),
        None if name.is_empty() => fatal("can't expand ~ into home directory"),
        None => fatal(format!("can't expand {} into home directory", String::from_utf8_lossy(&text[..slash]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_leading_tilde_with_a_slash_is_expanded() {
        for text in ["~", "~root", "/a~root/c", "", "x"] {
            assert_eq!(expand_home(text.as_bytes()), ok(text));
        }
        assert_eq!(expand_home(b"~root/x/"), ok("/root/x/"));
        assert_eq!(expand_home(b"~\0\xff/x").map_err(|error| error.is_catchable()), Err(false));
        assert_eq!(expand_home(b"~no-such-user/x"), fatal("can't expand ~no-such-user into home directory"));
    }
}
