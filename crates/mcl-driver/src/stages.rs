//! One function a stage.

use mcl_diagnostics::Diagnostic;
use mcl_lexer::lex_diagnostics;
use mcl_modules::{Loaded, Unit};
use rayon::prelude::*;

/// What the lexer has to say about all files. (The tokens were made when the files were read: imports are found in them.)
#[must_use]
pub fn lex(loaded: &Loaded) -> Vec<Diagnostic> {
    let text = |unit: &Unit| loaded.files.get(unit.file).map_or("", |file| &file.text);
    distinct_files(loaded)
        .par_iter()
        .flat_map_iter(|unit| lex_diagnostics(unit.file, text(unit), &unit.tokens))
        .collect()
}

/// One unit of each file; a file that belongs to two modules is lexed and parsed once.
fn distinct_files(loaded: &Loaded) -> Vec<&Unit> {
    let mut seen = rustc_hash::FxHashSet::default();
    loaded.units.iter().filter(|unit| seen.insert(unit.file)).collect()
}
