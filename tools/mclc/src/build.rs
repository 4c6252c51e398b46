//! `mclc build`: the artifact of a program, and on request those of the stages before.

use std::path::{Path, PathBuf};

use mcl_artifact::ArtifactStage;

use crate::cli::{Build, Color};
use crate::report::{self, Checked};
use crate::{ERRORS, memory, output, unusable};

/// Diagnostics go to standard error: standard output may be the artifact.
pub fn run(args: &Build, color: Color) -> u8 {
    let wanted: Vec<ArtifactStage> = args.emit.iter().copied().map(ArtifactStage::from).collect();
    let artifacts = match compile(args, &wanted, color) {
        Ok(artifacts) => artifacts,
        Err(status) => return status,
    };
    for (stage, bytes) in &artifacts {
        if wanted.contains(stage)
            && let Err(status) = output::file(&beside(&args.out, *stage), bytes)
        {
            return status;
        }
    }
    match artifacts.last().map(|(_, bytes)| output::file(&args.out, bytes)) {
        Some(Err(status)) => status,
        _ => 0,
    }
}

/// Compiles a program, reports what was found, and gives the artifacts, the last of which is the function graph.
pub fn compile(args: &Build, wanted: &[ArtifactStage], color: Color) -> Result<Vec<(ArtifactStage, Vec<u8>)>, u8> {
    let input = report::input(&args.path, &args.source).map_err(unusable)?;
    let loaded = match report::load(&input, &args.source, true, &args.report).map_err(unusable)? {
        Ok(loaded) => loaded,
        Err(checked) => return Err(report::print(&[checked], &args.report, color)),
    };
    let files = loaded.files.clone();
    let mut all = wanted.to_vec();
    all.push(ArtifactStage::Fgraph);
    let compiled = mcl_driver::compile(loaded, &all, memory::give_back);
    let checked = Checked::new(files, input.prefix(), compiled.diagnostics, &args.report);
    match report::print(&[checked], &args.report, color) {
        0 if compiled.artifacts.is_empty() => Err(ERRORS),
        0 => Ok(compiled.artifacts),
        status => Err(status),
    }
}

/// `OUT.bin` and stage `ast` give `OUT.ast`.
fn beside(out: &Path, stage: ArtifactStage) -> PathBuf {
    out.with_extension(stage.name())
}
