//! How to translate.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pp_resource_types::KnownTypes;

/// How to handle a resource without a native equivalent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackPolicy {
    /// Apply it with an installed Puppet.
    #[default]
    Puppet,
    /// Report an error.
    Error,
}

/// How to translate.
#[derive(Clone, Debug)]
pub struct TranslateOptions {
    /// How to handle resources without a native equivalent.
    pub fallback: FallbackPolicy,
    /// The directories of modules, for `puppet:///modules/…` sources.
    pub module_path: Vec<PathBuf>,
    /// The files of modules that are at hand, by their paths: `modules/NAME/files/…`.
    pub module_files: Arc<BTreeMap<String, Vec<u8>>>,
    /// The resource types, with those of modules.
    pub types: KnownTypes,
    /// Seconds between two runs of a fallback (Puppet's `runinterval`).
    pub run_interval: u32,
}

impl Default for TranslateOptions {
    fn default() -> TranslateOptions {
        TranslateOptions {
            fallback: FallbackPolicy::default(),
            module_path: Vec::new(),
            module_files: Arc::default(),
            types: KnownTypes::core(),
            run_interval: 1800,
        }
    }
}
