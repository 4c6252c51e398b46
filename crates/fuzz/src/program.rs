//! Accepted programs, and how the front end judges a text in their place.

use std::path::{Path, PathBuf};

use mcl_diagnostics::{FileId, Severity, sort};
use mcl_lexer::{Tokens, lex};
use mcl_modules::{Input, Options, load};

use crate::breaking::{CHANGES, Change, broken};
use crate::report::{Breakable, Broken, Error};

/// Longer programs take too long in all their variants.
const MAX_PROGRAM_BYTES: usize = 20_000;

/// A program without errors.
pub struct Program {
    /// Where it is; local imports are relative to its directory.
    pub path: PathBuf,
    /// Its source.
    pub text: String,
    /// The tokens of the source.
    pub tokens: Tokens,
}

impl Program {
    /// Reads the accepted programs of directories and of those below them, sorted by path.
    ///
    /// # Panics
    /// If a directory cannot be read.
    #[must_use]
    pub fn accepted_in(directories: &[PathBuf]) -> Vec<Program> {
        let mut paths = Vec::new();
        for directory in directories {
            add_paths(directory, &mut paths);
        }
        paths.sort();
        let programs = paths.into_iter().filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok().filter(|text| text.len() < MAX_PROGRAM_BYTES)?;
            let tokens = lex(&text);
            Some(Program { path, text, tokens })
        });
        programs.filter(|program| errors(&program.path, &program.text).is_empty()).collect()
    }
}

impl Breakable for Program {
    fn path(&self) -> &Path {
        &self.path
    }

    fn tokens(&self) -> usize {
        self.tokens.len()
    }

    fn changes() -> usize {
        CHANGES
    }

    fn broken(&self, token: usize, change: usize) -> Option<Broken> {
        broken(&self.text, &self.tokens, self.tokens.indices().nth(token)?, Change::number(change))
    }

    fn errors(&self, text: &str) -> Vec<Error> {
        errors(&self.path, text)
    }
}

fn add_paths(path: &Path, paths: &mut Vec<PathBuf>) {
    if path.extension().is_some_and(|extension| extension == "mcl") {
        paths.push(path.to_owned());
    } else if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for entry in entries.flatten() {
            add_paths(&entry.path(), paths);
        }
    }
}

/// Returns the errors of a text in place of the program at `path`, in the order in which `mclc check` prints them.
///
/// # Panics
/// If the text cannot be loaded.
#[must_use]
pub fn errors(path: &Path, text: &str) -> Vec<Error> {
    let input = Input::Text { path: path.to_owned(), text: text.as_bytes().to_vec() };
    let loaded = load(&input, &Options::default()).expect("a program that is given as text can be read");
    let files = loaded.files.clone();
    let mut diagnostics = mcl_driver::compile(loaded, &[], || ()).diagnostics;
    sort(&mut diagnostics);
    let errors = diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors
        .map(|error| {
            // The main file is the first one.
            let span = error.span.filter(|span| span.file == FileId::MAIN);
            let line = span.and_then(|span| Some(files.get(span.file)?.line_col(span.start).line));
            Error { code: error.code, message: error.message, line }
        })
        .collect()
}
