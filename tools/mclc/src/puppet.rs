//! `mclc puppet`: a catalog (or manifests, through an installed Puppet) to a translated graph or an intermediate result.

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use pp_translate::{Options, Relationships, Translation};
use resource_graph::StoredGraph;

use crate::cli::{Color, Format, Puppet, PuppetEmit, PuppetFallback, PuppetForm, Report};
use crate::report::{self, Checked};
use crate::{ERRORS, output};

/// The result goes to standard output or a file, so diagnostics and the report go to standard error.
pub fn run(args: &Puppet, color: Color) -> u8 {
    match work(args) {
        Ok(Done { bytes, warnings, report, secret }) => {
            say(warnings, args, color);
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
            say(errors, args, color);
            if unreadable { crate::UNUSABLE } else { ERRORS }
        }
    }
}

/// A result and what to say about it.
struct Done {
    bytes: Vec<u8>,
    warnings: Vec<Diagnostic>,
    /// How many resources came over in which way.
    report: Option<String>,
    /// The result holds values that must stay secret.
    secret: bool,
}

fn work(args: &Puppet) -> Result<Done, Vec<Diagnostic>> {
    let bytes = pp_translate::load_catalog(&args.path, args.node.as_deref()).map_err(|e| vec![e])?;
    let (catalog, mut warnings) = pp_translate::read_catalog(&bytes)?;
    if args.emit == Some(PuppetEmit::Catalog) {
        return Ok(Done { bytes, warnings, report: None, secret: true });
    }
    let relationships = pp_translate::build_relationships(catalog)?;
    if args.emit == Some(PuppetEmit::Relationships) {
        let bytes = relationships_bytes(&relationships, args.format)?;
        return Ok(Done { bytes, warnings, report: None, secret: false });
    }
    let options = Options {
        fallback: match args.puppet_fallback {
            PuppetFallback::Callback => pp_translate::Fallback::Callback,
            PuppetFallback::Error => pp_translate::Fallback::Error,
        },
        module_path: args.modulepath.iter().flat_map(std::env::split_paths).collect(),
        run_interval: args.puppet_interval,
    };
    let mut translation = pp_translate::translate(&relationships, &options)?;
    warnings.append(&mut translation.warnings);
    let report = Some(translation.report.to_string());
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
    Ok(Done { bytes, warnings, report, secret })
}

fn relationships_bytes(graph: &Relationships, form: PuppetForm) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(match form {
        PuppetForm::Json => pretty(&pp_translate::relationships_json(graph)),
        PuppetForm::Text => pp_translate::relationships_text(graph).into_bytes(),
        PuppetForm::Dot => pp_translate::relationships_dot(graph).into_bytes(),
        PuppetForm::Yaml => return Err(no_form("relationships", "YAML")),
    })
}

fn graph_bytes(translation: &Translation, graph: &Relationships, form: PuppetForm) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(match form {
        PuppetForm::Json => pretty(&resource_graph::json(&translation.graph)),
        PuppetForm::Text => resource_graph::text(&translation.graph).into_bytes(),
        PuppetForm::Dot => resource_graph::dot(&translation.graph).into_bytes(),
        PuppetForm::Yaml => pp_translate::graph_yaml(translation, &graph.catalog.name).into_bytes(),
    })
}

fn no_form(what: &str, form: &str) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error(Code::P0110, Stage::Puppet, format!("{what} have no form in {form}"))
            .help("choose json, text or dot"),
    ]
}

fn pretty(json: &serde_json::Value) -> Vec<u8> {
    let mut text = format!("{json:#}").into_bytes();
    text.push(b'\n');
    text
}

fn say(diagnostics: Vec<Diagnostic>, args: &Puppet, color: Color) {
    // A script that asks for JSON gets its diagnostics as JSON too.
    let format = if args.format == PuppetForm::Json { Format::Json } else { Format::Human };
    let levels = Report { format, warn: Vec::new(), allow: Vec::new(), deny: Vec::new() };
    let checked = Checked::new(Files::default(), String::new(), diagnostics, &levels);
    let text = report::text(&[checked], format, report::style(color, &std::io::stderr()));
    output::stderr(&text);
}
