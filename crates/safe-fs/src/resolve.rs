//! Resolves paths component by component, and decides which symbolic links to follow.
//!
//! A link that only trusted users could have made is followed. A link that a user could have made is followed, too, but from
//! there on everything must belong to that user: then the process does nothing that the user could not do. Directories on the
//! way may also belong to trusted users. This is the rule of `CHASE_SAFE` in systemd, relaxed so that absolute links work.
//!
//! A path without links, the common case, is resolved by the kernel in one step.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::error::Error;
use crate::system::{Access, FileKind, FileSystem, Handle, Stat};
use crate::trust::{Maker, Trust};

/// Maximum number of symbolic links on a path, as in the kernel.
const MAX_LINKS: usize = 40;

/// What happens at a symbolic link in the last component of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastLink {
    /// It is followed like one in another component: to edit or to read a file.
    Follow,
    /// It is followed if only trusted users could have made it: to replace a file, which replaces other links.
    FollowTrusted,
    /// It is the object: to look at it or to remove it.
    Keep,
}

/// A name in an open directory, without symbolic links above it.
#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) directory: Handle,
    pub(crate) directory_stat: Stat,
    /// The path of the directory, without symbolic links.
    pub(crate) directory_path: PathBuf,
    pub(crate) name: OsString,
    /// A link that was not followed: see [`LastLink::FollowTrusted`].
    pub(crate) untrusted_link: Option<Stat>,
}

impl Location {
    pub(crate) fn path(&self) -> PathBuf {
        if self.name == "." { self.directory_path.clone() } else { self.directory_path.join(&self.name) }
    }
}

/// Finds the directory of the last component of an absolute path.
///
/// # Errors
/// A directory is missing, or a link must not be followed.
pub(crate) fn locate(fs: &dyn FileSystem, path: &Path, last: LastLink) -> Result<Location, Error> {
    match locate_directly(fs, path, last)? {
        Some(location) => Ok(location),
        None => Walk::new(fs, path)?.run(last),
    }
}

/// Returns `None` if there are links on the path.
fn locate_directly(fs: &dyn FileSystem, path: &Path, last: LastLink) -> Result<Option<Location>, Error> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    if !path.is_absolute() || path.components().any(|component| component == Component::ParentDir) {
        return Ok(None);
    }
    // The walk finds out which component is to blame for an error.
    let Ok(directory) = fs.open_direct(parent, Access::Path) else { return Ok(None) };
    let directory_stat = fs.stat(&directory).map_err(Error::on("look at", parent))?;
    if !directory_stat.is_directory() {
        return Ok(None);
    }
    if last != LastLink::Keep {
        match fs.open_at(&directory, name, Access::Path) {
            Ok(entry) if fs.stat(&entry).map_err(Error::on("look at", path))?.is_link() => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // It may be a link. The walk looks again.
            Err(_) => return Ok(None),
        }
    }
    let directory_path = parent.components().collect();
    Ok(Some(Location { directory, directory_stat, directory_path, name: name.to_owned(), untrusted_link: None }))
}

/// A directory on the way.
struct Step {
    handle: Handle,
    stat: Stat,
    name: OsString,
}

/// The link that determines the owner of everything below it.
struct Bound {
    link: PathBuf,
    user: u32,
}

struct Walk<'a> {
    fs: &'a dyn FileSystem,
    path: &'a Path,
    trust: Trust,
    /// From the root down; never empty.
    steps: Vec<Step>,
    /// The components to visit; the next one is last.
    pending: Vec<OsString>,
    bound: Option<Bound>,
}

impl<'a> Walk<'a> {
    fn new(fs: &'a dyn FileSystem, path: &'a Path) -> Result<Walk<'a>, Error> {
        let absolute = std::path::absolute(path).map_err(Error::on("find", path))?;
        let handle = fs.root().map_err(Error::on("open", Path::new("/")))?;
        let stat = fs.stat(&handle).map_err(Error::on("look at", Path::new("/")))?;
        let root = Step { handle, stat, name: OsString::new() };
        let trust = Trust::of(fs.user());
        Ok(Walk { fs, path, trust, steps: vec![root], pending: reversed(&absolute), bound: None })
    }

    fn here(&self) -> &Step {
        self.steps.last().expect("the root is never left")
    }

    fn path_here(&self) -> PathBuf {
        let mut path = PathBuf::from("/");
        path.extend(self.steps.iter().skip(1).map(|step| &step.name));
        path
    }

    fn run(mut self, last: LastLink) -> Result<Location, Error> {
        let mut links = 0;
        while let Some(name) = self.pending.pop() {
            if name == ".." {
                self.steps.truncate(self.steps.len().saturating_sub(1).max(1));
                continue;
            }
            let is_last = self.pending.is_empty();
            if is_last && last == LastLink::Keep && self.bound.is_none() {
                return Ok(self.end(name, None));
            }
            let entry = match self.fs.open_at(&self.here().handle, &name, Access::Path) {
                Err(error) if is_last && error.kind() == io::ErrorKind::NotFound => {
                    self.check_owner(self.here().stat.uid, None)?;
                    return Ok(self.end(name, None));
                }
                result => result.map_err(|error| Error::io("open", self.path_here().join(&name), error))?,
            };
            let stat = self.fs.stat(&entry).map_err(Error::on("look at", self.path))?;
            if stat.is_link() && !(is_last && last == LastLink::Keep) {
                let maker = self.trust.maker(&self.here().stat, &stat);
                if is_last && last == LastLink::FollowTrusted && maker != Maker::Trusted {
                    return Ok(self.end(name, Some(stat)));
                }
                links += 1;
                if links > MAX_LINKS {
                    return Err(Error::io("open", self.path, Errno::LOOP));
                }
                self.follow(&entry, &stat, maker, &name)?;
                continue;
            }
            if is_last {
                self.check_owner(stat.uid, Some(&name))?;
                return Ok(self.end(name, None));
            }
            if stat.kind != FileKind::Directory {
                return Err(Error::io("open", self.path_here().join(&name), Errno::NOTDIR));
            }
            if !self.trust.is_trusted(stat.uid) {
                self.check_owner(stat.uid, Some(&name))?;
            }
            self.steps.push(Step { handle: entry, stat, name });
        }
        // The path ends in `..`, or is the root.
        self.check_owner(self.here().stat.uid, None)?;
        match self.steps.len() {
            1 => Ok(self.end(OsString::from("."), None)),
            _ => {
                let name = self.steps.pop().expect("a directory below the root").name;
                Ok(self.end(name, None))
            }
        }
    }

    /// Continues at the target of a link.
    fn follow(&mut self, entry: &Handle, link: &Stat, maker: Maker, name: &OsStr) -> Result<(), Error> {
        let path = self.path_here().join(name);
        match (maker, &self.bound) {
            (Maker::Trusted, _) => {}
            (Maker::User(user), None) => self.bound = Some(Bound { link: path.clone(), user }),
            (Maker::User(user), Some(bound)) if bound.user == user => {}
            (Maker::User(_) | Maker::Anybody, _) => return Err(Error::UntrustedLink { link: path, owner: link.uid }),
        }
        let target = self.fs.read_link(entry).map_err(Error::on("read the link", &path))?;
        if target.is_absolute() {
            self.steps.truncate(1);
        }
        self.pending.extend(reversed(&target));
        Ok(())
    }

    /// Checks the owner of what a link of a user led to.
    fn check_owner(&self, owner: u32, name: Option<&OsStr>) -> Result<(), Error> {
        match &self.bound {
            Some(Bound { link, user }) if *user != owner => {
                let here = self.path_here();
                let reached = name.map_or(here.clone(), |name| here.join(name));
                Err(Error::ForeignTarget { link: link.clone(), user: *user, reached, owner })
            }
            _ => Ok(()),
        }
    }

    fn end(mut self, name: OsString, untrusted_link: Option<Stat>) -> Location {
        let directory_path = self.path_here();
        let step = self.steps.pop().expect("the root is never left");
        Location { directory: step.handle, directory_stat: step.stat, directory_path, name, untrusted_link }
    }
}

fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let mut names: Vec<OsString> = names.collect();
    names.reverse();
    names
}
