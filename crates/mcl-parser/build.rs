//! Generates the parser from `src/grammar.lalrpop`; a grammar with conflicts does not compile.

use std::path::Path;
use std::{env, fs};

/// The start of the module that LALRPOP generates for the start symbol of the grammar.
const MODULE: &str = "mod __parse__Statements {\n";

/// Gives access to the tables of the automaton, which LALRPOP keeps to itself; see `src/automaton.rs`.
const TABLES: &str = r"
    pub mod tables {
        /// What the automaton does at a terminal: shift to the state `action - 1`, reduce by the rule `-action - 1`, or, at 0, fail.
        pub fn action(state: i16, terminal: usize) -> i16 {
            super::__action(state, terminal)
        }

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
    let parser = [before, MODULE, TABLES, after].concat();
    fs::write(directory.join("parser.rs"), parser).expect("the directory of generated files is writable");
}
