//! The Puppet side: a translated artifact, a catalog, or manifests that an installed Puppet compiles.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_translate::TranslateOptions;
use resource_graph::{ResourceGraph, StoredGraph};

/// Where the Puppet graph comes from.
#[derive(Clone, Debug)]
pub struct PuppetSource {
    path: PathBuf,
    options: TranslateOptions,
}

impl PuppetSource {
    /// A source; nothing is read yet.
    #[must_use]
    pub fn new(path: PathBuf, options: TranslateOptions) -> PuppetSource {
        // Watching wants to know every directory above; a working directory that is gone makes reading fail anyway.
        PuppetSource { path: std::path::absolute(&path).unwrap_or(path), options }
    }

    /// How often to load it again without a change of the path: manifests also depend on modules, data and facts, which only
    /// Puppet knows.
    #[must_use]
    pub fn interval(&self) -> Option<Duration> {
        let manifests = self.path.is_dir() || self.path.extension().is_some_and(|e| e == "pp");
        manifests.then(|| Duration::from_secs(u64::from(self.options.run_interval.max(1))))
    }

    /// The file or directory to watch for changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads, compiles and translates what is there now.
    ///
    /// # Errors
    /// Everything that is wrong with it; the caller keeps its last good graph.
    pub fn load(&self) -> Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>> {
        let bytes = pp_translate::load_catalog(&self.path, None).map_err(|e| vec![e])?;
        if mcl_artifact::is_artifact(&bytes) {
            let stored: StoredGraph = mcl_artifact::read(&bytes, ArtifactStage::Puppet).map_err(|e| vec![e])?;
            let damaged = |why: &dyn std::fmt::Display| {
                let text = format!("the translated catalog {} is damaged: {why}", self.path.display());
                vec![Diagnostic::error(Code::P0109, Stage::Puppet, text).help("translate the catalog again")]
            };
            let graph = stored.graph().map_err(|e| damaged(&e))?;
            graph.topological_order().map_err(|e| damaged(&e))?;
            return Ok((graph, Vec::new()));
        }
        let (catalog, mut warnings) = pp_translate::read_catalog(&bytes)?;
        let relationships = pp_translate::build_relationships(catalog)?;
        let translation = pp_translate::translate(&relationships, &self.options)?;
        warnings.extend(translation.warnings);
        Ok((translation.graph, warnings))
    }
}
