//! The merged `lookup_options` (spec 07 §5.13, §10.4).

use std::sync::Arc;

use pp_types::{Error, Hash, HashValue, Regexp, Value};

/// The merged `lookup_options` that apply to a module's keys, or to those without a module.
#[derive(Debug, Default)]
pub(crate) struct LookupOptions {
    exact: Hash,
    /// Options of keys that a regular expression matches, in order.
    patterns: Vec<(Regexp, Arc<HashValue>)>,
}

impl LookupOptions {
    /// Prepares options for being looked up.
    ///
    /// # Errors
    /// An invalid regular expression.
    pub(crate) fn new(options: Option<&Value>) -> Result<LookupOptions, Error> {
        let Some(Value::Hash(options)) = options else { return Ok(LookupOptions::default()) };
        let mut patterns = Vec::new();
        for (key, value) in options.iter() {
            if let (Value::String(key), Value::Hash(value)) = (key, value)
                && key.starts_with('^')
            {
                let pattern = Regexp::new(Arc::clone(key));
                pattern.compiled()?;
                patterns.push((pattern, Arc::clone(value)));
            }
        }
        Ok(LookupOptions { exact: options.0.clone(), patterns })
    }

    /// Returns the options of a key.
    pub(crate) fn of(&self, name: &Arc<str>) -> Result<Option<Arc<HashValue>>, Error> {
        match self.exact.get(&Value::String(Arc::clone(name))) {
            Some(Value::Hash(options)) => return Ok(Some(Arc::clone(options))),
            Some(_) => return Ok(None),
            None => {}
        }
        for (pattern, options) in &self.patterns {
            if pattern.is_match(name)? {
                return Ok(Some(Arc::clone(options)));
            }
        }
        Ok(None)
    }
}
