//! A part of a program: some segments of its files, with all that they depend on.
//!
//! What a segment means depends on the definitions of the names in it, and on whether the program uses what it defines. So
//! the stages run on these segments alone, at their places in the whole texts: a file of a part has some of its tokens.
//! Segments are connected by the words in them ([`crate::syntax`]), so that a part may have more than it needs.
//!
//! The program is known from an earlier analysis, and the texts from the editor. [`Texts`] joins them. Imports must be
//! those of the analysis.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{FileId, Files, SourceFile};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};
use mcl_modules::{Loaded, Unit, UnitId};
use rustc_hash::FxHashSet;

use crate::document::Document;
use crate::program::Program;
use crate::syntax::{Names, Syntax, Word};

/// A part with more tokens takes as long as the whole program.
const MAX_TOKENS: usize = 30_000;

/// The texts of a program, which may be newer than its analysis.
pub(crate) struct Texts<'a> {
    program: &'a Program,
    files: PrimaryMap<FileId, Option<FileText>>,
}

/// A file of a program.
struct FileText {
    text: Arc<str>,
    syntax: Arc<Syntax>,
}

/// A set of segments.
pub(crate) struct Part {
    is_in: PrimaryMap<FileId, Vec<bool>>,
    tokens: usize,
}

impl<'a> Texts<'a> {
    /// Joins the files of a program, and the texts of those that are open.
    pub(crate) fn new(program: &'a Program, documents: &BTreeMap<PathBuf, Arc<Document>>) -> Texts<'a> {
        let loaded = program.loaded();
        let has_unit: FxHashSet<FileId> = loaded.units.values().map(|unit| unit.file).collect();
        let file = |(id, source): (FileId, &SourceFile)| {
            let document = loaded.paths.get(id).and_then(|path| documents.get(path));
            has_unit.contains(&id).then(|| match document {
                Some(document) => FileText { text: Arc::clone(&document.text), syntax: Arc::clone(document.syntax()) },
                None => FileText { text: Arc::clone(&source.text), syntax: Arc::clone(program.syntax(id)) },
            })
        };
        Texts { program, files: loaded.files.files.iter().map(file).collect() }
    }

    pub(crate) fn syntax(&self, file: FileId) -> Option<&Arc<Syntax>> {
        self.files.get(file)?.as_ref().map(|file| &file.syntax)
    }

    pub(crate) fn text(&self, file: FileId) -> Option<&str> {
        self.files.get(file)?.as_ref().map(|file| &*file.text)
    }

    fn syntaxes(&self) -> impl Iterator<Item = (FileId, &Syntax)> {
        self.files.iter().filter_map(|(id, file)| Some((id, &*file.as_ref()?.syntax)))
    }

    /// Returns the names of all segments.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (FileId, usize, &Names)> {
        self.syntaxes().flat_map(|(file, syntax)| {
            syntax.segments.iter().enumerate().map(move |(at, segment)| (file, at, &*segment.names))
        })
    }

    pub(crate) fn empty_part(&self) -> Part {
        let none = |file: &Option<FileText>| vec![false; file.as_ref().map_or(0, |file| file.syntax.segments.len())];
        Part { is_in: self.files.values().map(none).collect(), tokens: 0 }
    }

    /// Returns a part with the imports of all files, so that it has all modules. Returns `None` if there are imports inside of
    /// other statements.
    pub(crate) fn with_imports(&self) -> Option<Part> {
        let mut part = self.empty_part();
        for (file, at, names) in self.segments().filter(|(_, _, names)| names.imports) {
            if names.head != TokenKind::Import {
                return None;
            }
            self.add(&mut part, file, at);
        }
        Some(part)
    }

    /// Adds a segment. Returns whether it is new.
    pub(crate) fn add(&self, part: &mut Part, file: FileId, segment: usize) -> bool {
        let Some(syntax) = self.syntax(file) else { return false };
        let Some(is_in) = part.is_in[file].get_mut(segment) else { return false };
        let is_new = !std::mem::replace(is_in, true);
        if is_new {
            let range = syntax.token_range(segment);
            part.tokens += (range.end - range.start) as usize;
        }
        is_new
    }

    /// Adds all segments with a property.
    pub(crate) fn add_all(&self, part: &mut Part, is_wanted: impl Fn(FileId, &Names) -> bool) {
        for (file, at, names) in self.segments() {
            if is_wanted(file, names) {
                self.add(part, file, at);
            }
        }
    }

    /// Adds what mentions one of these words, and what mentions the words that this defines. Returns `None` if the part
    /// becomes too large.
    pub(crate) fn add_users(&self, part: &mut Part, words: impl IntoIterator<Item = Word>) -> Option<()> {
        self.spread(part, words, |names| &names.mentions, |names| &names.defines)
    }

    /// Adds what defines these words, and those that the part mentions. Returns `None` if the part becomes too large.
    pub(crate) fn add_definitions(&self, part: &mut Part, words: impl IntoIterator<Item = Word>) -> Option<()> {
        let mentioned = self.of_part(part).flat_map(|names| names.mentions.iter().copied());
        let words: Vec<Word> = mentioned.chain(words).collect();
        self.spread(part, words, |names| &names.defines, |names| &names.mentions)
    }

    /// Adds the segments that have one of the words, and goes on with other words of theirs.
    fn spread(
        &self,
        part: &mut Part,
        words: impl IntoIterator<Item = Word>,
        has: impl Fn(&Names) -> &[Word],
        leads_to: impl Fn(&Names) -> &[Word],
    ) -> Option<()> {
        let mut seen: FxHashSet<Word> = FxHashSet::default();
        let mut wanted: FxHashSet<Word> = words.into_iter().collect();
        while !wanted.is_empty() {
            seen.extend(&wanted);
            let mut next = FxHashSet::default();
            for (file, at, names) in self.segments() {
                if has(names).iter().any(|word| wanted.contains(word)) && self.add(part, file, at) {
                    next.extend(leads_to(names).iter().filter(|word| !seen.contains(word)));
                }
            }
            wanted = next;
            if part.tokens > MAX_TOKENS {
                return None;
            }
        }
        Some(())
    }

    /// Returns the names of the segments of a part.
    pub(crate) fn of_part<'p>(&'p self, part: &'p Part) -> impl Iterator<Item = &'p Names> {
        self.segments().filter(|(file, at, _)| part.is_in[*file][*at]).map(|(_, _, names)| names)
    }

    pub(crate) fn contains(&self, part: &Part, file: FileId, segment: usize) -> bool {
        part.is_in.get(file).and_then(|is_in| is_in.get(segment)).copied().unwrap_or(false)
    }

    /// Returns the words that these words lead to, through what defines them.
    pub(crate) fn reached_words(&self, words: FxHashSet<Word>) -> FxHashSet<Word> {
        let mut seen = FxHashSet::default();
        let mut wanted = words;
        while !wanted.is_empty() {
            seen.extend(&wanted);
            let of = |names: &Names| names.defines.iter().any(|word| wanted.contains(word));
            let reached = self.segments().filter(|(_, _, names)| of(names)).flat_map(|(_, _, names)| &names.mentions);
            wanted = reached.copied().filter(|word| !seen.contains(word)).collect();
        }
        seen
    }

    /// Returns the sources of a part, which has only some tokens of each file.
    pub(crate) fn loaded(&self, part: &Part) -> Loaded {
        let base = self.program.loaded();
        let mut files = Files::default();
        for (id, source) in &base.files.files {
            let text = self.files[id].as_ref().map_or(&source.text, |file| &file.text);
            files.add(Arc::clone(&source.name), Arc::clone(text));
        }
        let tokens: PrimaryMap<FileId, Arc<Tokens>> =
            self.files.iter().map(|(id, file)| Arc::new(self.tokens(file.as_ref(), &part.is_in[id]))).collect();
        let unit = |unit: &Unit| Unit { tokens: Arc::clone(&tokens[unit.file]), ..unit.clone() };
        let units: PrimaryMap<UnitId, Unit> = base.units.values().map(unit).collect();
        Loaded { files, units, lints: base.lints.clone(), paths: base.paths.clone(), ..Loaded::default() }
    }

    fn tokens(&self, file: Option<&FileText>, is_in: &[bool]) -> Tokens {
        let Some(FileText { syntax, .. }) = file else { return Tokens::default() };
        let mut ranges: Vec<Range<TokenIdx>> = Vec::new();
        for at in (0..is_in.len()).filter(|at| is_in[*at]) {
            let range = syntax.token_range(at);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        syntax.tokens.select(&ranges)
    }
}
