//! Owner, group, mode and security label of a file.

use std::path::Path;

use resource_graph::{ModeChange, SymbolicMode};
use rustix::io::Errno;
use safe_fs::{Error, FileSystem, Found, Handle, LastLink, NewAttributes, Stat};

use crate::accounts::{group_id, user_id};
use crate::file_access::failure;
use crate::providers::file::label::Label;
use crate::{Context, Failure, Params};

/// The managed attributes. Most files have none, and then this is one pointer.
pub(super) struct Attributes(Option<Box<Managed>>);

/// The attributes of a file of which some are managed; `None` for unmanaged ones.
struct Managed {
    owner: Option<String>,
    group: Option<String>,
    mode: Option<Mode>,
    label: Option<Label>,
}

enum Mode {
    Exact(u32),
    Symbolic(SymbolicMode),
    Change(ModeChange),
}

impl Mode {
    fn read(params: Params<'_>) -> Result<Option<Mode>, Failure> {
        let change = params.str("mode_change")?;
        if !change.is_empty() {
            let parsed = ModeChange::parse(change);
            let parsed = parsed.map_err(|e| Failure::Invalid(format!("the change `{change}` of the mode: {e}")))?;
            return Ok(Some(Mode::Change(parsed)));
        }
        Ok(match params.str("mode")? {
            "" => None,
            text => Some(match u32::from_str_radix(text, 8) {
                Ok(bits) if bits <= 0o7777 => Mode::Exact(bits),
                Ok(_) => return Err(Failure::Invalid(format!("the mode `{text}` is larger than 7777"))),
                Err(_) => Mode::Symbolic(
                    SymbolicMode::parse(text).map_err(|e| Failure::Invalid(format!("the mode `{text}` {e}")))?,
                ),
            }),
        })
    }

    /// Returns the mode of what has the mode `present` now.
    fn of_existing(&self, present: u32, is_directory: bool) -> u32 {
        match self {
            Mode::Exact(bits) => *bits,
            Mode::Symbolic(symbolic) => symbolic.apply(present),
            Mode::Change(change) => change.apply(present, is_directory),
        }
    }

    /// Returns the mode of a new file. `default` is that of what it is made of.
    fn of_new_file(&self, default: Option<u32>) -> u32 {
        let start = match self {
            Mode::Exact(_) | Mode::Symbolic(_) => 0,
            Mode::Change(_) => ModeChange::NEW_FILE,
        };
        self.of_existing(default.unwrap_or(start), false)
    }

    /// Returns the mode of a new directory.
    fn of_new_directory(&self) -> u32 {
        let start = match self {
            Mode::Exact(_) | Mode::Symbolic(_) => 0,
            Mode::Change(_) => ModeChange::NEW_DIRECTORY,
        };
        self.of_existing(start, true)
    }
}

/// An open object whose attributes are compared.
struct Object<'a> {
    fs: &'a dyn FileSystem,
    handle: &'a Handle,
    stat: &'a Stat,
    path: &'a Path,
}

/// The failure of a file that must exist already, because its `state` is not set.
pub(super) fn missing(path: &Path) -> Failure {
    Failure::Refused(format!("{} does not exist; set `state => \"exists\"` to create it", path.display()))
}

impl Attributes {
    pub(super) const NONE: Attributes = Attributes(None);

    pub(super) fn read(params: Params<'_>) -> Result<Attributes, Failure> {
        let given = |key| params.str(key).map(|s| (!s.is_empty()).then(|| s.to_owned()));
        let label = params.opt_str("selinux")?.map(Label::parse);
        let managed = Managed { owner: given("owner")?, group: given("group")?, mode: Mode::read(params)?, label };
        let is_empty =
            managed.owner.is_none() && managed.group.is_none() && managed.mode.is_none() && managed.label.is_none();
        Ok(Attributes((!is_empty).then(|| Box::new(managed))))
    }

    /// Returns the requested owner and group.
    fn ids(&self) -> Result<(Option<u32>, Option<u32>), Failure> {
        let Some(managed) = &self.0 else { return Ok((None, None)) };
        let uid = managed.owner.as_deref().map(user_id).transpose()?;
        Ok((uid, managed.group.as_deref().map(group_id).transpose()?))
    }

    /// Checks that the requested owner and group exist.
    pub(super) fn check_accounts(&self) -> Result<(), Failure> {
        self.ids().map(drop)
    }

    /// Returns the mode of a new file, if it is managed or if what it is made of decides it.
    pub(super) fn mode_for_content(&self, default: Option<u32>) -> Option<u32> {
        self.mode().map(|mode| mode.of_new_file(default)).or(default)
    }

    fn mode(&self) -> Option<&Mode> {
        self.0.as_ref()?.mode.as_ref()
    }

    /// Returns the requested mode of something that exists; links have none.
    fn mode_of(&self, stat: &Stat) -> Option<u32> {
        self.mode().filter(|_| !stat.is_link()).map(|mode| mode.of_existing(stat.mode, stat.is_directory()))
    }

    /// Returns the requested mode of a new directory, before the umask.
    pub(super) fn mode_for_directory(&self) -> Option<u32> {
        self.mode().map(Mode::of_new_directory)
    }

    /// Returns the attributes of a new file. What is not managed comes from what it replaces, if that has the attributes
    /// `old`, and else from the defaults.
    pub(super) fn for_new(&self, old: Option<NewAttributes>) -> Result<NewAttributes, Failure> {
        let (uid, gid) = self.ids()?;
        let mut old = old.unwrap_or_default();
        // As when the kernel changes an owner: a user who made a program setuid has not made one that is another user's.
        let is_given_away =
            |new: Option<u32>, old: Option<u32>| new.is_some_and(|new| old.is_some_and(|old| old != new));
        if is_given_away(uid, old.uid) || is_given_away(gid, old.gid) {
            old.mode = old.mode.map(|mode| mode & !0o6000);
        }
        let label = self.label().and_then(Label::complete).map(|label| label.as_bytes().to_vec());
        Ok(NewAttributes {
            uid: uid.or(old.uid),
            gid: gid.or(old.gid),
            mode: self.mode_for_content(old.mode),
            label: label.or(old.label),
            owner_is_optional: (uid, gid) == (None, None),
        })
    }

    /// Returns the attributes of a new directory.
    pub(super) fn for_new_directory(&self) -> Result<NewAttributes, Failure> {
        Ok(NewAttributes { mode: self.mode_for_directory(), ..self.for_new(None)? })
    }

    fn label(&self) -> Option<&Label> {
        self.0.as_ref()?.label.as_ref()
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Checks and repairs the attributes of an existing entry; with [`LastLink::Keep`], those of a symbolic link itself.
    pub(super) fn check(&self, cx: &mut Context<'_>, path: &Path, last: LastLink) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        match cx.files().find(path, last).map_err(failure)? {
            Some(Found { stat, is_untrusted_link: true, .. }) => {
                Err(failure(Error::UntrustedLink { link: path.to_path_buf(), owner: stat.uid }))
            }
            Some(found) => self.check_found(cx, path, &found.handle, &found.stat, last),
            // In noop mode an announced creation has not been made.
            None if cx.is_changed() => Ok(()),
            None => Err(missing(path)),
        }
    }

    /// Checks and repairs the attributes of an object that was found at the path.
    pub(super) fn check_found(
        &self,
        cx: &mut Context<'_>,
        path: &Path,
        handle: &Handle,
        stat: &Stat,
        last: LastLink,
    ) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let object = Object { fs: cx.files().file_system(), handle, stat, path };
        if !self.differs_from(&object)? {
            return Ok(());
        }
        if !cx.apply {
            return self.repair(cx, &object);
        }
        let target = cx.files().lock(path, last).map_err(failure)?;
        match target.own_entry().map_err(failure)? {
            Some((_, stat)) if stat.is_link() && last != LastLink::Keep => {
                Err(failure(Error::UntrustedLink { link: path.to_path_buf(), owner: stat.uid }))
            }
            Some((handle, stat)) => {
                self.repair(cx, &Object { fs: cx.files().file_system(), handle: &handle, stat: &stat, path })
            }
            None => Err(Failure::io("look at", path, Errno::NOENT)),
        }
    }

    fn differs_from(&self, object: &Object<'_>) -> Result<bool, Failure> {
        let (uid, gid) = self.ids()?;
        let stat = object.stat;
        let mode = self.mode_of(stat);
        Ok(uid.is_some_and(|uid| uid != stat.uid)
            || gid.is_some_and(|gid| gid != stat.gid)
            || mode.is_some_and(|mode| mode != stat.mode)
            || match self.label() {
                Some(wanted) => {
                    let present = object.label()?;
                    wanted.applied_to(&present) != present
                }
                None => false,
            })
    }

    fn repair(&self, cx: &mut Context<'_>, object: &Object<'_>) -> Result<(), Failure> {
        let Object { fs, handle, stat, path } = *object;
        let (uid, gid) = self.ids()?;
        let uid = uid.filter(|uid| *uid != stat.uid);
        let gid = gid.filter(|gid| *gid != stat.gid);
        let mut mode = stat.mode;
        let text = match (uid, gid) {
            (Some(uid), Some(gid)) => {
                Some(format!("change owner and group from {}:{} to {uid}:{gid}", stat.uid, stat.gid))
            }
            (Some(uid), None) => Some(format!("change the owner from {} to {uid}", stat.uid)),
            (None, Some(gid)) => Some(format!("change the group from {} to {gid}", stat.gid)),
            (None, None) => None,
        };
        if let Some(text) = text
            && cx.change(text)?
        {
            fs.set_owner(handle, uid, gid).map_err(Failure::on("change the owner of", path))?;
            // The kernel clears setuid and setgid.
            mode = fs.stat(handle).map_err(Failure::on("look at", path))?.mode;
        }
        // The mode of a link has no effect.
        if let Some(wanted) = self.mode_of(stat)
            && wanted != mode
        {
            let is_announced = wanted == stat.mode;
            if is_announced || cx.change(format!("change the mode from {mode:04o} to {wanted:04o}"))? {
                fs.set_mode(handle, wanted).map_err(Failure::on("change the mode of", path))?;
            }
        }
        let Some(wanted) = self.label() else { return Ok(()) };
        let present = object.label()?;
        let wanted = wanted.applied_to(&present);
        if present != wanted && cx.change(format!("change the label from `{present}` to `{wanted}`"))? {
            let label = (!wanted.is_empty()).then_some(wanted.as_bytes());
            fs.set_label(handle, label).map_err(Failure::on("change the label of", path))?;
        }
        Ok(())
    }
}

impl Object<'_> {
    /// Returns the security label; empty without one.
    fn label(&self) -> Result<String, Failure> {
        let label = self.fs.label(self.handle).map_err(Failure::on("read the label of", self.path))?;
        Ok(String::from_utf8_lossy(&label.unwrap_or_default()).into_owned())
    }
}
