//! Finds the imports of a file without parsing it: the keyword `import` followed by a string. This works for files with
//! syntax errors too, so one run reports the errors of all files.

use std::sync::Arc;

use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenKind, Tokens};
use rustc_hash::FxHashSet;

/// Returns the import names of a file with the span of the string, each name once.
pub fn imports(file: FileId, text: &str, tokens: &Tokens) -> Vec<(Arc<str>, Span)> {
    let mut seen = FxHashSet::default();
    let strings = tokens.indices().zip(tokens.kinds().windows(2));
    let strings = strings.filter(|(_, pair)| *pair == [TokenKind::Import, TokenKind::String]).map(|(at, _)| at + 1);
    strings
        .filter_map(|at| {
            let quoted = tokens.text(text, at);
            let raw = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))?;
            seen.insert(raw).then(|| (Arc::from(raw), tokens.span(file, at)))
        })
        .collect()
}
