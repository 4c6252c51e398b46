//! The resource types of modules, whose Ruby source is read when a type is used (spec 09 §7).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pp_resource_types::{KnownTypes, ReadType};
use pp_ruby_types::{TypeSource, read_type};

use crate::compile::is_environment_path;
use crate::find::{Input, Module, files_below, find, modules_in};
use crate::read::read_inside;

/// Returns the types that a program or catalog at a path can use: those of Puppet itself, and those of the modules of its
/// environment and of the module path. What cannot be read is not known.
#[must_use]
pub fn resource_types(path: &Path, module_path: &[PathBuf]) -> KnownTypes {
    let of_environment = || find(&Input::of_path(path).ok()?, module_path).ok().map(|layout| layout.modules);
    let modules = if is_environment_path(path) { of_environment() } else { None };
    module_types(modules.or_else(|| modules_in(module_path).ok()).unwrap_or_default())
}

/// Returns the types of Puppet itself, and those of modules.
fn module_types(modules: Vec<Module>) -> KnownTypes {
    let mut types = KnownTypes::core();
    let modules: Arc<[Module]> = modules.into();
    for (index, module) in modules.iter().enumerate() {
        types.add_module(&module.name);
        for file in files_below(&module.directory.join("lib/puppet/type"), Some("rb")).unwrap_or_default() {
            let name = file.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
            let Some(name) = name.filter(|_| file.parent().is_some_and(|parent| parent.ends_with("puppet/type")))
            else {
                continue;
            };
            let (modules, of) = (Arc::clone(&modules), name.clone());
            types.add_source(&name, Arc::new(move || read(&modules, index, &of, &file)));
        }
    }
    types
}

fn read(modules: &[Module], index: usize, name: &str, file: &Path) -> Option<ReadType> {
    let module = &modules[index];
    let bytes = read_inside(&module.directory, file).ok()?;
    let mut providers = Vec::new();
    for module in modules {
        let files = files_below(&module.directory.join("lib/puppet/provider").join(name), Some("rb"));
        providers.extend(files.unwrap_or_default().iter().filter_map(|file| read_inside(&module.directory, file).ok()));
    }
    let library = |path: &str| {
        let inside = |module: &Module| read_inside(&module.directory, &module.directory.join("lib").join(path)).ok();
        modules.iter().find_map(inside)
    };
    let source = TypeSource { name, module: &module.name, bytes: &bytes, providers: &providers, library: &library };
    read_type(&source).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn types_of_modules_are_read_with_their_providers() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "mine/lib/puppet/type/mine_config.rb",
            "Puppet::Type.newtype(:mine_config) do\n  ensurable\n  newparam(:name, :namevar => true)\n  newproperty(:value)\nend\n",
        );
        write(
            "mine/lib/puppet/provider/mine_config/ini_setting.rb",
            "Puppet::Type.type(:mine_config).provide(:ini_setting,\n  :parent => Puppet::Type.type(:ini_setting).provider(:ruby)) do\n\
             def self.file_path\n    '/etc/mine.conf'\n  end\nend\n",
        );
        write("mine/lib/puppet/type/broken.rb", "Puppet::Type.newtype(");
        let types = resource_types(&root.path().join("catalog.json"), &[root.path().to_owned()]);
        let read = types.find("Mine_config").unwrap().read().unwrap();
        assert!(read.has_parameter("value"));
        assert_eq!(read.ini.as_ref().and_then(|ini| ini.path.as_deref()), Some("/etc/mine.conf"));
        assert!(types.find("broken").unwrap().read().is_none());
        assert!(types.find("other").is_none());
    }
}
