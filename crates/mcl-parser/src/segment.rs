//! Runs of the parser.
//!
//! The automaton and its actions are generated from the grammar; only the loop around them is written here. It skips the
//! rules that pass an operand from one level of operators to the next ([`crate::automaton::Chains`]), most of all rules that are applied.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::automaton::{Action, Stack, passes_on};
use crate::builder::Builder;
use crate::grammar::tables;
use crate::terminals::{Edits, Position, Terminal, TerminalSource};
use crate::token_set::{OPERAND_END, SIMPLE_TYPE, STATEMENT_START, TokenSet};

/// Whether a statement of the top level may start with a token that is the first one of its line, if the one before may end
/// another. No statement starts with a token that goes on with the one before.
#[must_use]
pub fn begins_statement(kind: TokenKind) -> bool {
    STATEMENT_START.contains(kind) && kind != TokenKind::Else
}

/// Whether a statement may end with a token.
#[must_use]
pub fn ends_statement(kind: TokenKind) -> bool {
    OPERAND_END.union(SIMPLE_TYPE).contains(kind)
}

/// The token at which a run of the parser failed.
#[derive(Clone, Copy, Debug)]
pub struct ParseFailure {
    /// The token.
    pub token: TokenIdx,
    /// The tokens that the grammar accepts there.
    pub expected: TokenSet,
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
    stack.restart();
    let failed_at = run(&mut stack, builder, &mut source);
    let result = match failed_at {
        None => Ok(source.position()),
        Some(token) => Err(ParseFailure { token, expected: stack.expected() }),
    };
    builder.stack = stack;
    result
}

/// Reads all terminals. Returns the first token that the grammar does not accept.
fn run(stack: &mut Stack, builder: &mut Builder<'_>, source: &mut TerminalSource<'_>) -> Option<TokenIdx> {
    while let Some((token, terminal, after)) = source.next_terminal() {
        if !read(stack, builder, token, terminal, after) {
            return Some(token);
        }
    }
    loop {
        match Action::of(tables::end_action(stack.top())) {
            Action::Shift(_) | Action::Fail => return Some(source.position().token),
            Action::Reduce(rule) => {
                if !tables::reduce(builder, rule, None, &mut stack.states, &mut stack.symbols) {
                    return None;
                }
            }
        }
    }
}

/// Reads a terminal. Returns false if the grammar does not accept it.
fn read(stack: &mut Stack, builder: &mut Builder<'_>, token: TokenIdx, terminal: Terminal, after: TokenIdx) -> bool {
    let Some(number) = tables::terminal(&terminal) else { return false };
    loop {
        match Action::of(tables::action(stack.top(), number)) {
            Action::Fail => return false,
            Action::Shift(state) => {
                stack.states.push(state);
                stack.symbols.push((token, tables::value(number, terminal), after));
                return true;
            }
            Action::Reduce(rule) if passes_on(rule) => stack.pass_on(number),
            Action::Reduce(rule) => {
                if !tables::reduce(builder, rule, Some(&token), &mut stack.states, &mut stack.symbols) {
                    return false;
                }
            }
        }
    }
}
