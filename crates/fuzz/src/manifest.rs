//! Recorded Puppet programs, and how the Puppet compiler judges a text in their place.

use std::path::{Path, PathBuf};

use mcl_diagnostics::{Diagnostic, FileId, Severity, SourceFile};
use pp_environment::{DiskServices, Facts, node_options, parse_text};
use pp_evaluator::{Budget, Compilation, Environment, Options, Origin, Source};
use pp_syntax::{Mode, ValidationOptions, token_ranges};

use crate::report::{Breakable, Broken, Error};

/// The limits of an evaluation, small enough for a program in an endless loop.
const BUDGET: Budget = Budget { steps: 2_000_000, bytes: 256 << 20, depth: 2_000 };

/// What a token is replaced by, beside nothing and itself twice: tokens of the language, and common ones of others.
const TOKENS: &[&str] = &[
    "word", "Word", "$name", "7", "1.5", "'text'", "/x/", "true", "undef", "default", "{", "}", "(", ")", "[", "]",
    ",", ":", ";", ".", "=>", "+>", "=", "==", "!=", "->", "~>", "<-", "<", ">", "=~", "|", "<|", "|>", "?", "@", "!",
    "+", "-", "*", "/", "%", "<<", "if", "unless", "else", "elsif", "case", "class", "define", "node", "function",
    "type", "inherits", "and", "or", "in", "'", "\"", "&", "::", "$", "#", "\\",
];

/// A program without errors.
pub struct Manifest {
    name: PathBuf,
    text: String,
    tokens: Vec<std::ops::Range<usize>>,
    /// How programs are evaluated.
    options: std::sync::Arc<Options>,
}

/// Returns how programs are evaluated.
#[must_use]
pub fn options() -> Options {
    let mut options = node_options(Some("agent.example.com"), Facts::default());
    options.budget = BUDGET;
    options
}

/// Reads the recorded programs of `tests/puppet/lang`, with their names.
///
/// # Panics
/// If they are not there.
#[must_use]
pub fn recorded() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/lang");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).expect("recorded programs").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut programs = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).expect("UTF-8");
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let field = |name: &str| record[name].as_str().expect("a string").to_owned();
            programs.push((field("id"), field("code")));
        }
    }
    programs
}

/// What the compiler makes of a text.
pub struct Judged {
    /// The file.
    pub file: SourceFile,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The evaluation; `None` if the text is not valid.
    pub compilation: Option<Compilation>,
}

/// Compiles a text. `inspect` sees the tree of a valid one.
#[must_use]
pub fn judge(text: &str, options: &Options, inspect: impl FnOnce(&pp_ast::Tree, &SourceFile)) -> Judged {
    let (tree, diagnostics) = parse_text(FileId::MAIN, text, Mode::Manifest, ValidationOptions::default());
    let file = SourceFile::new("site.pp", text);
    tree.validate(text).expect("a tree of the parser is valid");
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Judged { file, diagnostics, compilation: None };
    }
    inspect(&tree, &file);
    let mut environment = Environment::default();
    environment.files.files.push(file.clone());
    environment.sources.push(Source { origin: Origin::Main, tree });
    let compilation = pp_evaluator::compile(&environment, options, &DiskServices::default());
    Judged { file, diagnostics, compilation: Some(compilation) }
}

impl Manifest {
    /// Returns the recorded programs that are accepted.
    #[must_use]
    pub fn accepted() -> Vec<Manifest> {
        let options = std::sync::Arc::new(options());
        let programs = recorded().into_iter().map(|(name, text)| {
            let tokens = token_ranges(&text).iter().map(|range| range.start as usize..range.end as usize).collect();
            Manifest { name: name.into(), text, tokens, options: std::sync::Arc::clone(&options) }
        });
        programs.filter(|program| program.errors(&program.text).is_empty()).collect()
    }
}

impl Breakable for Manifest {
    fn path(&self) -> &Path {
        &self.name
    }

    fn tokens(&self) -> usize {
        self.tokens.len()
    }

    fn changes() -> usize {
        2 + TOKENS.len()
    }

    fn broken(&self, token: usize, change: usize) -> Option<Broken> {
        let range = self.tokens.get(token)?.clone();
        let (before, old, after) = (&self.text[..range.start], &self.text[range.clone()], &self.text[range.end..]);
        let (new, how) = match change {
            0 => (String::new(), "deleted".to_owned()),
            1 => (format!("{old} {old}"), "doubled".to_owned()),
            _ => (TOKENS[change - 2].to_owned(), format!("replaced by `{}`", TOKENS[change - 2])),
        };
        if new == old {
            return None;
        }
        let adjacent =
            |other: Option<&std::ops::Range<usize>>, at: fn(&std::ops::Range<usize>) -> usize, end: usize| {
                other.filter(|other| at(other) == end).map_or("", |other| &self.text[other.clone()])
            };
        let left = adjacent(token.checked_sub(1).and_then(|left| self.tokens.get(left)), |left| left.end, range.start);
        let right = adjacent(self.tokens.get(token + 1), |right| right.start, range.end);
        // The token stays one of its own, except for a quote, which makes a string of what follows.
        let is_quote = matches!(&*new, "'" | "\"");
        let space = if !is_quote && are_joined(&[left, &new, right]) { " " } else { "" };
        let text = [before, space, &new, space, after].concat();
        Some(Broken::new(kind_of(old), how, before, old, text))
    }

    fn errors(&self, text: &str) -> Vec<Error> {
        let Judged { file, diagnostics, compilation } = judge(text, &self.options, |_, _| ());
        let all =
            diagnostics.into_iter().chain(compilation.into_iter().flat_map(|compilation| compilation.diagnostics));
        let errors = all.filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors
            .map(|error| {
                let line =
                    error.span.filter(|span| span.file == FileId::MAIN).map(|span| file.line_col(span.start).line);
                Error { code: error.code, message: error.message, line }
            })
            .collect()
    }
}

/// Whether some of the pieces become one token when they are written without spaces.
fn are_joined(pieces: &[&str]) -> bool {
    let separate: usize = pieces.iter().map(|piece| token_ranges(piece).len()).sum();
    token_ranges(&pieces.concat()).len() != separate
}

/// Returns the kind of a token, for people.
fn kind_of(token: &str) -> String {
    let first = token.chars().next().unwrap_or(' ');
    match first {
        '$' => "variable".to_owned(),
        '\'' | '"' => "string".to_owned(),
        '/' if token.len() > 1 => "regexp".to_owned(),
        '0'..='9' => "number".to_owned(),
        'A'..='Z' => "Word".to_owned(),
        'a'..='z' if TOKENS.contains(&token) && token != "word" => format!("`{token}`"),
        'a'..='z' | '_' | ':' if token.len() > 1 => "word".to_owned(),
        _ => format!("`{token}`"),
    }
}
