//! A program between two stages, and its artifacts.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::Program;
use mcl_artifact::{ArtifactStage, read_header, read_program};
use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use mcl_modules::{Import, ImportTarget, Loaded, Unit, UnitId};
use mcl_parser::ast::Ast;
use mcl_types::{Scoped, Typed};
use serde::{Deserialize, Serialize};

/// A program between two stages. An artifact contains the value of one variant.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one a compilation, moved from stage to stage")]
pub enum Payload {
    /// The output of `lex`.
    Tokens(Loaded),
    /// The output of `parse`.
    Ast(Trees),
    /// The output of `interpolate`.
    Interpolated(Trees),
    /// The output of `scope`.
    Scoped(Resolved),
    /// The output of `unify`.
    Typed(Checked),
    /// The output of `fgraph`, which the runtime executes.
    Fgraph(Box<Program>),
}

/// The syntax trees of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// The sources and imports, without tokens.
    pub loaded: Loaded,
    /// The tree of each unit.
    #[serde(with = "mcl_diagnostics::table")]
    pub trees: PrimaryMap<UnitId, Arc<Ast>>,
}

/// A program in which every name is resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// The sources.
    pub loaded: Loaded,
    /// The trees and the definitions of their names.
    pub scoped: Scoped,
}

/// A program in which every type is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The sources.
    pub loaded: Loaded,
    /// The trees, names and types.
    pub typed: Typed,
}

impl Payload {
    /// Returns the stage that it is the output of.
    #[must_use]
    pub fn stage(&self) -> ArtifactStage {
        match self {
            Payload::Tokens(_) => ArtifactStage::Tokens,
            Payload::Ast(_) => ArtifactStage::Ast,
            Payload::Interpolated(_) => ArtifactStage::Interpolated,
            Payload::Scoped(_) => ArtifactStage::Scoped,
            Payload::Typed(_) => ArtifactStage::Typed,
            Payload::Fgraph(_) => ArtifactStage::Fgraph,
        }
    }

    /// Returns the sources.
    #[must_use]
    pub fn files(&self) -> &Files {
        match self {
            Payload::Tokens(loaded) => &loaded.files,
            Payload::Ast(trees) | Payload::Interpolated(trees) => &trees.loaded.files,
            Payload::Scoped(resolved) => &resolved.loaded.files,
            Payload::Typed(checked) => &checked.loaded.files,
            Payload::Fgraph(program) => &program.files,
        }
    }

    /// Returns the bytes of its artifact.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let stage = self.stage();
        match self {
            Payload::Tokens(loaded) => mcl_artifact::write(stage, loaded),
            Payload::Ast(trees) | Payload::Interpolated(trees) => mcl_artifact::write(stage, trees),
            Payload::Scoped(resolved) => mcl_artifact::write(stage, resolved),
            Payload::Typed(checked) => mcl_artifact::write(stage, checked),
            Payload::Fgraph(program) => mcl_artifact::write(stage, program),
        }
    }

    /// Reads an artifact of any stage of the compiler.
    ///
    /// # Errors
    /// An A-diagnostic if the bytes are not such an artifact, or are corrupted.
    pub fn read(bytes: &[u8]) -> Result<Payload, Diagnostic> {
        let stage = read_header(bytes)?.stage;
        let payload = match stage {
            ArtifactStage::Tokens => {
                let loaded: Loaded = mcl_artifact::read(bytes, stage)?;
                validate_loaded(&loaded)?;
                let fits = |unit: &Unit| loaded.files.get(unit.file).is_some_and(|file| unit.tokens.fits(&file.text));
                if !loaded.units.values().all(fits) {
                    return Err(invalid("its tokens do not fit its sources"));
                }
                Payload::Tokens(loaded)
            }
            ArtifactStage::Ast => Payload::Ast(trees(bytes, stage)?),
            ArtifactStage::Interpolated => Payload::Interpolated(trees(bytes, stage)?),
            ArtifactStage::Scoped => {
                let resolved: Resolved = mcl_artifact::read(bytes, stage)?;
                validate_trees(&resolved.loaded, &resolved.scoped.units)?;
                resolved.scoped.validate().map_err(|error| invalid(&error.to_string()))?;
                Payload::Scoped(resolved)
            }
            ArtifactStage::Typed => {
                let checked: Checked = mcl_artifact::read(bytes, stage)?;
                validate_trees(&checked.loaded, &checked.typed.scoped.units)?;
                checked.typed.validate().map_err(|error| invalid(&error.to_string()))?;
                Payload::Typed(checked)
            }
            ArtifactStage::Fgraph => Payload::Fgraph(Box::new(read_program(bytes)?)),
            ArtifactStage::Puppet => {
                let message = "the artifact is a translated Puppet catalog, not a stage of an mcl program";
                return Err(Diagnostic::error(Code::A0105, Stage::Artifact, message)
                    .help("`mgmt-rt graph --puppet FILE` shows it"));
            }
            ArtifactStage::Environment => {
                let message = "the artifact is a Puppet environment, not a stage of an mcl program";
                return Err(
                    Diagnostic::error(Code::A0105, Stage::Artifact, message).help("`mclc inspect FILE` shows it")
                );
            }
            ArtifactStage::Plan => {
                let message = "the artifact is a plan, not a stage of an mcl program";
                return Err(Diagnostic::error(Code::A0105, Stage::Artifact, message)
                    .help("`mgmt-rt apply --plan FILE` applies it"));
            }
        };
        Ok(payload)
    }
}

fn trees(bytes: &[u8], stage: ArtifactStage) -> Result<Trees, Diagnostic> {
    let trees: Trees = mcl_artifact::read(bytes, stage)?;
    validate_trees(&trees.loaded, &trees.trees)?;
    Ok(trees)
}

/// Checks that there is one tree for each unit, which fits its source.
fn validate_trees(loaded: &Loaded, trees: &PrimaryMap<UnitId, Arc<Ast>>) -> Result<(), Diagnostic> {
    validate_loaded(loaded)?;
    let units = &loaded.units;
    if units.len() != trees.len() || units.values().zip(trees.values()).any(|(unit, tree)| unit.file != tree.file) {
        return Err(invalid("its trees do not match its sources"));
    }
    // Units of one file share its tree, unless the file says otherwise.
    trees.values().try_for_each(|tree| {
        let text = loaded.files.get(tree.file).map_or("", |file| &file.text);
        tree.validate(text).map_err(|error| invalid(&error.to_string()))
    })
}

/// Checks that every file and unit that is referred to exists.
fn validate_loaded(loaded: &Loaded) -> Result<(), Diagnostic> {
    let import = |import: &Import| match import.target {
        ImportTarget::Unit(unit) => loaded.units.is_valid(unit),
        ImportTarget::System | ImportTarget::Failed(_) => true,
    };
    let unit = |unit: &Unit| loaded.files.get(unit.file).is_some() && unit.imports.iter().all(import);
    if loaded.units.values().all(unit) { Ok(()) } else { Err(invalid("it refers to files that are not in it")) }
}

fn invalid(why: &str) -> Diagnostic {
    Diagnostic::error(Code::A0106, Stage::Artifact, format!("the artifact's content is invalid: {why}"))
        .help("it was not made by this compiler, or changed afterwards; build it again with `mclc build`")
}
