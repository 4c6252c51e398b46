//! The facts of this machine, as Puppet compiles with them: those of Facter, external ones, and its own (spec 07 §5.15).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_facts::{
    External, FactSet, Group, Machine, Reader, environment_facts, external, external_directories, gather, module_facts,
    refresh,
};
use pp_types::Value;

use crate::facts::Facts;
use crate::find::{Input, Module, find, modules_in};
use crate::node::EMULATED_VERSION;
use crate::stored::{FACTS, StoredEnvironment};

/// Where modules are that define facts.
#[derive(Clone, Debug)]
pub enum FactModules {
    /// In these directories.
    In(Vec<Module>),
    /// In an artifact, which does not hold the Ruby code that would define facts: whatever a module may define is there. It
    /// holds files of external facts, by their paths: those of the first module are the last.
    Stored(Arc<[(String, Vec<u8>)]>),
}

impl FactModules {
    /// Returns the modules of the environment at a path, and of a module path.
    #[must_use]
    pub fn of_path(path: &Path, module_path: &[PathBuf]) -> FactModules {
        if !path.is_dir() && path.extension().is_none_or(|extension| extension != "pp") {
            // What is wrong with the artifact is reported when it is evaluated.
            return FactModules::Stored(StoredEnvironment::fact_files_of(path).unwrap_or_default().into());
        }
        // What is wrong with the environment is reported when it is compiled.
        let modules = Input::of_path(path).and_then(|input| Ok(find(&input, module_path)?.modules));
        FactModules::In(modules.or_else(|_| modules_in(module_path)).unwrap_or_default())
    }

    fn define(&self, module: &str, file: &str) -> bool {
        match self {
            FactModules::In(modules) => {
                let directory = modules.iter().find(|known| *known.name == *module).map(|known| &known.directory);
                directory.is_some_and(|directory| directory.join("lib/facter").join(file).is_file())
            }
            FactModules::Stored(_) => true,
        }
    }

    /// Adds the external facts of an artifact.
    fn add_stored(&self, external: External) -> External {
        match self {
            FactModules::In(_) => external,
            FactModules::Stored(files) => {
                external.with_documents(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())))
            }
        }
    }

    /// Returns the directories of external facts: those of the machine, whose facts win, and those of modules.
    fn external_directories(&self, machine: &Machine) -> Vec<PathBuf> {
        let mut directories = external_directories(&machine.process);
        if let FactModules::In(modules) = self {
            directories.extend(modules.iter().map(|module| module.directory.join(FACTS)).filter(|path| path.is_dir()));
        }
        directories
    }
}

/// The facts of this machine, by where they come from.
#[derive(Clone, Debug)]
pub struct HostFacts {
    modules: FactModules,
    native: FactSet,
    external: External,
    /// The directories of external facts.
    directories: Vec<PathBuf>,
}

impl HostFacts {
    /// Gathers the facts. External facts that cannot be read are those of `previous`.
    #[must_use]
    pub fn gather(modules: FactModules, reader: Reader<'_>, previous: Option<&HostFacts>) -> HostFacts {
        let machine = Machine::local();
        let directories = modules.external_directories(&machine);
        let nothing = External::default();
        let external = external(&directories, reader, previous.map_or(&nothing, |previous| &previous.external));
        HostFacts { external: modules.add_stored(external), modules, native: gather(&machine), directories }
    }

    /// Returns the facts with those of some groups gathered anew, and with external facts read anew if there is a reader.
    #[must_use]
    pub fn refreshed(&self, wanted: impl Fn(&Group) -> bool, reader: Option<Reader<'_>>) -> HostFacts {
        let mut facts = self.clone();
        refresh(&mut facts.native, &Machine::local(), wanted);
        if let Some(reader) = reader {
            facts.external = self.modules.add_stored(external(&self.directories, reader, &self.external));
        }
        facts
    }

    /// Returns the facts, those that Puppet itself adds included.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut facts = self.native.clone();
        let machine = Machine::local();
        facts.extend(module_facts(&machine, &self.native, &|module, file| self.modules.define(module, file)));
        facts.extend(self.external.facts());
        facts.extend(environment_facts());
        with_puppet_facts(facts)
    }

    /// Returns warnings of external facts that could not be read.
    #[must_use]
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let warning = |text: &String| Diagnostic::warning(Code::P0709, Stage::Puppet, text.clone());
        self.external.warnings.iter().map(warning).collect()
    }

    /// Returns the directories of external facts.
    pub(crate) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Whether a program printed a fact with this name.
    pub(crate) fn is_printed(&self, name: &str) -> bool {
        self.external.is_printed(name)
    }
}

/// Adds the facts that Puppet itself adds.
fn with_puppet_facts(facts: FactSet) -> Facts {
    let node = match facts.find("networking.fqdn") {
        Some(Value::String(name)) => name.to_lowercase(),
        _ => "localhost".to_owned(),
    };
    let mut values = facts.into_hash();
    let own = [
        ("clientcert", Value::from(&*node)),
        ("clientnoop", Value::Boolean(false)),
        ("clientversion", Value::from(EMULATED_VERSION)),
        ("puppetversion", Value::from(EMULATED_VERSION)),
    ];
    values.extend(own.map(|(name, value)| (Value::from(name), value)));
    Facts { node: Some(node.into()), values }
}

#[cfg(test)]
mod tests {
    use pp_functions::Strict;

    use super::*;
    use crate::compile::load_path;

    fn of(path: &Path) -> Facts {
        HostFacts::gather(FactModules::of_path(path, &[]), Reader::DATA, None).facts()
    }

    #[test]
    fn puppet_adds_its_version_and_the_name_of_the_node() {
        let facts = HostFacts::gather(FactModules::In(Vec::new()), Reader::DATA, None).facts();
        let value = |name: &str| facts.values.get(&Value::from(name));
        assert_eq!(value("puppetversion"), Some(&Value::from(EMULATED_VERSION)));
        assert_eq!(value("clientcert"), facts.node.as_deref().map(Value::from).as_ref());
        assert_eq!(value("kernel"), Some(&Value::from("Linux")));
    }

    #[test]
    fn modules_define_facts() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let define = |path: &Path| of(path).values.contains_key(&Value::from("root_home"));
        std::fs::create_dir_all(root.path().join("manifests")).expect("writable");
        assert!(!define(root.path()));
        // Where `environment.conf` says.
        std::fs::write(root.path().join("environment.conf"), "modulepath = site\n").expect("writable");
        let directory = root.path().join("site/stdlib/lib/facter");
        std::fs::create_dir_all(&directory).expect("writable");
        std::fs::write(directory.join("root_home.rb"), "").expect("writable");
        assert!(define(root.path()));
        assert!(define(Path::new("site.bin")), "an artifact does not hold the Ruby code of modules");
    }

    #[test]
    fn modules_have_external_facts() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let directory = root.path().join("modules/web/facts.d");
        std::fs::create_dir_all(&directory).expect("writable");
        std::fs::write(directory.join("web.txt"), "web_of_module=1\n").expect("writable");
        std::fs::write(directory.join("broken.json"), "{").expect("writable");
        let facts = HostFacts::gather(FactModules::of_path(root.path(), &[]), Reader::DATA, None);
        assert_eq!(facts.facts().values.get(&Value::from("web_of_module")), Some(&Value::from("1")));
        assert_eq!(facts.warnings().len(), 1, "{:?}", facts.warnings());
        std::fs::write(directory.join("web.txt"), "web_of_module=2\n").expect("writable");
        let value = |facts: &HostFacts| facts.facts().values.get(&Value::from("web_of_module")).cloned();
        assert_eq!(value(&facts.refreshed(|_| true, None)), Some(Value::from("1")));
        assert_eq!(value(&facts.refreshed(|_| false, Some(Reader::DATA))), Some(Value::from("2")));
        // So has an artifact.
        let artifact = root.path().join("site.bin");
        let (_, loaded) = load_path(root.path(), &[], Strict::Warning).expect("readable");
        std::fs::write(&artifact, StoredEnvironment::new(loaded).expect("readable").write()).expect("writable");
        let stored = HostFacts::gather(FactModules::of_path(&artifact, &[]), Reader::DATA, None);
        assert_eq!(value(&stored), Some(Value::from("2")));
        assert_eq!(value(&stored.refreshed(|_| false, Some(Reader::DATA))), Some(Value::from("2")));
        assert_eq!(stored.warnings().len(), 1, "{:?}", stored.warnings());
        assert!(stored.warnings()[0].message.contains("modules/web/facts.d/broken.json"), "{:?}", stored.warnings());
    }
}
