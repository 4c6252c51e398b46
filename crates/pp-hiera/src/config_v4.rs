//! `hiera.yaml` of version 4, which environments and modules may still have: its levels as those of version 5.

use std::sync::Arc;

use pp_types::{Error, Hash, Value};

use crate::config::{Backend, Config, Level, Locations, Notice, Reader, strings, text};
use crate::schema;

/// Reads a configuration of version 4.
///
/// # Errors
/// Everything that makes no sense, and backends other than YAML and JSON.
pub(crate) fn read(reader: &Reader<'_>, config: &Hash, empty: Config) -> Result<Config, Error> {
    let path = &reader.file.path;
    schema::check(4, path, &Value::hash(config.clone()))?;
    let datadir = text(config, "datadir").unwrap_or_else(|| "data".into());
    let mut levels = Vec::new();
    let entries = match config.get(&Value::from("hierarchy")) {
        Some(Value::Array(entries)) => entries.as_slice(),
        _ => &[],
    };
    for (index, entry) in entries.iter().enumerate() {
        let Value::Hash(entry) = entry else { continue };
        let name = text(entry, "name").unwrap_or_else(|| "".into());
        let (backend, extension) = match text(entry, "backend").as_deref() {
            Some("yaml") => (Backend::Yaml, ".yaml"),
            Some("json") => (Backend::Json, ".json"),
            Some("hocon") => (Backend::Hocon, ".conf"),
            other => {
                let message = format!("No data provider is registered for backend '{}'", other.unwrap_or_default());
                return Err(reader.error(&message, &format!("hierarchy/{index}")));
            }
        };
        let paths = match text(entry, "path") {
            Some(path) => vec![path],
            None if entry.contains_key(&Value::from("paths")) => strings(entry, "paths"),
            None => vec![Arc::clone(&name)],
        };
        levels.push(Arc::new(Level {
            name,
            backend,
            datadir: text(entry, "datadir").unwrap_or_else(|| Arc::clone(&datadir)),
            locations: Locations::Paths(paths),
            options: Hash::default(),
            extension,
            line: None,
        }));
    }
    let deprecated =
        format!("{path}: Use of 'hiera.yaml' version 4 is deprecated. It should be converted to version 5");
    Ok(Config { version: 4, levels, notices: vec![Notice::Deprecated(deprecated)], ..empty })
}
