//! Decides which users could have made a directory entry.
//!
//! A process with the rights of root must not do for a user what the user may not do. Users act on it through names: a
//! symbolic link in a directory that they may write leads elsewhere, and a hard link there is another user's file. The owner
//! of an entry is not enough to decide who made it, because users may move and link what they do not own.

use std::path::Path;

use crate::error::Error;
use crate::system::Stat;

/// The users that the process trusts: root, and the one with whose rights it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trust {
    user: u32,
}

/// Who could have made a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// A trusted user only.
    Trusted,
    /// This user.
    User(u32),
    /// One of several users.
    Anybody,
}

impl Trust {
    pub(crate) fn of(user: u32) -> Trust {
        Trust { user }
    }

    pub(crate) fn is_trusted(self, uid: u32) -> bool {
        uid == 0 || uid == self.user
    }

    /// Returns whether only trusted users may change the object: its content, or the entries of a directory.
    pub(crate) fn is_protected(self, stat: &Stat) -> bool {
        self.is_trusted(stat.uid) && !is_shared(stat)
    }

    /// Checks that only trusted users may change what is at a path.
    ///
    /// # Errors
    /// Others can change it.
    pub(crate) fn check(self, path: &Path, stat: &Stat) -> Result<(), Error> {
        if self.is_protected(stat) {
            return Ok(());
        }
        let Stat { uid: owner, gid: group, mode, .. } = *stat;
        Err(Error::Unprotected { path: path.to_path_buf(), owner, group, mode })
    }

    /// Returns who could have made a symbolic link in a directory.
    pub(crate) fn maker(self, directory: &Stat, link: &Stat) -> Maker {
        // Without the rights of root, a link of the user's own leads nowhere that the user could not go.
        if self.is_protected(directory) && self.is_trusted(link.uid) || self.user != 0 && link.uid == self.user {
            return Maker::Trusted;
        }
        let sticky = directory.mode & 0o1000 != 0 && self.is_trusted(directory.uid);
        match (self.is_trusted(link.uid), self.is_trusted(directory.uid)) {
            // Only the owner may move or remove it. A second name could be somebody else's.
            (true, true) if sticky && link.links == 1 => Maker::Trusted,
            (false, true) if sticky && link.links == 1 => Maker::User(link.uid),
            (false, true) if !is_shared(directory) => Maker::User(link.uid),
            (true, false) if !is_shared(directory) => Maker::User(directory.uid),
            (false, false) if link.uid == directory.uid => Maker::User(link.uid),
            _ => Maker::Anybody,
        }
    }

    /// Returns whether a file with several names could have got this one from a user who does not own it.
    pub(crate) fn is_foreign_hard_link(self, directory: &Stat, file: &Stat) -> bool {
        let is_own = self.user != 0 && file.uid == self.user;
        let is_of_its_directory = file.uid == directory.uid && !self.is_trusted(directory.uid);
        file.is_file() && file.links > 1 && !self.is_protected(directory) && !is_own && !is_of_its_directory
    }
}

/// Returns whether users other than the owner and the group of root may write. The permissions of a group with an access control list
/// may be those of anybody.
fn is_shared(stat: &Stat) -> bool {
    stat.mode & 0o002 != 0 || stat.mode & 0o020 != 0 && (stat.gid != 0 || stat.has_access_list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::FileKind;

    fn stat(uid: u32, gid: u32, mode: u32) -> Stat {
        Stat {
            dev: 1,
            ino: 1,
            kind: FileKind::Directory,
            mode,
            uid,
            gid,
            size: 0,
            links: 1,
            modified: (0, 0),
            changed: (0, 0),
            has_access_list: false,
        }
    }

    fn maker(directory: (u32, u32, u32), owner: u32) -> Maker {
        let (uid, gid, mode) = directory;
        Trust::of(0).maker(&stat(uid, gid, mode), &Stat { kind: FileKind::Link, ..stat(owner, 0, 0o777) })
    }

    #[test]
    fn links_of_root_in_directories_of_root_are_trusted() {
        assert_eq!(maker((0, 0, 0o755), 0), Maker::Trusted);
        assert_eq!(maker((0, 0, 0o775), 0), Maker::Trusted);
        assert_eq!(maker((0, 0, 0o1777), 0), Maker::Trusted);
        assert_eq!(maker((0, 50, 0o2775), 0), Maker::Anybody);
        assert_eq!(maker((0, 0, 0o777), 0), Maker::Anybody);
    }

    #[test]
    fn access_control_list_can_let_anybody_write() {
        let with_list = |mode| Stat { has_access_list: true, ..stat(0, 0, mode) };
        assert!(Trust::of(0).is_protected(&stat(0, 0, 0o770)) && Trust::of(0).is_protected(&with_list(0o750)));
        assert!(!Trust::of(0).is_protected(&with_list(0o770)));
    }

    #[test]
    fn links_that_a_user_could_make_are_his() {
        assert_eq!(maker((7, 7, 0o755), 7), Maker::User(7));
        assert_eq!(maker((7, 7, 0o755), 0), Maker::User(7));
        assert_eq!(maker((0, 0, 0o1777), 7), Maker::User(7));
        assert_eq!(maker((7, 7, 0o755), 8), Maker::Anybody);
        assert_eq!(maker((7, 7, 0o777), 0), Maker::Anybody);
    }

    #[test]
    fn second_names_are_trusted_where_their_maker_is_known() {
        let file = |uid| Stat { kind: FileKind::File, links: 2, ..stat(uid, 0, 0o600) };
        let trust = Trust::of(0);
        assert!(!trust.is_foreign_hard_link(&stat(0, 0, 0o755), &file(7)));
        assert!(trust.is_foreign_hard_link(&stat(7, 7, 0o755), &file(0)));
        assert!(!trust.is_foreign_hard_link(&stat(7, 7, 0o755), &file(7)));
        assert!(trust.is_foreign_hard_link(&stat(0, 0, 0o1777), &file(0)));
        assert!(!Trust::of(7).is_foreign_hard_link(&stat(7, 8, 0o775), &file(7)));
    }
}
