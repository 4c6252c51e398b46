//! An overlay behaves as the kernel does.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use test_support::{RandomChoice, Rng, for_each_seed};

use super::Overlay;
use crate::kernel::Kernel;
use crate::system::{Access, FileKind, FileSystem, Handle, Rename};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A file system with a directory in it.
struct Side {
    fs: Box<dyn FileSystem>,
    root: PathBuf,
}

/// What a test can see of an object.
type Seen = (FileKind, u32, u32, u32, Vec<u8>);

impl Side {
    /// Opens a directory at a path relative to the root.
    fn directory(&self, path: &[&str]) -> io::Result<Handle> {
        let mut at = self.fs.open_direct(&self.root, Access::Path)?;
        for name in path {
            at = self.fs.open_at(&at, OsStr::new(name), Access::Path)?;
        }
        Ok(at)
    }

    fn seen(&self) -> BTreeMap<PathBuf, Seen> {
        let mut seen = BTreeMap::new();
        let mut todo = vec![(PathBuf::new(), self.fs.open_direct(&self.root, Access::Directory).unwrap())];
        while let Some((path, directory)) = todo.pop() {
            for name in self.fs.entries(&directory).unwrap() {
                let path = path.join(&name);
                let entry = self.fs.open_at(&directory, &name, Access::Path).unwrap();
                let stat = self.fs.stat(&entry).unwrap();
                let content = match stat.kind {
                    FileKind::Link => self.fs.read_link(&entry).unwrap().into_os_string().into_encoded_bytes(),
                    FileKind::File => {
                        let file = self.fs.open_at(&directory, &name, Access::Read).unwrap();
                        assert_eq!(self.fs.stat(&file).unwrap().ino, stat.ino);
                        read(&*self.fs, &file)
                    }
                    _ => Vec::new(),
                };
                if stat.kind != FileKind::Directory {
                    assert_eq!(stat.size, content.len() as u64, "{}", path.display());
                }
                seen.insert(path.clone(), (stat.kind, stat.mode, stat.uid, stat.gid, content));
                if stat.is_directory() {
                    todo.push((path, self.fs.open_at(&directory, &name, Access::Directory).unwrap()));
                }
            }
        }
        seen
    }

    /// Performs an operation and returns its error.
    fn perform(&self, operation: &Operation<'_>) -> Result<(), Option<i32>> {
        self.try_perform(operation).map_err(|error| error.raw_os_error())
    }

    fn try_perform(&self, operation: &Operation<'_>) -> io::Result<()> {
        let Operation { directory, name, other_directory, other_name, action } = operation;
        let fs = &*self.fs;
        let at = self.directory(directory)?;
        let name = OsStr::new(name);
        match action {
            Action::CreateFile(mode) => fs.create_file(&at, name, *mode).map(drop),
            Action::CreateDirectory(mode) => fs.create_directory(&at, name, *mode),
            Action::CreateLink => fs.create_link(&at, name, Path::new("b")),
            Action::Write(offset) => {
                let file = fs.open_at(&at, name, Access::ReadWrite)?;
                fs.write_at(&file, b"written", *offset).map(drop)
            }
            Action::SetLength(length) => fs.set_length(&fs.open_at(&at, name, Access::ReadWrite)?, *length),
            Action::SetMode(mode) => {
                let entry = fs.open_at(&at, name, Access::Path)?;
                if fs.stat(&entry)?.is_link() { Ok(()) } else { fs.set_mode(&entry, *mode) }
            }
            Action::SetOwner(uid, gid) => fs.set_owner(&fs.open_at(&at, name, Access::Path)?, *uid, *gid),
            Action::RemoveFile => fs.remove_file(&at, name),
            Action::RemoveDirectory => fs.remove_directory(&at, name),
            Action::Open(access) => fs.open_at(&at, name, *access).map(drop),
            Action::OpenDirectly(access) => {
                let path: PathBuf = directory.iter().chain(Some(&operation.name)).collect();
                fs.open_direct(&self.root.join(path), *access).map(drop)
            }
            Action::Rename(how) => {
                let to = self.directory(other_directory)?;
                fs.rename((&at, name), (&to, OsStr::new(other_name)), *how)
            }
        }
    }
}

fn read(fs: &dyn FileSystem, file: &Handle) -> Vec<u8> {
    let mut content = Vec::new();
    let mut buffer = [0; 5];
    loop {
        match fs.read_at(file, &mut buffer, content.len() as u64).unwrap() {
            0 => return content,
            n => content.extend_from_slice(&buffer[..n]),
        }
    }
}

#[derive(Debug)]
struct Operation<'n> {
    directory: Vec<&'n str>,
    name: &'n str,
    other_directory: Vec<&'n str>,
    other_name: &'n str,
    action: Action,
}

#[derive(Debug)]
enum Action {
    CreateFile(u32),
    CreateDirectory(u32),
    CreateLink,
    Write(u64),
    SetLength(u64),
    SetMode(u32),
    SetOwner(Option<u32>, Option<u32>),
    RemoveFile,
    RemoveDirectory,
    Open(Access),
    OpenDirectly(Access),
    Rename(Rename),
}

fn operation(random: &mut Rng) -> Operation<'static> {
    let directory = |random: &mut Rng| (0..random.usize(..3)).map(|_| *random.pick(&NAMES)).collect();
    let access = [Access::Path, Access::Read, Access::ReadWrite, Access::Directory];
    let owner = if rustix::process::geteuid().is_root() { [None, Some(0), Some(7)] } else { [None; 3] };
    Operation {
        directory: directory(random),
        name: random.pick::<&str>(&NAMES),
        other_directory: directory(random),
        other_name: random.pick::<&str>(&NAMES),
        action: match random.usize(..14) {
            0 | 1 => Action::CreateFile(*random.pick(&[0o666, 0o600, 0o4755])),
            2 | 3 => Action::CreateDirectory(*random.pick(&[0o777, 0o700])),
            4 => Action::CreateLink,
            5 => Action::Write(random.u64(..9)),
            6 => Action::SetLength(random.u64(..9)),
            7 => Action::SetMode(*random.pick(&[0o600, 0o755, 0o4711, 0o2755])),
            8 => Action::SetOwner(*random.pick(&owner), *random.pick(&owner)),
            9 => Action::RemoveFile,
            10 => Action::RemoveDirectory,
            11 => Action::Open(*random.pick(&access)),
            12 => Action::OpenDirectly(*random.pick(&access)),
            _ => Action::Rename(*random.pick(&[Rename::Replace, Rename::New, Rename::Exchange])),
        },
    }
}

fn prepare(random: &mut Rng, root: &Path) {
    fs::create_dir(root).unwrap();
    let mut directories = vec![root.to_owned()];
    for _ in 0..random.usize(..8) {
        let path = random.pick(&directories).join(random.pick(&NAMES));
        if fs::symlink_metadata(&path).is_ok() {
            continue;
        }
        match random.usize(..4) {
            0 => symlink("a", &path).unwrap(),
            1 | 2 => {
                fs::create_dir(&path).unwrap();
                directories.push(path);
            }
            _ => fs::write(&path, "from below").unwrap(),
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&from, &to);
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from).unwrap(), &to).unwrap();
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn random_operations_have_the_effect_and_the_errors_of_the_kernel() {
    for_each_seed(300, |random| {
        let scratch = tempfile::tempdir().unwrap();
        // A path without links, whatever TMPDIR is.
        let scratch = fs::canonicalize(scratch.path()).map(|path| (path, scratch)).unwrap();
        let (real, below) = (scratch.0.join("real"), scratch.0.join("below"));
        prepare(random, &real);
        copy(&real, &below);
        let is_old = random.bool();
        let below_overlay = if is_old { Kernel::without_openat2() } else { Kernel::new() };
        let kernel = Side { fs: Box::new(Kernel::new()), root: real };
        let overlay = Side { fs: Box::new(Overlay::new(Arc::new(below_overlay))), root: below.clone() };
        let untouched = Side { fs: Box::new(Kernel::new()), root: below };
        let before = untouched.seen();
        for _ in 0..random.usize(..40) {
            let operation = operation(random);
            let (wanted, found) = (kernel.perform(&operation), overlay.perform(&operation));
            assert_eq!(found, wanted, "{operation:?}");
            assert_eq!(overlay.seen(), kernel.seen(), "{operation:?}");
        }
        assert_eq!(untouched.seen(), before, "nothing below is changed");
    });
}

#[test]
fn changes_are_seen_by_handles_that_were_opened_before() {
    let scratch = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(scratch.path()).unwrap();
    fs::write(root.join("f"), "old").unwrap();
    let overlay = Overlay::new(Arc::new(Kernel::new()));
    let reader = overlay.open_direct(&root.join("f"), Access::Read).unwrap();
    let writer = overlay.open_direct(&root.join("f"), Access::ReadWrite).unwrap();
    overlay.write_at(&writer, b"new content", 0).unwrap();
    assert_eq!(read(&overlay, &reader), b"new content");
    assert_eq!(overlay.stat(&reader).unwrap().size, 11);
    assert_eq!(fs::read(root.join("f")).unwrap(), b"old");
}

#[test]
fn directories_without_permission_are_not_writable() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let overlay = Overlay::new(Arc::new(Kernel::new()));
    let root = overlay.open_direct(Path::new("/"), Access::Path).unwrap();
    let error = overlay.create_file(&root, &OsString::from("mgmt-no-such-file"), 0o600).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
}
