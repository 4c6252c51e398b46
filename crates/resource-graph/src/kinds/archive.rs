//! `tar`, `gzip`, `deploy:tar` (spec 05 §6.28, 6.29, 6.31).

use crate::validate::{Params, ValidationError};
use crate::{Check, Field, ResourceKind, Traits};

const PATH: Field =
    Field::new("path", "str", "The file to write: an absolute path.").default_name().check(Check::AbsoluteFile);
const FORMAT: Field = Field::new(
    "format",
    "int",
    "The format, one of the constants `$const.res.tar.format.…`; 0 takes the simplest that fits.",
)
.default("0");

pub(super) const TAR: ResourceKind = ResourceKind {
    name: "tar",
    doc: "Builds a tar archive from files and directories.",
    fields: &[
        PATH,
        Field::new(
            "inputs",
            "[]str",
            "Absolute paths; a directory with a final `/` stands for its entries, without it for itself.",
        ),
        FORMAT,
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_tar,
};

pub(super) const DEPLOY_TAR: ResourceKind = ResourceKind {
    name: "deploy:tar",
    doc: "Builds a tar archive of the program that is running.",
    fields: &[PATH, FORMAT],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_output,
};

fn validate_tar(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_output(p)?;
    match p.texts("inputs").find(|input| !input.starts_with('/')) {
        Some(input) => {
            Err(ValidationError::of("inputs", format!("`inputs` must be absolute paths, and {input:?} is not")))
        }
        None => Ok(()),
    }
}

fn validate_output(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = p.text_or_name("path");
    if !path.starts_with('/') {
        return Err(ValidationError::of("path", format!("the path to write must be absolute, and {path:?} is not")));
    }
    if path.ends_with('/') {
        return Err(ValidationError::of(
            "path",
            format!("the path to write must be a file, and {path:?} ends with `/`"),
        ));
    }
    Ok(())
}

pub(super) const GZIP: ResourceKind = ResourceKind {
    name: "gzip",
    doc: "Compresses one file, or a text.",
    fields: &[
        PATH,
        Field::new("input", "str", "The file to compress; wins over `content`.").optional().check(Check::AbsoluteFile),
        Field::new("content", "str", "The text to compress."),
        Field::new("level", "int", "The compression level, from -2 to 9; see `$const.res.gzip.level.…`.").default("-1"),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_gzip,
};

fn validate_gzip(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_output(p)?;
    if p.set_text("input").is_some_and(|input| input.is_empty()) {
        return Err(ValidationError::of("input", "`input` must be an absolute path, and it is empty"));
    }
    match p.int("level") {
        -2..=9 => Ok(()),
        level => Err(ValidationError::of("level", format!("`level` must be between -2 and 9, not {level}"))),
    }
}
