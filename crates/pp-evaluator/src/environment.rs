//! The manifests of an environment.

use std::sync::Arc;

use mcl_diagnostics::Files;
use pp_ast::Tree;
use serde::{Deserialize, Serialize};

/// The manifests that are parsed before a compilation: the main manifests, and those of modules that are not to be read when
/// they are needed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Environment {
    /// The files that the spans of the trees refer to.
    pub files: Files,
    /// The parsed manifests, the main ones in the order of their evaluation.
    pub sources: Vec<Source>,
}

/// A parsed manifest.
#[derive(Debug, Serialize, Deserialize)]
pub struct Source {
    /// Where it belongs.
    pub origin: Origin,
    /// Its syntax tree.
    pub tree: Tree,
}

/// Where a manifest belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A main manifest: its code is evaluated, all of them as one program.
    Main,
    /// A file of a module: only its definitions count, and only once one of the names is needed that Puppet looks for in it.
    Module {
        /// The name of the module.
        name: Arc<str>,
        /// The path of the file in the module, which starts with `manifests/`, `functions/` or `types/`.
        path: Arc<str>,
    },
}
