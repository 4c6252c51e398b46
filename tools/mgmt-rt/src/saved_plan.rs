//! Plans in files: written by `mgmt-rt plan -o`, applied by `mgmt-rt apply --plan`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Stage, read_input};
use runtime::DigestSalt;
use runtime::agent::PlannedChanges;
use runtime::sources::MachineFiles;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::sources::{MergeUnmatched, PuppetCompiler, PuppetFallback, Sources, Wait};

/// A plan, with everything that is needed to make it again.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedPlan {
    pub machine: Machine,
    /// The state directory; `None` if there is none.
    prefix: Option<SavedPath>,
    pub program: Option<SavedProgram>,
    catalog: Option<SavedCatalog>,
    merge_unmatched: MergeUnmatched,
    pub wait: Wait,
    pub salt: DigestSalt,
    pub changes: PlannedChanges,
}

/// The machine for which a plan was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The name of the host.
    pub host: String,
    /// The content of `/etc/machine-id`; empty if there is none.
    id: String,
}

/// An absolute path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPath(Vec<u8>);

/// A program, with the place that it was read from.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedProgram {
    pub path: SavedPath,
    pub bytes: Vec<u8>,
}

/// A catalog or manifests, and how they are translated.
#[derive(Debug, Serialize, Deserialize)]
struct SavedCatalog {
    path: SavedPath,
    /// `None` for a directory of manifests.
    digest: Option<[u8; 32]>,
    interval: u32,
    fallback: PuppetFallback,
    module_path: Option<Vec<u8>>,
    node: Option<String>,
    facts: Option<SavedPath>,
    facts_digest: Option<[u8; 32]>,
    hiera_config: Option<SavedPath>,
    ruby_fallback: bool,
    strict: bool,
    compiler: PuppetCompiler,
}

impl Machine {
    /// Returns the machine that runs this program.
    pub fn this() -> Machine {
        let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        Machine { host: runtime::hostname(), id: id.trim().to_owned() }
    }
}

impl SavedPath {
    /// Returns the absolute form of a path.
    pub fn of(path: &Path) -> SavedPath {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        SavedPath(path.as_os_str().as_bytes().to_vec())
    }

    /// Returns the path.
    pub fn get(&self) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(&self.0))
    }
}

impl SavedCatalog {
    fn of(sources: &Sources, path: &Path) -> SavedCatalog {
        SavedCatalog {
            path: SavedPath::of(path),
            digest: digest(path),
            interval: sources.puppet_interval,
            fallback: sources.puppet_fallback,
            module_path: sources.puppet_module_path.as_ref().map(|paths| paths.as_bytes().to_vec()),
            node: sources.node.clone(),
            facts: sources.facts.as_deref().map(SavedPath::of),
            facts_digest: sources.facts.as_deref().and_then(digest),
            hiera_config: sources.hiera_config.as_deref().map(SavedPath::of),
            ruby_fallback: sources.ruby_fallback,
            strict: sources.puppet_strict,
            compiler: sources.puppet_compiler,
        }
    }
}

/// Returns the digest of a file; `None` if it cannot be read as one.
fn digest(path: &Path) -> Option<[u8; 32]> {
    read_input(path).ok().map(|bytes| Sha256::digest(bytes).into())
}

/// Returns random bytes.
///
/// # Errors
/// The kernel has none.
pub fn new_salt() -> io::Result<DigestSalt> {
    let mut salt = DigestSalt::default();
    File::open("/dev/urandom")?.read_exact(&mut salt)?;
    Ok(salt)
}

impl SavedPlan {
    /// Makes a plan without changes of these sources. `program` is the content of the artifact.
    pub fn new(
        sources: &Sources,
        program: Option<Vec<u8>>,
        prefix: Option<&Path>,
        wait: &Wait,
        salt: DigestSalt,
    ) -> Self {
        let program = sources.artifact.as_deref().zip(program);
        SavedPlan {
            machine: Machine::this(),
            prefix: prefix.map(SavedPath::of),
            program: program.map(|(path, bytes)| SavedProgram { path: SavedPath::of(path), bytes }),
            catalog: sources.puppet.as_deref().map(|path| SavedCatalog::of(sources, path)),
            merge_unmatched: sources.merge_unmatched,
            wait: wait.clone(),
            salt,
            changes: PlannedChanges::default(),
        }
    }

    /// Returns the state directory.
    pub fn prefix(&self) -> Option<PathBuf> {
        self.prefix.as_ref().map(SavedPath::get)
    }

    /// Returns the sources of the plan.
    pub fn sources(&self) -> Sources {
        let catalog = self.catalog.as_ref();
        Sources {
            artifact: self.program.as_ref().map(|program| program.path.get()),
            puppet: catalog.map(|catalog| catalog.path.get()),
            node: catalog.and_then(|catalog| catalog.node.clone()),
            facts: catalog.and_then(|catalog| catalog.facts.as_ref()).map(SavedPath::get),
            hiera_config: catalog.and_then(|catalog| catalog.hiera_config.as_ref()).map(SavedPath::get),
            ruby_fallback: catalog.is_some_and(|catalog| catalog.ruby_fallback),
            puppet_strict: catalog.is_some_and(|catalog| catalog.strict),
            puppet_compiler: catalog.map_or(PuppetCompiler::Native, |catalog| catalog.compiler),
            puppet_interval: catalog.map_or(0, |catalog| catalog.interval),
            puppet_fallback: catalog.map_or(PuppetFallback::Callback, |catalog| catalog.fallback),
            puppet_module_path: catalog
                .and_then(|catalog| catalog.module_path.as_deref())
                .map(|paths| OsStr::from_bytes(paths).to_owned()),
            merge_unmatched: self.merge_unmatched,
            machine_files: MachineFiles::Actual,
        }
    }

    /// Returns what has changed since the plan was made, apart from the changes that it needs: the machine, the program, the
    /// catalog. `artifact` and `prefix` are those of the command line.
    pub fn outdated(&self, artifact: Option<&Path>, prefix: Option<&Path>) -> Option<String> {
        let machine = Machine::this();
        if machine != self.machine {
            return Some(if machine.host == self.machine.host {
                format!("it was made on another machine with the name `{}`", machine.host)
            } else {
                format!("it was made on the host `{}`, and this is `{}`", self.machine.host, machine.host)
            });
        }
        if let Some(prefix) = prefix.map(SavedPath::of).filter(|prefix| Some(prefix) != self.prefix.as_ref()) {
            let planned = self.prefix().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
            return Some(format!("its state directory is {planned}, not {}", prefix.get().display()));
        }
        let program = self.program.as_ref();
        let recorded = program.map(|program| program.path.get());
        let path = artifact.or(recorded.as_deref());
        // The plan contains its program, so the file may be gone.
        let present = path.and_then(|path| read_input(path).ok());
        if (artifact.is_some() || present.is_some()) && present.as_deref() != program.map(|program| &*program.bytes) {
            let path = path.map(|path| path.display().to_string()).unwrap_or_default();
            return Some(format!("{path} is not the program that was planned"));
        }
        let catalog = self.catalog.as_ref().filter(|catalog| digest(&catalog.path.get()) != catalog.digest);
        if let Some(catalog) = catalog {
            return Some(format!("the catalog {} has changed", catalog.path.get().display()));
        }
        let facts = self.catalog.as_ref().and_then(|catalog| Some((catalog.facts.as_ref()?, catalog.facts_digest)));
        let facts =
            facts.map(|(path, planned)| (path.get(), planned)).filter(|(path, planned)| digest(path) != *planned);
        facts.map(|(path, _)| format!("the facts in {} have changed", path.display()))
    }

    /// Writes the plan to a file that only its owner may read. The file is replaced at once.
    ///
    /// # Errors
    /// A system call failed.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A new temporary file has the mode 0600.
        let mut file = tempfile::Builder::new().prefix(".mgmt-plan-").tempfile_in(directory)?;
        file.write_all(&mcl_artifact::write(ArtifactStage::Plan, self))?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// R0414 if somebody else owns the file or may read it, or an A-diagnostic. The exit status, if it cannot be read.
    pub fn read(path: &Path) -> Result<SavedPlan, Result<Diagnostic, ExitCode>> {
        let bytes = read_private(path)?;
        mcl_artifact::read(&bytes, ArtifactStage::Plan).map_err(|mut diagnostic| {
            diagnostic.message = format!("{}: {}", path.display(), diagnostic.message);
            Ok(diagnostic.help("keep a plan with `mgmt-rt plan OUT.bin -o FILE`"))
        })
    }
}

/// Reads a file that belongs to this user and is private.
fn read_private(path: &Path) -> Result<Vec<u8>, Result<Diagnostic, ExitCode>> {
    let unreadable = |error: io::Error| {
        eprintln!("mgmt-rt: cannot read {}: {error}", path.display());
        Err(ExitCode::from(2))
    };
    // A plan is neither a link nor a fifo.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|error| unreadable(error.into()))?;
    let stat = fstat(&file).map_err(|error| unreadable(error.into()))?;
    let unprotected = |why: String| {
        Ok(Diagnostic::error(Code::R0414, Stage::Engine, format!("{} {why}", path.display()))
            .help("apply only plans that you have made, and keep them private: `chmod 0600 FILE`"))
    };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(unprotected("is not a regular file".to_owned()));
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(unprotected(format!("belongs to the user {}", stat.st_uid)));
    }
    if stat.st_mode & 0o077 != 0 {
        return Err(unprotected(format!("has the mode {:04o}, so other users can use it", stat.st_mode & 0o7777)));
    }
    if let Some(diagnostic) = runtime::unprotected(path) {
        return Err(Ok(diagnostic));
    }
    let mut bytes = Vec::new();
    File::from(file).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde::ser::{SerializeTuple as _, Serializer};
    use serde_json::json;
    use test_support::RandomChoice as _;

    use super::*;

    /// Bytes that become the payload of an artifact as they are.
    struct Payload<'b>(&'b [u8]);

    impl Serialize for Payload<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut tuple = serializer.serialize_tuple(self.0.len())?;
            self.0.iter().try_for_each(|byte| tuple.serialize_element(byte))?;
            tuple.end()
        }
    }

    #[test]
    fn the_layout_belongs_to_the_version_of_the_format() {
        let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/src/saved_plan/layout.txt");
        test_support::check_layout::<SavedPlan>(Path::new(recorded), mcl_artifact::FORMAT_VERSION);
    }

    /// A plan with as much in it as possible.
    fn plan() -> SavedPlan {
        let sources = Sources {
            artifact: Some("/srv/main.bin".into()),
            puppet: Some("/srv/catalog.json".into()),
            node: Some("web".to_owned()),
            facts: Some("/srv/facts.json".into()),
            hiera_config: None,
            ruby_fallback: false,
            puppet_strict: true,
            puppet_compiler: PuppetCompiler::Native,
            puppet_interval: 30,
            puppet_fallback: PuppetFallback::Callback,
            puppet_module_path: Some("/etc/modules:/opt/modules".into()),
            merge_unmatched: MergeUnmatched::Error,
            machine_files: MachineFiles::Actual,
        };
        let wait = serde_json::from_value(json!({"wait": 60, "run_commands": false})).expect("options");
        let mut plan = SavedPlan::new(&sources, Some(vec![7; 40]), Some(Path::new("/p")), &wait, DigestSalt::default());
        let changes = [("Certain", "create"), ("MayDiffer", "change"), ("Unknown", "check again")];
        let changes = changes.map(|(certainty, text)| json!({"certainty": certainty, "text": text, "digests": null}));
        plan.changes = serde_json::from_value(json!({"file[/a]": changes})).expect("changes");
        plan
    }

    /// A plan with a valid checksum may have any content: it is read and compared, or refused with one diagnostic.
    #[test]
    fn corrupted_plans_are_read_or_refused() {
        let artifact = mcl_artifact::write(ArtifactStage::Plan, &plan());
        let header = mcl_artifact::read_header(&artifact).expect("a plan");
        let bytes = artifact[artifact.len() - header.payload_length as usize..].to_vec();
        assert_eq!(mcl_artifact::write(ArtifactStage::Plan, &Payload(&bytes)), artifact);
        let mut read = 0;
        test_support::for_each_seed(20_000, |rng| {
            let mut bytes = bytes.clone();
            for _ in 0..rng.usize(1..6) {
                if bytes.is_empty() {
                    break;
                }
                let at = rng.usize(..bytes.len());
                match rng.usize(..4) {
                    0 => bytes[at] = rng.u8(..),
                    1 => bytes[at] = *rng.pick(&[0, 1, 0x7f, 0xfb, 0xfc, 0xfd, 0xff]),
                    2 => bytes.truncate(at.max(1)),
                    _ => drop(bytes.remove(at)),
                }
            }
            let artifact = mcl_artifact::write(ArtifactStage::Plan, &Payload(&bytes));
            match mcl_artifact::read::<SavedPlan>(&artifact, ArtifactStage::Plan) {
                Ok(plan) => {
                    read += 1;
                    let _ = (plan.outdated(None, None), plan.sources(), plan.prefix());
                }
                Err(diagnostic) => assert!(diagnostic.code.name().starts_with('A'), "{}", diagnostic.message),
            }
        });
        assert!(read > 100, "{read} of the plans can be decoded");
    }
}
