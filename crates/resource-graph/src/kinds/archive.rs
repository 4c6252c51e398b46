//! `tar`, `gzip`, `deploy:tar` (spec 05 §6.28, §6.29, §6.31).

use crate::{Check, Claim, Field, KindConstant, Params, ResourceKind, ValidationError};

const PATH: Field =
    Field::new("path", "str", "The absolute path of the file to write.").default_name().check(Check::AbsoluteFile);
const FORMAT: Field = Field::new(
    "format",
    "int",
    "The format, one of the constants `$const.res.tar.format.…`; 0 selects the simplest that can hold the inputs.",
)
.default("0");

pub(super) const TAR: ResourceKind = ResourceKind {
    name: "tar",
    doc: "Builds a tar archive from files and directories.",
    example: r#"tar "/srv/site.tar" {
	inputs => ["/srv/site/"],
}"#,
    fields: &[
        PATH,
        Field::new(
            "inputs",
            "[]str",
            "Absolute paths; a directory with a trailing `/` means its entries, without it the directory itself.",
        ),
        FORMAT,
    ],
    constants: &[
        KindConstant::int("format", "unknown", 0),
        KindConstant::int("format", "ustar", 2),
        KindConstant::int("format", "pax", 4),
        KindConstant::int("format", "gnu", 8),
    ],
    validate: validate_tar,
    managed_files: |p| vec![p.string_or_name("path").into_owned()],
    claims: whole_output,
    ..ResourceKind::BASE
};

pub(super) const DEPLOY_TAR: ResourceKind = ResourceKind {
    name: "deploy:tar",
    doc: "Builds a tar archive of the running program.",
    example: r#"deploy:tar "/srv/program.tar" {}"#,
    fields: &[PATH, FORMAT],
    validate: validate_output,
    managed_files: |p| vec![p.string_or_name("path").into_owned()],
    claims: whole_output,
    ..ResourceKind::BASE
};

/// No two resources write the same archive.
fn whole_output<'a>(p: &Params<'a>) -> Vec<Claim<'a>> {
    let maker = format!("{} {}", p.kind().name, p.name());
    vec![Claim::whole(p.string_or_name("path"), "content", maker)]
}

fn validate_tar(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_output(p)?;
    match p.strings("inputs").find(|input| !input.starts_with('/')) {
        Some(input) => Err(ValidationError::of_value(
            "inputs",
            format!("invalid path in `inputs`: expected an absolute path, found {input:?}"),
        )),
        None => Ok(()),
    }
}

fn validate_output(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = p.string_or_name("path");
    if !path.starts_with('/') {
        return Err(ValidationError::of_value(
            "path",
            format!("invalid path: expected an absolute path, found {path:?}"),
        ));
    }
    if path.ends_with('/') {
        return Err(ValidationError::of_value(
            "path",
            format!("invalid path: expected a file, found the directory {path:?}"),
        ));
    }
    Ok(())
}

pub(super) const GZIP: ResourceKind = ResourceKind {
    name: "gzip",
    doc: "Compresses a file or a string.",
    example: r#"gzip "/srv/site.tar.gz" {
	input => "/srv/site.tar",
}"#,
    fields: &[
        PATH,
        Field::new("input", "str", "The file to compress; takes precedence over `content`.")
            .optional()
            .check(Check::AbsoluteFile),
        Field::new("content", "str", "The string to compress."),
        Field::new("level", "int", "The compression level, from -2 to 9; see `$const.res.gzip.level.…`.").default("-1"),
    ],
    constants: &[
        KindConstant::int("level", "no_compression", 0),
        KindConstant::int("level", "best_speed", 1),
        KindConstant::int("level", "best_compression", 9),
        KindConstant::int("level", "default_compression", -1),
        KindConstant::int("level", "huffman_only", -2),
    ],
    validate: validate_gzip,
    managed_files: |p| vec![p.string_or_name("path").into_owned()],
    claims: whole_output,
    ..ResourceKind::BASE
};

fn validate_gzip(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_output(p)?;
    if p.given_string("input").is_some_and(|input| input.is_empty()) {
        return Err(ValidationError::of_value("input", "empty `input`"));
    }
    match p.int("level") {
        -2..=9 => Ok(()),
        level => {
            Err(ValidationError::of_value("level", format!("`level` is out of range: expected -2 to 9, found {level}")))
        }
    }
}
