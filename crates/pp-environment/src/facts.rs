//! The facts of a node, as files hold them (spec 07 §1.1, §5.15).

use std::path::Path;
use std::sync::Arc;

use pp_facts::{Document, parse_document};
use pp_types::Hash;

use crate::error::EnvironmentError;
use crate::read::read_file;

/// The facts of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The name of the node, where the file says it.
    pub node: Option<Arc<str>>,
    /// The facts.
    pub values: Hash,
}

impl Facts {
    /// Reads a file of facts: YAML or JSON, either the facts themselves (as `facter` prints them) or a document with `name` and
    /// `values` (as Puppet stores them).
    ///
    /// # Errors
    /// A file that cannot be read, or does not hold a hash of facts.
    pub fn read(path: &Path) -> Result<Facts, EnvironmentError> {
        let bytes = read_file(path)?;
        let invalid = |reason| EnvironmentError::InvalidFacts { path: path.to_owned(), reason };
        let text = std::str::from_utf8(&bytes).map_err(|_| invalid("the file is not UTF-8".to_owned()))?;
        let Document { node, values } = parse_document(text).map_err(|error| invalid(error.to_string()))?;
        Ok(Facts { node, values })
    }
}
