//! Reads `hiera.yaml` (spec 07 §10.4).

use std::sync::Arc;

use pp_types::{Error, Hash, Value};

use crate::config::{Backend, Config, Level, Locations, Notice, Reader, strings, text};
use crate::config_v4;
use crate::files::{ConfigFile, Layer};
use crate::problem::error;
use crate::schema;
use crate::yaml;

const BACKENDS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
const LOCATIONS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

/// Reads the configuration of a layer.
///
/// # Errors
/// Invalid YAML, an unknown version, and everything that makes no sense.
pub(crate) fn read(layer: &Layer, file: &ConfigFile, text: &str) -> Result<Config, Error> {
    let document = yaml::load_with_lines(text).map_err(|invalid| error(format!("({}): {}", file.path, invalid.0)))?;
    let reader = Reader { file, lines: &document.lines };
    let is_module = matches!(layer, Layer::Module(_));
    let empty = Config { path: Arc::clone(&file.path), root: Arc::clone(&file.root), is_module, ..Config::default() };
    let config = match document.value {
        Some(Value::Hash(config)) => config,
        _ => {
            let message = format!("{}: File exists but does not contain a valid YAML hash; it is ignored", file.path);
            return Ok(Config { is_ignored: true, notices: vec![Notice::Warning(message)], ..empty });
        }
    };
    match config.get(&Value::from("version")) {
        None | Some(Value::Integer(3)) => version_3(layer, &reader, empty),
        Some(Value::Integer(4)) => config_v4::read(&reader, &config, empty),
        Some(Value::Integer(version)) if *version != 5 => {
            let message = format!("This runtime does not support hiera.yaml version {version}");
            Err(reader.error(&message, "version").help("write the file in version 5"))
        }
        _ => version_5(layer, &reader, &config, empty),
    }
}

/// A file of version 3 is ignored in environments and modules, and refused elsewhere.
fn version_3(layer: &Layer, reader: &Reader<'_>, empty: Config) -> Result<Config, Error> {
    let path = &reader.file.path;
    let place = match layer {
        Layer::Global => {
            let message = "hiera.yaml version 3 is not supported";
            return Err(reader.error(message, "").help(
                "write the file in version 5: `version: 5`, then `hierarchy:` with a level for each line of `:hierarchy:`, \
                 e.g. `- name: common` and `path: common.yaml`; `datadir:` is that of the backend",
            ));
        }
        Layer::Environment => "the environment root",
        Layer::Module(_) => "module root",
    };
    let deprecated =
        format!("{path}: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5");
    let ignored = format!("hiera.yaml version 3 found at {place} was ignored (file: {path})");
    let notices = vec![Notice::Deprecated(deprecated), Notice::Warning(ignored)];
    Ok(Config { is_ignored: true, notices, ..empty })
}

fn version_5(layer: &Layer, reader: &Reader<'_>, config: &Hash, empty: Config) -> Result<Config, Error> {
    schema::check(5, &reader.file.path, &Value::hash(config.clone()))?;
    let get = |name: &str| config.get(&Value::from(name));
    let defaults = match get("defaults") {
        Some(Value::Hash(defaults)) => Some(&defaults.0),
        _ => None,
    };
    if let Some(defaults) = defaults {
        let named: Vec<&str> = BACKENDS.into_iter().filter(|name| defaults.contains_key(&Value::from(*name))).collect();
        if named.len() > 1 {
            let message = format!("Only one of {} can be defined in defaults", list(&BACKENDS));
            return Err(reader.error(&message, "defaults"));
        }
    }
    if get("default_hierarchy").is_some() && !matches!(layer, Layer::Module(_)) {
        return Err(reader.error("'default_hierarchy' is only allowed in the module layer", "default_hierarchy"));
    }
    let common = Value::array(vec![Value::hash(Hash::from_iter([
        (Value::from("name"), Value::from("Common")),
        (Value::from("path"), Value::from("common.yaml")),
    ]))]);
    let hierarchy = get("hierarchy").unwrap_or(&common);
    let levels = self::levels(reader, hierarchy, "hierarchy", defaults)?;
    let default_levels = match get("default_hierarchy") {
        Some(hierarchy) => self::levels(reader, hierarchy, "default_hierarchy", defaults)?,
        None => Vec::new(),
    };
    Ok(Config { version: 5, levels, default_levels, ..empty })
}

fn list(names: &[&str]) -> String {
    match names {
        [others @ .., last] => format!("{}, or {last}", others.join(", ")),
        [] => String::new(),
    }
}

fn levels(
    reader: &Reader<'_>,
    hierarchy: &Value,
    key: &str,
    defaults: Option<&Hash>,
) -> Result<Vec<Arc<Level>>, Error> {
    let Value::Array(entries) = hierarchy else { return Ok(Vec::new()) };
    let mut levels: Vec<Arc<Level>> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Value::Hash(entry) = entry else { continue };
        let path = format!("{key}/{index}");
        let level = level(reader, entry, &path, defaults)?;
        if levels.iter().any(|other| other.name == level.name) {
            let message = format!("Hierarchy name '{}' defined more than once", level.name);
            return Err(reader.error(&message, &path));
        }
        levels.push(Arc::new(level));
    }
    Ok(levels)
}

fn level(reader: &Reader<'_>, entry: &Hash, path: &str, defaults: Option<&Hash>) -> Result<Level, Error> {
    let name = text(entry, "name").unwrap_or_else(|| "".into());
    let has = |key: &&str| entry.contains_key(&Value::from(*key));
    let only_one = |names: &[&str]| {
        let message = format!("Only one of {} can be defined in hierarchy '{name}'", list(names));
        reader.error(&message, path)
    };
    if BACKENDS.iter().filter(|key| has(key)).count() > 1 {
        return Err(only_one(&BACKENDS));
    }
    if LOCATIONS.iter().filter(|key| has(key)).count() > 1 {
        return Err(only_one(&LOCATIONS));
    }
    let own = BACKENDS.iter().find(|key| has(key)).map(|key| (*key, entry));
    let inherited =
        defaults.and_then(|defaults| BACKENDS.iter().find_map(|key| text(defaults, key).map(|_| (*key, defaults))));
    let built_in = Hash::from_iter([(Value::from("data_hash"), Value::from("yaml_data"))]);
    let built_in = defaults.is_none().then_some(("data_hash", &built_in));
    let Some((kind, source)) = own.or(inherited).or(built_in) else {
        let message = format!("One of {} must be defined in hierarchy '{name}'", list(&BACKENDS));
        return Err(reader.error(&message, path).help("e.g. `data_hash: yaml_data`, here or in `defaults`"));
    };
    let function = text(source, kind).unwrap_or_else(|| "".into());
    let backend = backend(kind, &function);
    let options_of = |entry: Option<&Hash>| match entry.and_then(|entry| entry.get(&Value::from("options"))) {
        Some(Value::Hash(options)) => Some(options.0.clone()),
        _ => None,
    };
    // The options of the defaults belong to their backend.
    let options = options_of(Some(entry)).or_else(|| if own.is_none() { options_of(defaults) } else { None });
    let options = options.unwrap_or_default();
    for reserved in ["path", "uri"] {
        if options.contains_key(&Value::from(reserved)) {
            let message = format!("Option key '{reserved}' used in hierarchy '{name}' is reserved by Puppet");
            return Err(reader.error(&message, path));
        }
    }
    let locations = locations(entry);
    let datadir = text(entry, "datadir").or_else(|| defaults.and_then(|defaults| text(defaults, "datadir")));
    let datadir = datadir.unwrap_or_else(|| "data".into());
    Ok(Level { name, backend, datadir, locations, options, extension: "", line: reader.line(path) })
}

/// Returns the backend that a function is.
pub(crate) fn backend(kind: &str, function: &Arc<str>) -> Backend {
    match (kind, &**function) {
        ("data_hash", "yaml_data") => Backend::Yaml,
        ("data_hash", "json_data") => Backend::Json,
        ("data_hash", "hocon_data") => Backend::Hocon,
        ("lookup_key", "eyaml_lookup_key") => Backend::Eyaml,
        ("data_hash", _) => Backend::DataHash(Arc::clone(function)),
        ("lookup_key", _) => Backend::LookupKey(Arc::clone(function)),
        ("data_dig", _) => Backend::DataDig(Arc::clone(function)),
        _ => Backend::Unavailable(Arc::clone(function)),
    }
}

fn locations(entry: &Hash) -> Locations {
    let one_or_more = |one: &str, more: &str| match text(entry, one) {
        Some(only) => vec![only],
        None => strings(entry, more),
    };
    let (paths, globs, uris) = (one_or_more("path", "paths"), one_or_more("glob", "globs"), one_or_more("uri", "uris"));
    match strings(entry, "mapped_paths").as_slice() {
        [variable, element, template] => Locations::Mapped {
            variable: Arc::clone(variable),
            element: Arc::clone(element),
            template: Arc::clone(template),
        },
        _ if !paths.is_empty() => Locations::Paths(paths),
        _ if !globs.is_empty() => Locations::Globs(globs),
        _ if !uris.is_empty() => Locations::Uris(uris),
        _ => Locations::None,
    }
}
