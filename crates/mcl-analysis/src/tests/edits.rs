//! Random edits: no question panics, and the findings are those of the whole compiler.

use std::sync::Arc;

use mcl_modules::{Buffer, Input, Options, load};
use test_support::{Rng, for_each_seed};

use super::*;
use crate::{Change, Encoding, Position};

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "${",
    "$x",
    " = ",
    "\n",
    ",",
    "=>",
    "class c {",
    "include c",
    "import \"fmt\"\n",
    "fmt.printf(",
    "ä😀",
    "# c\n",
    "file \"/a\" {\n",
    "Meta:",
    "->",
    "\r\n",
    "\0",
    "func f($a) { $a }\n",
    "const.res.",
];

#[test]
fn edited_programs_have_the_findings_of_the_compiler() {
    for_each_seed(40, |rng| {
        let path = main_path();
        let mut workspace = Workspace::new(None);
        workspace.open(path.clone(), SAMPLE);
        let mut expected = SAMPLE.to_owned();
        let mut analyzer = Analyzer::default();
        for _ in 0..25 {
            edit(rng, &mut workspace, &path, &mut expected);
            assert_eq!(**workspace.text(&path).expect("it is open"), *expected);
            let analysis = analyzer.analyze(&workspace.sources());
            ask(&analysis, &path, rng.u32(..=expected.len() as u32));
            assert_eq!(findings(&analysis, &path), compiled(&path, &expected), "{expected:?}");
        }
    });
}

/// Replaces up to a few characters with a piece of a program, in the workspace and in the expected text.
fn edit(rng: &mut Rng, workspace: &mut Workspace, path: &Path, expected: &mut String) {
    let boundary = |rng: &mut Rng, text: &str| {
        let mut at = rng.usize(..=text.len());
        while !text.is_char_boundary(at) || (at > 0 && text[..at].ends_with('\r') && text[at..].starts_with('\n')) {
            at -= 1;
        }
        at
    };
    let start = boundary(rng, expected);
    let end = expected[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
    let mut end = end.take(rng.usize(..4)).last().unwrap_or(start);
    if expected[..end].ends_with('\r') && expected[end..].starts_with('\n') {
        end += 1;
    }
    let piece = PIECES[rng.usize(..PIECES.len())];
    let encoding = if rng.bool() { Encoding::Utf8 } else { Encoding::Utf16 };
    let lines = crate::LineIndex::new(expected);
    let position = |at: usize| -> Position { lines.position(expected, at as u32, encoding) };
    let change = Change { range: Some((position(start), position(end))), text: piece.to_owned() };
    assert!(workspace.change(path, vec![change], encoding));
    expected.replace_range(start..end, piece);
}

/// Asks everything.
fn ask(analysis: &Analysis, path: &Path, offset: u32) {
    let source = analysis.source(path).expect("it is open");
    let is_inside = |end: u32| end as usize <= source.text.len();
    assert!(analysis.hover(path, offset).is_none_or(|hover| is_inside(hover.range.end)));
    assert!(analysis.definitions(path, offset).iter().all(|found| is_inside(found.name.end)));
    assert!(analysis.uses(path, offset).iter().all(|found| is_inside(found.location.end)));
    assert!(analysis.completions(path, offset).iter().all(|item| is_inside(item.replaces.end)));
    let tokens = analysis.semantic_tokens(path);
    assert!(tokens.is_sorted_by(|a, b| a.range.end <= b.range.start));
    assert!(analysis.inlay_hints(path, 0..u32::MAX).iter().all(|hint| is_inside(hint.offset)));
    assert!(analysis.links(path).iter().all(|link| is_inside(link.range.end)));
    let _ = (analysis.incoming_calls(path, offset), analysis.outgoing_calls(path, offset));
    let _ = (analysis.signature_help(path, offset), analysis.prepare_rename(path, offset));
    let _ = analysis.outline(path);
    let _ = analysis.workspace_symbols("a", 10);
    let _ = crate::folds(&source.text);
    let _ = crate::selection_ranges(&source.text, offset);
}

type Shown = Vec<(&'static str, String, Option<(u32, u32)>)>;

fn findings(analysis: &Analysis, path: &Path) -> Shown {
    let found = analysis.findings().remove(path).unwrap_or_default().into_iter();
    let mut found: Shown = found.map(|f| (f.code.name(), f.message, Some((f.range.start, f.range.end)))).collect();
    found.sort();
    found
}

/// What `mclc check` reports of the text.
fn compiled(path: &Path, text: &str) -> Shown {
    let buffers = [(path.to_owned(), Buffer::from(text))].into_iter().collect();
    let options =
        Options { is_native: Some(mcl_functions::module_exists), buffers: Arc::new(buffers), ..Options::default() };
    let loaded = load(&Input::File(path.to_owned()), &options).expect("it is a buffer");
    let files = loaded.files.clone();
    let mut diagnostics = mcl_driver::compile(loaded, &[], || {}).diagnostics;
    mcl_driver::finish_diagnostics(&files, &mut diagnostics, |_| None);
    let mut found: Shown = diagnostics
        .into_iter()
        .map(|d| (d.code.name(), d.message, Some(d.span.map_or((0, 0), |span| (span.start, span.end)))))
        .collect();
    found.sort();
    found.dedup();
    found
}
