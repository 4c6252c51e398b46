//! Answers while an analysis of the newest texts is still to come.
//!
//! A question about a place needs the segment there and those that define what it mentions ([`crate::part`]). These are
//! analysed alone, in the newest texts; all else is known from the last analysis of the whole: which files there are, and what
//! the program uses, for only that has types. [`Analysis::part_for`] returns nothing if the whole program may matter:
//!
//! - imports have changed, or files other than open texts may have;
//! - a bracket is missing somewhere, so that what belongs together depends on the whole file;
//! - the part, to which all changes belong, has errors outside of the segment that is asked about;
//! - what is asked about may be used, or not used any more, because of the changes;
//! - the answer lists what the whole program has: all classes, or the resources of an edge.

use std::path::Path;
use std::sync::Arc;

use mcl_diagnostics::{FileId, Severity, Span};
use mcl_driver::analyze_part;
use mcl_lexer::TokenKind;
use mcl_types::Scoped;
use rustc_hash::FxHashSet;

use crate::analysis::Analysis;
use crate::completion::{Scope, scope_of_completion};
use crate::index::{DefinedKind, Symbol};
use crate::part::{Part, Texts};
use crate::program::{Program, top_level_name};
use crate::semantic;
use crate::syntax::{Names, Syntax, Word};
use crate::workspace::Sources;

/// What is asked about a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// [`Analysis::hover`].
    Hover,
    /// [`Analysis::definitions`], and the link at the place.
    Definition,
    /// [`Analysis::signature_help`].
    Signature,
    /// [`Analysis::completions`].
    Completion,
    /// [`Analysis::semantic_tokens`], at any place.
    Tokens,
}

impl Analysis {
    /// Returns an analysis of newer texts that can answer a question about a place, and perhaps no other. Returns `None` if
    /// the question needs an analysis of everything. The files that are not open must be those of this analysis.
    #[must_use]
    pub fn part_for(&self, sources: &Sources, question: Question, path: &Path, offset: u32) -> Option<Analysis> {
        if self.setting != sources.setting() || !self.has_imports_of(sources) {
            return None;
        }
        let mut programs = self.programs().iter().filter(|program| program.file_at(path).is_some());
        let (program, None) = (programs.next()?, programs.next()) else { return None };
        let file = program.file_at(path)?;
        let document = sources.documents.get(path)?;
        let scope = match question {
            Question::Completion => scope_of_completion(&document.text, &document.syntax().tokens, offset),
            Question::Hover | Question::Definition | Question::Signature | Question::Tokens => Scope::None,
        };
        if question == Question::Completion && scope == Scope::None {
            return Some(Analysis::new(Vec::new(), Arc::clone(&sources.documents)));
        }
        let texts = Texts::new(program, &sources.documents);
        let syntax = texts.syntax(file)?;
        if !texts.segments().all(|(_, _, names)| names.is_closed) {
            return None;
        }
        let changes = Changes::of(program, &texts)?;
        let part = if question == Question::Tokens {
            if !changes.keep_names {
                return None;
            }
            analyzed(program, &texts, &changes, None, scope)?
        } else {
            analyzed(program, &texts, &changes, Some((file, syntax.segment_at(offset)?)), scope)?
        };
        let mut analysis = Analysis::new(vec![Arc::clone(&part)], Arc::clone(&sources.documents));
        if question == Question::Tokens {
            let old = program.syntax(file);
            let (old_segments, new_segments) = syntax.difference(old);
            let (old_bytes, new_bytes) = (old.bytes(&old_segments), syntax.bytes(&new_segments));
            let tokens = syntax.tokens.run(syntax.tokens_of(&new_segments), new_bytes.clone());
            let before = semantic::of_file(program, file);
            let edit = (&old_bytes, &new_bytes);
            let tokens = semantic::after_edit(before, edit, &document.text, &tokens, (&part, file));
            analysis.classified = Some((path.to_owned(), Arc::new(tokens)));
            return Some(analysis);
        }
        analysis.can_answer(question, path, offset).then_some(analysis)
    }

    /// Whether the same programs are made of the same files. A program is not only what contains the place: what another one
    /// imports may become part of it.
    fn has_imports_of(&self, sources: &Sources) -> bool {
        sources.documents.iter().all(|(path, document)| {
            let Some(before) = self.document(path) else { return false };
            if Arc::ptr_eq(before, document) {
                return true;
            }
            let is_program = path.extension().is_some_and(|extension| extension == "mcl");
            let (before, now) = (before.syntax(), document.syntax());
            let (old, new) = now.difference(before);
            let imports = |syntax, segments| names_in(syntax, segments).iter().any(|names| names.imports);
            is_program && !imports(before, &old) && !imports(now, &new)
        })
    }

    /// Whether the answer is about the part alone.
    fn can_answer(&self, question: Question, path: &Path, offset: u32) -> bool {
        let Some((program, file, name)) = self.occurrence_at(path, offset) else { return true };
        let is_of_file = |raw: &str| program.imported_file(file, raw).is_some();
        match (question, &name.symbol) {
            (Question::Hover, Symbol::Import(raw)) => !is_of_file(raw),
            (Question::Hover, symbol @ Symbol::Defined(..)) => {
                // An alias is described by what the file behind it defines.
                let defined = program.index().defined(symbol);
                !defined.is_some_and(|defined| matches!(defined.kind, DefinedKind::Alias(_)))
            }
            (Question::Definition, Symbol::Resource(..) | Symbol::Kind(_) | Symbol::StructField) => false,
            _ => true,
        }
    }
}

/// Analyses the segments that a question about one of them needs, or one about all changes.
fn analyzed(
    program: &Program,
    texts: &Texts<'_>,
    changes: &Changes,
    place: Option<(FileId, usize)>,
    scope: Scope,
) -> Option<Arc<Program>> {
    let part = part(program, texts, changes, place, scope)?;
    let reached = &program.usage().reached;
    let is_used = |scoped: &Scoped, def| {
        top_level_name(scoped, def).is_some_and(|name| {
            // The users of what has changed are in the part.
            let start = scoped.def_span(def).start;
            let segment = texts.syntax(name.0).and_then(|syntax| syntax.segment_at(start));
            reached.contains(&name) && !segment.is_some_and(|segment| changes.contains(name.0, segment))
        })
    };
    let analyzed = analyze_part(texts.loaded(&part), is_used, false)?;
    let is_here = |span: Span| match place {
        Some((file, segment)) => {
            let bytes = texts.syntax(file).map_or(0..0, |syntax| syntax.bytes(&(segment..segment + 1)));
            span.file == file && bytes.start <= span.start && span.end <= bytes.end
        }
        None => false,
    };
    let mut errors = analyzed.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let is_known = errors.all(|error| error.span.is_some_and(is_here));
    is_known.then(|| Arc::new(Program::new(analyzed.program, Vec::new(), None)))
}

/// Returns the segments.
fn part(
    program: &Program,
    texts: &Texts<'_>,
    changes: &Changes,
    place: Option<(FileId, usize)>,
    scope: Scope,
) -> Option<Part> {
    let mut part = texts.with_imports()?;
    place.into_iter().for_each(|(file, segment)| {
        texts.add(&mut part, file, segment);
    });
    // What is wrong with another change may have any consequence.
    for (file, segments) in &changes.segments {
        segments.clone().for_each(|segment| {
            texts.add(&mut part, *file, segment);
        });
    }
    match scope {
        Scope::None => {}
        Scope::Variables => texts.add_all(&mut part, |_, names| has_values(names) && names.head != TokenKind::Func),
        Scope::Values => texts.add_all(&mut part, |_, names| has_values(names)),
        Scope::All => return None,
    }
    texts.add_definitions(&mut part, [])?;
    let mut known = FxHashSet::default();
    loop {
        let words = changes.words_with_users(program, texts, &part);
        let new: Vec<Word> = words.into_iter().filter(|word| known.insert(*word)).collect();
        if new.is_empty() {
            break;
        }
        texts.add_users(&mut part, new)?;
        texts.add_definitions(&mut part, [])?;
    }
    let is_doubtful = |names: &Names| names.head != TokenKind::Import && defines_any(names, &changes.doubtful);
    let unchanged =
        texts.segments().filter(|(file, at, _)| texts.contains(&part, *file, *at) && !changes.contains(*file, *at));
    (!unchanged.into_iter().any(|(_, _, names)| is_doubtful(names))).then_some(part)
}

/// Whether a segment may define variables or functions for others.
fn has_values(names: &Names) -> bool {
    names.head != TokenKind::Class && !names.defines.is_empty()
}

/// What differs between the texts and the last analysis.
struct Changes {
    /// The segments of each file that changed.
    segments: Vec<(FileId, std::ops::Range<usize>)>,
    /// The words of definitions that may be used now and were not before, or the other way round.
    doubtful: FxHashSet<Word>,
    /// Whether what other segments mention is defined as it was.
    keep_names: bool,
}

impl Changes {
    /// Returns `None` if it may concern what classes contain.
    fn of(program: &Program, texts: &Texts<'_>) -> Option<Changes> {
        let mut changes = Changes { segments: Vec::new(), doubtful: FxHashSet::default(), keep_names: true };
        for unit in program.loaded().units.values() {
            let (before, now) = (program.syntax(unit.file), texts.syntax(unit.file)?);
            if Arc::ptr_eq(before, now) || changes.segments.iter().any(|(file, _)| *file == unit.file) {
                continue;
            }
            let (old, new) = now.difference(before);
            let (old, names) = (names_in(before, &old), names_in(now, &new));
            let members = |names: &[&Names]| names.iter().flat_map(|names| names.members.clone()).collect();
            let (gone, added) = differences(members(&old), members(&names));
            let changed: FxHashSet<Word> = gone.iter().chain(&added).map(|(word, _)| *word).collect();
            if texts.segments().any(|(_, _, names)| names.head != TokenKind::Import && defines_any(names, &changed)) {
                // What a class contains may be used from outside now, and was not before.
                return None;
            }
            changes.doubtful.extend(gone.into_iter().chain(added).map(|(_, member)| member));
            let definitions = |names: &[&Names]| names.iter().flat_map(|names| names.definitions.clone()).collect();
            let (gone, added) = differences::<u64>(definitions(&old), definitions(&names));
            let used_inside = &program.usage().used_inside;
            changes.keep_names &= gone.is_empty() && added.is_empty();
            changes.keep_names &= !old.iter().any(|names| defines_any(names, used_inside));
            changes.add_doubtful(program, &old, &names);
            changes.segments.push((unit.file, new));
        }
        changes.doubtful = texts.reached_words(std::mem::take(&mut changes.doubtful));
        Some(changes)
    }

    fn add_doubtful(&mut self, program: &Program, old: &[&Names], new: &[&Names]) {
        let words = |names: &[&Names]| names.iter().flat_map(|names| names.mentions.clone()).collect();
        let heads =
            |names: &[&Names]| -> Vec<_> { names.iter().map(|names| (names.head, names.defines.clone())).collect() };
        if heads(old) != heads(new) {
            // What they contain may be used for other reasons than before.
            self.doubtful.extend(old.iter().chain(new).flat_map(|names| &names.mentions));
            return;
        }
        let (gone, added) = differences(words(old), words(new));
        self.doubtful.extend(gone);
        let reached = &program.usage().reached;
        self.doubtful.extend(added.into_iter().filter(|word| !reached.iter().any(|(_, _, reached)| reached == word)));
    }

    /// Returns what a part defines that depends on all of its users: whether it is used at all, if it has changed, and what classes
    /// are whose contents are used from outside of them.
    fn words_with_users(&self, program: &Program, texts: &Texts<'_>, part: &Part) -> Vec<Word> {
        let used_inside = &program.usage().used_inside;
        let in_part = texts.segments().filter(|(file, at, _)| texts.contains(part, *file, *at));
        let words = in_part.flat_map(|(file, at, names)| {
            let is_changed = self.contains(file, at);
            let is_class = names.head == TokenKind::Class;
            names.defines.iter().filter(move |word| is_changed || is_class && used_inside.contains(word))
        });
        words.copied().collect()
    }

    fn contains(&self, file: FileId, segment: usize) -> bool {
        self.segments.iter().any(|(changed, segments)| *changed == file && segments.contains(&segment))
    }
}

/// Returns what is more often in the first list than in the second, and the other way round.
fn differences<T: Ord>(mut old: Vec<T>, mut new: Vec<T>) -> (Vec<T>, Vec<T>) {
    old.sort_unstable();
    new.sort_unstable();
    let (mut gone, mut added) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (Some(a), Some(b)) if a == b => {
                old.next();
                new.next();
            }
            (Some(a), b) if b.is_none_or(|b| a < b) => gone.extend(old.next()),
            (_, Some(_)) => added.extend(new.next()),
            (_, None) => return (gone, added),
        }
    }
}

fn defines_any(names: &Names, words: &FxHashSet<Word>) -> bool {
    names.defines.iter().any(|word| words.contains(word))
}

fn names_in<'s>(syntax: &'s Syntax, segments: &std::ops::Range<usize>) -> Vec<&'s Names> {
    syntax.segments[segments.clone()].iter().map(|segment| &*segment.names).collect()
}
