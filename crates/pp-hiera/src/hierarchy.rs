//! Where the data of a level is, for the present values of variables.

use std::rc::Rc;
use std::sync::Arc;

use pp_types::{Error, Value};

use crate::config::{Config, Level, Locations};
use crate::containment::Boundary;
use crate::files::join;
use crate::glob;
use crate::key::Key;
use crate::problem::error;
use crate::session::Session;

/// Where data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// A file.
    Path {
        path: Rc<str>,
        /// The path before interpolation, or the pattern.
        original: Arc<str>,
    },
    /// Something that a backend knows.
    Uri { uri: Arc<str>, original: Arc<str> },
}

impl Location {
    /// Returns the option that a backend gets, and the location as messages name it.
    pub(crate) fn option(&self) -> (&'static str, &str) {
        match self {
            Location::Path { path, .. } => ("path", path),
            Location::Uri { uri, .. } => ("uri", uri),
        }
    }
}

impl Session<'_, '_> {
    /// Returns the locations of a level; `None` if it has none by nature.
    pub(crate) fn locations(&mut self, config: &Config, level: &Level) -> Result<Option<Vec<Location>>, Error> {
        let line = level.line;
        let mut found = Vec::new();
        match &level.locations {
            Locations::None => return Ok(None),
            Locations::Paths(paths) => {
                let directory = self.data_directory(config, level)?;
                for original in paths {
                    let path = self.interpolate_config(config, line, original)?;
                    let path = join(&directory, &format!("{path}{}", level.extension)).into();
                    self.check_path(&Boundary::new(config, level, original), config, level, &path)?;
                    found.push(Location::Path { path, original: Arc::clone(original) });
                }
            }
            Locations::Globs(patterns) => {
                let directory = self.data_directory(config, level)?;
                for template in patterns {
                    let boundary = Boundary::new(config, level, template);
                    let pattern = join(&directory, &self.interpolate_config(config, line, template)?);
                    let original: Arc<str> = pattern.as_str().into();
                    for path in glob::expand(self.hiera.files, &pattern) {
                        let path = path.into();
                        self.check_path(&boundary, config, level, &path)?;
                        found.push(Location::Path { path, original: Arc::clone(&original) });
                    }
                }
            }
            Locations::Uris(uris) => {
                for original in uris {
                    let uri = self.interpolate_config(config, line, original)?.into();
                    found.push(Location::Uri { uri, original: Arc::clone(original) });
                }
            }
            Locations::Mapped { variable, element, template } => {
                let directory = self.data_directory(config, level)?;
                let boundary = Boundary::new(config, level, template);
                for value in self.mapped_elements(config, variable)? {
                    self.element = Some((Arc::clone(element), value));
                    let path = self.interpolate_config(config, line, template);
                    self.element = None;
                    let path = join(&directory, &path?).into();
                    self.check_path(&boundary, config, level, &path)?;
                    found.push(Location::Path { path, original: Arc::clone(template) });
                }
            }
        }
        Ok(Some(found))
    }

    /// Rejects a file that is outside of what its level may read. A path without a file is merely not found: a variable without
    /// a value often makes one.
    fn check_path(&mut self, boundary: &Boundary, config: &Config, level: &Level, path: &Rc<str>) -> Result<(), Error> {
        match boundary.check(config, level, path) {
            Err(outside) if self.is_file(path)? => Err(outside),
            _ => Ok(()),
        }
    }

    fn data_directory(&mut self, config: &Config, level: &Level) -> Result<String, Error> {
        let directory = self.interpolate_config(config, level.line, &level.datadir)?;
        Ok(config.in_root(&directory))
    }

    /// Returns the elements of an array, the pairs of a hash, or another value itself.
    fn mapped_elements(&mut self, config: &Config, variable: &str) -> Result<Vec<Value>, Error> {
        let key = Key::parse(variable)
            .map_err(|_| error(format!("Syntax error in string: {variable} (file: {})", config.path)))?;
        Ok(match self.plain_variable(&key)? {
            None | Some(Value::Undef) => Vec::new(),
            Some(Value::Array(elements)) => elements.to_vec(),
            Some(Value::Hash(entries)) => {
                entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
            }
            Some(other) => vec![other],
        })
    }
}
