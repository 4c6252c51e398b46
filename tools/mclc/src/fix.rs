//! `mclc check --fix`: applies what the findings suggest (spec 11 §5).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use mcl_analysis::{TextEdit, apply_edits, fix_edits, is_syntax_error, join_edits, syntax_errors};
use mcl_diagnostics::{Applicability, Change, Code, Diagnostic, FileId, Fix, Program, Span};

use crate::cli::{Check, Color};
use crate::diff::unified_diff;
use crate::output::{self, unusable};
use crate::report::{self, Checked};

/// A fix may make another one possible, but not for ever.
const MAX_ROUNDS: usize = 10;

/// What becomes of a file.
struct FixedFile {
    before: String,
    edits: Vec<TextEdit>,
    /// What was done, in the words of the fixes, in the order of the findings.
    done: Vec<Done>,
}

/// An applied fix.
struct Done {
    code: Code,
    title: String,
    line: u32,
    col: u32,
}

/// Fixes programs, which `check` checks, until nothing is left to fix. Returns the last check.
pub fn fix(args: &Check, mut check: impl FnMut() -> (Vec<Checked>, u8)) -> (Vec<Checked>, u8) {
    let (mut checked, mut status) = check();
    for _ in 0..MAX_ROUNDS {
        let files = fixed_files(&checked, args);
        let mut has_changed = false;
        for (path, file) in files {
            let after = apply_edits(&file.before, &file.edits);
            if !is_better(&file.before, &after) {
                continue;
            }
            match output::replace(&path, file.before.as_bytes(), after.as_bytes()) {
                Ok(()) => {
                    has_changed = true;
                    status = status.max(report_done(&path.display().to_string(), &file.done, args));
                }
                Err(error) => return (checked, status.max(unusable(error))),
            }
        }
        if !has_changed {
            break;
        }
        (checked, status) = check();
    }
    (checked, status)
}

/// Prints what [`fix`] would change first, as a unified diff.
pub fn print_diff(checked: &[Checked], args: &Check, color: Color) -> u8 {
    let colors = report::style(color, &io::stdout()).color;
    let mut text = String::new();
    for (path, file) in fixed_files(checked, args) {
        let after = apply_edits(&file.before, &file.edits);
        if is_better(&file.before, &after) {
            text += &unified_diff(&path, &file.before, &after, colors);
        }
    }
    output::stdout(text.as_bytes())
}

/// Whether a text was changed, and follows the grammar or has fewer errors of syntax than before.
fn is_better(before: &str, after: &str) -> bool {
    after != before && (syntax_errors(after) == 0 || syntax_errors(after) < syntax_errors(before))
}

/// Says what was done: with the findings, or where machines read these, beside them.
fn report_done(name: &str, done: &[Done], args: &Check) -> u8 {
    let line = |done: &Done| format!("{name}:{}:{}: fixed {}: {}\n", done.line, done.col, done.code.name(), done.title);
    let text: String = done.iter().map(line).collect();
    if args.report.format.is_for_people() {
        output::stdout(text.as_bytes())
    } else {
        output::stderr(&text);
        0
    }
}

/// Returns the edits of the files that have something to fix. Of edits that touch each other the first is applied.
fn fixed_files(checked: &[Checked], args: &Check) -> BTreeMap<PathBuf, FixedFile> {
    let mut fixed: BTreeMap<PathBuf, FixedFile> = BTreeMap::new();
    for Checked { files, prefix, diagnostics } in checked {
        let broken = broken_files(diagnostics);
        let wanted: Vec<(&Diagnostic, &Fix)> =
            diagnostics.iter().filter_map(|found| Some((found, wanted_fix(found, args)?))).collect();
        let fixes: Vec<&Fix> = wanted.iter().map(|(_, fix)| *fix).collect();
        let program = Program { files, prefix, diagnostics: &[] };
        for ((found, fix), edits) in wanted.iter().zip(fix_edits(files, &fixes)) {
            let is_usable = |file: &FileId| is_syntax_error(found) || !broken.contains(file);
            let Some(edits) = edits.filter(|edits| edits.keys().all(is_usable)) else { continue };
            // A fix changes the files that it concerns together.
            let [(id, edits)] = &edits.into_iter().collect::<Vec<_>>()[..] else { continue };
            let Some(file) = files.get(*id) else { continue };
            let place = found.span.map_or(0, |span| span.start);
            let place = files.line_col(*id, place);
            let entry = fixed.entry(PathBuf::from(program.shown_name(*id))).or_insert_with(|| FixedFile {
                before: file.text.to_string(),
                edits: Vec::new(),
                done: Vec::new(),
            });
            if join_edits(&mut entry.edits, edits) {
                entry.done.push(Done { code: found.code, title: fix.title.clone(), line: place.line, col: place.col });
            }
        }
    }
    fixed
}

/// Returns the files with errors of syntax, in which nothing else is fixed.
fn broken_files(diagnostics: &[Diagnostic]) -> BTreeSet<FileId> {
    diagnostics.iter().filter(|found| is_syntax_error(found)).filter_map(|found| Some(found.span?.file)).collect()
}

fn wanted_fix<'d>(found: &'d Diagnostic, args: &Check) -> Option<&'d Fix> {
    found.fixes.iter().find(|fix| fix.applicability == Applicability::Safe || args.unsafe_fixes)
}

/// Replaces the fixes of all findings by the edits that they stand for, for a format that shows them.
pub fn resolve_fixes(checked: &mut [Checked]) {
    for Checked { files, diagnostics, .. } in checked {
        let fixes: Vec<&Fix> = diagnostics.iter().flat_map(|found| &found.fixes).collect();
        let mut edits = fix_edits(files, &fixes).into_iter();
        for found in diagnostics {
            found.fixes.retain_mut(|fix| {
                let Some(edits) = edits.next().flatten() else { return false };
                let of_file = |(file, edits): (FileId, Vec<TextEdit>)| {
                    edits.into_iter().map(move |edit| {
                        let span = Span::new(file, edit.start, edit.end);
                        Change::Replace { span, text: edit.text }
                    })
                };
                fix.changes = edits.into_iter().flat_map(of_file).collect();
                true
            });
        }
    }
}
