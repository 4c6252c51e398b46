//! Hides what was encrypted in data (spec 07 §10.4): parameters with such a text are sensitive, and no message shows it.

use std::sync::Arc;

use mcl_diagnostics::Diagnostic;
use pp_catalog::Catalog;
use pp_types::{Value, with_stack};

use crate::log::LogEntry;

/// What stands for a secret in messages.
const MASK: &str = "********";
/// The shortest secret that is looked for inside other texts, in bytes. A shorter one is often there by accident.
const MIN_BYTES: usize = 4;

/// Texts that were decrypted, the longest first.
pub(crate) struct Secrets(Vec<Arc<str>>);

impl Secrets {
    pub(crate) fn new(texts: Vec<Arc<str>>) -> Secrets {
        Secrets(texts)
    }

    /// Marks the parameters that have a secret, and masks it in messages.
    pub(crate) fn hide(&self, catalog: &mut Catalog, log: &mut [LogEntry], diagnostics: &mut [Diagnostic]) {
        if self.0.is_empty() {
            return;
        }
        catalog.mark_sensitive(|value| self.is_in(value));
        for entry in log {
            self.mask(&mut entry.message);
            entry.help.iter_mut().for_each(|help| self.mask(help));
        }
        for diagnostic in diagnostics {
            let labels = diagnostic.labels.iter_mut().map(|label| &mut label.text);
            let texts = [&mut diagnostic.message, &mut diagnostic.span_label].into_iter().chain(labels);
            texts.chain(&mut diagnostic.help).for_each(|text| self.mask(text));
        }
    }

    fn mask(&self, text: &mut String) {
        for secret in self.0.iter().filter(|secret| secret.len() >= MIN_BYTES) {
            if text.contains(&**secret) {
                *text = text.replace(&**secret, MASK);
            }
        }
    }

    fn is_in(&self, value: &Value) -> bool {
        with_stack(|| match value {
            Value::String(text) => {
                self.0.iter().any(|secret| text == secret || secret.len() >= MIN_BYTES && text.contains(&**secret))
            }
            Value::Sensitive(inner) => self.is_in(inner),
            Value::Array(elements) => elements.iter().any(|element| self.is_in(element)),
            Value::Hash(entries) => entries.iter().any(|(key, value)| self.is_in(key) || self.is_in(value)),
            Value::Deferred(deferred) => {
                deferred.arguments.iter().flat_map(|given| given.iter()).any(|argument| self.is_in(argument))
            }
            _ => false,
        })
    }
}
