//! Formatting, in MB/s and against parsing the same text. `cargo bench -p mcl-format`.
//!
//! A program in its layout is only printed and compared. One in another layout is also lexed, parsed and printed again, to prove that
//! the result is the same program. The last column is the time for ten times the size, divided by ten: near 1 means linear.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use mcl_diagnostics::FileId;
use mcl_format::format;
use mcl_lexer::lex;
use mcl_parser::parse;
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Minimum speed of formatting, in bytes per second of one core (spec 11 §4).
const MIN_SPEED: f64 = 10e6;
/// Maximum time of ten times the size, divided by ten.
const MAX_GROWTH: f64 = 2.0;
/// Maximum time of a file of 20,000 lines (spec 11 §2.7).
const MAX_TIME: Duration = Duration::from_millis(60);

fn classes(lines: usize) -> String {
    let mut text = String::new();
    for i in 0..lines / 10 {
        let _ = write!(
            text,
            "class site{i}($name str, $port int) {{\n\t# Where it lives.\n\t$dir = \"/srv/${{name}}/\"\n\tfile \"${{dir}}\" {{\n\t\tstate => \
             \"exists\",\n\t\tmode => \"u=rwx\", # private\n\t\tcontent => fmt.printf(\"%d\", $port + {i}),\n\t}}\n}}\n\n"
        );
    }
    text
}

fn list(lines: usize) -> String {
    let mut text = String::from("$list = [\n");
    for i in 0..lines {
        let _ = writeln!(text, "\tstruct{{id => {i}, name => \"item {i}\"}},");
    }
    text.push_str("]\n");
    text
}

/// Returns the same program in another layout.
fn other_layout(text: &str) -> String {
    text.replace('\t', "  ").replace(" => ", "=>").replace(" = ", "=")
}

fn main() {
    let mut broken_promises = Vec::new();
    for (shape, program) in [("classes", classes as fn(usize) -> String), ("list", list)] {
        for (layout, change) in [("its own", str::to_owned as fn(&str) -> String), ("other", other_layout)] {
            let [small, large] = [2_000, 20_000].map(|lines| change(&program(lines)));
            let time = |text: &str| {
                min_time(5, || {
                    black_box(format(FileId::MAIN, text).is_ok());
                })
            };
            let parsing = min_time(5, || {
                black_box(parse(FileId::MAIN, &large, &lex(&large)));
            });
            let (few, many) = (time(&small), time(&large));
            let speed = large.len() as f64 / many.as_secs_f64();
            let growth = ratio(many, few) / (large.len() as f64 / small.len() as f64);
            println!(
                "{shape:<8} {layout:<8} {:>6.1} ms {:>7.1} MB/s {:>5.1} x parsing  growth {growth:.2}",
                many.as_secs_f64() * 1e3,
                speed / 1e6,
                ratio(many, parsing),
            );
            if speed < MIN_SPEED || growth > MAX_GROWTH || many > MAX_TIME {
                broken_promises.push(format!("{shape}, {layout} layout"));
            }
        }
    }
    assert!(broken_promises.is_empty(), "slower than promised: {broken_promises:?}");
}
