//! Tokens -> the terminals of the grammar.
//!
//! The feeder hands the generated parser one stretch of tokens: from a given token to the `}` that closes the block it
//! starts in (or the end). On the way it makes the context-dependent terminals, and applies patches: places where the
//! recovery put something else in the place of tokens.

use std::collections::BTreeMap;

use mcl_lexer::{TokenKind, Tokens};

/// A terminal of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// A token as it is.
    Kind(TokenKind),
    /// `<|>` (or `||`) directly behind `->field`.
    Default,
    /// A value that was reported already.
    ErrorValue,
    /// A list element or entry that was reported already.
    ErrorItem,
}

/// What to feed in the place of the tokens from the patch's position up to `resume`.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// The terminals to feed.
    pub terminals: Vec<Terminal>,
    /// The token to go on with; the patch's own position to insert only.
    pub resume: u32,
}

/// Patches by the token before which they apply.
pub type Patches = BTreeMap<u32, Patch>;

/// A place between terminals: a token, and how many terminals of its patch are fed already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub token: u32,
    pub fed: usize,
}

/// Feeds the terminals of one stretch.
pub struct Feeder<'t> {
    tokens: &'t Tokens,
    patches: &'t Patches,
    position: Position,
    end: u32,
    depth: u32,
    stopped: bool,
    /// The last two kinds, for [`Terminal::Default`].
    before: [Option<TokenKind>; 2],
}

impl<'t> Feeder<'t> {
    /// Feeds from `start` to the token `end`, or up to a `}` that closes nothing in between.
    pub fn new(tokens: &'t Tokens, patches: &'t Patches, start: Position, end: u32) -> Feeder<'t> {
        Feeder { tokens, patches, position: start, end, depth: 0, stopped: false, before: [None; 2] }
    }

    /// Where feeding stopped: at the closing `}` or at the end.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Counts braces; false at the one that closes the stretch.
    fn admit(&mut self, terminal: Terminal) -> bool {
        match terminal {
            Terminal::Kind(TokenKind::OpenCurly) => self.depth += 1,
            Terminal::Kind(TokenKind::CloseCurly) => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => {
                    self.stopped = true;
                    return false;
                }
            },
            _ => {}
        }
        let kind = if let Terminal::Kind(kind) = terminal { Some(kind) } else { None };
        self.before = [self.before[1], kind];
        true
    }

    fn next_terminal(&mut self) -> Option<(u32, Terminal, u32)> {
        loop {
            let at = self.position.token;
            if at > self.end || self.stopped {
                return None;
            }
            // What is inserted at the end belongs to the stretch, what is replaced there does not.
            if !self.patches.is_empty()
                && let Some(patch) = self.patches.get(&at)
                && (at < self.end || patch.resume == at)
            {
                if let Some(terminal) = patch.terminals.get(self.position.fed) {
                    if !self.admit(*terminal) {
                        return None;
                    }
                    let start = if self.position.fed == 0 { at } else { patch.resume };
                    self.position.fed += 1;
                    return Some((start, *terminal, patch.resume));
                }
                if patch.resume > at {
                    self.position = Position { token: patch.resume, fed: 0 };
                    continue;
                }
            }
            if at == self.end {
                return None;
            }
            let kind = self.tokens.kind(at as usize)?;
            if kind.is_error_blank() {
                self.position = Position { token: at + 1, fed: 0 };
                continue;
            }
            let terminal = match kind {
                TokenKind::Except | TokenKind::BarBar
                    if self.before == [Some(TokenKind::Arrow), Some(TokenKind::Identifier)] =>
                {
                    Terminal::Default
                }
                kind if kind.is_error_value() => Terminal::ErrorValue,
                kind => Terminal::Kind(kind),
            };
            if !self.admit(terminal) {
                return None;
            }
            self.position = Position { token: at + 1, fed: 0 };
            return Some((at, terminal, at + 1));
        }
    }
}

impl Iterator for Feeder<'_> {
    type Item = Result<(u32, Terminal, u32), ()>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_terminal().map(Ok)
    }
}
