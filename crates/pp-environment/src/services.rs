//! What the evaluator asks for while it runs: templates, files of modules, data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcl_diagnostics::{Code, Diagnostic, FileId, SourceFile, Stage};
use pp_ast::Tree;
use pp_evaluator::{Manifest, Ruby, RubyFact, RubyFunction, Services};
use pp_functions::FileKind;
use pp_hiera::DataFiles;
use pp_ruby::InstalledRuby;
use pp_syntax::{Mode, ValidationOptions};
use pp_types::{Error, ErrorKind, Hash};

use crate::dependencies::{absent_dependencies, absent_module};
use crate::error::EnvironmentError;
use crate::find::{Module, StoredFiles};
use crate::load::{ParsedFile, check_location, has_errors, name_of, parse_file, parse_text};
use crate::machine_files::{Described, MachineFiles};
use crate::read::{read_file, read_inside};
use crate::ruby_facts::{lack_ruby, ruby_facts};
use crate::ruby_functions::{is_legacy, ruby_function_files, ruby_function_name};

/// Answers from the directories of modules and from an artifact, and remembers which files of this machine were asked for.
#[derive(Debug, Default)]
pub struct DiskServices {
    /// The directory of the environment.
    pub(crate) root: Option<PathBuf>,
    /// The `hiera.yaml` of all environments.
    pub(crate) global_config: Option<PathBuf>,
    modules: Vec<Module>,
    /// The files of the modules and the data, if they come from an artifact.
    pub(crate) stored: Option<StoredFiles>,
    asked: Mutex<Vec<(PathBuf, Role)>>,
    /// The functions that the modules have in Ruby, once one was asked for.
    ruby_functions: OnceLock<BTreeMap<String, RubyFunction>>,
    /// The facts that the modules define in Ruby, once one was missing.
    ruby_facts: OnceLock<BTreeMap<String, RubyFact>>,
    /// Whether the facts of the compilation lack those.
    lack_ruby_facts: bool,
    /// The installed Ruby, if functions and templates may fall back to it.
    ruby: Option<InstalledRuby>,
    /// The directory that the names of files are relative to.
    base: PathBuf,
    machine_files: MachineFiles,
    /// The files that were asked for and of which a test says nothing.
    undescribed: Mutex<BTreeSet<PathBuf>>,
    validation: ValidationOptions,
    /// The names of the modules whose files were read.
    used: Mutex<BTreeSet<Arc<str>>>,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It says what is to be done: code, data, files of modules.
    Instructions,
    /// The program names it, wherever it is, and decides what to make of it.
    Input,
}

impl DiskServices {
    /// Creates services for an environment, if there is one, and the modules in these directories.
    #[must_use]
    pub fn new(root: Option<PathBuf>, modules: Vec<Module>) -> DiskServices {
        DiskServices { root, modules, ..DiskServices::default() }
    }

    /// Sets how the manifests of modules are validated, and the directory that the names of files are relative to.
    #[must_use]
    pub(crate) fn with_validation(self, validation: ValidationOptions, base: PathBuf) -> DiskServices {
        DiskServices { validation, base, ..self }
    }

    /// Sets the `hiera.yaml` of all environments, which is on disk also if the environment comes from an artifact.
    #[must_use]
    pub fn with_global_config(self, path: Option<PathBuf>) -> DiskServices {
        // In an artifact, relative paths are those of the artifact.
        let path = path.map(|path| std::path::absolute(&path).unwrap_or(path));
        DiskServices { global_config: path, ..self }
    }

    /// Sets whether functions and templates may fall back to an installed Ruby, which is started when it is needed.
    #[must_use]
    pub fn with_ruby(self, is_allowed: bool) -> DiskServices {
        DiskServices { ruby: is_allowed.then(InstalledRuby::default), ..self }
    }

    /// Sets which files are found outside of the code.
    #[must_use]
    pub fn with_machine_files(self, machine_files: MachineFiles) -> DiskServices {
        DiskServices { machine_files, ..self }
    }

    /// Returns the content of a file of a machine that a test describes; `None` if this machine decides, `Some(None)` if there
    /// is none. One of which the test says nothing is remembered.
    pub(crate) fn described(&self, path: &Path) -> Option<Option<&[u8]>> {
        let modules = self.modules.iter().map(|module| &*module.directory);
        let global = self.global_config.as_deref().and_then(Path::parent);
        let directories = [self.root.as_deref(), global, Some(&*self.base)].into_iter().flatten();
        match self.machine_files.described(path, directories.chain(modules))? {
            Described::Content(content) => Some(Some(content)),
            Described::Absent => Some(None),
            Described::Unknown(path) => {
                self.undescribed.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
                Some(None)
            }
        }
    }

    /// Returns an error for each file that was asked for and of which the test says nothing.
    pub(crate) fn undescribed(&self) -> Vec<Diagnostic> {
        let paths = self.undescribed.lock().unwrap_or_else(PoisonError::into_inner);
        let error = |path: &PathBuf| {
            let path = path.display();
            let message = format!("the test does not say what the file `{path}` contains, which Puppet code reads");
            let help = format!("give its content in the test: `# test: file \"{path}\" = \"…\"`, or `absent`");
            Diagnostic::error(Code::R0108, Stage::Stream, message).help(help)
        };
        paths.iter().map(error).collect()
    }

    /// Whether files outside of the code are those of this machine.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        self.machine_files == MachineFiles::Actual
    }

    /// Sets the facts of the compilation.
    #[must_use]
    pub(crate) fn with_facts(self, facts: &Hash) -> DiskServices {
        DiskServices { lack_ruby_facts: lack_ruby(facts), ..self }
    }

    /// Creates services for the environment of an artifact, whose files have relative paths.
    pub(crate) fn of_artifact(modules: Vec<Module>, stored: StoredFiles) -> DiskServices {
        DiskServices { root: Some(PathBuf::new()), modules, stored: Some(stored), ..DiskServices::default() }
    }

    /// Returns the paths that a compilation depends on, whether or not there was a file, sorted.
    #[must_use]
    pub fn dependencies(&self) -> Vec<PathBuf> {
        self.asked_for(|_| true)
    }

    /// Returns those of them that say what is to be done: who can change them can do it.
    #[must_use]
    pub(crate) fn instructions(&self) -> Vec<PathBuf> {
        self.asked_for(|role| role == Role::Instructions)
    }

    fn asked_for(&self, is_wanted: impl Fn(Role) -> bool) -> Vec<PathBuf> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = asked.iter().filter(|(_, role)| is_wanted(*role));
        let mut paths: Vec<PathBuf> = wanted.map(|(path, _)| path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    pub(crate) fn ask(&self, path: &Path, role: Role) {
        // What is in a module is a part of it, however it is named.
        let is_of_module = self.modules.iter().any(|module| path.starts_with(&module.directory));
        let role = if is_of_module { Role::Instructions } else { role };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_owned(), role));
    }

    /// Reads a file of this machine; one of a module must not be a link out of it.
    pub(crate) fn read(&self, path: &Path, role: Role) -> Result<Vec<u8>, EnvironmentError> {
        self.ask(path, role);
        if let Some(described) = self.described(path) {
            let missing = || EnvironmentError::unreadable(path, std::io::ErrorKind::NotFound.into());
            return described.map(<[u8]>::to_vec).ok_or_else(missing);
        }
        match self.modules.iter().find(|module| path.starts_with(&module.directory)) {
            Some(module) => read_inside(&module.directory, path),
            None => read_file(path),
        }
    }

    /// Lists the functions in Ruby of all modules. The first module of a name has it.
    fn list_ruby_functions(&self) -> BTreeMap<String, RubyFunction> {
        let mut functions: BTreeMap<String, RubyFunction> = BTreeMap::new();
        for module in &self.modules {
            let paths = match &self.stored {
                None => ruby_function_files(&module.directory).unwrap_or_default(),
                Some(stored) => {
                    let inside = |path: &String| {
                        Path::new(path).strip_prefix(&module.directory).ok()?.to_str().map(str::to_owned)
                    };
                    stored.keys().filter_map(inside).collect()
                }
            };
            for path in paths {
                if let Some(name) = ruby_function_name(&module.name, &path) {
                    let is_legacy = is_legacy(&path);
                    let function = || RubyFunction { module: module.name.clone(), path: path.into(), is_legacy };
                    functions.entry(name).or_insert_with(function).is_legacy |= is_legacy;
                }
            }
        }
        functions
    }

    /// Reads a file in the directory of a module.
    fn module_file(&self, module: &Module, path: &str) -> Result<Vec<u8>, EnvironmentError> {
        let full = module.directory.join(path);
        match &self.stored {
            Some(stored) => {
                let missing = || EnvironmentError::unreadable(&full, std::io::ErrorKind::NotFound.into());
                full.to_str().and_then(|path| stored.get(path)).cloned().ok_or_else(missing)
            }
            None => {
                self.ask(&full, Role::Instructions);
                read_inside(&module.directory, &full)
            }
        }
    }

    /// Returns the modules whose manifests were read, and all of them.
    pub(crate) fn into_modules(self) -> (BTreeSet<Arc<str>>, Vec<Module>) {
        (self.used.into_inner().unwrap_or_else(PoisonError::into_inner), self.modules)
    }

    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| &*module.name == name)
    }
}

impl Services for DiskServices {
    fn parse_epp(&self, file: FileId, text: &str) -> Result<Tree, Vec<Diagnostic>> {
        let (tree, diagnostics) = parse_text(file, text, Mode::Template, ValidationOptions::default());
        if has_errors(&diagnostics) { Err(diagnostics) } else { Ok(tree) }
    }

    fn manifest(&self, id: FileId, module: &str, path: &str) -> Option<Manifest> {
        let module = self.module(module)?;
        let full = module.directory.join(path);
        let name = name_of(&full, &self.base);
        match self.module_file(module, path) {
            Ok(bytes) => {
                self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(module.name.clone());
                let parsed = parse_file(id, &full, &name, bytes, self.validation);
                let ParsedFile { file, tree, diagnostics } = check_location(parsed, &module.name, path);
                Some(Manifest { file, tree: (!has_errors(&diagnostics)).then_some(tree), diagnostics })
            }
            Err(error) if error.is_missing() || full.is_dir() => None,
            Err(error) => {
                let file = SourceFile::new(name, "");
                Some(Manifest { file, tree: None, diagnostics: vec![error.diagnostic()] })
            }
        }
    }

    fn manifests_of(&self, module: &str) -> Vec<String> {
        let files = self.module(module).filter(|_| self.stored.is_none()).and_then(|module| module.manifests().ok());
        files.into_iter().flatten().map(|(_, inside)| inside).collect()
    }

    fn ruby_function(&self, name: &str) -> Option<RubyFunction> {
        self.ruby_functions.get_or_init(|| self.list_ruby_functions()).get(name).cloned()
    }

    fn ruby_fact(&self, name: &str) -> Option<RubyFact> {
        let facts = || ruby_facts(&self.modules, self.stored.as_ref());
        self.ruby_facts.get_or_init(facts).get(name).filter(|_| self.lack_ruby_facts).cloned()
    }

    fn ruby_function_arguments(&self, function: &RubyFunction) -> Option<(u32, Option<u32>)> {
        let bytes = self.module_file(self.module(&function.module)?, &function.path).ok()?;
        let read = pp_ruby_types::read_function(&bytes).ok()?;
        Some((read.least?, read.most))
    }

    fn ruby_source(&self, function: &RubyFunction) -> Result<String, Error> {
        let RubyFunction { module, path, .. } = function;
        let missing = || Error::new(ErrorKind::Evaluation, format!("there is no module {module}"));
        let bytes = self.module_file(self.module(module).ok_or_else(missing)?, path);
        let bytes = bytes.map_err(|error| Error::new(ErrorKind::Evaluation, error.diagnostic().message))?;
        let invalid = |_| Error::new(ErrorKind::Evaluation, format!("modules/{module}/{path} is not UTF-8"));
        String::from_utf8(bytes).map_err(invalid)
    }

    fn ruby_library(&self, path: &str) -> Option<String> {
        let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let path = format!("lib/{}.rb", path.strip_suffix(".rb").unwrap_or(path));
        let read = |module: &Module| String::from_utf8(self.module_file(module, &path).ok()?).ok();
        is_plain.then(|| self.modules.iter().find_map(read)).flatten()
    }

    fn ruby(&self) -> Option<&dyn Ruby> {
        self.ruby.as_ref().map(|ruby| ruby as &dyn Ruby)
    }

    fn has_module(&self, module: &str) -> bool {
        self.module(module).is_some()
    }

    fn absent_module(&self, module: &str) -> Option<String> {
        if self.stored.is_some() { None } else { absent_module(&self.modules, module) }
    }

    fn absent_dependencies(&self, module: &str) -> Vec<String> {
        if self.stored.is_some() { Vec::new() } else { absent_dependencies(&self.modules, module) }
    }

    fn find_file(&self, kind: FileKind, module: Option<&str>, path: &str) -> Option<Arc<str>> {
        let path = match module {
            Some(module) => {
                // A file of a module is inside it.
                if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
                    return None;
                }
                let folder = match kind {
                    FileKind::Files => "files",
                    FileKind::Templates => "templates",
                };
                let path = self.module(module)?.directory.join(folder).join(path);
                if let Some(stored) = &self.stored {
                    return path.to_str().filter(|path| stored.contains_key(*path)).map(Arc::from);
                }
                path
            }
            None => PathBuf::from(path),
        };
        self.ask(&path, Role::Input);
        let exists = self.described(&path).map_or_else(|| path.exists(), |described| described.is_some());
        if exists { path.to_str().map(Arc::from) } else { None }
    }

    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        if let Some(bytes) = self.stored.as_ref().and_then(|stored| stored.get(path)) {
            return Ok(bytes.as_slice().into());
        }
        let failed = |error: EnvironmentError| Error::new(ErrorKind::Evaluation, error.diagnostic().message);
        self.read(Path::new(path), Role::Input).map(Arc::from).map_err(failed)
    }

    fn module_directory(&self, module: &str) -> Option<Arc<str>> {
        self.module(module)?.directory.to_str().map(Arc::from)
    }

    fn data(&self) -> &dyn DataFiles {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_module_is_inside_it() {
        let root = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir_all(root.path().join("m/files")).expect("writable");
        std::fs::write(root.path().join("m/files/a"), "x").expect("writable");
        std::fs::write(root.path().join("secret"), "x").expect("writable");
        let services = DiskServices::new(None, vec![Module { name: "m".into(), directory: root.path().join("m") }]);
        let find = |path: &str| services.find_file(FileKind::Files, Some("m"), path).is_some();
        assert!(find("a"));
        assert!(!find("../../secret") && !find("b") && !find("/etc/passwd"));
        std::os::unix::fs::symlink(root.path().join("secret"), root.path().join("m/files/link")).expect("writable");
        let link = services.find_file(FileKind::Files, Some("m"), "link").expect("found");
        let error = Services::read_file(&services, &link).expect_err("outside");
        assert!(error.message.ends_with("is a symbolic link out of its module"), "{}", error.message);
        assert!(Services::read_file(&services, &link.replace("link", "a")).is_ok());
        let asked = services.dependencies();
        assert_eq!(asked, ["a", "b", "link"].map(|name| root.path().join("m/files").join(name)));
    }

    #[test]
    fn the_first_module_with_a_function_in_ruby_has_it() {
        let root = tempfile::tempdir().expect("a temporary directory");
        for path in
            ["a/lib/puppet/functions/f.rb", "b/lib/puppet/parser/functions/f.rb", "b/lib/puppet/functions/b/g.rb"]
        {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, "").expect("writable");
        }
        let module = |name: &str| Module { name: name.into(), directory: root.path().join(name) };
        let services = DiskServices::new(None, vec![module("a"), module("b")]);
        let module_of = |name: &str| services.ruby_function(name).map(|function| function.module.to_string());
        assert_eq!(module_of("f").as_deref(), Some("a"));
        assert_eq!(module_of("b::g").as_deref(), Some("b"));
        assert_eq!(module_of("g"), None);
        let is_legacy = |name: &str| services.ruby_function(name).is_some_and(|function| function.is_legacy);
        assert!(is_legacy("f") && !is_legacy("b::g"), "another module has `f` with the older interface");
    }
}
