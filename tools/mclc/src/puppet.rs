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
        Ok((bytes, warnings, report_line)) => {
            say(warnings, args, color);
            if let Some(line) = report_line {
                output::stderr(&format!("{line}\n"));
            }
            match (&args.output, bytes) {
                (Some(path), bytes) => output::file(path, &bytes).err().unwrap_or(0),
                (None, bytes) => output::stdout(&bytes),
            }
        }
        Err(errors) => {
            let unreadable = errors.iter().any(|e| e.code == Code::P0107);
            say(errors, args, color);
            if unreadable { crate::UNUSABLE } else { ERRORS }
        }
    }
}

type Outcome = (Vec<u8>, Vec<Diagnostic>, Option<String>);

fn work(args: &Puppet) -> Result<Outcome, Vec<Diagnostic>> {
    let bytes = pp_translate::load_catalog(&args.path, args.node.as_deref()).map_err(|e| vec![e])?;
    let (catalog, mut warnings) = pp_translate::read_catalog(&bytes)?;
    if args.emit == Some(PuppetEmit::Catalog) {
        return Ok((bytes, warnings, None));
    }
    let relationships = pp_translate::build_relationships(catalog)?;
    if args.emit == Some(PuppetEmit::Relationships) {
        return Ok((relationships_bytes(&relationships, args.format)?, warnings, None));
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
    let line = translation.report.to_string();
    let bytes = match args.emit {
        Some(_) => graph_bytes(&translation, &relationships, args.format)?,
        None => {
            let stored = StoredGraph::of(&translation.graph).map_err(|e| {
                vec![Diagnostic::error(Code::P0109, Stage::Puppet, format!("the graph cannot be stored: {e}"))]
            })?;
            mcl_artifact::write(ArtifactStage::Puppet, &stored)
        }
    };
    Ok((bytes, warnings, Some(line)))
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
