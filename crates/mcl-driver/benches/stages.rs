//! The time of each stage of `mclc check` in memory, for a module of 20 files and for one file of 20,000 lines: what an
//! analysis in an editor costs after each change. `cargo bench -p mcl-driver --bench stages`.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use mcl_driver::{check_graph, interpolate, lex, parse, scope, unify};
use mcl_modules::{Input, Options, load};
use test_support::Scratch;

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Lines of each program.
const LINES: usize = 20_000;
const FILES: usize = 20;
const RUNS: usize = 15;

/// Classes of ten lines, each included once.
fn classes(prefix: &str, lines: usize) -> String {
    let mut text = String::from("import \"fmt\"\n");
    for i in 0..lines / 10 {
        let _ = write!(
            text,
            "# Site {i}.\nclass {prefix}{i}($name, $port) {{\n\t$dir = fmt.printf(\"/srv/%s-%d\", $name, $port)\n\
             \tfile \"${{dir}}/index\" {{\n\t\tstate => \"exists\",\n\t\tmode => \"u=rw,go=r\",\n\
             \t\tcontent => \"hello ${{name}} in ${{dir}}\",\n\t}}\n}}\n\n"
        );
    }
    text
}

fn includes(qualified: &str, lines: usize) -> String {
    (0..lines / 10).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "include {qualified}{i}(\"n{i}\", {i})");
        text
    })
}

fn one_file(directory: &Path) {
    let lines = LINES * 10 / 11;
    let text = classes("site", lines) + &includes("site", lines);
    std::fs::write(directory.join("main.mcl"), text).expect("it can be written");
}

fn many_files(directory: &Path) {
    let lines = LINES / FILES * 10 / 11;
    let mut main = String::new();
    for file in 0..FILES - 1 {
        let _ = writeln!(main, "import \"m{file}.mcl\"");
        std::fs::write(directory.join(format!("m{file}.mcl")), classes("site", lines)).expect("it can be written");
    }
    for file in 0..FILES - 1 {
        main.push_str(&includes(&format!("m{file}.site"), lines));
    }
    std::fs::write(directory.join("main.mcl"), main).expect("it can be written");
}

/// Runs all stages, and adds the time of each.
fn run(directory: &Path, times: &mut [(&'static str, Vec<Duration>)]) {
    let mut stages = times.iter_mut();
    let mut timed = |name: &'static str, start: Instant| {
        let (of, times) = stages.next().expect("a row for each stage");
        *of = name;
        times.push(start.elapsed());
    };
    let whole = Instant::now();
    let loaded = load(&Input::Directory(directory.to_owned()), &Options::default()).expect("it can be read");
    timed("load, with tokens", whole);
    let mut found = lex(&loaded);
    let start = Instant::now();
    let (trees, diagnostics) = parse(loaded);
    found.extend(diagnostics);
    timed("parse", start);
    let start = Instant::now();
    let (trees, diagnostics) = interpolate(trees);
    found.extend(diagnostics);
    timed("interpolate", start);
    let start = Instant::now();
    let (resolved, diagnostics) = scope(trees);
    found.extend(diagnostics);
    timed("scope", start);
    let start = Instant::now();
    let (checked, diagnostics) = unify(resolved);
    found.extend(diagnostics);
    timed("unify", start);
    let start = Instant::now();
    let kept = checked.clone();
    timed("copy of names and types", start);
    let start = Instant::now();
    found.extend(check_graph(checked));
    timed("function graph", start);
    timed("all", whole);
    let start = Instant::now();
    drop(kept);
    timed("drop", start);
    assert!(found.is_empty(), "{:?}", found.first());
}

fn main() {
    for (name, write) in [("one file", one_file as fn(&Path)), ("20 files", many_files)] {
        let scratch = Scratch::new();
        write(scratch.dir());
        let mut times = vec![("", Vec::new()); 9];
        for _ in 0..RUNS {
            run(scratch.dir(), &mut times);
        }
        println!("{LINES} lines in {name}");
        for (stage, times) in &mut times {
            times.sort_unstable();
            println!("  {stage:<24} {:>8.2?} median, {:>8.2?} largest", times[RUNS / 2], times[RUNS - 1]);
        }
    }
}
