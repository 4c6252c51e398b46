//! Tokens -> the terminals of the grammar.
//!
//! A [`TerminalSource`] feeds the generated parser one segment of a file: from a given token to the `}` that closes the
//! block in which it starts, or to the end. It also derives the context-dependent terminals, and applies the edits with
//! which recovery replaces tokens.

use std::collections::BTreeMap;

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

/// A terminal of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// A token as it is.
    Kind(TokenKind),
    /// `<|>` (or `||`) directly after `->field`.
    Default,
    /// A value that was already reported.
    ErrorValue,
    /// A list element or entry that was already reported.
    ErrorItem,
}

/// Replaces the tokens from the position of the edit up to `resume` by other terminals.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The terminals to feed instead.
    pub terminals: Vec<Terminal>,
    /// The token to continue with; the position of the edit itself for an insertion.
    pub resume: TokenIdx,
}

impl Edit {
    /// Whether the edit, which is at `at`, only deletes tokens.
    pub fn is_deletion(&self, at: TokenIdx) -> bool {
        self.terminals.is_empty() && self.resume > at
    }
}

/// Edits by the token before which they apply.
pub type Edits = BTreeMap<TokenIdx, Edit>;

/// No edits: the file as it is.
pub static NO_EDITS: &Edits = &Edits::new();

/// A position between terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The next token.
    pub token: TokenIdx,
    /// The number of terminals of the token's edit that are already fed.
    pub fed: usize,
}

impl Position {
    /// The start of a file.
    pub const START: Position = Position::before(TokenIdx::FIRST);

    /// Returns the position before a token and before everything that is inserted there.
    pub const fn before(token: TokenIdx) -> Position {
        Position { token, fed: 0 }
    }
}

/// How far a [`TerminalSource`] has fed its segment.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The position after the last terminal.
    pub position: Position,
    /// The number of open braces.
    depth: u32,
    /// Whether the position is before a `}` that ends the segment.
    pub stopped: bool,
    /// The kinds of the last two terminals, for [`Terminal::Default`].
    last_two: [Option<TokenKind>; 2],
}

impl Progress {
    /// Returns the progress at the start of a segment.
    pub const fn at(start: Position) -> Progress {
        Progress { position: start, depth: 0, stopped: false, last_two: [None; 2] }
    }
}

/// Feeds the terminals of one segment.
pub struct TerminalSource<'t> {
    tokens: &'t Tokens,
    edits: &'t Edits,
    end: TokenIdx,
    progress: Progress,
    /// The first edit at or after the position, as far as it is known; earlier positions have none.
    next_edit: TokenIdx,
}

impl<'t> TerminalSource<'t> {
    /// Feeds from `start` to the token `end`, or to the first `}` that is unmatched in between.
    pub fn new(tokens: &'t Tokens, edits: &'t Edits, start: Position, end: TokenIdx) -> TerminalSource<'t> {
        TerminalSource::resumed(tokens, edits, Progress::at(start), end)
    }

    /// Continues with a segment up to the token `end`, or to the first `}` that is unmatched before it.
    pub fn resumed(tokens: &'t Tokens, edits: &'t Edits, progress: Progress, end: TokenIdx) -> TerminalSource<'t> {
        TerminalSource { tokens, edits, end, progress, next_edit: TokenIdx::FIRST }
    }

    /// Returns how far the segment was fed.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Returns the position at which feeding stopped: at the closing `}` or at the end.
    pub fn position(&self) -> Position {
        self.progress.position
    }

    /// Counts braces. Returns false at the `}` that closes the segment.
    fn admit(&mut self, terminal: Terminal) -> bool {
        match terminal {
            Terminal::Kind(TokenKind::OpenCurly) => self.progress.depth += 1,
            Terminal::Kind(TokenKind::CloseCurly) => match self.progress.depth.checked_sub(1) {
                Some(depth) => self.progress.depth = depth,
                None => {
                    self.progress.stopped = true;
                    return false;
                }
            },
            _ => {}
        }
        let kind = if let Terminal::Kind(kind) = terminal { Some(kind) } else { None };
        self.progress.last_two = [self.progress.last_two[1], kind];
        true
    }

    /// Returns the edit at a position, which never decreases.
    fn edit_at(&mut self, at: TokenIdx) -> Option<&'t Edit> {
        if at < self.next_edit || self.edits.is_empty() {
            return None;
        }
        let next = self.edits.range(at..).next();
        self.next_edit = next.map_or(self.tokens.end_idx() + 1, |(position, _)| *position);
        next.filter(|(position, _)| **position == at).map(|(_, edit)| edit)
    }

    /// Returns the next terminal, between its first token and the token after it.
    pub fn next_terminal(&mut self) -> Option<(TokenIdx, Terminal, TokenIdx)> {
        loop {
            let at = self.progress.position.token;
            if at > self.end || self.progress.stopped {
                return None;
            }
            // An insertion at the end belongs to the segment, a replacement there does not.
            if let Some(edit) = self.edit_at(at)
                && (at < self.end || edit.resume == at)
            {
                if let Some(terminal) = edit.terminals.get(self.progress.position.fed) {
                    if !self.admit(*terminal) {
                        return None;
                    }
                    let start = if self.progress.position.fed == 0 { at } else { edit.resume };
                    self.progress.position.fed += 1;
                    return Some((start, *terminal, edit.resume));
                }
                if edit.resume > at {
                    self.progress.position = Position::before(edit.resume);
                    continue;
                }
            }
            if at == self.end {
                return None;
            }
            let kind = self.tokens.kind(at)?;
            if kind.is_error_whitespace() {
                self.progress.position = Position::before(at + 1);
                continue;
            }
            let terminal = match kind {
                TokenKind::Except | TokenKind::BarBar
                    if self.progress.last_two == [Some(TokenKind::Arrow), Some(TokenKind::Identifier)] =>
                {
                    Terminal::Default
                }
                kind if kind.is_error_value() => Terminal::ErrorValue,
                kind => Terminal::Kind(kind),
            };
            if !self.admit(terminal) {
                return None;
            }
            self.progress.position = Position::before(at + 1);
            return Some((at, terminal, at + 1));
        }
    }
}
