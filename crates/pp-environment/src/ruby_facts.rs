//! Which facts the modules define in Ruby, for messages about those that are missing (spec 09 §10).

use std::collections::BTreeMap;
use std::path::Path;

use pp_evaluator::RubyFact;
use pp_facts::{RubyFactFile, ruby_fact_files};
use pp_types::{Hash, Value};

use crate::find::{Module, StoredFiles};

/// Whether facts are those of a machine without Ruby. Facter always adds the version of its Ruby, and then its facts are complete.
pub(crate) fn lack_ruby(facts: &Hash) -> bool {
    !["ruby", "rubyversion"].iter().any(|name| facts.contains_key(&Value::from(*name)))
}

/// Returns the facts of modules by their names. The first module of a name has it.
pub(crate) fn ruby_facts(modules: &[Module], stored: Option<&StoredFiles>) -> BTreeMap<String, RubyFact> {
    let mut facts = BTreeMap::new();
    for module in modules {
        let files = match stored {
            None => ruby_fact_files(&module.name, &module.directory),
            Some(stored) => stored_files(&module.directory, stored),
        };
        for RubyFactFile { path, facts: names } in files {
            for name in names {
                let fact = || RubyFact { module: module.name.clone(), path: path.as_str().into() };
                facts.entry(name).or_insert_with(fact);
            }
        }
    }
    facts
}

/// Returns what an artifact holds of the files of a module that define facts: their paths, with the names of the facts as content.
pub(crate) fn files_to_store(module: &Module) -> impl Iterator<Item = (String, Vec<u8>)> {
    let files = ruby_fact_files(&module.name, &module.directory).into_iter();
    files.map(|file| (file.path, file.facts.join("\n").into_bytes()))
}

fn stored_files(directory: &Path, stored: &StoredFiles) -> Vec<RubyFactFile> {
    let file = |(path, names): (&String, &Vec<u8>)| {
        let path = Path::new(path).strip_prefix(directory).ok()?.to_str()?;
        let is_fact = path.starts_with("lib/facter/") && path.ends_with(".rb");
        let names = String::from_utf8_lossy(names);
        is_fact.then(|| RubyFactFile { path: path.to_owned(), facts: names.lines().map(str::to_owned).collect() })
    };
    stored.iter().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::Code;
    use pp_functions::Strict;

    use super::*;
    use crate::{Facts, StoredEnvironment, compile_path, load_path, node_options};

    fn environment() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in [
            (
                "manifests/site.pp",
                "$a = $facts['web_version']\n$b = $facts['web_version'] ? { undef => 1, default => 2 }\n$c = $facts['db']\n$d = $web_version\n",
            ),
            ("modules/web/lib/facter/web.rb", "Facter.add(:web_version) { setcode { 1 } }\n"),
        ] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        root
    }

    /// Returns where P0710 was reported, and the help of the unknown variable.
    fn messages(path: &Path, facts: &[&str]) -> (Vec<Option<u32>>, Vec<Option<String>>) {
        let values = facts.iter().map(|name| (Value::from(*name), Value::from("1"))).collect();
        let compiled =
            compile_path(path, &[], &node_options(Some("n"), Facts { node: None, values })).expect("readable");
        let of_facts = compiled.diagnostics.iter().filter(|diagnostic| diagnostic.code == Code::P0710);
        let places = of_facts.map(|diagnostic| diagnostic.span.map(|span| span.start)).collect();
        (places, compiled.log.iter().map(|entry| entry.help.clone()).collect())
    }

    #[test]
    fn a_missing_fact_says_which_module_has_it() {
        let root = environment();
        let (places, help) = messages(root.path(), &[]);
        assert_eq!(places, [Some(5)], "once, where it is read first");
        let help = help.into_iter().next().flatten().expect("a help");
        assert!(help.starts_with("the module `web` defines this fact in Ruby (lib/facter/web.rb)"), "{help}");
        // An artifact knows it as well.
        let (_, loaded) = load_path(root.path(), &[], Strict::Warning).expect("readable");
        let artifact = root.path().join("site.bin");
        std::fs::write(&artifact, StoredEnvironment::new(loaded).expect("readable").write()).expect("writable");
        let (places, _) = messages(&artifact, &[]);
        assert_eq!(places, [Some(5)]);
    }

    #[test]
    fn facts_that_facter_recorded_are_complete() {
        let root = environment();
        let (places, help) = messages(root.path(), &["ruby"]);
        assert_eq!((places, help), (Vec::new(), vec![None]));
        assert_eq!(messages(root.path(), &["web_version"]).0, []);
    }
}
