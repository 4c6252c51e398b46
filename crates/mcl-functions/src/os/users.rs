//! Accounts of `/etc/passwd`.

use crate::golang::os::environment;
use crate::table::{Outcome, fatal, ok};

pub(super) const PASSWD: &str = "/etc/passwd";

pub(super) struct User {
    pub(super) uid: Vec<u8>,
    pub(super) home: Vec<u8>,
}

/// The account of that name.
pub(super) fn find(name: &[u8]) -> Option<User> {
    let accounts = std::fs::read(PASSWD).ok()?;
    find_in(&accounts, |fields| !name.is_empty() && fields[0] == name)
}

fn find_in(accounts: &[u8], wanted: impl Fn(&[&[u8]]) -> bool) -> Option<User> {
    let mut lines = accounts.split(|&b| b == b'\n').map(|line| line.split(|&b| b == b':').collect::<Vec<_>>());
    let fields = lines.find(|fields| fields.len() >= 6 && wanted(fields))?;
    Some(User { uid: fields[2].to_vec(), home: fields[5].to_vec() })
}

fn current_home() -> Option<Vec<u8>> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let account =
        std::fs::read(PASSWD).ok().and_then(|accounts| find_in(&accounts, |fields| fields[2] == uid.as_bytes()));
    account.map(|user| user.home).or_else(|| environment(b"HOME")).filter(|home| !home.is_empty())
}

pub(super) fn with_slash(mut path: Vec<u8>) -> Vec<u8> {
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path
}

/// `~/x` and `~user/x` at the start of the text; everything else is unchanged.
pub(super) fn expand_home(text: &[u8]) -> Outcome {
    let Some(slash) = text.iter().position(|&b| b == b'/').filter(|_| text.starts_with(b"~")) else { return ok(text) };
    let (name, rest) = (&text[1..slash], &text[slash + 1..]);
    let home = if name.is_empty() { current_home() } else { find(name).map(|user| user.home) };
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
        assert_eq!(expand_home(b"~no-such-user/x"), fatal("can't expand ~no-such-user into home directory"));
    }
}
