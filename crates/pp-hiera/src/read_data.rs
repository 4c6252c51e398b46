//! Reads files of data, each once.

use std::rc::Rc;
use std::sync::Arc;

use pp_types::{Error, Value, describe_mismatch};

use crate::data::{DataFile, Format};
use crate::hocon;
use crate::json;
use crate::problem::error;
use crate::session::Session;
use crate::yaml::{self, Document};

impl Session<'_, '_> {
    /// Returns a file of data; `None` if it does not exist.
    pub(crate) fn data_file(&mut self, format: Format, path: &Rc<str>) -> Result<Option<Rc<DataFile>>, Error> {
        let key = (format, Rc::clone(path));
        if let Some(known) = self.hiera.data.borrow().get(&key) {
            return Ok(known.clone());
        }
        let file = match self.hiera.files.read(path)? {
            Some(bytes) => Some(Rc::new(self.parse(format, path, &bytes)?)),
            None => None,
        };
        self.hiera.data.borrow_mut().insert(key, file.clone());
        Ok(file)
    }

    fn parse(&mut self, format: Format, path: &str, bytes: &[u8]) -> Result<DataFile, Error> {
        let unparsable = |why: String| error(format!("Unable to parse ({path}): {why}"));
        let text = std::str::from_utf8(bytes).map_err(|invalid| {
            let line = bytes[..invalid.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            unparsable(format!("invalid UTF-8 at line {line}"))
        })?;
        let Document { value, notes, .. } = match format {
            Format::Json => json::load(text).map_err(|invalid| unparsable(invalid.to_string()))?,
            Format::Yaml => yaml::load(text).map_err(|invalid| unparsable(invalid.0))?,
            Format::Hocon => hocon::load(text).map_err(|invalid| unparsable(invalid.0))?,
        };
        match value {
            Some(Value::Hash(mut entries)) => {
                let entries = match Arc::get_mut(&mut entries) {
                    Some(own) => std::mem::take(&mut own.0),
                    None => entries.0.clone(),
                };
                Ok(DataFile { entries, notes, ..DataFile::default() })
            }
            Some(other) if format != Format::Yaml => {
                let subject = format!(
                    "Value returned from data_hash function '{}', when using location '{path}', has wrong type,",
                    format.function()
                );
                match pp_types::parse_type("Hash", &|_| None) {
                    Ok(ty) => Err(error(describe_mismatch(&subject, &ty, &other))),
                    Err(other) => Err(other),
                }
            }
            _ => {
                self.warn_once(format!("{path}: file does not contain a valid yaml hash"));
                Ok(DataFile::default())
            }
        }
    }
}
