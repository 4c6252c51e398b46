//! Owner, group, mode and security label of a file.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::OnceLock;

use resource_graph::SymbolicMode;
use rustix::fs::{AtFlags, Gid, Uid, XattrFlags, chownat, lgetxattr, lremovexattr, lsetxattr};
use rustix::io::Errno;

use crate::accounts::{group_id, user_id};
use crate::{Context, Failure, Params};

const SELINUX_XATTR: &str = "security.selinux";

/// The managed attributes; `None` for unmanaged ones.
pub(super) struct Attributes {
    owner: Option<String>,
    group: Option<String>,
    mode: Option<Mode>,
    label: Option<String>,
}

enum Mode {
    Exact(u32),
    Symbolic(SymbolicMode),
}

impl Attributes {
    pub(super) const NONE: Attributes = Attributes { owner: None, group: None, mode: None, label: None };

    pub(super) fn read(params: Params<'_>) -> Result<Attributes, Failure> {
        let given = |key| params.str(key).map(|s| (!s.is_empty()).then(|| s.to_owned()));
        let mode = match params.str("mode")? {
            "" => None,
            text => Some(match u32::from_str_radix(text, 8) {
                Ok(bits) if bits <= 0o7777 => Mode::Exact(bits),
                Ok(_) => return Err(Failure::Invalid(format!("the mode `{text}` is larger than 7777"))),
                Err(_) => Mode::Symbolic(
                    SymbolicMode::parse(text).map_err(|e| Failure::Invalid(format!("the mode `{text}` {e}")))?,
                ),
            }),
        };
        let label = params.opt_str("selinux")?.map(str::to_owned);
        Ok(Attributes { owner: given("owner")?, group: given("group")?, mode, label })
    }

    /// Returns the requested owner and group.
    pub(super) fn ids(&self) -> Result<(Option<u32>, Option<u32>), Failure> {
        Ok((self.owner.as_deref().map(user_id).transpose()?, self.group.as_deref().map(group_id).transpose()?))
    }

    /// Returns the requested mode, given the present one.
    pub(super) fn mode_from(&self, present: u32) -> Option<u32> {
        self.mode.as_ref().map(|mode| match mode {
            Mode::Exact(bits) => *bits,
            Mode::Symbolic(symbolic) => symbolic.apply(present & 0o7777),
        })
    }

    /// Returns the requested mode of a new entry, before the umask.
    pub(super) fn mode_for_new(&self) -> Option<u32> {
        self.mode_from(0)
    }

    /// Returns whether the label is managed.
    pub(super) fn wants_label(&self) -> bool {
        self.label.is_some()
    }

    fn is_empty(&self) -> bool {
        self.owner.is_none() && self.group.is_none() && self.mode.is_none() && self.label.is_none()
    }

    /// Checks and repairs the attributes of an existing entry; with `is_link`, those of a symbolic link itself.
    pub(super) fn check(&self, cx: &mut Context<'_>, path: &Path, is_link: bool) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let found = if is_link { fs::symlink_metadata(path) } else { fs::metadata(path) };
        match found {
            Ok(found) => self.check_found(cx, path, &found, is_link),
            // In noop mode an announced creation has not been made.
            Err(error) if error.kind() == io::ErrorKind::NotFound && cx.is_changed() => Ok(()),
            Err(error) => Err(Failure::io("look at", path, error)),
        }
    }

    pub(super) fn check_found(
        &self,
        cx: &mut Context<'_>,
        path: &Path,
        found: &fs::Metadata,
        is_link: bool,
    ) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let (uid, gid) = self.ids()?;
        let uid = uid.filter(|uid| *uid != found.uid());
        let gid = gid.filter(|gid| *gid != found.gid());
        let mut mode = found.mode() & 0o7777;
        let chown = uid.is_some() || gid.is_some();
        if chown {
            let text = match (uid, gid) {
                (Some(uid), Some(gid)) => {
                    format!("change owner and group from {}:{} to {uid}:{gid}", found.uid(), found.gid())
                }
                (Some(uid), None) => format!("change the owner from {} to {uid}", found.uid()),
                (None, Some(gid)) => format!("change the group from {} to {gid}", found.gid()),
                (None, None) => String::new(),
            };
            if cx.change(text)? {
                let flags = if is_link { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
                chownat(rustix::fs::CWD, path, uid.map(Uid::from_raw), gid.map(Gid::from_raw), flags)
                    .map_err(Failure::on("change the owner of", path))?;
                // The kernel clears setuid and setgid.
                mode = fs::symlink_metadata(path).map_or(mode, |m| if is_link { mode } else { m.mode() & 0o7777 });
            }
        }
        // The mode of a link has no effect.
        let wanted = self.mode_from(found.mode()).filter(|_| !is_link);
        if let Some(wanted) = wanted
            && wanted != mode
        {
            let announced = wanted == found.mode() & 0o7777;
            if announced || cx.change(format!("change the mode from {mode:04o} to {wanted:04o}"))? {
                fs::set_permissions(path, fs::Permissions::from_mode(wanted))
                    .map_err(Failure::on("change the mode of", path))?;
            }
        }
        self.check_label(cx, path)
    }

    fn check_label(&self, cx: &mut Context<'_>, path: &Path) -> Result<(), Failure> {
        let Some(wanted) = &self.label else { return Ok(()) };
        let present = label(path).map_err(Failure::on("read the label of", path))?;
        if present.as_deref().unwrap_or("") == wanted {
            return Ok(());
        }
        if !cx.change(format!("change the label from `{}` to `{wanted}`", present.unwrap_or_default()))? {
            return Ok(());
        }
        let result = if wanted.is_empty() {
            lremovexattr(path, SELINUX_XATTR)
        } else {
            lsetxattr(path, SELINUX_XATTR, wanted.as_bytes(), XattrFlags::empty())
        };
        result.map_err(Failure::on("change the label of", path))
    }
}

/// Returns the security label of a path; `None` without one, or on a file system without labels.
pub(super) fn label(path: &Path) -> Result<Option<String>, Errno> {
    let mut buffer = [0u8; 1024];
    match lgetxattr(path, SELINUX_XATTR, &mut buffer) {
        Ok(length) => Ok(Some(String::from_utf8_lossy(&buffer[..length]).trim_end_matches('\0').to_owned())),
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates one directory with exactly this mode, or the default.
pub(super) fn make_directory(path: &Path, mode: Option<u32>) -> io::Result<()> {
    DirBuilder::new().mode(mode.unwrap_or(0o777)).create(path)?;
    match mode {
        Some(mode) if mode & umask() != 0 || mode > 0o777 => {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the umask of the process. Read from `/proc` once, because the system call would change it for all threads.
pub(super) fn umask() -> u32 {
    static UMASK: OnceLock<u32> = OnceLock::new();
    *UMASK.get_or_init(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("Umask:"));
        line.and_then(|v| u32::from_str_radix(v.trim(), 8).ok()).unwrap_or(0o022)
    })
}
