//! A fuzzer of the front end: it compiles mutated programs of a corpus for some seconds.
//!
//! `cargo run --profile fuzz -p fuzz -- --seconds 60 --seed 7 --target check`
//!
//! A panic, a program that takes more than two seconds, and a diagnostic without a valid span end the run with status 1.
//! The seed and the number of the program are printed, and the program is written to `fuzz-crash.mcl`. To find a program
//! that ends the whole process (a stack overflow), use `--trace`, which writes every program before it is compiled.

mod corpus;
mod mutate;
mod target;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use fastrand::Rng;

use crate::corpus::Corpus;
use crate::mutate::mutated;
use crate::target::Target;

/// A program that takes longer counts as a hang.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(2);

const CRASH_FILE: &str = "fuzz-crash.mcl";

/// The stack of a worker thread of `mclc check`.
const STACK_BYTES: usize = 2 << 20;

/// Fuzzes the front end of the compiler.
#[derive(Parser)]
struct Args {
    /// How long to run
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Where to start; random by default
    #[arg(long)]
    seed: Option<u64>,
    /// What to fuzz; all targets in turn by default
    #[arg(long)]
    target: Option<Target>,
    /// Number of threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Write every program to `fuzz-crash.mcl` before it is compiled, and use one thread
    #[arg(long)]
    trace: bool,
}

/// Runs one thread until the time is over or something is found, by this thread or another.
fn work(args: &Args, corpus: &Corpus, seed: u64, found: &AtomicBool) {
    let mut rng = Rng::with_seed(seed);
    let targets = args.target.as_ref().map_or(Target::value_variants(), std::slice::from_ref);
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut slowest = Duration::ZERO;
    let (mut count, mut accepted) = (0usize, 0usize);
    while Instant::now() < end && !found.load(Ordering::Relaxed) {
        let target = targets[count % targets.len()];
        let text = mutated(corpus, &mut rng, target);
        if args.trace {
            save(&text);
        }
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| target.run(&text, &corpus.directory)));
        let time = start.elapsed();
        slowest = slowest.max(time);
        if result.is_err() || time > PROGRAM_TIMEOUT {
            let what = if result.is_err() { "panic" } else { "too slow" };
            println!("seed {seed}, program {count}, target {target:?}: {what} after {time:?}");
            if !found.swap(true, Ordering::Relaxed) {
                save(&text);
            }
            return;
        }
        accepted += usize::from(result.unwrap_or(false));
        count += 1;
    }
    println!("seed {seed}: {count} programs, {accepted} accepted, slowest {slowest:?}");
    if count >= 1000 && accepted * 100 <= count {
        println!("too few programs are accepted to test the later stages");
        found.store(true, Ordering::Relaxed);
    }
}

fn save(text: &str) {
    if let Err(error) = std::fs::write(CRASH_FILE, text) {
        println!("cannot write {CRASH_FILE}: {error}");
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let corpus = Corpus::read();
    println!("{} programs in the corpus, {} s", corpus.programs.len(), args.seconds);
    let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let threads = if args.trace { 1 } else { args.threads };
    let found = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (args, corpus, found) = (&args, &corpus, &found);
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || work(args, corpus, seed.wrapping_add(thread), found))
                .expect("the system starts threads");
        }
    });
    ExitCode::from(u8::from(found.into_inner()))
}
