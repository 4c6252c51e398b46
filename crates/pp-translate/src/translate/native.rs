//! A native resource under construction.

use mcl_value::Value;
use resource_graph::Meta;

/// A native resource under construction.
pub(crate) struct Native {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) params: Vec<(&'static str, Value)>,
    pub(super) meta: Meta,
    pub(super) sensitive: Vec<&'static str>,
    /// Set for resources without work of their own.
    pub(super) propagates_refresh: bool,
}

impl Native {
    pub(super) fn new(kind: &'static str, name: impl Into<String>) -> Native {
        Native {
            kind,
            name: name.into(),
            params: Vec::new(),
            meta: Meta::default(),
            sensitive: Vec::new(),
            propagates_refresh: false,
        }
    }

    pub(super) fn set(&mut self, field: &'static str, value: Value) {
        self.params.push((field, value));
    }
}
