//! The automaton of the grammar, without its actions.
//!
//! Recovery asks thousands of times whether statements would follow the grammar if one token were another one. The
//! generated parser answers that, too, but it builds a tree meanwhile, and lists the names of all expected terminals when
//! it fails. The automaton only moves from state to state.

use mcl_lexer::{TokenIdx, Tokens};

use crate::grammar::tables;
use crate::terminals::{Edits, Position, Terminal, TerminalSource};
use crate::token_set::TokenSet;

/// The automaton after some terminals.
#[derive(Default)]
pub struct Automaton {
    /// The states above the initial one, the current one last.
    states: Vec<i16>,
    /// A copy of the states to try a terminal on.
    trial: Vec<i16>,
}

/// The state before the first terminal.
const INITIAL: i16 = 0;

impl Automaton {
    /// Reads the terminals of one segment, like [`crate::segment::parse_segment`]. Returns the position at which the
    /// segment ended.
    ///
    /// # Errors
    /// The first token that the grammar does not accept.
    pub fn read_segment(
        &mut self,
        tokens: &Tokens,
        edits: &Edits,
        start: Position,
        end: TokenIdx,
    ) -> Result<Position, TokenIdx> {
        self.states.clear();
        let mut source = TerminalSource::new(tokens, edits, start, end);
        while let Some((token, terminal, _)) = source.next_terminal() {
            if !self.accepts(terminal) {
                return Err(token);
            }
            std::mem::swap(&mut self.states, &mut self.trial);
        }
        let position = source.position();
        if self.may_end() { Ok(position) } else { Err(position.token) }
    }

    /// Returns the tokens that the grammar accepts next.
    pub fn expected(&mut self) -> TokenSet {
        TokenSet::of_grammar().filter(|kind| self.accepts(Terminal::Kind(*kind))).collect()
    }

    /// Whether the grammar accepts a terminal next; the states after it are in the copy.
    fn accepts(&mut self, terminal: Terminal) -> bool {
        let Some(terminal) = tables::terminal(&terminal) else { return false };
        self.trial.clone_from(&self.states);
        loop {
            let action = tables::action(self.trial.last().copied().unwrap_or(INITIAL), terminal);
            if action > 0 {
                self.trial.push(action - 1);
                return true;
            }
            if action == 0 || !self.reduce(action) {
                return false;
            }
        }
    }

    /// Whether the terminals so far are complete.
    fn may_end(&mut self) -> bool {
        self.trial.clone_from(&self.states);
        loop {
            let action = tables::end_action(self.trial.last().copied().unwrap_or(INITIAL));
            if action >= 0 {
                return false;
            }
            if !self.reduce(action) {
                return true;
            }
        }
    }

    /// Applies a rule to the copy. Returns false for the rule of the whole.
    fn reduce(&mut self, action: i16) -> bool {
        let Some((length, nonterminal)) = tables::rule(-(action + 1)) else { return false };
        self.trial.truncate(self.trial.len() - length);
        let state = self.trial.last().copied().unwrap_or(INITIAL);
        self.trial.push(tables::goto(state, nonterminal));
        true
    }
}
