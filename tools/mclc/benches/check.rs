//! The whole process of `mclc check`, for programs of several shapes and ten times their size, against `cat` of the same
//! file in the same run.
//!
//! `cargo bench -p mclc --bench check`

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// The best of several runs of a whole process.
fn best(program: &str, args: &[&str], file: &Path) -> Duration {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            let status = Command::new(program).args(args).arg(file).stdout(Stdio::null()).status().expect("it starts");
            assert!(status.success(), "{program} {args:?} {}", file.display());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    type Shape = (&'static str, usize, fn(usize) -> String);
    let shapes: [Shape; 4] = [
        ("flat resources", 1_000, flat),
        ("classes of 8 lines", 2_250, classes),
        ("chained binds", 1_000, binds),
        ("functions at two types", 1_000, functions),
    ];
    println!("{:<24} {:>8} {:>10} {:>10} {:>8} {:>8}", "shape", "size", "check", "cat", "ratio", "growth");
    for (name, n, make) in shapes {
        let mut before: Option<Duration> = None;
        for size in [n, 10 * n] {
            let file = scratch.path().join("main.mcl");
            std::fs::write(&file, make(size)).expect("writable");
            let check = best(env!("CARGO_BIN_EXE_mclc"), &["check"], &file);
            let cat = best("cat", &[], &file);
            let growth = before.map_or(String::new(), |b| format!("{:.1}x", check.as_secs_f64() / b.as_secs_f64()));
            before = Some(check);
            let ratio = check.as_secs_f64() / cat.as_secs_f64();
            println!("{name:<24} {size:>8} {check:>10.1?} {cat:>10.1?} {ratio:>8.1} {growth:>8}");
        }
    }
}
