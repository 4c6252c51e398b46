//! The facts of this machine, as Puppet compiles with them: those of Facter, external ones, and its own (spec 07 §5.15).

use std::path::{Path, PathBuf};

use pp_facts::{EXTERNAL_DIRECTORIES, Executables, FactSet, GROUPS, Machine, environment_facts, external, gather};
use pp_types::Value;

use crate::facts::Facts;
use crate::node::EMULATED_VERSION;

/// Returns the files that the facts of this machine are read from, and that change while it runs.
#[must_use]
pub fn host_fact_files() -> Vec<PathBuf> {
    let files = GROUPS.iter().flat_map(|group| group.files).map(|file| Path::new(*file));
    files.chain(EXTERNAL_DIRECTORIES.iter().map(Path::new)).map(Path::to_owned).collect()
}

/// Returns the facts of this machine. Programs that print external facts are only started with `Executables::Run`.
#[must_use]
pub fn host_facts(executables: Executables<'_>) -> Facts {
    let mut facts = gather(&Machine::local());
    let directories = EXTERNAL_DIRECTORIES.map(PathBuf::from);
    facts.extend(external(&directories, executables).facts);
    facts.extend(environment_facts());
    with_puppet_facts(facts)
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
        let facts = host_facts(Executables::Skip);
        let value = |name: &str| facts.values.get(&Value::from(name));
        assert_eq!(value("puppetversion"), Some(&Value::from(EMULATED_VERSION)));
        assert_eq!(value("clientcert"), facts.node.as_deref().map(Value::from).as_ref());
        assert_eq!(value("kernel"), Some(&Value::from("Linux")));
    }
}
