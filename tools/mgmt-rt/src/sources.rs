//! Which front ends take part: an mcl program, a Puppet catalog, or both.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use graph_merge::UnmatchedPolicy;
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Files, Format, Severity};
use pp_translate::FallbackPolicy;
use resource_graph::ResourceGraph;
use runtime::sources::{GraphMerger, MachineFiles, MergeOutcome, PuppetNode, PuppetSource, Source, SourceEvent};
use runtime::{Commands, Finalized, WaitLimit, finalize, local_host, unprotected};
use serde::{Deserialize, Serialize};

use crate::completions;
use crate::program;
use crate::report;

#[derive(clap::Args, Clone, Debug)]
pub struct Sources {
    /// The program, as written by `mclc build`; optional if --puppet is given
    #[arg(value_name = "OUT.bin", required_unless_present = "puppet", add = completions::programs())]
    pub artifact: Option<PathBuf>,
    /// Puppet code: an environment or a catalog as written by `mclc puppet`, a catalog in JSON, or manifests
    #[arg(long, value_name = "PATH", add = completions::puppet_code())]
    pub puppet: Option<PathBuf>,
    /// The name of the node to compile manifests for [default: the one that the facts are of]
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// The facts to compile manifests with, in YAML or JSON [default: those of this machine]
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Reject manifests that Puppet 8 rejects
    #[arg(long)]
    pub puppet_strict: bool,
    /// What compiles manifests
    #[arg(long, value_enum, value_name = "COMPILER", default_value_t = PuppetCompiler::Native)]
    pub puppet_compiler: PuppetCompiler,
    /// Interval at which resources that call Puppet are applied again, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub puppet_interval: u32,
    /// How to handle Puppet resources without a native equivalent
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = PuppetFallback::Callback)]
    pub puppet_fallback: PuppetFallback,
    /// Directories of Puppet modules, separated by `:`; manifests find classes there, and files that resources copy from a
    /// module are read there
    #[arg(long, aliases = ["puppet-modulepath", "modulepath"], value_name = "DIRS")]
    pub puppet_module_path: Option<OsString>,
    /// The `hiera.yaml` of all environments: the global layer of data
    #[arg(long, value_name = "FILE")]
    pub hiera_config: Option<PathBuf>,
    /// Let an installed Ruby evaluate functions and templates that this program cannot evaluate, in a helper process
    #[arg(long)]
    pub ruby_fallback: bool,
    /// How to handle a merge point that exists on one side only
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = MergeUnmatched::Error)]
    pub merge_unmatched: MergeUnmatched,
    /// Which files Puppet code finds beside itself
    #[arg(skip)]
    pub machine_files: MachineFiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum PuppetCompiler {
    /// This program
    Native,
    /// An installed Puppet
    Puppet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum PuppetFallback {
    /// Apply them with `puppet apply`
    Callback,
    /// Reject them
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum MergeUnmatched {
    /// Reject it
    Error,
    /// Keep both sides separate, with a warning
    Warn,
    /// Keep both sides separate, without a warning
    Ignore,
}

/// Options of the commands that show the first graph only.
#[derive(clap::Args, Clone, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// How long to wait for functions without a value, e.g. a command that has not printed anything yet
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// Run the commands that functions and the guards of `exec` ask for, as `apply` does
    #[arg(long)]
    run_commands: bool,
}

impl Wait {
    /// Whether functions may start commands.
    pub fn commands(&self) -> Commands {
        if self.run_commands { Commands::Run } else { Commands::Unknown }
    }

    /// Returns the limit. `report` is called once, after a few seconds, with what the program is waiting for.
    pub fn limit<'a>(&self, report: &'a mut dyn FnMut(Vec<Diagnostic>)) -> WaitLimit<'a> {
        WaitLimit { limit: Duration::from_secs(self.wait), report }
    }
}

impl Sources {
    /// The Puppet side, if it takes part.
    pub fn puppet_source(&self) -> Option<PuppetSource> {
        let options = pp_translate::TranslateOptions {
            fallback: match self.puppet_fallback {
                PuppetFallback::Callback => FallbackPolicy::Puppet,
                PuppetFallback::Error => FallbackPolicy::Error,
            },
            module_path: self.puppet_module_path.iter().flat_map(std::env::split_paths).collect(),
            run_interval: self.puppet_interval,
            ..pp_translate::TranslateOptions::default()
        };
        let node = PuppetNode {
            name: self.node.clone(),
            facts: self.facts.clone(),
            hiera_config: self.hiera_config.clone(),
            ruby_fallback: self.ruby_fallback,
            strict: self.puppet_strict,
            installed_puppet: self.puppet_compiler == PuppetCompiler::Puppet,
            machine_files: self.machine_files.clone(),
        };
        self.puppet.clone().map(|path| PuppetSource::new(path, node, options))
    }

    /// Returns the merger of the sources' graphs.
    pub fn merger(&self) -> GraphMerger {
        let unmatched = match self.merge_unmatched {
            MergeUnmatched::Error => UnmatchedPolicy::Error,
            MergeUnmatched::Warn => UnmatchedPolicy::Warn,
            MergeUnmatched::Ignore => UnmatchedPolicy::Ignore,
        };
        let sources = [self.artifact.as_ref().map(|_| Source::Mcl), self.puppet.as_ref().map(|_| Source::Puppet)];
        let sources: Vec<Source> = sources.into_iter().flatten().collect();
        GraphMerger::new(&sources, graph_merge::MergeOptions { unmatched })
    }

    /// Returns an error for each file of root's that another user can change. Files that cannot be read are reported later.
    pub fn unprotected(&self) -> Vec<Diagnostic> {
        self.artifact
            .iter()
            .chain(&self.puppet)
            .chain(&self.facts)
            .chain(&self.hiera_config)
            .filter_map(|path| unprotected(path))
            .collect()
    }

    /// Like [`Sources::unprotected`], as warnings.
    pub fn unprotected_warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = self.unprotected();
        warnings.iter_mut().for_each(|warning| warning.severity = Severity::Warning);
        warnings
    }

    /// The program, if there is one; what is wrong with it has been printed when this fails.
    pub fn program(&self, format: Format) -> Result<Option<Arc<Program>>, ExitCode> {
        self.artifact.as_deref().map(|path| program::load(path, &program::read(path)?, format)).transpose()
    }

    /// Returns the first graph of all sources together, without automatic edges, and warnings. Nothing on the machine is touched; what
    /// hosts share is read from the prefix.
    pub fn first_graph(
        &self,
        program: Option<&Arc<Program>>,
        prefix: Option<&Path>,
        wait: WaitLimit<'_>,
        commands: Commands,
    ) -> Result<FirstGraph, Vec<Diagnostic>> {
        let hostname = runtime::hostname();
        let first = program.map(|program| runtime::first_known_graph(program, &hostname, prefix, wait, commands));
        let (graph, unknown) = first.transpose()?.unzip();
        let (graph, mut warnings) = self.merged(graph)?;
        warnings.splice(..0, unknown.unwrap_or_default());
        Ok((graph, warnings))
    }

    /// Merges the graph of the program with that of the Puppet side, and returns warnings, too.
    ///
    /// # Errors
    /// Those of the Puppet side and of the merge.
    pub fn merged(&self, program: Option<ResourceGraph>) -> Result<FirstGraph, Vec<Diagnostic>> {
        let mut warnings = Vec::new();
        let mut events: Vec<(Source, SourceEvent)> =
            program.into_iter().map(|graph| (Source::Mcl, SourceEvent::Graph(graph))).collect();
        if let Some(source) = self.puppet_source() {
            let (graph, more) = source.with_protection_warnings().load(None).result?;
            warnings.extend(more);
            events.push((Source::Puppet, SourceEvent::Graph(graph)));
        }
        match self.merger().handle(events).pop() {
            Some(MergeOutcome::Graph(graph, more)) => {
                warnings.extend(more);
                Ok((graph, warnings))
            }
            Some(MergeOutcome::Failed(errors)) => Err(errors),
            // All sources have delivered a graph, so the merger does not wait.
            Some(MergeOutcome::Waiting) | None => Ok((ResourceGraph::new(), warnings)),
        }
    }
}

/// A first graph, with warnings.
pub type FirstGraph = (ResourceGraph, Vec<Diagnostic>);

/// A first graph that can be applied.
pub struct FinalizedFirst {
    pub finalized: Finalized,
    /// Whether parts of the program are unknown without the output of commands.
    pub has_unknown: bool,
}

/// Finalizes a first graph and prints what is wrong with it.
///
/// # Errors
/// The exit code: 2 for files that cannot be read.
pub fn finalized(
    first: Result<FirstGraph, Vec<Diagnostic>>,
    files: &Files,
    format: Format,
) -> Result<FinalizedFirst, ExitCode> {
    let finalized = first.and_then(|(graph, warnings)| {
        let has_unknown = warnings.iter().any(|warning| warning.code == Code::R0107);
        report::print(warnings, files, format);
        finalize(graph, &local_host()).map(|finalized| FinalizedFirst { finalized, has_unknown })
    });
    match finalized {
        Ok(mut first) => {
            report::print(std::mem::take(&mut first.finalized.notes), files, format);
            Ok(first)
        }
        Err(diagnostics) => {
            let is_unreadable = diagnostics.iter().any(|d| d.code == Code::P0107 || d.code == Code::P0701);
            report::print(diagnostics, files, format);
            Err(if is_unreadable { ExitCode::from(2) } else { ExitCode::FAILURE })
        }
    }
}
