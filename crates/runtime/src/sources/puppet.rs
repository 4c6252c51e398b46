//! The Puppet source: a translated artifact, a catalog, or manifests, which are compiled with the facts of this machine.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Severity, Stage};
use pp_environment::HostFacts;
use pp_translate::{TranslateOptions, Translation};
use resource_graph::{ResourceGraph, StoredGraph};

use crate::protection::any_unprotected;
use crate::sources::manifests::{self, CompiledCatalog, HostFactUse, PuppetNode};

/// The location of a Puppet graph, and how to compile and translate it.
#[derive(Clone, Debug)]
pub struct PuppetSource {
    path: PathBuf,
    node: PuppetNode,
    options: TranslateOptions,
    /// Whether code and data that another user can change are an error, or a warning.
    must_be_protected: bool,
}

/// A graph, or all errors.
type Loaded = Result<Translated, Vec<Diagnostic>>;

/// A catalog that was translated.
struct Translated {
    graph: ResourceGraph,
    warnings: Vec<Diagnostic>,
    /// The files of modules that were copied into the graph.
    read: Vec<PathBuf>,
}

/// What a Puppet source made.
#[derive(Debug)]
pub struct PuppetLoad {
    /// The graph and warnings, or all errors of the manifests, the catalog or its translation.
    pub result: Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>>,
    /// The files that it depends on, besides the path itself.
    pub dependencies: Vec<PathBuf>,
    /// The directories that it depends on with the files in them.
    pub directories: Vec<PathBuf>,
    /// The facts of this machine that it depends on.
    pub(super) host_facts: Option<HostFactUse>,
}

impl PuppetLoad {
    fn new(loaded: Loaded, mut dependencies: Vec<PathBuf>) -> PuppetLoad {
        let result = loaded.map(|Translated { graph, warnings, read }| {
            dependencies.extend(read);
            (graph, warnings)
        });
        PuppetLoad { result, dependencies, directories: Vec::new(), host_facts: None }
    }
}

impl PuppetSource {
    /// Makes a source without reading anything.
    #[must_use]
    pub fn new(path: PathBuf, node: PuppetNode, options: TranslateOptions) -> PuppetSource {
        // Every directory above the path is watched. If the working directory is gone, reading fails later anyway.
        let path = std::path::absolute(&path).unwrap_or(path);
        PuppetSource { path, node: node.absolute(), options, must_be_protected: true }
    }

    /// Makes code and data that another user can change a warning, for a run that changes nothing.
    #[must_use]
    pub fn with_protection_warnings(self) -> PuppetSource {
        PuppetSource { must_be_protected: false, ..self }
    }

    /// Returns the time after which to load it again without a change of what it depends on; `None` for never. Manifests may
    /// depend on files that appear, and those that an installed Puppet compiles on what only Puppet knows.
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

    /// Reads, compiles and translates the current content. External facts that cannot be read are those of `previous`.
    #[must_use]
    pub fn load(&self, previous: Option<&HostFacts>) -> PuppetLoad {
        let named =
            |found: Vec<Diagnostic>| found.into_iter().map(|found| found.in_file(&self.path)).collect::<Vec<_>>();
        let load = self.load_unnamed(previous);
        let result = load.result.map(|(graph, warnings)| (graph, named(warnings))).map_err(named);
        PuppetLoad { result, ..load }
    }

    /// Does so; what is found does not say in which file.
    fn load_unnamed(&self, previous: Option<&HostFacts>) -> PuppetLoad {
        if self.node.is_native() && pp_environment::is_environment_path(&self.path) {
            let compiled = manifests::compile(&self.path, &self.options.module_path, &self.node, previous);
            let instructions = compiled.instructions;
            let options = TranslateOptions {
                module_path: compiled.module_path,
                module_files: compiled.module_files.into(),
                types: compiled.types,
                ..self.options.clone()
            };
            let loaded = self.protected(&instructions, compiled.result).and_then(|(bytes, mut warnings)| {
                let translated = self.translate(&bytes, &options)?;
                warnings.extend(translated.warnings);
                Ok(Translated { warnings, ..translated })
            });
            let CompiledCatalog { dependencies, directories, host_facts, .. } = compiled;
            return PuppetLoad { directories, host_facts, ..PuppetLoad::new(loaded, dependencies) };
        }
        PuppetLoad::new(self.load_catalog(), Vec::new())
    }

    /// Returns what was made of instructions, unless another user can change them. That user must not choose the error either, so
    /// no other error is reported.
    fn protected<T>(
        &self,
        instructions: &[PathBuf],
        made: Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>,
    ) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        // Those of the command line; a run that changes nothing has warned of them.
        let named = [Some(&self.path), self.node.facts.as_ref(), self.node.hiera_config.as_ref()];
        let named = named.into_iter().flatten().filter(|_| self.must_be_protected);
        let paths = named.chain(instructions);
        let Some(mut unprotected) = any_unprotected(paths.map(PathBuf::as_path)) else { return made };
        if self.must_be_protected {
            return Err(vec![unprotected]);
        }
        unprotected.severity = Severity::Warning;
        made.map(|(value, mut warnings)| {
            warnings.push(unprotected);
            (value, warnings)
        })
    }

    fn load_catalog(&self) -> Loaded {
        let loaded = self.read_catalog().map(|translated| (translated, Vec::new()));
        let (translated, mut warnings) = self.protected(&self.options.module_path, loaded)?;
        warnings.splice(..0, translated.warnings);
        Ok(Translated { warnings, ..translated })
    }

    fn read_catalog(&self) -> Loaded {
        let bytes = pp_translate::load_catalog(&self.path, self.node.name.as_deref()).map_err(|e| vec![e])?;
        if !mcl_artifact::is_artifact(&bytes) {
            // The modules may have changed since the last time.
            let types = pp_environment::resource_types(&self.path, &self.options.module_path);
            return self.translate(&bytes, &TranslateOptions { types, ..self.options.clone() });
        }
        let stored: StoredGraph = mcl_artifact::read(&bytes, ArtifactStage::Puppet).map_err(|e| vec![e])?;
        let corrupted = |cause: &dyn Display| {
            let message = format!("the translated catalog {} is corrupted: {cause}", self.path.display());
            vec![Diagnostic::error(Code::P0109, Stage::Puppet, message).help("translate the catalog again")]
        };
        let graph = stored.graph().map_err(|e| corrupted(&e))?;
        graph.check_declared_order().map_err(|e| corrupted(&e))?;
        Ok(Translated { graph, warnings: Vec::new(), read: Vec::new() })
    }

    /// Translates a catalog in JSON.
    fn translate(&self, bytes: &[u8], options: &TranslateOptions) -> Loaded {
        let (catalog, mut warnings) = pp_translate::read_catalog(bytes)?;
        let mut relationships = pp_translate::build_relationships(catalog, &options.types)?;
        warnings.append(&mut relationships.warnings);
        let mut translation = pp_translate::translate(&relationships, options)?;
        warnings.append(&mut translation.warnings);
        let Translation { graph, read, .. } = translation;
        let (graph, warnings) = self.protected(&read, Ok((graph, warnings)))?;
        Ok(Translated { graph, warnings, read })
    }
}
