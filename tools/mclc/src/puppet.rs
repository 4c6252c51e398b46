//! `mclc puppet`: translates a catalog, or manifests through an installed Puppet, to a resource graph.

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use pp_translate::{FallbackPolicy, Relationships, TranslateOptions, Translation};
use resource_graph::StoredGraph;

use crate::cli::{Color, Format, Puppet, PuppetEmit, PuppetFallback, PuppetFormat, Report};
use crate::report::{self, Checked};
use crate::{ERRORS, output};

/// Translates a catalog. The result goes to standard output or a file, so diagnostics and the summary go to standard error.
pub fn run(args: &Puppet, color: Color) -> u8 {
    match translate(args) {
        Ok(Translated { bytes, warnings, report, secret }) => {
            report_diagnostics(warnings, args, color);
            if let Some(line) = report {
                output::stderr(&format!("{line}\n"));
            }
            match &args.output {
                Some(path) if secret => output::private_file(path, &bytes).err().unwrap_or(0),
                Some(path) => output::file(path, &bytes).err().unwrap_or(0),
                None => output::stdout(&bytes),
            }
        }
        Err(errors) => {
            let unreadable = errors.iter().any(|e| e.code == Code::P0107);
            report_diagnostics(errors, args, color);
            if unreadable { crate::UNUSABLE } else { ERRORS }
        }
    }
}

/// The output of the command.
struct Translated {
    bytes: Vec<u8>,
    warnings: Vec<Diagnostic>,
    /// The number of resources by how they were translated.
    report: Option<String>,
    /// The output contains sensitive values.
    secret: bool,
}

fn translate(args: &Puppet) -> Result<Translated, Vec<Diagnostic>> {
    let bytes = pp_translate::load_catalog(&args.path, args.node.as_deref()).map_err(|e| vec![e])?;
    let (catalog, mut warnings) = pp_translate::read_catalog(&bytes)?;
    if args.emit == Some(PuppetEmit::Catalog) {
        return Ok(Translated { bytes, warnings, report: None, secret: true });
    }
    let relationships = pp_translate::build_relationships(catalog)?;
    if args.emit == Some(PuppetEmit::Relationships) {
        let bytes = relationships_bytes(&relationships, args.format)?;
        return Ok(Translated { bytes, warnings, report: None, secret: false });
    }
    let options = TranslateOptions {
        fallback: match args.puppet_fallback {
            PuppetFallback::Callback => FallbackPolicy::Puppet,
            PuppetFallback::Error => FallbackPolicy::Error,
        },
        module_path: args.puppet_module_path.iter().flat_map(std::env::split_paths).collect(),
        run_interval: args.puppet_interval,
    };
    let mut translation = pp_translate::translate(&relationships, &options)?;
    warnings.append(&mut translation.warnings);
    let report = Some(translation.summary.to_string());
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
    Ok(Translated { bytes, warnings, report, secret })
}

fn relationships_bytes(graph: &Relationships, format: PuppetFormat) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(match format {
        PuppetFormat::Json => pretty(&pp_translate::relationships_json(graph)),
        PuppetFormat::Text => pp_translate::relationships_text(graph).into_bytes(),
        PuppetFormat::Dot => pp_translate::relationships_dot(graph).into_bytes(),
        PuppetFormat::Yaml => return Err(unsupported_format("relationships", "YAML")),
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
    })
}

fn unsupported_format(result: &str, format: &str) -> Vec<Diagnostic> {
    let message = format!("`{result}` cannot be written as {format}");
    vec![Diagnostic::error(Code::P0110, Stage::Puppet, message).help("choose `json`, `text` or `dot`")]
}

fn pretty(json: &serde_json::Value) -> Vec<u8> {
    let mut text = format!("{json:#}").into_bytes();
    text.push(b'\n');
    text
}

fn report_diagnostics(diagnostics: Vec<Diagnostic>, args: &Puppet, color: Color) {
    // With JSON output, diagnostics are JSON as well.
    let format = if args.format == PuppetFormat::Json { Format::Json } else { Format::Human };
    let levels = Report { format, warn: Vec::new(), allow: Vec::new(), deny: Vec::new() };
    let checked = Checked::new(Files::default(), String::new(), diagnostics, &levels);
    let text = report::text(&[checked], format, report::style(color, &std::io::stderr()));
    output::stderr(&text);
}
