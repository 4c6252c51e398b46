//! `mclc inspect`: prints the content of an artifact of any stage.

use std::fmt::Write;

use mcl_artifact::{ArtifactStage, Header, mask_constants, read_header};
use mcl_diagnostics::{Code, Diagnostic, Files, Stage, read_input};
use mcl_driver::Payload;
use mcl_modules::Loaded;
use pp_environment::StoredEnvironment;
use resource_graph::{StoredGraph, declares_sensitive};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{Color, Inspect, InspectFormat};
use crate::output;
use crate::output::unusable;
use crate::report::{Checked, style};
use crate::status::ERRORS;

pub fn run(args: &Inspect, color: Color) -> u8 {
    let bytes = match read_input(&args.file) {
        Ok(bytes) => bytes,
        Err(error) => {
            return unusable(format_args!("cannot read `{}`: {}", args.file.display(), output::reason(&error)));
        }
    };
    let text = read_header(&bytes).and_then(|header| match header.stage {
        ArtifactStage::Puppet => puppet(&header, &bytes, args.format).map(Some),
        ArtifactStage::Environment => environment(&header, &bytes, args.format),
        _ => Payload::read(&bytes).map(|payload| show(&header, &masked(payload), args.format)),
    });
    match text {
        Ok(Some(text)) => output::stdout(text.as_bytes()),
        Ok(None) => unusable("`--format dot` requires an artifact of the stage `fgraph` or `puppet`"),
        Err(diagnostic) => invalid(diagnostic, color),
    }
}

fn invalid(diagnostic: Diagnostic, color: Color) -> u8 {
    let checked = Checked { files: Files::default(), prefix: String::new(), diagnostics: vec![diagnostic] };
    let style = style(color, &std::io::stderr());
    output::stderr(&crate::report::text(&[checked], crate::format::Format::Human, style));
    ERRORS
}

/// Hides the sensitive literals of a program.
fn masked(mut payload: Payload) -> Payload {
    if let Payload::Fgraph(program) = &mut payload {
        mask_constants(program, declares_sensitive);
    }
    payload
}

fn show(header: &Header, payload: &Payload, format: InspectFormat) -> Option<String> {
    match (format, payload) {
        (InspectFormat::Json, _) => {
            let object = json!({
                "stage": header.stage.name(),
                "producer": header.producer,
                "payload": value(payload),
            });
            Some(serde_json::to_string_pretty(&object).expect("numbers and strings always serialise") + "\n")
        }
        (InspectFormat::Dot, Payload::Fgraph(program)) => Some(mcl_artifact::inspect::dot(program)),
        (InspectFormat::Dot, _) => None,
        (InspectFormat::Text, _) => {
            let mut out = heading(header);
            match payload {
                Payload::Tokens(loaded) => tokens(&mut out, loaded),
                Payload::Fgraph(program) => out.push_str(&mcl_artifact::inspect::text(program)),
                Payload::Ast(_) | Payload::Interpolated(_) | Payload::Scoped(_) | Payload::Typed(_) => {
                    // The tables as they are, one value a line.
                    out.push_str(&serde_norway::to_string(&without_sources(value(payload))).unwrap_or_default());
                }
            }
            Some(out)
        }
    }
}

/// A translated catalog.
fn puppet(header: &Header, bytes: &[u8], format: InspectFormat) -> Result<String, Diagnostic> {
    let stored: StoredGraph = mcl_artifact::read(bytes, ArtifactStage::Puppet)?;
    let graph = stored.graph().map_err(|error| {
        Diagnostic::error(Code::A0106, Stage::Artifact, format!("the artifact's content is invalid: {error}"))
    })?;
    Ok(match format {
        InspectFormat::Text => heading(header) + &resource_graph::text(&graph),
        InspectFormat::Json => format!("{:#}\n", resource_graph::json(&graph)),
        InspectFormat::Dot => resource_graph::dot(&graph),
    })
}

/// The manifests of a Puppet environment.
fn environment(header: &Header, bytes: &[u8], format: InspectFormat) -> Result<Option<String>, Diagnostic> {
    let stored = StoredEnvironment::read(bytes)?;
    let environment = &stored.environment;
    Ok(match format {
        InspectFormat::Text => {
            let mut text = heading(header);
            for source in &environment.sources {
                let name = environment.files.get(source.tree.file).map_or("", |file| &file.name);
                let _ = writeln!(text, "{name}\n{}", pp_syntax::pn(&source.tree));
            }
            Some(text)
        }
        InspectFormat::Json => {
            // A float of a manifest may be one that JSON does not have.
            let payload = serde_json::to_value(environment).unwrap_or_else(|error| Value::String(error.to_string()));
            let object = json!({"stage": header.stage.name(), "producer": header.producer, "payload": payload});
            Some(format!("{object:#}\n"))
        }
        InspectFormat::Dot => None,
    })
}

fn heading(header: &Header) -> String {
    format!(
        "artifact of stage `{}`, made by mclc {}, {} bytes, checksum {:016x}\n\n",
        header.stage.name(),
        header.producer,
        header.payload_length,
        header.checksum
    )
}

fn value(payload: &Payload) -> Value {
    fn json(payload: &impl Serialize) -> Value {
        // Maps whose keys are not strings cannot be written as JSON; the error is shown in their place.
        serde_json::to_value(payload).unwrap_or_else(|error| Value::String(error.to_string()))
    }
    match payload {
        Payload::Tokens(loaded) => json(loaded),
        Payload::Ast(trees) | Payload::Interpolated(trees) => json(trees),
        Payload::Scoped(resolved) => json(resolved),
        Payload::Typed(checked) => json(checked),
        Payload::Fgraph(program) => json(program),
    }
}

/// Removes the sources and the deployed files, which the text format omits because of their length.
fn without_sources(mut value: Value) -> Value {
    if let Some(Value::Object(loaded)) = value.get_mut("loaded") {
        loaded.remove("files");
        loaded.remove("deploy");
    }
    value
}

fn tokens(out: &mut String, loaded: &Loaded) {
    for unit in loaded.units.values() {
        let Some(file) = loaded.files.get(unit.file) else { continue };
        for (at, kind) in unit.tokens.indices().zip(unit.tokens.kinds()) {
            let place = file.line_col(unit.tokens.start(at));
            let text = unit.tokens.text(&file.text, at);
            let _ = writeln!(out, "{}:{}:{}\t{kind:?}\t{}", file.name, place.line, place.col, text.escape_debug());
        }
    }
}
