//! The file system of the machine.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, FallocateFlags, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Uid, XattrFlags,
    chownat, fallocate, fchmod, fstat, fsync, ftruncate, mkdirat, openat, openat2, readlinkat, renameat_with,
    symlinkat, syncfs, unlinkat,
};
use rustix::io::{Errno, pread, pwrite};
use rustix::process::{getegid, geteuid};

use crate::system::{Access, FileKind, FileSystem, Handle, Rename, Stat};

const LABEL: &str = "security.selinux";
const ACCESS_LIST: &str = "system.posix_acl_access";
/// The kernel limits labels to a page.
const MAX_LABEL_LENGTH: usize = 4096;
/// How long to wait for a program that holds a lease on a file. The kernel asks it to give it up, and waits for 45 s.
const MAX_LEASE_WAIT: Duration = Duration::from_secs(2);
const LEASE_POLL: Duration = Duration::from_millis(20);

/// The file system of the machine, with the rights of this process.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Whether the kernel, or a filter of system calls, has no `openat2`.
    lacks_openat2: AtomicBool,
}

impl Kernel {
    /// Returns the file system.
    #[must_use]
    pub fn new() -> Kernel {
        Kernel::default()
    }

    /// Returns the file system of a kernel before Linux 5.6, for tests.
    #[cfg(test)]
    pub(crate) fn without_openat2() -> Kernel {
        Kernel { lacks_openat2: AtomicBool::new(true) }
    }

    fn open2(
        &self,
        directory: BorrowedFd<'_>,
        path: &OsStr,
        access: Access,
        how: ResolveFlags,
    ) -> Option<io::Result<Handle>> {
        if self.lacks_openat2.load(Ordering::Relaxed) {
            return None;
        }
        let opened = open(|| openat2(directory, path, flags(access), Mode::empty(), how));
        let errno = opened.as_ref().err().and_then(Errno::from_io_error);
        // Filters of system calls that do not know this one answer EPERM, too.
        if matches!(errno, Some(Errno::NOSYS | Errno::PERM))
            && openat2(CWD, "/", flags(Access::Path), Mode::empty(), how).is_err()
        {
            self.lacks_openat2.store(true, Ordering::Relaxed);
            return None;
        }
        Some(opened.map(Handle::from_descriptor))
    }

    /// Opens a path component by component.
    fn walk(&self, path: &Path, access: Access) -> io::Result<Handle> {
        let mut at = openat(CWD, if path.is_absolute() { "/" } else { "." }, flags(Access::Path), Mode::empty())?;
        let mut components =
            path.components().filter(|c| !matches!(c, Component::RootDir | Component::CurDir)).peekable();
        let Some(_) = components.peek() else {
            return Ok(Handle::from_descriptor(open(|| openat(&at, ".", flags(access), Mode::empty()))?));
        };
        while let Some(component) = components.next() {
            let name = component.as_os_str();
            if components.peek().is_none() {
                return Ok(Handle::from_descriptor(open(|| openat(&at, name, flags(access), Mode::empty()))?));
            }
            at = openat(&at, name, flags(Access::Path), Mode::empty())?;
            if FileType::from_raw_mode(fstat(&at)?.st_mode) == FileType::Symlink {
                return Err(Errno::LOOP.into());
            }
        }
        Err(Errno::NOENT.into())
    }
}

fn flags(access: Access) -> OFlags {
    let common = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let content = common | OFlags::NONBLOCK | OFlags::NOCTTY;
    match access {
        Access::Path => common | OFlags::PATH,
        Access::Read => content | OFlags::RDONLY,
        Access::ReadWrite => content | OFlags::RDWR,
        Access::Directory | Access::DirectoryOnSameMount => content | OFlags::RDONLY | OFlags::DIRECTORY,
    }
}

/// Returns the path by which the kernel reaches an open object. Unlike most other system calls on descriptors, it also works
/// for those that were opened with `O_PATH`.
fn magic_path(handle: &Handle) -> io::Result<PathBuf> {
    Ok(PathBuf::from(format!("/proc/self/fd/{}", handle.descriptor()?.as_raw_fd())))
}

/// Returns whether an object may have an access control list.
fn has_access_list(handle: &Handle) -> bool {
    let size = magic_path(handle).and_then(|path| Ok(rustix::fs::getxattr(path, ACCESS_LIST, &mut [0_u8; 0][..])?));
    !matches!(size.map_err(|error| Errno::from_io_error(&error)), Err(Some(Errno::NODATA | Errno::NOTSUP)))
}

/// Repeats a system call that a signal interrupted.
fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
}

/// Repeats opening a file that a signal interrupted, and waits a while for a program that holds a lease on it.
fn open(mut call: impl FnMut() -> rustix::io::Result<OwnedFd>) -> io::Result<OwnedFd> {
    let mut waited = Duration::ZERO;
    loop {
        match call() {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if waited < MAX_LEASE_WAIT => {
                std::thread::sleep(LEASE_POLL);
                waited += LEASE_POLL;
            }
            // Without the number: what it means elsewhere is a lack of resources, which ends.
            Err(Errno::AGAIN) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another program holds a lease on it"));
            }
            result => return Ok(result?),
        }
    }
}

impl FileSystem for Kernel {
    fn user(&self) -> u32 {
        geteuid().as_raw()
    }

    fn group(&self) -> u32 {
        getegid().as_raw()
    }

    /// Reads the mask from `/proc` once, because the system call would change it for all threads.
    fn umask(&self) -> u32 {
        static UMASK: OnceLock<u32> = OnceLock::new();
        *UMASK.get_or_init(|| {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
            line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
        })
    }

    fn random(&self) -> u64 {
        // The standard library takes the keys of its hash function from the kernel.
        RandomState::new().hash_one(std::process::id())
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn root(&self) -> io::Result<Handle> {
        Ok(Handle::from_descriptor(openat(CWD, "/", flags(Access::Path), Mode::empty())?))
    }

    fn open_direct(&self, path: &Path, access: Access) -> io::Result<Handle> {
        match self.open2(CWD, path.as_os_str(), access, ResolveFlags::NO_SYMLINKS) {
            Some(result) => result,
            None => self.walk(path, access),
        }
    }

    fn open_at(&self, directory: &Handle, name: &OsStr, access: Access) -> io::Result<Handle> {
        let directory = directory.descriptor()?;
        if access == Access::DirectoryOnSameMount
            && let Some(result) = self.open2(directory.as_fd(), name, access, ResolveFlags::NO_XDEV)
        {
            return result;
        }
        let opened = open(|| openat(directory, name, flags(access), Mode::empty()))?;
        if access == Access::DirectoryOnSameMount && fstat(&opened)?.st_dev != fstat(directory)?.st_dev {
            return Err(Errno::XDEV.into());
        }
        Ok(Handle::from_descriptor(opened))
    }

    fn check_writable(&self, directory: &Handle) -> io::Result<()> {
        let needed = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
        Ok(rustix::fs::accessat(CWD, magic_path(directory)?, needed, AtFlags::EACCESS)?)
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        let stat = fstat(handle.descriptor()?)?;
        let seems_protected = stat.st_mode & 0o022 == 0o020 && stat.st_gid == 0;
        let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
        Ok(Stat {
            has_access_list: seems_protected && !is_link && has_access_list(handle),
            dev: stat.st_dev,
            ino: stat.st_ino,
            kind: match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => FileKind::Directory,
                FileType::Symlink => FileKind::Link,
                FileType::Fifo => FileKind::Fifo,
                FileType::Socket => FileKind::Socket,
                FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
                FileType::RegularFile | FileType::Unknown => FileKind::File,
            },
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            #[allow(clippy::useless_conversion, reason = "the type depends on the architecture")]
            links: u64::from(stat.st_nlink),
            modified: (stat.st_mtime as i64, u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            changed: (stat.st_ctime as i64, u32::try_from(stat.st_ctime_nsec).unwrap_or(0)),
        })
    }

    fn read_link(&self, link: &Handle) -> io::Result<PathBuf> {
        let target = readlinkat(link.descriptor()?, "", Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    fn entries(&self, directory: &Handle) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(directory.descriptor()?)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    fn read_at(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let file = file.descriptor()?;
        match retry(|| pread(file, &mut *buffer, offset)) {
            // A file of the kernel, such as `/proc/kmsg`. Without the number, as for a lease.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(io::Error::new(io::ErrorKind::WouldBlock, "reading it would wait for something to happen"))
            }
            result => result,
        }
    }

    fn write_at(&self, file: &Handle, data: &[u8], offset: u64) -> io::Result<usize> {
        let file = file.descriptor()?;
        retry(|| pwrite(file, data, offset))
    }

    fn reserve(&self, file: &Handle, length: u64) -> io::Result<()> {
        let file = file.descriptor()?;
        retry(|| fallocate(file, FallocateFlags::KEEP_SIZE, 0, length))
    }

    fn set_length(&self, file: &Handle, length: u64) -> io::Result<()> {
        let file = file.descriptor()?;
        retry(|| ftruncate(file, length))
    }

    fn sync(&self, handle: &Handle) -> io::Result<()> {
        let descriptor = handle.descriptor()?;
        match retry(|| fsync(descriptor)) {
            // A directory that was opened with `O_PATH`.
            Err(error) if error.raw_os_error() == Some(Errno::BADF.raw_os_error()) => {
                let directory = openat(descriptor, ".", flags(Access::Directory), Mode::empty())?;
                retry(|| fsync(&directory))
            }
            // The file system has no disk.
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => Ok(()),
            result => result,
        }
    }

    fn sync_file_system(&self, handle: &Handle) -> io::Result<()> {
        let descriptor = handle.descriptor()?;
        retry(|| syncfs(descriptor))
    }

    fn create_file(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<Handle> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = directory.descriptor()?;
        Ok(Handle::from_descriptor(retry(|| openat(directory, name, flags, Mode::from_raw_mode(mode)))?))
    }

    fn create_directory(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(mkdirat(directory.descriptor()?, name, Mode::from_raw_mode(mode))?)
    }

    fn create_link(&self, directory: &Handle, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(symlinkat(target, directory.descriptor()?, name)?)
    }

    fn rename(&self, from: (&Handle, &OsStr), to: (&Handle, &OsStr), how: Rename) -> io::Result<()> {
        let flags = match how {
            Rename::Replace => RenameFlags::empty(),
            Rename::New => RenameFlags::NOREPLACE,
            Rename::Exchange => RenameFlags::EXCHANGE,
        };
        Ok(renameat_with(from.0.descriptor()?, from.1, to.0.descriptor()?, to.1, flags)?)
    }

    fn remove_file(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(directory.descriptor()?, name, AtFlags::empty())?)
    }

    fn remove_directory(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(directory.descriptor()?, name, AtFlags::REMOVEDIR)?)
    }

    fn set_owner(&self, handle: &Handle, uid: Option<u32>, gid: Option<u32>) -> io::Result<()> {
        let (uid, gid) = (uid.map(Uid::from_raw), gid.map(Gid::from_raw));
        Ok(chownat(handle.descriptor()?, "", uid, gid, AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        let mode = Mode::from_raw_mode(mode);
        match fchmod(handle.descriptor()?, mode) {
            Err(Errno::BADF) => Ok(rustix::fs::chmod(magic_path(handle)?, mode)?),
            result => Ok(result?),
        }
    }

    fn label(&self, handle: &Handle) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = vec![0; MAX_LABEL_LENGTH];
        match rustix::fs::getxattr(magic_path(handle)?, LABEL, &mut buffer[..]) {
            Ok(length) => {
                buffer.truncate(length);
                if buffer.last() == Some(&0) {
                    buffer.pop();
                }
                Ok(Some(buffer))
            }
            Err(Errno::NODATA | Errno::NOTSUP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn set_label(&self, handle: &Handle, label: Option<&[u8]>) -> io::Result<()> {
        let path = magic_path(handle)?;
        match label {
            Some(label) => rustix::fs::setxattr(path, LABEL, label, XattrFlags::empty())?,
            None => rustix::fs::removexattr(path, LABEL)?,
        }
        Ok(())
    }
}
