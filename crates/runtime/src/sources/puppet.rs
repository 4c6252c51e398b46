//! The Puppet source: a translated artifact, a catalog, or manifests that an installed Puppet compiles.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_translate::TranslateOptions;
use resource_graph::{ResourceGraph, StoredGraph};

/// The location of a Puppet graph, and how to translate it.
#[derive(Clone, Debug)]
pub struct PuppetSource {
    path: PathBuf,
    options: TranslateOptions,
}

impl PuppetSource {
    /// Makes a source without reading anything.
    #[must_use]
    pub fn new(path: PathBuf, options: TranslateOptions) -> PuppetSource {
        // Every directory above the path is watched. If the working directory is gone, reading fails later anyway.
        PuppetSource { path: std::path::absolute(&path).unwrap_or(path), options }
    }

    /// Returns the time after which to load it again without a change of the path; `None` for never. Manifests also depend
    /// on modules, data and facts, which only Puppet knows.
    #[must_use]
    pub fn interval(&self) -> Option<Duration> {
        let manifests = self.path.is_dir() || self.path.extension().is_some_and(|e| e == "pp");
        manifests.then(|| Duration::from_secs(u64::from(self.options.run_interval.max(1))))
    }

    /// Returns the file or directory to watch.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads, compiles and translates the current content; returns the graph and warnings.
    ///
    /// # Errors
    /// All errors of the catalog or its translation.
    pub fn load(&self) -> Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>> {
        let bytes = pp_translate::load_catalog(&self.path, None).map_err(|e| vec![e])?;
        if mcl_artifact::is_artifact(&bytes) {
            let stored: StoredGraph = mcl_artifact::read(&bytes, ArtifactStage::Puppet).map_err(|e| vec![e])?;
            let corrupted = |cause: &dyn Display| {
                let message = format!("the translated catalog {} is corrupted: {cause}", self.path.display());
                vec![Diagnostic::error(Code::P0109, Stage::Puppet, message).help("translate the catalog again")]
            };
            let graph = stored.graph().map_err(|e| corrupted(&e))?;
            graph.check_declared_order().map_err(|e| corrupted(&e))?;
            return Ok((graph, Vec::new()));
        }
        let (catalog, mut warnings) = pp_translate::read_catalog(&bytes)?;
        let relationships = pp_translate::build_relationships(catalog)?;
        let translation = pp_translate::translate(&relationships, &self.options)?;
        warnings.extend(translation.warnings);
        Ok((translation.graph, warnings))
    }
}
