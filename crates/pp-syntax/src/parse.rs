//! The parse stage.

use mcl_diagnostics::{Diagnostic, FileId};
use pp_ast::{Expr, TextRange, Tree};

use crate::builder::Builder;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::{MAX_LENGTH, lex};
use crate::mode::Mode;
use crate::parse_tokens::parse_tokens;
use crate::recovery::recover;
use crate::tokens::TokenIdx;

/// The result of the parse stage: always a tree, and what is wrong with the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree. With syntax errors it holds only what could be parsed.
    pub tree: Tree,
    /// Errors and warnings in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// What could be parsed of a text with syntax errors.
    pub fragments: Option<Fragments>,
}

/// What could be parsed of a text with syntax errors, to be validated by [`crate::validate_fragments`].
#[derive(Clone, Debug, PartialEq)]
pub struct Fragments {
    /// Trees with statements, and parts of statements.
    pub(crate) trees: Vec<Tree>,
    /// What is wrong in these ranges may be a consequence of a syntax error.
    pub(crate) doubtful: Vec<TextRange>,
}

impl Parsed {
    /// Returns whether there is a syntax error, so that the tree is not complete.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == mcl_diagnostics::Severity::Error)
    }
}

/// Parses a manifest or a template.
#[must_use]
pub fn parse(file: FileId, text: &str, mode: Mode) -> Parsed {
    if text.len() > MAX_LENGTH {
        let error = SyntaxError::new(SyntaxErrorKind::FileTooLarge, TextRange::default());
        return Parsed { tree: empty_tree(file), diagnostics: vec![error.diagnostic(file)], fragments: None };
    }
    let mut tokens = lex(text, mode);
    let mut lexical = std::mem::take(&mut tokens.errors);
    let mut builder = Builder::new(file, text, &tokens);
    builder.reserve();
    let mut errors = Vec::new();
    let mut recovered = None;
    if let Err(failed) = parse_tokens(&mut builder, &tokens, TokenIdx::default(), tokens.end()) {
        let found = recover(file, text, &tokens, &lexical, failed);
        errors = found.errors;
        recovered = Some((found.tree, found.given_up));
        let causes = Causes::new(text, &lexical);
        errors.retain(|error| !causes.explain(error));
        let long_string = errors.iter().find(|error| matches!(error.kind, SyntaxErrorKind::AfterString { .. }));
        if let Some(end) = long_string.map(|error| error.range.start) {
            // From there on what was code is text, and the other way round.
            errors.retain(|error| error.range.start <= end);
            lexical.retain(|error| error.range.start <= end);
        }
    }
    let Builder { mut tree, errors: built, .. } = builder;
    errors.extend(built);
    errors.extend(lexical);
    errors.sort_by_key(|error| error.range.start);
    let fragments = fragments(text, &errors, &tree, recovered);
    if tree.root.is_none() {
        tree = empty_tree(file);
    }
    let diagnostics = errors.into_iter().map(|error| error.diagnostic(file)).collect();
    Parsed { tree, diagnostics, fragments }
}

/// Collects what was parsed before and after the errors. Where a string or comment never ends, code and text may be exchanged:
/// then nothing can be said.
fn fragments(
    text: &str,
    errors: &[SyntaxError],
    tree: &Tree,
    recovered: Option<(Tree, Vec<TextRange>)>,
) -> Option<Fragments> {
    let exchanges =
        |error: &SyntaxError| error.kind.is_unclosed() || matches!(error.kind, SyntaxErrorKind::AfterString { .. });
    let mut errors = errors.iter().filter(|error| !error.kind.is_warning()).peekable();
    errors.peek()?;
    let (mut trees, mut doubtful) = (vec![tree.clone()], Vec::new());
    if let Some((tree, given_up)) = recovered {
        trees.push(tree);
        doubtful = given_up;
    }
    for error in errors {
        if exchanges(error) {
            return None;
        }
        let (start, end) = (error.range.start as usize, error.range.end as usize);
        let line_start = text.get(..start)?.rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text.get(end..)?.find('\n').map_or(text.len(), |newline| end + newline);
        doubtful.push(TextRange { start: line_start as u32, end: line_end as u32 });
    }
    Some(Fragments { trees, doubtful })
}

/// The lexical errors that explain syntax errors after them.
struct Causes {
    /// Where the errors are, sorted.
    starts: Vec<u32>,
    /// Where the first string, heredoc or comment starts that never ends.
    unclosed: Option<u32>,
    /// Where each line starts.
    lines: Vec<u32>,
}

impl Causes {
    fn new(text: &str, lexical: &[SyntaxError]) -> Causes {
        let start = |error: &SyntaxError| {
            error.related.map_or(error.range.start, |related| related.start.min(error.range.start))
        };
        let errors = || lexical.iter().filter(|error| !error.kind.is_warning());
        let mut starts: Vec<u32> = errors().map(start).collect();
        starts.sort_unstable();
        let unclosed = errors().filter(|error| error.kind.is_unclosed()).map(start).min();
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline as u32 + 1).collect();
        Causes { starts, unclosed, lines }
    }

    /// Returns whether a syntax error has a cause: on the same line before it, or in what never ends.
    fn explain(&self, error: &SyntaxError) -> bool {
        let at = error.range.start;
        let is_end = matches!(error.kind, SyntaxErrorKind::UnexpectedEnd { .. });
        if self.unclosed.is_some_and(|unclosed| is_end || unclosed <= at) {
            return true;
        }
        let line_of = |offset: u32| self.lines.partition_point(|start| *start <= offset);
        let before = self.starts.partition_point(|start| *start <= at);
        before.checked_sub(1).is_some_and(|cause| line_of(self.starts[cause]) == line_of(at))
    }
}

/// The tree of a text that could not be parsed.
fn empty_tree(file: FileId) -> Tree {
    let mut tree = Tree::new(file);
    tree.root = Some(tree.add(Expr::Error, TextRange::default()));
    tree
}
