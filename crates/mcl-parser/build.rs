//! Generates the parser from `src/grammar.lalrpop`; a grammar with conflicts does not compile.

use std::path::Path;
use std::{env, fs};

/// The start of the module that LALRPOP generates for the start symbol of the grammar.
const MODULE: &str = "mod __parse__Statements {\n";

/// Gives access to the automaton, which LALRPOP keeps to itself; see `src/automaton.rs` and `src/segment.rs`.
const TABLES: &str = r"
    pub mod tables {
        /// A terminal or nonterminal with its value, and the tokens where it starts and ends.
        pub type Symbol = (super::TokenIdx, super::__Symbol, super::TokenIdx);

        /// What the automaton does at a terminal: shift to the state `action - 1`, reduce by the rule `-action - 1`, or, at 0, fail.
        pub fn action(state: i16, terminal: usize) -> i16 {
            super::__action(state, terminal)
        }

        /// The number of states.
        pub const STATES: usize = super::__EOF_ACTION.len();

        /// What the automaton does at the end.
        pub fn end_action(state: i16) -> i16 {
            super::__EOF_ACTION[state as usize]
        }

        /// The state after a nonterminal.
        pub fn goto(state: i16, nonterminal: usize) -> i16 {
            super::__goto(state, nonterminal)
        }

        /// The number of symbols of a rule, and its nonterminal; nothing for the rule of the whole.
        pub fn rule(number: i16) -> Option<(usize, usize)> {
            match super::__simulate_reduce(number, core::marker::PhantomData::<(&(), &())>) {
                super::__state_machine::SimulatedReduce::Reduce { states_to_pop, nonterminal_produced } => {
                    Some((states_to_pop, nonterminal_produced))
                }
                super::__state_machine::SimulatedReduce::Accept => None,
            }
        }

        /// The number of a terminal.
        pub fn terminal(terminal: &super::Terminal) -> Option<usize> {
            super::__token_to_integer(terminal, core::marker::PhantomData::<(&(), &())>)
        }

        /// The value of a terminal.
        pub fn value(number: usize, terminal: super::Terminal) -> super::__Symbol {
            super::__token_to_symbol(number, terminal, core::marker::PhantomData::<(&(), &())>)
        }

        /// Applies a rule with its action. Returns false for the rule of the whole, which ends the parse.
        pub fn reduce<'t>(
            builder: &mut super::Builder<'t>,
            rule: i16,
            next: Option<&super::TokenIdx>,
            states: &mut Vec<i16>,
            symbols: &mut Vec<Symbol>,
        ) -> bool {
            super::__reduce(builder, rule, next, states, symbols, core::marker::PhantomData::<(&(), &'t ())>).is_none()
        }

        /// Whether a rule has one symbol and its action returns the value of that.
        pub const PASSES_ON: &[bool] = &PASSES_ON_HERE;
    }
";

fn main() {
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .use_cargo_dir_conventions()
        .process()
        .expect("the grammar is well formed and without conflicts");
    let directory = env::var_os("OUT_DIR").expect("cargo sets the directory of generated files");
    let directory = Path::new(&directory);
    let generated = fs::read_to_string(directory.join("grammar.rs")).expect("the parser was generated");
    let (before, after) = generated.split_once(MODULE).expect("the parser has a module for its start symbol");
    let passes_on = format!("{:?}", rules_that_pass_on(&generated));
    let tables = TABLES.replace("PASSES_ON_HERE", &passes_on);
    let parser = [before, MODULE, &tables, after].concat();
    fs::write(directory.join("parser.rs"), parser).expect("the directory of generated files is writable");
}

/// Returns, for each rule, whether it has one symbol and its action returns the value of that.
fn rules_that_pass_on(generated: &str) -> Vec<bool> {
    let mut passes_on = Vec::new();
    while let Some((_, function)) = generated.split_once(&format!("fn __reduce{}<", passes_on.len())) {
        let rule = function.split_once("// ").and_then(|(_, rest)| rest.split_once(");\n")).map(|(rule, _)| rule);
        let (symbols, action) = rule.and_then(|rule| rule.split_once(" => ActionFn(")).expect("a rule has an action");
        let (_, right) = symbols.split_once(" = ").expect("a rule has two sides");
        passes_on.push(!right.is_empty() && !right.contains(", ") && returns_its_argument(generated, action));
    }
    assert!(passes_on.contains(&true), "the levels of operators pass operands on");
    passes_on
}

/// Whether an action has one argument and returns its value.
fn returns_its_argument(generated: &str, action: &str) -> bool {
    let function =
        generated.split_once(&format!("fn __action{action}<")).and_then(|(_, rest)| rest.split_once("\n}\n"));
    let Some((function, _)) = function else { return false };
    let argument =
        function.split_once("(_, __0, _): (TokenIdx, ").and_then(|(_, rest)| rest.split_once(", TokenIdx),\n) -> "));
    argument.is_some_and(|(ty, rest)| rest.starts_with(&format!("{ty}\n")) && rest.ends_with("\n{\n    __0"))
}
