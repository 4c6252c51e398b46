//! The whole process of `mclc check`, for programs of several shapes and ten times their size, against `cat` of the same
//! file in the same run; and the largest resident memory of the process, against the size of the source (about 10 MiB are
//! pages of the program itself and its libraries, for an empty source too). It fails if a large source of some shape needs more
//! memory than promised, or ten times the source much more than ten times as long. Programs that nobody writes ([`hostile`]) are
//! measured for that, too.
//!
//! `cargo bench -p mclc --bench check`; with `-- memory`, only memory is measured.

mod hostile;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use test_support::{min_time, ratio};

fn flat(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(text, "file \"/srv/f{i}\" {{\n\tstate => \"exists\", content => \"line {i}\\n\",\n}}\n");
    }
    text
}

fn classes(n: usize) -> String {
    let mut text = String::from("import \"fmt\"\n");
    for i in 0..n {
        let _ = write!(
            text,
            "class c{i}($a, $b) {{\n\t$x = fmt.printf(\"%s-%d\", $a, $b)\n\tfile \"/srv/${{x}}-{i}\" {{\n\
             \t\tstate => \"exists\",\n\t\tcontent => \"hello ${{a}} and ${{x}}\",\n\t}}\n}}\ninclude c{i}(\"n{i}\", {i})\n"
        );
    }
    text
}

fn binds(n: usize) -> String {
    let mut text = String::from("$x0 = 1\n");
    for i in 1..n {
        let _ = writeln!(text, "$x{i} = $x{} + 1", i - 1);
    }
    let _ = write!(text, "test \"t\" {{\n\tint64 => $x{},\n}}\n", n - 1);
    text
}

fn functions(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(
            text,
            "func f{i}($a) {{ $a + $a }}\ntest \"t{i}\" {{\n\tint64 => f{i}({i}),\n\tanotherstr => f{i}(\"{i}\"),\n}}\n"
        );
    }
    text
}

/// One string with many references to a constant.
fn references(n: usize) -> String {
    format!("$x = \"a\"\ntest \"t\" {{\n\tanotherstr => \"{}\",\n}}\n", "${x}b".repeat(n))
}

/// One function that reads many fields of its parameter.
fn fields(n: usize) -> String {
    let uses: Vec<String> = (0..n).map(|i| format!("$s->a{i} + ($s->b{i} <|> 1)")).collect();
    let fields: Vec<String> = (0..n).map(|i| format!("a{i} => 1, b{i} => 2")).collect();
    let (uses, fields) = (uses.join(" + "), fields.join(", "));
    format!("func f($s) {{ {uses} }}\ntest \"t\" {{\n\tint64 => f(struct{{{fields}}}),\n}}\n")
}

/// Returns the shortest time of several runs of a whole process.
fn process_time(program: &str, args: &[&str], file: &Path) -> Duration {
    min_time(7, || {
        let status = Command::new(program).args(args).arg(file).stdout(Stdio::null()).status().expect("it starts");
        // A program with errors is a program, too.
        assert!(matches!(status.code(), Some(0 | 1)), "{program} {args:?} {}", file.display());
    })
}

/// What a whole process needed.
struct Usage {
    /// The largest resident memory, in bytes.
    memory: u64,
    /// The time of all processors, which does not depend on what else the machine does.
    processor: Duration,
}

/// Measures a whole process. A process of its own does that for each: the system keeps only the maximum over all children.
fn usage(program: &str, args: &[&str], file: &Path) -> Usage {
    let bench = std::env::current_exe().expect("the bench has a path");
    let output = Command::new(bench).arg(MEASURE).arg(program).args(args).arg(file).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("a number");
    let mut numbers = text.split_whitespace().map(|number| number.parse().expect("a number"));
    let mut number = || numbers.next().expect("two numbers");
    Usage { memory: number(), processor: Duration::from_micros(number()) }
}

/// The other side of [`usage`].
fn measure(mut command: impl Iterator<Item = String>) {
    let program = command.next().expect("a program");
    let status = Command::new(program).args(command).stdout(Stdio::null()).status().expect("it starts");
    assert!(matches!(status.code(), Some(0 | 1)));
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts");
    let processor = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    println!("{} {processor}", usage.max_rss() * 1024);
}

const MEASURE: &str = "--measure-memory";

/// A kind of program.
struct Shape {
    name: &'static str,
    /// The number of repetitions in the smallest program.
    size: usize,
    make: fn(usize) -> String,
    /// The promise: the largest resident memory, of a source of at least [`LARGE`] bytes, is at most this many times its
    /// size. `None` for shapes that are there for their growth, whose sources are smaller.
    max_memory: Option<f64>,
}

/// The promise: a program of ten times the size takes at most this many times as long. What is quadratic takes a hundred.
const MAX_GROWTH: f64 = 25.0;

/// The same for programs that nobody writes, in processor time: near 10, with what the caches of a processor do to it.
const MAX_HOSTILE_GROWTH: f64 = 20.0;

/// From this size on, in bytes, memory is proportional to the source.
const LARGE: f64 = 1e6;

const SHAPES: [Shape; 6] = [
    Shape { name: "flat resources", size: 1_000, make: flat, max_memory: Some(13.0) },
    Shape { name: "classes of 8 lines", size: 2_250, make: classes, max_memory: Some(17.0) },
    Shape { name: "chained binds", size: 1_000, make: binds, max_memory: Some(20.0) },
    Shape { name: "functions at two types", size: 1_000, make: functions, max_memory: Some(17.0) },
    Shape { name: "references in a string", size: 1_000, make: references, max_memory: None },
    Shape { name: "fields of a parameter", size: 100, make: fields, max_memory: None },
];

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some(MEASURE) {
        return measure(args);
    }
    let only_memory = std::env::args().any(|arg| arg == "memory");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = scratch.path().join("main.mcl");
    println!(
        "{:<24} {:>8} {:>10} {:>9} {:>10} {:>8} {:>8} {:>10} {:>10}",
        "shape", "size", "check", "speed", "cat", "ratio", "growth", "memory", "of source"
    );
    let mut broken = Vec::new();
    for Shape { name, size, make, max_memory } in SHAPES {
        let mut before: Option<Duration> = None;
        for size in [size, 10 * size, 100 * size] {
            std::fs::write(&file, make(size)).expect("writable");
            let source = std::fs::metadata(&file).expect("it was written").len() as f64;
            let memory = usage(env!("CARGO_BIN_EXE_mclc"), &["check"], &file).memory as f64;
            let (mib, share) = (memory / f64::from(1 << 20), memory / source);
            if let Some(promised) = max_memory.filter(|most| source >= LARGE && share > *most) {
                broken.push(format!("{name}, {size}: {share:.1} times the source, promised {promised}"));
            }
            let (times, growth) = if only_memory { Default::default() } else { times(&file, source, &mut before) };
            if growth.is_some_and(|growth| growth > MAX_GROWTH) {
                broken.push(format!("{name}, {size}: ten times the size takes longer than {MAX_GROWTH} times"));
            }
            println!("{name:<24} {size:>8} {times:>49} {mib:>6.1} MiB {share:>9.1}x");
        }
    }
    if !only_memory {
        measure_hostile(&file, &mut broken);
    }
    assert!(broken.is_empty(), "more time or memory than promised:\n{}", broken.join("\n"));
}

/// Measures programs that nobody writes, and adds those that take much longer for ten times the size.
fn measure_hostile(file: &Path, broken: &mut Vec<String>) {
    println!("\n{:<24} {:>8} {:>12} {:>8}", "hostile shape", "size", "processor", "growth");
    for hostile::Shape { name, size, make } in hostile::SHAPES {
        let mut before: Option<Duration> = None;
        for size in [size, 10 * size] {
            std::fs::write(file, make(size)).expect("writable");
            let runs = (0..3).map(|_| usage(env!("CARGO_BIN_EXE_mclc"), &["check"], file).processor);
            let check = runs.min().unwrap_or_default();
            let growth = before.replace(check).map(|before| ratio(check, before));
            if growth.is_some_and(|growth| growth > MAX_HOSTILE_GROWTH) {
                broken.push(format!("{name}, {size}: ten times the size takes longer than {MAX_HOSTILE_GROWTH} times"));
            }
            let grown = growth.map_or(String::new(), |growth| format!("{growth:.1}x"));
            println!("{name:<24} {size:>8} {check:>12.1?} {grown:>8}");
        }
    }
}

/// Measures the time of a check, and compares it with `cat` and with that of the program before it. Also returns the latter
/// ratio.
fn times(file: &Path, source: f64, before: &mut Option<Duration>) -> (String, Option<f64>) {
    let check = process_time(env!("CARGO_BIN_EXE_mclc"), &["check"], file);
    let cat = process_time("cat", &[], file);
    let growth = before.replace(check).map(|before| ratio(check, before));
    let grown = growth.map_or(String::new(), |growth| format!("{growth:.1}x"));
    let (speed, to_cat) = (source / 1e6 / check.as_secs_f64(), ratio(check, cat));
    (format!("{check:>10.1?} {speed:>4.1} MB/s {cat:>10.1?} {to_cat:>8.1} {grown:>8}"), growth)
}
