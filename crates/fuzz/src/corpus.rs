//! The programs that the fuzzer mutates.

use std::path::{Path, PathBuf};

use mcl_lexer::lex;

/// Longer programs, and files that are not UTF-8, are for other tests.
const MAX_PROGRAM_BYTES: usize = 20_000;

pub(crate) struct Corpus {
    /// Local imports are relative to this directory.
    pub(crate) directory: PathBuf,
    pub(crate) programs: Vec<Program>,
}

pub(crate) struct Program {
    pub(crate) text: String,
    /// The text split after each token; whitespace belongs to the token after it.
    pub(crate) tokens: Vec<String>,
    /// The text split after each line break.
    pub(crate) lines: Vec<String>,
}

impl Corpus {
    /// Reads the corpora of this crate and of the parser, and the programs of `tests/ui`.
    pub(crate) fn read() -> Corpus {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut programs = Vec::new();
        for directory in ["corpus", "../mcl-parser/corpus", "../../tests/ui"] {
            read_directory(&here.join(directory), &mut programs);
        }
        Corpus { directory: here.join("corpus"), programs }
    }
}

/// Reads the programs of a directory and of those below it, sorted by name.
fn read_directory(directory: &Path, programs: &mut Vec<Program>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_directory(&path, programs);
        } else if path.extension().is_some_and(|extension| extension == "mcl") {
            let text = std::fs::read_to_string(&path).ok();
            programs.extend(text.filter(|text| (1..MAX_PROGRAM_BYTES).contains(&text.len())).map(Program::new));
        }
    }
}

impl Program {
    fn new(text: String) -> Program {
        let tokens = lex(&text);
        let mut pieces = Vec::new();
        let mut start = 0;
        for token in tokens.indices() {
            let end = tokens.end(token) as usize;
            pieces.push(text[start..end].to_owned());
            start = end;
        }
        pieces.push(text[start..].to_owned());
        let lines = text.split_inclusive('\n').map(str::to_owned).collect();
        Program { text, tokens: pieces, lines }
    }
}
