//! Runs of the parser.
//!
//! The automaton and its actions are generated from the grammar; only the loop around them is written here. It skips the
//! rules that pass an operand from one level of operators to the next ([`Chains`]), most of all rules that are applied.

use mcl_lexer::TokenIdx;

use crate::automaton::{Action, Chains, INITIAL, Step, passes_on};
use crate::builder::Builder;
use crate::grammar::tables;
use crate::terminals::{Edits, Position, Terminal, TerminalSource};
use crate::token_set::TokenSet;

/// The token at which a run of the parser failed.
#[derive(Clone, Copy, Debug)]
pub struct ParseFailure {
    /// The token.
    pub token: TokenIdx,
    /// The tokens that the grammar accepts there.
    pub expected: TokenSet,
}

/// What the parser needs in each run, kept for the next one.
#[derive(Default)]
pub struct Stack {
    states: Vec<i16>,
    /// The symbols between the states.
    symbols: Vec<tables::Symbol>,
    chains: Chains,
}

/// Runs the parser over one segment: from `start` to the token `end`, or to the first unmatched `}` before it. Returns the
/// position at which the segment ended.
///
/// # Errors
/// The first token that the grammar does not accept.
pub fn parse_segment(
    builder: &mut Builder<'_>,
    edits: &Edits,
    start: Position,
    end: TokenIdx,
) -> Result<Position, ParseFailure> {
    let mut source = TerminalSource::new(builder.tokens, edits, start, end);
    let mut stack = std::mem::take(&mut builder.stack);
    stack.symbols.clear();
    stack.states.clear();
    stack.states.push(INITIAL);
    let failed_at = stack.run(builder, &mut source);
    let result = match failed_at {
        None => Ok(source.position()),
        Some(token) => Err(ParseFailure { token, expected: Step::default().expected(&stack.states) }),
    };
    builder.stack = stack;
    result
}

impl Stack {
    /// Reads all terminals. Returns the first token that the grammar does not accept.
    fn run(&mut self, builder: &mut Builder<'_>, source: &mut TerminalSource<'_>) -> Option<TokenIdx> {
        while let Some((token, terminal, after)) = source.next_terminal() {
            if !self.read(builder, token, terminal, after) {
                return Some(token);
            }
        }
        loop {
            match Action::of(tables::end_action(self.top())) {
                Action::Shift(_) | Action::Fail => return Some(source.position().token),
                Action::Reduce(rule) => {
                    if !tables::reduce(builder, rule, None, &mut self.states, &mut self.symbols) {
                        return None;
                    }
                }
            }
        }
    }

    /// Reads a terminal. Returns false if the grammar does not accept it.
    fn read(&mut self, builder: &mut Builder<'_>, token: TokenIdx, terminal: Terminal, after: TokenIdx) -> bool {
        let Some(number) = tables::terminal(&terminal) else { return false };
        loop {
            match Action::of(tables::action(self.top(), number)) {
                Action::Fail => return false,
                Action::Shift(state) => {
                    self.states.push(state);
                    self.symbols.push((token, tables::value(number, terminal), after));
                    return true;
                }
                Action::Reduce(rule) if passes_on(rule) => self.pass_on(number),
                Action::Reduce(rule) => {
                    if !tables::reduce(builder, rule, Some(&token), &mut self.states, &mut self.symbols) {
                        return false;
                    }
                }
            }
        }
    }

    fn top(&self) -> i16 {
        self.states.last().copied().unwrap_or(INITIAL)
    }

    /// Applies the rules that pass the last symbol on.
    fn pass_on(&mut self, terminal: usize) {
        if let [.., below, top] = &mut self.states[..] {
            *top = self.chains.end(*below, *top, terminal);
        }
    }
}
