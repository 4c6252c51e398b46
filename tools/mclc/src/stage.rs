//! `mclc lex|parse|interpolate|scope|unify|fgraph`: runs a single stage, from file to file.

use std::os::unix::fs::MetadataExt as _;

use mcl_artifact::{ArtifactStage, is_artifact};
use mcl_diagnostics::{Diagnostic, Files, read_input};
use mcl_driver::Payload;

use crate::cli::{Color, Stage};
use crate::output;
use crate::output::unusable;
use crate::report::{self, Checked};

/// Runs the stage that results in `target`. The input is the artifact of the preceding stage, or a program, for which the
/// preceding stages run first.
pub fn run(args: &Stage, target: ArtifactStage, color: Color) -> u8 {
    let artifact = match std::fs::File::open(&args.input).and_then(start_of) {
        Ok(start) if is_artifact(&start) => match read_input(&args.input) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                return unusable(format_args!("cannot read `{}`: {}", args.input.display(), output::reason(&error)));
            }
        },
        _ => None,
    };
    let mut lints = Vec::new();
    let (payload, mut diagnostics, prefix, is_private) = match artifact {
        Some(bytes) => match read(&bytes, target) {
            Ok(payload) => (payload, Vec::new(), String::new(), is_private(&args.input)),
            Err(diagnostic) => {
                let checked = Checked::new(Files::default(), String::new(), vec![*diagnostic], &args.report);
                return report::print(&[checked], &args.report, color);
            }
        },
        None => {
            let input = match report::input(&args.input, &args.source) {
                Ok(input) => input,
                Err(failure) => return failure.report(&args.report, color),
            };
            match report::load_to_deploy(&input, &args.source, &args.report) {
                Ok(loaded) => {
                    lints.clone_from(&loaded.lints);
                    let (found, is_private) = (mcl_driver::lex(&loaded), loaded.has_private_files);
                    (Payload::Tokens(loaded), found, input.prefix(), is_private)
                }
                Err(failure) => return failure.report(&args.report, color),
            }
        }
    };
    let files = payload.files().clone();
    let mut payload = Some(payload);
    while let Some(current) = payload.take_if(|current| current.stage() != target) {
        if report::any_error(&diagnostics) {
            break;
        }
        let (next, found) = current.next();
        mcl_driver::add_diagnostics(&mut diagnostics, found);
        payload = next;
    }
    let failed = report::any_error(&diagnostics);
    mcl_driver::apply_allowances(&files, &mut diagnostics, false);
    let checked = Checked::of_project(files, prefix, diagnostics, &args.report, &lints);
    let status = report::print(&[checked], &args.report, color);
    match payload {
        Some(payload) if status == 0 && !failed => {
            output::artifact(&args.output, &payload.write(), payload.files(), is_private).err().unwrap_or(0)
        }
        _ => status,
    }
}

/// Returns whether not everybody may read an artifact. What is made of it must be private, too.
fn is_private(artifact: &std::path::Path) -> bool {
    const READABLE_BY_OTHERS: u32 = 0o004;
    std::fs::metadata(artifact).is_ok_and(|metadata| metadata.mode() & READABLE_BY_OTHERS == 0)
}

/// Returns the first bytes of a file, enough to recognize an artifact.
fn start_of(file: std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 8), &mut start)?;
    Ok(start)
}

/// Reads the artifact of the stage that precedes `target`.
fn read(bytes: &[u8], target: ArtifactStage) -> Result<Payload, Box<Diagnostic>> {
    let before = ArtifactStage::ALL.iter().take_while(|stage| **stage != target).last();
    let payload = Payload::read(bytes)?;
    match before {
        Some(before) if *before == payload.stage() => Ok(payload),
        Some(before) => Err(Box::new(mcl_artifact::wrong_stage(payload.stage(), *before))),
        None => Err(Box::new(mcl_artifact::wrong_stage(payload.stage(), target))),
    }
}
