//! A run of a fuzzer: threads that make programs and compile them, until the time is over or one of them fails.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::time::{ClockId, clock_gettime};

/// A program that takes more time of its processor counts as a hang.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(2);

/// The stack of a worker thread of `mclc check`.
const STACK_BYTES: usize = 2 << 20;

/// The number of programs below which their share of accepted ones says nothing.
const MIN_COUNT: usize = 1000;

/// The options of every fuzzer.
#[derive(Debug, clap::Args)]
pub struct Session {
    /// How long to run
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Where to start; random by default
    #[arg(long)]
    seed: Option<u64>,
    /// Number of threads
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Write every program to a file before it is compiled, and use one thread
    #[arg(long)]
    trace: bool,
    /// Write programs to this directory instead of compiling them
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "trace")]
    write: Option<PathBuf>,
    /// How many programs to write
    #[arg(long, default_value_t = 1000, requires = "write")]
    programs: usize,
}

/// What a session runs.
pub trait Fuzzer: Sync {
    /// What is compiled: a text, or the bytes of an artifact.
    type Program: AsRef<[u8]>;

    /// The file that the program that fails is written to.
    const CRASH_FILE: &'static str;
    /// The share of accepted programs below which the later stages are not tested, in percent.
    const MIN_ACCEPTED_PERCENT: usize;

    /// Makes the program with the number `count` of a thread.
    fn program(&self, rng: &mut Rng, count: usize) -> Self::Program;

    /// Compiles the program; returns whether it is accepted.
    ///
    /// # Panics
    /// If something does not hold.
    fn run(&self, program: &Self::Program, count: usize) -> bool;

    /// Says how the program is compiled, if there are several ways.
    fn target(&self, count: usize) -> Option<String>;
}

impl Session {
    /// Runs a fuzzer; the status is 1 if something was found.
    pub fn run<F: Fuzzer>(&self, fuzzer: &F) -> ExitCode {
        let seed = self.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
        if let Some(directory) = &self.write {
            return match self.write_programs(fuzzer, seed, directory) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    println!("cannot write programs to {}: {error}", directory.display());
                    ExitCode::FAILURE
                }
            };
        }
        let threads = if self.trace { 1 } else { self.threads };
        let found = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let found = &found;
                std::thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || self.work(fuzzer, seed.wrapping_add(thread), found))
                    .expect("the system starts threads");
            }
        });
        ExitCode::from(u8::from(found.into_inner()))
    }

    /// Writes the programs that the first thread would compile, each to a file named after its number, for other compilers.
    fn write_programs<F: Fuzzer>(&self, fuzzer: &F, seed: u64, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let extension = Path::new(F::CRASH_FILE).extension().unwrap_or_default();
        let mut rng = Rng::with_seed(seed);
        for count in 0..self.programs {
            let file = directory.join(format!("{count:06}")).with_extension(extension);
            std::fs::write(file, fuzzer.program(&mut rng, count))?;
        }
        println!("seed {seed}: wrote {} programs to {}", self.programs, directory.display());
        Ok(())
    }

    /// Returns how long the session runs.
    #[must_use]
    pub fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Runs one thread until the time is over or something is found, by this thread or another.
    fn work<F: Fuzzer>(&self, fuzzer: &F, seed: u64, found: &AtomicBool) {
        let mut rng = Rng::with_seed(seed);
        let end = Instant::now() + self.duration();
        let (mut count, mut accepted, mut slowest) = (0usize, 0usize, Duration::ZERO);
        while Instant::now() < end && !found.load(Ordering::Relaxed) {
            let program = fuzzer.program(&mut rng, count);
            if self.trace {
                save::<F>(&program);
            }
            let start = processor_time();
            let result = catch_unwind(AssertUnwindSafe(|| fuzzer.run(&program, count)));
            let time = processor_time().saturating_sub(start);
            slowest = slowest.max(time);
            if result.is_err() || time > PROGRAM_TIMEOUT {
                let what = if result.is_err() { "panic" } else { "too slow" };
                let target = fuzzer.target(count).map(|target| format!(", target {target}")).unwrap_or_default();
                println!("seed {seed}, program {count}{target}: {what} after {time:?}");
                if !found.swap(true, Ordering::Relaxed) {
                    save::<F>(&program);
                }
                return;
            }
            accepted += usize::from(result.unwrap_or(false));
            count += 1;
        }
        println!("seed {seed}: {count} programs, {accepted} accepted, slowest {slowest:?}");
        if count >= MIN_COUNT && accepted * 100 <= count * F::MIN_ACCEPTED_PERCENT {
            println!("too few programs are accepted to test the later stages");
            found.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the time that this thread has run. What else the machine does has no part in it.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

fn save<F: Fuzzer>(program: &F::Program) {
    if let Err(error) = std::fs::write(F::CRASH_FILE, program) {
        println!("cannot write {}: {error}", F::CRASH_FILE);
    }
}
