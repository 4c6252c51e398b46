//! A fuzzer of the front end: it compiles mutated programs of a corpus for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz -- --seconds 60 --seed 7 --target check`
//!
//! A panic, a program that needs more than two seconds of processor time, and a diagnostic without a valid span end the run with status 1.
//! The seed and the number of the program are printed, and the program is written to `fuzz-crash.mcl`. To find a program
//! that ends the whole process (a stack overflow), use `--trace`, which writes every program before it is compiled.

mod corpus;
mod mutate;
mod target;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use fastrand::Rng;
use fuzz::session::{Fuzzer, Session};

use crate::corpus::Corpus;
use crate::mutate::mutated;
use crate::target::Target;

/// Fuzzes the front end of the compiler.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    session: Session,
    /// What to fuzz; all targets in turn by default
    #[arg(long)]
    target: Option<Target>,
}

struct FrontEnd {
    corpus: Corpus,
    targets: Vec<Target>,
}

impl FrontEnd {
    fn target_of(&self, count: usize) -> Target {
        self.targets[count % self.targets.len()]
    }
}

impl Fuzzer for FrontEnd {
    type Program = String;

    const CRASH_FILE: &'static str = "fuzz-crash.mcl";
    const MIN_ACCEPTED_PERCENT: usize = 1;

    fn program(&self, rng: &mut Rng, count: usize) -> String {
        mutated(&self.corpus, rng, self.target_of(count))
    }

    fn run(&self, program: &String, count: usize) -> bool {
        self.target_of(count).run(program, &self.corpus.directory)
    }

    fn target(&self, count: usize) -> Option<String> {
        Some(format!("{:?}", self.target_of(count)))
    }
}

fn main() -> ExitCode {
    let Args { session, target } = Args::parse();
    let targets = target.map_or_else(|| Target::value_variants().to_vec(), |target| vec![target]);
    let fuzzer = FrontEnd { corpus: Corpus::read(), targets };
    println!("{} programs in the corpus, {:?}", fuzzer.corpus.programs.len(), session.duration());
    session.run(&fuzzer)
}
