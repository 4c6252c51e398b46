//! What is read of the types of real modules, compared with what Puppet knows about them after running their code.
//!
//! `MCL_PUPPET_MODULES` names a directory of modules, `/usr/share/puppet/modules` if it is not set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use pp_resource_types::{ReadType, Role};
use pp_ruby_types::{TypeError, TypeSource, read_type};
use serde_json::Value;
use test_support::skip;

/// A directory of modules.
struct Modules {
    root: PathBuf,
    libraries: Vec<(String, PathBuf)>,
}

impl Modules {
    fn find() -> Option<Modules> {
        let root = std::env::var_os("MCL_PUPPET_MODULES").map_or("/usr/share/puppet/modules".into(), PathBuf::from);
        let mut libraries = Vec::new();
        for entry in std::fs::read_dir(&root).ok()? {
            let entry = entry.expect("readable");
            let name = entry.file_name().into_string().expect("UTF-8");
            libraries.push((name, entry.path().join("lib")));
        }
        libraries.sort();
        (libraries.len() > 20).then_some(Modules { root, libraries })
    }

    fn library(&self, path: &str) -> Option<Vec<u8>> {
        self.libraries.iter().find_map(|(_, library)| std::fs::read(library.join(path)).ok())
    }

    fn files(&self, directory: &str) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        for (module, library) in &self.libraries {
            let mut paths: Vec<PathBuf> = match std::fs::read_dir(library.join(directory)) {
                Ok(entries) => entries.map(|entry| entry.expect("readable").path()).collect(),
                Err(_) => continue,
            };
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "rb"));
            paths.sort();
            files.extend(paths.into_iter().map(|path| (module.clone(), path)));
        }
        files
    }

    fn read(&self) -> BTreeMap<String, Result<ReadType, TypeError>> {
        let read = |(module, path): (String, PathBuf)| {
            let name = path.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
            let providers = self.files(&format!("puppet/provider/{name}"));
            let providers: Vec<Vec<u8>> =
                providers.iter().map(|(_, path)| std::fs::read(path).expect("readable")).collect();
            let source = TypeSource {
                name: &name,
                module: &module,
                bytes: &std::fs::read(&path).expect("readable"),
                providers: &providers,
                library: &|path| self.library(path),
            };
            let read = read_type(&source);
            (name, read)
        };
        self.files("puppet/type").into_iter().map(read).collect()
    }

    fn oracle(&self) -> Option<BTreeMap<String, Value>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/types.rb");
        let output = Command::new("ruby").arg(script).arg(&self.root).output().ok()?;
        if !output.status.success() {
            return None;
        }
        let known: Value = serde_json::from_slice(&output.stdout).expect("the script prints JSON");
        Some(known.as_object().expect("an object").clone().into_iter().collect())
    }
}

fn texts(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn types_of_modules_are_read_as_puppet_knows_them() {
    let Some(modules) = Modules::find() else { return skip("no modules of Puppet are installed") };
    let Some(oracle) = modules.oracle() else { return skip("Puppet is not installed") };
    let read = modules.read();
    let (mut named, mut attributes, mut names, mut values, mut all_values, mut relations) = (0, 0, 0, 0, 0, 0);
    let mut refusing = 0;
    let mut differences = Vec::new();
    for (name, expected) in &oracle {
        let read = match &read[name] {
            Ok(read) => read,
            Err(error) => {
                differences.push(format!("{name}: {error}"));
                continue;
            }
        };
        named += 1;
        let expected_names: BTreeSet<String> =
            texts(&expected["parameters"]).union(&texts(&expected["properties"])).cloned().collect();
        let found: BTreeSet<String> = read.attributes.iter().map(|attribute| attribute.name.clone()).collect();
        if found == expected_names {
            attributes += 1;
        } else {
            let difference: Vec<_> = found.symmetric_difference(&expected_names).collect();
            differences.push(format!("{name}: attributes {difference:?}, open: {}", read.is_open));
            refusing += usize::from(!read.is_open && !found.is_superset(&expected_names));
        }
        let found: BTreeSet<String> = read.names().map(str::to_owned).collect();
        if found == texts(&expected["names"]) {
            names += 1;
        } else {
            differences.push(format!("{name}: names {found:?}, expected {}", expected["names"]));
        }
        assert_eq!(!read.is_not_isomorphic, expected["isomorphic"].as_bool().expect("a boolean"), "{name}");
        let found: BTreeSet<(String, String)> = read
            .relations
            .iter()
            .map(|relation| (format!("{:?}", relation.kind), relation.type_name.clone()))
            .collect();
        let kind = |kind: &str| match kind {
            "autorequire" => "Require",
            "autobefore" => "Before",
            "autosubscribe" => "Subscribe",
            _ => "Notify",
        };
        let expected_relations: BTreeSet<(String, String)> = expected["relations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|pair| {
                (kind(pair[0].as_str().unwrap_or_default()).to_owned(), pair[1].as_str().unwrap_or_default().to_owned())
            })
            .collect();
        if found == expected_relations {
            relations += 1;
        } else {
            differences.push(format!("{name}: relations {found:?}, expected {expected_relations:?}"));
        }
        for attribute in &read.attributes {
            let expected = &expected["values"][&attribute.name];
            let has_values = !attribute.words.is_empty() || !attribute.patterns.is_empty();
            if !has_values || attribute.role == Role::Name {
                continue;
            }
            all_values += 1;
            let found: BTreeSet<String> = attribute.words.iter().cloned().collect();
            if found == texts(&expected["words"]) {
                values += 1;
            } else {
                differences.push(format!("{name}.{}: {found:?}, expected {expected}", attribute.name));
            }
        }
    }
    let total = oracle.len();
    let unread = read.values().flatten().flat_map(|read| &read.relations).filter(|r| r.titles.is_none()).count();
    let programs = read.values().flatten().map(|read| read.relations.len()).sum::<usize>();
    println!(
        "of {total} types: {named} names, {attributes} lists of attributes, {names} name attributes, {relations} lists of \
         relations; {values} of {all_values} lists of words; {unread} of {programs} relations unread",
    );
    println!("{}", differences.join("\n"));
    for (name, read) in &read {
        if let Ok(read) = read
            && !read.unread.is_empty()
        {
            println!("{name}: {:?}", read.unread);
        }
    }
    assert_eq!(refusing, 0, "types refuse attributes that exist");
    assert_eq!(named, total);
    assert!(attributes * 100 >= total * 97 && names * 100 >= total * 98 && relations * 100 >= total * 98);
}
