//! Temporary files: their names, and their removal after a crash.
//!
//! New content is written to a temporary file in the directory of its target. Its name cannot be predicted, so nobody can be in
//! the way, and has the identity of the state directory in it, so that a later process recognises it. Before a process
//! creates the first temporary file in a directory, it appends the directory to a record in the state directory. The next
//! process that opens the state removes what it finds there, whichever program it runs.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;

use crate::error::done_if_missing;
use crate::system::{Access, FileSystem, Handle};

/// How the names of all temporary files start.
const PREFIX: &str = ".mgmt-tmp-";
/// How the names of those start that no record has. Identities have only hexadecimal digits.
const PREFIX_OF_PROCESSES: &str = ".mgmt-tmp-p";
/// Names that are in use are as good as impossible, unless the random numbers are not random.
const MAX_ATTEMPTS: usize = 64;

/// Returns whether a name is one of a temporary file of this or another process.
#[must_use]
pub fn is_temporary_name(name: &OsStr) -> bool {
    name.as_bytes().starts_with(PREFIX.as_bytes())
}

/// The temporary files of a process.
#[derive(Debug)]
pub(crate) struct Temporaries {
    prefix: String,
    live: Mutex<FxHashSet<OsString>>,
    record: Option<Mutex<Record>>,
}

/// The record of directories with temporary files: paths, each terminated by a NUL byte.
#[derive(Debug)]
struct Record {
    file: Handle,
    length: u64,
    directories: FxHashSet<PathBuf>,
}

impl Temporaries {
    /// Returns temporary files that no later process removes.
    pub(crate) fn of_process() -> Temporaries {
        let prefix = format!("{PREFIX_OF_PROCESSES}{}-", std::process::id());
        Temporaries { prefix, live: Mutex::default(), record: None }
    }

    /// Returns the temporary files of a state directory with this identity, after removing those that earlier processes left.
    /// The caller must hold the lock of the state directory.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub(crate) fn recorded(fs: &dyn FileSystem, identity: &str, state: &Handle) -> io::Result<Temporaries> {
        const NAME: &str = "temporaries";
        let prefix = format!("{PREFIX}{identity}-");
        let file = match fs.open_at(state, OsStr::new(NAME), Access::ReadWrite) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = fs.create_file(state, OsStr::new(NAME), 0o600)?;
                fs.sync(state)?;
                file
            }
            result => result?,
        };
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match fs.read_at(&file, &mut buffer, text.len() as u64)? {
                0 => break,
                n => text.extend_from_slice(&buffer[..n]),
            }
        }
        let recorded = text.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let mut directories: FxHashSet<PathBuf> = recorded.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
        let mut swept = true;
        for path in &directories {
            swept &= sweep(fs, path, &prefix).is_ok();
        }
        // Directories that could not be swept are tried again by the next process.
        let length = if swept { 0 } else { text.len() as u64 };
        if swept {
            directories.clear();
        }
        if length == 0 && !text.is_empty() {
            fs.set_length(&file, 0)?;
        }
        let record = Record { file, length, directories };
        Ok(Temporaries { prefix, live: Mutex::default(), record: Some(Mutex::new(record)) })
    }

    /// Creates a temporary object with `make` and returns its name with the result. The name counts as live until it is
    /// [released](Temporaries::release).
    pub(crate) fn create<T>(
        &self,
        fs: &dyn FileSystem,
        directory: &Path,
        make: impl Fn(&OsStr) -> io::Result<T>,
    ) -> io::Result<(OsString, T)> {
        self.note(fs, directory)?;
        for _ in 0..MAX_ATTEMPTS {
            let name = OsString::from(format!("{}{:016x}", self.prefix, fs.random()));
            self.live().insert(name.clone());
            match make(&name) {
                Ok(made) => return Ok((name, made)),
                Err(error) => {
                    self.release(&name);
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn release(&self, name: &OsStr) {
        self.live().remove(name);
    }

    /// Returns whether a thread of this process uses the name.
    pub(crate) fn is_live(&self, name: &OsStr) -> bool {
        is_temporary_name(name) && self.live().contains(name)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, FxHashSet<OsString>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a directory, once. The record is on the disk before the first temporary file.
    fn note(&self, fs: &dyn FileSystem, directory: &Path) -> io::Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        if record.directories.contains(directory) {
            return Ok(());
        }
        let mut line = directory.as_os_str().to_owned().into_vec();
        line.push(0);
        // A full disk must not prevent changes elsewhere: then a crash can leave a temporary file.
        if write_all(fs, &record.file, &line, record.length).and_then(|()| fs.sync(&record.file)).is_ok() {
            record.length += line.len() as u64;
            record.directories.insert(directory.to_path_buf());
        }
        Ok(())
    }
}

/// Removes the temporary files of all processes that keep no record from a directory.
pub(crate) fn sweep_unrecorded(fs: &dyn FileSystem, directory: &Path) -> io::Result<()> {
    sweep(fs, directory, PREFIX_OF_PROCESSES)
}

/// Removes the temporary files with this prefix from a directory. The removal is on the disk when this returns: the directory
/// is not looked at again.
fn sweep(fs: &dyn FileSystem, path: &Path, prefix: &str) -> io::Result<()> {
    let directory = match fs.open_direct(path, Access::Directory) {
        // It was removed, or replaced by something else.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => return Ok(()),
        result => result?,
    };
    let mut is_clean = true;
    let mut result = Ok(());
    for name in fs.entries(&directory)?.iter().filter(|name| name.as_bytes().starts_with(prefix.as_bytes())) {
        is_clean = false;
        let Err(error) = done_if_missing(fs.remove_file(&directory, name)) else { continue };
        match fs.remove_directory(&directory, name) {
            // A directory that was not yet renamed is empty. What a user made of it is left alone.
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(_) => result = Err(error),
        }
    }
    if !is_clean {
        fs.sync(&directory)?;
    }
    result
}

/// Writes all data at an offset.
pub(crate) fn write_all(fs: &dyn FileSystem, file: &Handle, mut data: &[u8], mut offset: u64) -> io::Result<()> {
    while !data.is_empty() {
        match fs.write_at(file, data, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => {
                data = &data[n..];
                offset += n as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::simulated::Simulated;

    const DIRECTORY: &str = "/etc/conf";

    fn temporaries(machine: &Simulated) -> Temporaries {
        machine.make_directory("/state");
        machine.make_directory(DIRECTORY);
        machine.sync_all();
        let state = machine.open_direct(Path::new("/state"), Access::Directory).expect("a directory");
        Temporaries::recorded(machine, "0123456789abcdef", &state).expect("an empty record")
    }

    #[test]
    fn another_name_is_tried_if_one_is_in_use() {
        let machine = Simulated::new(1);
        let temporaries = temporaries(&machine);
        let tried = RefCell::new(Vec::new());
        let make = |name: &OsStr| {
            assert!(temporaries.is_live(name), "it counts as live before it exists");
            tried.borrow_mut().push(name.to_owned());
            if tried.borrow().len() < 4 { Err(io::ErrorKind::AlreadyExists.into()) } else { Ok(7) }
        };
        let (name, made) = temporaries.create(&machine, Path::new(DIRECTORY), make).expect("a name");
        let tried = tried.into_inner();
        assert_eq!((made, &name), (7, &tried[3]));
        assert!(is_temporary_name(&name) && tried[..3].iter().all(|name| !temporaries.is_live(name)));
        assert!(temporaries.is_live(&name));
        temporaries.release(&name);
        assert!(!temporaries.is_live(&name));
    }

    #[test]
    fn attempts_are_bounded_and_other_errors_are_final() {
        let machine = Simulated::new(1);
        let temporaries = temporaries(&machine);
        for (kind, attempts) in [(io::ErrorKind::AlreadyExists, MAX_ATTEMPTS), (io::ErrorKind::StorageFull, 1)] {
            let tried = RefCell::new(0);
            let make = |_: &OsStr| -> io::Result<()> {
                *tried.borrow_mut() += 1;
                Err(kind.into())
            };
            let error = temporaries.create(&machine, Path::new(DIRECTORY), make).expect_err("no name");
            assert_eq!((error.kind(), tried.into_inner()), (kind, attempts));
            assert!(temporaries.live().is_empty());
        }
    }

    #[test]
    fn directory_is_recorded_once_and_before_the_first_temporary_file() {
        let machine = Simulated::new(1);
        let temporaries = temporaries(&machine);
        let create = || {
            let make = |_: &OsStr| Ok(machine.get("/state/temporaries"));
            temporaries.create(&machine, Path::new(DIRECTORY), make).expect("a name").1
        };
        let recorded = Some(format!("{DIRECTORY}\0").into_bytes());
        assert_eq!((create(), create()), (recorded.clone(), recorded.clone()));
        // What is recorded is on the disk: a crash keeps it.
        machine.restart();
        assert_eq!(machine.get("/state/temporaries"), recorded);
    }

    #[test]
    fn only_files_without_a_record_are_swept_without_one() {
        let machine = Simulated::new(1);
        machine.make_directory(DIRECTORY);
        let names = [".mgmt-tmp-0123456789abcdef-1", ".mgmt-tmp-p12-1", "mgmt-tmp-p12-1", "x.mgmt-tmp-p"];
        names.iter().for_each(|name| machine.put(&format!("{DIRECTORY}/{name}"), b""));
        sweep_unrecorded(&machine, Path::new(DIRECTORY)).expect("nothing fails");
        assert_eq!(machine.names(DIRECTORY), [names[0], names[2], names[3]]);
    }
}
