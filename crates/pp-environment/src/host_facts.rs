//! The facts of this machine, as Puppet compiles with them: those of Facter, external ones, and its own (spec 07 §5.15).

use std::path::{Path, PathBuf};

use pp_facts::{
    EXTERNAL_DIRECTORIES, Executables, FactSet, Machine, environment_facts, external, gather, module_facts,
};
use pp_types::Value;

use crate::facts::Facts;
use crate::node::EMULATED_VERSION;

/// Where modules are that define facts.
#[derive(Clone, Copy, Debug)]
pub enum FactModules<'a> {
    /// In these directories of modules.
    In(&'a [PathBuf]),
    /// In an artifact, which does not hold the Ruby code that would define facts: whatever a module may define is there.
    Stored,
}

impl FactModules<'_> {
    fn define(&self, module: &str, file: &str) -> bool {
        match self {
            FactModules::In(directories) => {
                directories.iter().any(|directory| directory.join(module).join("lib/facter").join(file).is_file())
            }
            FactModules::Stored => true,
        }
    }
}

/// Returns the facts of this machine. Programs that print external facts are only started with [`Executables::Run`].
#[must_use]
pub fn host_facts(modules: FactModules<'_>, executables: Executables<'_>) -> Facts {
    let machine = Machine::local();
    let mut facts = gather(&machine);
    let of_modules = module_facts(&machine, &facts, &|module, file| modules.define(module, file));
    facts.extend(of_modules);
    let directories = EXTERNAL_DIRECTORIES.map(PathBuf::from);
    facts.extend(external(&directories, executables).facts);
    facts.extend(environment_facts());
    with_puppet_facts(facts)
}

/// Returns the facts of this machine for the environment at a path: its own modules count, too.
#[must_use]
pub fn host_facts_for(path: &Path, module_path: &[PathBuf], executables: Executables<'_>) -> Facts {
    if path.is_dir() || path.extension().is_some_and(|extension| extension == "pp") {
        let mut directories = module_path.to_vec();
        directories.push(path.join("modules"));
        host_facts(FactModules::In(&directories), executables)
    } else {
        host_facts(FactModules::Stored, executables)
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
    use super::*;

    #[test]
    fn puppet_adds_its_version_and_the_name_of_the_node() {
        let facts = host_facts(FactModules::In(&[]), Executables::Skip);
        let value = |name: &str| facts.values.get(&Value::from(name));
        assert_eq!(value("puppetversion"), Some(&Value::from(EMULATED_VERSION)));
        assert_eq!(value("clientcert"), facts.node.as_deref().map(Value::from).as_ref());
        assert_eq!(value("kernel"), Some(&Value::from("Linux")));
    }

    #[test]
    fn modules_define_facts() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let define =
            |path: &Path| host_facts_for(path, &[], Executables::Skip).values.contains_key(&Value::from("root_home"));
        assert!(!define(root.path()));
        let directory = root.path().join("modules/stdlib/lib/facter");
        std::fs::create_dir_all(&directory).expect("writable");
        std::fs::write(directory.join("root_home.rb"), "").expect("writable");
        assert!(define(root.path()));
        assert!(define(Path::new("site.bin")), "an artifact does not hold the Ruby code of modules");
    }
}
