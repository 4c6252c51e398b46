//! The value of a key at one location.

use std::rc::Rc;
use std::sync::Arc;

use pp_types::{Error, ErrorKind, Hash, Value, describe_mismatch, parse_type, with_stack};

use crate::config::{Backend, Config, Level};
use crate::data::Format;
use crate::explain::Step;
use crate::hierarchy::Location;
use crate::host::BackendCall;
use crate::key::Key;
use crate::problem::error;
use crate::session::Session;
use crate::yaml::Note;

/// A level and where it belongs.
#[derive(Clone, Copy)]
pub(crate) struct Place<'c> {
    pub config: &'c Config,
    pub level: &'c Level,
    /// The module, if the level is one of a module.
    pub module: Option<&'c Arc<str>>,
}

impl Session<'_, '_> {
    /// Returns the value of the root of a key at a location of a level.
    pub(crate) fn value_at(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        key: &Key,
    ) -> Result<Option<Value>, Error> {
        if let Some(Location::Path { path, .. }) = location
            && format_of(&place.level.backend).is_none()
            && !self.is_file(path)?
        {
            self.hiera.explainer.note(|| Step::NoFile, None);
            return Ok(None);
        }
        let found = match &place.level.backend {
            Backend::Yaml => self.in_file(place, location, key, Format::Yaml)?,
            Backend::Json => self.in_file(place, location, key, Format::Json)?,
            Backend::Hocon => self.in_file(place, location, key, Format::Hocon)?,
            Backend::Eyaml => self.in_eyaml_file(place, location, key)?,
            Backend::Unavailable(function) => return Err(unavailable(function)),
            Backend::DataHash(function) => {
                let hash = self.all_values(place, location, function)?;
                self.check_names(place, location, function, hash.keys());
                let found = hash.get(&Value::String(Arc::clone(&key.root))).cloned();
                found.map(|value| self.interpolate(&value)).transpose()?
            }
            Backend::LookupKey(function) => {
                let name = Value::String(Arc::clone(&key.root));
                let value = self.ask(place, location, function, vec![name])?;
                value
                    .map(|value| checked(value, &key.root, &format!("returned from lookup_key function '{function}'")))
                    .transpose()?
            }
            Backend::DataDig(function) => {
                let value = self.ask(place, location, function, vec![key.segments()])?;
                let origin = format!("returned from data_dig function '{function}'");
                let value = value.map(|value| checked(value, &key.text, &origin)).transpose()?;
                self.report(&key.text, value.as_ref());
                return Ok(value.map(|value| key.wrap(value)));
            }
        };
        if found.is_some() || location.is_none() || self.exists(location) {
            self.report(&key.root, found.as_ref());
        }
        Ok(found)
    }

    /// Whether there is a file with a path.
    pub(crate) fn is_file(&self, path: &Rc<str>) -> Result<bool, Error> {
        if let Some(known) = self.hiera.existing.borrow().get(path) {
            return Ok(*known);
        }
        let exists = self.hiera.files.read(path)?.is_some();
        self.hiera.existing.borrow_mut().insert(Rc::clone(path), exists);
        Ok(exists)
    }

    /// Explains what was found.
    fn report(&self, name: &str, value: Option<&Value>) {
        match value {
            Some(value) => self.hiera.explainer.note(|| Step::Found(name.into()), Some(value)),
            None => self.hiera.explainer.note(|| Step::NotFound(name.into()), None),
        }
        for remark in self.hiera.remarks.take() {
            self.hiera.explainer.note(|| Step::Remark(remark), None);
        }
    }

    /// Whether a location is not a missing file; that is explained elsewhere.
    fn exists(&self, location: Option<&Location>) -> bool {
        match location {
            Some(Location::Path { path, .. }) => {
                let data = self.hiera.data.borrow();
                let is_missing = |format| matches!(data.get(&(format, Rc::clone(path))), Some(None));
                ![Format::Yaml, Format::Json, Format::Hocon].into_iter().any(is_missing)
            }
            _ => true,
        }
    }

    fn in_file(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        key: &Key,
        format: Format,
    ) -> Result<Option<Value>, Error> {
        let function = format.function();
        let path = path_of(place, location, function, "data_hash")?;
        let Some(file) = self.data_file(format, path)? else {
            self.hiera.explainer.note(|| Step::NoFile, None);
            return Ok(None);
        };
        if file.checked_for.borrow().as_ref() != place.module {
            self.check_names(place, location, function, file.entries.keys());
            *file.checked_for.borrow_mut() = place.module.cloned();
        }
        let name = Value::String(Arc::clone(&key.root));
        let Some(value) = file.entries.get(&name) else { return Ok(None) };
        match file.notes.get(&name) {
            Some(Note { problem: Some(problem), .. }) => {
                let origin =
                    format!("in hash returned from data_hash function '{function}', when using location '{path}'");
                Err(problem.error(&key.root, &origin))
            }
            Some(Note { interpolates: true, .. }) => self.interpolate(value).map(Some),
            _ => Ok(Some(value.clone())),
        }
    }

    /// Warns once of values in a module's data that are not the module's.
    fn check_names<'v>(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        function: &str,
        mut names: impl Iterator<Item = &'v Value>,
    ) {
        let Some(module) = place.module else { return };
        let place =
            location.map_or_else(String::new, |location| format!(", when using location '{}',", location.option().1));
        let message = format!(
            "Module '{module}': Value returned from data_hash function '{function}'{place} must use keys qualified with the \
             name of the module"
        );
        if self.hiera.warned.borrow().contains(&message) {
            return;
        }
        let is_own = |name: &Value| match name {
            Value::String(name) => {
                &**name == "lookup_options" || name.strip_prefix(&**module).is_some_and(|rest| rest.starts_with("::"))
            }
            _ => false,
        };
        if !names.all(is_own) {
            self.warn_once(message);
        }
    }

    /// Returns the options of a level for a location.
    pub(crate) fn options(&mut self, place: Place<'_>, location: Option<&Location>) -> Result<Value, Error> {
        let Place { config, level, .. } = place;
        let mut options = Hash::default();
        for (name, value) in &level.options {
            options.insert(name.clone(), self.interpolate_option(config, level.line, value)?);
        }
        if let Some(location) = location {
            let (name, text) = location.option();
            options.insert(Value::from(name), Value::from(text));
        }
        Ok(Value::hash(options))
    }

    fn ask(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        function: &Arc<str>,
        mut arguments: Vec<Value>,
    ) -> Result<Option<Value>, Error> {
        arguments.push(self.options(place, location)?);
        self.host.call_backend(&call(place, location, function), &arguments)
    }

    /// Returns what a function of the kind `data_hash` returns, called once for equal options.
    fn all_values(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        function: &Arc<str>,
    ) -> Result<Rc<Hash>, Error> {
        let options = self.options(place, location)?;
        let key = (call(place, location, function), options.clone());
        if let Some(known) = self.hiera.results.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let values = match self.host.call_backend(&key.0, &[options])? {
            None => Hash::default(),
            Some(Value::Hash(values)) => values.0.clone(),
            Some(other) => {
                let place = location
                    .map_or_else(String::new, |location| format!(", when using location '{}'", location.option().1));
                let subject = format!("Value returned from data_hash function '{function}'{place}, has wrong type,");
                let message = describe_mismatch(&subject, &parse_type("Hash", &|_| None)?, &other);
                return Err(Error::new(ErrorKind::Mismatch, message));
            }
        };
        let values = Rc::new(values);
        self.hiera.results.borrow_mut().insert(key, Rc::clone(&values));
        Ok(values)
    }
}

/// Returns the path of a location, without which a function cannot be used.
pub(crate) fn path_of<'l>(
    place: Place<'_>,
    location: Option<&'l Location>,
    function: &str,
    kind: &str,
) -> Result<&'l Rc<str>, Error> {
    match location {
        Some(Location::Path { path, .. }) => Ok(path),
        _ => {
            let message = format!(
                "'{function}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when \
                 using this {kind} function"
            );
            let help = format!("hierarchy level `{}` of {}", place.level.name, place.config.path);
            Err(Error::new(ErrorKind::Arguments, message).help(help))
        }
    }
}

fn format_of(backend: &Backend) -> Option<Format> {
    match backend {
        Backend::Yaml | Backend::Eyaml => Some(Format::Yaml),
        Backend::Json => Some(Format::Json),
        Backend::Hocon => Some(Format::Hocon),
        Backend::Unavailable(_) | Backend::DataHash(_) | Backend::LookupKey(_) | Backend::DataDig(_) => None,
    }
}

fn call(place: Place<'_>, location: Option<&Location>, function: &Arc<str>) -> BackendCall {
    let location = location.map_or("", |location| location.option().1);
    BackendCall {
        function: Arc::clone(function),
        module: place.module.cloned(),
        location: format!("{}: {}: {location}", place.config.path, place.level.name).into(),
    }
}

/// Checks that a value is one that data can have.
fn checked(value: Value, key: &str, origin: &str) -> Result<Value, Error> {
    if is_data(&value) {
        return Ok(value);
    }
    let got = pp_types::generalize(&pp_types::infer(&value));
    let message = format!("Value for key '{key}', {origin} has wrong type, expects Puppet::LookupValue, got {got}");
    Err(Error::new(ErrorKind::Mismatch, message))
}

fn is_data(value: &Value) -> bool {
    with_stack(|| match value {
        Value::Default | Value::Iterator(_) | Value::Deferred(_) | Value::Error(_) => false,
        Value::Array(elements) => elements.iter().all(is_data),
        Value::Hash(entries) => entries.iter().all(|(key, value)| {
            matches!(key, Value::String(_) | Value::Integer(_) | Value::Float(_)) && is_data(value)
        }),
        Value::Sensitive(inner) => is_data(inner),
        _ => true,
    })
}

fn unavailable(function: &str) -> Error {
    error(format!("the backend '{function}' is not available")).help(
        "backends are `yaml_data`, `json_data`, `hocon_data`, `eyaml_lookup_key`, and functions in the Puppet language",
    )
}
