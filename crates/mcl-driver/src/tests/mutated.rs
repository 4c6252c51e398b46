//! Mutated artifacts with a valid checksum: each is rejected, or passes all following stages without a panic.

use std::sync::mpsc;
use std::time::Duration;

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::Severity;
use mcl_modules::{Input, Options, load};
use test_support::{Rng, SeedReport, seeds};
use xxhash_rust::xxh3::Xxh3;

use crate::{Payload, lex};

const PROGRAM: &str = include_str!("mutated.mcl");
/// Artifacts are a header of this size and a payload; the last eight bytes of the header are the checksum.
const HEADER: usize = 48;
const MUTATIONS: u64 = 1000;

/// Returns the artifacts of a correct program, in pipeline order.
fn artifacts() -> Vec<(ArtifactStage, Vec<u8>)> {
    let input = Input::Text { path: "main.mcl".into(), text: PROGRAM.as_bytes().to_vec() };
    let loaded = load(&input, &Options::default()).expect("the program loads");
    assert_eq!(lex(&loaded), []);
    let mut next = Some(Payload::Tokens(loaded));
    let mut out = Vec::new();
    while let Some(payload) = next {
        out.push((payload.stage(), payload.write()));
        let (following, found) = payload.next();
        assert!(found.iter().all(|found| found.severity != Severity::Error), "{found:?}");
        next = following;
    }
    assert_eq!(out.len(), 6);
    out
}

/// Changes a few bytes after the header, and updates the checksum.
fn mutate(artifact: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = artifact.to_vec();
    for _ in 0..=rng.usize(..3) {
        let at = HEADER + rng.usize(..out.len() - HEADER);
        out[at] = match rng.usize(..4) {
            0 => out[at].wrapping_add(1),
            1 => out[at].wrapping_sub(1),
            2 => rng.usize(..24) as u8,
            _ => out[HEADER + rng.usize(..artifact.len() - HEADER)],
        };
    }
    let mut hasher = Xxh3::new();
    hasher.update(&out[..HEADER - 8]);
    hasher.update(&out[HEADER..]);
    let checksum = hasher.digest().to_le_bytes();
    out[HEADER - 8..HEADER].copy_from_slice(&checksum);
    out
}

/// Whether the artifact is accepted; if so, all later stages ran on it.
fn survives(bytes: &[u8]) -> bool {
    let mut next = Payload::read(bytes).ok();
    let accepted = next.is_some();
    let mut failed = false;
    while let Some(payload) = next {
        // As `compile` does: only a program without errors becomes a graph.
        if failed && payload.stage() == ArtifactStage::Typed {
            break;
        }
        let (following, found) = payload.next();
        failed |= found.iter().any(|d| d.severity == Severity::Error);
        next = following;
    }
    accepted
}

#[test]
fn no_artifact_makes_a_stage_panic_or_hang() {
    let (progress, finished) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        for (stage, artifact) in artifacts() {
            let mut accepted = 0;
            let seeds = seeds(MUTATIONS);
            let count = seeds.end - seeds.start;
            for seed in seeds {
                progress.send((stage, seed)).expect("the test waits");
                let _report = SeedReport(seed);
                accepted += u64::from(survives(&mutate(&artifact, &mut Rng::with_seed(seed))));
            }
            assert!(
                accepted > 0 || count < 100,
                "all mutations of {stage:?} are rejected: later stages are not tested"
            );
        }
    });
    let mut last = None;
    loop {
        match finished.recv_timeout(Duration::from_mins(1)) {
            Ok(running) => last = Some(running),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs at {last:?}"),
        }
    }
    assert!(worker.join().is_ok(), "panics at {last:?}");
}
