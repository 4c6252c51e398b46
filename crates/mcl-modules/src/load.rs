//! Reads all files of a program breadth first, the files of one level in parallel.
//!
//! The module of a file decides where its remote imports are searched, which tree its relative imports must stay in, and
//! what `deploy.readfile` reads. A file that is imported in two modules is therefore two units, which share one text. The
//! number of modules is finite, so the loader ends even if files import each other; the scope stage reports the cycle.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Fix, LintLevel, LintSelector, Span, Stage};
use mcl_lexer::Tokens;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::clean::{absolute, relative};
use crate::deploy;
use crate::disk::{Buffers, Disk};
use crate::embedded;
use crate::input::{Input, InputError, reason};
use crate::loaded::{DeployFiles, Import, ImportFailure, ImportTarget, Loaded, SourcePaths, Unit, UnitId};
use crate::metadata::UnknownKey;
use crate::name::{ImportKind, ImportName, NameError};
use crate::open::{Context, Location, OpenError, Opened, UnknownKeys, open};
use crate::remote::{RemoteImport, RemoteLocation};
use crate::scan;

/// How to load.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The global module directory (`--module-path`).
    pub module_path: Option<PathBuf>,
    /// Whether to read the data files of all modules. Checking a program does not need them.
    pub deploy: bool,
    /// Whether a name is that of a native module. Where this is known, a file or directory that has the name of an unknown
    /// module is suggested in its place.
    pub is_native: Option<fn(&str) -> bool>,
    /// Texts that take the place of files: the buffers of an editor.
    pub buffers: Arc<Buffers>,
}

/// Why a program cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The main file cannot be read.
    Input(InputError),
    /// The `metadata.yaml` of the program is invalid.
    Invalid {
        /// Holds the `metadata.yaml`.
        files: Files,
        /// Where it is.
        paths: SourcePaths,
        /// The errors in it.
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
/// If the main file cannot be read. Imports that cannot be loaded are part of the result.
pub fn load(input: &Input, options: &Options) -> Result<Loaded, LoadError> {
    let loader = Loader::run(input, options)?;
    let (deploy, has_private_files) = if options.deploy { loader.deploy()? } else { Default::default() };
    let Loader { files, units, warnings, lints, source_paths: paths, .. } = loader;
    Ok(Loaded { files, units, deploy, has_private_files, warnings, lints, paths })
}

/// Reads a program like [`load`], without data files. Also returns where the module of each remote import is, or has to
/// be put.
///
/// # Errors
/// Those of [`load`].
pub fn load_remote(input: &Input, options: &Options) -> Result<(Loaded, Vec<RemoteImport>), LoadError> {
    let loader = Loader::run(input, options)?;
    let remote = loader.remote_imports();
    let Loader { files, units, warnings, lints, .. } = loader;
    Ok((Loaded { files, units, warnings, lints, ..Loaded::default() }, remote))
}

/// Returns the error for an import of an unknown system module, if a file or directory of that name can be imported.
fn beside(raw: &str, around: &Context, disk: &Disk) -> Option<ImportFailure> {
    let path = absolute(Path::new(raw), &around.imports_from);
    if !path.starts_with(&around.root) {
        return None;
    }
    let file = path.with_file_name(format!("{}.mcl", path.file_name()?.to_str()?));
    let written = if disk.is_file(&file) {
        format!("{raw}.mcl")
    } else if ["metadata.yaml", "main.mcl"].iter().any(|name| disk.is_file(&path.join(name))) {
        format!("{raw}/")
    } else {
        return None;
    };
    let failure = ImportFailure::new(Code::E0501, format!("unknown system module `{raw}`"));
    let what = if written.ends_with('/') { "directory" } else { "file" };
    Some(failure.help(format!("the {what} beside this one is imported as `import \"{written}\"`")))
}

struct Loader {
    files: Files,
    /// The sources read so far.
    texts: FxHashMap<PathBuf, (FileId, Arc<Tokens>)>,
    source_paths: SourcePaths,
    units: PrimaryMap<UnitId, Unit>,
    paths: PrimaryMap<UnitId, PathBuf>,
    contexts: PrimaryMap<UnitId, Context>,
    sources: PrimaryMap<UnitId, deploy::Source>,
    by_key: FxHashMap<(PathBuf, Context), UnitId>,
    /// The directory of the program; file names in messages are relative to it.
    program: PathBuf,
    module_path: Option<PathBuf>,
    disk: Disk,
    is_native: Option<fn(&str) -> bool>,
    /// Lints of the metadata.
    warnings: Vec<Diagnostic>,
    /// The levels of lints that the metadata of the program sets.
    lints: Vec<(LintSelector, LintLevel)>,
}

impl Loader {
    /// Reads everything except the data files.
    fn run(input: &Input, options: &Options) -> Result<Loader, LoadError> {
        let here = std::env::current_dir().map_err(InputError::WorkingDirectory)?;
        let mut loader = Loader {
            files: Files::default(),
            texts: FxHashMap::default(),
            source_paths: SourcePaths::default(),
            units: PrimaryMap::new(),
            paths: PrimaryMap::new(),
            contexts: PrimaryMap::new(),
            sources: PrimaryMap::new(),
            by_key: FxHashMap::default(),
            program: PathBuf::new(),
            module_path: options.module_path.as_ref().map(|path| absolute(path, &here)),
            disk: Disk { buffers: Arc::clone(&options.buffers), input: None },
            is_native: options.is_native,
            warnings: Vec::new(),
            lints: Vec::new(),
        };
        let mut opened = match input {
            Input::File(path) => loader.open_program(Location::File(absolute(path, &here)), path)?,
            Input::Directory(path) => loader.open_program(Location::Directory(absolute(path, &here)), path)?,
            Input::Text { path, text } => {
                let file = absolute(path, &here);
                loader.disk.input = Some((file.clone(), text.clone()));
                loader.open_program(Location::File(file), path)?
            }
        };
        loader.lints = std::mem::take(&mut opened.lints);
        let mut level = vec![loader.add(opened)];
        while !level.is_empty() {
            let loaded = loader.units.len();
            loader.load_imports(&level);
            level = loader.units.keys().skip(loaded).collect();
        }
        Ok(loader)
    }

    fn open_program(&mut self, location: Location, given: &Path) -> Result<Opened, LoadError> {
        let directory = match &location {
            Location::File(path) => path.parent().unwrap_or(path).to_owned(),
            Location::Directory(path) => path.clone(),
            Location::Embedded(_) => PathBuf::new(),
        };
        self.program = directory.clone();
        let root = directory
            .ancestors()
            .find(|dir| self.disk.is_file(&dir.join("metadata.yaml")))
            .unwrap_or(&directory)
            .to_owned();
        let around =
            Context { root, remote: false, base: directory.clone(), imports_from: directory, module_paths: Vec::new() };
        let shown = |path: PathBuf| {
            let inside = path.strip_prefix(&self.program).map(|rest| match &location {
                Location::File(_) | Location::Embedded(_) => given.to_owned(),
                Location::Directory(_) => given.join(rest),
            });
            inside.unwrap_or(path)
        };
        open(&location, &around, &self.disk).map_err(|error| match error {
            OpenError::Unreadable { path, error } => InputError::Unreadable { path: shown(path), error }.into(),
            OpenError::TooLarge(path) => InputError::TooLarge { path: shown(path) }.into(),
            OpenError::NoModule(_) | OpenError::EscapingLink(_) => {
                InputError::NoModule { path: given.to_owned() }.into()
            }
            OpenError::Metadata { path, text, error } => {
                let mut files = Files::default();
                let file = files.add("metadata.yaml", text);
                let span = Span::new(file, error.range.0, error.range.1);
                let diagnostic = Diagnostic::error(Code::E0507, Stage::Import, error.message).at(span);
                LoadError::Invalid {
                    files,
                    paths: SourcePaths::from_iter([(file, path)]),
                    diagnostics: vec![diagnostic],
                }
            }
        })
    }

    /// Loads the imports of some units.
    fn load_imports(&mut self, units: &[UnitId]) {
        // Equal requests of one context are opened only once.
        let mut requests: Vec<(Location, Context)> = Vec::new();
        let mut request_ids: FxHashMap<(Location, Context), usize> = FxHashMap::default();
        let mut pending: Vec<(UnitId, usize, Result<usize, ImportFailure>)> = Vec::new();
        for &unit in units {
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
            requests.par_iter().map(|(location, around)| open(location, around, &self.disk)).collect();
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

    /// Returns what to open for an import, and the module it is in; `None` for built-in modules without a part in mcl.
    fn resolve(
        &self,
        name: &ImportName,
        raw: &str,
        around: &Context,
    ) -> Option<Result<(Location, Context), ImportFailure>> {
        let (path, location): (_, fn(PathBuf) -> Location) = match &name.kind {
            ImportKind::System => {
                return match embedded::find(raw) {
                    Some(module) => Some(Ok((Location::Embedded(module), around.clone()))),
                    None if self.is_native.is_none_or(|is_native| is_native(raw)) => None,
                    None => beside(raw, around, &self.disk).map(Err),
                };
            }
            ImportKind::LocalFile(path) => (path, Location::File),
            ImportKind::LocalDirectory(path) => (path, Location::Directory),
            ImportKind::Remote { path, clone_url } => return Some(self.resolve_remote(path, clone_url, around)),
        };
        let target = absolute(Path::new(&**path), &around.imports_from);
        if !target.starts_with(&around.root) {
            let failure = ImportFailure::new(Code::E0506, format!("import path `{raw}` escapes the module")).help(
                "to import from a directory above, put a `metadata.yaml` (it may be empty) at the root of the project",
            );
            return Some(Err(failure));
        }
        Some(Ok((location(target), around.clone())))
    }

    fn resolve_remote(&self, path: &str, url: &str, around: &Context) -> Result<(Location, Context), ImportFailure> {
        let Some(found) = self.find_remote(path, around) else {
            let failure =
                ImportFailure::new(Code::E0505, format!("cannot find remote module `{path}` in any module directory"));
            return Err(match self.module_directories(around).next() {
                Some(nearest) => {
                    let target = relative(&absolute(Path::new(path), nearest), &self.program);
                    failure.help(format!("`mclc get` fetches it with `git clone --recursive {url} {target}`"))
                }
                None => failure.help(
                    "no module directory is configured: set one with `--module-path DIR`, or with `path` in metadata.yaml",
                ),
            });
        };
        let root = found.clone();
        Ok((Location::Directory(found), Context { root, remote: true, ..around.clone() }))
    }

    /// Returns the directories to search for remote modules, nearest first.
    fn module_directories<'a>(&'a self, around: &'a Context) -> impl Iterator<Item = &'a PathBuf> + Clone {
        around.module_paths.iter().chain(&self.module_path)
    }

    /// Returns the directory of a remote module.
    fn find_remote(&self, path: &str, around: &Context) -> Option<PathBuf> {
        let directories = self.module_directories(around);
        directories.clone().map(|dir| absolute(Path::new(path), dir)).find(|dir| {
            // `%2e%2e` must not escape the module directory.
            directories.clone().any(|candidate| dir.starts_with(candidate))
                && self.disk.is_file(&dir.join("metadata.yaml"))
        })
    }

    /// Returns the remote imports of all units, in breadth-first order.
    fn remote_imports(&self) -> Vec<RemoteImport> {
        let imports = self.units.iter().flat_map(|(id, unit)| {
            let around = &self.contexts[id];
            unit.imports.iter().map(move |import| (import, around))
        });
        imports
            .filter_map(|(import, around)| match &import.name.as_ref()?.kind {
                ImportKind::Remote { path, clone_url } => {
                    let location = match self.find_remote(path, around) {
                        Some(found) => RemoteLocation::Found(found),
                        None => match self.module_directories(around).next() {
                            None => RemoteLocation::NoModuleDirectory,
                            Some(nearest) => RemoteLocation::Missing {
                                module_directory: nearest.clone(),
                                target: absolute(Path::new(&**path), nearest),
                            },
                        },
                    };
                    Some(RemoteImport { span: import.span, clone_url: Arc::clone(clone_url), location })
                }
                _ => None,
            })
            .collect()
    }

    /// Adds the unit of a file; the targets of its imports are set later.
    fn add(&mut self, opened: Opened) -> UnitId {
        let key = (opened.path, opened.context);
        if let Some(unit) = self.by_key.get(&key) {
            return *unit;
        }
        let (file, tokens) = match self.texts.get(&key.0) {
            Some((file, tokens)) => (*file, Arc::clone(tokens)),
            None => {
                let file = self.files.add(self.name_of(&key.0), opened.text);
                self.source_paths.insert(file, key.0.clone());
                let tokens = opened.tokens;
                self.texts.insert(key.0.clone(), (file, Arc::clone(&tokens)));
                (file, tokens)
            }
        };
        if let Some(unknown) = opened.unknown_keys {
            self.warn_of_unknown_keys(unknown);
        }
        let text = &self.files.files[file].text;
        let imports = scan::imports(file, text, &tokens)
            .into_iter()
            .map(|(raw, span)| match ImportName::parse(&raw) {
                Ok(name) => Import { raw, span, name: Some(name), target: ImportTarget::System },
                Err(error) => {
                    let failure = ImportFailure::new(Code::E0502, format!("invalid import `{raw}`: {error}"));
                    let failure = match error {
                        NameError::NotNormalized(cleaned) => {
                            let slash = if raw.ends_with('/') { "/" } else { "" };
                            failure.help(format!("write `import \"{cleaned}{slash}\"`"))
                        }
                        NameError::Absolute => failure.help("paths are relative to the directory of this file"),
                        _ => failure,
                    };
                    Import { raw, span, name: None, target: ImportTarget::Failed(failure) }
                }
            })
            .collect();
        let (module_dir, system) = match &opened.source {
            deploy::Source::Embedded(module) => (module.deploy_dir(), Some(module.name.into())),
            deploy::Source::Disk { .. } => {
                (deploy::module_dir(&key.1.base, &self.program, self.module_path.as_deref()), None)
            }
        };
        let id = self.units.push(Unit { file, tokens, module_dir: module_dir.into(), system, imports });
        self.paths.push(key.0.clone());
        self.contexts.push(key.1.clone());
        self.sources.push(opened.source);
        self.by_key.insert(key, id);
        id
    }

    /// Warns of the keys of a `metadata.yaml` that have no meaning.
    fn warn_of_unknown_keys(&mut self, unknown: UnknownKeys) {
        let name = self.name_of(&unknown.path);
        if self.files.files.values().any(|file| *file.name == *name) {
            return; // Another module of the same directory.
        }
        let file = self.files.add(name, unknown.text);
        self.source_paths.insert(file, unknown.path);
        for UnknownKey { key, similar, range } in unknown.keys {
            let help = match similar {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => "the keys are main, path, files, license, parentpathblock and lints".to_owned(),
            };
            let span = Span::new(file, range.0, range.1);
            let warning = Diagnostic::warning(Code::W0204, Stage::Import, format!("unknown key `{key}`"))
                .at_with(span, "has no effect")
                .help(help)
                .fixes(similar.map(|similar| Fix::replace_with(span, similar)));
            self.warnings.push(warning);
        }
    }

    /// Returns the name of a file in messages: relative to the directory of the program.
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
                ImportFailure::new(Code::E0503, format!("`{}` is too large: the limit is 256 MiB", self.name_of(&path)))
            }
            OpenError::NoModule(path) => {
                let message =
                    format!("directory `{}` contains neither `metadata.yaml` nor `main.mcl`", self.name_of(&path));
                ImportFailure::new(Code::E0504, message)
            }
            OpenError::EscapingLink(path) => {
                let message = format!("symbolic link `{}` escapes its module", self.name_of(&path));
                ImportFailure::new(Code::E0506, message)
            }
            OpenError::Metadata { path, text, error } => {
                let name = self.name_of(&path);
                let file = self.files.add(name.clone(), text);
                self.source_paths.insert(file, path);
                let mut failure = ImportFailure::new(Code::E0507, format!("invalid `{name}`: {}", error.message));
                failure.metadata = Some((Span::new(file, error.range.0, error.range.1), "here".to_owned()));
                failure
            }
        }
    }

    /// Returns the files that the running program can read, and whether not everybody may read one of them.
    fn deploy(&self) -> Result<(DeployFiles, bool), LoadError> {
        let mut files = deploy::Deploy::default();
        for (id, unit) in &self.units {
            let context = &self.contexts[id];
            let (metadata, data) = match &self.sources[id] {
                deploy::Source::Disk { metadata, data } => (metadata.as_deref(), data.as_deref()),
                deploy::Source::Embedded(module) => {
                    files.add_embedded(&unit.module_dir, module);
                    continue;
                }
            };
            let tree = context.remote.then_some(context.root.as_path());
            files
                .add_module(&unit.module_dir, &context.base, [metadata, Some(&self.paths[id])], data, tree, &self.disk)
                .map_err(|(path, error)| InputError::Unreadable { path, error })?;
        }
        Ok(files.into_sorted())
    }
}
