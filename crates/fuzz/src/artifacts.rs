//! Artifacts of every stage, and bytes that are almost artifacts.

use std::path::Path;

use fastrand::Rng;
use mcl_artifact::ArtifactStage;
use mcl_modules::{Input, Options, load};
use pp_environment::{StoredEnvironment, load_path};
use pp_functions::Strict;
use pp_translate::TranslateOptions;
use resource_graph::StoredGraph;
use xxhash_rust::xxh3::Xxh3;

/// The layout of the container: what follows the magic, the length of the payload, the checksum, the payload.
const LENGTH_AT: usize = 32;
const CHECKSUM_AT: usize = 40;
const HEADER_LENGTH: usize = 48;
/// Large artifacts have the same parts as small ones, and take longer.
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of changes of an artifact.
const MAX_CHANGES: usize = 6;
/// Bytes that stand for large numbers, lengths and the variants of enums.
const ODD_BYTES: [u8; 12] = [0, 1, 2, 3, 0x7f, 0x80, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff];

/// Compiles the programs of a directory, and returns the artifacts of all stages.
#[must_use]
pub fn of_programs(texts: &[String], directory: &Path) -> Vec<Vec<u8>> {
    let mut artifacts = Vec::new();
    for text in texts {
        let input = Input::Text { path: directory.join("main.mcl"), text: text.as_bytes().to_vec() };
        let Ok(loaded) = load(&input, &Options::default()) else { continue };
        let compiled = mcl_driver::compile(loaded, &ArtifactStage::ALL, || ());
        artifacts.extend(compiled.artifacts.into_iter().map(|(_, bytes)| bytes));
    }
    artifacts.retain(|bytes| bytes.len() <= MAX_BYTES);
    artifacts
}

/// Stores the environments below a directory.
#[must_use]
pub fn of_environments(directories: &[std::path::PathBuf]) -> Vec<Vec<u8>> {
    let stored = directories.iter().filter_map(|directory| {
        let (_, loaded) = load_path(directory, &[], Strict::Warning).ok()?;
        Some(StoredEnvironment::new(loaded).ok()?.write())
    });
    stored.filter(|bytes| bytes.len() <= MAX_BYTES).collect()
}

/// Translates catalogs in JSON.
#[must_use]
pub fn of_catalogs(catalogs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let options = TranslateOptions::default();
    let translated = catalogs.iter().filter_map(|bytes| {
        let (catalog, _) = pp_translate::read_catalog(bytes).ok()?;
        let relationships = pp_translate::build_relationships(catalog, &options.types).ok()?;
        let translation = pp_translate::translate(&relationships, &options).ok()?;
        let stored = StoredGraph::of(&translation.graph).ok()?;
        Some(mcl_artifact::write(ArtifactStage::Puppet, &stored))
    });
    translated.collect()
}

/// Returns an artifact of the corpus with some changes. Most have the right length and checksum, so that they are decoded.
#[must_use]
pub fn mutated(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let pick = |rng: &mut Rng| &corpus[rng.usize(..corpus.len())];
    let mut bytes = pick(rng).clone();
    for _ in 0..rng.usize(1..=MAX_CHANGES) {
        change(&mut bytes, pick(rng), rng);
    }
    if rng.u8(..) >= 16 {
        seal(&mut bytes);
    }
    bytes
}

/// Changes bytes, mostly behind the header.
fn change(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let first = if rng.u8(..) < 8 { 0 } else { HEADER_LENGTH.min(bytes.len()) };
    if first >= bytes.len() {
        return;
    }
    let at = rng.usize(first..bytes.len());
    let end = (at + rng.usize(1..=16)).min(bytes.len());
    match rng.u8(..8) {
        0 => bytes[at] ^= 1 << rng.u8(..8),
        1 => bytes[at] = ODD_BYTES[rng.usize(..ODD_BYTES.len())],
        2 => bytes[at] = rng.u8(..),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.truncate(at),
        5 => {
            let again = bytes[at..end].to_vec();
            drop(bytes.splice(at..at, again));
        }
        // A length or an index of eight bytes.
        6 => {
            let number = if rng.bool() { u64::MAX >> rng.u8(..64) } else { rng.u64(..1000) };
            let coded = [&[0xfd][..], &number.to_le_bytes()].concat();
            drop(bytes.splice(at..end, coded));
        }
        _ => {
            let from = rng.usize(..other.len());
            let to = (from + rng.usize(1..=32)).min(other.len());
            drop(bytes.splice(at..end, other[from..to].iter().copied()));
        }
    }
}

/// Gives an artifact the length and the checksum of its content.
fn seal(bytes: &mut [u8]) {
    let Some(length) = bytes.len().checked_sub(HEADER_LENGTH) else { return };
    bytes[LENGTH_AT..CHECKSUM_AT].copy_from_slice(&(length as u64).to_le_bytes());
    let mut hasher = Xxh3::new();
    hasher.update(&bytes[..CHECKSUM_AT]);
    hasher.update(&bytes[HEADER_LENGTH..]);
    let checksum = hasher.digest();
    bytes[CHECKSUM_AT..HEADER_LENGTH].copy_from_slice(&checksum.to_le_bytes());
}
