//! The value that flows through the pipeline, in each of its states.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::Program;
use mcl_artifact::{ArtifactStage, read_header, read_program};
use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use mcl_modules::{Import, ImportTarget, Loaded, Unit, UnitId};
use mcl_parser::ast::Ast;
use mcl_types::{Scoped, Typed};
use serde::{Deserialize, Serialize};

/// A program between two stages. What an artifact file holds is the content of one variant.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one a compilation, moved from stage to stage")]
pub enum Payload {
    /// Behind `lex`.
    Tokens(Loaded),
    /// Behind `parse`.
    Ast(Trees),
    /// Behind `interpolate`.
    Interpolated(Trees),
    /// Behind `scope`.
    Scoped(Resolved),
    /// Behind `unify`.
    Typed(Checked),
    /// Behind `fgraph`: what the runtime runs.
    Fgraph(Box<Program>),
}

/// The syntax trees of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// The sources and imports; the tokens were used up.
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
    /// The trees with what their names mean.
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
    /// Which stage it comes from.
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

    /// The sources.
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

    /// The bytes of its artifact file.
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

    /// Reads an artifact file of any stage of the compiler.
    ///
    /// # Errors
    /// An A-diagnostic if the bytes are not such a file, or are corrupted.
    pub fn read(bytes: &[u8]) -> Result<Payload, Diagnostic> {
        let stage = read_header(bytes)?.stage;
        let payload = match stage {
            ArtifactStage::Tokens => {
                let loaded: Loaded = mcl_artifact::read(bytes, stage)?;
                check(&loaded)?;
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
                check_trees(&resolved.loaded, &resolved.scoped.units)?;
                resolved.scoped.validate().map_err(|error| invalid(&error.to_string()))?;
                Payload::Scoped(resolved)
            }
            ArtifactStage::Typed => {
                let checked: Checked = mcl_artifact::read(bytes, stage)?;
                check_trees(&checked.loaded, &checked.typed.scoped.units)?;
                checked.typed.validate().map_err(|error| invalid(&error.to_string()))?;
                Payload::Typed(checked)
            }
            ArtifactStage::Fgraph => Payload::Fgraph(Box::new(read_program(bytes)?)),
            ArtifactStage::Puppet => {
                let message = "the artifact is a translated Puppet catalog, not a stage of an mcl program";
                return Err(Diagnostic::error(Code::A0105, Stage::Artifact, message)
                    .help("`mgmt-rt graph --puppet FILE` shows it"));
            }
        };
        Ok(payload)
    }
}

fn trees(bytes: &[u8], stage: ArtifactStage) -> Result<Trees, Diagnostic> {
    let trees: Trees = mcl_artifact::read(bytes, stage)?;
    check_trees(&trees.loaded, &trees.trees)?;
    Ok(trees)
}

/// There is one tree for each unit, and it fits the source.
fn check_trees(loaded: &Loaded, trees: &PrimaryMap<UnitId, Arc<Ast>>) -> Result<(), Diagnostic> {
    check(loaded)?;
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

/// Every file and unit that is spoken of exists.
fn check(loaded: &Loaded) -> Result<(), Diagnostic> {
    let import = |import: &Import| match import.target {
        ImportTarget::Unit(unit) => loaded.units.is_valid(unit),
        ImportTarget::System | ImportTarget::Failed(_) => true,
    };
    let unit = |unit: &Unit| loaded.files.get(unit.file).is_some() && unit.imports.iter().all(import);
    if loaded.units.values().all(unit) { Ok(()) } else { Err(invalid("it speaks of files that are not in it")) }
}

fn invalid(why: &str) -> Diagnostic {
    Diagnostic::error(Code::A0106, Stage::Artifact, format!("the artifact's content is invalid: {why}"))
        .help("it was not made by this compiler, or changed afterwards; build it again with `mclc build`")
}
