//! What a compilation keeps between lookups, and one lookup with its host.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pp_eyaml::PrivateKey;
use pp_types::{Error, Hash, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{Config, Notice};
use crate::data::{DataFile, Format};
use crate::explain::{Explainer, Explanation};
use crate::files::{DataFiles, KeySource, Layer};
use crate::host::{BackendCall, Host};
use crate::options::LookupOptions;
use crate::problem::error;

/// Parsed files, by format and path; `None` for a file that does not exist.
type ParsedFiles = FxHashMap<(Format, Rc<str>), Option<Rc<DataFile>>>;

/// Decrypted values, by file and key.
type DecryptedValues = FxHashMap<(Rc<str>, Arc<str>), Value>;

/// The data of a compilation. Everything that is read is kept until it ends.
pub struct Hiera<'f> {
    pub(crate) files: &'f dyn DataFiles,
    pub(crate) explainer: Explainer,
    pub(crate) configs: RefCell<FxHashMap<Layer, Option<Rc<Config>>>>,
    /// The files that were read.
    pub(crate) data: RefCell<ParsedFiles>,
    /// Whether files exist that functions read.
    pub(crate) existing: RefCell<FxHashMap<Rc<str>, bool>>,
    /// Results of functions that return all values, with their options.
    pub(crate) results: RefCell<FxHashMap<(BackendCall, Value), Rc<Hash>>>,
    /// `lookup_options` for the keys of a module, and for others.
    pub(crate) options: RefCell<FxHashMap<Option<Arc<str>>, Rc<LookupOptions>>>,
    /// The keys that are being looked up, outermost first.
    pub(crate) active: RefCell<Vec<Arc<str>>>,
    /// Remarks of the running backend.
    pub(crate) remarks: RefCell<Vec<String>>,
    /// The keys that were read.
    pub(crate) keys: RefCell<FxHashMap<KeySource, Rc<PrivateKey>>>,
    /// Decrypted values, by file and key.
    pub(crate) decrypted: RefCell<DecryptedValues>,
    /// The texts that were decrypted.
    pub(crate) secrets: RefCell<FxHashSet<Arc<str>>>,
    /// Warnings that were given.
    pub(crate) warned: RefCell<FxHashSet<String>>,
}

impl std::fmt::Debug for Hiera<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hiera").field("active", &self.active).finish_non_exhaustive()
    }
}

impl<'f> Hiera<'f> {
    /// Creates the state of a compilation that has read nothing.
    #[must_use]
    pub fn new(files: &'f dyn DataFiles) -> Hiera<'f> {
        Hiera {
            files,
            explainer: Explainer::default(),
            configs: RefCell::default(),
            data: RefCell::default(),
            existing: RefCell::default(),
            results: RefCell::default(),
            options: RefCell::default(),
            active: RefCell::default(),
            remarks: RefCell::default(),
            keys: RefCell::default(),
            decrypted: RefCell::default(),
            secrets: RefCell::default(),
            warned: RefCell::default(),
        }
    }

    /// Looks a key up. The merge is what `lookup` takes: a name or a hash. `None` if there is no value.
    ///
    /// # Errors
    /// Invalid keys, merges, configurations and data; the errors of backends.
    pub fn lookup(&self, host: &mut dyn Host, key: &str, merge: Option<&Value>) -> Result<Option<Value>, Error> {
        Session { hiera: self, host, element: None, interpolations: 0 }.lookup(key, merge)
    }

    /// Returns the texts of encrypted values that were decrypted: nobody but the machine should see them. Sorted, the longest
    /// first.
    #[must_use]
    pub fn secrets(&self) -> Vec<Arc<str>> {
        let mut secrets: Vec<Arc<str>> = self.secrets.borrow().iter().cloned().collect();
        secrets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets
    }

    /// Records how values are found, until [`end_explanation`](Self::end_explanation).
    pub fn start_explanation(&self) {
        self.explainer.start();
    }

    /// Returns how the values were found that were looked up since [`start_explanation`](Self::start_explanation), also after an
    /// error.
    pub fn end_explanation(&self) -> Explanation {
        self.explainer.finish()
    }

    /// Looks the `lookup_options` up that apply to a key, as an explanation shows them by themselves.
    ///
    /// # Errors
    /// Invalid keys, configurations and data; the errors of backends.
    pub fn lookup_options(&self, host: &mut dyn Host, key: &str) -> Result<Option<Value>, Error> {
        Session { hiera: self, host, element: None, interpolations: 0 }.merged_options(key)
    }

    /// Interpolates a value: what the context of a backend offers.
    ///
    /// # Errors
    /// Invalid expressions, and those of the lookups in it.
    pub fn interpolate(&self, host: &mut dyn Host, value: &Value) -> Result<Value, Error> {
        Session { hiera: self, host, element: None, interpolations: 0 }.interpolate(value)
    }

    /// Adds a remark of a backend to the explanation.
    pub fn remark(&self, text: &str) {
        if self.is_explaining() {
            self.remarks.borrow_mut().push(text.to_owned());
        }
    }

    /// Returns whether an explanation is requested.
    #[must_use]
    pub fn is_explaining(&self) -> bool {
        self.explainer.is_active()
    }

    /// Reads a file for a backend.
    ///
    /// # Errors
    /// A file that does not exist, cannot be read, or is not UTF-8.
    pub fn read_text(&self, path: &str) -> Result<String, Error> {
        let bytes = self.files.read(path)?.ok_or_else(|| error(format!("No such file: {path}")))?;
        std::str::from_utf8(&bytes).map(str::to_owned).map_err(|_| error(format!("{path} is not UTF-8")))
    }
}

/// A lookup that is under way.
pub(crate) struct Session<'a, 'f> {
    pub hiera: &'a Hiera<'f>,
    pub host: &'a mut dyn Host,
    /// The element of `mapped_paths` that a path is for, by its name.
    pub element: Option<(Arc<str>, Value)>,
    /// The interpolations that are under way.
    pub interpolations: u32,
}

impl Session<'_, '_> {
    /// Reports a warning once.
    pub(crate) fn warn_once(&mut self, message: String) {
        if !self.hiera.warned.borrow().contains(&message) {
            self.host.warn(&message);
            self.hiera.warned.borrow_mut().insert(message);
        }
    }

    /// Returns the configuration of a layer; `None` if it has none.
    pub(crate) fn config(&mut self, layer: &Layer) -> Result<Option<Rc<Config>>, Error> {
        if let Some(known) = self.hiera.configs.borrow().get(layer) {
            return Ok(known.clone());
        }
        let config = match self.hiera.files.config(layer) {
            Some(file) => {
                let bytes = self.hiera.files.read(&file.path)?.unwrap_or_default();
                let text = std::str::from_utf8(&bytes).map_err(|_| error(format!("({}): not UTF-8", file.path)))?;
                Some(Rc::new(crate::config_file::read(layer, &file, text)?))
            }
            None => None,
        };
        for notice in config.iter().flat_map(|config| &config.notices) {
            match notice {
                Notice::Deprecated(message) => self.host.deprecate(message),
                Notice::Warning(message) => self.host.warn(message),
            }
        }
        // What is ignored is not there.
        let config = config.filter(|config| !config.is_ignored);
        self.hiera.configs.borrow_mut().insert(layer.clone(), config.clone());
        Ok(config)
    }
}
