//! The attributes of one resource while it is translated.

use std::path::PathBuf;

use mcl_value::Value;
use rustc_hash::FxHashSet;

use crate::catalog::CatalogResource;
use crate::translate::native::Native;
use crate::translate::options::TranslateOptions;
use crate::value::PuppetValue;

/// The state of the translation of one resource.
pub(crate) struct Rules<'a> {
    pub(super) resource: &'a CatalogResource,
    pub(super) options: &'a TranslateOptions,
    pub(super) used: FxHashSet<&'a str>,
    /// The attributes that are approximated, and how.
    pub(super) approximations: Vec<String>,
    /// The attributes that make the resource a fallback.
    pub(super) unsupported: Vec<String>,
    /// The files that were read.
    pub(super) read: Vec<PathBuf>,
}

impl<'a> Rules<'a> {
    /// Returns the value of a parameter and marks it as handled.
    pub(super) fn take(&mut self, name: &'static str) -> Option<&'a PuppetValue> {
        self.used.insert(name);
        self.resource.parameter(name)
    }

    /// Returns a parameter as a string; numbers and booleans are converted.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.take(name)?;
        let text = value.scalar_text();
        if text.is_none() {
            self.unsupported(format!("unexpected type of `{name}`"));
        }
        text
    }

    /// Returns a parameter whose name is data as a string.
    pub(super) fn text_of(&mut self, name: &'a str) -> Option<String> {
        self.used.insert(name);
        self.resource.parameter(name).and_then(PuppetValue::scalar_text)
    }

    /// Returns a boolean, which may be given as one of the strings that Puppet accepts.
    pub(super) fn flag(&mut self, name: &'static str) -> Option<bool> {
        let text = self.text(name)?;
        match text.as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => {
                self.unsupported(format!("invalid boolean `{name} => {text}`"));
                None
            }
        }
    }

    /// Marks parameters that need no translation as handled.
    pub(super) fn ignore(&mut self, names: &[&'static str]) {
        self.used.extend(names);
    }

    /// Returns the name attribute, or the title.
    pub(super) fn named(&mut self, namevar: &'static str) -> String {
        self.text(namevar).unwrap_or_else(|| self.resource.reference.title.to_string())
    }

    pub(super) fn approximate(&mut self, how: impl Into<String>) {
        self.approximations.push(how.into());
    }

    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.unsupported.push(what.into());
    }

    /// Copies a string parameter.
    pub(super) fn carry(&mut self, native: &mut Native, from: &'static str, to: &'static str) {
        if let Some(text) = self.text(from) {
            native.set(to, Value::str(text));
        }
    }
}
