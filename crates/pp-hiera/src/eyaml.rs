//! Files of YAML with encrypted values: the backend `eyaml_lookup_key` (spec 07 §10.4).
//!
//! A value is decrypted when it is looked up, and then interpolated. The texts are remembered, so that logs and messages can
//! hide them.

use std::rc::Rc;
use std::sync::Arc;

use pp_eyaml::{Decrypted, PrivateKey, decrypt, is_encrypted};
use pp_types::{Error, ErrorKind, Hash, Value, with_stack};

use crate::backend::{Place, path_of};
use crate::data::Format;
use crate::explain::Step;
use crate::files::KeySource;
use crate::hierarchy::Location;
use crate::key::Key;
use crate::problem::error;
use crate::session::Session;
use crate::yaml::Note;

/// The function in `hiera.yaml`.
const FUNCTION: &str = "eyaml_lookup_key";
/// The options that name the private key, and a variable of the environment that holds it.
const KEY_FILE: &str = "pkcs7_private_key";
const KEY_VARIABLE: &str = "pkcs7_private_key_env_var";

impl Session<'_, '_> {
    /// Returns the value of the root of a key in a file, decrypted.
    pub(crate) fn in_eyaml_file(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        key: &Key,
    ) -> Result<Option<Value>, Error> {
        let path = path_of(place, location, FUNCTION, "lookup_key")?;
        let Some(file) = self.data_file(Format::Yaml, path)? else {
            self.hiera.explainer.note(|| Step::NoFile, None);
            return Ok(None);
        };
        let name = Value::String(Arc::clone(&key.root));
        let Some(value) = file.entries.get(&name) else { return Ok(None) };
        let note = file.notes.get(&name);
        if let Some(Note { problem: Some(problem), .. }) = note {
            let origin = format!("returned from lookup_key function '{FUNCTION}', when using location '{path}'");
            return Err(problem.error(&key.root, &origin));
        }
        let id = (Rc::clone(path), Arc::clone(&key.root));
        let known = self.hiera.decrypted.borrow().get(&id).cloned();
        let value = match known {
            Some(known) => known,
            None => {
                let mut private_key = None;
                let in_place = |error: Error| {
                    let Error { kind, message, help, .. } = error;
                    let message = format!(
                        "hiera-eyaml backend error decrypting ENC[…] when looking up {} in {path}. Error was {message}",
                        key.root
                    );
                    let error = Error::new(kind, message);
                    match help {
                        Some(help) => error.help(help),
                        None => error,
                    }
                };
                let value = self.decrypted(place, location, value, &mut private_key).map_err(in_place)?;
                self.hiera.decrypted.borrow_mut().insert(id, value.clone());
                value
            }
        };
        self.interpolate(&value).map(Some)
    }

    /// Decrypts the strings in a value; keys of hashes stay.
    fn decrypted(
        &mut self,
        place: Place<'_>,
        location: Option<&Location>,
        value: &Value,
        key: &mut Option<Rc<PrivateKey>>,
    ) -> Result<Value, Error> {
        with_stack(|| match value {
            Value::String(text) if is_encrypted(text) => {
                let key = match key {
                    Some(key) => Rc::clone(key),
                    None => Rc::clone(key.insert(self.private_key(place, location)?)),
                };
                self.decrypted_text(text, &key)
            }
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| self.decrypted(place, location, element, key));
                Ok(Value::array(elements.collect::<Result<_, _>>()?))
            }
            Value::Hash(entries) => {
                let mut out = Hash::default();
                for (name, element) in entries.iter() {
                    out.insert(name.clone(), self.decrypted(place, location, element, key)?);
                }
                Ok(Value::hash(out))
            }
            other => Ok(other.clone()),
        })
    }

    fn decrypted_text(&mut self, text: &str, key: &PrivateKey) -> Result<Value, Error> {
        let Decrypted { bytes, secrets } = decrypt(text, key).map_err(|failed| error(failed.to_string()))?;
        let texts = secrets.into_iter().filter_map(|secret| String::from_utf8(secret).ok());
        let texts =
            texts.map(|text| Arc::from(text.trim_end_matches(['\r', '\n']))).filter(|text: &Arc<str>| !text.is_empty());
        self.hiera.secrets.borrow_mut().extend(texts);
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Value::from(text),
            Err(other) => Value::Binary(other.into_bytes().into()),
        })
    }

    /// Returns the key that the options of a level name.
    fn private_key(&mut self, place: Place<'_>, location: Option<&Location>) -> Result<Rc<PrivateKey>, Error> {
        let Value::Hash(options) = self.options(place, location)? else { return Err(no_key(place)) };
        let option = |name: &str| match options.get(&Value::from(name)) {
            Some(Value::String(text)) if !text.is_empty() => Some(Arc::clone(text)),
            _ => None,
        };
        let source = match (option(KEY_VARIABLE), option(KEY_FILE)) {
            (Some(variable), _) => KeySource::Variable(variable),
            (None, Some(path)) => KeySource::File(place.config.in_root(&path).into()),
            (None, None) => return Err(no_key(place)),
        };
        if let Some(known) = self.hiera.keys.borrow().get(&source) {
            return Ok(Rc::clone(known));
        }
        let pem = self.hiera.files.private_key(&source)?;
        let name = match &source {
            KeySource::File(path) => path.to_string(),
            KeySource::Variable(variable) => format!("the variable {variable}"),
        };
        let key = PrivateKey::from_pem(&pem).map_err(|failed| {
            error(format!("{failed}: {name}"))
                .help("`eyaml createkeys` makes a key, `openssl rsa -in FILE` removes a password")
        })?;
        let key = Rc::new(key);
        self.hiera.keys.borrow_mut().insert(source, Rc::clone(&key));
        Ok(key)
    }
}

fn no_key(place: Place<'_>) -> Error {
    let message = format!("the hierarchy level `{}` of {} names no private key", place.level.name, place.config.path);
    Error::new(ErrorKind::Arguments, message)
        .help(format!("add `options:` with `{KEY_FILE}: /path/to/private_key.pkcs7.pem` or `{KEY_VARIABLE}: NAME`"))
}
