//! `tests/puppet/modules`: lookups and templates in small environments, compared with the recorded answers of Puppet.
//!
//! Each case is compiled as a main manifest that keeps the value of its code in the message of a notify. `WORLD=name` in the
//! environment chooses one world, and prints what differs.

mod escapes;
mod functions;
mod hostile;
mod mechanics;
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcl_diagnostics::Severity;
use pp_catalog::Reference;
use pp_environment::{DiskServices, Facts, load_path, node_options};
use pp_evaluator::{Explained, LogEntry, LookupRequest, Options, compile, lookup};
use pp_functions::Strict;
use pp_types::Value;
use serde_json::Value as Json;

/// Cases whose answers differ for a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("hiera-0325", "an integer outside 64 bits is refused"),
    ("hiera-0284", "how a class is written"),
    ("erb-0010", "a syntax error, of which Puppet crashes"),
    ("erb-0149", "templates run no commands"),
    ("erb-0150", "templates see no files"),
    ("erb-0151", "templates see no environment variables"),
    ("erb-0154", "to_yaml is not available"),
    ("erb-0155", "templates have no clock"),
    ("erb-0156", "templates have no IPAddr"),
    ("hiera-0342", "the name of the environment is a string here, a symbol there"),
];

fn recordings() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet")
}

fn options(facts: &Json) -> Options {
    let mut read = Facts::read(&recordings().join("facts.yaml")).expect("facts");
    for (name, value) in facts.as_object().into_iter().flatten() {
        read.values.insert(Value::from(name.as_str()), pp_types::from_json(value));
    }
    node_options(Some("agent.example.com"), read)
}

/// An environment on disk.
struct World {
    directory: tempfile::TempDir,
    options: Options,
    global: Option<PathBuf>,
}

impl World {
    fn new(record: &Json) -> World {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in record["files"].as_object().into_iter().flatten() {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, text.as_str().unwrap_or_default()).expect("writable");
        }
        std::fs::create_dir_all(directory.path().join("manifests")).expect("writable");
        let global = record["settings"]["hiera_config"].as_str();
        let global = global.map(|path| directory.path().join(path.trim_start_matches("WORLD/")));
        World { options: options(&record["facts"]), directory, global }
    }

    /// Compiles as Puppet 7 does by default, or as Puppet 8.
    fn set_strict(&mut self, strict: Strict) {
        (self.options.strict, self.options.strict_variables) = (strict, strict == Strict::Error);
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the directory from a text.
    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.path().display()), "")
    }

    fn services(&self, root: Option<PathBuf>, modules: Vec<pp_environment::Module>) -> DiskServices {
        let services = DiskServices::new(root, modules);
        services.with_global_config(self.global.clone())
    }

    /// Compiles code; returns its value in source form, or the error, and the warnings.
    fn evaluate(&self, code: &str) -> (Result<String, String>, Vec<LogEntry>) {
        std::fs::write(self.path().join("manifests/site.pp"), wrap(code)).expect("writable");
        let (_, loaded) = load_path(self.path(), &[], self.options.strict).expect("an environment");
        let message = |diagnostics: &[mcl_diagnostics::Diagnostic]| {
            let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            error.map_or("no error".to_owned(), |error| self.relative(&error.message))
        };
        if let Some(error) = loaded.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            return (Err(error.message.clone()), Vec::new());
        }
        let services = self.services(loaded.root, loaded.modules);
        let compiled = compile(&loaded.environment, &self.options, &services);
        let Some(catalog) = &compiled.catalog else {
            return (Err(message(&compiled.diagnostics)), compiled.log);
        };
        let result = catalog.find(&Reference::new("Notify", "the result")).expect("the notify");
        let value = match catalog.resource(result).parameters.value("message") {
            Some(Value::String(text)) => self.relative(text),
            other => panic!("not a message: {other:?}"),
        };
        (Ok(value), compiled.log)
    }

    fn explain(&self, merge: Option<&str>, key: &str) -> String {
        std::fs::write(self.path().join("manifests/site.pp"), "").expect("writable");
        let (_, loaded) = load_path(self.path(), &[], Strict::Warning).expect("an environment");
        let services = self.services(loaded.root, loaded.modules);
        let request = LookupRequest {
            keys: vec![key.to_owned()],
            merge: merge.map(Value::from),
            explain: Some(Explained::Value),
            ..LookupRequest::default()
        };
        let found = lookup(&loaded.environment, &self.options, &services, &request);
        self.relative(&found.explanation.expect("an explanation").render())
    }
}

#[test]
fn an_explanation_hides_what_becomes_sensitive() {
    let world = World::new(&serde_json::json!({
        "files": {
            "hiera.yaml": "version: 5\nhierarchy: [{name: a, path: a.yaml}, {name: b, path: b.yaml}]\n",
            "data/a.yaml": "lookup_options: {key: {convert_to: Sensitive, merge: deep}}\nkey: {a: hunter2}\n",
            "data/b.yaml": "key: {b: \"x %{lookup('other')} hunter2\"}\nother: hunter2\n",
        },
        "facts": {},
    }));
    let explained = world.explain(None, "key");
    assert!(!explained.contains("hunter2"), "{explained}");
    assert!(explained.contains("[value redacted]") && explained.contains("Merge strategy deep"), "{explained}");
    assert!(world.explain(None, "other").contains("hunter2"));
}

fn wrap(code: &str) -> String {
    // Variables at top scope, which classes look at, stay outside of the block.
    let (before, code) = match code.strip_prefix("$top").and_then(|rest| rest.find("' ")) {
        Some(end) => code.split_at(end + "$top' ".len()),
        None => ("", code),
    };
    format!(
        "{before}\n$result__ = with() || {{ {code}\n}}\nnotify {{ 'the result': message => String($result__, '%p') }}\n"
    )
}

/// Returns what differs from the record.
fn judge(world: &World, record: &Json) -> Result<(), String> {
    let code = record["code"].as_str().expect("code");
    if let Some(expected) = record["explain"].as_str() {
        let (merge, key) = code.split_once(' ').expect("a key");
        let merge = merge.strip_prefix("EXPLAIN-");
        if merge == Some("options") {
            return Ok(());
        }
        let found = world.explain(merge, key);
        return if found == expected { Ok(()) } else { Err(format!("{found}\n--- expected\n{expected}")) };
    }
    let (found, _) = world.evaluate(code);
    match (found, record["value"].as_str(), record["error"].as_str()) {
        (Ok(found), Some(expected), _) if found == expected || expected.starts_with("#<") => Ok(()),
        (Err(_), None, Some(_)) => Ok(()),
        (found, expected, error) => Err(format!("found {found:?}, expected {:?}", expected.or(error))),
    }
}

#[test]
fn recorded_lookups() {
    compare_with_recordings("modules/hiera.jsonl");
}

#[test]
fn recorded_erb_templates() {
    compare_with_recordings("modules/erb.jsonl");
}

fn compare_with_recordings(file: &str) {
    let text = std::fs::read_to_string(recordings().join(file)).expect("records");
    let chosen = std::env::var("WORLD").ok();
    let mut world = None;
    let (mut agreeing, mut differing) = (0, BTreeMap::new());
    for line in text.lines() {
        let record: Json = serde_json::from_str(line).expect("JSON");
        let Some(id) = record["id"].as_str() else {
            world = Some(World::new(&record));
            continue;
        };
        if chosen.as_deref().is_some_and(|chosen| record["world"] != chosen) {
            continue;
        }
        match judge(world.as_ref().expect("a world"), &record) {
            Ok(()) => agreeing += 1,
            Err(why) => {
                differing.insert(id.to_owned(), format!("{}: {why}", record["code"]));
            }
        }
    }
    let unexpected: Vec<_> =
        differing.iter().filter(|(id, _)| DIFFERENT.iter().all(|(known, _)| known != id)).collect();
    for (id, why) in &unexpected {
        println!("{id}: {why}");
    }
    println!("{agreeing} agree, {} differ", differing.len());
    assert!(unexpected.is_empty(), "{} cases differ", unexpected.len());
    assert!(agreeing > 0);
}
