//! The container: a header of [`HEADER_LENGTH`] bytes, then the payload.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0-7 | magic; its first byte is not ASCII, its line ends reveal transfers that translate line ends |
//! | 8-11 | format version, little-endian as all numbers |
//! | 12-15 | stage |
//! | 16-31 | version of the producer, padded with zero bytes |
//! | 32-39 | length of the payload |
//! | 40-47 | XXH3-64 of bytes 0-39 and the payload |
//!
//! The checks go from the outside in, so that each damage is called by its name: a foreign file, another format version,
//! a truncated file, a corrupted one, another stage, and only then the content.

use mcl_diagnostics::{Code, Diagnostic, Stage as DiagnosticStage};
use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::Xxh3;

use crate::{codec, program::Program};

const MAGIC: [u8; 8] = *b"\x9bmcl\r\n\x1a\n";
const HEADER_LENGTH: usize = 48;
const CHECKSUM_AT: usize = 40;

/// Version of the header and of every payload: raised whenever a payload type changes.
pub const FORMAT_VERSION: u32 = 4;

/// Which stage of the pipeline wrote an artifact; decides the type of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ArtifactStage {
    Tokens,
    Ast,
    Interpolated,
    Scoped,
    Typed,
    /// A [`Program`], what `mgmt-rt` runs.
    Fgraph,
    /// A translated Puppet catalog.
    Puppet,
    /// A plan that `mgmt-rt` keeps.
    Plan,
    /// The parsed manifests of a Puppet environment, which `mgmt-rt` evaluates on each host.
    Environment,
}

impl ArtifactStage {
    /// All stages, in pipeline order.
    pub const ALL: [ArtifactStage; 9] = [
        ArtifactStage::Tokens,
        ArtifactStage::Ast,
        ArtifactStage::Interpolated,
        ArtifactStage::Scoped,
        ArtifactStage::Typed,
        ArtifactStage::Fgraph,
        ArtifactStage::Puppet,
        ArtifactStage::Plan,
        ArtifactStage::Environment,
    ];

    /// The name used by `mclc build --emit` and in file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ArtifactStage::Tokens => "tokens",
            ArtifactStage::Ast => "ast",
            ArtifactStage::Interpolated => "interpolated",
            ArtifactStage::Scoped => "scoped",
            ArtifactStage::Typed => "typed",
            ArtifactStage::Fgraph => "fgraph",
            ArtifactStage::Puppet => "puppet",
            ArtifactStage::Plan => "plan",
            ArtifactStage::Environment => "environment",
        }
    }

    /// The command that reads artifacts of this stage.
    fn consumer(self) -> &'static str {
        match self {
            ArtifactStage::Tokens => "mclc parse",
            ArtifactStage::Ast => "mclc interpolate",
            ArtifactStage::Interpolated => "mclc scope",
            ArtifactStage::Scoped => "mclc unify",
            ArtifactStage::Typed => "mclc fgraph",
            ArtifactStage::Fgraph => "mgmt-rt apply",
            ArtifactStage::Puppet | ArtifactStage::Environment => "mgmt-rt apply --puppet",
            ArtifactStage::Plan => "mgmt-rt apply --plan",
        }
    }

    /// The command that writes artifacts of this stage.
    fn producer(self) -> &'static str {
        match self {
            ArtifactStage::Tokens => "mclc lex",
            ArtifactStage::Ast => "mclc parse",
            ArtifactStage::Interpolated => "mclc interpolate",
            ArtifactStage::Scoped => "mclc scope",
            ArtifactStage::Typed => "mclc unify",
            ArtifactStage::Fgraph => "mclc build",
            ArtifactStage::Puppet | ArtifactStage::Environment => "mclc puppet",
            ArtifactStage::Plan => "mgmt-rt plan -o",
        }
    }

    fn number(self) -> u32 {
        match self {
            ArtifactStage::Tokens => 1,
            ArtifactStage::Ast => 2,
            ArtifactStage::Interpolated => 3,
            ArtifactStage::Scoped => 4,
            ArtifactStage::Typed => 5,
            ArtifactStage::Fgraph => 6,
            ArtifactStage::Puppet => 7,
            ArtifactStage::Plan => 8,
            ArtifactStage::Environment => 9,
        }
    }
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which stage wrote it.
    pub stage: ArtifactStage,
    /// The version of the compiler that wrote it.
    pub producer: String,
    /// Bytes of the payload.
    pub payload_length: u64,
    /// XXH3-64 of the header before it and of the payload: identifies the artifact.
    pub checksum: u64,
}

/// An artifact of that stage. Same payload, same bytes.
#[must_use]
pub fn write<T: Serialize>(stage: ArtifactStage, payload: &T) -> Vec<u8> {
    let payload = codec::encode(payload);
    let mut out = Vec::with_capacity(HEADER_LENGTH + payload.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    out.extend_from_slice(&stage.number().to_le_bytes());
    let mut producer = [0; 16];
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let length = version.len().min(producer.len());
    producer[..length].copy_from_slice(&version[..length]);
    out.extend_from_slice(&producer);
    out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    let checksum = checksum(&out, &payload);
    out.extend_from_slice(&checksum.to_le_bytes());
    out.extend_from_slice(&payload);
    out
}

/// Whether the bytes claim to be an artifact (as opposed to source text).
#[must_use]
pub fn is_artifact(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns the stage that the start of a file claims; `None` if it is not one of an artifact of this version.
#[must_use]
pub fn stage_of(start: &[u8]) -> Option<ArtifactStage> {
    let header = start.get(..HEADER_LENGTH).filter(|header| is_artifact(header))?;
    let number = read_u32(header, 12);
    ArtifactStage::ALL.into_iter().find(|stage| stage.number() == number)
}

/// Checks everything but the payload's content.
///
/// # Errors
/// A0101 a foreign file, A0102 another format version, A0103 a truncated or lengthened file, A0104 a corrupted one.
pub fn read_header(bytes: &[u8]) -> Result<Header, Diagnostic> {
    if !is_artifact(bytes) {
        return Err(foreign(bytes));
    }
    let header = bytes.get(..HEADER_LENGTH).ok_or_else(|| truncated(bytes.len() as u64, HEADER_LENGTH as u64))?;
    let version = read_u32(header, 8);
    if version != FORMAT_VERSION {
        return Err(other_version(version, &producer(header)));
    }
    let payload = &bytes[HEADER_LENGTH..];
    let payload_length = read_u64(header, 32);
    if payload_length != payload.len() as u64 {
        return Err(truncated(bytes.len() as u64, payload_length.saturating_add(HEADER_LENGTH as u64)));
    }
    let stored = read_u64(header, CHECKSUM_AT);
    if stored != checksum(&header[..CHECKSUM_AT], payload) {
        return Err(error(Code::A0104, "the artifact is corrupted: its checksum does not match its content")
            .help("copy the file again, or build it again with `mclc build`"));
    }
    let number = read_u32(header, 12);
    let stage = ArtifactStage::ALL
        .into_iter()
        .find(|stage| stage.number() == number)
        .ok_or_else(|| invalid(&format!("its stage is {number}, which does not exist")))?;
    Ok(Header { stage, producer: producer(header), payload_length, checksum: stored })
}

/// Reads the payload of an artifact of that stage.
///
/// # Errors
/// Those of [`read_header`], A0105 for an artifact of another stage, A0106 for a payload that cannot be read.
pub fn read<T: DeserializeOwned>(bytes: &[u8], expected: ArtifactStage) -> Result<T, Diagnostic> {
    let header = read_header(bytes)?;
    if header.stage != expected {
        return Err(wrong_stage(header.stage, expected));
    }
    codec::decode(&bytes[HEADER_LENGTH..]).map_err(|error| invalid(&error.to_string()))
}

/// Reads a program and checks its invariants, so that every index in it is in range.
///
/// # Errors
/// Those of [`read`], and A0106 for a program that breaks an invariant of [`crate::program`].
pub fn read_program(bytes: &[u8]) -> Result<Program, Diagnostic> {
    let mut program: Program = read(bytes, ArtifactStage::Fgraph)?;
    crate::validate::validate(&program).map_err(|why| invalid(&why.to_string()))?;
    program.share_sources();
    Ok(program)
}

fn checksum(header: &[u8], payload: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.digest()
}

fn producer(header: &[u8]) -> String {
    let bytes = &header[16..32];
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).chars().filter(|c| !c.is_control()).collect()
}

/// The caller has checked that the header is whole.
fn read_u32(header: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"))
}

fn read_u64(header: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"))
}

fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, DiagnosticStage::Artifact, message)
}

fn foreign(bytes: &[u8]) -> Diagnostic {
    if bytes.is_empty() {
        return error(Code::A0101, "the file is empty, so it is not an artifact").help("build one with `mclc build`");
    }
    if MAGIC.starts_with(bytes) {
        return truncated(bytes.len() as u64, HEADER_LENGTH as u64);
    }
    let start = &bytes[..bytes.len().min(4096)];
    // A cut within a character is no reason to call a text binary.
    let is_text = match std::str::from_utf8(start) {
        Ok(text) => !text.contains('\0'),
        Err(cut) => cut.error_len().is_none() && bytes.len() > start.len(),
    };
    if start.first() == Some(&b'{') {
        error(Code::A0101, "the file is not an artifact but looks like JSON")
            .help("a Puppet catalog is given with `--puppet FILE.json`, or translated with `mclc puppet`")
    } else if is_text {
        error(Code::A0101, "the file is not an artifact but source text")
            .help("compile it first: `mclc build PATH -o OUT.bin`, or `mclc puppet PATH -o OUT.bin` for Puppet code")
    } else {
        error(Code::A0101, "the file is not an artifact: it does not start with the header of one")
            .help("artifacts are made by `mclc build` and `mclc puppet`")
    }
}

fn truncated(found: u64, expected: u64) -> Diagnostic {
    if found < expected {
        error(Code::A0103, format!("the artifact is truncated: it has {found} bytes of {expected}"))
            .help("copy the file again, or build it again with `mclc build`")
    } else {
        error(Code::A0103, format!("the artifact has {} bytes after its end", found - expected))
            .help("copy the file again, or build it again with `mclc build`")
    }
}

fn other_version(version: u32, producer: &str) -> Diagnostic {
    let age = if version > FORMAT_VERSION { "newer" } else { "older" };
    error(
        Code::A0102,
        format!(
            "the artifact has format version {version}, {age} than version {FORMAT_VERSION}, which this program reads \
             (it was made by version {producer} of the compiler)"
        ),
    )
    .help(if version > FORMAT_VERSION {
        "update this program, or build the artifact again with the compiler of the same release"
    } else {
        "build the artifact again with the compiler of the same release"
    })
}

/// The diagnostic for an artifact of another stage than the one that is needed.
#[must_use]
pub fn wrong_stage(found: ArtifactStage, expected: ArtifactStage) -> Diagnostic {
    error(
        Code::A0105,
        format!("the artifact is of stage `{}`, but stage `{}` is needed here", found.name(), expected.name()),
    )
    .help(format!(
        "`{}` reads this file; files of stage `{}` are made by `{}`",
        found.consumer(),
        expected.name(),
        expected.producer()
    ))
}

fn invalid(why: &str) -> Diagnostic {
    error(Code::A0106, format!("the artifact's content is invalid: {why}"))
        .help("it was not made by this compiler, or changed afterwards; build it again with `mclc build`")
}
