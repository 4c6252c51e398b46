//! The whole process of `mclc check`, for programs of several shapes and ten times their size, against `cat` of the same
//! file in the same run; and the largest resident memory of the process, against the size of the source (about 8 MiB are
//! the program itself and its libraries, for an empty source too).
//!
//! `cargo bench -p mclc --bench check`

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
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

/// Returns the shortest time of several runs of a whole process.
fn process_time(program: &str, args: &[&str], file: &Path) -> Duration {
    min_time(7, || {
        let status = Command::new(program).args(args).arg(file).stdout(Stdio::null()).status().expect("it starts");
        assert!(status.success(), "{program} {args:?} {}", file.display());
    })
}

/// The largest resident memory of a whole process, in bytes. A process of its own measures each: the system keeps only the
/// maximum over all children.
fn memory(program: &str, args: &[&str], file: &Path) -> u64 {
    let bench = std::env::current_exe().expect("the bench has a path");
    let output = Command::new(bench).arg(MEASURE).arg(program).args(args).arg(file).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("a number");
    text.trim().parse().unwrap_or_else(|_| panic!("no number: {text:?}"))
}

/// The other side of [`memory`].
fn measure(mut command: impl Iterator<Item = String>) {
    let program = command.next().expect("a program");
    let status = Command::new(program).args(command).stdout(Stdio::null()).status().expect("it starts");
    assert!(status.success());
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts");
    println!("{}", usage.max_rss() * 1024);
}

const MEASURE: &str = "--measure-memory";

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some(MEASURE) {
        return measure(args);
    }
    let scratch = tempfile::tempdir().expect("a temporary directory");
    type Shape = (&'static str, usize, fn(usize) -> String);
    let shapes: [Shape; 4] = [
        ("flat resources", 1_000, flat),
        ("classes of 8 lines", 2_250, classes),
        ("chained binds", 1_000, binds),
        ("functions at two types", 1_000, functions),
    ];
    println!(
        "{:<24} {:>8} {:>10} {:>10} {:>8} {:>8} {:>10} {:>10}",
        "shape", "size", "check", "cat", "ratio", "growth", "memory", "of source"
    );
    for (name, n, make) in shapes {
        let mut before: Option<Duration> = None;
        for size in [n, 10 * n, 100 * n] {
            let file = scratch.path().join("main.mcl");
            std::fs::write(&file, make(size)).expect("writable");
            let check = process_time(env!("CARGO_BIN_EXE_mclc"), &["check"], &file);
            let cat = process_time("cat", &[], &file);
            let growth = before.map_or(String::new(), |b| format!("{:.1}x", ratio(check, b)));
            before = Some(check);
            let to_cat = ratio(check, cat);
            let memory = memory(env!("CARGO_BIN_EXE_mclc"), &["check"], &file) as f64;
            let source = std::fs::metadata(&file).expect("it was written").len() as f64;
            let (mib, share) = (memory / f64::from(1 << 20), memory / source);
            println!(
                "{name:<24} {size:>8} {check:>10.1?} {cat:>10.1?} {to_cat:>8.1} {growth:>8} {mib:>6.1} MiB {share:>9.1}x"
            );
        }
    }
}
