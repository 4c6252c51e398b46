//! Gathering the facts of this machine, against Facter.
//!
//! `cargo bench -p pp-facts --bench gather`. Prints how long all facts take, and those that a catalog usually reads, and the ratio
//! to `facter --json` of the same machine, as a process. Fails if all facts take more than the promise, by more than the noise of a
//! busy machine explains (three times). Without Facter there is no ratio.

use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use pp_facts::{Machine, gather, gather_groups};
use test_support::{min_time, ratio};

/// How long all facts may take.
const PROMISE: Duration = Duration::from_millis(15);

fn main() -> ExitCode {
    let all = min_time(20, || gather(&Machine::local()));
    let count = gather(&Machine::local()).iter().count();
    println!("all {count} facts: {all:.2?}, at most {PROMISE:?}");
    let network = min_time(20, || gather_groups(&Machine::local(), |group| group.name == "networking"));
    println!("facts of the network: {network:.2?}, {:.2} of all", ratio(network, all));
    let mut facter = Command::new("facter");
    facter.arg("--json").stderr(Stdio::null());
    // It fails where it may not read some file, and prints the facts nevertheless.
    if facter.output().is_ok_and(|output| output.stdout.starts_with(b"{")) {
        let baseline = min_time(3, || facter.output());
        println!("facter --json: {baseline:.2?}, {:.0} times as long", ratio(baseline, all));
    } else {
        println!("facter is not installed: no ratio");
    }
    if all > 3 * PROMISE {
        eprintln!("the facts take longer than promised");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
