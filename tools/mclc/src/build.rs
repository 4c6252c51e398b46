//! `mclc build`: writes the artifact of a program, and on request those of the earlier stages.

use std::path::{Path, PathBuf};

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::Files;

use crate::cli::{Build, Color};
use crate::report::{self, Checked, LoadFailure};
use crate::status::ERRORS;
use crate::{memory, output};

/// Builds a program. Diagnostics go to standard error, because standard output may be the artifact.
pub fn run(args: &Build, color: Color) -> u8 {
    let wanted: Vec<ArtifactStage> = args.emit.iter().copied().map(ArtifactStage::from).collect();
    let Built { artifacts, files, has_private_files } = match compile(args, &wanted, color) {
        Ok(built) => built,
        Err(status) => return status,
    };
    for (stage, bytes) in &artifacts {
        if wanted.contains(stage)
            && let Err(status) = output::artifact(&beside(&args.output, *stage), bytes, &files, has_private_files)
        {
            return status;
        }
    }
    match artifacts.last().map(|(_, bytes)| output::artifact(&args.output, bytes, &files, has_private_files)) {
        Some(Err(status)) => status,
        _ => 0,
    }
}

/// The artifacts of a program.
pub struct Built {
    /// The requested ones in the order of the stages. The last one is the function graph.
    pub artifacts: Vec<(ArtifactStage, Vec<u8>)>,
    /// The sources.
    pub files: Files,
    /// Not everybody may read all files of the program.
    has_private_files: bool,
}

/// Compiles a program, reports the diagnostics, and returns the artifacts.
///
/// # Errors
/// The exit status, after an error has been reported.
pub fn compile(args: &Build, wanted: &[ArtifactStage], color: Color) -> Result<Built, u8> {
    let failed = |failure: LoadFailure| failure.report(&args.report, color);
    let input = report::input(&args.path, &args.source).map_err(failed)?;
    let loaded = report::load_to_deploy(&input, &args.source, &args.report).map_err(failed)?;
    let (files, has_private_files) = (loaded.files.clone(), loaded.has_private_files);
    let mut all = wanted.to_vec();
    all.push(ArtifactStage::Fgraph);
    let lints = loaded.lints.clone();
    let compiled = mcl_driver::compile(loaded, &all, memory::give_back_between_stages(&files));
    let checked = Checked::of_project(files.clone(), input.prefix(), compiled.diagnostics, &args.report, &lints);
    match report::print(&[checked], &args.report, color) {
        0 if compiled.artifacts.is_empty() => Err(ERRORS),
        0 => Ok(Built { artifacts: compiled.artifacts, files, has_private_files }),
        status => Err(status),
    }
}

/// Returns the path of the artifact of a stage: `OUT.ast` for `OUT.bin` and the stage `ast`.
fn beside(out: &Path, stage: ArtifactStage) -> PathBuf {
    out.with_extension(stage.name())
}
