//! What is known of a text alone: its tokens, and its segments with the names in them.
//!
//! A segment is a run of tokens that starts where a statement of the top level may start: at the head of a line, outside of
//! brackets, after a token that may end a statement. It has one statement, or several that share a line. What a segment means
//! depends on its tokens and on the segments that define the names in it. Names are compared as words, whatever they stand
//! for, so that more may seem connected than is, and never less.
//!
//! After an edit, the tokens and segments outside of the changed lines are those of the text before: a segment that did not
//! change shares its [`Names`] with the one before.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use mcl_lexer::{Relexed, TextChange, TokenIdx, TokenKind, Tokens, lex, relex};
use mcl_modules::ImportName;
use mcl_parser::{begins_statement, ends_statement};
use rustc_hash::FxBuildHasher;

/// The hash of a word. Two words with one hash only seem to be connected.
pub(crate) type Word = u64;

/// Returns the hash of a word.
pub(crate) fn word(text: &str) -> Word {
    FxBuildHasher.hash_one(text)
}

/// The tokens and segments of a text.
#[derive(Debug)]
pub(crate) struct Syntax {
    pub(crate) tokens: Arc<Tokens>,
    /// The first one starts with the first token.
    pub(crate) segments: Vec<Segment>,
}

/// A run of tokens, up to the next segment.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) first: TokenIdx,
    pub(crate) names: Arc<Names>,
}

/// The names in a segment.
#[derive(Debug)]
pub(crate) struct Names {
    /// The kind of its first token.
    pub(crate) head: TokenKind,
    /// The words that it may define for other segments.
    pub(crate) defines: Vec<Word>,
    /// What defines them: the hashes of the words with the tokens before them, and with their depth.
    pub(crate) definitions: Vec<u64>,
    /// The words in it, sorted, each as often as it is written.
    pub(crate) mentions: Vec<Word>,
    /// The words that a dot follows in a name, each with the word after the dot.
    pub(crate) members: Vec<(Word, Word)>,
    /// Whether it imports something, at any depth.
    pub(crate) imports: bool,
    /// Whether it may send values from one resource to another.
    pub(crate) sends: bool,
    /// Whether its brackets are closed.
    pub(crate) is_closed: bool,
}

impl Names {
    /// Whether the segment does nothing but define names.
    pub(crate) fn only_defines(&self) -> bool {
        matches!(self.head, TokenKind::Class | TokenKind::Func | TokenKind::Dollar | TokenKind::Import)
    }
}

impl Syntax {
    pub(crate) fn new(text: &str) -> Syntax {
        Syntax::of_tokens(text, Arc::new(lex(text)))
    }

    /// Divides tokens that are known.
    pub(crate) fn of_tokens(text: &str, tokens: Arc<Tokens>) -> Syntax {
        let mut segments = Vec::new();
        divide(&tokens, TokenIdx::FIRST, |range| {
            segments.push(Segment::new(text, &tokens, range));
            false
        });
        Syntax { tokens, segments }
    }

    /// Returns the syntax of the text after an edit.
    pub(crate) fn edited(&self, text: &str, change: TextChange) -> Syntax {
        let Some(relexed) = relex(&self.tokens, text, change) else { return Syntax::new(text) };
        let Relexed { tokens, first_new, end_new, end_old } = relexed;
        let tokens = Arc::new(tokens);
        // The segment before the change may end elsewhere now.
        let kept = self.segments.partition_point(|segment| segment.first < first_new).saturating_sub(2);
        let mut segments: Vec<Segment> = self.segments[..kept].to_vec();
        let start = self.segments.get(kept).map_or(TokenIdx::FIRST, |segment| segment.first);
        let mut old = kept;
        let is_rest = divide(&tokens, start, |range| {
            let was = if range.start < end_new { range.start } else { end_old + (range.start - end_new) };
            while self.segments.get(old).is_some_and(|segment| segment.first < was) {
                old += 1;
            }
            let same = self.segments.get(old).filter(|segment| segment.first == was);
            // From a segment on that starts where one did before, after the change, nothing differs.
            if range.start >= end_new && same.is_some() {
                return true;
            }
            let is_same = range.end <= first_new && self.token_range_at(old).is_some_and(|of| of == range);
            segments.push(match same.filter(|_| is_same) {
                Some(segment) => segment.clone(),
                None => Segment::new(text, &tokens, range),
            });
            false
        });
        if is_rest {
            let moved = |segment: &Segment| Segment {
                first: end_new + (segment.first - end_old),
                names: Arc::clone(&segment.names),
            };
            segments.extend(self.segments[old..].iter().map(moved));
        }
        Syntax { tokens, segments }
    }

    fn token_range_at(&self, segment: usize) -> Option<Range<TokenIdx>> {
        (segment < self.segments.len()).then(|| self.token_range(segment))
    }

    /// Returns the tokens of a segment.
    pub(crate) fn token_range(&self, segment: usize) -> Range<TokenIdx> {
        let end = self.segments.get(segment + 1).map_or(self.tokens.end_idx(), |next| next.first);
        self.segments[segment].first..end
    }

    /// Returns the tokens of some segments.
    pub(crate) fn tokens_of(&self, segments: &Range<usize>) -> Range<TokenIdx> {
        let first = |segment: usize| self.segments.get(segment).map_or(self.tokens.end_idx(), |of| of.first);
        first(segments.start)..first(segments.end)
    }

    /// Returns the segment at a byte offset: the last one that starts before it.
    pub(crate) fn segment_at(&self, offset: u32) -> Option<usize> {
        let after = self.segments.partition_point(|segment| self.tokens.start(segment.first) <= offset);
        (!self.segments.is_empty()).then(|| after.saturating_sub(1))
    }

    /// Returns the bytes from the end of the segment before some segments to the start of the one after them.
    pub(crate) fn bytes(&self, segments: &Range<usize>) -> Range<u32> {
        let tokens = self.tokens_of(segments);
        let start = tokens.start.previous().map_or(0, |before| self.tokens.end(before));
        start..self.tokens.start(tokens.end)
    }

    /// Returns the segments that differ, in the text before and in this one. All others are the same, and as far from the start
    /// or from the end of the text as before.
    pub(crate) fn difference(&self, before: &Syntax) -> (Range<usize>, Range<usize>) {
        let (old, new) = (&before.segments, &self.segments);
        let start = |syntax: &Syntax, segment: &Segment| syntax.tokens.start(segment.first);
        let end = |syntax: &Syntax| syntax.tokens.start(syntax.tokens.end_idx());
        let (old_end, new_end) = (end(before), end(self));
        let is_same = |(old, new): &(&Segment, &Segment)| Arc::ptr_eq(&old.names, &new.names);
        let same = old
            .iter()
            .zip(new)
            .take_while(|pair| is_same(pair) && start(before, pair.0) == start(self, pair.1))
            .count();
        let rest = old.len().min(new.len()) - same;
        let pairs = old.iter().rev().zip(new.iter().rev()).take(rest);
        let after = pairs
            .take_while(|pair| is_same(pair) && old_end - start(before, pair.0) == new_end - start(self, pair.1))
            .count();
        (same..old.len() - after, same..new.len() - after)
    }
}

impl Segment {
    fn new(text: &str, tokens: &Tokens, range: Range<TokenIdx>) -> Segment {
        Segment { first: range.start, names: Arc::new(names(text, tokens, range)) }
    }
}

/// Finds the tokens of the segments from one on, until `found` is true of one. Returns whether it was.
fn divide(tokens: &Tokens, first: TokenIdx, mut found: impl FnMut(Range<TokenIdx>) -> bool) -> bool {
    let mut start = first;
    let mut depth = 0u32;
    let mut last: Option<TokenKind> = None;
    for token in first.until(tokens.end_idx()) {
        let kind = tokens[token];
        let begins = depth == 0 && last.is_some_and(ends_statement) && begins_statement(kind);
        if begins && tokens.newline_before(token) {
            if found(start..token) {
                return true;
            }
            start = token;
        }
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            depth = depth.saturating_sub(1);
        }
        last = Some(kind);
    }
    start < tokens.end_idx() && found(start..tokens.end_idx())
}

fn names(text: &str, tokens: &Tokens, range: Range<TokenIdx>) -> Names {
    let mut names = Names {
        head: tokens[range.start],
        defines: Vec::new(),
        definitions: Vec::new(),
        mentions: Vec::new(),
        members: Vec::new(),
        imports: false,
        sends: false,
        is_closed: true,
    };
    let mut depth = 0u32;
    let mut before: [Option<TokenKind>; 2] = [None, None];
    // Whether a name that is defined may go on, with a colon.
    let mut is_name = false;
    for token in range.start.until(range.end) {
        let kind = tokens[token];
        let [last, second] = before;
        match kind {
            TokenKind::Identifier | TokenKind::Map | TokenKind::Collect => {
                let word = word(tokens.text(text, token));
                is_name = match last {
                    Some(TokenKind::Class | TokenKind::Func | TokenKind::As) => true,
                    // A variable after what may end a statement starts one.
                    Some(TokenKind::Dollar) => depth == 0 && second.is_none_or(ends_statement),
                    Some(TokenKind::Colon) => is_name,
                    _ => false,
                };
                if last == Some(TokenKind::Dot)
                    && let Some(before) = names.mentions.last()
                {
                    names.members.push((*before, word));
                }
                names.mentions.push(word);
                if is_name {
                    names.defines.push(word);
                    names.definitions.push(FxBuildHasher.hash_one((word, last, depth)));
                }
            }
            TokenKind::String if last == Some(TokenKind::Import) => {
                names.imports = true;
                let raw = tokens.text(text, token).trim_matches('"');
                names.defines.extend(words(raw).map(word));
                names.defines.extend(ImportName::parse(raw).ok().map(|name| word(&name.alias)));
            }
            TokenKind::String => interpolated(tokens.text(text, token), &mut names),
            TokenKind::Dot if last == Some(TokenKind::CloseBracket) => names.sends = true,
            _ => {}
        }
        is_name &= matches!(kind, TokenKind::Identifier | TokenKind::Map | TokenKind::Collect | TokenKind::Colon);
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            names.is_closed &= depth > 0;
            depth = depth.saturating_sub(1);
        }
        before = [Some(kind), last];
    }
    names.is_closed &= depth == 0;
    names.members.sort_unstable();
    names.mentions.sort_unstable();
    names.mentions.shrink_to_fit();
    names.defines.sort_unstable();
    names.defines.dedup();
    names
}

/// Adds the words in the references of a string.
fn interpolated(string: &str, names: &mut Names) {
    for reference in string.split("${").skip(1) {
        let inner = reference.split_once('}').map_or(reference, |(inner, _)| inner);
        let words: Vec<Word> = words(inner).map(word).collect();
        names.members.extend(words.windows(2).map(|pair| (pair[0], pair[1])));
        names.mentions.extend(words);
    }
}

/// Returns the words of a text, as names are made of.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '_').filter(|word| !word.is_empty())
}
