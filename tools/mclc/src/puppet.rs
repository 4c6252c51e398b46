//! `mclc puppet`: compiles manifests, or reads a catalog, and translates the catalog to a resource graph.

mod ast;
mod common_options;
mod log;
mod lookup;
mod lookup_options;
mod native;
mod options;
mod outcome;

use std::path::Path;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use pp_environment::{CodePaths, is_environment_path, is_standard_input};
use pp_translate::{FallbackPolicy, Relationships, TranslateOptions, Translation};
use resource_graph::StoredGraph;

use crate::cli::{Color, Report};
use crate::format::Format;
use crate::output;
use crate::report::{self, Checked};
use crate::status::{ERRORS, UNUSABLE};
pub use common_options::module_path;
pub use native::prefix_of;
pub use options::PuppetCommand;
use options::{Compiler, Puppet, PuppetEmit, PuppetFallback, PuppetFormat, Subcommand};
use outcome::{Modules, Outcome, Output, unsupported_format};

/// Compiles manifests, or looks data up.
pub fn run(args: &PuppetCommand, color: Color) -> u8 {
    match &args.command {
        Some(Subcommand::Lookup(lookup)) => lookup::run(lookup, color),
        None => run_compiler(&args.compile, color),
    }
}

/// Compiles and translates. The result goes to standard output or a file, so diagnostics, the messages of manifests and the
/// summary go to standard error.
fn run_compiler(args: &Puppet, color: Color) -> u8 {
    let result = match args.emit {
        Some(PuppetEmit::Ast) => ast::emit(args),
        Some(PuppetEmit::Catalog | PuppetEmit::Relationships | PuppetEmit::Graph) => translate(args),
        None if is_for_every_node(args) => native::environment(args),
        None => translate(args),
    };
    print_log(&result, args, color);
    let has_errors = report::any_error(&result.diagnostics);
    let unusable = result.diagnostics.iter().any(|d| [Code::P0107, Code::P0701].contains(&d.code));
    print_diagnostics(result.files, result.prefix, result.diagnostics, args, color);
    match result.output {
        Some(Output { bytes, summary, secret }) if !has_errors => {
            if let Some(line) = summary {
                output::stderr(&format!("{line}\n"));
            }
            match &args.output {
                Some(path) if secret => output::private_file(path, &bytes).err().unwrap_or(0),
                Some(path) => output::file(path, &bytes).err().unwrap_or(0),
                None => output::stdout(&bytes),
            }
        }
        _ if unusable => UNUSABLE,
        _ => ERRORS,
    }
}

/// Whether the path is one of manifests: a directory, a `.pp` file, or standard input.
fn is_manifest(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|extension| extension == "pp") || is_standard_input(path);
    is_text || path.is_dir()
}

/// Whether the artifact is one of the environment, for a node that is not known yet.
fn is_for_every_node(args: &Puppet) -> bool {
    is_manifest(args.path()) && args.compiler == Compiler::Native && args.node.is_none() && args.facts.is_none()
}

/// Reads or compiles the catalog, and takes it as far as the command line asks.
fn translate(args: &Puppet) -> Outcome {
    let mut outcome = match catalog(args) {
        Ok(compiled) => compiled,
        Err(error) => return Outcome::failed(vec![error]),
    };
    let Some(Output { bytes, .. }) = outcome.output.take() else { return outcome };
    let modules = std::mem::take(&mut outcome.modules);
    match steps(args, bytes, modules, &mut outcome.diagnostics) {
        Ok(output) => outcome.output = Some(output),
        Err(errors) => add_errors(&mut outcome.diagnostics, errors),
    }
    outcome
}

/// Adds errors. A warning of the compiler that turns out to be an error has a place in the manifest, so it stands for both.
fn add_errors(diagnostics: &mut Vec<Diagnostic>, errors: Vec<Diagnostic>) {
    for error in errors {
        let is_same = |known: &&mut Diagnostic| known.code == error.code && error.message.starts_with(&known.message);
        match diagnostics.iter_mut().find(is_same) {
            Some(known) => known.severity = error.severity,
            None => diagnostics.push(error),
        }
    }
}

/// Returns the catalog in JSON.
fn catalog(args: &Puppet) -> Result<Outcome, Diagnostic> {
    if args.compiler == Compiler::Native && is_environment_path(args.path()) {
        return Ok(native::catalog(args));
    }
    let bytes = pp_translate::load_catalog(args.path(), args.node.as_deref())?;
    let modules = Modules { path: args.code.module_path(), ..Modules::default() };
    Ok(Outcome { output: Some(Output { bytes, summary: None, secret: true }), modules, ..Outcome::default() })
}

/// Returns the catalog in JSON to check a program with: manifests are compiled with the facts of this machine.
///
/// # Errors
/// A path that cannot be read, and the errors of the manifests.
pub fn catalog_for_host(paths: &CodePaths) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if is_environment_path(&paths.path) {
        return native::catalog_for_host(paths);
    }
    pp_translate::load_catalog(&paths.path, None).map_err(|error| vec![error])
}

/// From a catalog to the output.
fn steps(
    args: &Puppet,
    bytes: Vec<u8>,
    modules: Modules,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Output, Vec<Diagnostic>> {
    if args.emit == Some(PuppetEmit::Catalog) {
        if !is_environment_path(args.path()) {
            warnings.extend(pp_translate::read_catalog(&bytes)?.1);
        }
        return Ok(Output { bytes, summary: None, secret: true });
    }
    let (catalog, more) = pp_translate::read_catalog(&bytes)?;
    warnings.extend(more);
    let types = pp_environment::resource_types(args.path(), &args.code.module_path());
    let mut relationships = pp_translate::build_relationships(catalog, &types)?;
    warnings.append(&mut relationships.warnings);
    if args.emit == Some(PuppetEmit::Relationships) {
        let bytes = relationships_bytes(&relationships, args.format)?;
        return Ok(Output { bytes, summary: None, secret: false });
    }
    let options = TranslateOptions {
        fallback: match args.puppet_fallback {
            PuppetFallback::Callback => FallbackPolicy::Puppet,
            PuppetFallback::Error => FallbackPolicy::Error,
        },
        module_path: modules.path,
        module_files: modules.files.into(),
        run_interval: args.puppet_interval,
        types,
    };
    let mut translation = pp_translate::translate(&relationships, &options)?;
    warnings.append(&mut translation.warnings);
    let summary = Some(translation.summary.to_string());
    let secret = args.emit.is_none() && translation.graph.resources().any(|(_, r)| !r.sensitive.is_empty());
    let bytes = match args.emit {
        Some(_) => graph_bytes(&translation, &relationships, args.format)?,
        None => {
            let stored = StoredGraph::of(&translation.graph).map_err(|e| {
                vec![Diagnostic::error(Code::P0109, Stage::Puppet, format!("the graph cannot be stored: {e}"))]
            })?;
            mcl_artifact::write(ArtifactStage::Puppet, &stored)
        }
    };
    Ok(Output { bytes, summary, secret })
}

fn relationships_bytes(graph: &Relationships, format: PuppetFormat) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(match format {
        PuppetFormat::Json => pretty(&pp_translate::relationships_json(graph)),
        PuppetFormat::Text => pp_translate::relationships_text(graph).into_bytes(),
        PuppetFormat::Dot => pp_translate::relationships_dot(graph).into_bytes(),
        PuppetFormat::Yaml => return Err(unsupported_format("relationships", "YAML", "`json`, `text` or `dot`")),
        PuppetFormat::Pn => return Err(unsupported_format("relationships", "PN", "`json`, `text` or `dot`")),
    })
}

fn graph_bytes(
    translation: &Translation,
    graph: &Relationships,
    format: PuppetFormat,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(match format {
        PuppetFormat::Json => pretty(&resource_graph::json(&translation.graph)),
        PuppetFormat::Text => resource_graph::text(&translation.graph).into_bytes(),
        PuppetFormat::Dot => resource_graph::dot(&translation.graph).into_bytes(),
        PuppetFormat::Yaml => pp_translate::graph_yaml(translation, &graph.catalog.name).into_bytes(),
        PuppetFormat::Pn => return Err(unsupported_format("graph", "PN", "`json`, `text`, `yaml` or `dot`")),
    })
}

fn pretty(json: &serde_json::Value) -> Vec<u8> {
    let mut text = format!("{json:#}").into_bytes();
    text.push(b'\n');
    text
}

/// The format of diagnostics. With JSON output, diagnostics are JSON as well.
fn diagnostics_format(args: &Puppet) -> Format {
    let default = if args.format == PuppetFormat::Json { Format::Json } else { Format::Human };
    args.diagnostics.unwrap_or(default)
}

fn print_log(outcome: &Outcome, args: &Puppet, color: Color) {
    let color = report::style(color, &std::io::stderr()).color;
    let text = log::text(&outcome.log, &outcome.files, args.log_level, diagnostics_format(args), color);
    output::stderr(&text);
}

fn print_diagnostics(files: Files, prefix: String, diagnostics: Vec<Diagnostic>, args: &Puppet, color: Color) {
    let format = diagnostics_format(args);
    let levels = Report { format, warn: Vec::new(), allow: Vec::new(), deny: Vec::new() };
    let checked = Checked::new(files, prefix, diagnostics, &levels);
    let text = report::text(&[checked], format, report::style(color, &std::io::stderr()));
    output::stderr(&text);
}
