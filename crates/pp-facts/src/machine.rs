//! The machine that facts are about, as this crate sees it. Everything that is read goes through [`Machine`], so that tests can
//! show it the files of other machines.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::system::uname;

use crate::hypervisor;
use crate::network_state::NetworkState;

/// Maximum size of a file that facts are read from. `/proc/cpuinfo` of a machine with 4096 processors has 7 MB.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Maximum number of entries of a directory.
const MAX_ENTRIES: usize = 10_000;

/// What `uname` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uname {
    /// `Linux`
    pub system: String,
    /// The host name.
    pub node: String,
    /// The release of the kernel.
    pub release: String,
    /// The hardware: `x86_64`.
    pub machine: String,
}

/// A process, as facts see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessState {
    /// The effective user.
    pub uid: u32,
    /// The effective group.
    pub gid: u32,
    /// The environment variable `PATH`.
    pub path: Option<String>,
    /// The home directory, which the environment variable `HOME` names.
    pub home: Option<PathBuf>,
    /// The environment variable `TZ`.
    pub time_zone: Option<String>,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    root: PathBuf,
    /// What `uname` says.
    pub uname: Uname,
    /// Interfaces and routes; `None` to read them when they are asked for.
    pub network: Option<NetworkState>,
    /// The process that gathers the facts.
    pub process: ProcessState,
    /// What the hypervisor calls itself; `None` on a physical machine, and where only files are known.
    pub hypervisor: Option<[u8; 12]>,
}

impl Machine {
    /// Returns the machine that this process runs on.
    #[must_use]
    pub fn local() -> Machine {
        let kernel = uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        let variable = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Machine {
            root: PathBuf::from("/"),
            uname: Uname {
                system: text(kernel.sysname()),
                node: text(kernel.nodename()),
                release: text(kernel.release()),
                machine: text(kernel.machine()),
            },
            network: None,
            process: ProcessState {
                uid: rustix::process::geteuid().as_raw(),
                gid: rustix::process::getegid().as_raw(),
                path: variable("PATH"),
                home: std::env::var_os("HOME").map(PathBuf::from),
                time_zone: variable("TZ"),
            },
            hypervisor: hypervisor::signature(),
        }
    }

    /// Returns a machine whose files are below a directory. Its network is not that of this machine.
    #[must_use]
    pub fn with_root(root: &Path, uname: Uname, network: NetworkState, process: ProcessState) -> Machine {
        Machine { root: root.to_owned(), uname, network: Some(network), process, hypervisor: None }
    }

    /// Whether it is the one that this process runs on.
    pub(crate) fn is_local(&self) -> bool {
        self.network.is_none()
    }

    /// Returns where an absolute path of the machine is.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Returns the text of a file; what is not UTF-8 is replaced. `None` for what cannot be read, and for an empty file.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let bytes = self.read_bytes(path)?;
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the content of a file without the whitespace around it; `None` if nothing else is there.
    pub(crate) fn read_line(&self, path: &str) -> Option<String> {
        let text = self.read(path)?;
        let line = text.trim();
        (!line.is_empty()).then(|| line.to_owned())
    }

    pub(crate) fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        read_regular_file(&self.path(path), MAX_FILE_BYTES).ok()
    }

    /// Returns the names in a directory, sorted.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(path)) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MAX_ENTRIES).collect();
        names.sort_unstable();
        names
    }

    /// Whether a program is installed in one of the usual directories.
    pub(crate) fn has_program(&self, name: &str) -> bool {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/opt/puppetlabs/puppet/bin"]
            .iter()
            .any(|directory| self.exists(&format!("{directory}/{name}")))
    }
}

/// Reads at most `limit` bytes of a file. A pipe or device in its place is an error, and is not waited for.
pub(crate) fn read_regular_file(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
