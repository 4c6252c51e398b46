//! Speed of the front half of the compiler, in MB/s and as a ratio to reading the same bytes (UTF-8 validation and a
//! copy). `cargo bench -p mcl-parser --bench speed`.
//!
//! Each shape is measured at two sizes; the last column is the time for ten times the size, divided by ten: near 1 means
//! linear.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use mcl_diagnostics::FileId;
use mcl_lexer::{lex, lex_diagnostics};
use mcl_parser::{check_ast, interpolate, parse};
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn classes(n: usize) -> String {
    let mut text = String::from("import \"fmt\"\n");
    for i in 0..n {
        let _ = write!(
            text,
            "class site{i}($name str, $port int) {{\n\t$dir = \"/srv/${{name}}/\"\n\tfile \"${{dir}}\" {{\n\t\tstate => \
             \"exists\",\n\t\tmode => \"u=rwx\",\n\t}}\n\tfile \"${{dir}}conf\" {{\n\t\tcontent => fmt.printf(\"%s:%d\\n\", $name, \
             $port + {i}),\n\t\tMeta:noop => false,\n\t\tBefore => Svc[\"httpd\"],\n\t}}\n}}\ninclude site{i}(\"web{i}\", 80)\n"
        );
    }
    text
}

fn broken(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(
            text,
            "$a{i} = [1, 2 3, $b]\nfile \"/tmp/{i}\" {{\n\tmode => \"u=r\"\n\tstate = 1,\n}}\nif $a {{\n\t$x = 1 2\n}}\n"
        );
    }
    text
}

fn one_list(n: usize) -> String {
    let mut text = String::from("$list = [\n");
    for i in 0..n {
        let _ = writeln!(text, "\tstruct{{id => {i}, name => \"item {i}\"}},");
    }
    text.push_str("]\n");
    text
}

/// Returns the shortest time of several runs.
fn time(work: impl FnMut()) -> Duration {
    min_time(5, work)
}

fn measure(shape: &str, small: &str, large: &str) {
    let file = FileId::MAIN;
    let baseline = |text: &str| {
        time(|| {
            let copy = text.as_bytes().to_vec();
            black_box(std::str::from_utf8(&copy).is_ok());
        })
    };
    type Stage<'s> = (&'s str, Box<dyn Fn(&str) -> Duration>);
    let stages: [Stage<'_>; 4] = [
        (
            "lex",
            Box::new(move |text| {
                time(|| {
                    let tokens = lex(text);
                    black_box(lex_diagnostics(file, text, &tokens));
                })
            }),
        ),
        (
            "parse",
            Box::new(move |text| {
                let tokens = lex(text);
                time(|| {
                    black_box(parse(file, text, &tokens));
                })
            }),
        ),
        (
            "init",
            Box::new(move |text| {
                let parsed = parse(file, text, &lex(text));
                time(|| {
                    black_box(check_ast(&parsed.ast));
                })
            }),
        ),
        (
            "interpolate",
            Box::new(move |text| {
                let parsed = parse(file, text, &lex(text));
                time(|| {
                    // The stage consumes its input: the copy is measured along, and is a small part.
                    black_box(interpolate(parsed.ast.clone()));
                })
            }),
        ),
    ];
    for (stage, run) in stages {
        let (a, b) = (run(small), run(large));
        let speed = large.len() as f64 / 1e6 / b.as_secs_f64();
        let to_reading = ratio(b, baseline(large));
        let growth = ratio(b, a) / (large.len() as f64 / small.len() as f64);
        println!(
            "{shape:<10} {stage:<12} {:>7.1} ms {speed:>8.1} MB/s {to_reading:>7.1} x reading  growth {growth:.2}",
            b.as_secs_f64() * 1e3
        );
    }
}

fn main() {
    measure("classes", &classes(1_000), &classes(10_000));
    measure("list", &one_list(5_000), &one_list(50_000));
    measure("broken", &broken(1_000), &broken(10_000));
}
