//! The search for the token that was most likely broken.
//!
//! Most programs with a syntax error become correct by the change of one token: one is missing, superfluous, or in the
//! place of another one. The search changes each of the last tokens before a failure in every way that the grammar
//! allows there, and parses on tentatively. The change after which the parser gets furthest is kept, so that the broken
//! statement ends where its author meant it to end, and the parse stays in the right block.
//!
//! A tentative parse only runs the automaton of the grammar ([`crate::automaton`]), and begins where the changes begin. The
//! number of tokens that are read so is bounded by a budget for the file, so recovery stays linear.

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::automaton::{States, Step};
use crate::terminals::{Edit, Edits, Position, Progress, Terminal, TerminalSource};
use crate::token_set::{BRACE, OPERAND_CONTINUATION, STATEMENT_KEYWORD, STATEMENT_START, TokenSet};

const CLOSE_CURLY: Terminal = Terminal::Kind(TokenKind::CloseCurly);

/// `else`, which continues a statement.
const ELSE: TokenSet = TokenSet::new(&[TokenKind::Else]);

/// The change is looked for at the failing token and this many tokens before it.
const MAX_DISTANCE: u32 = 4;

/// A statement that fails after more tokens is not searched.
const MAX_STATEMENT_TOKENS: u32 = 600;

/// The number of tokens after the failure that a change without brackets must make parse at most.
const LOOKAHEAD_TOKENS: u32 = 60;

/// A change is only kept if the parser gets at least this many tokens into the next line, or to the end.
const MIN_PROGRESS: u32 = 2;

/// Tentative parses cost at most as much as this many tokens for each token of the file, and [`MIN_BUDGET`] in small files.
const BUDGET_PER_TOKEN: usize = 10;
const MIN_BUDGET: usize = 200_000;

/// The cost of a segment of a tentative parse besides its tokens, in tokens.
const SEGMENT_COST: usize = 20;

/// The cost of a change after which the grammar does not accept the next token, in tokens.
const REJECTION_COST: usize = 2;

/// The change of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenEdit {
    /// The token that is deleted or replaced, or before which another one is inserted.
    pub at: TokenIdx,
    pub change: Change,
}

/// What happens at a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Delete,
    Insert(Terminal),
    Replace(Terminal),
}

impl TokenEdit {
    /// Returns the edit that makes the change.
    pub fn edit(self) -> Edit {
        match self.change {
            Change::Delete => Edit { terminals: Vec::new(), resume: self.at + 1 },
            Change::Insert(terminal) => Edit { terminals: vec![terminal], resume: self.at },
            Change::Replace(terminal) => Edit { terminals: vec![terminal], resume: self.at + 1 },
        }
    }

    /// Returns the token that is inserted.
    pub fn new_kind(self) -> Option<TokenKind> {
        match self.change {
            Change::Insert(Terminal::Kind(kind)) | Change::Replace(Terminal::Kind(kind)) => Some(kind),
            Change::Insert(_) | Change::Replace(_) | Change::Delete => None,
        }
    }

    /// Whether the change concerns a bracket; `old` is the kind of the token that it is made at.
    pub fn concerns_bracket(self, old: Option<TokenKind>) -> bool {
        let is_bracket = |kind: TokenKind| kind.is_opener() || kind.is_closer();
        let removes = !matches!(self.change, Change::Insert(_)) && old.is_some_and(is_bracket);
        removes || self.new_kind().is_some_and(is_bracket)
    }
}

/// Where a failed statement is.
pub struct Site<'a> {
    pub edits: &'a mut Edits,
    /// The first token of the statement.
    pub start: TokenIdx,
    /// For each open block around it, outermost first, whether `else` may follow.
    pub blocks: &'a [bool],
    /// The token that does not fit.
    pub at: TokenIdx,
    /// What the grammar accepts there.
    pub expected: TokenSet,
    /// The start of the next statement, if a line shows it.
    pub cut: Option<TokenIdx>,
    /// Whether brackets may change.
    pub with_brackets: bool,
}

/// How far a tentative parse gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// It fails at the token.
    Token(TokenIdx),
    /// It reads all tokens.
    End,
}

/// Searches for changes in one file.
pub struct Search<'t> {
    tokens: &'t Tokens,
    step: Step,
    budget: usize,
}

/// A tentative parse on its way.
#[derive(Clone)]
struct Trial {
    /// The states after the terminals of the current segment.
    states: States,
    progress: Progress,
    /// For each open block around the statement that is not closed yet, outermost first, whether `else` may follow.
    blocks: Vec<bool>,
}

impl<'t> Search<'t> {
    pub fn new(tokens: &'t Tokens) -> Search<'t> {
        let budget = (tokens.len() * BUDGET_PER_TOKEN).max(MIN_BUDGET);
        Search { tokens, step: Step::default(), budget }
    }

    /// Returns the change after which the parser gets furthest, if it gets far enough, and how far that is.
    pub fn best(&mut self, site: &mut Site<'_>) -> Option<(Reach, TokenEdit)> {
        if site.at - site.start > MAX_STATEMENT_TOKENS {
            return None;
        }
        let near = site.at + LOOKAHEAD_TOKENS;
        let before = self.before_changes(site);
        let mut best: Option<(Reach, TokenEdit)> = None;
        for (distance, before) in (0..=MAX_DISTANCE).zip(&before) {
            if self.budget == 0 {
                break;
            }
            let Some(at) = site.at.checked_sub(distance).filter(|at| *at >= site.start) else { break };
            let old = self.tokens.kind(at);
            let mut expected = self.expected_at(site, before, at);
            if distance == 0 {
                expected = expected.union(site.expected);
            }
            let starts_line = self.tokens.newline_before(at);
            for edit in changes(at, old, self.plausible(site, at, expected), starts_line) {
                if edit.concerns_bracket(old) && !site.with_brackets || self.budget == 0 {
                    continue;
                }
                let mut reach = self.reach(site, before, edit, near);
                if site.with_brackets && reach == Reach::End {
                    reach = self.reach(site, before, edit, self.tokens.end_idx());
                }
                if best.is_none_or(|(furthest, _)| reach > furthest) {
                    best = Some((reach, edit));
                }
            }
        }
        let (reach, edit) = best?;
        let next_line = (site.at + 1).until(near).find(|token| self.tokens.newline_before(*token)).unwrap_or(near);
        let is_enough = match reach {
            Reach::End => true,
            Reach::Token(token) => token >= next_line + MIN_PROGRESS,
        };
        is_enough.then_some((reach, edit))
    }

    /// Returns the tokens that may have been meant at a token where the grammar accepts the given ones.
    fn plausible(&self, site: &Site<'_>, at: TokenIdx, expected: TokenSet) -> TokenSet {
        let before = at.previous().and_then(|before| self.tokens.kind(before));
        let starts_line = self.tokens.newline_before(at) || before.is_none_or(|kind| kind == TokenKind::OpenCurly);
        // The `}` of the block around the statement, which is on a line of its own. The parser only names it if it has read
        // the whole block.
        let brace = TokenSet::new(&[TokenKind::CloseCurly]);
        let may_end = self.tokens.newline_before(at) || at >= self.tokens.end_idx();
        let expected = if !expected.contains(TokenKind::Import) {
            expected
        } else if may_end && !site.blocks.is_empty() {
            expected.union(brace)
        } else {
            expected.without(brace)
        };
        // An operator is at the end of a line rather than at the start of the next one.
        let expected = if self.tokens.newline_before(at) {
            expected.without(OPERAND_CONTINUATION.without(BRACE))
        } else {
            expected
        };
        // A statement starts with its line.
        if starts_line {
            expected
        } else if expected.contains(TokenKind::Import) {
            expected.without(STATEMENT_START.without(ELSE))
        } else {
            expected.without(STATEMENT_KEYWORD)
        }
    }

    /// Returns the tokens that the grammar accepts in place of a token of the statement. An error at a token that is valid
    /// elsewhere does not tell that: the parser may have ended expressions before it found the token to be wrong.
    fn expected_at(&mut self, site: &mut Site<'_>, before: &Trial, at: TokenIdx) -> TokenSet {
        if before.is_directly_before(at, site) {
            return self.step.expected(before.states.as_slice());
        }
        // No rule of the grammar has this terminal.
        let nothing = TokenEdit { at, change: Change::Replace(Terminal::Kind(TokenKind::Unrecognized)) };
        let mut trial = before.clone();
        match self.parse_changed(site, &mut trial, nothing, at + 1) {
            Some(Err(failed_at)) if failed_at == at => self.step.expected(trial.states.as_slice()),
            _ => TokenSet::default(),
        }
    }

    /// Returns how far the parser gets with a change, reading no more than the tokens before `limit`.
    fn reach(&mut self, site: &mut Site<'_>, before: &Trial, edit: TokenEdit, limit: TokenIdx) -> Reach {
        if let Some(failed_at) = self.rejected_at(site, before, edit) {
            return Reach::Token(failed_at);
        }
        match self.parse_changed(site, &mut before.clone(), edit, limit) {
            None => Reach::Token(TokenIdx::FIRST),
            Some(Ok(())) => Reach::End,
            Some(Err(failed_at)) => Reach::Token(failed_at),
        }
    }

    /// Returns the token that the grammar does not accept, if a change is rejected at once, as most are.
    fn rejected_at(&mut self, site: &Site<'_>, before: &Trial, edit: TokenEdit) -> Option<TokenIdx> {
        let (new, next) = match edit.change {
            Change::Delete => (None, edit.at + 1),
            Change::Insert(terminal) => (Some(terminal), edit.at),
            Change::Replace(terminal) => (Some(terminal), edit.at + 1),
        };
        let is_in_segment = site.cut.is_none_or(|cut| next < cut) && !site.edits.contains_key(&next);
        if !before.is_directly_before(edit.at, site) || !is_in_segment || new == Some(CLOSE_CURLY) {
            return None;
        }
        let after = match self.tokens.kind(next)? {
            // Which terminal it is depends on the tokens before, or it may end the segment.
            TokenKind::Except | TokenKind::BarBar | TokenKind::CloseCurly => return None,
            kind if kind.is_error() => return None,
            kind => Terminal::Kind(kind),
        };
        let count = usize::from(new.is_some());
        let accepted = self.step.accepted(before.states.as_slice(), new.into_iter().chain([after]));
        if accepted > count {
            return None;
        }
        self.budget = self.budget.saturating_sub(REJECTION_COST);
        Some(if accepted == count { next } else { edit.at })
    }

    /// Parses tentatively with a change, to `limit`. Returns `None` if the change is not possible.
    fn parse_changed(
        &mut self,
        site: &mut Site<'_>,
        trial: &mut Trial,
        edit: TokenEdit,
        limit: TokenIdx,
    ) -> Option<Result<(), TokenIdx>> {
        if site.edits.contains_key(&edit.at) {
            return None;
        }
        site.edits.insert(edit.at, edit.edit());
        let result = self.parse(site, trial, limit.min(self.tokens.end_idx()));
        site.edits.remove(&edit.at);
        Some(result)
    }

    /// Parses tentatively up to each of the tokens that are changed, the last one first. What fails earlier fails in each
    /// trial, and starts where the last complete parse ends.
    fn before_changes(&mut self, site: &Site<'_>) -> Vec<Trial> {
        let mut trials = Vec::with_capacity(MAX_DISTANCE as usize + 1);
        let mut trial = Trial::new(Position::before(site.start), site.blocks.to_vec());
        for distance in (0..=MAX_DISTANCE).rev() {
            let end = site.at.checked_sub(distance).map_or(site.start, |end| end.max(site.start));
            if let Some(next) = self.read_to(site, &trial, end) {
                trial = next;
            }
            trials.push(trial.clone());
        }
        trials.reverse();
        trials
    }

    /// Continues with a trial up to a token. Returns `None` if the grammar does not accept what is before it.
    fn read_to(&mut self, site: &Site<'_>, trial: &Trial, end: TokenIdx) -> Option<Trial> {
        let mut trial = trial.clone();
        loop {
            trial.read(self.tokens, site.edits, end, &mut self.step).ok()?;
            if !trial.progress.stopped {
                return Some(trial);
            }
            if !trial.may_end(&mut self.step) || !trial.leave_block(self.tokens, site.edits) {
                return None;
            }
        }
    }

    /// Continues with a trial. Returns the token that the grammar does not accept, if there is one before `limit`.
    fn parse(&mut self, site: &Site<'_>, trial: &mut Trial, limit: TokenIdx) -> Result<(), TokenIdx> {
        let end = self.tokens.end_idx();
        let mut cut = site.cut.filter(|cut| *cut < limit);
        loop {
            let segment_end = cut.unwrap_or(limit);
            let first = trial.progress.position.token;
            let stop = trial.read(self.tokens, site.edits, segment_end, &mut self.step).and_then(|()| {
                let stop = trial.progress.position;
                if trial.may_end(&mut self.step) { Ok(stop) } else { Err(stop.token) }
            });
            let reached = stop.map_or_else(|failed_at| failed_at, |stop| stop.token);
            self.budget = self.budget.saturating_sub((reached - first) as usize + SEGMENT_COST);
            let stop = match stop {
                // The limit is in the middle of something.
                Err(failed_at) if failed_at >= limit && limit < end => return Ok(()),
                Err(failed_at) => return Err(failed_at),
                Ok(stop) => stop,
            };
            let is_inserted = site.edits.get(&stop.token).is_some_and(|edit| stop.fed < edit.terminals.len());
            if stop.token >= segment_end && !is_inserted {
                if let Some(next) = cut.take() {
                    // What is inserted there was read.
                    let inserted = site.edits.get(&next).filter(|edit| edit.resume == next);
                    let fed = inserted.map_or(0, |edit| edit.terminals.len());
                    trial.start_segment(Position { token: next, fed });
                    continue;
                }
                // At the end of the file, every block must be closed.
                return if limit == end && !trial.blocks.is_empty() { Err(stop.token) } else { Ok(()) };
            }
            if !trial.leave_block(self.tokens, site.edits) {
                return Err(stop.token);
            }
        }
    }
}

impl Trial {
    fn new(start: Position, blocks: Vec<bool>) -> Trial {
        Trial { states: States::initial(), progress: Progress::at(start), blocks }
    }

    fn start_segment(&mut self, start: Position) {
        self.states = States::initial();
        self.progress = Progress::at(start);
    }

    /// Whether the next terminal is the token `at`, which no edit changes and which is not after the end of the statement.
    fn is_directly_before(&self, at: TokenIdx, site: &Site<'_>) -> bool {
        self.progress.position == Position::before(at)
            && !self.progress.stopped
            && !site.edits.contains_key(&at)
            && site.cut.is_none_or(|cut| at < cut)
    }

    /// Reads the terminals of the current segment up to `end`.
    ///
    /// # Errors
    /// The first token that the grammar does not accept.
    fn read(&mut self, tokens: &Tokens, edits: &Edits, end: TokenIdx, step: &mut Step) -> Result<(), TokenIdx> {
        let mut source = TerminalSource::resumed(tokens, edits, self.progress, end);
        while let Some((token, terminal, _)) = source.next_terminal() {
            if !self.states.read(terminal, step) {
                return Err(token);
            }
        }
        self.progress = source.progress();
        Ok(())
    }

    /// Whether the current segment may end.
    fn may_end(&self, step: &mut Step) -> bool {
        step.may_end(self.states.as_slice())
    }

    /// Reads the `}` that closes the block around the statement, and starts the segment after it. Returns false if there is
    /// no such block.
    fn leave_block(&mut self, tokens: &Tokens, edits: &Edits) -> bool {
        let Some(may_have_else) = self.blocks.pop() else { return false };
        let stop = self.progress.position;
        let mut position = after_terminal(edits, stop);
        let next = position.token;
        if may_have_else
            && tokens.kind(next) == Some(TokenKind::Else)
            && tokens.kind(next + 1) == Some(TokenKind::OpenCurly)
            && !edits.contains_key(&next)
        {
            self.blocks.push(false);
            position = Position::before(next + 2);
        }
        self.start_segment(position);
        true
    }
}

/// Returns the position after the terminal at `position`.
fn after_terminal(edits: &Edits, position: Position) -> Position {
    match edits.get(&position.token) {
        Some(edit) if position.fed < edit.terminals.len() => {
            if position.fed + 1 == edit.terminals.len() && edit.resume > position.token {
                Position::before(edit.resume)
            } else {
                Position { token: position.token, fed: position.fed + 1 }
            }
        }
        _ => Position::before(position.token + 1),
    }
}

/// Returns the changes that are possible at a token where the grammar accepts the given ones, the most likely first: a comma
/// at the end of the line before, a closing bracket, what keeps the number of tokens, what is superfluous, what is missing.
fn changes(at: TokenIdx, old: Option<TokenKind>, expected: TokenSet, starts_line: bool) -> Vec<TokenEdit> {
    let mut terminals: Vec<Terminal> = new_terminals(expected).collect();
    // In place of a bracket, another one.
    let is_alike = |new: &Terminal| match (new, old) {
        (Terminal::Kind(new), Some(old)) => old.is_opener() && new.is_opener() || old.is_closer() && new.is_closer(),
        _ => false,
    };
    terminals.sort_by_key(|new| !is_alike(new));
    let comma = Terminal::Kind(TokenKind::Comma);
    let missing_comma = Some(Change::Insert(comma)).filter(|_| starts_line && terminals.contains(&comma));
    let replaced = terminals.iter().filter(|new| old.is_some_and(|old| **new != Terminal::Kind(old)));
    let replace = replaced.map(|new| Change::Replace(*new));
    let delete = old.map(|_| Change::Delete);
    let insert = terminals.iter().map(|new| Change::Insert(*new));
    let is_closer = |new: &&Terminal| matches!(new, Terminal::Kind(kind) if kind.is_closer());
    let closer = terminals.iter().find(is_closer).filter(|_| old == Some(TokenKind::Arrow));
    let missing_closer = closer.map(|new| Change::Insert(*new));
    let changes = missing_comma.into_iter().chain(missing_closer).chain(replace).chain(delete).chain(insert);
    changes.map(|change| TokenEdit { at, change }).collect()
}

/// Returns one terminal for all operands, one for all operators of each level, and every other token.
fn new_terminals(expected: TokenSet) -> impl Iterator<Item = Terminal> {
    let is_operand = expected.contains(TokenKind::Integer) && expected.contains(TokenKind::String);
    let operand = is_operand.then_some(Terminal::ErrorValue);
    let others = expected.iter().filter(move |kind| match kind {
        TokenKind::Integer | TokenKind::Float | TokenKind::True | TokenKind::False | TokenKind::Not => false,
        TokenKind::String => !is_operand,
        TokenKind::Minus
        | TokenKind::Divide
        | TokenKind::Ne
        | TokenKind::Lt
        | TokenKind::Gt
        | TokenKind::Le
        | TokenKind::Ge
        | TokenKind::And
        | TokenKind::BarBar => false,
        TokenKind::TypeBool | TokenKind::TypeInt | TokenKind::TypeFloat | TokenKind::Variant => false,
        _ => true,
    });
    operand.into_iter().chain(others.map(Terminal::Kind))
}
