//! The manifests of an environment.

use std::sync::Arc;

use mcl_diagnostics::Files;
use pp_ast::Tree;
use serde::{Deserialize, Serialize};

/// All manifests that a node's catalog can be compiled of: the main manifests and those of the modules.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Environment {
    /// The files that the spans of the trees refer to.
    pub files: Files,
    /// The parsed manifests: first the main manifests in the order of their evaluation, then those of the modules.
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
    /// A file in `manifests`, `functions` or `types` of a module: only its definitions count.
    Module(Arc<str>),
}
