//! `tests/puppet/cases`: environments, with the catalogs or errors that they compile to.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use pp_ast::Tree;
use pp_evaluator::{Classification, Environment, Options, Origin, Services, Source, compile};
use pp_functions::FileKind;
use pp_hiera::{ConfigFile, DataFiles, Entry, KeySource, Layer};
use pp_syntax::{Mode, parse};
use pp_types::{Error, ErrorKind, Hash, Value, from_json};
use serde_json::Value as Json;

use crate::agreement::{Agreement, CASES, is_chosen};
use crate::world::{options, parse_manifest, recordings};

/// Where the environments were when they were recorded.
const ROOT: &str = "/etc/puppet/code/environments/production";

#[test]
fn cases() {
    let mut agreement = Agreement::default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(recordings().join("cases"))
        .expect("cases")
        .map(|entry| entry.expect("entry").path())
        .collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let id = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !is_chosen(&id) {
            continue;
        }
        let result = catch_unwind(AssertUnwindSafe(|| judge(&folder)));
        let area = if folder.join("catalog.json").exists() { "catalogs" } else { "errors" };
        agreement.add(area, &id, result.unwrap_or_else(|_| Err("panic".to_owned())));
    }
    agreement.check(CASES);
}

/// The files of an environment.
struct Folder(PathBuf);

impl Services for Folder {
    fn parse_epp(&self, file: FileId, text: &str) -> Result<Tree, Vec<Diagnostic>> {
        let parsed = parse(file, text, Mode::Template);
        if parsed.has_errors() { Err(parsed.diagnostics) } else { Ok(parsed.tree) }
    }

    fn find_file(&self, kind: FileKind, module: Option<&str>, path: &str) -> Option<Arc<str>> {
        let kind = match kind {
            FileKind::Files => "files",
            FileKind::Templates => "templates",
        };
        let file = match module {
            Some(module) => self.0.join("modules").join(module).join(kind).join(path),
            None => PathBuf::from(path),
        };
        file.exists().then(|| file.to_string_lossy().into())
    }

    fn read_file(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        std::fs::read(path).map(Into::into).map_err(|e| Error::new(ErrorKind::Evaluation, e.to_string()))
    }

    fn module_directory(&self, module: &str) -> Option<Arc<str>> {
        self.0.join("modules").join(module).exists().then(|| format!("{ROOT}/modules/{module}").into())
    }

    fn data(&self) -> &dyn DataFiles {
        self
    }
}

impl DataFiles for Folder {
    fn config(&self, layer: &Layer) -> Option<ConfigFile> {
        let root = match layer {
            Layer::Global => return None,
            Layer::Environment => self.0.clone(),
            Layer::Module(module) => self.0.join("modules").join(&**module),
        };
        let path = root.join("hiera.yaml");
        path.exists().then(|| ConfigFile { path: path.to_string_lossy().into(), root: root.to_string_lossy().into() })
    }

    fn has_module(&self, name: &str) -> bool {
        self.0.join("modules").join(name).exists()
    }

    fn read(&self, path: &str) -> Result<Option<Arc<[u8]>>, Error> {
        Ok(std::fs::read(path).ok().map(Into::into))
    }

    fn list(&self, _: &str) -> Vec<Entry> {
        Vec::new()
    }

    fn private_key(&self, _: &KeySource) -> Result<Vec<u8>, Error> {
        Err(Error::new(ErrorKind::Evaluation, "there are no private keys"))
    }
}

/// Returns the manifests below a folder, sorted, with their names as they were when they were recorded.
fn manifests(folder: &Path, below: &Path, found: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(below) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            manifests(folder, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            let relative = path.strip_prefix(folder).expect("the path is below the folder");
            found.push((format!("{ROOT}/{}", relative.display()), path));
        }
    }
}

fn case_options(id: &str) -> Options {
    let mut options = options(false);
    for module in [
        "augeas_core",
        "cron_core",
        "host_core",
        "mount_core",
        "selinux_core",
        "sshkeys_core",
        "stdlib",
        "yumrepo_core",
    ] {
        options.resource_types.add_module(module);
    }
    // The only case that was recorded with this setting.
    options.strict_variables = id.ends_with("unknown-variable-strict");
    options
}

/// What the external classifier of a case prints.
fn classification(folder: &Path) -> Classification {
    let Ok(script) = std::fs::read_to_string(folder.join("enc.sh")) else { return Classification::default() };
    let text = script.split("---\n").nth(1).and_then(|rest| rest.split("\nY\n").next()).expect("a document");
    let answer: Json = serde_norway::from_str(text).expect("YAML");
    let hash = |json: &Json| match from_json(json) {
        Value::Hash(hash) => hash.0.clone(),
        _ => Hash::default(),
    };
    let classes = answer["classes"].as_object().into_iter().flatten();
    let classes = classes.map(|(name, parameters)| (name.as_str().into(), hash(parameters))).collect();
    Classification { parameters: hash(&answer["parameters"]), classes }
}

fn judge(folder: &Path) -> Result<(), String> {
    let id = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut options = case_options(id);
    options.classification = classification(folder);
    let mut found = Vec::new();
    manifests(folder, &folder.join("manifests"), &mut found);
    let main = found.len();
    manifests(folder, &folder.join("modules"), &mut found);
    let mut files = Files::default();
    let (mut sources, mut errors) = (Vec::new(), Vec::new());
    for (index, (name, path)) in found.iter().enumerate() {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let file = files.add(name.as_str(), text.as_str());
        let (tree, found) = parse_manifest(file, &text, &options);
        errors.extend(found);
        let inside = name.trim_start_matches(ROOT).trim_start_matches("/modules/");
        let origin = match inside.split_once('/') {
            Some((module, path)) if index >= main => Origin::Module { name: module.into(), path: path.into() },
            _ => Origin::Main,
        };
        sources.push(Source { origin, tree });
    }
    let environment = Environment { files: files.clone(), sources };
    let mut catalog = None;
    if errors.is_empty() {
        let compilation = compile(&environment, &options, &Folder(folder.to_owned()));
        errors.extend(compilation.diagnostics.into_iter().filter(|d| d.severity == Severity::Error));
        catalog = compilation.catalog;
    }
    let recorded = std::fs::read_to_string(folder.join("catalog.json"));
    match (recorded, errors.first()) {
        (Ok(recorded), None) => {
            let recorded: Json = serde_json::from_str(&recorded).map_err(|error| error.to_string())?;
            let catalog = catalog.ok_or("no catalog")?.to_json(0, "").map_err(|error| error.to_string())?;
            compare(catalog, recorded)
        }
        (Ok(_), Some(error)) => Err(format!("rejected: {}", error.message)),
        (Err(_), None) => Err("not rejected".to_owned()),
        (Err(_), Some(error)) => {
            let text = std::fs::read_to_string(folder.join("error.txt")).map_err(|error| error.to_string())?;
            compare_error(error, &files, &text)
        }
    }
}

/// Compares catalogs but for what differs between any two compilations, and the order of tags.
fn compare(mut found: Json, mut recorded: Json) -> Result<(), String> {
    for catalog in [&mut found, &mut recorded] {
        let catalog = catalog.as_object_mut().ok_or("not an object")?;
        for key in ["version", "catalog_uuid"] {
            catalog.remove(key);
        }
        sort_tags(catalog.get_mut("tags"));
        for resource in catalog.get_mut("resources").and_then(Json::as_array_mut).into_iter().flatten() {
            sort_tags(resource.get_mut("tags"));
            if let Some(resource) = resource.as_object_mut() {
                resource.sort_keys();
            }
        }
    }
    for list in ["resources", "edges", "classes"] {
        let texts = |json: &Json| json[list].as_array().into_iter().flatten().map(Json::to_string).collect::<Vec<_>>();
        let (ours, theirs) = (texts(&found), texts(&recorded));
        let (our_set, their_set): (BTreeSet<_>, BTreeSet<_>) = (ours.iter().collect(), theirs.iter().collect());
        let first = |a: &BTreeSet<&String>, b: &BTreeSet<&String>| a.difference(b).next().map(ToString::to_string);
        if our_set != their_set {
            let (more, less) = (first(&our_set, &their_set), first(&their_set, &our_set));
            return Err(format!("{list}:\n        found    {more:?}\n        recorded {less:?}"));
        }
        if ours != theirs {
            return Err(format!("the order of {list}"));
        }
    }
    if found == recorded { Ok(()) } else { Err(format!("found {found}\n        recorded {recorded}")) }
}

fn sort_tags(tags: Option<&mut Json>) {
    if let Some(tags) = tags.and_then(Json::as_array_mut) {
        tags.sort_by_key(Json::to_string);
    }
}

/// Compares the file and line of an error, and its message without locations and what comes before it.
fn compare_error(error: &Diagnostic, files: &Files, recorded: &str) -> Result<(), String> {
    let recorded = recorded.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
    let place = error.span.map(|span| (files.get(span.file), files.line_col(span.file, span.start)));
    if let Some((_, rest)) = recorded.rsplit_once("(file: ") {
        let Some((Some(file), place)) = place else { return Err(format!("no place: {}", error.message)) };
        let place = format!("{}, line: {}", file.name, place.line);
        let name_and_line = rest.split([')', ',']).take(2).collect::<Vec<_>>().join(",");
        if place != name_and_line {
            return Err(format!("found {place} ({}), recorded {recorded}", error.message));
        }
    }
    let message = &*without_places(error.message.lines().next().unwrap_or_default());
    let text = without_places(recorded);
    if text.contains(message) || message.contains(text.trim_start_matches("Error: ")) {
        Ok(())
    } else {
        Err(format!("found {message:?}, recorded {recorded}"))
    }
}

/// Returns a message without `(file: …, line: …)`, which an excerpt shows.
fn without_places(message: &str) -> String {
    let mut parts = message.split(" (file: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once(')').map_or("", |(_, rest)| rest))
}
