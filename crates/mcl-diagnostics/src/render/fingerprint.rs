//! What identifies a finding in the reports of two commits: not its line, which changes with every line above it.

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::Diagnostic;
use crate::render::program::Program;

/// The findings so far, to count those that are the same.
#[derive(Default)]
pub(super) struct Fingerprints {
    seen: HashMap<String, usize>,
}

impl Fingerprints {
    pub(super) fn next(&mut self, program: &Program<'_>, diagnostic: &Diagnostic) -> String {
        let path = program.path_of(diagnostic).unwrap_or_default();
        let identity = format!("{path}\0{}\0{}", diagnostic.code.name(), diagnostic.message);
        let count = self.seen.entry(identity.clone()).or_default();
        *count += 1;
        let digest = Sha256::digest(format!("{identity}\0{count}"));
        digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
