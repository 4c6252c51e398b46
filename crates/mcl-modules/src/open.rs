//! Opens the file that an import names: the file itself, the main file of a directory, which `metadata.yaml` may name, or
//! an embedded module.
//!
//! Nothing here changes the loader, so that the files of one level are opened in parallel.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{LintLevel, LintSelector};
use mcl_lexer::{Tokens, lex};

use crate::clean::{absolute, real_part};
use crate::deploy;
use crate::disk::{Buffer, Disk};
use crate::embedded::EmbeddedModule;
use crate::input::reason;
use crate::metadata::{Metadata, MetadataError, UnknownKey, key_range};

/// Maximum size of a source file. Spans count bytes in 32 bits.
const MAX_SOURCE_BYTES: u64 = 256 << 20;

/// The module that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Context {
    /// The tree that relative imports must stay in.
    pub(crate) root: PathBuf,
    /// Whether it is a remote module, whose symbolic links must stay in the tree too.
    pub(crate) remote: bool,
    /// The directory of the metadata, or of the file if there is none: `deploy.*` paths are relative to it.
    pub(crate) base: PathBuf,
    /// The directory that imports are relative to.
    pub(crate) imports_from: PathBuf,
    /// The module directories to search for remote imports, nearest first, without the global one.
    pub(crate) module_paths: Vec<PathBuf>,
}

/// What to open for an import.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Location {
    File(PathBuf),
    Directory(PathBuf),
    Embedded(&'static EmbeddedModule),
}

/// A file that was read but is not a unit yet.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) context: Context,
    /// The files of the module that are deployed.
    pub(crate) source: deploy::Source,
    /// The metadata of the module, if it has keys without a meaning.
    pub(crate) unknown_keys: Option<UnknownKeys>,
    /// The levels of lints that the metadata of the module sets.
    pub(crate) lints: Vec<(LintSelector, LintLevel)>,
}

/// A `metadata.yaml` with keys that have no meaning.
pub(crate) struct UnknownKeys {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) keys: Vec<UnknownKey>,
}

/// Why a location cannot be opened.
pub(crate) enum OpenError {
    Unreadable {
        path: PathBuf,
        error: io::Error,
    },
    TooLarge(PathBuf),
    NoModule(PathBuf),
    Metadata {
        path: PathBuf,
        text: String,
        error: MetadataError,
    },
    /// A symbolic link that leaves its module.
    EscapingLink(PathBuf),
}

/// Reads the main file of a location. `around` is the module of the import.
pub(crate) fn open(location: &Location, around: &Context, disk: &Disk) -> Result<Opened, OpenError> {
    let directory = match location {
        Location::File(path) => {
            check_inside(path, around)?;
            return open_file(path, around, disk);
        }
        Location::Directory(directory) => directory,
        Location::Embedded(module) => return Ok(open_embedded(module)),
    };
    check_inside(directory, around)?;
    let metadata_path = directory.join("metadata.yaml");
    let text = match disk.read(&metadata_path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Perhaps the directory itself does not exist.
            let main = directory.join("main.mcl");
            if disk.given(&main).is_none() {
                std::fs::metadata(directory)
                    .map_err(|error| OpenError::Unreadable { path: directory.clone(), error })?;
            }
            if !disk.has_entry(&main) {
                return Err(OpenError::NoModule(directory.clone()));
            }
            return open_file(&main, around, disk);
        }
        Err(error) => return Err(OpenError::Unreadable { path: metadata_path, error }),
    };
    let (metadata, keys) = match Metadata::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => return Err(OpenError::Metadata { path: metadata_path, text, error }),
    };
    let main = absolute(Path::new(&metadata.main), directory);
    check_inside(&main, around)?;
    let mut module_paths = Vec::new();
    if !metadata.path.is_empty() {
        let path = absolute(Path::new(&metadata.path), directory);
        check_inside(&path, around)?;
        module_paths.push(path);
    }
    if !metadata.parent_path_block {
        module_paths.extend(
            around.module_paths.iter().filter(|path| module_paths.first() != Some(path)).cloned().collect::<Vec<_>>(),
        );
    }
    let context = Context {
        root: around.root.clone(),
        remote: around.remote,
        base: directory.clone(),
        imports_from: main.parent().unwrap_or(directory).to_owned(),
        module_paths,
    };
    let data = (!metadata.files.is_empty()).then(|| absolute(Path::new(&metadata.files), directory));
    let source = deploy::Source::Disk { metadata: Some(metadata_path.clone()), data };
    match read(main, context, source, disk) {
        Ok(mut opened) => {
            opened.lints = metadata.lints;
            opened.unknown_keys = (!keys.is_empty()).then_some(UnknownKeys { path: metadata_path, text, keys });
            Ok(opened)
        }
        // The metadata names a file that is not there.
        Err(OpenError::Unreadable { error, .. }) if key_range(&text, "main") != (0, 0) => {
            let message = format!("cannot read the main file `{}`: {}", metadata.main, reason(&error));
            let range = key_range(&text, "main");
            Err(OpenError::Metadata { path: metadata_path, text, error: MetadataError { message, range } })
        }
        Err(error) => Err(error),
    }
}

/// Reads a file that belongs to no module with metadata.
fn open_file(path: &Path, around: &Context, disk: &Disk) -> Result<Opened, OpenError> {
    let directory = path.parent().unwrap_or(path).to_owned();
    let context = Context { base: directory.clone(), imports_from: directory, ..around.clone() };
    let source = deploy::Source::Disk { metadata: None, data: None };
    read(path.to_owned(), context, source, disk)
}

/// Reads and lexes a source.
fn read(path: PathBuf, context: Context, source: deploy::Source, disk: &Disk) -> Result<Opened, OpenError> {
    if let Some(Buffer { text, tokens }) =
        disk.buffer(&path).filter(|buffer| buffer.text.len() as u64 <= MAX_SOURCE_BYTES)
    {
        let tokens = tokens.as_ref().map_or_else(|| Arc::new(lex(text)), Arc::clone);
        let text = Arc::clone(text);
        return Ok(Opened { path, text, tokens, context, source, unknown_keys: None, lints: Vec::new() });
    }
    if disk.given(&path).is_none() && path.metadata().is_ok_and(|file| file.len() > MAX_SOURCE_BYTES) {
        return Err(OpenError::TooLarge(path));
    }
    let text = match disk.read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Err(error) => return Err(OpenError::Unreadable { path, error }),
    };
    if text.len() as u64 > MAX_SOURCE_BYTES {
        return Err(OpenError::TooLarge(path));
    }
    let tokens = Arc::new(lex(&text));
    Ok(Opened { path, text: text.into(), tokens, context, source, unknown_keys: None, lints: Vec::new() })
}

/// Rejects symbolic links that lead out of a remote module.
fn check_inside(path: &Path, around: &Context) -> Result<(), OpenError> {
    if around.remote
        && let (Some(real), Ok(root)) = (real_part(path), around.root.canonicalize())
        && !real.starts_with(root)
    {
        return Err(OpenError::EscapingLink(path.to_owned()));
    }
    Ok(())
}

/// Returns the main file of an embedded module, which cannot import from the file system.
fn open_embedded(module: &'static EmbeddedModule) -> Opened {
    let base = PathBuf::from(module.uri(""));
    let text: Arc<str> = module.main().into();
    Opened {
        tokens: Arc::new(lex(&text)),
        text,
        path: PathBuf::from(module.uri(EmbeddedModule::MAIN)),
        context: Context {
            root: base.clone(),
            remote: true,
            base: base.clone(),
            imports_from: base,
            module_paths: Vec::new(),
        },
        source: deploy::Source::Embedded(module),
        unknown_keys: None,
        lints: Vec::new(),
    }
}
