//! What is wrong after an edit, from what was wrong before it.
//!
//! The segments that changed, all that use what they define, and all that these depend on are a part of the program
//! ([`crate::part`]). It is analysed twice: as it was, and as it is. What is found outside of the changed segments must be the
//! same both times, and what is found in them must have been known before the edit; then the edit changed only what is found
//! in them. So a lint that the part has only because it is a part, such as a variable that the rest of the program uses, never
//! counts. What concerns several resources, wherever they are, is compared as a whole ([`Declarations`]).
//!
//! Whatever does not fit is left to an analysis of the whole: errors before or after the edit, changed imports, comments that
//! allow something, changes of several texts.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, Severity, Span};
use mcl_driver::{Checked, Declarations, analyze_part};
use mcl_types::Typed;

use crate::analysis::Analysis;
use crate::analyzer::{ALLOWANCE, Analyzer, finish};
use crate::document::Document;
use crate::part::{Part, Texts};
use crate::program::{Program, Unfinished};
use crate::syntax::{Names, Word};
use crate::workspace::Sources;

impl Analyzer {
    /// Returns the findings after an edit of one text, if a part of its program tells them; other questions cannot be asked.
    /// The files that are not open must be those of the last analysis.
    pub fn analyze_edit(&mut self, sources: &Sources) -> Option<Analysis> {
        if self.setting != sources.setting() {
            return None;
        }
        let path = changed_text(&self.documents, &sources.documents)?;
        let mut known = self.programs.iter_mut().filter(|known| known.program.file_at(path).is_some());
        let (known, None) = (known.next()?, known.next()) else { return None };
        let file = known.program.file_at(path)?;
        let edit = Edit {
            before: Texts::new(&known.program, &self.documents),
            now: Texts::new(&known.program, &sources.documents),
            main: known.program.loaded().units.values().next()?.file,
            file,
        };
        let findings = edit.findings(known.findings.as_ref()?)?;
        let loaded = edit.now.loaded(&edit.now.empty_part());
        let mut diagnostics = findings.diagnostics.clone();
        finish(&loaded.files, &mut diagnostics, &self.setting.levels, &loaded.lints);
        let changed = Program::new(Checked { loaded, typed: Typed::default() }, diagnostics, None);
        known.findings = Some(findings);
        let (input, changed) = (known.input.clone(), Arc::new(changed));
        self.documents = Arc::clone(&sources.documents);
        let programs = self.programs.iter().map(|known| match &known.findings {
            _ if known.input == input => Arc::clone(&changed),
            _ => Arc::clone(&known.program),
        });
        Some(Analysis::new(programs.collect(), Arc::clone(&sources.documents)))
    }
}

/// Returns the path of the only text that differs.
fn changed_text<'a>(
    before: &BTreeMap<PathBuf, Arc<Document>>,
    now: &'a BTreeMap<PathBuf, Arc<Document>>,
) -> Option<&'a PathBuf> {
    let is_same =
        |path: &PathBuf, document: &Arc<Document>| before.get(path).is_some_and(|before| Arc::ptr_eq(before, document));
    let mut changed = now.iter().filter(|(path, document)| !is_same(path, document)).map(|(path, _)| path);
    let (path, None) = (changed.next()?, changed.next()) else { return None };
    before.contains_key(path).then_some(path)
}

/// An edit of one file of a program.
struct Edit<'a> {
    before: Texts<'a>,
    now: Texts<'a>,
    file: FileId,
    main: FileId,
}

/// The segments that differ, and their bytes.
struct Changed {
    segments: Range<usize>,
    bytes: Range<u32>,
}

/// What was found in a part.
struct Found {
    inside: Vec<Diagnostic>,
    outside: Vec<Diagnostic>,
    declarations: Declarations,
}

impl Edit<'_> {
    fn findings(&self, known: &Unfinished) -> Option<Unfinished> {
        let (before, now) = (self.before.syntax(self.file)?, self.now.syntax(self.file)?);
        if self.now.text(self.file)?.contains(ALLOWANCE) {
            return None;
        }
        let (old, new) = now.difference(before);
        let names = |of: &[crate::syntax::Segment]| -> Vec<Arc<Names>> {
            of.iter().map(|segment| Arc::clone(&segment.names)).collect()
        };
        let (old_names, new_names) = (names(&before.segments[old.clone()]), names(&now.segments[new.clone()]));
        let is_statement = |names: &Arc<Names>| !names.only_defines();
        if old_names.iter().chain(&new_names).any(|names| names.imports)
            || old_names.iter().any(is_statement) != new_names.iter().any(is_statement)
        {
            return None;
        }
        let old = Changed { bytes: before.bytes(&old), segments: old };
        let new = Changed { bytes: now.bytes(&new), segments: new };
        let all: Vec<&Arc<Names>> = old_names.iter().chain(&new_names).collect();
        let statement = self.statement(&old, &new);
        let was = self.found(&self.before, &old, &all, statement.map(|(file, at, _)| (file, at)))?;
        let is = self.found(&self.now, &new, &all, statement.map(|(file, _, at)| (file, at)))?;
        let declarations = known.declarations.clone().with_part_replaced(&was.declarations, &is.declarations)?;
        let moved = |found: &Diagnostic| self.moved(found, &old.bytes, &new.bytes);
        let outside: Vec<Diagnostic> = was.outside.iter().map(moved).collect::<Option<_>>()?;
        let (inside, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
            known.diagnostics.iter().cloned().partition(|found| self.is_inside(found, &old.bytes));
        let inside = inside.into_iter().map(plain).collect();
        if !are_equal(outside, is.outside) || !are_equal(inside, was.inside) {
            return None;
        }
        let mut diagnostics = others.iter().map(moved).collect::<Option<Vec<_>>>()?;
        diagnostics.extend(is.inside);
        diagnostics.sort_by_key(|found| found.stage);
        Some(Unfinished { diagnostics, declarations })
    }

    /// Returns a statement of the main file that does more than define, before and after the edit: without one, the program would
    /// be a library, whose definitions others use.
    fn statement(&self, old: &Changed, new: &Changed) -> Option<(FileId, usize, usize)> {
        let is_main = self.file == self.main;
        let segments = self.now.segments().filter(|(file, at, names)| {
            *file == self.main && !names.only_defines() && !(is_main && new.segments.contains(at))
        });
        let (file, at, _) = segments.into_iter().next()?;
        let before = if is_main && at >= new.segments.end { at - new.segments.end + old.segments.end } else { at };
        Some((file, before, at))
    }

    /// Analyses the part.
    fn found(
        &self,
        texts: &Texts<'_>,
        changed: &Changed,
        names: &[&Arc<Names>],
        statement: Option<(FileId, usize)>,
    ) -> Option<Found> {
        let mut part: Part = texts.with_imports()?;
        changed.segments.clone().for_each(|segment| {
            texts.add(&mut part, self.file, segment);
        });
        statement.into_iter().for_each(|(file, segment)| {
            texts.add(&mut part, file, segment);
        });
        // A resource that an edge sends something to lacks nothing.
        texts.add_all(&mut part, |_, names| names.sends);
        let words = |of: fn(&Names) -> &Vec<Word>| names.iter().flat_map(move |names| of(names).iter().copied());
        texts.add_users(&mut part, words(|names| &names.defines))?;
        texts.add_definitions(&mut part, words(|names| &names.mentions))?;
        let analyzed = analyze_part(texts.loaded(&part), |_, _| false, true)?;
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let declarations = analyzed.declarations.filter(|_| !analyzed.diagnostics.iter().any(is_error))?;
        // These are known by the declarations.
        let is_own = |found: &Diagnostic| !matches!(found.code.name(), "W0216" | "W0219" | "W0224");
        let found = analyzed.diagnostics.into_iter().filter(is_own).map(plain);
        let (inside, outside): (Vec<_>, Vec<_>) = found.partition(|found| self.is_inside(found, &changed.bytes));
        // Only the first resource of a kind without an implementation is reported.
        let is_of_whole = |found: &Diagnostic| found.code.name() == "W0202";
        (!inside.iter().any(is_of_whole)).then_some(Found { inside, outside, declarations })
    }

    fn is_inside(&self, found: &Diagnostic, bytes: &Range<u32>) -> bool {
        found.span.is_some_and(|span| span.file == self.file && bytes.start <= span.start && span.end <= bytes.end)
    }

    /// Moves what was found outside of the changed segments to where it is now. Returns `None` if it is about them, too.
    fn moved(&self, found: &Diagnostic, old: &Range<u32>, new: &Range<u32>) -> Option<Diagnostic> {
        let moved = |span: Span| match span {
            _ if span.file != self.file || span.end <= old.start => Some(span),
            _ if span.start >= old.end => {
                Some(Span { start: span.start - old.end + new.end, end: span.end - old.end + new.end, ..span })
            }
            _ => None,
        };
        let mut found = plain(found.clone());
        if let Some(span) = &mut found.span {
            *span = moved(*span)?;
        }
        for label in &mut found.labels {
            label.span = moved(label.span)?;
        }
        Some(found)
    }
}

/// Removes what is not shown.
fn plain(mut found: Diagnostic) -> Diagnostic {
    found.covers = None;
    found.fixes.iter_mut().for_each(|fix| fix.changes.clear());
    found
}

/// Whether two lists have the same elements.
fn are_equal(mut a: Vec<Diagnostic>, mut b: Vec<Diagnostic>) -> bool {
    for list in [&mut a, &mut b] {
        list.sort_by(|a, b| (a.span, a.code.name(), &a.message).cmp(&(b.span, b.code.name(), &b.message)));
    }
    a == b
}
