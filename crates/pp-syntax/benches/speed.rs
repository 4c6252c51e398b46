//! Speed of lexing and parsing, in MB/s and as a ratio to reading the same bytes (UTF-8 validation and a copy).
//! `cargo bench -p pp-syntax --bench speed`.
//!
//! Each shape is measured at two sizes; the last column is the time for ten times the size, divided by ten: near 1 means
//! linear.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use mcl_diagnostics::FileId;
use pp_syntax::{Mode, parse};
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn classes(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(
            text,
            "# The site {i}.\nclass site{i}(\n  String $docroot = '/srv/site{i}',\n  Integer[1, 65535] $port = {},\n) {{\n  file {{ \
             $docroot:\n    ensure => directory,\n    mode   => '0755',\n  }}\n  file {{ \"${{docroot}}/index.html\":\n    content => \
             \"Site {i} on port ${{port}}\\n\",\n    require => File[$docroot],\n  }}\n  if $facts['os']['family'] == 'Debian' and $port \
             > 1024 {{\n    notify {{ \"site{i}\": message => $docroot.upcase }}\n  }} else {{\n    include apache\n  }}\n}}\n",
            1024 + i % 60000
        );
    }
    text
}

fn one_hash(n: usize) -> String {
    let mut text = String::from("$hash = {\n");
    for i in 0..n {
        let _ = writeln!(text, "  'key{i}' => {{ 'id' => {i}, 'name' => \"item {i}\", 'tags' => ['a', 'b'] }},");
    }
    text.push_str("}\n");
    text
}

fn broken(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = write!(
            text,
            "file {{ '/tmp/{i}'\n  mode => '0644',\n}}\n$a{i} = [1, 2 3]\nif $a{i} {{\n  notice('x'\n}}\n$b{i} = \"ok\"\n"
        );
    }
    text
}

/// Returns the shortest time of several runs.
fn time(work: impl FnMut()) -> Duration {
    min_time(5, work)
}

fn measure(shape: &str, small: &str, large: &str) {
    let file = FileId::MAIN;
    let speed = |text: &str| {
        time(|| {
            black_box(parse(file, black_box(text), Mode::Manifest));
        })
    };
    let baseline = time(|| {
        black_box(std::str::from_utf8(black_box(large.as_bytes())).map(str::to_owned).ok());
    });
    let (short, long) = (speed(small), speed(large));
    let megabytes = large.len() as f64 / 1e6;
    println!(
        "{shape:<10} {megabytes:>6.1} MB  {:>7.1} MB/s  {:>6.1} x reading  growth {:.2}",
        megabytes / long.as_secs_f64(),
        ratio(long, baseline),
        ratio(long, short) / (large.len() as f64 / small.len() as f64),
    );
}

fn main() {
    measure("classes", &classes(1_000), &classes(10_000));
    measure("hash", &one_hash(2_000), &one_hash(20_000));
    measure("broken", &broken(500), &broken(5_000));
}
