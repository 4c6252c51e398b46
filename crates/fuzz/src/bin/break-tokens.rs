//! Breaks one token of accepted programs in every way, and shows how well the front end reports that.
//!
//! `cargo run --profile fuzz -p fuzz --bin break-tokens -- tests/ui examples`

use std::path::PathBuf;

use clap::Parser;
use fuzz::manifest::Manifest;
use fuzz::program::Program;
use fuzz::report::Report;

/// Measures how well the front end reports single mistakes.
#[derive(Parser)]
struct Args {
    /// The programs to break, and directories of programs
    #[arg(required_unless_present = "puppet")]
    paths: Vec<PathBuf>,
    /// Break the recorded Puppet programs
    #[arg(long, conflicts_with = "paths")]
    puppet: bool,
    /// Break each token in only one of this many ways
    #[arg(long, default_value_t = 1)]
    stride: usize,
    /// List every broken program with a flaw instead of the largest classes
    #[arg(long)]
    list: bool,
}

fn main() {
    let args = Args::parse();
    let stride = args.stride.max(1);
    let report = if args.puppet {
        Report::on(&Manifest::accepted(), stride)
    } else {
        Report::on(&Program::accepted_in(&args.paths), stride)
    };
    if args.list {
        report.flaws.iter().for_each(|flaw| println!("{flaw}"));
    } else {
        print!("{report}");
    }
}
