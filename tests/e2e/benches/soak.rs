//! An agent that runs for a long time beside programs that change everything it manages.
//!
//!     cargo bench -p e2e --bench soak -- --minutes 10
//!     cargo bench -p e2e --bench soak -- storm 100000
//!
//! The first command starts an agent with 10,000 resources and changes files, directories and the inputs of the program
//! as fast as the agent follows. It prints memory, descriptors, threads and processor time as it goes, and fails if any of
//! them is greater in the last third of the time than in the middle one, if a resource is lost, or if something is not repaired at
//! the end. The second one edits many files once and compares the time until all are repaired with a plain loop that does the
//! same edits and repairs.
//!
//! With `TMPDIR=/dev/shm` they measure the agent rather than the disk.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use test_support::Rng;

/// Number of files that every graph has.
const STATIC_FILES: usize = 10_000;
/// Number of names that come and go.
const DYNAMIC_NAMES: usize = 50;
/// Time between two lines of figures.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Time until the figures count, because memory grows while the agent starts.
const WARM_UP: Duration = Duration::from_secs(20);
/// Longest time until everything is repaired after the last change.
const REPAIR_LIMIT: Duration = Duration::from_secs(60);
/// Greatest growth of the memory from the middle third to the last one, as a ratio of the medians, and in KiB. It follows the
/// number of changes that wait, so single figures differ by a fifth; and it takes a million changes until the allocator needs
/// no more pages.
const MAX_GROWTH: f64 = 1.05;
const MAX_GROWTH_KIB: u64 = 4 * 1024;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let number = |text: Option<&String>, default: u64| match text {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("expected a number, found {text:?}")),
        None => default,
    };
    match args.first().map(String::as_str) {
        Some("storm") => storm(number(args.get(1), 20_000) as usize),
        Some("--minutes") => soak(Duration::from_secs(60 * number(args.get(1), 1))),
        None => {
            storm(20_000);
            soak(Duration::from_secs(60));
        }
        Some(other) => panic!("expected `--minutes N` or `storm FILES`, found {other:?}"),
    }
}

/// The tools of the profile of this benchmark.
fn tools() -> PathBuf {
    let bench = std::env::current_exe().expect("a benchmark has a path");
    let directory = bench.parent().and_then(Path::parent).expect("two directories above").to_owned();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "mclc", "-p", "mgmt-rt"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if directory.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success(), "the tools build");
    directory
}

/// A running agent, killed on drop.
struct Agent(Child);

impl Agent {
    fn start(tools: &Path, scratch: &Path, program: &str) -> Agent {
        fs::write(scratch.join("main.mcl"), program).expect("writable");
        let built = Command::new(tools.join("mclc"))
            .args(["build", "main.mcl", "-o", "main.bin"])
            .current_dir(scratch)
            .status();
        assert!(built.expect("mclc starts").success(), "the program is right");
        let log = fs::File::create(scratch.join("log")).expect("writable");
        let errors = log.try_clone().expect("a descriptor");
        let mut command = Command::new(tools.join("mgmt-rt"));
        command.args(["apply", "main.bin", "--prefix", "state"]).current_dir(scratch);
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        Agent(command.spawn().expect("mgmt-rt starts"))
    }

    fn proc(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{file}", self.0.id()))
    }

    fn status(&self, field: &str) -> u64 {
        status_of(&self.proc(""), field)
    }

    fn figures(&self) -> Figures {
        let stat = fs::read_to_string(self.proc("stat")).expect("the agent runs");
        let after_name: Vec<&str> =
            stat.rsplit_once(") ").map(|(_, rest)| rest.split(' ').collect()).unwrap_or_default();
        let ticks = |i: usize| after_name.get(i).and_then(|n| n.parse::<f64>().ok()).unwrap_or_default();
        Figures {
            memory: self.status("VmRSS"),
            threads: self.status("Threads"),
            descriptors: fs::read_dir(self.proc("fd")).expect("the agent runs").count() as u64,
            processor: (ticks(11) + ticks(12)) / 100.0,
        }
    }
}

/// Returns a number of the status of a process, given its directory in `/proc`; sizes are in KiB.
fn status_of(process: &Path, field: &str) -> u64 {
    let text = fs::read_to_string(process.join("status")).expect("the process runs");
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim_start_matches(':').split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy, Debug)]
struct Figures {
    /// In KiB.
    memory: u64,
    threads: u64,
    descriptors: u64,
    /// In seconds.
    processor: f64,
}

impl Figures {
    /// Returns the median memory, and the greatest of the other figures. There is at least one.
    fn typical(history: &[Figures]) -> Figures {
        let mut sorted = history.to_vec();
        sorted.sort_by_key(|figures| figures.memory);
        let greatest = |of: fn(&Figures) -> u64| history.iter().map(of).max().expect("a figure");
        Figures {
            memory: sorted[sorted.len() / 2].memory,
            threads: greatest(|figures| figures.threads),
            descriptors: greatest(|figures| figures.descriptors),
            processor: history[history.len() - 1].processor,
        }
    }
}

fn file_content(i: usize) -> String {
    format!("the content of file {i}\n")
}

fn static_path(scratch: &Path, i: usize) -> PathBuf {
    scratch.join(format!("root/d{}/f{i}", i % 100))
}

/// `@` is the scratch directory.
fn files(count: usize) -> String {
    let mut program = String::new();
    for i in 0..count.min(100) {
        program += &format!("file \"@/root/d{i}/\" {{ state => \"exists\", }}\n");
    }
    for i in 0..count {
        let content = file_content(i);
        program += &format!(
            "file \"@/root/d{}/f{i}\" {{ state => \"exists\", content => {content:?}, force => true, }}\n",
            i % 100
        );
    }
    program
}

fn soak_program() -> String {
    let mut program = "import \"os\"\nimport \"strings\"\n".to_owned();
    program += &files(STATIC_FILES);
    program += r#"
file "@/root/purged/" { state => "exists", recurse => true, purge => true, }
file "@/root/purged/kept" { state => "exists", content => "kept\n", }
line "first" { file => "@/root/lines", state => "exists", content => "first", }
line "second" { file => "@/root/lines", state => "exists", content => "second", }
exec "log" { cmd => "echo refreshed >>@/refreshed", shell => "/bin/sh", refreshonly => true, Listen => File["@/root/d0/f0"], }
$names = strings.split(os.readfile("@/list"), ",")
for $i, $name in $names {
	file "@/root/dynamic-${name}" { state => "exists", content => $name, Meta:reverse => true, }
	exec "once-${name}" { cmd => "touch @/root/once-${name}", shell => "/bin/sh", creates => "@/root/once-${name}", }
}
"#;
    program
}

/// Waits until `condition` is true, and returns how long that took.
fn wait(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < limit, "after {limit:?} still waiting for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
    started.elapsed()
}

fn is_right(path: &Path, content: &str) -> bool {
    fs::read(path).is_ok_and(|found| found == content.as_bytes())
}

fn soak(duration: Duration) {
    let tools = tools();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let scratch = dir.path();
    fs::create_dir(scratch.join("root")).expect("a directory");
    fs::write(scratch.join("list"), "a").expect("writable");
    let program = soak_program().replace('@', &scratch.display().to_string());
    let agent = Agent::start(&tools, scratch, &program);
    let all_right = || (0..STATIC_FILES).all(|i| is_right(&static_path(scratch, i), &file_content(i)));
    wait("the first run", REPAIR_LIMIT, || all_right() && scratch.join("root/once-a").exists());
    println!("{STATIC_FILES} files, {duration:?}");
    let mut random = Rng::with_seed(1);
    let (started, mut reported) = (Instant::now(), Instant::now());
    let (mut events, mut swaps) = (0_u64, 0_u64);
    let mut history: Vec<Figures> = Vec::new();
    let mut names = vec!["a".to_owned()];
    while started.elapsed() < duration {
        events += disturb(&mut random, scratch);
        if random.usize(..300) == 0 {
            names = (0..DYNAMIC_NAMES).filter(|_| random.bool()).map(|i| format!("n{i}")).collect();
            names.push("a".to_owned());
            fs::write(scratch.join("list"), names.join(",")).expect("writable");
            swaps += 1;
        }
        if random.usize(..50) == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        if reported.elapsed() >= REPORT_INTERVAL {
            reported = Instant::now();
            let figures = agent.figures();
            println!(
                "{:4.0} s: {events} changes, {swaps} swaps; {} KiB, {} descriptors, {} threads, {:.1} s of processor time",
                started.elapsed().as_secs_f64(),
                figures.memory,
                figures.descriptors,
                figures.threads,
                figures.processor
            );
            if started.elapsed() >= WARM_UP {
                history.push(figures);
            }
        }
    }
    let repaired = wait("the repair of everything", REPAIR_LIMIT, || {
        let dynamic = names.iter().all(|name| is_right(&scratch.join(format!("root/dynamic-{name}")), name));
        dynamic && all_right() && !scratch.join("root/purged/stray").exists()
    });
    let left: Vec<String> = fs::read_dir(scratch.join("root"))
        .expect("readable")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.starts_with("dynamic-"))
        .collect();
    assert_eq!(left.len(), names.len(), "what left the program is reverted: {left:?}");
    println!("everything is repaired {repaired:?} after the last change");
    let third = history.len() / 3;
    if third == 0 {
        return;
    }
    let (middle, last) = history[third..].split_at(history.len() - 2 * third);
    let (middle, last) = (Figures::typical(middle), Figures::typical(last));
    println!(
        "memory in the middle and the last third: {} and {} KiB, ratio {:.3}",
        middle.memory,
        last.memory,
        last.memory as f64 / middle.memory as f64
    );
    let limit = ((middle.memory as f64 * MAX_GROWTH) as u64).max(middle.memory + MAX_GROWTH_KIB);
    assert!(last.memory <= limit, "the memory grows");
    assert!(last.descriptors <= middle.descriptors + 8, "the number of descriptors grows");
    assert!(last.threads <= middle.threads + 4, "the number of threads grows");
}

/// Changes something, and returns the number of changes.
fn disturb(random: &mut Rng, scratch: &Path) -> u64 {
    let i = random.usize(..STATIC_FILES);
    let path = static_path(scratch, i);
    // The agent repairs at the same time, so each of these may fail.
    match random.usize(..100) {
        0..60 => drop(fs::write(&path, "changed by somebody else\n")),
        60..80 => drop(fs::remove_file(&path)),
        80..90 => drop(fs::OpenOptions::new().append(true).open(&path).and_then(|mut f| f.write_all(b"more\n"))),
        90..93 => drop(fs::write(scratch.join("root/purged/stray"), "stray")),
        93..95 => drop(fs::write(scratch.join("root/lines"), "third\n")),
        95..97 => drop(fs::remove_file(&path).and_then(|()| fs::create_dir(&path))),
        97..98 => drop(
            fs::rename(&path, path.with_extension("moved"))
                .and_then(|()| fs::remove_file(path.with_extension("moved"))),
        ),
        98..99 => drop(fs::write(scratch.join("root/once-a"), "")),
        _ => {
            if random.usize(..20) == 0 {
                drop(fs::remove_dir_all(scratch.join(format!("root/d{}", i % 100))));
                return 100;
            }
        }
    }
    1
}

/// Prints the memory of an agent for each file beside two baselines: the size of the program, and what this process takes to
/// hold the path and the content of each file in a hash table.
fn print_memory(agent: &Agent, scratch: &Path, paths: &[PathBuf]) {
    let per_file = |bytes: u64| bytes as f64 / paths.len() as f64;
    let own = || status_of(Path::new("/proc/self"), "VmRSS");
    let before = own();
    let table: HashMap<PathBuf, String> =
        paths.iter().enumerate().map(|(i, path)| (path.clone(), file_content(i))).collect();
    let held = own().saturating_sub(before) * 1024;
    assert_eq!(std::hint::black_box(&table).len(), paths.len());
    let memory = agent.status("VmRSS") * 1024;
    let program = fs::metadata(scratch.join("main.mcl")).expect("the program exists").len();
    println!(
        "memory for each file: {:.0} bytes; the program has {:.0}: ratio {:.1}; a hash table of paths and contents {:.0}: \
         ratio {:.1}",
        per_file(memory),
        per_file(program),
        memory as f64 / program as f64,
        per_file(held),
        memory as f64 / held as f64,
    );
}

/// Edits each file once under a running agent; the baseline edits and repairs each in a loop.
fn storm(count: usize) {
    let tools = tools();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let scratch = dir.path();
    fs::create_dir(scratch.join("root")).expect("a directory");
    let program = files(count).replace('@', &scratch.display().to_string());
    let agent = Agent::start(&tools, scratch, &program);
    let paths: Vec<PathBuf> = (0..count).map(|i| static_path(scratch, i)).collect();
    let limit = Duration::from_secs(600);
    wait("the first run", limit, || paths.iter().enumerate().all(|(i, path)| is_right(path, &file_content(i))));
    // It has converged after a second, and then returns what it needed for the start.
    std::thread::sleep(Duration::from_secs(3));
    let memory = agent.status("VmRSS");
    print_memory(&agent, scratch, &paths);
    let started = Instant::now();
    for path in &paths {
        fs::write(path, "changed by somebody else\n").expect("writable");
    }
    let edited = started.elapsed();
    wait("the repair of everything", limit, || {
        paths.iter().enumerate().all(|(i, path)| is_right(path, &file_content(i)))
    });
    let repaired = started.elapsed();
    let peak = agent.status("VmHWM");
    std::thread::sleep(Duration::from_secs(3));
    let repaired_memory = agent.status("VmRSS");
    drop(agent);
    let started = Instant::now();
    for (i, path) in paths.iter().enumerate() {
        fs::write(path, "changed by somebody else\n").expect("writable");
        let temporary = path.with_extension("new");
        let mut file = fs::File::create(&temporary).expect("creatable");
        file.write_all(file_content(i).as_bytes()).and_then(|()| file.sync_all()).expect("writable");
        fs::rename(&temporary, path).expect("renamed");
    }
    let plain = started.elapsed();
    println!("{count} files: {memory} KiB of memory, at most {peak} KiB, {repaired_memory} KiB after the repair");
    println!(
        "{count} edits in {edited:.2?}, all repaired after {repaired:.2?}; a plain loop takes {plain:.2?}: ratio {:.2}",
        repaired.as_secs_f64() / plain.as_secs_f64()
    );
}
