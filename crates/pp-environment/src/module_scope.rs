//! Which modules the code of a file can use, as far as the place of the file tells.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::autoload::MODULE_DIRECTORIES;
use crate::find::{Input, Module, files_below, find, modules_in, root_of};
use crate::metadata::{ForgeName, METADATA, Metadata};
use crate::read::read_inside;
use crate::settings::ENVIRONMENT_CONF;

/// Finds the modules that files can use. What was read once is not read again.
#[derive(Debug, Default)]
pub struct ModuleScopes {
    /// By the directory of a file.
    scopes: FxHashMap<PathBuf, Arc<ModuleScope>>,
    /// By the directory of an environment.
    environments: FxHashMap<PathBuf, Arc<EnvironmentModules>>,
    /// By their directories, where there is no environment.
    modules: FxHashMap<Vec<PathBuf>, Arc<EnvironmentModules>>,
}

/// The module that a file belongs to, and the others that its code can use.
#[derive(Debug)]
pub struct ModuleScope {
    own: Option<(String, PathBuf)>,
    /// The environment.
    pub environment: Arc<EnvironmentModules>,
}

/// The modules of an environment, and what is evaluated before them.
#[derive(Debug, Default)]
pub struct EnvironmentModules {
    module_path: Vec<PathBuf>,
    modules: FxHashMap<Arc<str>, PathBuf>,
    /// The main manifests.
    pub main_manifests: Vec<PathBuf>,
}

impl ModuleScopes {
    /// Returns the modules that the code of a file can use: its own, those of the environment that it is in, and those in `base`,
    /// which is the same in all calls. What cannot be read has no modules. The path must be absolute.
    pub fn of(&mut self, path: &Path, base: &[PathBuf]) -> Arc<ModuleScope> {
        let directory = path.parent().unwrap_or(path);
        if let Some(known) = self.scopes.get(directory) {
            return Arc::clone(known);
        }
        let scope = Arc::new(self.find(path, base));
        self.scopes.insert(directory.to_owned(), Arc::clone(&scope));
        scope
    }

    fn find(&mut self, path: &Path, base: &[PathBuf]) -> ModuleScope {
        let Some(root) = root_of(path) else {
            return ModuleScope { own: None, environment: self.modules_of(base.to_vec()) };
        };
        if is_environment(root) {
            return ModuleScope { own: None, environment: self.environment(root, base) };
        }
        let own = module_name(root).map(|name| (name, root.to_owned()));
        let Some(modules) = root.parent() else {
            return ModuleScope { own, environment: self.modules_of(base.to_vec()) };
        };
        let environment = modules.parent().map(|environment| self.environment(environment, base));
        let is_part = |environment: &Arc<EnvironmentModules>| environment.module_path.iter().any(|it| it == modules);
        let has_name = modules.file_name().is_some_and(|name| MODULE_DIRECTORIES.iter().any(|it| name == *it));
        let environment = environment.filter(is_part).unwrap_or_else(|| {
            let directories = has_name.then(|| modules.to_owned()).into_iter().chain(base.iter().cloned());
            self.modules_of(directories.collect())
        });
        ModuleScope { own, environment }
    }

    fn environment(&mut self, root: &Path, base: &[PathBuf]) -> Arc<EnvironmentModules> {
        let known = self.environments.entry(root.to_owned()).or_insert_with(|| {
            let layout = find(&Input::Environment(root.to_owned()), base).unwrap_or_default();
            Arc::new(EnvironmentModules::new(layout.module_path, layout.modules, layout.manifests))
        });
        Arc::clone(known)
    }

    fn modules_of(&mut self, directories: Vec<PathBuf>) -> Arc<EnvironmentModules> {
        let known = self.modules.entry(directories.clone()).or_insert_with(|| {
            let modules = modules_in(&directories).unwrap_or_default();
            Arc::new(EnvironmentModules::new(directories, modules, Vec::new()))
        });
        Arc::clone(known)
    }
}

impl EnvironmentModules {
    fn new(module_path: Vec<PathBuf>, modules: Vec<Module>, main_manifests: Vec<PathBuf>) -> EnvironmentModules {
        let with_code = modules.into_iter().filter(|module| has_code(&module.directory));
        let modules = with_code.map(|module| (module.name, module.directory)).collect();
        EnvironmentModules { module_path, modules, main_manifests }
    }
}

impl ModuleScope {
    /// Returns the directory of a module, if it is there and has manifests or types.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Path> {
        let own = self.own.as_ref().filter(|(own, _)| own == name).map(|(_, directory)| directory);
        own.or_else(|| self.environment.modules.get(name)).map(PathBuf::as_path)
    }
}

/// Whether a module has definitions: the directory of one that was not fetched may be empty.
fn has_code(module: &Path) -> bool {
    ["manifests", "types"].iter().any(|folder| module.join(folder).is_dir())
}

/// Lists the manifests of a module, with the names that they stand for.
#[must_use]
pub fn names_of_manifests(module: &str, directory: &Path) -> Vec<String> {
    let manifests = directory.join("manifests");
    let files = files_below(&manifests, Some("pp")).unwrap_or_default();
    let inside = files.iter().filter_map(|path| path.strip_prefix(directory).ok()?.to_str());
    inside.filter_map(|inside| pp_evaluator::name_of_manifest(module, inside)).collect()
}

fn is_environment(directory: &Path) -> bool {
    directory.join(ENVIRONMENT_CONF).is_file() || directory.join("modules").is_dir()
}

/// Returns the name of the module in a directory. The directory of a working copy may have any name.
fn module_name(directory: &Path) -> Option<String> {
    let text = read_inside(directory, &directory.join(METADATA)).ok();
    let metadata = text.and_then(|bytes| Metadata::parse(&String::from_utf8_lossy(&bytes)).ok());
    let directory = directory.file_name()?.to_str()?;
    let of_directory = || ForgeName::parse(directory).map_or_else(|| directory.to_owned(), |full| full.module);
    Some(metadata.and_then(|metadata| metadata.name).map_or_else(of_directory, |full| full.module))
}

#[cfg(test)]
mod tests {
    use test_support::Scratch;

    use super::*;

    /// Returns the directory of a module as the code of a file finds it, relative to the root.
    fn module(root: &Path, file: &str, name: &str) -> Option<String> {
        let scope = ModuleScopes::default().of(&root.join(file), &[root.join("base")]);
        let found = scope.module(name)?;
        Some(found.strip_prefix(root).expect("inside").to_str().expect("UTF-8").to_owned())
    }

    #[test]
    fn modules_are_those_of_the_environment() {
        let root = Scratch::with_files([
            ("e/environment.conf", "modulepath = site:modules\n"),
            ("e/manifests/site.pp", ""),
            ("e/site/web/manifests/init.pp", ""),
            ("e/modules/web/manifests/init.pp", ""),
            ("e/modules/ntp/manifests/init.pp", ""),
            ("e/modules/data_only/data/common.yaml", ""),
            ("base/more/types/a.pp", ""),
        ]);
        for file in ["e/manifests/site.pp", "e/site/web/manifests/init.pp", "e/modules/ntp/manifests/server.pp"] {
            let module = |name: &str| module(root.dir(), file, name);
            assert_eq!(module("ntp").as_deref(), Some("e/modules/ntp"), "{file}");
            assert_eq!(module("web").as_deref(), Some("e/site/web"), "{file}");
            assert_eq!(module("more").as_deref(), Some("base/more"), "{file}");
            assert_eq!((module("data_only"), module("other"), module("../e")), (None, None, None), "{file}");
        }
    }

    #[test]
    fn directories_of_modules_need_no_environment() {
        let root = Scratch::with_files([("modules/a/manifests/init.pp", ""), ("modules/b/manifests/init.pp", "")]);
        assert_eq!(module(root.dir(), "modules/a/manifests/init.pp", "b").as_deref(), Some("modules/b"));
        assert_eq!(module(root.dir(), "loose.pp", "b"), None);
    }

    #[test]
    fn a_working_copy_has_the_name_in_its_metadata_and_knows_no_other_module() {
        let root = Scratch::with_files([
            ("src/puppet-web/metadata.json", r#"{"name": "me-web"}"#),
            ("src/puppet-web/manifests/init.pp", ""),
            ("src/me-plain/manifests/init.pp", ""),
            ("src/other/manifests/init.pp", ""),
        ]);
        let web = |name: &str| module(root.dir(), "src/puppet-web/manifests/init.pp", name);
        assert_eq!(web("web").as_deref(), Some("src/puppet-web"));
        assert_eq!(web("other"), None);
        let plain = module(root.dir(), "src/me-plain/manifests/init.pp", "plain");
        assert_eq!(plain.as_deref(), Some("src/me-plain"));
    }

    #[test]
    fn manifests_stand_for_names() {
        let root = Scratch::with_files([("web/manifests/init.pp", ""), ("web/manifests/site/tls.pp", "")]);
        assert_eq!(names_of_manifests("web", &root.path("web")), ["web", "web::site::tls"]);
    }
}
