//! The definitions that a file can use: where Puppet would look for them, in texts that are at hand or in files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mcl_diagnostics::FileId;
use pp_ast::Tree;
use pp_environment::{ModuleScope, ModuleScopes};
use pp_lint::{Definitions, Found, Interface, interfaces};
use rustc_hash::FxHashMap;

use crate::analyze::{has_errors, parse};

/// What a file defines; `None` for a file with errors, of which not everything is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDefinitions(Option<FxHashMap<String, Arc<Interface>>>);

impl FileDefinitions {
    /// Returns what a parsed text defines.
    #[must_use]
    pub fn new(tree: &Tree, text: &str, is_broken: bool) -> FileDefinitions {
        FileDefinitions((!is_broken).then(|| interfaces(tree, text).into_iter().collect()))
    }
}

/// What was read from disk. It may be kept until files change.
#[derive(Debug, Default)]
pub struct Disk {
    scopes: Mutex<ModuleScopes>,
    files: Mutex<FxHashMap<PathBuf, Option<Arc<FileDefinitions>>>>,
}

/// The definitions of a set of texts, and of the files of the modules that they use.
#[derive(Debug)]
pub struct Library<'a> {
    texts: &'a FxHashMap<PathBuf, Arc<FileDefinitions>>,
    module_path: &'a [PathBuf],
    disk: &'a Disk,
    /// The names that the manifests of a module stand for, by its directory.
    names: Mutex<FxHashMap<PathBuf, Arc<[String]>>>,
    /// What the main manifests of an environment define, by the first of them.
    main: Mutex<FxHashMap<PathBuf, Arc<FileDefinitions>>>,
}

impl<'a> Library<'a> {
    /// Creates a library of texts: what they define, by their absolute paths, which counts instead of the files there.
    /// `module_path` are directories with modules for all files. What was read from disk is kept there.
    #[must_use]
    pub fn new(
        texts: &'a FxHashMap<PathBuf, Arc<FileDefinitions>>,
        module_path: &'a [PathBuf],
        disk: &'a Disk,
    ) -> Library<'a> {
        Library { texts, module_path, disk, names: Mutex::default(), main: Mutex::default() }
    }

    /// Returns the definitions that the code of a file can use. The path must be absolute.
    #[must_use]
    pub fn of_file(&'a self, path: &'a Path) -> Scope<'a> {
        let modules = lock(&self.disk.scopes).of(path, self.module_path);
        Scope { library: self, path, modules, asked: RefCell::default() }
    }

    /// Returns the names that the manifests of a module stand for, sorted.
    fn names(&self, module: &str, directory: &Path) -> Arc<[String]> {
        if let Some(known) = lock(&self.names).get(directory) {
            return Arc::clone(known);
        }
        let mut names = pp_environment::names_of_manifests(module, directory);
        let in_texts = self.texts.keys().filter(|path| path.starts_with(directory));
        names.extend(in_texts.filter_map(|path| pp_environment::autoload_name(path)));
        names.sort_unstable();
        names.dedup();
        let names: Arc<[String]> = names.into();
        lock(&self.names).insert(directory.to_owned(), Arc::clone(&names));
        names
    }

    /// Returns what the main manifests of an environment define together.
    fn main(&self, manifests: &[PathBuf]) -> Option<Arc<FileDefinitions>> {
        let first = manifests.first()?;
        if let Some(known) = lock(&self.main).get(first) {
            return Some(Arc::clone(known));
        }
        let files: Vec<Arc<FileDefinitions>> = manifests.iter().filter_map(|path| self.file(path)).collect();
        let all: Option<Vec<_>> = files.iter().map(|file| file.0.as_ref()).collect();
        let merged = all.map(|all| {
            let entries = all.into_iter().flatten();
            entries.map(|(name, interface)| (name.clone(), Arc::clone(interface))).collect()
        });
        let merged = Arc::new(FileDefinitions(merged));
        lock(&self.main).insert(first.clone(), Arc::clone(&merged));
        Some(merged)
    }

    /// Returns what a file defines; `None` if there is no such file.
    fn file(&self, path: &Path) -> Option<Arc<FileDefinitions>> {
        if let Some(definitions) = self.texts.get(path) {
            return Some(Arc::clone(definitions));
        }
        let known = lock(&self.disk.files).get(path).cloned();
        known.unwrap_or_else(|| {
            let read = path.exists().then(|| {
                let text = pp_environment::read_code(path);
                let definitions = text.map_or(FileDefinitions(None), |text| {
                    let (tree, diagnostics) = parse(path, FileId::MAIN, &text);
                    FileDefinitions::new(&tree, &text, has_errors(&diagnostics))
                });
                Arc::new(definitions)
            });
            lock(&self.disk.files).insert(path.to_owned(), read.clone());
            read
        })
    }
}

/// The definitions that the code of one file can use.
#[derive(Debug)]
pub struct Scope<'a> {
    library: &'a Library<'a>,
    path: &'a Path,
    modules: Arc<ModuleScope>,
    asked: RefCell<FxHashMap<String, Found>>,
}

impl Scope<'_> {
    /// Returns what was asked, with the answers.
    #[must_use]
    pub fn into_asked(self) -> FxHashMap<String, Found> {
        self.asked.into_inner()
    }

    /// Looks in the file itself, in the files of the module that may define the name, and in the main manifests.
    fn look_up(&self, name: &str) -> Found {
        // A name becomes a part of a path.
        if !name.split("::").all(is_word) {
            return Found::Unknown;
        }
        let (module, inside) = name.split_once("::").unwrap_or((name, ""));
        let module = module.to_lowercase();
        let directory = self.modules.module(&module);
        let in_module = directory.iter().flat_map(|directory| files_for(directory, name, inside));
        let files = std::iter::once(self.path.to_owned()).chain(in_module);
        let mut definitions = files
            .filter_map(|file| self.library.file(&file))
            .chain(std::iter::once_with(|| self.library.main(&self.modules.environment.main_manifests)).flatten());
        let found = definitions.find_map(|definitions| match &definitions.0 {
            None => Some(Found::Unknown),
            Some(interfaces) => Some(Found::Known(Arc::clone(interfaces.get(name)?))),
        });
        match (found, directory) {
            (Some(found), _) => found,
            (None, Some(directory)) => self.absent(name, self.library.names(&module, directory), directory),
            (None, None) => Found::Unknown,
        }
    }

    /// Returns what is known of a name that is not found where Puppet looks for it. A file may also define names that only start
    /// with its own, which are there if the file was loaded before.
    fn absent(&self, name: &str, names: Arc<[String]>, module: &Path) -> Found {
        let may_define = |file: &&String| name.starts_with(file.as_str()) && **file != name;
        let defines = |file: &String| {
            let inside = file.split_once("::").map_or("init", |(_, inside)| inside);
            let definitions = self.library.file(&file_for(module, "manifests", inside));
            definitions.is_some_and(|definitions| match &definitions.0 {
                None => true,
                Some(interfaces) => interfaces.contains_key(name),
            })
        };
        if names.iter().filter(may_define).any(defines) { Found::Unknown } else { Found::Absent(names) }
    }
}

impl Definitions for Scope<'_> {
    fn find(&self, name: &str) -> Found {
        if let Some(found) = self.asked.borrow().get(name) {
            return found.clone();
        }
        let found = self.look_up(name);
        self.asked.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

fn is_word(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the files of a module that may define a name, in the order in which Puppet loads them.
fn files_for(module: &Path, name: &str, inside: &str) -> Vec<PathBuf> {
    if name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return vec![file_for(module, "types", &inside.to_lowercase())];
    }
    let mut files = vec![file_for(module, "manifests", "init")];
    let mut rest = inside;
    while !rest.is_empty() {
        files.push(file_for(module, "manifests", rest));
        rest = rest.rsplit_once("::").map_or("", |(outer, _)| outer);
    }
    files
}

/// Returns the file for a name in a module.
fn file_for(module: &Path, folder: &str, inside: &str) -> PathBuf {
    module.join(folder).join(format!("{}.pp", inside.replace("::", "/")))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use test_support::Scratch;

    use super::*;

    /// The files of an environment, and texts that are not saved.
    struct World {
        scratch: Scratch,
        disk: Disk,
        texts: FxHashMap<PathBuf, Arc<FileDefinitions>>,
    }

    impl World {
        fn new(files: &[(&str, &str)]) -> World {
            let scratch = Scratch::with_files(files.iter().copied());
            World { scratch, disk: Disk::default(), texts: FxHashMap::default() }
        }

        fn set_text(&mut self, file: &str, text: &str) {
            let path = self.scratch.path(file);
            let (tree, diagnostics) = parse(&path, FileId::MAIN, text);
            let definitions = FileDefinitions::new(&tree, text, has_errors(&diagnostics));
            self.texts.insert(path, Arc::new(definitions));
        }

        fn find(&self, from: &str, name: &str) -> Found {
            let library = Library::new(&self.texts, &[], &self.disk);
            library.of_file(&self.scratch.path(from)).find(name)
        }

        /// Returns the kind of a definition with the names of its parameters, or what else was found.
        fn shown(&self, from: &str, name: &str) -> String {
            let shown = |kind: &str, parameters: &[pp_lint::InterfaceParameter]| {
                let names = parameters.iter().map(|parameter| format!(" {}", parameter.name));
                format!("{kind}{}", names.collect::<String>())
            };
            match self.find(from, name) {
                Found::Unknown => "unknown".to_owned(),
                Found::Absent(names) => format!("absent from {}", names.join(" ")),
                Found::Known(interface) => match &*interface {
                    Interface::Class(parameters) => shown("class", parameters),
                    Interface::Define(parameters) => shown("define", parameters),
                    Interface::TypeAlias(text) => text.to_string(),
                },
            }
        }
    }

    const SITE: &str = "manifests/site.pp";

    #[test]
    fn names_are_found_where_puppet_looks_for_them() {
        let world = World::new(&[
            (SITE, "class mine($m) {}\nclass web::in_site {}\n"),
            ("modules/web/manifests/init.pp", "class web($a) {}\nclass web::inline($i) {}\n"),
            ("modules/web/manifests/site/tls.pp", "define web::site::tls($t) {}\n"),
            ("modules/web/manifests/site.pp", "class web::site { class inner($n) {} }\ndefine web::sites {}\n"),
            ("modules/web/types/port.pp", "type Web::Port = Integer[1, 65535]\n"),
            ("modules/only_data/data/common.yaml", ""),
        ]);
        let from_site = |name: &str| world.shown(SITE, name);
        assert_eq!(from_site("mine"), "class m");
        assert_eq!(from_site("web"), "class a");
        assert_eq!(from_site("web::inline"), "class i");
        assert_eq!(from_site("web::site::tls"), "define t");
        assert_eq!(from_site("web::site::inner"), "class n");
        assert_eq!(from_site("web::in_site"), "class");
        assert_eq!(from_site("Web::Port"), "Integer[1, 65535]");
        assert_eq!(from_site("web::other"), "absent from web web::site web::site::tls");
        // It is there if `web::site` was used before.
        assert_eq!(from_site("web::sites"), "unknown");
        for name in [
            "nowhere",
            "nowhere::a",
            "Nowhere::A",
            "only_data",
            "only_data::a",
            "",
            "::",
            "../web",
            "web::../x",
            "web::/etc/x",
        ] {
            assert_eq!(from_site(name), "unknown", "{name}");
        }
        assert_eq!(world.shown("modules/web/manifests/site/tls.pp", "web::inline"), "class i");
    }

    #[test]
    fn texts_count_instead_of_files() {
        let mut world = World::new(&[(SITE, ""), ("modules/web/manifests/init.pp", "class web($old) {}\n")]);
        assert_eq!(world.shown(SITE, "web"), "class old");
        world.set_text("modules/web/manifests/init.pp", "class web($new) {}\n");
        world.set_text("modules/web/manifests/unsaved.pp", "class web::unsaved {}\n");
        assert_eq!(world.shown(SITE, "web"), "class new");
        assert_eq!(world.shown(SITE, "web::unsaved"), "class");
        assert_eq!(world.shown(SITE, "web::other"), "absent from web web::unsaved");
    }

    #[test]
    fn nothing_is_known_of_what_a_file_with_errors_may_define() {
        let mut world = World::new(&[
            (SITE, ""),
            ("modules/web/manifests/init.pp", "class web {\n"),
            ("modules/ntp/manifests/init.pp", "class ntp {}\n"),
        ]);
        world.scratch.write("modules/ntp/manifests/binary.pp", b"\xff");
        for name in ["web", "web::a", "ntp::binary", "ntp::binary::a"] {
            assert_eq!(world.find(SITE, name), Found::Unknown, "{name}");
        }
        assert_eq!(world.shown(SITE, "ntp::other"), "absent from ntp ntp::binary");
        world.set_text("modules/web/manifests/init.pp", "class web {}\n");
        assert_eq!(world.shown(SITE, "web"), "class");
        world.set_text("modules/ntp/manifests/init.pp", "class ntp {\n");
        assert_eq!(world.find(SITE, "ntp::other"), Found::Unknown);
    }

    #[test]
    fn what_was_asked_is_known_with_the_answers() {
        let world = World::new(&[(SITE, ""), ("modules/web/manifests/init.pp", "class web {}\n")]);
        let library = Library::new(&world.texts, &[], &world.disk);
        let path = world.scratch.path(SITE);
        let scope = library.of_file(&path);
        let answers = ["web", "web", "nowhere"].map(|name| scope.find(name));
        let asked = scope.into_asked();
        assert_eq!((asked.len(), &asked["web"], &asked["nowhere"]), (2, &answers[0], &Found::Unknown));
    }
}
