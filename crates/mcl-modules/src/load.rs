//! Reading all files of a program, breadth first, the files of one level in parallel.
//!
//! Which module a file belongs to matters: it decides where its remote imports are searched, where the tree ends that its
//! relative imports may not leave, and what `deploy.readfile` reads. So a file that is reached in two modules is two units
//! (sharing one text). What can differ is finite, so files that import each other in a circle do not keep the loader busy;
//! the scope stage reports the circle.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Span, Stage};
use mcl_lexer::{Tokens, lex};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::clean::{absolute, real_part, relative};
use crate::deploy;
use crate::embedded::{self, EmbeddedModule};
use crate::input::{Input, InputError, reason};
use crate::loaded::{DeployFiles, Import, ImportFailure, ImportTarget, Loaded, Unit, UnitId};
use crate::metadata::{Metadata, MetadataError};
use crate::name::{ImportKind, ImportName, NameError};
use crate::remote::{RemoteImport, RemotePlace};
use crate::scan;

/// Larger sources are refused: spans count bytes in 32 bits, and no program is that long.
const MAX_SOURCE: u64 = 256 << 20;

/// How to load.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The global module directory (`--module-path`).
    pub module_path: Option<PathBuf>,
    /// Whether to read the data files of all modules too. Checking a program does not need them.
    pub deploy: bool,
}

/// Why there is no program.
#[derive(Debug)]
pub enum LoadError {
    /// There is nothing to read.
    Input(InputError),
    /// The program's own `metadata.yaml` is wrong.
    Invalid {
        /// Holds the `metadata.yaml`.
        files: Files,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
}

impl From<InputError> for LoadError {
    fn from(error: InputError) -> LoadError {
        LoadError::Input(error)
    }
}

/// Reads a program and everything it imports.
///
/// # Errors
/// When the main file cannot be read. Imports that cannot be loaded are part of the result.
pub fn load(input: &Input, options: &Options) -> Result<Loaded, LoadError> {
    let loader = Loader::run(input, options)?;
    let deploy = if options.deploy { loader.deploy()? } else { Vec::new() };
    Ok(Loaded { files: loader.files, units: loader.units, deploy })
}

/// Like [`load`], but for whom fetches modules: says of every remote import where its module lies, or has to be put, and
/// leaves the data files alone.
///
/// # Errors
/// As of [`load`].
pub fn load_remote(input: &Input, options: &Options) -> Result<(Loaded, Vec<RemoteImport>), LoadError> {
    let loader = Loader::run(input, options)?;
    let remote = loader.remote_imports();
    Ok((Loaded { files: loader.files, units: loader.units, deploy: Vec::new() }, remote))
}

/// What surrounds a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Context {
    /// The tree that relative imports may not leave.
    root: PathBuf,
    /// Whether somebody else wrote it, so that symbolic links may not leave the tree either.
    foreign: bool,
    /// The directory of the metadata, or of a lone file: what `deploy.*` paths count from.
    base: PathBuf,
    /// Where relative imports count from.
    imports_from: PathBuf,
    /// Where remote imports are searched, the nearest first, without the global directory.
    module_paths: Vec<PathBuf>,
}

/// What an import asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    File(PathBuf),
    Directory(PathBuf),
    Embedded(&'static EmbeddedModule),
}

/// A file that was read, on its way to becoming a unit.
struct Opened {
    path: PathBuf,
    text: String,
    tokens: Tokens,
    context: Context,
    /// The module's own files, for the deploy.
    source: deploy::Source,
}

/// Why a place could not be opened.
enum OpenError {
    Unreadable { path: PathBuf, error: io::Error },
    TooLarge(PathBuf),
    NoModule(PathBuf),
    Metadata { path: PathBuf, text: String, error: MetadataError },
    Escape(PathBuf),
}

struct Loader {
    files: Files,
    /// The sources that were read.
    texts: FxHashMap<PathBuf, (FileId, Arc<Tokens>)>,
    units: Vec<Unit>,
    /// Beside `units`.
    paths: Vec<PathBuf>,
    /// Beside `units`.
    contexts: Vec<Context>,
    /// Beside `units`.
    sources: Vec<deploy::Source>,
    by_key: FxHashMap<(PathBuf, Context), UnitId>,
    /// The program's directory: names of files are relative to it.
    program: PathBuf,
    module_path: Option<PathBuf>,
    /// A text that stands for a file.
    overlay: Option<(PathBuf, Vec<u8>)>,
}

impl Loader {
    /// Reads everything but the data files.
    fn run(input: &Input, options: &Options) -> Result<Loader, LoadError> {
        let here = std::env::current_dir().map_err(InputError::WorkingDirectory)?;
        let mut loader = Loader {
            files: Files::default(),
            texts: FxHashMap::default(),
            units: Vec::new(),
            paths: Vec::new(),
            contexts: Vec::new(),
            sources: Vec::new(),
            by_key: FxHashMap::default(),
            program: PathBuf::new(),
            module_path: options.module_path.as_ref().map(|path| absolute(path, &here)),
            overlay: None,
        };
        let opened = match input {
            Input::File(path) => loader.open_program(Place::File(absolute(path, &here)), path)?,
            Input::Directory(path) => loader.open_program(Place::Directory(absolute(path, &here)), path)?,
            Input::Text { path, text } => {
                let file = absolute(path, &here);
                loader.overlay = Some((file.clone(), text.clone()));
                loader.open_program(Place::File(file), path)?
            }
        };
        loader.add(opened);
        let mut level = 0..1;
        while !level.is_empty() {
            loader.follow(level.clone());
            level = level.end..loader.units.len();
        }
        Ok(loader)
    }

    fn open_program(&mut self, place: Place, given: &Path) -> Result<Opened, LoadError> {
        let directory = match &place {
            Place::File(path) => path.parent().unwrap_or(path).to_owned(),
            Place::Directory(path) => path.clone(),
            Place::Embedded(_) => PathBuf::new(),
        };
        self.program = directory.clone();
        let root =
            directory.ancestors().find(|dir| dir.join("metadata.yaml").is_file()).unwrap_or(&directory).to_owned();
        let around = Context {
            root,
            foreign: false,
            base: directory.clone(),
            imports_from: directory,
            module_paths: Vec::new(),
        };
        let shown = |path: PathBuf| {
            let inside = path.strip_prefix(&self.program).map(|rest| match &place {
                Place::File(_) | Place::Embedded(_) => given.to_owned(),
                Place::Directory(_) => given.join(rest),
            });
            inside.unwrap_or(path)
        };
        self.open(&place, &around).map_err(|error| match error {
            OpenError::Unreadable { path, error } => InputError::Unreadable { path: shown(path), error }.into(),
            OpenError::TooLarge(path) => InputError::TooLarge { path: shown(path) }.into(),
            OpenError::NoModule(_) | OpenError::Escape(_) => InputError::NoModule { path: given.to_owned() }.into(),
            OpenError::Metadata { text, error, .. } => {
                let mut files = Files::default();
                let file = files.add("metadata.yaml", text);
                let span = Span::new(file, error.range.0, error.range.1);
                let diagnostic = Diagnostic::error(Code::E0507, Stage::Import, error.message).at(span);
                LoadError::Invalid { files, diagnostics: vec![diagnostic] }
            }
        })
    }

    /// Resolves the imports of some units and adds what they lead to.
    fn follow(&mut self, units: std::ops::Range<usize>) {
        // What each import asks for; equal requests of one context are opened once.
        let mut requests: Vec<(Place, Context)> = Vec::new();
        let mut request_ids: FxHashMap<(Place, Context), usize> = FxHashMap::default();
        let mut pending: Vec<(usize, usize, Result<usize, ImportFailure>)> = Vec::new();
        for unit in units {
            for (at, import) in self.units[unit].imports.iter().enumerate() {
                let Some(name) = &import.name else { continue };
                let request = match self.resolve(name, &import.raw, &self.contexts[unit]) {
                    None => continue,
                    Some(Err(failure)) => Err(failure),
                    Some(Ok(request)) => Ok(*request_ids.entry(request).or_insert_with_key(|request| {
                        requests.push(request.clone());
                        requests.len() - 1
                    })),
                };
                pending.push((unit, at, request));
            }
        }
        let opened: Vec<Result<Opened, OpenError>> =
            requests.par_iter().map(|(place, around)| self.open(place, around)).collect();
        let targets: Vec<ImportTarget> = opened
            .into_iter()
            .map(|opened| match opened {
                Ok(opened) => ImportTarget::Unit(self.add(opened)),
                Err(error) => ImportTarget::Failed(self.failure(error)),
            })
            .collect();
        for (unit, at, request) in pending {
            self.units[unit].imports[at].target = match request {
                Ok(request) => targets[request].clone(),
                Err(failure) => ImportTarget::Failed(failure),
            };
        }
    }

    /// What an import asks for, and what will surround it; `None` for what is built in without any mcl.
    fn resolve(
        &self,
        name: &ImportName,
        raw: &str,
        around: &Context,
    ) -> Option<Result<(Place, Context), ImportFailure>> {
        let (path, place): (_, fn(PathBuf) -> Place) = match &name.kind {
            ImportKind::System => {
                return embedded::find(raw).map(|module| Ok((Place::Embedded(module), around.clone())));
            }
            ImportKind::LocalFile(path) => (path, Place::File),
            ImportKind::LocalDirectory(path) => (path, Place::Directory),
            ImportKind::Remote { path, clone_url } => return Some(self.resolve_remote(path, clone_url, around)),
        };
        let target = absolute(Path::new(&**path), &around.imports_from);
        if !target.starts_with(&around.root) {
            let failure = ImportFailure::new(Code::E0506, format!("import `{raw}` leaves the module it belongs to"))
                .help("put a `metadata.yaml` (it may be empty) at the top of the tree that belongs together");
            return Some(Err(failure));
        }
        Some(Ok((place(target), around.clone())))
    }

    fn resolve_remote(&self, path: &str, url: &str, around: &Context) -> Result<(Place, Context), ImportFailure> {
        let Some(found) = self.find_remote(path, around) else {
            let failure = ImportFailure::new(
                Code::E0505,
                format!("remote module `{path}` was not found in any module directory"),
            );
            return Err(match self.module_directories(around).next() {
                Some(nearest) => {
                    let target = relative(&absolute(Path::new(path), nearest), &self.program);
                    failure.help(format!("`mclc get` fetches it, with `git clone --recursive {url} {target}`"))
                }
                None => failure.help(
                    "there is no module directory: give one with `--module-path DIR`, or as `path` in metadata.yaml",
                ),
            });
        };
        let root = found.clone();
        Ok((Place::Directory(found), Context { root, foreign: true, ..around.clone() }))
    }

    /// Where remote modules are searched, the nearest first.
    fn module_directories<'a>(&'a self, around: &'a Context) -> impl Iterator<Item = &'a PathBuf> + Clone {
        around.module_paths.iter().chain(&self.module_path)
    }

    /// Where a remote module lies.
    fn find_remote(&self, path: &str, around: &Context) -> Option<PathBuf> {
        let directories = self.module_directories(around);
        directories.clone().map(|dir| absolute(Path::new(path), dir)).find(|dir| {
            // `%2e%2e` may not lead out of the module directory.
            directories.clone().any(|candidate| dir.starts_with(candidate)) && dir.join("metadata.yaml").is_file()
        })
    }

    /// The remote imports of all units, in the order in which they are reached.
    fn remote_imports(&self) -> Vec<RemoteImport> {
        let units = self.units.iter().zip(&self.contexts);
        let imports = units.flat_map(|(unit, around)| unit.imports.iter().map(move |import| (import, around)));
        imports
            .filter_map(|(import, around)| match &import.name.as_ref()?.kind {
                ImportKind::Remote { path, clone_url } => {
                    let place = match self.find_remote(path, around) {
                        Some(found) => RemotePlace::Found(found),
                        None => match self.module_directories(around).next() {
                            None => RemotePlace::Nowhere,
                            Some(nearest) => RemotePlace::Missing {
                                module_directory: nearest.clone(),
                                target: absolute(Path::new(&**path), nearest),
                            },
                        },
                    };
                    Some(RemoteImport { span: import.span, clone_url: Arc::clone(clone_url), place })
                }
                _ => None,
            })
            .collect()
    }

    /// Reads the file of a place. Takes no part of the loader that changes, so many can be opened at once.
    fn open(&self, place: &Place, around: &Context) -> Result<Opened, OpenError> {
        let directory = match place {
            Place::File(path) => {
                self.stay_inside(path, around)?;
                return self.open_lone(path, around);
            }
            Place::Directory(directory) => directory,
            Place::Embedded(module) => return Ok(open_embedded(module)),
        };
        self.stay_inside(directory, around)?;
        let metadata_path = directory.join("metadata.yaml");
        let text = match std::fs::read(&metadata_path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The directory itself may be what is missing.
                std::fs::metadata(directory)
                    .map_err(|error| OpenError::Unreadable { path: directory.clone(), error })?;
                let main = directory.join("main.mcl");
                if main.symlink_metadata().is_err() {
                    return Err(OpenError::NoModule(directory.clone()));
                }
                return self.open_lone(&main, around);
            }
            Err(error) => return Err(OpenError::Unreadable { path: metadata_path, error }),
        };
        let metadata = match Metadata::parse(&text) {
            Ok(metadata) => metadata,
            Err(error) => return Err(OpenError::Metadata { path: metadata_path, text, error }),
        };
        let main = absolute(Path::new(&metadata.main), directory);
        self.stay_inside(&main, around)?;
        let mut module_paths = Vec::new();
        if !metadata.path.is_empty() {
            let path = absolute(Path::new(&metadata.path), directory);
            self.stay_inside(&path, around)?;
            module_paths.push(path);
        }
        if !metadata.parent_path_block {
            module_paths.extend(
                around
                    .module_paths
                    .iter()
                    .filter(|path| module_paths.first() != Some(path))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        let context = Context {
            root: around.root.clone(),
            foreign: around.foreign,
            base: directory.clone(),
            imports_from: main.parent().unwrap_or(directory).to_owned(),
            module_paths,
        };
        let data = (!metadata.files.is_empty()).then(|| absolute(Path::new(&metadata.files), directory));
        let source = deploy::Source::Disk { metadata: Some(metadata_path), data };
        self.read(main, context, source)
    }

    /// A file that is its own module.
    fn open_lone(&self, path: &Path, around: &Context) -> Result<Opened, OpenError> {
        let directory = path.parent().unwrap_or(path).to_owned();
        let context = Context { base: directory.clone(), imports_from: directory, ..around.clone() };
        let source = deploy::Source::Disk { metadata: None, data: None };
        self.read(path.to_owned(), context, source)
    }

    /// Reads and lexes a source.
    fn read(&self, path: PathBuf, context: Context, source: deploy::Source) -> Result<Opened, OpenError> {
        let bytes = match &self.overlay {
            Some((overlaid, bytes)) if *overlaid == path => Ok(bytes.clone()),
            _ if path.metadata().is_ok_and(|file| file.len() > MAX_SOURCE) => return Err(OpenError::TooLarge(path)),
            _ => std::fs::read(&path),
        };
        let text = match bytes.map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(error)) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            Err(error) => return Err(OpenError::Unreadable { path, error }),
        };
        if text.len() as u64 > MAX_SOURCE {
            return Err(OpenError::TooLarge(path));
        }
        Ok(Opened { tokens: lex(&text), path, text, context, source })
    }

    /// Modules that somebody else wrote may not point out of their directory with symbolic links.
    fn stay_inside(&self, path: &Path, around: &Context) -> Result<(), OpenError> {
        if around.foreign
            && let (Some(real), Ok(root)) = (real_part(path), around.root.canonicalize())
            && !real.starts_with(root)
        {
            return Err(OpenError::Escape(path.to_owned()));
        }
        Ok(())
    }

    /// The unit of a file that was read; its imports lead nowhere yet.
    fn add(&mut self, opened: Opened) -> UnitId {
        let key = (opened.path, opened.context);
        if let Some(unit) = self.by_key.get(&key) {
            return *unit;
        }
        let (file, tokens) = match self.texts.get(&key.0) {
            Some((file, tokens)) => (*file, Arc::clone(tokens)),
            None => {
                let file = self.files.add(self.name_of(&key.0), opened.text);
                let tokens = Arc::new(opened.tokens);
                self.texts.insert(key.0.clone(), (file, Arc::clone(&tokens)));
                (file, tokens)
            }
        };
        let text = &self.files.files[file.0 as usize].text;
        let imports = scan::imports(file, text, &tokens)
            .into_iter()
            .map(|(raw, span)| match ImportName::parse(&raw) {
                Ok(name) => Import { raw, span, name: Some(name), target: ImportTarget::System },
                Err(error) => {
                    let failure = ImportFailure::new(Code::E0502, format!("import `{raw}` is not valid: {error}"));
                    let failure = match error {
                        NameError::Dirty(cleaned) => {
                            let slash = if raw.ends_with('/') { "/" } else { "" };
                            failure.help(format!("write `import \"{cleaned}{slash}\"`"))
                        }
                        NameError::Absolute => failure.help("paths count from the directory of this file"),
                        _ => failure,
                    };
                    Import { raw, span, name: None, target: ImportTarget::Failed(failure) }
                }
            })
            .collect();
        let id = UnitId(u32::try_from(self.units.len()).expect("fewer than 2^32 files"));
        let (module_dir, system) = match &opened.source {
            deploy::Source::Embedded(module) => (module.deploy_dir(), Some(module.name.into())),
            deploy::Source::Disk { .. } => {
                (deploy::module_dir(&key.1.base, &self.program, self.module_path.as_deref()), None)
            }
        };
        self.units.push(Unit { file, tokens, module_dir: module_dir.into(), system, imports });
        self.paths.push(key.0.clone());
        self.contexts.push(key.1.clone());
        self.sources.push(opened.source);
        self.by_key.insert(key, id);
        id
    }

    /// How messages name a file: relative to the program's directory.
    fn name_of(&self, path: &Path) -> String {
        if path.starts_with(embedded::SCHEME) {
            return path.to_string_lossy().into_owned();
        }
        match self.module_path.as_ref().and_then(|dir| path.strip_prefix(dir).ok()) {
            Some(rest) if !path.starts_with(&self.program) => {
                Path::new("modules").join(rest).to_string_lossy().into_owned()
            }
            _ => relative(path, &self.program),
        }
    }

    fn failure(&mut self, error: OpenError) -> ImportFailure {
        match error {
            OpenError::Unreadable { path, error } if error.kind() == io::ErrorKind::NotFound => {
                ImportFailure::new(Code::E0503, format!("`{}` does not exist", self.name_of(&path)))
            }
            OpenError::Unreadable { path, error } => {
                ImportFailure::new(Code::E0503, format!("cannot read `{}`: {}", self.name_of(&path), reason(&error)))
            }
            OpenError::TooLarge(path) => {
                ImportFailure::new(Code::E0503, format!("`{}` is larger than 256 MiB", self.name_of(&path)))
            }
            OpenError::NoModule(path) => {
                let message =
                    format!("the directory `{}` has neither a `metadata.yaml` nor a `main.mcl`", self.name_of(&path));
                ImportFailure::new(Code::E0504, message)
            }
            OpenError::Escape(path) => {
                let message = format!("`{}` is a symbolic link that leaves its module", self.name_of(&path));
                ImportFailure::new(Code::E0506, message)
            }
            OpenError::Metadata { path, text, error } => {
                let name = self.name_of(&path);
                let file = self.files.add(name.clone(), text);
                let mut failure = ImportFailure::new(Code::E0507, format!("`{name}` is not valid: {}", error.message));
                failure.metadata = Some((Span::new(file, error.range.0, error.range.1), "here".to_owned()));
                failure
            }
        }
    }

    /// The files that the running program can read.
    fn deploy(&self) -> Result<DeployFiles, LoadError> {
        let mut files = deploy::Deploy::default();
        let overlay = self.overlay.as_ref().map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
        for (at, unit) in self.units.iter().enumerate() {
            let context = &self.contexts[at];
            let (metadata, data) = match &self.sources[at] {
                deploy::Source::Disk { metadata, data } => (metadata.as_deref(), data.as_deref()),
                deploy::Source::Embedded(module) => {
                    files.add_embedded(&unit.module_dir, module);
                    continue;
                }
            };
            let tree = context.foreign.then_some(context.root.as_path());
            files
                .add_module(&unit.module_dir, &context.base, [metadata, Some(&self.paths[at])], data, tree, overlay)
                .map_err(|(path, error)| InputError::Unreadable { path, error })?;
        }
        Ok(files.into_sorted())
    }
}

/// The main file of a module that is part of this program. It sees nothing of the file system.
fn open_embedded(module: &'static EmbeddedModule) -> Opened {
    let base = PathBuf::from(module.uri(""));
    let text = module.main().to_owned();
    Opened {
        tokens: lex(&text),
        text,
        path: PathBuf::from(module.uri(EmbeddedModule::MAIN)),
        context: Context {
            root: base.clone(),
            foreign: true,
            base: base.clone(),
            imports_from: base,
            module_paths: Vec::new(),
        },
        source: deploy::Source::Embedded(module),
    }
}
