//! Compiling Puppet manifests with the facts of this machine, or of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_environment::{
    Change, CodePaths, Compiled, Executables, FactModules, Facts, HostFacts, MachineFiles, Measurements, Reader,
    fact_directories, fact_files, facts_differ, is_read, reads_kernel_state, reads_measurements, with_location,
};
use pp_evaluator::{FactReads, LogEntry};
use pp_functions::{LogLevel, Strict};
use pp_resource_types::KnownTypes;
use pp_types::Hash;

use crate::fact_programs::{run_fact_program, why_unprotected};

/// The node to compile manifests for, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuppetNode {
    /// The name; `None` for the one that the facts are of.
    pub name: Option<String>,
    /// A file of facts; `None` for those of this machine.
    pub facts: Option<PathBuf>,
    /// The `hiera.yaml` of all environments.
    pub hiera_config: Option<PathBuf>,
    /// Let an installed Ruby evaluate what the compiler refuses of Ruby.
    pub ruby_fallback: bool,
    /// Reject what Puppet 8 rejects.
    pub strict: bool,
    /// Let an installed Puppet compile the manifests.
    pub installed_puppet: bool,
    /// Which files the code finds beside itself.
    pub machine_files: MachineFiles,
}

impl PuppetNode {
    pub(super) fn is_native(&self) -> bool {
        !self.installed_puppet
    }

    /// Makes the path absolute, because the agent may change its working directory.
    pub(super) fn absolute(mut self) -> PuppetNode {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        self.facts = self.facts.map(absolute);
        self.hiera_config = self.hiera_config.map(absolute);
        self
    }
}

/// A compiled catalog.
pub(super) struct CompiledCatalog {
    /// The catalog in JSON and warnings, or the errors.
    pub(super) result: Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>>,
    /// The files that it depends on.
    pub(super) dependencies: Vec<PathBuf>,
    /// The files and directories whose content says what is to be done.
    pub(super) instructions: Vec<PathBuf>,
    /// The directories that it depends on with the files in them: those of main manifests and of external facts.
    pub(super) directories: Vec<PathBuf>,
    /// The facts of this machine that it depends on; `None` with those of a file.
    pub(super) host_facts: Option<HostFactUse>,
    /// The directories of modules, and the files of modules that an artifact holds.
    pub(super) module_path: Vec<PathBuf>,
    pub(super) module_files: BTreeMap<String, Vec<u8>>,
    /// The resource types that the manifests could use.
    pub(super) types: KnownTypes,
}

/// The facts of this machine, and which of them a compilation read.
#[derive(Clone, Debug)]
pub(super) struct HostFactUse {
    facts: HostFacts,
    values: Hash,
    reads: FactReads,
}

impl HostFactUse {
    /// Whether facts that the kernel announces changes of are now others, as far as they were read. Gathers no others.
    pub(super) fn kernel_state_has_changed(&self) -> bool {
        let now = self.facts.refreshed(
            |group| matches!(group.change, Change::Network | Change::Mounts) && is_read(&self.reads, group),
            None,
        );
        facts_differ(&self.reads, &self.values, &now.facts().values, Measurements::Ignore)
    }

    /// Whether facts that change all the time are now others, as far as they were read by their names.
    pub(super) fn measurements_have_changed(&self) -> bool {
        let now = self.facts.refreshed(|group| is_read(&self.reads, group), Some(reader()));
        facts_differ(&self.reads, &self.values, &now.facts().values, Measurements::Count)
    }

    /// Returns the facts.
    pub(super) fn facts(&self) -> &HostFacts {
        &self.facts
    }

    /// Whether the kernel announces changes of facts that were read.
    pub(super) fn are_announced(&self) -> bool {
        reads_kernel_state(&self.reads)
    }

    /// Whether facts were read that change all the time.
    pub(super) fn are_measurements(&self) -> bool {
        reads_measurements(&self.reads, &self.facts)
    }
}

/// Compiles the manifests or the artifact at a path. Locations are in the messages, because a program has other files. External
/// facts that cannot be read are those of `previous`.
pub(super) fn compile(
    path: &Path,
    module_path: &[PathBuf],
    node: &PuppetNode,
    previous: Option<&HostFacts>,
) -> CompiledCatalog {
    let mut dependencies: Vec<PathBuf> = node.facts.iter().cloned().collect();
    let mut host_facts = None;
    let mut directories = Vec::new();
    let mut instructions = Vec::new();
    let (mut module_path, mut module_files) = (module_path.to_vec(), BTreeMap::new());
    let mut types = KnownTypes::core();
    let of_host = node.facts.is_none().then(|| {
        let modules = FactModules::of_path(path, &module_path);
        HostFacts::gather(modules, reader(), previous)
    });
    let warnings = of_host.as_ref().map(HostFacts::warnings).unwrap_or_default();
    let result = facts(node, of_host.as_ref()).and_then(|facts| {
        let values = facts.values.clone();
        let mut options = pp_environment::node_options(node.name.as_deref(), facts);
        if node.strict {
            options.strict = Strict::Error;
            options.strict_variables = true;
        }
        let paths = CodePaths {
            hiera_config: node.hiera_config.clone(),
            ruby_fallback: node.ruby_fallback,
            machine_files: node.machine_files.clone(),
            ..CodePaths::new(path, &module_path)
        };
        let mut compiled = pp_environment::compile(&paths, &options).map_err(|error| vec![error])?;
        types = compiled.types.clone();
        dependencies.extend(compiled.dependencies.iter().cloned());
        instructions = std::mem::take(&mut compiled.instructions);
        directories = std::mem::take(&mut compiled.directories);
        if let Some(facts) = of_host {
            let reads = compiled.fact_reads.clone();
            dependencies.extend(fact_files(&reads));
            directories.extend(fact_directories(&reads, &facts));
            host_facts = Some(HostFactUse { facts, values, reads });
        }
        module_path = std::mem::take(&mut compiled.module_path);
        module_files = std::mem::take(&mut compiled.module_files);
        catalog(compiled)
    });
    let result = with_warnings(result, warnings);
    CompiledCatalog { result, dependencies, instructions, host_facts, directories, module_path, module_files, types }
}

fn facts(node: &PuppetNode, of_host: Option<&HostFacts>) -> Result<Facts, Vec<Diagnostic>> {
    match (&node.facts, of_host) {
        (Some(path), _) => Facts::read(path).map_err(|error| vec![error.diagnostic()]),
        (None, Some(facts)) => Ok(facts.facts()),
        (None, None) => Ok(Facts::default()),
    }
}

/// Reads external facts that nobody else can change, those that programs print included.
fn reader() -> Reader<'static> {
    Reader { executables: Executables::Run(&run_fact_program), refuse: &why_unprotected }
}

/// Puts warnings before the others, or behind errors.
fn with_warnings(
    result: Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>>,
    warnings: Vec<Diagnostic>,
) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    match result {
        Ok((bytes, more)) => Ok((bytes, warnings.into_iter().chain(more).collect())),
        Err(errors) => Err(errors.into_iter().chain(warnings).collect()),
    }
}

fn catalog(compiled: Compiled) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let files = &compiled.files;
    let mut diagnostics: Vec<Diagnostic> =
        compiled.log.iter().filter_map(message).map(|diagnostic| with_location(diagnostic, files)).collect();
    diagnostics.extend(compiled.diagnostics.into_iter().map(|diagnostic| with_location(diagnostic, files)));
    let Some(catalog) = compiled.catalog else { return Err(diagnostics) };
    let mut bytes = Vec::new();
    // The time of the compilation would make equal catalogs differ.
    match catalog.write_json(&mut bytes, 0, "") {
        Ok(()) => Ok((bytes, diagnostics)),
        Err(error) => {
            let message = format!("the catalog cannot be written as JSON: {error}");
            Err(vec![Diagnostic::error(Code::P0109, Stage::Puppet, message)])
        }
    }
}

/// Returns a message of a manifest as a diagnostic; `None` for those that Puppet does not show by default.
fn message(entry: &LogEntry) -> Option<Diagnostic> {
    let scope = entry.scope.as_ref().map_or(String::new(), |scope| format!("{scope}: "));
    let text = format!("{scope}{}", entry.message);
    let diagnostic = match entry.level {
        LogLevel::Debug | LogLevel::Info => return None,
        LogLevel::Notice => Diagnostic::note(Code::P0706, Stage::Puppet, text),
        LogLevel::Warning | LogLevel::Err | LogLevel::Alert | LogLevel::Emerg | LogLevel::Crit => {
            Diagnostic::warning(Code::P0706, Stage::Puppet, text)
        }
    };
    let diagnostic = diagnostic.maybe_at(entry.span);
    Some(match &entry.help {
        Some(help) => diagnostic.help(help.clone()),
        None => diagnostic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(manifest: &str) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("site.pp"), manifest).expect("writable");
        std::fs::write(directory.path().join("facts.json"), r#"{"role": "web"}"#).expect("writable");
        directory
    }

    fn node(directory: &Path) -> PuppetNode {
        let facts = Some(directory.join("facts.json"));
        PuppetNode { name: Some("n".to_owned()), facts, ..PuppetNode::default() }
    }

    #[test]
    fn manifests_are_compiled_with_the_facts_of_a_file() {
        let directory = scratch("notice($role)\nnotify { $role: }\n");
        let compiled = compile(&directory.path().join("site.pp"), &[], &node(directory.path()), None);
        let (bytes, messages) = compiled.result.expect("valid");
        assert!(String::from_utf8_lossy(&bytes).contains(r#""title":"web""#));
        let texts: Vec<&str> = messages.iter().map(|message| &*message.message).collect();
        assert_eq!(texts, ["site.pp:1:1: Class[main]: web"]);
        assert_eq!(compiled.dependencies, [directory.path().join("facts.json"), directory.path().join("site.pp")]);
    }

    #[test]
    fn errors_say_where_they_are() {
        let directory = scratch("\nfail('no')\n");
        let compiled = compile(&directory.path().join("site.pp"), &[], &node(directory.path()), None);
        let errors = compiled.result.expect_err("an error");
        assert!(errors[0].message.starts_with("site.pp:2:"), "{}", errors[0].message);
    }
}
