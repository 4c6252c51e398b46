//! The automaton of the grammar.
//!
//! [`crate::segment`] runs it with the actions of the grammar, which build a tree. Recovery asks thousands of times whether
//! statements would follow the grammar if one token were another one; that only needs the states ([`States`]).

use std::sync::LazyLock;

use crate::grammar::tables;
use crate::terminals::Terminal;
use crate::token_set::TokenSet;

/// The state before the first terminal.
const INITIAL: i16 = 0;

/// What the automaton does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The terminal is read; this is the state after it.
    Shift(i16),
    /// A rule is applied first.
    Reduce(i16),
    /// The grammar does not accept the terminal.
    Fail,
}

impl Action {
    /// Decodes an entry of the tables.
    pub fn of(entry: i16) -> Action {
        match entry {
            0 => Action::Fail,
            1.. => Action::Shift(entry - 1),
            ..0 => Action::Reduce(-(entry + 1)),
        }
    }
}

/// Whether a rule has one symbol, which it passes on as it is.
pub fn passes_on(rule: i16) -> bool {
    tables::PASSES_ON[rule as usize]
}

/// The number of entries of [`Chains`], a power of two.
const SLOTS: usize = 1 << 10;

/// Chains of rules that pass one symbol on.
///
/// The grammar has a nonterminal for each level of operators, so an operand is reduced ten times before it is an expression,
/// and nothing happens to it. Where such a chain ends depends on the state below the symbol, the state after the symbol,
/// and the next terminal. The ends of chains are remembered, each in the one slot that its key has.
#[derive(Default)]
pub struct Chains {
    /// Keys, with the end of the chain in the lowest 16 bits; empty before the first use.
    slots: Vec<u64>,
}

impl Chains {
    /// Returns the state after the chain that begins with the state `top` above `below` before a terminal.
    pub fn end(&mut self, below: i16, top: i16, terminal: usize) -> i16 {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, u64::MAX);
        }
        let key = u64::from(below as u16) << 24 | u64::from(top as u16) << 8 | terminal as u64;
        let slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize;
        let known = self.slots[slot];
        if known >> 16 == key {
            return known as i16;
        }
        let mut end = top;
        while let Action::Reduce(rule) = Action::of(tables::action(end, terminal))
            && passes_on(rule)
            && let Some((_, nonterminal)) = tables::rule(rule)
        {
            end = tables::goto(below, nonterminal);
        }
        self.slots[slot] = key << 16 | u64::from(end as u16);
        end
    }
}

/// What the automaton does in a state, by tokens.
struct Row {
    /// The tokens that are read.
    shift: TokenSet,
    /// The rules that are applied first, with the tokens before which they are.
    reduce: Vec<(i16, TokenSet)>,
}

/// The rows of all states.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| (0..tables::STATES as i16).map(Row::of).collect());

impl Row {
    fn of(state: i16) -> Row {
        let mut row = Row { shift: TokenSet::default(), reduce: Vec::new() };
        for kind in TokenSet::of_grammar() {
            let token = TokenSet::new(&[kind]);
            let Some(terminal) = tables::terminal(&Terminal::Kind(kind)) else { continue };
            match Action::of(tables::action(state, terminal)) {
                Action::Fail => {}
                Action::Shift(_) => row.shift = row.shift.union(token),
                Action::Reduce(rule) => match row.reduce.iter_mut().find(|(known, _)| *known == rule) {
                    Some((_, before)) => *before = before.union(token),
                    None => row.reduce.push((rule, token)),
                },
            }
        }
        row
    }
}

/// The states after some terminals, without the symbols between them.
#[derive(Clone)]
pub struct States {
    /// The current one is the last.
    states: Vec<i16>,
}

/// The states after one more terminal, as a change of those before it.
#[derive(Default)]
pub struct Step {
    /// How many of the states stay.
    kept: usize,
    /// The states after them.
    new: Vec<i16>,
    chains: Chains,
}

impl States {
    /// Returns the states before the first terminal.
    pub fn initial() -> States {
        States { states: vec![INITIAL] }
    }

    /// Returns the states.
    pub fn as_slice(&self) -> &[i16] {
        &self.states
    }

    /// Reads a terminal. Returns false, and changes nothing, if the grammar does not accept it.
    pub fn read(&mut self, terminal: Terminal, step: &mut Step) -> bool {
        let accepts = step.try_terminal(&self.states, terminal);
        if accepts {
            self.states.truncate(step.kept);
            self.states.append(&mut step.new);
        }
        accepts
    }
}

impl Step {
    /// Returns the kinds of tokens that the grammar accepts after some states.
    ///
    /// Tokens before which the same rules are applied are followed together.
    pub fn expected(&mut self, states: &[i16]) -> TokenSet {
        let mut expected = TokenSet::default();
        let mut pending = vec![(states.len(), Vec::new(), TokenSet::all())];
        while let Some((kept, new, tokens)) = pending.pop() {
            (self.kept, self.new) = (kept, new);
            let row = &ROWS[self.top(states) as usize];
            expected = expected.union(row.shift.intersection(tokens));
            let (kept, new) = (self.kept, std::mem::take(&mut self.new));
            for (rule, before) in &row.reduce {
                let tokens = before.intersection(tokens);
                if !tokens.is_empty() {
                    (self.kept, self.new) = (kept, new.clone());
                    if self.reduce(states, *rule) {
                        pending.push((self.kept, std::mem::take(&mut self.new), tokens));
                    }
                }
            }
        }
        expected
    }

    /// Returns how many of the terminals the grammar accepts after some states, one after the other.
    pub fn accepted(&mut self, states: &[i16], terminals: impl IntoIterator<Item = Terminal>) -> usize {
        self.start(states);
        terminals.into_iter().take_while(|terminal| self.read(states, *terminal)).count()
    }

    /// Whether the terminals before some states are complete.
    pub fn may_end(&mut self, states: &[i16]) -> bool {
        self.start(states);
        loop {
            match Action::of(tables::end_action(self.top(states))) {
                Action::Shift(_) | Action::Fail => return false,
                Action::Reduce(rule) => {
                    if !self.reduce(states, rule) {
                        return true;
                    }
                }
            }
        }
    }

    /// Whether the grammar accepts a terminal after some states; the states after it are in this step.
    fn try_terminal(&mut self, states: &[i16], terminal: Terminal) -> bool {
        self.start(states);
        self.read(states, terminal)
    }

    /// Reads one more terminal in this step. Returns false if the grammar does not accept it.
    fn read(&mut self, states: &[i16], terminal: Terminal) -> bool {
        let Some(terminal) = tables::terminal(&terminal) else { return false };
        loop {
            match Action::of(tables::action(self.top(states), terminal)) {
                Action::Fail => return false,
                Action::Shift(state) => {
                    self.new.push(state);
                    return true;
                }
                Action::Reduce(rule) if passes_on(rule) => {
                    let top = self.top(states);
                    self.pop(1);
                    let end = self.chains.end(self.top(states), top, terminal);
                    self.new.push(end);
                }
                Action::Reduce(rule) => {
                    if !self.reduce(states, rule) {
                        return false;
                    }
                }
            }
        }
    }

    fn start(&mut self, states: &[i16]) {
        self.kept = states.len();
        self.new.clear();
    }

    fn top(&self, states: &[i16]) -> i16 {
        self.new.last().copied().unwrap_or_else(|| states[self.kept - 1])
    }

    fn pop(&mut self, count: usize) {
        let new = self.new.len().min(count);
        self.new.truncate(self.new.len() - new);
        self.kept -= count - new;
    }

    /// Applies a rule. Returns false for the rule of the whole.
    fn reduce(&mut self, states: &[i16], rule: i16) -> bool {
        let Some((length, nonterminal)) = tables::rule(rule) else { return false };
        self.pop(length);
        let state = self.top(states);
        self.new.push(tables::goto(state, nonterminal));
        true
    }
}

/// The states and symbols of a parse, kept for the next one.
#[derive(Default)]
pub struct Stack {
    /// The current state is the last.
    pub states: Vec<i16>,
    /// The symbols between the states.
    pub symbols: Vec<tables::Symbol>,
    /// Tries terminals on the states.
    step: Step,
}

impl Stack {
    /// Returns to the state before the first terminal.
    pub fn restart(&mut self) {
        self.symbols.clear();
        self.states.clear();
        self.states.push(INITIAL);
    }

    /// Returns the tokens that the grammar accepts next.
    pub fn expected(&mut self) -> TokenSet {
        self.step.expected(&self.states)
    }

    /// Returns the current state.
    pub fn top(&self) -> i16 {
        self.states.last().copied().unwrap_or(INITIAL)
    }

    /// Applies the rules that pass the last symbol on before a terminal.
    pub fn pass_on(&mut self, terminal: usize) {
        if let [.., below, top] = &mut self.states[..] {
            *top = self.step.chains.end(*below, *top, terminal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = r#"
        import "fmt"
        class c($a, $b map{str: int}) { include d(1) }
        func f($x) { if not $x { -1 } else { $x[0]->field || "none" } }
        for $i, $e in [1, 2 + 3 * 4,] { print "p ${i}" { msg => fmt.printf("%d", $e), Meta:noop => $a ?: true, } }
        Svc["a"] -> File["/b"]
        $s = struct{a => {"k" => 1}, b => func($y) { $y > 1 and $y in [1] }}
    "#;

    /// Returns the expected tokens after each token of a program, as a function computes them.
    fn expected_after_each(expected: impl Fn(&mut Step, &[i16]) -> TokenSet) -> Vec<TokenSet> {
        let (mut states, mut step) = (States::initial(), Step::default());
        let tokens = mcl_lexer::lex(PROGRAM);
        let mut all = vec![expected(&mut step, states.as_slice())];
        for kind in tokens.kinds() {
            if states.read(Terminal::Kind(*kind), &mut step) {
                all.push(expected(&mut step, states.as_slice()));
            }
        }
        assert!(all.len() > 100, "most of the program is read: {}", all.len());
        all
    }

    #[test]
    fn expected_tokens_are_those_that_can_be_read() {
        let one_by_one = |step: &mut Step, states: &[i16]| {
            TokenSet::of_grammar().filter(|kind| step.accepted(states, [Terminal::Kind(*kind)]) == 1).collect()
        };
        assert_eq!(expected_after_each(Step::expected), expected_after_each(one_by_one));
    }
}
