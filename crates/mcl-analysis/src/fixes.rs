//! Fixes as edits of the text (spec 11 §3.9, §5).
//!
//! A stage says what to change ([`mcl_diagnostics::Change`]); here it becomes the replacement of bytes: where an import
//! belongs, which lines a removed statement leaves, how an added entry is indented.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use mcl_diagnostics::{Change, FileId, Files, Fix, SourceFile, Span};
use mcl_format::layout_edits;

use crate::bindings;
use crate::comments;
use crate::edits::TextEdit;
use crate::imports;
use crate::line_ends;

/// The edits of a fix, sorted, for each file.
pub type FixEdits = BTreeMap<FileId, Vec<TextEdit>>;

/// Returns the edits of each fix; `None` for one that changes nothing, or cannot be made because of other errors.
#[must_use]
pub fn fix_edits(files: &Files, fixes: &[&Fix]) -> Vec<Option<FixEdits>> {
    let layouts = Layouts::of(files, fixes);
    fixes.iter().map(|fix| edits_of(files, fix, &layouts)).collect()
}

fn edits_of(files: &Files, fix: &Fix, layouts: &Layouts) -> Option<FixEdits> {
    let mut edits = FixEdits::new();
    for change in &fix.changes {
        let id = change.file();
        let file = files.get(id).filter(|file| !file.is_embedded())?;
        let edit = match change {
            Change::Bind { span, value, is_in_string } => {
                let [binding, usage] = bindings::bind(&file.text, *span, value.as_deref(), *is_in_string)?;
                edits.entry(id).or_default().push(binding);
                usage
            }
            Change::LineEnds(_) => {
                edits.entry(id).or_default().extend(line_ends::edits(&file.text));
                continue;
            }
            Change::Replace { span, text } => edit(span.start..span.end, text.clone()),
            Change::Format(span) => layouts.edit(file, *span)?,
            Change::Remove(span) => removal(&file.text, span.start..span.end),
            Change::RemoveComment(span) => comment_removal(&file.text, span.start..span.end),
            Change::AddEntry { resource, entry } => new_entry(&file.text, resource.start..resource.end, entry)?,
            Change::Import { module, .. } => {
                let (at, text) = imports::insertion(&file.text, module);
                edit(at..at, text)
            }
        };
        edits.entry(id).or_default().push(edit);
    }
    edits.values_mut().for_each(|edits| edits.sort());
    (!edits.is_empty()).then_some(edits)
}

fn edit(range: Range<u32>, text: String) -> TextEdit {
    TextEdit { start: range.start, end: range.end, text }
}

/// What the formatter writes in place of some lines, for all fixes that ask for it, so that each file is formatted once.
#[derive(Default)]
struct Layouts {
    edits: BTreeMap<(FileId, u32, u32), TextEdit>,
}

impl Layouts {
    fn of(files: &Files, fixes: &[&Fix]) -> Layouts {
        let mut wanted: BTreeMap<FileId, Vec<RangeInclusive<u32>>> = BTreeMap::new();
        for change in fixes.iter().flat_map(|fix| &fix.changes) {
            if let (Change::Format(span), Some(file)) = (change, files.get(change.file())) {
                wanted.entry(span.file).or_default().push(lines(file, *span));
            }
        }
        let mut edits = BTreeMap::new();
        for (id, mut ranges) in wanted {
            ranges.sort_by_key(|range| (*range.start(), *range.end()));
            ranges.dedup();
            let Some(file) = files.get(id) else { continue };
            // What has errors of syntax keeps its layout.
            let Ok(found) = layout_edits(id, &file.text, &ranges) else { continue };
            for (range, layout) in ranges.into_iter().zip(found) {
                if let Some(layout) = layout {
                    let edit = edit(layout.bytes.start as u32..layout.bytes.end as u32, layout.text);
                    edits.insert((id, *range.start(), *range.end()), edit);
                }
            }
        }
        Layouts { edits }
    }

    fn edit(&self, file: &SourceFile, span: Span) -> Option<TextEdit> {
        let lines = lines(file, span);
        self.edits.get(&(span.file, *lines.start(), *lines.end())).cloned()
    }
}

/// Returns the lines of a span, counted from 1, and the one before: what is on the wrong line belongs to the end of that.
fn lines(file: &SourceFile, span: Span) -> RangeInclusive<u32> {
    let line = |offset| file.line_of(offset) as u32 + 1;
    line(span.start)..=line(span.end.max(span.start))
}

/// Removes a statement or entry with its lines, and the comment above it.
pub(crate) fn removal(text: &str, range: Range<u32>) -> TextEdit {
    let Some(lines) = own_lines(text, range.clone()) else {
        let after = text[range.end as usize..].len() - text[range.end as usize..].trim_start_matches([' ', '\t']).len();
        return edit(range.start..range.end + after as u32, String::new());
    };
    // The comment at the head of a file is about the file, and its first line may be for the shell.
    let is_import = text[range.start as usize..].starts_with("import");
    let shebang = if text.starts_with("#!") { text.find('\n').map_or(0, |end| end as u32 + 1) } else { 0 };
    let start = match comments::above(text, range.start) {
        Some((start, _)) if start > 0 || !is_import => start.max(shebang),
        _ => lines.start,
    };
    let before = &text[..start as usize];
    let after = &text[lines.end as usize..];
    // Of the empty lines around, one remains between statements, and none at the edges of the file and of blocks.
    let opens = before.is_empty() || before.ends_with("\n\n") || before.trim_end_matches([' ', '\t']).ends_with("{\n");
    let end = if opens && after.starts_with('\n') { lines.end + 1 } else { lines.end };
    let closes = after.is_empty() || after.trim_start_matches([' ', '\t']).starts_with('}');
    let start = if closes && before.ends_with("\n\n") { start - 1 } else { start };
    edit(start..end, String::new())
}

/// Removes a comment with its line, or with the space before it.
fn comment_removal(text: &str, range: Range<u32>) -> TextEdit {
    match own_lines(text, range.clone()) {
        Some(lines) => edit(lines, String::new()),
        None => {
            let before = text[..range.start as usize].trim_end_matches([' ', '\t']).len();
            edit(before as u32..range.end, String::new())
        }
    }
}

/// Returns the lines of a range, if there is nothing else on them but a comment after it.
fn own_lines(text: &str, range: Range<u32>) -> Option<Range<u32>> {
    let (before, after) = (&text[..range.start as usize], &text[range.end as usize..]);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = after.find('\n').map_or(text.len(), |newline| range.end as usize + newline + 1);
    let rest = text[range.end as usize..end].trim_start_matches([' ', '\t', ',']).trim_end();
    let is_alone = before[start..].trim().is_empty() && (rest.is_empty() || rest.starts_with('#'));
    is_alone.then_some(start as u32..end as u32)
}

/// Adds an entry at the end of the body of a resource.
fn new_entry(text: &str, resource: Range<u32>, entry: &str) -> Option<TextEdit> {
    let statement = &text[resource.start as usize..resource.end as usize];
    let inside = statement.strip_suffix('}')?;
    let brace = resource.end - 1;
    let line = text[..resource.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line..];
    let indent = &line[..line.len() - line.trim_start_matches(['\t', ' ']).len()];
    let kept = inside.trim_end();
    Some(if kept.ends_with('{') {
        let start = resource.start + kept.len() as u32;
        edit(start..brace, format!("\n{indent}\t{entry},\n{indent}"))
    } else if inside.trim_end_matches([' ', '\t']).ends_with('\n') {
        let line = resource.start + inside.trim_end_matches([' ', '\t']).len() as u32;
        edit(line..line, format!("{indent}\t{entry},\n"))
    } else {
        edit(resource.start + kept.len() as u32..brace, format!(" {entry}, "))
    })
}
